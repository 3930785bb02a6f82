// SPDX-License-Identifier: GPL-2.0-only

#include "recomputation-choice.h"

#include <iomanip>
#include <sstream>

namespace ns3
{

RecomputationChoice
RecomputationChoice::Make(WorkloadSpec spec, Recomputation least)
{
    RecomputationChoice choice;
    for (const auto one : {Recomputation::NONE, Recomputation::SELECTIVE, Recomputation::FULL})
    {
        if (one < least)
        {
            continue;
        }
        spec.rules.recomputation = one;
        choice = {one, MemoryEstimate::FindMost(spec).second};
        if (static_cast<double>(choice.memory.GetTotal()) <= (1 - MARGIN) * spec.gpu.memory)
        {
            break;
        }
    }
    return choice;
}

std::string
RecomputationChoice::Describe(const WorkloadSpec& spec, const std::string& reason)
{
    const auto bytes = static_cast<double>(MemoryEstimate::FindMost(spec).second.GetTotal());
    std::ostringstream text;
    text << ToString(spec.rules.recomputation) << ", " << reason << ": by estimate " << std::fixed
         << std::setprecision(1) << bytes / 1e9 << " of " << std::setprecision(0)
         << spec.gpu.memory / 1e9 << " GB";
    return text.str();
}

} // namespace ns3
