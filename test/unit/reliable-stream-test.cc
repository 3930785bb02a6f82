// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Both halves of a reliable stream, joined by a network that loses, repeats and reorders.
 */

#include "../random-search.h"

#include "ns3/management-channel.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <random>
#include <vector>

namespace ns3
{
namespace
{

/// @return a release with a number, or a request with as many ranks
OpusMessage
MakeNumberedMessage(uint32_t number, uint32_t ranks)
{
    if (ranks == 0)
    {
        OpusRelease release;
        release.rank = number;
        return release;
    }
    OpusRequest request;
    request.rank = number;
    request.ranks.assign(ranks, number);
    return request;
}

/// @return its bytes
std::vector<uint8_t>
Serialize(const OpusMessage& message)
{
    Buffer buffer;
    buffer.AddAtStart(message.GetSerializedSize());
    message.Serialize(buffer.Begin());
    return {buffer.PeekData(), buffer.PeekData() + buffer.GetSize()};
}

void
Say(ReliableSender& sender, uint32_t number, uint32_t ranks = 0)
{
    const auto bytes = Serialize(MakeNumberedMessage(number, ranks));
    sender.Append(bytes.data(), bytes.size());
}

TEST(ReliableSender, SendsOnceWhatIsAcknowledged)
{
    ReliableSender sender;
    Say(sender, 1);
    const auto segment = sender.Send(1000, MicroSeconds(5));
    EXPECT_EQ(segment.begin, 0u);
    EXPECT_EQ(segment.bytes, Serialize(MakeNumberedMessage(1, 0)));
    EXPECT_FALSE(sender.HasUnsent());
    EXPECT_EQ(sender.GetDeadline(), MicroSeconds(5) + MilliSeconds(1));
    sender.Acknowledge(segment.bytes.size(), MicroSeconds(30));
    EXPECT_FALSE(sender.GetDeadline());
    EXPECT_EQ(sender.GetRepeated(), 0u);
}

TEST(ReliableSender, IsTimedAsRfc6298Says)
{
    ReliableSender sender;
    sender.SetTimeouts(Seconds(1), MicroSeconds(1), Seconds(60));
    const auto trip = [&sender](Time from, Time to) {
        Say(sender, 0);
        sender.Send(1000, from);
        sender.Acknowledge(sender.GetEnd(), to);
    };
    EXPECT_EQ(sender.GetTimeout(), Seconds(1));
    trip(Seconds(1), Seconds(1) + MicroSeconds(800));
    EXPECT_EQ(sender.GetTimeout(), MicroSeconds(800 + 4 * 400)); // SRTT 800, RTTVAR 400
    trip(Seconds(2), Seconds(2) + MicroSeconds(1600));
    // RTTVAR = 400 + (800 - 400) / 4 = 500, SRTT = 800 + 800 / 8 = 900
    EXPECT_EQ(sender.GetTimeout(), MicroSeconds(900 + 4 * 500));
    Say(sender, 0);
    sender.Send(1000, Seconds(3));
    sender.TimeOut();
    EXPECT_EQ(sender.GetTimeout(), 2 * MicroSeconds(2900)) << "twice as patient";
    sender.Send(1000, Seconds(3) + MicroSeconds(2900));
    EXPECT_EQ(sender.GetDeadline(), Seconds(3) + 3 * MicroSeconds(2900));
    sender.Acknowledge(sender.GetEnd(), Seconds(3) + MicroSeconds(3000));
    EXPECT_EQ(sender.GetTimeout(), 2 * MicroSeconds(2900)) << "no measure of what went twice";
    trip(Seconds(4), Seconds(4) + MicroSeconds(900));
    EXPECT_EQ(sender.GetTimeout(), MicroSeconds(900 + 4 * 375)) << "back-off has ended";
}

TEST(ReliableSender, SendsAgainWhatANewReceiverLacks)
{
    ReliableSender sender;
    Say(sender, 1);
    Say(sender, 2);
    const uint64_t size = sender.GetEnd() / 2;
    sender.Send(1000, Time(0));
    sender.Acknowledge(size, MicroSeconds(1));
    sender.Rewind();
    ASSERT_TRUE(sender.HasUnsent());
    const auto segment = sender.Send(1000, MicroSeconds(2));
    EXPECT_EQ(segment.begin, size);
    EXPECT_EQ(segment.bytes, Serialize(MakeNumberedMessage(2, 0)));
    EXPECT_EQ(sender.GetRepeated(), 1u);
    sender.Acknowledge(3 * size, MicroSeconds(3));
    EXPECT_EQ(sender.GetAcknowledged(), size) << "nobody can have what was never said";
}

TEST(ReliableReceiver, AcknowledgesWhatIsDelivered)
{
    ReliableReceiver receiver;
    std::vector<uint8_t> bytes;
    for (uint32_t i = 0; i < 3; ++i)
    {
        const auto one = Serialize(MakeNumberedMessage(i, i));
        bytes.insert(bytes.end(), one.begin(), one.end());
    }
    receiver.Receive(0, bytes.data(), bytes.size() - 1);
    EXPECT_EQ(receiver.GetDelivered(), 0u);
    OpusMessage message;
    uint32_t count = 0;
    for (; receiver.Next(message); ++count)
    {
        EXPECT_EQ(message.GetRank()->rank, count);
    }
    EXPECT_EQ(count, 2u);
    EXPECT_LT(receiver.GetDelivered(), bytes.size()) << "the third is incomplete";
    receiver.Receive(0, bytes.data(), bytes.size());
    EXPECT_TRUE(receiver.Next(message));
    EXPECT_EQ(receiver.GetDelivered(), bytes.size());
    receiver.Receive(0, bytes.data(), bytes.size());
    EXPECT_EQ(receiver.GetDuplicates(), 1u);
    EXPECT_FALSE(receiver.Next(message));
}

/// A sender and a receiver, and all that can happen between them.
class Wire
{
  public:
    /// @param seed of what happens @param loss of a frame, either way
    Wire(uint32_t seed, double loss)
        : m_random(seed),
          m_loss(loss),
          m_messages(1 + seed % 40)
    {
        m_sender.SetTimeouts(MilliSeconds(1), MilliSeconds(1), MilliSeconds(20));
    }

