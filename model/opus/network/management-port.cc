// SPDX-License-Identifier: GPL-2.0-only

#include "management-port.h"

#include "host-link.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <array>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("ManagementPort");
NS_OBJECT_ENSURE_REGISTERED(ManagementPort);

namespace
{

constexpr uint32_t IP_BYTES = 20;               // without options
constexpr uint32_t HEADER_BYTES = IP_BYTES + 8; // and UDP

/// @return a 16-bit number in network order
uint16_t
Read16(const uint8_t* bytes)
{
    return static_cast<uint16_t>(bytes[0] << 8 | bytes[1]);
}

/// @return the channel between a UDP port here and another
ManagementChannel::Flow
MakeFlow(uint16_t port, const Address& far)
{
    const InetSocketAddress end = InetSocketAddress::ConvertFrom(far);
    return {end.GetIpv4().Get(), end.GetPort(), port};
}

/// @return the address and the UDP port of the far end
InetSocketAddress
GetFarEnd(const ManagementChannel::Flow& flow)
{
    return InetSocketAddress(Ipv4Address(flow.address), flow.farPort);
}

} // namespace

TypeId
ManagementPort::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ManagementPort")
            .SetParent<Object>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<ManagementPort>()
            .AddAttribute("Reliable",
                          "Retransmit lost messages; all ports of a network or none. Frames are "
                          "then 32 bytes longer.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&ManagementPort::m_reliable),
                          MakeBooleanChecker())
            .AddAttribute("AcknowledgementDelay",
                          "Longest time for which an acknowledgement waits for a frame with "
                          "messages that can carry it, at least 0.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&ManagementPort::m_acknowledgementDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("InitialTimeout",
                          "Retransmission timeout before the first round-trip time has been "
                          "measured, above 0.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&ManagementPort::m_initialTimeout),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("MinTimeout",
                          "Lower bound of the retransmission timeout, above 0.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&ManagementPort::m_minTimeout),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("MaxTimeout",
                          "Upper bound of the retransmission timeout, also with back-off; above 0.",
                          TimeValue(MilliSeconds(20)),
                          MakeTimeAccessor(&ManagementPort::m_maxTimeout),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("GiveUpAfter",
                          "Time without an acknowledgement after which retransmissions stop until "
                          "the other end sends a frame; above 0.",
                          TimeValue(Seconds(1)),
                          MakeTimeAccessor(&ManagementPort::m_giveUpAfter),
                          MakeTimeChecker(TimeStep(1)));
    return tid;
}

ManagementPort::ManagementPort() = default;
ManagementPort::~ManagementPort() = default;

void
ManagementPort::DoDispose()
{
    m_flush.Cancel();
    m_queue.reset();
    m_listeners.clear();
    m_batches.clear();
    m_batchOf.clear();
    m_channels.clear();
    m_processes.clear();
    Object::DoDispose();
}

void
ManagementPort::SetLink(Ptr<NetDevice> device, Ipv4Address address)
{
    NS_LOG_FUNCTION(this << device << address);
    NS_ABORT_MSG_IF(m_queue, "a node has one port on the management network");
    NS_ABORT_MSG_IF(!device->GetNode(), "a management port needs a device that is on a node");
    m_address = address;
    m_queue = std::make_unique<FrameQueue>(device);
    device->GetNode()->RegisterProtocolHandler(MakeCallback(&ManagementPort::Receive, this),
                                               FrameQueue::IPV4_PROTOCOL,
                                               device);
}

void
ManagementPort::Listen(uint16_t port, ReceiveCallback receive)
{
    if (receive.IsNull())
    {
        m_listeners.erase(port);
    }
    else
    {
        m_listeners[port] = receive;
    }
}

void
ManagementPort::Send(uint16_t port, const Address& to, const OpusMessage& message)
{
    NS_LOG_FUNCTION(this << port << message);
    const Flow flow = MakeFlow(port, to);
    const auto [place, isNew] = m_batchOf.emplace(flow, m_batches.size());
    if (isNew)
    {
        m_batches.push_back(Batch{flow, {}});
    }
    if (m_reliable)
    {
        GetChannel(flow)->Append(message);
    }
    else
    {
        m_batches[place->second].messages.push_back(message);
    }
    if (m_flush.IsExpired())
    {
        m_flush = Simulator::ScheduleNow(&ManagementPort::Flush, this);
    }
}

