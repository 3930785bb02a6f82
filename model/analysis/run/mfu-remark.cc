// SPDX-License-Identifier: GPL-2.0-only

#include "mfu-remark.h"

#include "job-description.h"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// A part of a step: its share, and its name.
using Share = std::pair<double, std::string>;

/// Shares below this are not worth a word.
constexpr double LEAST_SHARE = 0.01;

/// Communication that a step may wait for.
constexpr std::pair<StepSplit::Part, const char*> EXPOSED[] = {{StepSplit::EXPOSED_TP, "TP"},
                                                               {StepSplit::EXPOSED_CP, "CP"},
                                                               {StepSplit::EXPOSED_EP, "EP"},
                                                               {StepSplit::EXPOSED_FSDP, "FSDP"},
                                                               {StepSplit::EXPOSED_PP, "PP"},
                                                               {StepSplit::EXPOSED_DP, "DP"}};

/// @return the shares that count, the largest first, such as "27.3 % bubble, 3.1 % recomputation"
std::string
ListShares(std::vector<Share> shares)
{
    std::sort(shares.begin(), shares.end(), [](const Share& one, const Share& other) {
        return one.first > other.first;
    });
    std::ostringstream text;
    text << std::fixed << std::setprecision(1);
    for (const auto& [share, name] : shares)
    {
        if (share >= LEAST_SHARE)
        {
            text << (text.tellp() > 0 ? ", " : "") << 100 * share << " % " << name;
        }
    }
    return text.str();
}

/// @return the parts of a step that make its MFU less than the lowest that was published
std::vector<Share>
FindLosses(const WorkloadSpec& job, const StepSplit& split)
{
    const StepWork work = StepWork::Make(job);
    const double step = split.GetTotal();
    const auto share = [&](StepSplit::Part part) { return split.GetSeconds(part) / step; };
    const double model = work.modelSeconds / step;
    const double repeated = work.repeatedSeconds / step;
    const double efficiency = work.modelFlops / work.modelSeconds / job.gpu.peakFlops /
                              static_cast<double>(job.parallelism.GetWorldSize());
    std::ostringstream below;
    below << "lost by computing at " << efficiency << " of the peak instead of "
          << job.gpu.published.low << " (--computeEfficiency)";
    std::vector<Share> communication;
    double exposed = 0;
    for (const auto& [part, name] : EXPOSED)
    {
        communication.emplace_back(share(part), name);
        exposed += share(part);
    }
    return {{model * (1 - efficiency / job.gpu.published.low), below.str()},
            {repeated, "recomputation (--recomputation)"},
            {share(StepSplit::COMPUTATION) - model - repeated,
             "other computation (operators bound by memory, optimizer, attention computed again)"},
            {exposed, "exposed communication (" + ListShares(communication) + ")"},
            {share(StepSplit::BUBBLE), "pipeline bubble"},
            {share(StepSplit::SLOWER), "waiting for slower ranks"},
            {share(StepSplit::CIRCUITS), "waiting for circuits"}};
}

} // namespace

std::string
MakeMfuRemark(const WorkloadSpec& job, const StepSplit& split, double mfu)
{
    const auto& published = job.gpu.published;
    const bool isNear = mfu >= published.low && mfu <= published.high;
    if (isNear || split.ranks == 0 || job.model.GetParameters() < LEAST_PARAMETERS_OF_MFU)
    {
        return "";
    }
    std::ostringstream text;
    text << std::fixed << std::setprecision(1) << "MFU " << 100 * mfu << " % is "
         << (mfu < published.low ? "below" : "above") << std::setprecision(0) << " the "
         << 100 * published.low << " to " << 100 * published.high
         << " % that publications report for " << job.gpu.name;
    if (mfu < published.low)
    {
        text << "; the step is " << ListShares(FindLosses(job, split));
    }
    else
    {
        text << ", at --computeEfficiency=" << std::defaultfloat << std::setprecision(6)
             << job.efficiency.matmul;
    }
    return text.str();
}

} // namespace ns3
