// SPDX-License-Identifier: GPL-2.0-only

#include "scale-out-phase.h"

namespace ns3
{

void
ScaleOutPhase::Append(std::vector<ScaleOutPhase>& phases, const RankOperation& operation)
{
    if (operation.place != RankOperation::SCALE_OUT)
    {
        return;
    }
    if (phases.empty() || phases.back().dimension != operation.dimension ||
        phases.back().kind != operation.kind)
    {
        phases.push_back({operation.dimension, operation.kind, 0});
    }
    ++phases.back().count;
}

std::vector<ScaleOutPhase>
ScaleOutPhase::Encode(const std::vector<RankOperation>& operations)
{
    std::vector<ScaleOutPhase> phases;
    for (const auto& operation : operations)
    {
        Append(phases, operation);
    }
    return phases;
}

std::string
ScaleOutPhase::ToText() const
{
    return ToString(dimension) + " " + ns3::ToString(kind) + " " + std::to_string(count);
}

} // namespace ns3