void
ManagementPort::SendDatagram(uint16_t port, const Address& to, const OpusMessage& message)
{
    if (!m_reliable)
    {
        Send(port, to, message);
        return;
    }
    ChannelHeader header;
    header.flags = ChannelHeader::DATAGRAM;
    std::array<uint8_t, ChannelHeader::SIZE> front{};
    header.Write(front.data());
    Ptr<Packet> payload = Create<Packet>();
    payload->AddHeader(message);
    const Ptr<Packet> frame = Create<Packet>(front.data(), front.size());
    frame->AddAtEnd(payload);
    const Flow flow = MakeFlow(port, to);
    SendFrame(flow, flow.address, frame);
}

void
ManagementPort::Flush()
{
    for (const Batch& batch : m_batches)
    {
        if (const auto channel = FindChannel(batch.flow))
        {
            channel->Flush();
        }
        else
        {
            SendFrames(batch);
        }
    }
    m_batches.clear();
    m_batchOf.clear();
}

void
ManagementPort::SendFrames(const Batch& batch)
{
    Ptr<Packet> payload = Create<Packet>();
    for (auto message = batch.messages.rbegin(); message != batch.messages.rend(); ++message)
    {
        payload->AddHeader(*message);
    }
    const uint32_t size = payload->GetSize();
    for (uint32_t sent = 0; sent < size; sent += MAX_PAYLOAD)
    {
        SendFrame(batch.flow,
                  batch.flow.address,
                  size <= MAX_PAYLOAD
                      ? payload
                      : payload->CreateFragment(sent, std::min(MAX_PAYLOAD, size - sent)));
    }
}

void
ManagementPort::SendFrame(const Flow& flow, uint32_t address, Ptr<Packet> payload)
{
    m_queue->Send(payload,
                  InetSocketAddress(m_address, flow.nearPort),
                  InetSocketAddress(Ipv4Address(address), flow.farPort));
}

template <typename T>
bool
ManagementPort::MayReceive(const std::map<Flow, T>& flows, const Flow& flow) const
{
    if (flows.count(flow) > 0)
    {
        return true;
    }
    const auto isSame = [&flow](const auto& one) { return one.first.nearPort == flow.nearPort; };
    const auto first = flows.lower_bound(Flow{flow.address, 0, 0});
    const auto end = flows.upper_bound(Flow{flow.address, 65535, 65535});
    return std::count_if(first, end, isSame) < int64_t{MAX_FLOWS};
}

void
ManagementPort::Receive(Ptr<NetDevice>,
                        Ptr<const Packet> packet,
                        uint16_t,
                        const Address&,
                        const Address&,
                        NetDevice::PacketType)
{
    m_bytes.resize(packet->GetSize());
    packet->CopyData(m_bytes.data(), packet->GetSize());
    if (m_bytes.size() <= HEADER_BYTES)
    {
        ++m_malformed;
        return;
    }
    const Ipv4Address source = Ipv4Address::Deserialize(m_bytes.data() + 12);
    const uint16_t farPort = Read16(m_bytes.data() + IP_BYTES);
    const uint16_t nearPort = Read16(m_bytes.data() + IP_BYTES + 2);
    const Flow flow{source.Get(), farPort, nearPort};
    if (m_reliable)
    {
        ReceiveReliably(flow, m_bytes.data() + HEADER_BYTES, m_bytes.size() - HEADER_BYTES);
        return;
    }
    if (m_listeners.count(nearPort) == 0)
    {
        return;
    }
    if (!MayReceive(m_readers, flow))
    {
        NS_LOG_WARN("UDP port " << nearPort << " refuses another sender at " << source);
        ++m_refused;
        return;
    }
    MessageReader& reader = m_readers[flow];
    reader.Append(m_bytes.data() + HEADER_BYTES, m_bytes.size() - HEADER_BYTES);
    const Address from = InetSocketAddress(source, farPort);
    OpusMessage message;
    while (reader.Next(message))
    {
        const auto listener = m_listeners.find(nearPort);
        if (listener != m_listeners.end())
        {
            const ReceiveCallback receive =
                listener->second; // a copy, since the callback may end the listening
            receive(from, message);
        }
    }
}

