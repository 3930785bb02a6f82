// SPDX-License-Identifier: GPL-2.0-only

#include "latency-histogram.h"

#include "ns3/assert.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/roce-header.h"
#include "ns3/simulator.h"
#include "ns3/tag.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

namespace ns3
{

namespace
{

/// @return the rank of a quantile among sorted times, counted from 1
uint64_t
GetRank(double share, uint64_t count)
{
    // The least bit more than a whole number is left from the multiplication: no rank of its own.
    const double rank = std::ceil(share * static_cast<double>(count) * (1 - 1e-15));
    return std::clamp<uint64_t>(static_cast<uint64_t>(rank), 1, count);
}

/// Fill in the quantiles. @return the summary, with values of the function `quantile`
template <typename Quantile>
LatencySummary
Summarise(uint64_t count, Quantile quantile)
{
    LatencySummary summary;
    summary.count = count;
    if (count > 0)
    {
        summary.median = quantile(0.5);
        summary.p99 = quantile(0.99);
        summary.p999 = quantile(0.999);
    }
    return summary;
}

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

Time
FindQuantile(const std::vector<Time>& sorted, double share)
{
    return sorted.empty() ? Time() : sorted[GetRank(share, sorted.size()) - 1];
}

LatencySummary
LatencySummary::Make(std::vector<Time> times)
{
    std::sort(times.begin(), times.end());
    LatencySummary summary =
        Summarise(times.size(), [&times](double share) { return FindQuantile(times, share); });
    if (!times.empty())
    {
        summary.min = times.front();
        summary.max = times.back();
    }
    return summary;
}

uint32_t
LatencyHistogram::GetBucket(uint64_t picoseconds)
{
    uint32_t shift = 0;
    while ((picoseconds >> shift) >= (uint64_t{2} << LINEAR_BITS))
    {
        ++shift;
    }
    // Below two linear stretches of 128 the time is the bucket; then each power of two has one.
    return static_cast<uint32_t>((shift << LINEAR_BITS) + (picoseconds >> shift));
}

uint64_t
LatencyHistogram::GetMiddle(uint32_t bucket)
{
    constexpr uint32_t linear = 1U << LINEAR_BITS;
    const uint32_t shift = bucket < 2 * linear ? 0 : (bucket >> LINEAR_BITS) - 1;
    const uint64_t first = uint64_t{bucket - (shift << LINEAR_BITS)} << shift;
    return first + ((uint64_t{1} << shift) - 1) / 2;
}

void
LatencyHistogram::Add(Time time)
{
    const int64_t value = time.GetPicoSeconds();
    NS_ASSERT_MSG(value >= 0, "a latency is not negative");
    const auto picoseconds = static_cast<uint64_t>(value);
    m_min = m_count == 0 ? picoseconds : std::min(m_min, picoseconds);
    m_max = std::max(m_max, picoseconds);
    ++m_count;
    ++m_buckets[GetBucket(picoseconds)];
}

void
LatencyHistogram::Add(const LatencyHistogram& other)
{
    if (other.m_count == 0)
    {
        return;
    }
    m_min = m_count == 0 ? other.m_min : std::min(m_min, other.m_min);
    m_max = std::max(m_max, other.m_max);
    m_count += other.m_count;
    for (uint32_t bucket = 0; bucket < BUCKETS; ++bucket)
    {
        m_buckets[bucket] += other.m_buckets[bucket];
    }
}

Time
LatencyHistogram::GetQuantile(double share) const
{
    if (m_count == 0)
    {
        return Time(0);
    }
    const uint64_t rank = GetRank(share, m_count);
    uint64_t seen = 0;
    uint32_t bucket = 0;
    while ((seen += m_buckets[bucket]) < rank)
    {
        ++bucket;
    }
    return PicoSeconds(std::clamp(GetMiddle(bucket), m_min, m_max));
}

LatencySummary
LatencyHistogram::GetSummary() const
{
    LatencySummary summary =
        Summarise(m_count, [this](double share) { return GetQuantile(share); });
    summary.min = PicoSeconds(m_min);
    summary.max = PicoSeconds(m_max);
    return summary;
}

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

void
PacketLatencyRecorder::Clear()
{
    m_latencies = LatencyHistogram();
}

} // namespace ns3
