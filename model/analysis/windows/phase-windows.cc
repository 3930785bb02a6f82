// SPDX-License-Identifier: GPL-2.0-only

#include "phase-windows.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @return whether a communication goes on with the phase that ends with another
bool
GoesOn(const Communication& last, const Communication& next, PhaseRule rule)
{
    return last.groupId == next.groupId ||
           (rule == PhaseRule::PARALLELISM && last.dimension == next.dimension);
}

/// Add a communication to its phase.
void
Extend(CommunicationPhase& phase, const Communication& comm)
{
    phase.last = comm;
    phase.start = std::min(phase.start, comm.start);
    phase.end = std::max(phase.end, comm.end);
    phase.bytes += comm.bytes;
    ++phase.count;
    if (std::find(phase.kinds.begin(), phase.kinds.end(), comm.kind) == phase.kinds.end())
    {
        phase.kinds.push_back(comm.kind);
    }
}

} // namespace

std::vector<CommunicationPhase>
FindPhases(const std::vector<Communication>& communications, PhaseRule rule)
{
    std::vector<CommunicationPhase> phases;
    for (const auto& comm : communications)
    {
        if (phases.empty() || !GoesOn(phases.back().last, comm, rule))
        {
            phases.push_back({comm, comm, comm.start, comm.end, 0, 0, {}});
        }
        Extend(phases.back(), comm);
    }
    return phases;
}

std::vector<PhaseWindow>
FindPhaseWindows(const std::vector<Communication>& communications, PhaseRule rule)
{
    const auto phases = FindPhases(communications, rule);
    std::vector<PhaseWindow> windows;
    for (std::size_t i = 1; i < phases.size(); ++i)
    {
        windows.push_back(PhaseWindow{phases[i].first.iteration,
                                      phases[i - 1].last.dimension,
                                      phases[i].first.dimension,
                                      phases[i].start - phases[i - 1].end,
                                      phases[i].bytes,
                                      phases[i].kinds});
    }
    return windows;
}

} // namespace ns3
