// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SIMULATION_WORK_H
#define PHOTONIC_RAILS_SIMULATION_WORK_H

#include <cstdint>
#include <string>

namespace ns3
{

class TrainingSettings;

/**
 * @brief The work of simulating a job, estimated before the first event.
 *
 * If packets travel in bursts, events are those of
 * - messages: one when each arrives;
 * - operations: one for each run of operations whose durations are known in advance;
 * - calls between domains: two, at begin and end, and ten more for the request and the grant of
 *   circuits;
 * - meetings in electrical switches: a call of another dimension than FSDP and DP finds traffic of
 *   these at its ports, so that eight packets of each of the two ports of a NIC (attribute
 *   RetryPackets of RdmaNic) have events of their own, two or three each, until a fast path covers
 *   both.
 *
 * Bursts end where flows collide in fabrics of several tiers, and where dimensions share the ports
 * of circuits that stay. How many packets then have events of their own depends on queues. If all
 * have, each has about one event at the NIC and at each switch.
 */
struct SimulationWork
{
    uint64_t ranks{0};        //!< that are simulated
    uint64_t messages{0};     //!< of all iterations, if they go round the groups
    uint64_t packets{0};      //!< of these
    uint64_t events{0};       //!< if packets travel in bursts
    uint64_t packetEvents{0}; //!< of packets one by one, where flows may collide; otherwise 0

    /**
     * @param settings of a job, checked
     * @return its work
     */
    static SimulationWork Estimate(const TrainingSettings& settings);

    /// @param events a number of events @return real time in s, on a usual machine
    static double GetSeconds(uint64_t events);

    /// @param events a number of events @return events and real time, for people
    static std::string ToText(uint64_t events);

    /// @return one line
    std::string Describe() const;
};

/// Name the fields for an archive, see text-archive.h.
template <typename Archive>
void
VisitFields(Archive& archive, SimulationWork& work)
{
    archive(work.ranks, work.messages, work.packets, work.events, work.packetEvents);
}

} // namespace ns3

#endif // PHOTONIC_RAILS_SIMULATION_WORK_H
