// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RING_TIME_H
#define PHOTONIC_RAILS_RING_TIME_H

#include "ns3/collective-call.h"
#include "ns3/data-rate.h"
#include "ns3/divide-up.h"
#include "ns3/nstime.h"
#include "ns3/ring-algorithm.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace ns3
{

/**
 * @file
 * Closed form of the time that ring collectives and messages take over circuits that are up, when
 * all ranks start at the same time and nothing is lost.
 *
 * **One stripe.** A message of a connector is striped evenly over its P ports: a stripe has
 * m = ceil(bytes / P) bytes in n = max(1, ceil(m / MTU)) packets. Each packet adds the bytes of
 * headers, checksums, preamble and gap; the first adds the RETH, the last the immediate:
 *
 *     w(m) = pad(m) + n * packetOverhead + firstExtra + lastExtra,   S(m) = 8 w(m) / portRate
 *
 * where pad rounds up to `payloadAlignment`: InfiniBand pads payloads to whole words.
 *
 * **One step.** The next step of a direction starts when the stripe of this step has arrived in
 * full: after S(m) and the one-way latency L. By symmetry all ranks and both directions are in
 * step, so N - 1 or 2 (N - 1) steps follow each other.
 *
 * **Share of acknowledgements.** With data both ways, a port sends acknowledgements of received
 * data between its own packets, and before them. One lasts a = 8 ackBytes / portRate. There are two
 * sorts: one for every `ackInterval`-th packet of a connection, and one for the end of a stripe.
 *
 * Data is received a latency L after the peer has sent it. So of the first sort only those delay
 * data that fall due before the last data packet of the step begins, which are
 * those for the first x = floor(n - 1 - L / p) packets, p being the duration of a full packet; the
 * others find the port idle. Counted from a new connection, over all steps,
 *
 *     A = sum over s of floor((s n + x) / ackInterval) - floor(s n / ackInterval)
 *
 * and on one that has been used before it may differ by one in a step.
 *
 * Those of the second sort fall due when the data of the next step does, on the same port, and go
 * first: each delays that step, B = steps - 1.
 *
 * With data one way only, acknowledgements never share a port with data and A = B = 0.
 *
 * **The end.** On a rank the call ends when its last send is acknowledged, a + L after the data
 * arrived. On the last rank this is
 *
 *     T = steps (S(m) + L) + (A + B + 1) a + L
 *
 * Chunks that differ by a byte are taken at their largest. Not covered: windows shorter than the
 * round trip, which leave the port idle.
 */

/// The parameters of the closed form: a circuit and the packets on it.
struct CircuitTiming
{
    DataRate portRate{DataRate("200Gbps")}; //!< of one port
    uint32_t portsPerConnector{1};  //!< P: ports over which a connector stripes its messages
    Time latency{NanoSeconds(500)}; //!< L: from end to end of the circuit

    uint32_t mtu{4096};           //!< payload of a full packet
    uint32_t payloadAlignment{4}; //!< payloads are padded to a multiple of this
    uint32_t ackInterval{32};     //!< data packets per acknowledgement
    uint32_t packetOverhead{82};  //!< Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4, gap 20
    uint32_t firstExtra{16};      //!< RETH, on the first packet of a stripe
    uint32_t lastExtra{4};        //!< immediate, on the last packet of a stripe
    uint32_t ackBytes{86};        //!< an acknowledgement on the wire: overhead and AETH 4
};

/// When a message has arrived, and when its sender knows.
struct MessageTime
{
    Time received; //!< the Recv ends, if it was made before
    Time sent;     //!< the Send ends
};

/**
 * @param bytes size of a message on one connector
 * @param timing the circuit
 * @return the number of packets of its largest stripe
 */
inline uint64_t
GetStripePackets(uint64_t bytes, const CircuitTiming& timing)
{
    const uint64_t stripe = DivideUp(bytes, timing.portsPerConnector);
    return std::max<uint64_t>(1, DivideUp(stripe, timing.mtu));
}

/// One second.
constexpr double PICOSECONDS_PER_SECOND = 1e12;

/// @return a time in picoseconds, rounded
inline Time
FromPicoSeconds(double picoSeconds)
{
    return PicoSeconds(static_cast<uint64_t>(std::llround(picoSeconds)));
}

/// @return latency in picoseconds, whatever the resolution of Time
inline double
GetLatency(const CircuitTiming& timing)
{
    return timing.latency.ToDouble(Time::PS);
}

/// @return duration of so many bytes on the wire of a port, in picoseconds
inline double
GetWireTime(uint64_t bytes, const CircuitTiming& timing)
{
    return static_cast<double>(bytes) * 8 * PICOSECONDS_PER_SECOND /
           static_cast<double>(timing.portRate.GetBitRate());
}

/// @return S in picoseconds
inline double
GetSerialization(uint64_t bytes, const CircuitTiming& timing)
{
    const uint64_t stripe = DivideUp(bytes, timing.portsPerConnector);
    const uint64_t padded = DivideUp(stripe, timing.payloadAlignment) * timing.payloadAlignment;
    return GetWireTime(padded + GetStripePackets(bytes, timing) * timing.packetOverhead +
                           timing.firstExtra + timing.lastExtra,
                       timing);
}

/// @return A: acknowledgements for the middle of stripes that delay data, in all steps together
inline uint64_t
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

/**
 * @param bytes size of a message on one connector
 * @param timing the circuit
 * @return S: time for which a port sends the packets of its largest stripe
 */
inline Time
GetStripeTime(uint64_t bytes, const CircuitTiming& timing)
{
    return FromPicoSeconds(GetSerialization(bytes, timing));
}

/**
 * @brief Duration of a ring collective.
 * @param kind AllGather, ReduceScatter or AllReduce
 * @param size number of ranks
 * @param bytes input bytes of a rank, as in CollectiveCall
 * @param directions 1 or 2
 * @param timing the circuits
 * @return from the start on all ranks to the end on the last; zero for one rank
 */
inline Time
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

/**
 * @brief Duration of a Send to a neighbour, with no data the other way.
 * @param size number of ranks in the group; in one of two a message uses both connectors
 * @param bytes size of the message
 * @param directions 1 or 2
 * @param timing the circuits
 * @return from the start of the Send to the end on both sides
 */
inline MessageTime
GetMessageTime(uint32_t size, uint64_t bytes, uint32_t directions, const CircuitTiming& timing)
{
    const uint64_t part = size == 2 ? DivideUp(bytes, directions) : bytes;
    const double received = GetSerialization(part, timing) + GetLatency(timing);
    const double sent = received + GetWireTime(timing.ackBytes, timing) + GetLatency(timing);
    return {FromPicoSeconds(received), FromPicoSeconds(sent)};
}

} // namespace ns3

#endif // PHOTONIC_RAILS_RING_TIME_H
