// SPDX-License-Identifier: GPL-2.0-only

#include "management-channel.h"

#include "management-port.h"

#include "ns3/assert.h"
#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ManagementChannel");

void
ReliableSender::SetTimeouts(Time initial, Time least, Time most)
{
    m_initial = initial;
    m_least = least;
    m_most = most;
    Estimate();
}

void
ReliableSender::Append(const OpusMessage& message)
{
    Buffer buffer;
    buffer.AddAtStart(message.GetSerializedSize());
    message.Serialize(buffer.Begin());
    Append(buffer.PeekData(), buffer.GetSize());
}

ReliableSender::Segment
ReliableSender::Send(std::size_t most, Time now)
{
    NS_ASSERT_MSG(HasUnsent(), "nothing to send");
    if (m_next == m_acknowledged)
    {
        m_since = now;
    }
    Segment segment;
    segment.begin = m_next;
    const auto size = std::min<uint64_t>(most, GetEnd() - m_next);
    const auto first = m_bytes.begin() + static_cast<std::ptrdiff_t>(m_next - m_acknowledged);
    segment.bytes.assign(first, first + static_cast<std::ptrdiff_t>(size));
    const bool isRepeat = m_next < m_sent;
    m_repeated += isRepeat ? 1 : 0;
    m_next += size;
    m_sent = std::max(m_sent, m_next);
    if (!isRepeat && !m_timed)
    {
        m_timed = m_next;
        m_timedSince = now;
    }
    return segment;
}

void
ReliableSender::Acknowledge(uint64_t position, Time now)
{
    if (position <= m_acknowledged || position > GetEnd())
    {
        return;
    }
    m_bytes.erase(m_bytes.begin(),
                  m_bytes.begin() + static_cast<std::ptrdiff_t>(position - m_acknowledged));
    m_acknowledged = position;
    m_next = std::max(m_next, position);
    m_sent = std::max(m_sent, position);
    m_since = now;
    if (!m_timed || position < *m_timed)
    {
        return;
    }
    const Time sample = now - m_timedSince;
    m_timed.reset();
    if (m_smoothed)
    {
        const Time error = Abs(*m_smoothed - sample);
        m_variation += (error - m_variation) / 4;
        *m_smoothed += (sample - *m_smoothed) / 8;
    }
    else
    {
        m_smoothed = sample;
        m_variation = sample / 2;
    }
    Estimate();
}

void
ReliableSender::Estimate()
{
    const Time wanted = m_smoothed ? *m_smoothed + 4 * m_variation : m_initial;
    m_timeout = Min(Max(wanted, m_least), m_most);
}

void
ReliableSender::Rewind()
{
    m_next = m_acknowledged;
    m_timed.reset();
    Estimate();
}

void
ReliableSender::TimeOut()
{
    m_next = m_acknowledged;
    m_timed.reset();
    m_timeout = Min(2 * m_timeout, m_most);
}

std::optional<Time>
ReliableSender::GetDeadline() const
{
    return m_next > m_acknowledged ? std::optional<Time>(m_since + m_timeout) : std::nullopt;
}

void
ReliableReceiver::Receive(uint64_t begin, const uint8_t* bytes, std::size_t size)
{
    if (begin > m_received)
    {
        const auto known = m_early.find(begin);
        const std::size_t had = known == m_early.end() ? 0 : known->second.size();
        if (size > had && begin + size > begin && m_earlyBytes + size - had <= WINDOW)
        {
            m_earlyBytes += size - had;
            m_early[begin].assign(bytes, bytes + size);
        }
        return;
    }
    if (begin + size <= m_received)
    {
        ++m_duplicates;
        return;
    }
    const std::size_t had = m_received - begin;
    m_reader.Append(bytes + had, size - had);
    m_received = begin + size;
    while (!m_early.empty() && m_early.begin()->first <= m_received)
    {
        const auto& [first, piece] = *m_early.begin();
        if (first + piece.size() > m_received)
        {
            const std::size_t known = m_received - first;
            m_reader.Append(piece.data() + known, piece.size() - known);
            m_received = first + piece.size();
        }
        m_earlyBytes -= piece.size();
        m_early.erase(m_early.begin());
    }
}

bool
ReliableReceiver::Next(OpusMessage& message)
{
    const bool isComplete = m_reader.Next(message);
    m_delivered = isComplete ? m_received - m_reader.GetPending() : m_delivered;
    return isComplete;
}

namespace
{

/// Write a number in network order. @return what follows it
template <typename T>
uint8_t*
WriteNumber(uint8_t* bytes, T number)
{
    for (std::size_t i = 0; i < sizeof(T); ++i)
    {
        bytes[i] = static_cast<uint8_t>(number >> 8 * (sizeof(T) - 1 - i));
    }
    return bytes + sizeof(T);
}

/// Read a number in network order. @return what follows it
template <typename T>
const uint8_t*
ReadNumber(const uint8_t* bytes, T& number)
{
    number = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
    {
        number = static_cast<T>(number << 8 | bytes[i]);
    }
    return bytes + sizeof(T);
}

} // namespace

void
ChannelHeader::Write(uint8_t* bytes) const
{
    bytes[0] = VERSION;
    bytes[1] = flags;
    bytes[2] = 0;
    bytes[3] = 0;
    bytes = WriteNumber(bytes + 4, epoch);
    bytes = WriteNumber(bytes, peerEpoch);
    bytes = WriteNumber(bytes, identity);
    bytes = WriteNumber(bytes, begin);
    WriteNumber(bytes, acknowledgement);
}

