// SPDX-License-Identifier: GPL-2.0-only

#include "workload-jobs.h"

#include "ns3/framework.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <string>

using namespace ns3;

// Input bytes of collectives per rank and step of public recordings of training on A100 GPUs
// (CCL-Bench leaderboard), in GB with six digits. All are those of rank 0.

namespace
{

/// What was recorded, as it was written.
struct Recorded
{
    const char* allReduce;
    const char* allGather;
    const char* reduceScatter;
    double allToAll;
};

/// @return a number of bytes as the recordings write it
std::string
ToGigabytes(uint64_t bytes)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%.6g", static_cast<double>(bytes) / 1e9);
    return text;
}

/// @return the job of a recording
WorkloadSpec
MakeRecordedRow(const char* model,
                const char* framework,
                ParallelismSpec degrees,
                bool isAlwaysResharded)
{
    FrameworkRules rules = Variant<Framework>(framework)->MakeRules();
    if (isAlwaysResharded)
    {
        rules.reshard = ReshardPolicy::ALWAYS;
    }
    degrees.gpusPerDomain = 4;
    return MakeJob(model, degrees, rules);
}

/// @return degrees without experts and pipeline
ParallelismSpec
MakeRecordedDegrees(uint32_t tp, uint32_t fsdp, uint32_t microBatchSize, uint32_t seqLen)
{
    ParallelismSpec degrees{tp, fsdp, 1};
    degrees.microBatchSize = microBatchSize;
    degrees.seqLen = seqLen;
    return degrees;
}

/**
 * @brief Compare with a recording: to its last digit, AllToAlls of tokens by deviation.
 * @param job the job
 * @param recorded what was recorded
 * @param allToAll uniform tokens, closed form
 * @param deviation of the recording from it, in percent
 */
void
Check(const WorkloadSpec& job, const Recorded& recorded, uint64_t allToAll, double deviation)
{
    auto volumes = Measure(*Build(job)[0], IsAny);
    EXPECT_EQ(ToGigabytes(volumes[CollectiveKind::ALL_REDUCE].bytes), recorded.allReduce);
    EXPECT_EQ(ToGigabytes(volumes[CollectiveKind::ALL_GATHER].bytes), recorded.allGather);
    EXPECT_EQ(ToGigabytes(volumes[CollectiveKind::REDUCE_SCATTER].bytes), recorded.reduceScatter);
    const uint64_t bytes = volumes[CollectiveKind::ALL_TO_ALL].bytes;
    EXPECT_EQ(bytes, allToAll);
    if (bytes > 0)
    {
        const double ours = static_cast<double>(bytes) / 1e9;
        EXPECT_NEAR(100 * (recorded.allToAll / ours - 1), deviation, 0.01);
    }
}

} // namespace

TEST(RecordedRows, DenseWithFsdpAndTp)
{
    const auto job =
        MakeRecordedRow("llama3-8b", "torchtitan", MakeRecordedDegrees(2, 2, 4, 512), true);
    Check(job, {"0.000559392", "9.12105", "18.2421", 0}, 0, 0);
    EXPECT_EQ(Measure(*Build(job)[0], IsAny)[CollectiveKind::ALL_REDUCE].bytes, 559'392U);
}

TEST(RecordedRows, DenseWithTpAndAPipeline)
{
    ParallelismSpec degrees = MakeRecordedDegrees(2, 1, 4, 512);
    degrees.pp = 2;
    degrees.microBatches = 2;
    const auto job = MakeRecordedRow("llama3-8b", "torchtitan", degrees, false);
    Check(job, {"0.000524872", "1.09052", "2.18104", 0}, 0, 0);
}

TEST(RecordedRows, DenseWithFsdp)
{
    const auto job =
        MakeRecordedRow("llama3-8b", "torchtitan", MakeRecordedDegrees(1, 8, 4, 1024), false);
    Check(job, {"1.172e-06", "3.8838", "32.121", 0}, 0, 0);
}

TEST(RecordedRows, ExpertsOnFsdpRanks)
{
    ParallelismSpec degrees = MakeRecordedDegrees(1, 8, 1, 1024);
    degrees.ep = 8;
    const auto job = MakeRecordedRow("deepseek-v3-16b", "torchtitan-0.1.0", degrees, true);
    // Dispatch and combine, forward and backward; counts of tokens.
    const uint64_t tokens = 26ULL * 4 * 1024 * 6 * 2048 * 2 + 26 * 64 * 8;
    Check(job, {"8.18e-06", "0.655816", "5.24653", 2.729}, tokens, 4.27);
}

TEST(RecordedRows, ExpertsOnFsdpAndTpRanks)
{
    ParallelismSpec degrees = MakeRecordedDegrees(4, 2, 4, 1024);
    degrees.ep = 8;
    const auto job = MakeRecordedRow("deepseek-v3-16b", "torchtitan-0.1.0", degrees, true);
    const uint64_t tokens = 26ULL * 4 * 1024 * 6 * 2048 * 2 + 26 * 64 * 8;
    Check(job, {"1.04965", "1.17027", "4.85397", 2.51348}, tokens, -3.97);
    EXPECT_EQ(Measure(*Build(job)[0], IsAny)[CollectiveKind::ALL_REDUCE].bytes, 1'049'646'240U);
}

TEST(RecordedRows, ExpertsOnTpRanksInAPipeline)
{
    ParallelismSpec degrees = MakeRecordedDegrees(4, 2, 2, 2048);
    degrees.pp = 2;
    degrees.microBatches = 2;
    degrees.ep = 4;
    const auto job = MakeRecordedRow("deepseek-v3-16b", "torchtitan-0.1.0", degrees, true);
    const uint64_t tokens = 2ULL * 13 * (4 * 1024 * 6 * 2048 * 2 + 64 * 8);
    Check(job, {"1.05615", "6.4396", "11.4613", 3.08225}, tokens, 17.77);
}

TEST(RecordedRows, MegatronWithoutSequenceParallelism)
{
    ParallelismSpec degrees = MakeRecordedDegrees(2, 1, 8, 1024);
    degrees.replicate = 4;
    const auto job = MakeRecordedRow("llama3-8b", "megatron-lm", degrees, false);
    auto volumes = Measure(*Build(job)[0], IsAny);
    EXPECT_EQ(ToGigabytes(volumes[CollectiveKind::ALL_REDUCE].bytes), "13.0192");
    constexpr uint64_t parameters = 4'015'263'744;
    EXPECT_EQ(volumes[CollectiveKind::ALL_GATHER].bytes, 2 * parameters / 4);
    EXPECT_EQ(volumes[CollectiveKind::REDUCE_SCATTER].bytes, 4 * parameters);
    // Recorded: 2.00777 and 16.0621. Biases of the norms, 65 x 4096 parameters, would make
    // it 2.00776 and 16.0621 (LayerNorm is the default where RMSNorm is not asked for).
}