uint64_t
ManagementPort::GetMalformed() const
{
    uint64_t malformed = m_malformed;
    for (const auto& [flow, reader] : m_readers)
    {
        malformed += reader.GetMalformed();
    }
    for (const auto& [flow, channel] : m_channels)
    {
        malformed += channel->GetReceiver().GetMalformed();
    }
    return malformed;
}

std::shared_ptr<ManagementChannel>
ManagementPort::FindChannel(const Flow& flow) const
{
    const auto channel = m_channels.find(flow);
    return channel == m_channels.end() ? nullptr : channel->second;
}

std::shared_ptr<ManagementChannel>
ManagementPort::GetChannel(const Flow& flow)
{
    auto& channel = m_channels[flow];
    if (!channel)
    {
        const ManagementChannel::Times times{m_acknowledgementDelay,
                                             m_initialTimeout,
                                             m_minTimeout,
                                             m_maxTimeout,
                                             m_giveUpAfter};
        Carrier& carrier = *this;
        channel = std::make_shared<ManagementChannel>(carrier,
                                                      flow,
                                                      times,
                                                      m_processes[flow.nearPort].epoch);
    }
    return channel;
}

void
ManagementPort::Carry(const ManagementChannel& channel,
                      const ChannelHeader& header,
                      const std::vector<uint8_t>& bytes)
{
    const Flow& flow = channel.GetFlow();
    ChannelHeader sent = header;
    sent.identity = m_processes[flow.nearPort].identity;
    std::array<uint8_t, ChannelHeader::SIZE> front{};
    sent.Write(front.data());
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
        return; // without a listener nothing is acknowledged
    }
    if (!FindIdentity(header, flow) || !MayReceive(m_channels, flow))
    {
        ++m_refused;
        return;
    }
    if (header.flags & ChannelHeader::DATAGRAM)
    {
        ReceiveDatagram(flow, bytes + ChannelHeader::SIZE, size - ChannelHeader::SIZE);
        return;
    }
    const auto channel = GetChannel(flow);
    const uint32_t peerEpoch = channel->MakeHeader().peerEpoch;
    if (header.epoch > peerEpoch && (source != flow.address || m_routes.count(flow.address)))
    {
        m_routes[flow.address] = source;
    }
    switch (channel->Receive(header, bytes + ChannelHeader::SIZE, size - ChannelHeader::SIZE))
    {
    case ManagementChannel::Result::STALE: {
        ++m_refused;
        std::array<uint8_t, ChannelHeader::SIZE> front{};
        channel->MakeHeader().Write(front.data());
        SendFrame(flow, source, Create<Packet>(front.data(), front.size()));
        return;
    }
    case ManagementChannel::Result::DEPOSED:
        if (!m_processes[flow.nearPort].deposed.IsNull())
        {
            m_processes[flow.nearPort].deposed(GetFarEnd(flow), header.peerEpoch);
        }
        return;
    case ManagementChannel::Result::ACCEPTED:
        break;
    }
    const ReceiveCallback receive =
        listener->second; // a copy, since the callback may end the listening
    OpusMessage message;
    while (channel->GetReceiver().Next(message))
    {
        receive(GetFarEnd(flow), message);
        if (FindChannel(flow) != channel)
        {
            return; // the callback has closed the channel
        }
    }
}

void
ManagementPort::ReceiveDatagram(const Flow& flow, const uint8_t* bytes, std::size_t size)
{
    const ReceiveCallback receive = m_listeners.at(flow.nearPort); // a copy, as above
    MessageReader reader;
    reader.Append(bytes, size);
    OpusMessage message;
    if (!reader.Next(message))
    {
        ++m_malformed;
        return;
    }
    receive(GetFarEnd(flow), message);
}

void
ManagementPort::Close(uint16_t port)
{
    NS_LOG_FUNCTION(this << port);
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
    NS_LOG_FUNCTION(this << port << epoch);
    m_processes[port].epoch = epoch;
    m_processes[port].identity = identity;
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

} // namespace ns3
