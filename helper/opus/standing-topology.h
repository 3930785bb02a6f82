// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_STANDING_TOPOLOGY_H
#define PHOTONIC_RAILS_STANDING_TOPOLOGY_H

#include "circuit-policy.h"

#include "ns3/device-mesh.h"
#include "ns3/standing-circuits.h"
#include "ns3/workload-spec.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// The circuits of policies that make them once, before a job.
struct StandingTopology
{
    StandingCircuits circuits{0, 0};
    std::string error; //!< if there are no such circuits, or they leave ranks of a group apart: why

    /**
     * @param policy one whose circuits stay
     * @param workload a job that passed validation
     * @param nicPorts NIC ports of a GPU
     * @return its circuits
     */
    static StandingTopology Make(CircuitPolicy policy,
                                 const WorkloadSpec& workload,
                                 uint32_t nicPorts);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_STANDING_TOPOLOGY_H