bool
ChannelHeader::Read(const uint8_t* bytes, std::size_t size)
{
    if (size < SIZE || bytes[0] != VERSION)
    {
        return false;
    }
    flags = bytes[1];
    bytes = ReadNumber(bytes + 4, epoch);
    bytes = ReadNumber(bytes, peerEpoch);
    bytes = ReadNumber(bytes, identity);
    bytes = ReadNumber(bytes, begin);
    ReadNumber(bytes, acknowledgement);
    return true;
}

bool
ManagementChannel::Flow::operator<(const Flow& other) const
{
    return std::tie(address, farPort, nearPort) <
           std::tie(other.address, other.farPort, other.nearPort);
}

void
ManagementChannel::Stats::Add(const Stats& other)
{
    timeouts += other.timeouts;
    repeated += other.repeated;
    duplicates += other.duplicates;
    pureAcks += other.pureAcks;
    lost += other.lost;
}

ManagementChannel::ManagementChannel(Carrier& carrier,
                                     const Flow& flow,
                                     const Times& times,
                                     uint32_t epoch)
    : m_carrier(carrier),
      m_flow(flow),
      m_times(times),
      m_epoch(epoch),
      m_lastProgress(Simulator::Now())
{
    m_sender.SetTimeouts(times.initial, times.least, times.most);
}

ManagementChannel::~ManagementChannel()
{
    m_ackTimer.Cancel();
    m_timer.Cancel();
}

void
ManagementChannel::Append(const OpusMessage& message)
{
    if (!m_sender.GetDeadline())
    {
        m_lastProgress = Simulator::Now(); // from now on one is waited for
    }
    m_sender.Append(message);
}

void
ManagementChannel::Flush()
{
    while (m_sender.HasUnsent())
    {
        const auto segment =
            m_sender.Send(ManagementPort::MAX_PAYLOAD - ChannelHeader::SIZE, Simulator::Now());
        ChannelHeader header = MakeHeader();
        header.begin = segment.begin;
        m_ackPending = false;
        m_carrier.Carry(*this, header, segment.bytes);
    }
    StartTimer();
}

void
ManagementChannel::SendHeader()
{
    m_ackPending = false;
    m_carrier.Carry(*this, MakeHeader(), {});
}

void
ManagementChannel::Renew()
{
    m_stats.repeated += m_sender.GetRepeated();
    m_stats.duplicates += m_receiver.GetDuplicates();
    m_sender = ReliableSender();
    m_sender.SetTimeouts(m_times.initial, m_times.least, m_times.most);
    m_receiver = ReliableReceiver();
    m_ackPending = false;
    m_lastProgress = Simulator::Now();
}

ManagementChannel::Result
ManagementChannel::Receive(const ChannelHeader& header, const uint8_t* bytes, std::size_t size)
{
    if (header.peerEpoch > m_epoch)
    {
        return Result::DEPOSED;
    }
    if (header.epoch < m_peerEpoch)
    {
        return Result::STALE;
    }
    if (header.epoch > m_peerEpoch)
    {
        m_peerEpoch = header.epoch;
        Renew();
    }
    if (header.peerEpoch < m_epoch)
    {
        // Sent before the peer knew of this epoch: the frame belongs to streams that have ended.
        if (m_timer.IsExpired())
        {
            m_lastProgress = Simulator::Now();
            m_sender.Rewind();
            m_sender.HasUnsent() ? Flush() : SendHeader();
        }
        return Result::ACCEPTED;
    }
    const uint64_t before = m_sender.GetAcknowledged();
    m_sender.Acknowledge(header.acknowledgement, Simulator::Now());
    if (m_sender.GetAcknowledged() > before)
    {
        m_lastProgress = Simulator::Now();
    }
    if (size > 0)
    {
        m_receiver.Receive(header.begin, bytes, size);
        ScheduleAcknowledgement();
    }
    Flush();
    return Result::ACCEPTED;
}

ChannelHeader
ManagementChannel::MakeHeader() const
{
    ChannelHeader header;
    header.epoch = m_epoch;
    header.peerEpoch = m_peerEpoch;
    header.begin = m_sender.GetAcknowledged();
    header.acknowledgement = m_receiver.GetDelivered();
    return header;
}

ManagementChannel::Stats
ManagementChannel::GetStats() const
{
    Stats stats = m_stats;
    stats.repeated += m_sender.GetRepeated();
    stats.duplicates += m_receiver.GetDuplicates();
    return stats;
}

void
ManagementChannel::ScheduleAcknowledgement()
{
    m_ackPending = true;
    if (m_ackTimer.IsExpired())
    {
        m_ackTimer = Simulator::Schedule(m_times.acknowledgement,
                                         &ManagementChannel::SendAcknowledgement,
                                         this);
    }
}

void
ManagementChannel::SendAcknowledgement()
{
    if (m_ackPending)
    {
        ++m_stats.pureAcks;
        SendHeader();
    }
}

void
ManagementChannel::StartTimer()
{
    const auto deadline = m_sender.GetDeadline();
    if (deadline && m_timer.IsExpired())
    {
        const Time left = *deadline - Simulator::Now();
        m_timer = Simulator::Schedule(Max(left, Time(0)), &ManagementChannel::HandleTimer, this);
    }
}

void
ManagementChannel::HandleTimer()
{
    const auto deadline = m_sender.GetDeadline();
    if (!deadline)
    {
        return;
    }
    if (Simulator::Now() < *deadline)
    {
        StartTimer();
        return;
    }
    if (Simulator::Now() - m_lastProgress >= m_times.giveUpAfter)
    {
        NS_LOG_WARN(Ipv4Address(m_flow.address) << " is given up: silent since " << m_lastProgress);
        ++m_stats.lost;
        return;
    }
    NS_LOG_LOGIC(Ipv4Address(m_flow.address)
                 << " is sent to again: silent since " << m_lastProgress);
    ++m_stats.timeouts;
    m_sender.TimeOut();
    Flush();
}

} // namespace ns3
