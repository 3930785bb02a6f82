// SPDX-License-Identifier: GPL-2.0-only

#include "step-interval.h"

#include "job-description.h"
#include "step-split.h"

#include "ns3/time-unit.h"

#include <sstream>

namespace ns3
{

StepInterval
StepInterval::Make(const WorkloadSpec& job, const StepSplit& split)
{
    const KernelEfficiency& published = job.published;
    const bool isNarrow = published.format == ProductFormat::FP8;
    const double own = isNarrow ? job.efficiency.fp8 : job.efficiency.matmul;
    const double computation = split.GetSeconds(StepSplit::COMPUTATION);
    if (split.ranks == 0 || own != published.typical || computation == 0)
    {
        return {};
    }
    const double flops = StepWork::Make(job).flopSeconds;
    const double scaled = flops * (1 + split.GetSeconds(StepSplit::BUBBLE) / computation);
    const double step = split.GetTotal();
    std::ostringstream source;
    source << "with " << published.low << " to " << published.high << " instead of " << own
           << " of the peak FLOP/s (" << published.source << ")";
    return {step + scaled * (own / published.high - 1),
            step + scaled * (own / published.low - 1),
            source.str()};
}

std::string
StepInterval::Describe() const
{
    return "a step of " + TimeUnit::Write(least) + " to " + TimeUnit::Write(most) + " " + source;
}

} // namespace ns3
