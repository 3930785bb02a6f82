// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The reliable channels of a ManagementPort.
 */

#include "management-port.h"

#include "ns3/packet.h"

#include <array>

namespace ns3
{

namespace
{

/// @return the address and the UDP port of the far end
InetSocketAddress
GetFarEnd(const ManagementChannel::Flow& flow)
{
    return InetSocketAddress(Ipv4Address(flow.address), flow.farPort);
}

/// @return the channel between a UDP port here and another
ManagementChannel::Flow
MakeFlow(uint16_t port, const Address& far)
{
    const InetSocketAddress end = InetSocketAddress::ConvertFrom(far);
    return {end.GetIpv4().Get(), end.GetPort(), port};
}

} // namespace

bool
ManagementPort::IsReliable() const
{
    return m_reliable;
}

ManagementChannel&
ManagementPort::GetChannel(const Flow& flow)
{
    auto& channel = m_channels[flow];
    if (!channel)
    {
        const ManagementChannel::Times times{m_acknowledgementDelay,
                                             m_initialTimeout,
                                             m_minTimeout,
                                             m_maxTimeout,
                                             m_patience};
        const auto process = m_processes.find(flow.nearPort);
        const uint32_t epoch = process == m_processes.end() ? 0 : process->second.epoch;
        Carrier& carrier = *this;
        channel = std::make_unique<ManagementChannel>(carrier, flow, times, epoch);
    }
    return *channel;
}

void
ManagementPort::Carry(const ManagementChannel& channel,
                      const ChannelHeader& header,
                      const std::vector<uint8_t>& bytes)
{
    const Flow& flow = channel.GetFlow();
    ChannelHeader said = header;
    const auto process = m_processes.find(flow.nearPort);
    said.identity = process == m_processes.end() ? 0 : process->second.identity;
    std::array<uint8_t, ChannelHeader::SIZE> front{};
    said.Write(front.data());
    Ptr<Packet> payload = Create<Packet>(front.data(), front.size());
    if (!bytes.empty())
    {
        payload->AddAtEnd(Create<Packet>(bytes.data(), bytes.size()));
    }
    const auto route = m_routes.find(flow.address);
    SendFrame(flow, route == m_routes.end() ? flow.address : route->second, payload);
}

bool
ManagementPort::FindIdentity(const ChannelHeader& header, Flow& flow) const
{
    if (header.identity == 0 || header.identity == flow.address)
    {
        return true;
    }
    const auto [begin, end] = m_alternates.equal_range(header.identity);
    for (auto alternate = begin; alternate != end; ++alternate)
    {
        if (alternate->second == flow.address)
        {
            flow.address = header.identity;
            return true;
        }
    }
    return false;
}

void
ManagementPort::ReceiveReliably(Flow flow, const uint8_t* bytes, std::size_t size)
{
    const uint32_t source = flow.address;
    ChannelHeader header;
    if (!header.Read(bytes, size))
    {
        ++m_malformed;
        return;
    }
    const auto listener = m_listeners.find(flow.nearPort);
    if (listener == m_listeners.end())
    {
        return; // nobody is there; so nothing is acknowledged
    }
    if (!FindIdentity(header, flow))
    {
        ++m_refused;
        return;
    }
    ManagementChannel& channel = GetChannel(flow);
    const uint32_t heard = channel.MakeHeader().heard;
    if (header.epoch > heard && (source != flow.address || m_routes.count(flow.address)))
    {
        m_routes[flow.address] = source;
    }
    switch (channel.Receive(header, bytes + ChannelHeader::SIZE, size - ChannelHeader::SIZE))
    {
    case ManagementChannel::Verdict::OLD: {
        ++m_refused;
        std::array<uint8_t, ChannelHeader::SIZE> front{};
        channel.MakeHeader().Write(front.data());
        SendFrame(flow, source, Create<Packet>(front.data(), front.size()));
        return;
    }
    case ManagementChannel::Verdict::DEPOSED: {
        const auto process = m_processes.find(flow.nearPort);
        if (process != m_processes.end() && !process->second.deposed.IsNull())
        {
            process->second.deposed();
        }
        return;
    }
    case ManagementChannel::Verdict::TAKEN:
        break;
    }
    const Listener listening = listener->second; // which may end the listening
    OpusMessage message;
    StreamSpan span;
    while (channel.Next(message, span))
    {
        m_span = span;
        listening.receive(GetFarEnd(flow), message);
        if (!listening.confirms)
        {
            channel.Confirm(span);
        }
    }
}

const StreamSpan&
ManagementPort::GetSpan() const
{
    return m_span;
}

void
ManagementPort::Confirm(uint16_t port, const Address& from, const StreamSpan& span)
{
    const auto channel = m_channels.find(MakeFlow(port, from));
    if (channel != m_channels.end())
    {
        channel->second->Confirm(span);
    }
}

void
ManagementPort::Close(uint16_t port)
{
    m_listeners.erase(port);
    for (auto it = m_channels.begin(); it != m_channels.end();)
    {
        if (it->first.nearPort == port)
        {
            m_closed.Add(it->second->GetStats());
            it = m_channels.erase(it);
        }
        else
        {
            ++it;
        }
    }
    for (auto& batch : m_batches)
    {
        if (batch.flow.nearPort == port)
        {
            batch.messages.clear();
        }
    }
}

void
ManagementPort::Reopen(uint16_t port, uint32_t epoch, uint32_t identity)
{
    m_processes[port].epoch = epoch;
    m_processes[port].identity = identity;
}

void
ManagementPort::Restore(uint16_t port, const Address& from, const StreamSpan& span)
{
    GetChannel(MakeFlow(port, from)).Restore(span);
}

void
ManagementPort::Announce(uint16_t port, const Address& to)
{
    GetChannel(MakeFlow(port, to)).Announce();
}

void
ManagementPort::AddAlternate(Ipv4Address address, Ipv4Address other)
{
    m_alternates.emplace(address.Get(), other.Get());
}

void
ManagementPort::SetDeposed(uint16_t port, Callback<void> deposed)
{
    m_processes[port].deposed = deposed;
}

ManagementChannel::Stats
ManagementPort::GetChannelStats() const
{
    ManagementChannel::Stats stats = m_closed;
    for (const auto& [flow, channel] : m_channels)
    {
        stats.Add(channel->GetStats());
    }
    return stats;
}

uint64_t
ManagementPort::GetRefused() const
{
    return m_refused;
}

} // namespace ns3
