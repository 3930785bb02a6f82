// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FORWARDING_TIME_H
#define PHOTONIC_RAILS_FORWARDING_TIME_H

#include "ns3/data-rate.h"
#include "ns3/job-topology.h"
#include "ns3/matching-schedule.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @file
 * Reconfigure for each matching, or forward over circuits that stay up? An estimate of both, as
 * pure functions: bytes at the rate of the circuits, without headers and acknowledgements.
 *
 * With D the reconfiguration delay, L the latency of a hop, r the rate of a port, b bytes from one
 * rank to another, c circuits in parallel:
 *
 *     matchings:  T = sum over steps of (D + L + max over the pairs of the step of 8 b / (c r))
 *     forwarding: T = D' + H L + max over links of 8 (bytes in one direction) / (c r)
 *
 * with H the most hops of a route, and D' = 0 if the circuits are up already, otherwise D. The
 * first holds if a step waits for all its pairs, the second if what is forwarded never waits for
 * one link while another is idle, as in the AllToAll over a ring in which all ranks are in step.
 *
 * **AllToAll** of N ranks, B bytes from each to each, P ports, with R = N - 1 matchings (N if odd):
 *
 *     matchings:  T = S (D + L + 8 B / r),   S = ceil(R / P)
 *     ring:       T = D' + floor(N / 2) L + 8 B w / (r P / 2),   w = (N^2 - N mod 2) / 8
 *
 * The last step is faster if it has fewer than P matchings, see matching-schedule.h. Without
 * latencies, forwarding over a ring that is up wins if 8 B / r < S D / (2 w / P - S), or always if
 * the divisor is not positive, as for N = 3 or 4 and P = 2. For large N the border is at about
 * 4 D / N: small AllToAlls only.
 */

/// The circuits and what it costs to change them.
struct CircuitService
{
    DataRate portRate{DataRate("200Gbps")};      //!< of one circuit, each way
    Time reconfigurationDelay{MilliSeconds(15)}; //!< D: until light is up, control plane included
    Time hopLatency{NanoSeconds(500)};           //!< L: from GPU to GPU
};

/// Both ways to serve a demand.
struct ForwardingTimes
{
    Time matchings; //!< with a reconfiguration for each step
    Time forwarded; //!< over circuits that stay

    /// @return true if the demand is served earlier over circuits that stay
    bool IsForwardingFaster() const
    {
        return forwarded < matchings;
    }
};

/**
 * @param demands bytes by direction
 * @param schedule matchings that cover them
 * @param ports ports of a rank
 * @param service the circuits
 * @return the time of all steps
 */
Time GetMatchingsTime(const std::vector<MemberDemand>& demands,
                      const MatchingSchedule& schedule,
                      uint32_t ports,
                      const CircuitService& service);

/**
 * @param routes routes and loads of a demand, all of which is reachable
 * @param service the circuits
 * @param isUp true if the circuits are up already
 * @return the time until all has arrived
 */
Time GetForwardedTime(const CircuitRoutes& routes, const CircuitService& service, bool isUp);

/**
 * @param n ranks
 * @param bytes from each to each other
 * @param ports ports of a rank
 * @param service the circuits
 * @param isRingUp true if the ranks have their ring already
 * @return the time of an AllToAll in the closed forms above; forwarding over a ring of more than
 * two ranks with one port is impossible and takes Time::Max()
 */
ForwardingTimes GetAllToAllTimes(uint32_t n,
                                 uint64_t bytes,
                                 uint32_t ports,
                                 const CircuitService& service,
                                 bool isRingUp);

/**
 * @param n members of a ring, in order
 * @param ports ports of each
 * @return what PlanRing joins
 */
std::vector<CircuitLink> MakeRingLinks(uint32_t n, uint32_t ports);

/**
 * @param n members
 * @param bytes from each to each other
 * @return the demands of an AllToAll
 */
std::vector<MemberDemand> MakeAllToAllDemands(uint32_t n, uint64_t bytes);

} // namespace ns3

#endif // PHOTONIC_RAILS_FORWARDING_TIME_H
