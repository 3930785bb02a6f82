// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/parallelism-spec.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

using namespace ns3;

namespace
{

/// Llama3-8B on 16 GPUs in domains of 4.
ParallelismSpec
MakeSpec()
{
    ParallelismSpec spec{4, 2, 2};
    spec.microBatchSize = 4;
    spec.microBatches = 2;
    spec.gpusPerDomain = 4;
    return spec;
}

/**
 * @param change makes one input wrong
 * @param model name of a preset
 * @return what Validate says
 */
template <typename F>
std::string
ValidateWith(F change, const char* model = "llama3-8b")
{
    ParallelismSpec spec = MakeSpec();
    change(spec);
    return spec.Validate(*TransformerSpec::Find(model), FrameworkRules());
}

} // namespace

TEST(ParallelismSpec, ValidSpecsPass)
{
    EXPECT_EQ(ValidateWith([](auto&) {}), "");
    // Fewer micro-batches than stages.
    EXPECT_EQ(ValidateWith([](auto& s) { s.microBatches = 1; }), "");
    // FSDP inside the domain.
    EXPECT_EQ(ValidateWith([](auto& s) { s.tp = 2; }), "");
    // A domain per GPU, one rail.
    EXPECT_EQ(ValidateWith([](auto& s) { s.tp = s.gpusPerDomain = 1; }), "");
    // More TP ranks than key and value heads.
    EXPECT_EQ(ValidateWith([](auto& s) { s.tp = s.gpusPerDomain = 32; }), "");
    // 126 layers on 16 stages.
    EXPECT_EQ(ValidateWith([](auto& s) { s.pp = 16; }, "llama3-405b"), "");
}

TEST(ParallelismSpec, HugeInputsAreRefusedBeforeTheyOverflow)
{
    EXPECT_NE(ValidateWith([](auto& s) { s.tp = s.fsdp = s.pp = UINT32_MAX; }), "");
    EXPECT_EQ(ValidateWith([](auto& s) { s.tp = s.fsdp = 1U << 16; }),
              "tp x fsdp x pp=8589934592: must be 1 to 1048576");
    EXPECT_EQ(ValidateWith([](auto& s) {
                  s.microBatchSize = 1U << 17;
                  s.seqLen = 1U << 24;
              }),
              "microBatchSize x seqLen=2199023255552: must be 1 to 4294967296");
    EXPECT_NE(ValidateWith([](auto& s) { s.microBatches = UINT32_MAX; }), "");
}

TEST(ParallelismSpec, LayersAreSplitEvenlyOrCountingBothEnds)
{
    using Split = std::vector<uint32_t>;
    EXPECT_EQ(ParallelismSpec::SplitLayers(32, 2, StageSplit::WEIGHTED), (Split{16, 16}));
    EXPECT_EQ(ParallelismSpec::SplitLayers(6, 4, StageSplit::WEIGHTED), (Split{1, 2, 2, 1}));
    EXPECT_EQ(ParallelismSpec::SplitLayers(6, 5, StageSplit::WEIGHTED), Split{});
    EXPECT_EQ(ParallelismSpec::SplitLayers(1, 3, StageSplit::WEIGHTED), Split{});
    const Split llama = ParallelismSpec::SplitLayers(126, 16, StageSplit::WEIGHTED);
    EXPECT_EQ(llama.front(), 7U);
    EXPECT_EQ(llama[1], 8U);
    EXPECT_EQ(llama.back(), 7U);
    for (uint32_t layers = 1; layers <= 128; ++layers)
    {
        for (uint32_t stages = 1; stages <= 130; ++stages)
        {
            const Split split = ParallelismSpec::SplitLayers(layers, stages, StageSplit::WEIGHTED);
            if (!split.empty())
            {
                EXPECT_EQ(split.size(), stages);
                EXPECT_EQ(std::accumulate(split.begin(), split.end(), 0U), layers);
                EXPECT_GT(*std::min_element(split.begin(), split.end()), 0U);
            }
        }
    }
}
