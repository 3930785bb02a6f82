// SPDX-License-Identifier: GPL-2.0-only

#include "workload-jobs.h"

#include "ns3/job-description.h"
#include "ns3/step-interval.h"
#include "ns3/step-split.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @return a job with the typical efficiency of its GPU
WorkloadSpec
MakeTypicalJob()
{
    WorkloadSpec job = MakeTracedJob();
    job.published = {"", "", ProductFormat::BF16, 0.25, 0.5, 0.8, "a source"};
    job.efficiency = {0.5, 0.5, 0.5, 0.8};
    return job;
}

/// @return a step of two ranks: computation, bubble, exposed communication
StepSplit
MakeStep(double computation, double bubble, double exposed)
{
    StepSplit split;
    split.ranks = 2;
    split.sums[StepSplit::COMPUTATION] = Seconds(2 * computation);
    split.sums[StepSplit::BUBBLE] = Seconds(2 * bubble);
    split.sums[StepSplit::EXPOSED_FSDP] = Seconds(2 * exposed);
    return split;
}

} // namespace

TEST(StepInterval, OnlyFlopsAndTheirBubbleScale)
{
    const WorkloadSpec job = MakeTypicalJob();
    const double flops = StepWork::Make(job).flopSeconds;
    const double computation = flops + 0.1; // the memory bounds 0.1 s
    const auto interval = StepInterval::Make(job, MakeStep(computation, computation / 2, 0.7));
    const double step = 1.5 * computation + 0.7;
    EXPECT_NEAR(interval.most, step + 1.5 * flops, 1e-9);
    EXPECT_NEAR(interval.least, step - 1.5 * flops * (1 - 0.5 / 0.8), 1e-9);
    EXPECT_NE(interval.Describe().find("with 0.25 to 0.8 instead of 0.5 of the peak FLOP/s (a "
                                       "source)"),
              std::string::npos)
        << interval.Describe();
}

TEST(StepInterval, FlopsOfAJobTakeTheTimeThatItsEfficiencySays)
{
    WorkloadSpec job = MakeTypicalJob();
    const double half = StepWork::Make(job).flopSeconds;
    job.efficiency = {0.25, 0.25, 0.25, 0.8};
    EXPECT_NEAR(StepWork::Make(job).flopSeconds, 2 * half, 1e-9);
}

TEST(StepInterval, NoneWithAnOwnEfficiencyOrWithoutAStep)
{
    WorkloadSpec job = MakeTypicalJob();
    EXPECT_FALSE(StepInterval::Make(job, StepSplit()).IsKnown());
    EXPECT_TRUE(StepInterval::Make(job, MakeStep(1, 0, 0)).IsKnown());
    job.efficiency.matmul = 0.51;
    EXPECT_FALSE(StepInterval::Make(job, MakeStep(1, 0, 0)).IsKnown());
}
