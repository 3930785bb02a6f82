// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PHASE_WINDOWS_H
#define PHOTONIC_RAILS_PHASE_WINDOWS_H

#include "ns3/nstime.h"
#include "ns3/rank-operation.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// A collective or message along a rail, seen by all its ranks together.
struct Communication
{
    uint32_t groupId{0};                  //!< its communication group
    Dimension dimension{Dimension::FSDP}; //!< the parallelism it serves
    uint64_t bytes{0};                    //!< input bytes of a rank
    uint32_t iteration{0};                //!< iteration of the rank that looks at it
    Time start;                           //!< when the last of its ranks arrived
    Time end;                             //!< when it had ended on all of them
};

/**
 * @brief The idle time between two consecutive parallelism phases of one rank.
 *
 * A phase is a run of communications of one group. The window between phases P1 and P2 is
 *
 *     min over comm_j in P2 of T_start(comm_j) - max over comm_i in P1 of T_end(comm_i)
 *
 * with T_start(comm) the arrival of its last rank and one T_end for all ranks ("Photonic Rails in
 * ML Datacenters", arXiv 2507.08119, section 3.1). It is negative if the phases overlap.
 */
struct PhaseWindow
{
    uint32_t iteration{0};           //!< in which the second phase begins
    Dimension from{Dimension::FSDP}; //!< last communication of the first phase
    Dimension to{Dimension::FSDP};   //!< first communication of the second phase
    Time duration;                   //!< the window
    uint64_t bytesAfter{0};          //!< sum over the second phase
};

/**
 * @param communications those of one rank in the order in which it made them
 * @return the windows between their phases, in order
 */
std::vector<PhaseWindow> FindPhaseWindows(const std::vector<Communication>& communications);

} // namespace ns3

#endif // PHOTONIC_RAILS_PHASE_WINDOWS_H