    /// @return an empty string, or what went wrong
    std::string Run()
    {
        for (uint32_t step = 0; step < 100000; ++step, m_now += MicroSeconds(10))
        {
            if (m_said < m_messages && Draw(3) == 0)
            {
                Say(m_sender, m_said++, Draw(4) == 0 ? Draw(60) : 0);
            }
            const auto deadline = m_sender.GetDeadline();
            if (deadline && *deadline <= m_now)
            {
                m_sender.TimeOut();
            }
            while (m_sender.HasUnsent())
            {
                const auto segment = m_sender.Send(1 + Draw(100), m_now);
                Send(m_data, {segment.begin, segment.bytes});
            }
            Arrive();
            if (m_sender.GetAcknowledged() == m_sender.GetEnd() && m_said == m_messages)
            {
                return Check();
            }
        }
        return "it does not end";
    }

  private:
    using Frame = std::pair<uint64_t, std::vector<uint8_t>>;

    uint32_t Draw(uint32_t below)
    {
        return m_random() % below;
    }

    /// Lose, repeat and delay a frame.
    void Send(std::multimap<Time, Frame>& way, const Frame& frame)
    {
        for (uint32_t copies = Draw(10) == 0 ? 2 : 1; copies > 0; --copies)
        {
            if (Draw(1000) >= 1000 * m_loss)
            {
                way.emplace(m_now + MicroSeconds(10 + Draw(300)), frame);
            }
        }
    }

    void Arrive()
    {
        for (; !m_data.empty() && m_data.begin()->first <= m_now; m_data.erase(m_data.begin()))
        {
            const Frame& frame = m_data.begin()->second;
            m_receiver.Receive(frame.first, frame.second.data(), frame.second.size());
            OpusMessage message;
            while (m_receiver.Next(message))
            {
                m_heard.push_back(message.GetRank()->rank);
            }
            Send(m_acknowledgements, {m_receiver.GetDelivered(), {}});
        }
        auto& back = m_acknowledgements;
        for (; !back.empty() && back.begin()->first <= m_now; back.erase(back.begin()))
        {
            m_sender.Acknowledge(back.begin()->second.first, m_now);
        }
    }

    std::string Check() const
    {
        const bool isSorted = std::is_sorted(m_heard.begin(), m_heard.end());
        return isSorted && m_heard.size() == m_messages ? "" : "not in order";
    }

    std::mt19937 m_random;
    double m_loss;
    uint32_t m_messages;
    uint32_t m_said{0};
    Time m_now;
    ReliableSender m_sender;
    ReliableReceiver m_receiver;
    std::multimap<Time, Frame> m_data;
    std::multimap<Time, Frame> m_acknowledgements;
    std::vector<uint32_t> m_heard;
};

TEST(ReliableStream, HandsEveryMessageOverOnceAndInOrder)
{
    const uint64_t seeds =
        test::CountSeeds("ReliableStream.HandsEveryMessageOverOnceAndInOrder", 2000);
    for (uint32_t seed = 0; seed < seeds; ++seed)
    {
        const double loss = 0.1 * (seed % 7);
        ASSERT_EQ(Wire(seed, loss).Run(), "") << "seed " << seed;
    }
}

TEST(ReliableReceiver, KeepsALimitedNumberOfBytesBehindAGap)
{
    ReliableReceiver receiver;
    const std::vector<uint8_t> bytes(1000, 0);
    const std::size_t most = ReliableReceiver::WINDOW / bytes.size();
    for (std::size_t i = 0; i < 2 * most; ++i)
    {
        receiver.Receive(100000 + 2000 * i, bytes.data(), bytes.size());
        receiver.Receive(100000 + 2000 * i, bytes.data(), bytes.size()); // known
    }
    EXPECT_LE(receiver.GetEarly(), ReliableReceiver::WINDOW);
    EXPECT_GT(receiver.GetEarly(), ReliableReceiver::WINDOW - bytes.size());
    // The gap is filled: what was kept is delivered, and there is room again.
    ReliableSender sender;
    Say(sender, 1);
    Say(sender, 2);
    ReliableReceiver other;
    const auto whole = sender.Send(1000, Time(0));
    other.Receive(36, whole.bytes.data() + 36, 36);
    EXPECT_EQ(other.GetEarly(), 36u);
    other.Receive(~uint64_t{0} - 10, whole.bytes.data(), 36); // ends beyond the last position
    EXPECT_EQ(other.GetEarly(), 36u);
    other.Receive(0, whole.bytes.data(), 36);
    EXPECT_EQ(other.GetEarly(), 0u);
    OpusMessage message;
    EXPECT_TRUE(other.Next(message));
    EXPECT_TRUE(other.Next(message));
    EXPECT_EQ(other.GetDelivered(), 72u);
}

} // namespace
} // namespace ns3
