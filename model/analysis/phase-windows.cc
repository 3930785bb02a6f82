// SPDX-License-Identifier: GPL-2.0-only

#include "phase-windows.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// A run of communications of one group.
struct Phase
{
    Communication first;
    Dimension lastDimension;
    Time start;
    Time end;
    uint64_t bytes;
};

} // namespace

std::vector<PhaseWindow>
FindPhaseWindows(const std::vector<Communication>& communications)
{
    std::vector<Phase> phases;
    for (const auto& comm : communications)
    {
        if (phases.empty() || phases.back().first.groupId != comm.groupId)
        {
            phases.push_back(Phase{comm, comm.dimension, comm.start, comm.end, comm.bytes});
            continue;
        }
        Phase& phase = phases.back();
        phase.lastDimension = comm.dimension;
        phase.start = std::min(phase.start, comm.start);
        phase.end = std::max(phase.end, comm.end);
        phase.bytes += comm.bytes;
    }
    std::vector<PhaseWindow> windows;
    for (std::size_t i = 1; i < phases.size(); ++i)
    {
        windows.push_back(PhaseWindow{phases[i].first.iteration,
                                      phases[i - 1].lastDimension,
                                      phases[i].first.dimension,
                                      phases[i].start - phases[i - 1].end,
                                      phases[i].bytes});
    }
    return windows;
}

} // namespace ns3
