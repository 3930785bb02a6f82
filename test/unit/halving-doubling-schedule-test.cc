// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Halving and doubling with a rank that comes late: others must not send it messages of several
 * steps, nor may it send those of several steps at once.
 */

#include "ns3/collective-algorithm.h"
#include "ns3/collective-run.h"

#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace ns3
{
namespace
{

constexpr uint64_t EAGER = 100;

/// @return a call of a group whose messages have all more than EAGER bytes
RankContext
MakeExchangePart(CollectiveKind kind, uint32_t size)
{
    RankContext part;
    part.call.kind = kind;
    part.call.bytes = GetInputBytes(kind, size, 1000 * size);
    part.shape = {size, 1};
    part.eagerBytes = EAGER;
    return part;
}

/// Runs all ranks; what is sent waits until it is delivered.
class ExchangeRanks
{
  public:
    explicit ExchangeRanks(RankContext part)
    {
        for (part.index = 0; part.index < part.shape.size; ++part.index)
        {
            const auto post = [this, from = part.index](const ScheduledSend& send, bool) {
                m_sent.push_back({from, send});
            };
            const auto schedule =
                Variant<CollectiveAlgorithm>("halving-doubling")->MakeSchedule(part);
            m_runs.push_back(std::make_unique<CollectiveRun>(schedule, post));
            m_left += schedule.GetReceives().size();
        }
    }

    /// A rank calls, and takes at once what has been kept for it.
    void Start(uint32_t rank)
    {
        m_started.insert(rank);
        m_runs[rank]->Start();
        for (const auto& message : m_kept[rank])
        {
            Take(message);
        }
        m_kept.erase(rank);
    }

    /// Deliver the message that was sent first, or keep it. @return false if there was none
    bool Deliver()
    {
        if (m_sent.empty())
        {
            return false;
        }
        const Message message = m_sent.front();
        m_sent.pop_front();
        if (m_started.count(message.send.peer) == 0)
        {
            m_kept[message.send.peer].push_back(message);
        }
        else
        {
            Take(message);
        }
        return true;
    }

    /// @return to how many peers a rank has more than EAGER bytes on their way
    uint32_t CountPeers(uint32_t rank) const
    {
        std::map<uint32_t, uint64_t> bytes; // by peer
        for (const auto& message : m_sent)
        {
            bytes[message.send.peer] += message.from == rank ? message.send.data.bytes : 0;
        }
        return static_cast<uint32_t>(
            std::count_if(bytes.begin(), bytes.end(), [](const auto& entry) {
                return entry.second > EAGER;
            }));
    }

    /// @return bytes that wait for a rank that has not called
    uint64_t GetBytesKept(uint32_t rank) const
    {
        uint64_t sum = 0;
        for (const auto& message : m_kept.at(rank))
        {
            sum += message.send.data.bytes;
        }
        return sum;
    }

    /// @return true if all ranks have received everything
    bool HaveEnded() const
    {
        return m_sent.empty() && m_kept.empty() && m_left == 0;
    }

  private:
    /// What is on its way.
    struct Message
    {
        uint32_t from;
        ScheduledSend send;
    };

    void Take(const Message& message)
    {
        --m_left;
        m_runs[message.send.peer]->StripeArrived(message.send.transferId, message.send.data.bytes);
    }

    std::vector<std::unique_ptr<CollectiveRun>> m_runs;
    std::size_t m_left{0}; //!< messages that have not been received
    std::set<uint32_t> m_started;
    std::deque<Message> m_sent;
    std::map<uint32_t, std::vector<Message>> m_kept; //!< by who has not called
};

/// Let all ranks but the first go as far as they can.
void
StartOthers(ExchangeRanks& ranks, uint32_t size)
{
    for (uint32_t rank = 1; rank < size; ++rank)
    {
        ranks.Start(rank);
    }
    while (ranks.Deliver())
    {
    }
}

/// @return to how many peers the first rank, which is late, sends at the same time
uint32_t
GetMostPeers(const RankContext& part)
{
    ExchangeRanks ranks(part);
    StartOthers(ranks, part.shape.size);
    ranks.Start(0);
    uint32_t most = 0;
    do
    {
        most = std::max(most, ranks.CountPeers(0));
    } while (ranks.Deliver());
    EXPECT_TRUE(ranks.HaveEnded());
    return most;
}

/// The parameter is the collective.
class HalvingDoublingTest : public testing::TestWithParam<CollectiveKind>
{
};

TEST_P(HalvingDoublingTest, WhoIsLateFindsTheBeginningsOfMessages)
{
    uint64_t steps = 1;
    for (uint32_t size = 2; size <= 64; size *= 2, ++steps)
    {
        ExchangeRanks ranks(MakeExchangePart(GetParam(), size));
        StartOthers(ranks, size);
        EXPECT_EQ(ranks.GetBytesKept(0), steps * EAGER) << size;
    }
}

TEST_P(HalvingDoublingTest, WhoIsLateSendsToOneAfterTheOther)
{
    uint32_t steps = 1;
    for (uint32_t size = 2; size <= 64; size *= 2, ++steps)
    {
        auto part = MakeExchangePart(GetParam(), size);
        EXPECT_EQ(GetMostPeers(part), 1U) << size;
        part.eagerBytes = 1 << 20; // nobody waits for a call
        EXPECT_EQ(GetMostPeers(part), steps) << size;
    }
}

TEST_P(HalvingDoublingTest, ShortMessagesNeedNoCall)
{
    auto part = MakeExchangePart(GetParam(), 8);
    const auto steps = part.call.kind == CollectiveKind::ALL_REDUCE ? 6U : 3U;
    part.eagerBytes = 4000;
    EXPECT_EQ(
        Variant<CollectiveAlgorithm>("halving-doubling")->MakeSchedule(part).GetSends().size(),
        steps);
    part.eagerBytes = 3999; // half of the tensor is longer: a call, a beginning and the rest
    const auto longer = part.call.kind == CollectiveKind::ALL_REDUCE ? 2U : 1U;
    EXPECT_EQ(
        Variant<CollectiveAlgorithm>("halving-doubling")->MakeSchedule(part).GetSends().size(),
        steps + 2 * longer);
}

INSTANTIATE_TEST_SUITE_P(Kinds,
                         HalvingDoublingTest,
                         testing::Values(CollectiveKind::ALL_REDUCE,
                                         CollectiveKind::ALL_GATHER,
                                         CollectiveKind::REDUCE_SCATTER));

} // namespace
} // namespace ns3
