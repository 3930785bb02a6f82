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
    return spec.Validate(*TransformerSpec::Find(model));
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

TEST(ParallelismSpec, ErrorsNameTheInputAndWhatIsAllowed)
{
    EXPECT_EQ(ValidateWith([](auto& s) { s.tp = 0; }), "tp=0: must be 1 to 131072");
    EXPECT_EQ(ValidateWith([](auto& s) { s.fsdp = 0; }), "fsdp=0: must be 1 to 131072");
    EXPECT_EQ(ValidateWith([](auto& s) { s.pp = 0; }), "pp=0: must be 1 to 131072");
    EXPECT_EQ(ValidateWith([](auto& s) { s.microBatchSize = 0; }),
              "microBatchSize=0: must be 1 to 131072");
    EXPECT_EQ(ValidateWith([](auto& s) { s.microBatches = 0; }),
              "microBatches=0: must be 1 to 4096");
    EXPECT_EQ(ValidateWith([](auto& s) { s.seqLen = 0; }), "seqLen=0: must be 1 to 16777216");
    EXPECT_EQ(ValidateWith([](auto& s) { s.gpusPerDomain = 0; }),
              "gpusPerDomain=0: must be 1 to 131072");
    EXPECT_EQ(ValidateWith([](auto& s) { s.tp = 3; }),
              "tp=3: must divide the 32 heads of llama3-8b; allowed: 1, 2, 4, 8, 16, 32");
    EXPECT_EQ(ValidateWith([](auto& s) { s.seqLen = 8190; }),
              "seqLen=8190: must be a multiple of tp=4 for sequence parallelism");
    EXPECT_EQ(ValidateWith([](auto& s) { s.pp = 5; }),
              "pp=5: 32 layers of llama3-8b cannot be split into so many equal stages; allowed: 1, "
              "2, 4, 8, 16, 17, 32");
    EXPECT_EQ(ValidateWith([](auto& s) { s.gpusPerDomain = 32; }),
              "tp x fsdp x pp = 16: must fill whole scale-up domains, that is be a multiple of "
              "gpusPerDomain=32");
    EXPECT_EQ(ValidateWith([](auto& s) { s.tp = 8; }),
              "tp=8: a tensor-parallel group must lie inside one scale-up domain; allowed for "
              "gpusPerDomain=4: 1, 2, 4");
    EXPECT_EQ(ValidateWith([](auto& s) {
                  s.tp = 2;
                  s.fsdp = 4;
              }),
              "fsdp=4: with gpusPerDomain=4 and tp=2 its groups lie neither inside one scale-up "
              "domain nor along one rail; allowed: tp=4 with any fsdp, or fsdp=1, 2");
    EXPECT_EQ(ValidateWith([](auto& s) { s.gpusPerDomain = 16; }),
              "pp=2: with gpusPerDomain=16 the stages do not lie along one rail; tp x fsdp must be "
              "a multiple of 16");
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

TEST(ParallelismSpec, TiedEmbeddingsNeedOneStage)
{
    auto model = *TransformerSpec::Find("llama3-8b");
    model.tiedEmbeddings = true;
    EXPECT_NE(MakeSpec().Validate(model), "");
    ParallelismSpec spec = MakeSpec();
    spec.pp = 1;
    EXPECT_EQ(spec.Validate(model), "");
}

TEST(ParallelismSpec, LayersAreSplitEvenlyOrCountingBothEnds)
{
    using Split = std::vector<uint32_t>;
    EXPECT_EQ(ParallelismSpec::SplitLayers(32, 2), (Split{16, 16}));
    EXPECT_EQ(ParallelismSpec::SplitLayers(6, 4), (Split{1, 2, 2, 1}));
    EXPECT_EQ(ParallelismSpec::SplitLayers(6, 5), Split{});
    EXPECT_EQ(ParallelismSpec::SplitLayers(1, 3), Split{});
    const Split llama = ParallelismSpec::SplitLayers(126, 16);
    EXPECT_EQ(llama.front(), 7U);
    EXPECT_EQ(llama[1], 8U);
    EXPECT_EQ(llama.back(), 7U);
    for (uint32_t layers = 1; layers <= 128; ++layers)
    {
        for (uint32_t stages = 1; stages <= 130; ++stages)
        {
            const Split split = ParallelismSpec::SplitLayers(layers, stages);
            if (!split.empty())
            {
                EXPECT_EQ(split.size(), stages);
                EXPECT_EQ(std::accumulate(split.begin(), split.end(), 0U), layers);
                EXPECT_GT(*std::min_element(split.begin(), split.end()), 0U);
            }
        }
    }
}
