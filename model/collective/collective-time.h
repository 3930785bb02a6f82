// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_TIME_H
#define PHOTONIC_RAILS_COLLECTIVE_TIME_H

#include "ns3/collective-call.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @file
 * Closed form of the time that ring collectives and messages take over circuits that are up, when
 * all ranks start at the same time and nothing is lost. Tests hold the simulation against it.
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
 * **Share of acknowledgements.** With data both ways, a port sends the acknowledgements of what it
 * receives between its own data, and before it. One lasts a = 8 ackBytes / portRate. There are two
 * sorts: one for every `ackInterval`-th packet of a connection, and one for the end of a stripe.
 *
 * What is received arrives a latency L after what is sent at the same time. So of the first sort
 * only those delay data that fall due before the last data packet of the step begins, which are
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

/// What the closed form needs to know of a circuit and the packets on it.
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

/**
 * @param bytes size of a message on one connector
 * @param timing the circuit
 * @return the number of packets of its largest stripe
 */
uint64_t GetStripePackets(uint64_t bytes, const CircuitTiming& timing);

/**
 * @param bytes size of a message on one connector
 * @param timing the circuit
 * @return S: time for which a port sends the packets of its largest stripe
 */
Time GetStripeTime(uint64_t bytes, const CircuitTiming& timing);

/**
 * @brief Duration of a ring collective.
 * @param kind AllGather, ReduceScatter or AllReduce
 * @param size number of ranks
 * @param bytes input bytes of a rank, as in CollectiveCall
 * @param directions 1 or 2
 * @param timing the circuits
 * @return from the start on all ranks to the end on the last; zero for one rank
 */
Time GetRingTime(CollectiveKind kind,
                 uint32_t size,
                 uint64_t bytes,
                 uint32_t directions,
                 const CircuitTiming& timing);

/// When a message has arrived, and when its sender knows.
struct MessageTime
{
    Time received; //!< the Recv ends, if it was made before
    Time sent;     //!< the Send ends
};

/**
 * @brief Duration of a Send to a neighbour, with no data the other way.
 * @param size number of ranks in the group; in one of two a message uses both connectors
 * @param bytes size of the message
 * @param directions 1 or 2
 * @param timing the circuits
 * @return from the start of the Send to the end on both sides
 */
MessageTime GetMessageTime(uint32_t size,
                           uint64_t bytes,
                           uint32_t directions,
                           const CircuitTiming& timing);

/**
 * @brief Algorithm bandwidth as nccl-tests print it.
 * @param kind a collective, Send or Recv
 * @param size number of ranks
 * @param bytes input bytes of a rank, as in CollectiveCall
 * @param duration time of the call, not zero
 * @return bytes per second: GetTensorBytes over the time
 */
double GetAlgorithmBandwidth(CollectiveKind kind, uint32_t size, uint64_t bytes, Time duration);

/**
 * @brief Bus bandwidth as nccl-tests print it: what each rank must send at least, over the time.
 *
 * The algorithm bandwidth times 2 (N - 1) / N for AllReduce, (N - 1) / N for AllGather,
 * ReduceScatter and AllToAll, 1 for Broadcast, Reduce, Send and Recv (doc/PERFORMANCE.md of
 * nccl-tests). It can be compared with the rate of the hardware.
 *
 * @param kind a collective, Send or Recv
 * @param size number of ranks
 * @param bytes input bytes of a rank, as in CollectiveCall
 * @param duration time of the call, not zero
 * @return bytes per second
 */
double GetBusBandwidth(CollectiveKind kind, uint32_t size, uint64_t bytes, Time duration);

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_TIME_H
