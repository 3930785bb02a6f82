// SPDX-License-Identifier: GPL-2.0-only

#include "job-replay.h"

#include "ns3/framework.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <sstream>

using namespace ns3;

namespace
{

/// Draws jobs, most of which are valid.
class JobSource
{
  public:
    /// @param seed of everything
    explicit JobSource(uint32_t seed)
        : m_random(seed)
    {
    }

    /// @return a job, valid or not
    WorkloadSpec Next()
    {
        WorkloadSpec job;
        job.model = *TransformerSpec::Find("debugmodel");
        job.model.tiedEmbeddings = Pick({0, 0, 0, 1}) == 1;
        if (Pick({0, 1}) == 1)
        {
            MakeExperts(job);
        }
        ParallelismSpec& degrees = job.parallelism;
        degrees = ParallelismSpec{Pick({1, 1, 2, 4}), Pick({1, 2, 4}), Pick({1, 2, 3, 4})};
        degrees.cp = Pick({1, 1, 2, 3});
        degrees.replicate = Pick({1, 1, 2});
        degrees.seqLen = 192;
        degrees.gpusPerDomain = Pick({1, 2, 4, 8});
        degrees.microBatches = Pick({1, 2, 3, 4, 8});
        degrees.schedule = std::vector<std::string>{"gpipe",
                                                    "1f1b",
                                                    "1f1b",
                                                    "interleaved",
                                                    "zb-h1",
                                                    "dualpipev"}[Pick({0, 1, 2, 3, 4, 5})];
        degrees.virtualStages =
            degrees.schedule == "interleaved" || degrees.schedule == "dualpipev" ? 2 : 1;
        if (job.model.moe.experts > 0)
        {
            degrees.ep = Pick({1, 2, 4, 8});
            degrees.expertTp = Pick({1, degrees.tp});
            job.popularity.kind = static_cast<ExpertPopularity::Kind>(Pick(
                {ExpertPopularity::UNIFORM, ExpertPopularity::ZIPF, ExpertPopularity::INITIAL}));
        }
        MakeRules(job);
        job.gpu = *GpuSpec::Find("h100");
        return job;
    }

  private:
    /// @return one of some values
    uint32_t Pick(std::initializer_list<uint32_t> values)
    {
        return values.begin()[m_random() % values.size()];
    }

    void MakeExperts(WorkloadSpec& job)
    {
        job.model.moe = {8, 2, 128, Pick({0, 1}), Pick({0, 1})};
        if (Pick({0, 1}) == 1)
        {
            AttentionSpec& attention = job.model.attention;
            attention = AttentionSpec();
            attention.kind = AttentionSpec::LATENT;
            attention.heads = 16;
            attention.queryRank = Pick({0, 48});
            attention.kvRank = 32;
            attention.nopeDim = 16;
            attention.ropeDim = 8;
            attention.valueDim = 16;
        }
    }

    void MakeRules(WorkloadSpec& job)
    {
        FrameworkRules& rules = job.rules;
        const auto names = Variant<Framework>::GetNames();
        rules = Variant<Framework>(names[m_random() % names.size()])->MakeRules();
        if (rules.tensorParallelism == TensorParallelStyle::MEGATRON)
        {
            rules.dataParallelism = static_cast<DataParallelism>(Pick({0, 1, 2}));
            rules.overlapsReduction = Pick({0, 1}) == 1;
            rules.bucketParameters = Pick({1, 100000, 100000000});
            rules.bucketParametersPerRank = 0;
        }
        if (rules.dataParallelism == DataParallelism::FSDP)
        {
            rules.reshard = static_cast<ReshardPolicy>(Pick({0, 1, 2}));
        }
        rules.prefetch = Pick({1, 2, 3});
        rules.recomputation = static_cast<Recomputation>(Pick({0, 1, 2}));
        rules.sequenceParallel = Pick({0, 1, 1}) == 1;
        rules.lossParallel = Pick({0, 1, 1}) == 1;
        rules.context = static_cast<ContextExchange>(Pick({0, 1}));
        rules.split = StageSplit::WEIGHTED;
        rules.norms = static_cast<NormReduction>(Pick({0, 1}));
        rules.statistics = static_cast<StepStatistics>(Pick({0, 1, 2, 3}));
        rules.balancesExperts = Pick({0, 1}) == 1;
    }

    std::mt19937 m_random;
};

/// @return what a failure is reported with
std::string
DescribeJob(const WorkloadSpec& job)
{
    const ParallelismSpec& degrees = job.parallelism;
    std::ostringstream text;
    text << ToString(job.rules.tensorParallelism) << " tp " << degrees.tp << " cp " << degrees.cp
         << " fsdp " << degrees.fsdp << " replicate " << degrees.replicate << " pp " << degrees.pp
         << " ep " << degrees.ep << " expertTp " << degrees.expertTp << " "
         << degrees.schedule->GetName() << " micro-batches " << degrees.microBatches << " experts "
         << job.model.moe.experts;
    return text.str();
}

} // namespace

TEST(JobAgreement, AllRanksOfAGroupCallTheSameAndNoJobDeadlocks)
{
    JobSource source(7);
    uint32_t valid = 0;
    std::map<Variant<PipelineSchedule>, uint32_t> schedules;
    std::map<DataParallelism, uint32_t> styles;
    uint32_t withExperts = 0;
    for (uint32_t seed = 0; valid < 300; ++seed)
    {
        ASSERT_LT(seed, 20000U) << "hardly any job is valid";
        const WorkloadSpec job = source.Next();
        if (job.parallelism.GetWorldSize() > 48 || !job.Validate().empty())
        {
            continue;
        }
        ++valid;
        ++schedules[job.parallelism.schedule];
        ++styles[job.rules.dataParallelism];
        withExperts += job.parallelism.ep > 1 ? 1 : 0;
        ASSERT_EQ(JobReplay(job, seed, seed % 2 == 0).Run(), "") << DescribeJob(job);
    }
    // Nothing is left out.
    EXPECT_EQ(schedules.size(), 5U);
    EXPECT_EQ(styles.size(), 3U);
    EXPECT_GT(withExperts, 30U);
}
