// SPDX-License-Identifier: GPL-2.0-only

#include "packet-stream.h"

#include "lambda-call.h"

#include "ns3/ipv4-header.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <sstream>

namespace ns3
{
namespace test
{

std::vector<PacketStream>
PacketStream::Make(Draw& draw, uint32_t ends, uint32_t ports, uint64_t span)
{
    std::vector<PacketStream> streams;
    const auto count = ends < 2 ? 0 : draw.Between(1, 3);
    for (uint64_t i = 0; i < count; ++i)
    {
        PacketStream stream;
        stream.from = draw.Index(ends);
        stream.to = (stream.from + 1 + draw.Index(ends - 1)) % ends;
        stream.port = draw.Index(ports);
        stream.count = static_cast<uint32_t>(draw.Scaled(1, 300));
        stream.bytes = draw.Pick<uint32_t>({0, 40, 1000, 1480, 4480});
        stream.tos = draw.Pick<uint32_t>({0, 0, 0, 32, 106, 192, 224});
        stream.at = draw.Between(0, span);
        stream.gap = draw.Chance(40) ? 0 : draw.Scaled(NS, 5 * US);
        stream.echo = draw.Chance(50);
        streams.push_back(stream);
    }
    return streams;
}

std::string
PacketStream::ToText() const
{
    std::ostringstream text;
    text << "{" << from << "-" << to << "." << port << " " << count << " x " << bytes
         << " bytes tos=" << tos << " at=" << at << " gap=" << gap << (echo ? " echo" : "") << "}";
    return text.str();
}

void
PacketTraffic::Listen(uint32_t node, const End& end)
{
    m_nodes[end.device] = node;
    m_ends[end.address] = end;
    end.device->SetReceiveCallback(MakeCallback(&PacketTraffic::Receive, this));
    for (const std::string source : {"MacTxDrop", "MacRxDrop"})
    {
        end.device->TraceConnectWithoutContext(
            source,
            ToCallback<Ptr<const Packet>, EthernetPortNetDevice::DropReason>(
                [this, node, source](Ptr<const Packet> packet,
                                     EthernetPortNetDevice::DropReason reason) {
                    m_record.Note(node,
                                  source + " " + std::to_string(packet->GetSize()) + ", reason " +
                                      std::to_string(reason));
                }));
    }
}

void
PacketTraffic::Start(const PacketStream& stream, const End& from, const End& to)
{
    const uint8_t protocol = stream.echo ? ECHO : PLAIN;
    for (uint32_t i = 0; i < stream.count; ++i)
    {
        Simulator::ScheduleWithContext(
            from.device->GetNode()->GetId(),
            PicoSeconds(stream.at + i * stream.gap),
            &CallScheduled,
            [from, to, bytes = stream.bytes, tos = stream.tos, protocol] {
                Send(from, to, bytes, static_cast<uint8_t>(tos), protocol);
            });
    }
}

void
PacketTraffic::Send(End from, End to, uint32_t bytes, uint8_t tos, uint8_t protocol)
{
    auto packet = Create<Packet>(bytes);
    Ipv4Header header;
    header.SetSource(from.address);
    header.SetDestination(to.address);
    header.SetTos(tos);
    header.SetProtocol(protocol);
    header.SetPayloadSize(static_cast<uint16_t>(bytes));
    packet->AddHeader(header);
    constexpr uint16_t ipv4 = 0x0800;
    from.device->Send(packet, to.device->GetAddress(), ipv4);
}

bool
PacketTraffic::Receive(Ptr<NetDevice> device, Ptr<const Packet> packet, uint16_t, const Address&)
{
    Ipv4Header header;
    packet->PeekHeader(header);
    const uint32_t node = m_nodes.at(device);
    m_record.Note(node, "packet of " + std::to_string(packet->GetSize()) + " bytes");
    if (header.GetProtocol() == ECHO)
    {
        Send(m_ends.at(header.GetDestination()),
             m_ends.at(header.GetSource()),
             header.GetPayloadSize(),
             header.GetTos(),
             PLAIN);
    }
    return true;
}

} // namespace test
} // namespace ns3
