// SPDX-License-Identifier: GPL-2.0-only

#include "phase-windows.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// A run of communications that belong together.
struct Phase
{
    Communication first;
    Communication last;
    Time start;
    Time end;
    uint64_t bytes;
    std::vector<CollectiveKind> kinds;
};

/// @return whether a communication goes on with the phase that ends with another
bool
GoesOn(const Communication& last, const Communication& next, PhaseRule rule)
{
    return last.groupId == next.groupId ||
           (rule == PhaseRule::PARALLELISM && last.dimension == next.dimension);
}

/// Add a communication to its phase.
void
Extend(Phase& phase, const Communication& comm)
{
    phase.last = comm;
    phase.start = std::min(phase.start, comm.start);
    phase.end = std::max(phase.end, comm.end);
    phase.bytes += comm.bytes;
    if (std::find(phase.kinds.begin(), phase.kinds.end(), comm.kind) == phase.kinds.end())
    {
        phase.kinds.push_back(comm.kind);
    }
}

} // namespace

std::vector<PhaseWindow>
FindPhaseWindows(const std::vector<Communication>& communications, PhaseRule rule)
{
    std::vector<Phase> phases;
    for (const auto& comm : communications)
    {
        if (phases.empty() || !GoesOn(phases.back().last, comm, rule))
        {
            phases.push_back(Phase{comm, comm, comm.start, comm.end, 0, {}});
        }
        Extend(phases.back(), comm);
    }
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
