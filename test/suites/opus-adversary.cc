// SPDX-License-Identifier: GPL-2.0-only

#include "opus-adversary.h"

#include "lambda-call.h"

#include "ns3/packet.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

namespace ns3
{
namespace test
{

namespace
{

/// @return a message on the wire
std::vector<uint8_t>
ToBytes(const OpusMessage& message)
{
    Buffer buffer;
    buffer.AddAtStart(message.GetSerializedSize());
    message.Serialize(buffer.Begin());
    return {buffer.PeekData(), buffer.PeekData() + buffer.GetSize()};
}

/// One message of each type, without fields that it would need to be well formed.
template <typename... Ts>
std::vector<OpusMessage>
MakeAllTypes(const std::variant<Ts...>& /* body */)
{
    std::vector<OpusMessage> all;
    (all.push_back(OpusMessage(Ts())), ...);
    return all;
}

} // namespace

MessageDraw::MessageDraw(Draw& draw, uint32_t jobs)
    : m_draw(draw),
      m_jobs(jobs)
{
}

void
MessageDraw::Learn(const OpusMessage& message)
{
    if (m_learned.size() == MOST_LEARNED)
    {
        m_learned[m_draw.Index(MOST_LEARNED)] = message;
        return;
    }
    m_learned.push_back(message);
}

uint64_t
MessageDraw::DrawNumber()
{
    switch (m_draw.Index(4))
    {
    case 0:
        return m_draw.Between(0, 3);
    case 1:
        return m_draw.Between(0, 40);
    case 2:
        return m_draw.Pick<uint64_t>({~uint64_t{0},
                                      uint64_t{1} << 63,
                                      std::numeric_limits<uint32_t>::max(),
                                      std::numeric_limits<int64_t>::max(),
                                      65535});
    default:
        return m_draw.Scaled(1, uint64_t{1} << 40);
    }
}

template <typename T>
void
MessageDraw::ChangeFields(T& body)
{
    if constexpr (std::is_base_of_v<OpusRank, T>)
    {
        body.job = m_draw.Chance(80) ? m_draw.Index(m_jobs) : static_cast<uint32_t>(DrawNumber());
        body.rank = m_draw.Chance(80) ? m_draw.Index(16) : static_cast<uint32_t>(DrawNumber());
    }
    if constexpr (std::is_base_of_v<OpusLease, T>)
    {
        body.group = m_draw.Chance(50) ? body.group : DrawNumber();
        body.lease = m_draw.Chance(50) ? body.lease : static_cast<uint32_t>(DrawNumber());
    }
    if constexpr (std::is_same_v<T, OpusRequest>)
    {
        for (uint64_t count = m_draw.Index(5); count > 0; --count)
        {
            body.ranks.push_back(
                static_cast<uint32_t>(m_draw.Chance(90) ? m_draw.Index(16) : DrawNumber()));
        }
    }
    if constexpr (std::is_same_v<T, OpusFault>)
    {
        body.kind = m_draw.Pick(GetFaultKinds());
    }
    if constexpr (std::is_base_of_v<OpusGpu, T>)
    {
        body.gpu = m_draw.Chance(80) ? m_draw.Index(16) : static_cast<uint32_t>(DrawNumber());
    }
    if constexpr (std::is_base_of_v<OpusGeneration, T>)
    {
        body.generation = DrawNumber();
    }
    if constexpr (std::is_base_of_v<OpusJob, T>)
    {
        body.job = m_draw.Index(m_jobs + 1);
    }
}

OpusMessage
MessageDraw::ChangeBytes(const OpusMessage& message)
{
    auto bytes = ToBytes(message);
    constexpr std::size_t FRONT = 8; // length, version, type, flags
    for (uint64_t count = m_draw.Between(1, 3); count > 0 && bytes.size() > FRONT; --count)
    {
        const std::size_t place = FRONT + m_draw.Index(bytes.size() - FRONT);
        const uint64_t number = DrawNumber();
        for (std::size_t i = 0; i < 4 && place + i < bytes.size(); ++i)
        {
            bytes[place + i] = static_cast<uint8_t>(number >> 8 * (3 - i));
        }
    }
    OpusMessage changed;
    return changed.Parse(bytes.data(), static_cast<uint32_t>(bytes.size())) > 0 ? changed : message;
}

OpusMessage
MessageDraw::DrawType()
{
    static const std::vector<OpusMessage> all = MakeAllTypes(OpusMessage::Body());
    return all[m_draw.Index(all.size())];
}

OpusMessage
MessageDraw::DrawMessage()
{
    const bool isLearned = !m_learned.empty() && m_draw.Chance(50);
    OpusMessage message = isLearned ? m_learned[m_draw.Index(m_learned.size())] : DrawType();
    if (isLearned && m_draw.Chance(30))
    {
        return message; // as it was sent
    }
    message.Visit([this, &message](auto body) {
        ChangeFields(body);
        message = OpusMessage(std::move(body));
    });
    return m_draw.Chance(40) ? ChangeBytes(message) : message;
}

std::vector<uint8_t>
MessageDraw::DrawBytes()
{
    std::vector<uint8_t> bytes;
    for (uint64_t count = m_draw.Between(1, 5); count > 0; --count)
    {
        const auto more = ToBytes(DrawMessage());
        bytes.insert(bytes.end(), more.begin(), more.end());
    }
    if (m_draw.Chance(20))
    {
        bytes[m_draw.Index(bytes.size())] = static_cast<uint8_t>(m_draw.Between(0, 255));
    }
    if (m_draw.Chance(20))
    {
        bytes.resize(1 + m_draw.Index(bytes.size()));
    }
    return bytes;
}

OpusAdversary::OpusAdversary(uint64_t seed, uint32_t jobs, Ptr<NetDevice> device)
    : m_draw(seed),
      m_messages(m_draw, jobs),
      m_queue(device),
      m_own(Ipv4Address("169.254.0.1"), HostLink::UDP_PORT)
{
    m_victims.receivers.emplace_back(Ipv4Address("169.254.0.2"), HostLink::UDP_PORT);
}

void
OpusAdversary::SetNetwork(const InetSocketAddress& own, const Victims& victims)
{
    m_own = own;
    m_victims = victims;
    m_headers.resize(victims.receivers.size());
    m_isOnHostLink = false;
}

MessageDraw&
OpusAdversary::GetMessages()
{
    return m_messages;
}

void
OpusAdversary::Start(uint32_t bursts, Time interval)
{
    const auto most = static_cast<uint64_t>(interval.GetPicoSeconds());
    ScheduleCall(PicoSeconds(m_draw.Between(1, most)),
                 [this, bursts, interval] { Attack(bursts, interval); });
}

void
OpusAdversary::Attack(uint32_t bursts, Time interval)
{
    SendOnce();
    if (bursts > 1)
    {
        Start(bursts - 1, interval);
    }
}

void
OpusAdversary::SendOnce()
{
    const std::size_t place = m_draw.Index(m_victims.receivers.size());
    const InetSocketAddress to = m_victims.receivers[place];
    for (uint64_t count = m_draw.Chance(10) ? m_draw.Scaled(1, 200) : 1; count > 0; --count)
    {
        std::vector<uint8_t> bytes = m_messages.DrawBytes();
        bytes.resize(
            std::min<std::size_t>(bytes.size(), HostLink::MAX_PAYLOAD - ChannelHeader::SIZE));
        if (!m_isOnHostLink && m_victims.reliable)
        {
            ChannelHeader& stream = m_headers[place];
            ChannelHeader header = stream;
            stream.begin += bytes.size();
            if (m_draw.Chance(30))
            {
                header.flags = static_cast<uint8_t>(m_draw.Between(0, 3));
                header.epoch = static_cast<uint32_t>(m_draw.Chance(70) ? 0 : DrawField());
                header.peerEpoch = static_cast<uint32_t>(m_draw.Chance(50) ? 0 : DrawField());
                header.identity = m_draw.Chance(50) ? 0 : to.GetIpv4().Get();
                header.begin = m_draw.Chance(50) ? header.begin : DrawField();
                header.acknowledgement = m_draw.Chance(50) ? 0 : DrawField();
            }
            std::vector<uint8_t> front(ChannelHeader::SIZE);
            header.Write(front.data());
            bytes.insert(bytes.begin(), front.begin(), front.end());
        }
        SendFrame(bytes, to);
    }
}

uint64_t
OpusAdversary::DrawField()
{
    return m_draw.Chance(50) ? m_draw.Between(0, 5) : m_draw.Scaled(1, uint64_t{1} << 40);
}

void
OpusAdversary::SendFrame(const std::vector<uint8_t>& bytes, const InetSocketAddress& to)
{
    InetSocketAddress from = m_own;
    if (!m_isOnHostLink && m_draw.Chance(20))
    {
        // In the name of another node.
        from = m_victims.receivers[m_draw.Index(m_victims.receivers.size())];
    }
    else if (!m_isOnHostLink && m_draw.Chance(20))
    {
        from.SetPort(static_cast<uint16_t>(m_draw.Between(1, 65535)));
    }
    ++m_frames;
    m_bytes += bytes.size();
    m_queue.Send(Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size())), from, to);
}

uint64_t
OpusAdversary::GetFrames() const
{
    return m_frames;
}

uint64_t
OpusAdversary::GetBytes() const
{
    return m_bytes;
}

} // namespace test
} // namespace ns3
