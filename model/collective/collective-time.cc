// SPDX-License-Identifier: GPL-2.0-only

#include "collective-time.h"

#include "ns3/assert.h"
#include "ns3/collective-call.h"
#include "ns3/divide-up.h"
#include "ns3/ring-schedule.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

constexpr double PICOSECONDS_PER_SECOND = 1e12;

Time
FromPicoSeconds(double picoSeconds)
{
    return PicoSeconds(static_cast<uint64_t>(std::llround(picoSeconds)));
}

/// @return latency in picoseconds, whatever the resolution of Time
double
GetLatency(const CircuitTiming& timing)
{
    return timing.latency.ToDouble(Time::PS);
}

/// @return duration of so many bytes on the wire of a port, in picoseconds
double
GetWireTime(uint64_t bytes, const CircuitTiming& timing)
{
    return static_cast<double>(bytes) * 8 * PICOSECONDS_PER_SECOND /
           static_cast<double>(timing.portRate.GetBitRate());
}

/// @return S in picoseconds
double
GetSerialization(uint64_t bytes, const CircuitTiming& timing)
{
    const uint64_t stripe = DivideUp(bytes, timing.portsPerConnector);
    const uint64_t padded = DivideUp(stripe, timing.payloadAlignment) * timing.payloadAlignment;
    return GetWireTime(padded + GetStripePackets(bytes, timing) * timing.packetOverhead +
                           timing.firstExtra + timing.lastExtra,
                       timing);
}

/// @return A: acknowledgements for the middle of stripes that delay data, in all steps together
uint64_t
GetDelayingAcks(uint32_t steps, uint64_t packets, const CircuitTiming& timing)
{
    const double packet = GetWireTime(timing.mtu + timing.packetOverhead, timing);
    const double early = static_cast<double>(packets - 1) - GetLatency(timing) / packet;
    if (early < 0)
    {
        return 0;
    }
    const auto earlyPackets = static_cast<uint64_t>(early);
    uint64_t acks = 0;
    for (uint64_t step = 0; step < steps; ++step)
    {
        const uint64_t before = step * packets;
        acks += (before + earlyPackets) / timing.ackInterval - before / timing.ackInterval;
    }
    return acks;
}

} // namespace

uint64_t
GetStripePackets(uint64_t bytes, const CircuitTiming& timing)
{
    const uint64_t stripe = DivideUp(bytes, timing.portsPerConnector);
    return std::max<uint64_t>(1, DivideUp(stripe, timing.mtu));
}

Time
GetStripeTime(uint64_t bytes, const CircuitTiming& timing)
{
    return FromPicoSeconds(GetSerialization(bytes, timing));
}

Time
GetRingTime(CollectiveKind kind,
            uint32_t size,
            uint64_t bytes,
            uint32_t directions,
            const CircuitTiming& timing)
{
    const uint32_t steps = GetRingSteps(kind, size);
    if (steps == 0)
    {
        return Time(0);
    }
    const uint64_t chunk = DivideUp(GetTensorBytes(kind, size, bytes), size);
    const uint64_t part = DivideUp(chunk, directions);
    const uint64_t packets = GetStripePackets(part, timing);
    const double ack = GetWireTime(timing.ackBytes, timing);
    const double latency = GetLatency(timing);
    // The one that ends the call is always waited for.
    uint64_t acks = 1;
    if (directions == 2)
    {
        acks += GetDelayingAcks(steps, packets, timing) + (steps - 1); // A and B
    }
    return FromPicoSeconds(steps * (GetSerialization(part, timing) + latency) +
                           static_cast<double>(acks) * ack + latency);
}

MessageTime
GetMessageTime(uint32_t size, uint64_t bytes, uint32_t directions, const CircuitTiming& timing)
{
    NS_ASSERT_MSG(size >= 2, "a message needs two ranks");
    const uint64_t part = size == 2 ? DivideUp(bytes, directions) : bytes;
    const double received = GetSerialization(part, timing) + GetLatency(timing);
    const double sent = received + GetWireTime(timing.ackBytes, timing) + GetLatency(timing);
    return {FromPicoSeconds(received), FromPicoSeconds(sent)};
}

double
GetAlgorithmBandwidth(CollectiveKind kind, uint32_t size, uint64_t bytes, Time duration)
{
    return static_cast<double>(GetTensorBytes(kind, size, bytes)) / duration.GetSeconds();
}

double
GetBusBandwidth(CollectiveKind kind, uint32_t size, uint64_t bytes, Time duration)
{
    const double share = static_cast<double>(size - 1) / size;
    double factor = 1;
    switch (kind)
    {
    case CollectiveKind::ALL_REDUCE:
        factor = 2 * share;
        break;
    case CollectiveKind::ALL_GATHER:
    case CollectiveKind::REDUCE_SCATTER:
    case CollectiveKind::ALL_TO_ALL:
        factor = share;
        break;
    case CollectiveKind::BROADCAST:
    case CollectiveKind::REDUCE:
    case CollectiveKind::SEND:
    case CollectiveKind::RECV:
        break;
    }
    return factor * GetAlgorithmBandwidth(kind, size, bytes, duration);
}

} // namespace ns3
