// SPDX-License-Identifier: GPL-2.0-only

#include "workload-jobs.h"

#include "ns3/job-description.h"
#include "ns3/workload-settings.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;

namespace
{

const JobNetwork NETWORK{200e9, false, false};

/// @return the description of a job
JobDescription
DescribeModelJob(const WorkloadSpec& job)
{
    JobDescription description = JobDescription::Make(JobRanks(job), NETWORK);
    description.AddModel(job);
    return description;
}

} // namespace

TEST(JobDescription, TracedJob)
{
    const WorkloadSpec job = MakeTracedJob();
    const JobDescription description = DescribeModelJob(job);
    EXPECT_EQ(description.model, "llama3-8b");
    EXPECT_EQ(description.parameters, 8030261248u);
    EXPECT_EQ(description.activeParameters, 8030261248u);
    EXPECT_EQ(description.worldSize, 16u);
    EXPECT_EQ(description.domains, 4u);
    EXPECT_EQ(description.tokens, 2u * 2 * 4 * 8192);
    EXPECT_NEAR(description.bubble, 1.0 / 2, 1e-9); // (p - 1) / m
    ASSERT_EQ(description.stages.size(), 2u);
    ASSERT_EQ(description.classes.size(), 2u);
    const auto programs = Build(job);
    for (std::size_t i = 0; i < 2; ++i)
    {
        const auto& entry = description.classes[i];
        EXPECT_EQ(entry.ranks, 8u);
        EXPECT_EQ(entry.representative, 8 * i);
        EXPECT_EQ(entry.operations, programs[i]->GetSize());
        EXPECT_EQ(entry.parameters, description.stages[i].parameters);
        EXPECT_EQ(entry.shardParameters, entry.parameters / 2);
        CollectiveVolumes volumes;
        for (const auto& operation : programs[i]->GetOperations())
        {
            CountVolume(volumes, operation);
        }
        EXPECT_EQ(MakeJson(entry.volumes).ToText(), MakeJson(volumes).ToText());
        EXPECT_LT(entry.scaleOutInputBytes, entry.inputBytes);
        EXPECT_NEAR(entry.scaleOutSeconds,
                    static_cast<double>(entry.scaleOutMostBytes) / 25e9,
                    1e-12);
        EXPECT_GE(entry.expectedSeconds, entry.computeSeconds);
        EXPECT_LE(entry.expectedSeconds, entry.computeSeconds + entry.scaleUpSeconds + 1e-9);
    }
}

TEST(JobDescription, ModelFlopsAreThoseOfTextbooks)
{
    ParallelismSpec degrees;
    degrees.seqLen = 2048;
    degrees.microBatches = 3;
    const JobDescription description = DescribeModelJob(MakeJob("llama3-8b", degrees));
    // 6 for each parameter and token but for embedding and norms; attention 12 x layers x hidden x
    // length / 2 for each token (Kaplan et al., arXiv 2001.08361; Chowdhery et al., arXiv
    // 2204.02311, with a causal mask).
    const double tokens = 3 * 2048;
    const double products = 8030261248.0 - 128256.0 * 4096 - 65 * 4096;
    const double attention = 12.0 * 32 * 4096 * 2048 / 2;
    EXPECT_NEAR(description.classes[0].modelFlops / (tokens * (6 * products + attention)), 1, 1e-3);
}

TEST(JobDescription, GroupsByReach)
{
    ParallelismSpec degrees;
    degrees.tp = 2;
    degrees.fsdp = 8;
    degrees.gpusPerDomain = 8;
    degrees.seqLen = 512;
    const JobDescription description = DescribeModelJob(MakeJob("debugmodel", degrees));
    bool hasTp = false;
    bool hasFsdp = false;
    for (const auto& role : description.roles)
    {
        EXPECT_EQ(role.insideDomain + role.alongRail + role.across, role.groups);
        if (role.name == "tp")
        {
            hasTp = true;
            EXPECT_EQ(role.ranks, 2u);
            EXPECT_EQ(role.insideDomain, 8u);
        }
        if (role.name == "fsdp")
        {
            hasFsdp = true;
            EXPECT_EQ(role.ranks, 8u);
            EXPECT_EQ(role.across, 2u);
            EXPECT_TRUE(role.isCalled);
        }
    }
    EXPECT_TRUE(hasTp && hasFsdp);
}

TEST(JobDescription, TimeWithoutScaleOut)
{
    const auto operation = [](RankOperation::Stream stream,
                              RankOperation::Place place,
                              int64_t seconds,
                              std::vector<uint32_t> dependencies) {
        RankOperation result;
        result.stream = stream;
        result.place = place;
        result.duration = Seconds(static_cast<double>(seconds));
        result.dependencies = std::move(dependencies);
        return result;
    };
    const RankProgram program({
        operation(RankOperation::COMPUTE_STREAM, RankOperation::GPU, 3, {}),
        operation(RankOperation::FSDP_STREAM, RankOperation::SCALE_UP, 5, {0}),
        operation(RankOperation::COMPUTE_STREAM, RankOperation::GPU, 4, {}),
        operation(RankOperation::DP_STREAM, RankOperation::SCALE_OUT, 100, {2}),
        operation(RankOperation::COMPUTE_STREAM, RankOperation::GPU, 1, {1, 3}),
    });
    // 3, then 5 beside 4, then 1; what leaves the domain is free.
    EXPECT_EQ(GetTimeWithoutScaleOut(program), Seconds(9));
}

TEST(PopularityFlag, TextsAndFiles)
{
    EXPECT_EQ(ReadPopularity("uniform").first.kind, ExpertPopularity::UNIFORM);
    const auto zipf = ReadPopularity("zipf:1.25");
    EXPECT_EQ(zipf.second, "");
    EXPECT_EQ(zipf.first.kind, ExpertPopularity::ZIPF);
    EXPECT_EQ(zipf.first.exponent, 1.25);
    EXPECT_EQ(ReadPopularity("zipf").first.exponent, 1);
    const auto initial = ReadPopularity("initial:0.5");
    EXPECT_EQ(initial.second, "");
    EXPECT_EQ(initial.first.kind, ExpertPopularity::INITIAL);
    EXPECT_EQ(initial.first.exponent, 0.5);
    EXPECT_EQ(ReadPopularity("initial").first.exponent, 1);
    for (const char* text : {"",
                             "zipf:",
                             "zipf:-1",
                             "zipf:11",
                             "zipf:x",
                             "initial:",
                             "initial:11",
                             "Uniform",
                             "/nowhere",
                             "/"})
    {
        EXPECT_NE(ReadPopularity(text).second, "") << text;
    }
    std::istringstream weights("1, 0 2.5\n4");
    const auto listed = ReadPopularity(weights);
    EXPECT_EQ(listed.second, "");
    EXPECT_EQ(listed.first.weights, (std::vector<double>{1, 0, 2.5, 4}));
    for (const char* text : {"", "0 0", "1 -1", "1 nan", "1 x", "1e10"})
    {
        std::istringstream file(text);
        EXPECT_NE(ReadPopularity(file).second, "") << text;
    }
    std::istringstream large(std::string(2U << 20, '1'));
    EXPECT_NE(ReadPopularity(large).second, "");
}
