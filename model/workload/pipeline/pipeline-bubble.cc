// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-bubble.h"

#include <algorithm>

namespace ns3
{

Time
PipelineBubble::GetBubble(const PipelineShape& shape,
                          Time forward,
                          Time backwardInput,
                          Time backwardWeight)
{
    Time bubble;
    switch (shape.kind)
    {
    case PipelineKind::ZERO_BUBBLE_H1:
        bubble = forward + backwardInput - backwardWeight;
        break;
    case PipelineKind::DUAL_PIPE_V:
        bubble = forward + backwardInput + backwardInput - backwardWeight;
        break;
    default:
        bubble = forward + backwardInput + backwardWeight;
    }
    return std::max(Time(0), bubble * int64_t{shape.ranks - 1});
}

double
PipelineBubble::GetRatio(const PipelineShape& shape,
                         Time forward,
                         Time backwardInput,
                         Time backwardWeight)
{
    const Time ideal = (forward + backwardInput + backwardWeight) * int64_t{shape.microBatches} *
                       int64_t{shape.chunks};
    return GetBubble(shape, forward, backwardInput, backwardWeight).GetDouble() / ideal.GetDouble();
}

double
PipelineBubble::GetFraction(const PipelineShape& shape,
                            Time forward,
                            Time backwardInput,
                            Time backwardWeight)
{
    const double ratio = GetRatio(shape, forward, backwardInput, backwardWeight);
    return ratio / (1 + ratio);
}

} // namespace ns3
