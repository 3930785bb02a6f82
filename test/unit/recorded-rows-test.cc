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

/// @return the job of a recording; its volumes tell which activations were computed again
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
    rules.recomputation = rules.tensorParallelism == TensorParallelStyle::MEGATRON
                              ? Recomputation::FULL
                              : Recomputation::NONE;
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
 * @param allToAll with equal shares of tokens, closed form
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

/// @return rules with PyTorch 2.10, where products of DTensor take no partial sums
FrameworkRules
MakeRulesOfPyTorch210()
{
    FrameworkRules rules = Variant<Framework>("torchtitan")->MakeRules();
    rules.multipliesPartialSums = false;
    rules.gradientReductions = 3;
    rules.recomputation = Recomputation::NONE;
    return rules;
}

/// @return degrees of DeepSeek 16B in recordings
ParallelismSpec
MakeExpertDegrees(uint32_t tp, uint32_t fsdp, uint32_t ep, uint32_t microBatchSize)
{
    ParallelismSpec degrees = MakeRecordedDegrees(tp, fsdp, microBatchSize, 1024);
    degrees.ep = ep;
    return degrees;
}

/**
 * @param layers layers with experts, times micro-batches
 * @param tokens tokens of a micro-batch on a rank
 * @param tp TP ranks
 * @return input bytes of AllToAlls with equal shares: tokens there and back, forward and backward,
 * and counts of tokens
 */
uint64_t
CountExchanged(uint64_t layers, uint64_t tokens, uint64_t tp)
{
    return layers * (4 * tokens / tp * 6 * 2048 * 2 + 64 * 8);
}

/// @return input bytes of the AllToAlls of DTensor in the backward of shared experts: halves of the
/// activations that w2 multiplies, and of w2 if it is moved as well
uint64_t
CountExchangedByDtensor(uint64_t layers, uint64_t tokens, uint64_t tp, bool isWeightMoved)
{
    return layers * (tokens + (isWeightMoved ? 2048 : 0)) * 2816 / tp * 2;
}

} // namespace

TEST(RecordedRows, DenseWithFsdpAndTp)
{
    const auto job =
        MakeRecordedRow("llama3-8b", "torchtitan", MakeRecordedDegrees(2, 2, 4, 512), true);
    Check(job, {"0.000559392", "9.12105", "18.2421", 0}, 0, 0);
    EXPECT_EQ(Measure(*Build(job)[0], IsAny)[CollectiveKind::ALL_REDUCE].bytes, 559'392U);
}

TEST(RecordedRows, DenseWithTpAlone)
{
    ParallelismSpec degrees = MakeRecordedDegrees(4, 1, 4, 512);
    degrees.gpusPerDomain = 4;
    const auto job = MakeJob("llama3-8b", degrees, MakeRulesOfPyTorch210());
    // fp32, since there is no FSDP; three reductions of the gradients of norms.
    Check(job, {"0.00322062", "1.09052", "4.36208", 0}, 0, 0);
    EXPECT_EQ(Measure(*Build(job)[0], IsAny)[CollectiveKind::ALL_REDUCE].bytes,
              3 * 65 * 4096 * 4 + 3 * 2048 * 4 + 291 * 4);
}

TEST(RecordedRows, DenseWithTpAndAPipeline)
{
    ParallelismSpec degrees = MakeRecordedDegrees(2, 1, 1, 512);
    degrees.pp = 2;
    degrees.microBatches = 4;
    degrees.gpusPerDomain = 4;
    WorkloadSpec job = MakeJob("llama3-8b", degrees, MakeRulesOfPyTorch210());
    // AllReduce is an exception: recorded are 0.000524872 GB, a single reduction of the gradients
    // of 32 norms, where the source has three.
    Check(job, {"0.00157345", "1.09052", "2.18104", 0}, 0, 0);
    job.rules.gradientReductions = 1;
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
    const auto job =
        MakeRecordedRow("deepseek-v3-16b", "torchtitan-0.1.0", MakeExpertDegrees(1, 8, 8, 1), true);
    Check(job, {"8.18e-06", "0.655816", "5.24653", 2.729}, CountExchanged(26, 1024, 1), 4.27);
}

TEST(RecordedRows, ExpertsOnFsdpAndTpRanks)
{
    const auto job =
        MakeRecordedRow("deepseek-v3-16b", "torchtitan-0.1.0", MakeExpertDegrees(4, 2, 8, 4), true);
    Check(job,
          {"1.04965", "1.17027", "4.85397", 2.51348},
          CountExchanged(26, 4096, 4) + CountExchangedByDtensor(26, 4096, 4, true),
          -11.57);
    EXPECT_EQ(Measure(*Build(job)[0], IsAny)[CollectiveKind::ALL_REDUCE].bytes, 1'049'646'240U);
}

TEST(RecordedRows, ExpertsOnFsdpAndTpRanksWithProductsOfPartialSums)
{
    const auto job =
        MakeRecordedRow("deepseek-v3-16b", "torchtitan", MakeExpertDegrees(4, 2, 8, 4), true);
    Check(job, {"1.04965", "1.17027", "2.82707", 2.89976}, CountExchanged(26, 4096, 4), 10.79);
}

TEST(RecordedRows, ExpertsOnTwoTpRanks)
{
    // w2 is not moved, since it is as large as what the exchange would save.
    const auto job =
        MakeRecordedRow("deepseek-v3-16b", "torchtitan-0.1.0", MakeExpertDegrees(2, 4, 4, 2), true);
    Check(job,
          {"0.774895", "8.33231", "18.4389", 2.78066},
          CountExchanged(26, 2048, 2) + CountExchangedByDtensor(26, 2048, 2, false),
          0.49);
}

TEST(RecordedRows, ExpertsOnTwoTpRanksWithProductsOfPartialSums)
{
    const auto job =
        MakeRecordedRow("deepseek-v3-16b", "torchtitan", MakeExpertDegrees(2, 4, 4, 2), true);
    Check(job, {"0.556791", "8.33231", "17.7935", 2.56589}, CountExchanged(26, 2048, 2), -1.96);
}

TEST(RecordedRows, ExpertsOnTpRanksInAPipeline)
{
    ParallelismSpec degrees = MakeExpertDegrees(4, 2, 4, 2);
    degrees.seqLen = 2048;
    degrees.pp = 2;
    degrees.microBatches = 2;
    const auto job = MakeRecordedRow("deepseek-v3-16b", "torchtitan-0.1.0", degrees, true);
    Check(job,
          {"1.05615", "6.4396", "11.4613", 3.08225},
          CountExchanged(26, 4096, 4) + CountExchangedByDtensor(26, 4096, 4, true),
          8.45);
}

TEST(RecordedRows, ExpertsOn128Ranks)
{
    ParallelismSpec degrees = MakeExpertDegrees(4, 8, 32, 2);
    degrees.seqLen = 2048;
    degrees.pp = 4;
    degrees.microBatches = 4;
    const auto job = MakeRecordedRow("deepseek-v3-16b", "torchtitan-0.1.0", degrees, true);
    // FSDP reduces gradients of norms and latents once, in fp32, after four micro-batches.
    Check(job,
          {"0.955894", "0.644398", "3.81026", 1.78474},
          CountExchanged(24, 4096, 4) + CountExchangedByDtensor(24, 4096, 4, true),
          -31.97);
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
