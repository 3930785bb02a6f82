// SPDX-License-Identifier: GPL-2.0-only

#include "management-channel.h"

#include "management-port.h"

#include "ns3/simulator.h"

#include <tuple>

namespace ns3
{

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
      m_announcing(epoch > 0),
      m_giveUpAfter(times.initial),
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
    if (!GetDeadline())
    {
        m_lastProgress = Simulator::Now(); // from now on one is waited for
    }
    Buffer buffer;
    buffer.AddAtStart(message.GetSerializedSize());
    message.Serialize(buffer.Begin());
    m_sender.Append(buffer.PeekData(), buffer.GetSize());
}

void
ManagementChannel::Flush()
{
    while (!m_announcing && m_sender.HasUnsent())
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
ManagementChannel::Announce()
{
    m_announced = Simulator::Now();
    Send(ChannelHeader::ANNOUNCE);
    StartTimer();
}

void
ManagementChannel::Send(uint8_t flags)
{
    ChannelHeader header = MakeHeader();
    header.flags = flags;
    header.begin = m_sender.GetAcknowledged();
    m_ackPending = false;
    m_carrier.Carry(*this, header, {});
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
    const bool isAnnouncement = header.flags & ChannelHeader::ANNOUNCE;
    const uint64_t before = m_sender.GetAcknowledged();
    m_sender.Acknowledge(header.acknowledgement, Simulator::Now());
    if (m_sender.GetAcknowledged() > before)
    {
        m_lastProgress = Simulator::Now();
    }
    if (header.epoch > m_peerEpoch)
    {
        m_lastProgress = Simulator::Now();
        m_peerEpoch = header.epoch;
        m_sender.Rewind();
    }
    m_announcing = m_announcing && header.peerEpoch < m_epoch;
    if (size > 0)
    {
        m_receiver.Receive(header.begin, bytes, size);
    }
    if (isAnnouncement && !(m_sender.HasUnsent() && !m_announcing))
    {
        Send(0);
    }
    Flush();
    if (size > 0)
    {
        ScheduleAcknowledgement();
    }
    return Result::ACCEPTED;
}

bool
ManagementChannel::Next(OpusMessage& message, StreamSpan& span)
{
    return m_receiver.Next(message, span);
}

void
ManagementChannel::Confirm(const StreamSpan& span)
{
    m_receiver.Confirm(span);
    ScheduleAcknowledgement();
}

void
ManagementChannel::Restore(const StreamSpan& span)
{
    m_receiver.Restore(span);
}

const ManagementChannel::Flow&
ManagementChannel::GetFlow() const
{
    return m_flow;
}

ChannelHeader
ManagementChannel::MakeHeader() const
{
    ChannelHeader header;
    header.epoch = m_epoch;
    header.peerEpoch = m_peerEpoch;
    header.begin = m_sender.GetAcknowledged();
    header.acknowledgement = m_receiver.GetConfirmed();
    return header;
}

ManagementChannel::Stats
ManagementChannel::GetStats() const
{
    Stats stats = m_stats;
    stats.repeated = m_sender.GetRepeated();
    stats.duplicates = m_receiver.GetDuplicates();
    return stats;
}

uint64_t
ManagementChannel::GetMalformed() const
{
    return m_receiver.GetMalformed();
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
        Send(0);
    }
}

std::optional<Time>
ManagementChannel::GetDeadline() const
{
    return m_announcing ? m_announced + m_giveUpAfter : m_sender.GetDeadline();
}

void
ManagementChannel::StartTimer()
{
    const auto deadline = GetDeadline();
    if (deadline && m_timer.IsExpired())
    {
        const Time left = *deadline - Simulator::Now();
        m_timer = Simulator::Schedule(Max(left, Time(0)), &ManagementChannel::HandleTimer, this);
    }
}

void
ManagementChannel::HandleTimer()
{
    const auto deadline = GetDeadline();
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
        ++m_stats.lost;
        return;
    }
    ++m_stats.timeouts;
    if (m_announcing)
    {
        m_giveUpAfter = Min(2 * m_giveUpAfter, m_times.most);
        Announce();
        return;
    }
    m_sender.TimeOut();
    Flush();
}

} // namespace ns3
