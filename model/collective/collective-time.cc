// SPDX-License-Identifier: GPL-2.0-only

#include "collective-time.h"

#include "ring-schedule.h"

#include "ns3/assert.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

constexpr double PICOSECONDS = 1e12; //!< in a second

uint64_t
DivideUp(uint64_t dividend, uint64_t divisor)
{
    return dividend / divisor + (dividend % divisor > 0 ? 1 : 0);
}

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
    return static_cast<double>(bytes) * 8 * PICOSECONDS /
           static_cast<double>(timing.portRate.GetBitRate());
}

/// @return S in picoseconds
double
GetSerialization(uint64_t bytes, const CircuitTiming& timing)
{
    const uint64_t stripe = DivideUp(bytes, timing.portsPerLane);
    return GetWireTime(stripe + GetStripePackets(bytes, timing) * timing.packetOverhead +
                           timing.firstExtra + timing.lastExtra,
                       timing);
}

/// @return A: acknowledgements that delay data within a step
double
GetDelayingAcks(uint64_t packets, const CircuitTiming& timing)
{
    const double packet = GetWireTime(timing.mtu + timing.packetOverhead, timing);
    const double busy = static_cast<double>(packets - 1) * packet - GetLatency(timing);
    return std::max(0.0, std::floor(busy / (timing.ackInterval * packet)));
}

} // namespace

uint64_t
GetStripePackets(uint64_t bytes, const CircuitTiming& timing)
{
    const uint64_t stripe = DivideUp(bytes, timing.portsPerLane);
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
    const uint64_t chunk = DivideUp(GetRingTensorBytes(kind, size, bytes), size);
    const uint64_t part = DivideUp(chunk, directions);
    const uint64_t packets = GetStripePackets(part, timing);
    const double ack = GetWireTime(timing.ackBytes, timing);
    const double latency = GetLatency(timing);
    double acksInStep = 0;
    double acksBetween = 0;
    if (directions == 2)
    {
        acksInStep = GetDelayingAcks(packets, timing);
        acksBetween = packets > 1 ? steps - 1 : 0;
    }
    const double step = GetSerialization(part, timing) + acksInStep * ack + latency;
    return FromPicoSeconds(steps * step + acksBetween * ack + ack + latency);
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
    return static_cast<double>(GetRingTensorBytes(kind, size, bytes)) / duration.GetSeconds();
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
        factor = share;
        break;
    case CollectiveKind::SEND:
    case CollectiveKind::RECV:
        break;
    }
    return factor * GetAlgorithmBandwidth(kind, size, bytes, duration);
}

} // namespace ns3
