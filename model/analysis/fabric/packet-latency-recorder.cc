// SPDX-License-Identifier: GPL-2.0-only

#include "packet-latency-recorder.h"

#include "ns3/ethernet-port-net-device.h"
#include "ns3/roce-header.h"
#include "ns3/simulator.h"
#include "ns3/tag.h"

#include <array>
#include <ostream>

namespace ns3
{

namespace
{

/// When a packet left its NIC.
class DepartureTag : public Tag
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::PhotonicRailsDepartureTag")
                                .SetParent<Tag>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<DepartureTag>();
        return tid;
    }

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override
    {
        return sizeof(uint64_t);
    }

    void Serialize(TagBuffer buffer) const override
    {
        buffer.WriteU64(static_cast<uint64_t>(at.GetTimeStep()));
    }

    void Deserialize(TagBuffer buffer) override
    {
        at = Time(static_cast<int64_t>(buffer.ReadU64()));
    }

    void Print(std::ostream& os) const override
    {
        os << "departed at " << at.As(Time::NS);
    }

    Time at;
};

NS_OBJECT_ENSURE_REGISTERED(DepartureTag);

} // namespace

bool
PacketLatencyRecorder::IsData(Ptr<const Packet> frame)
{
    constexpr uint32_t typeAt = RoceHeader::ETHERNET_BYTES - 2;
    constexpr uint32_t opcodeAt =
        RoceHeader::ETHERNET_BYTES + RoceHeader::IPV4_BYTES + RoceHeader::UDP_BYTES;
    std::array<uint8_t, opcodeAt + 1> bytes;
    if (frame->CopyData(bytes.data(), bytes.size()) < bytes.size() || bytes[typeAt] != 0x08 ||
        bytes[typeAt + 1] != 0x00) // IPv4
    {
        return false;
    }
    const uint8_t opcode = bytes[opcodeAt];
    return opcode >= RoceHeader::WRITE_FIRST && opcode <= RoceHeader::WRITE_ONLY_WITH_IMMEDIATE;
}

void
PacketLatencyRecorder::Observe(Ptr<EthernetPortNetDevice> port)
{
    port->TraceConnectWithoutContext("MacTx", MakeCallback(&PacketLatencyRecorder::Departed, this));
    port->TraceConnectWithoutContext("MacRx", MakeCallback(&PacketLatencyRecorder::Arrived, this));
}

void
PacketLatencyRecorder::Departed(Ptr<const Packet> frame)
{
    if (IsData(frame))
    {
        DepartureTag tag;
        tag.at = Simulator::Now();
        frame->AddPacketTag(tag);
    }
}

void
PacketLatencyRecorder::Arrived(Ptr<const Packet> frame)
{
    DepartureTag tag;
    if (frame->PeekPacketTag(tag))
    {
        m_latencies.Add(Simulator::Now() - tag.at);
    }
}

const LatencyHistogram&
PacketLatencyRecorder::GetLatencies() const
{
    return m_latencies;
}

void
PacketLatencyRecorder::Clear()
{
    m_latencies = LatencyHistogram();
}

} // namespace ns3
