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
    uint32_t groupId{0};                             //!< its communication group
    Dimension dimension{Dimension::FSDP};            //!< the parallelism it serves
    CollectiveKind kind{CollectiveKind::ALL_GATHER}; //!< what the rank that looks at it calls
    uint64_t bytes{0};                               //!< input bytes of a rank
    uint32_t iteration{0};                           //!< iteration of the rank that looks at it
    Time start;                                      //!< when the last of its ranks arrived
    Time end;                                        //!< when it had ended on all of them
};

/// What makes communications that follow one another one phase.
enum class PhaseRule : uint8_t
{
    GROUP,       //!< one communication group: what one set of circuits serves
    PARALLELISM, //!< one parallelism, of whatever groups, such as messages to both stages beside
};

/// A run of communications of one rank that belong together.
struct CommunicationPhase
{
    Communication first;
    Communication last;
    Time start;                        //!< the earliest start
    Time end;                          //!< the latest end
    uint64_t bytes{0};                 //!< input bytes of the rank
    uint32_t count{0};                 //!< communications
    std::vector<CollectiveKind> kinds; //!< each once, in the order of their first call
};

/**
 * @param communications those of one rank in the order in which it made them
 * @param rule what makes a phase
 * @return their phases, in order
 */
std::vector<CommunicationPhase> FindPhases(const std::vector<Communication>& communications,
                                           PhaseRule rule = PhaseRule::GROUP);

/**
 * @brief The idle time between two consecutive parallelism phases of one rank.
 *
 * A phase is a run of communications of one group, or of one parallelism (PhaseRule). The window
 * between phases P1 and P2 is
 *
 *     min over comm_j in P2 of T_start(comm_j) - max over comm_i in P1 of T_end(comm_i)
 *
 * with T_start(comm) the arrival of its last rank and one T_end for all ranks ("Photonic Rails in
 * ML Datacenters", arXiv 2507.08119, section 3.1). It is negative if the phases overlap.
 */
struct PhaseWindow
{
    uint32_t iteration{0};             //!< in which the second phase begins
    Dimension from{Dimension::FSDP};   //!< last communication of the first phase
    Dimension to{Dimension::FSDP};     //!< first communication of the second phase
    Time duration;                     //!< the window
    uint64_t bytesAfter{0};            //!< sum over the second phase
    std::vector<CollectiveKind> kinds; //!< in the second phase, in the order of their first call
};

/// The windows on a rail: per stage, those of its rank, in all iterations.
using RailWindows = std::vector<std::vector<PhaseWindow>>;

/**
 * @param communications those of one rank in the order in which it made them
 * @param rule what makes a phase
 * @return the windows between their phases, in order
 */
std::vector<PhaseWindow> FindPhaseWindows(const std::vector<Communication>& communications,
                                          PhaseRule rule = PhaseRule::GROUP);

} // namespace ns3

#endif // PHOTONIC_RAILS_PHASE_WINDOWS_H
