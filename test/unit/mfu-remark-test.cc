// SPDX-License-Identifier: GPL-2.0-only

#include "workload-jobs.h"

#include "ns3/job-description.h"
#include "ns3/mfu-remark.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @return the recorded job with an efficiency, on H100s, for which 38 to 75 % were published
WorkloadSpec
MakeH100Job(double efficiency)
{
    WorkloadSpec job = MakeTracedJob();
    job.gpu = *GpuSpec::Find("h100");
    job.rules.fusion = KernelFusion::ALL;
    job.efficiency = {efficiency, efficiency, efficiency, 0.8};
    return job;
}

/// @return a step of one rank with these parts, in s
StepSplit
MakeSplit(const std::map<StepSplit::Part, double>& parts)
{
    StepSplit split;
    split.ranks = 1;
    for (const auto& [part, seconds] : parts)
    {
        split.sums[part] = Seconds(seconds);
    }
    return split;
}

/// @return mean computation of the ranks of a job, from their programs
double
GetMeanComputation(const WorkloadSpec& job)
{
    const JobDescription description = JobDescription::Make(JobRanks(job), {200e9, false, false});
    double sum = 0;
    for (const auto& entry : description.classes)
    {
        sum += entry.ranks * entry.computeSeconds;
    }
    return sum / description.worldSize;
}

} // namespace

TEST(MfuRemark, RecomputationIsWhatProgramsRepeat)
{
    for (const char* framework : {"torchtitan", "megatron-lm"})
    {
        ParallelismSpec degrees{2, 2, 2};
        degrees.microBatches = 3;
        WorkloadSpec job =
            MakeJob("llama3-8b", degrees, Variant<Framework>(framework)->MakeRules());
        job.rules.recomputation = Recomputation::NONE;
        const double once = GetMeanComputation(job);
        EXPECT_EQ(StepWork::Make(job).repeatedSeconds, 0);
        for (const auto one : {Recomputation::SELECTIVE, Recomputation::FULL})
        {
            job.rules.recomputation = one;
            const double repeated = StepWork::Make(job).repeatedSeconds;
            EXPECT_GT(repeated, 0) << framework;
            EXPECT_NEAR(GetMeanComputation(job) - once, repeated, 1e-6 * once) << framework;
        }
    }
}

TEST(MfuRemark, ModelTimeIsThatOfItsFlops)
{
    const WorkloadSpec job = MakeH100Job(0.5);
    const StepWork work = StepWork::Make(job);
    EXPECT_NEAR(work.modelSeconds, work.modelFlops / 16 / (0.5 * 989.5e12), 1e-9);
}

TEST(MfuRemark, ReasonsGoBySize)
{
    const WorkloadSpec job = MakeH100Job(0.19);
    const StepWork work = StepWork::Make(job);
    const double computation = work.modelSeconds + work.repeatedSeconds;
    const double rest = 1.5 * computation;
    const auto split = MakeSplit({{StepSplit::COMPUTATION, computation},
                                  {StepSplit::BUBBLE, 0.6 * rest},
                                  {StepSplit::EXPOSED_FSDP, 0.1 * rest},
                                  {StepSplit::EXPOSED_TP, 0.2 * rest},
                                  {StepSplit::EXPOSED_PP, 0.005 * rest}, // below a percent
                                  {StepSplit::CIRCUITS, 0.095 * rest}});
    // Of 2.5 times the computation, three quarters of which are the model's (full recomputation).
    // 0.19 is half of 0.38: computing at 0.38 would save half of the model's share.
    const double model = work.modelSeconds / (2.5 * computation);
    EXPECT_NEAR(model, 0.3, 0.01);
    const std::string remark = MakeMfuRemark(job, split, 0.19 * model);
    EXPECT_EQ(remark.find("MFU 5.8 % is below the 38 to 75 % that publications report for h100; "
                          "the step is 36.0 % pipeline bubble, 18.3 % exposed communication "
                          "(12.0 % TP, 6.0 % FSDP), "),
              0u)
        << remark;
    const std::size_t slow =
        remark.find("15.1 % lost by computing at 0.19 of the peak instead of 0.38");
    const std::size_t again = remark.find("9.7 % recomputation");
    const std::size_t circuits = remark.find("5.7 % waiting for circuits");
    EXPECT_LT(slow, again) << remark;
    EXPECT_LT(again, circuits) << remark;
    EXPECT_LT(circuits, remark.size()) << remark;
    EXPECT_EQ(remark.find("other"), std::string::npos) << remark;
    EXPECT_EQ(remark.find('\n'), std::string::npos);
}

TEST(MfuRemark, NoneWhereTheMfuIsLikeThosePublished)
{
    const WorkloadSpec job = MakeH100Job(0.8);
    const auto split = MakeSplit({{StepSplit::COMPUTATION, 1}});
    EXPECT_EQ(MakeMfuRemark(job, split, job.gpu.published.low), "");
    EXPECT_EQ(MakeMfuRemark(job, split, job.gpu.published.high), "");
    EXPECT_EQ(MakeMfuRemark(job, split, 0.76),
              "MFU 76.0 % is above the 38 to 75 % that publications report for h100, at "
              "--computeEfficiency=0.8");
}

TEST(MfuRemark, NoneOfAModelOrAStepThatNothingIsKnownOf)
{
    WorkloadSpec job = MakeH100Job(0.5);
    const auto split = MakeSplit({{StepSplit::COMPUTATION, 1}});
    EXPECT_EQ(MakeMfuRemark(job, StepSplit(), 0.1), ""); // the last step has not ended
    EXPECT_NE(MakeMfuRemark(job, split, 0.1), "");
    job.model = *TransformerSpec::Find("debugmodel");
    EXPECT_EQ(MakeMfuRemark(job, split, 0.1), "");
}
