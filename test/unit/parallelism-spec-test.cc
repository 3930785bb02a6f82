// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/framework.h"
#include "ns3/parallelism-spec.h"
#include "ns3/workload-spec.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

using namespace ns3;

namespace
{

/// Llama3-8B on 16 GPUs in domains of 4.
ParallelismSpec
MakeParallelism()
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
 * @param framework name of a preset
 * @return what Validate says
 */
template <typename F>
std::string
ValidateDegrees(F change, const char* model = "llama3-8b", const char* framework = "torchtitan")
{
    ParallelismSpec spec = MakeParallelism();
    change(spec);
    return spec.Validate(*TransformerSpec::Find(model), Variant<Framework>(framework)->MakeRules());
}

/**
 * @param change makes one rule or degree wrong
 * @param model name of a preset
 * @param framework name of a preset
 * @return what Validate says
 */
template <typename F>
std::string
ValidateRules(F change, const char* model = "llama3-8b", const char* framework = "torchtitan")
{
    ParallelismSpec spec = MakeParallelism();
    FrameworkRules rules = Variant<Framework>(framework)->MakeRules();
    change(spec, rules);
    return spec.Validate(*TransformerSpec::Find(model), rules);
}

/// Degrees of experts: tp 4, fsdp 2, pp 1 unless changed.
auto
Experts(uint32_t ep, uint32_t expertTp)
{
    return [ep, expertTp](ParallelismSpec& spec) {
        spec.pp = 1;
        spec.ep = ep;
        spec.expertTp = expertTp;
    };
}

} // namespace

TEST(ParallelismSpec, ValidSpecsPass)
{
    EXPECT_EQ(ValidateDegrees([](auto&) {}), "");
    EXPECT_EQ(ValidateDegrees([](auto&) {}, "llama3-8b", "torchtitan-0.1.0"), "");
    EXPECT_EQ(ValidateDegrees([](auto&) {}, "llama3-8b", "megatron-lm"), "");
    // Fewer micro-batches than stages.
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.microBatches = 1; }), "");
    // FSDP inside the domain.
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.tp = 2; }), "");
    // A domain per GPU, one rail.
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.tp = s.gpusPerDomain = 1; }), "");
    // TP across domains, and a domain that is not full.
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.gpusPerDomain = 3; }), "");
    // 126 layers on 16 stages.
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.pp = 16; }, "llama3-405b"), "");
    // HSDP with context parallelism.
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.cp = s.replicate = 2; }), "");
    // Experts take fsdp, fsdp and all of tp, fsdp with parts as in the rest, or no ranks.
    EXPECT_EQ(ValidateDegrees(Experts(2, 1), "deepseek-v3-16b"), "");
    EXPECT_EQ(ValidateDegrees(Experts(8, 1), "deepseek-v3-16b"), "");
    EXPECT_EQ(ValidateDegrees(Experts(2, 4), "deepseek-v3-16b"), "");
    EXPECT_EQ(ValidateDegrees(Experts(1, 4), "deepseek-v3-16b"), "");
    // Megatron-LM: any part of tp, tied embeddings in a pipeline, a vocabulary that is padded.
    const auto sequenceParallel = [](auto& s, auto& rules) {
        s.ep = s.expertTp = 2;
        s.pp = 1;
        rules.sequenceParallel = true;
    };
    EXPECT_EQ(ValidateRules(sequenceParallel, "mixtral-8x7b", "megatron-lm"), "");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.seqLen = 2048; }, "gpt3-175b", "megatron-lm"), "");
    // A stage with the output projection only.
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.pp = 34; }), "");
    EXPECT_EQ(ValidateDegrees([](auto& s) {
                  s.schedule = "interleaved";
                  s.virtualStages = 2;
              }),
              "");
}

TEST(ParallelismSpec, NumbersOutOfRange)
{
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.tp = 0; }), "tp=0: must be 1 to 131072");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.fsdp = 0; }), "fsdp=0: must be 1 to 131072");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.pp = 0; }), "pp=0: must be 1 to 131072");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.cp = 0; }), "cp=0: must be 1 to 131072");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.replicate = 0; }),
              "dpReplicate=0: must be 1 to 131072");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.ep = 0; }), "ep=0: must be 1 to 131072");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.expertTp = 0; }), "expertTp=0: must be 1 to 131072");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.virtualStages = 0; }),
              "virtualStages=0: must be 1 to 1024");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.microBatchSize = 0; }),
              "microBatchSize=0: must be 1 to 131072");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.microBatches = 0; }),
              "microBatches=0: must be 1 to 4096");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.seqLen = 0; }), "seqLen=0: must be 1 to 16777216");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.gpusPerDomain = 0; }),
              "gpusPerDomain=0: must be 1 to 131072");
    EXPECT_EQ(ValidateRules([](auto&, auto& rules) { rules.prefetch = 0; }), "");
    EXPECT_EQ(ValidateRules([](auto&, auto& rules) { rules.prefetch = 131073; }),
              "prefetch=131073: must be 0 to 131072");
    EXPECT_EQ(ValidateRules([](auto&, auto& rules) { rules.bucketParameters = 0; }),
              "bucketParameters=0: must be 1 or more");
}

TEST(ParallelismSpec, HugeInputsAreRefusedBeforeTheyOverflow)
{
    EXPECT_NE(ValidateDegrees([](auto& s) { s.tp = s.fsdp = s.pp = UINT32_MAX; }), "");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.tp = s.fsdp = 1U << 16; }),
              "pp x dp x fsdp x cp x tp=2 x 1 x 65536 x 1 x 65536: must be 1 to 1048576 "
              "GPUs");
    EXPECT_NE(
        ValidateDegrees([](auto& s) { s.tp = s.fsdp = s.pp = s.cp = s.replicate = 1U << 17; }),
        "");
    EXPECT_EQ(ValidateDegrees([](auto& s) {
                  s.microBatchSize = 1U << 17;
                  s.seqLen = 1U << 24;
              }),
              "microBatchSize x seqLen=2199023255552: must be 1 to 4294967296");
    EXPECT_NE(ValidateDegrees([](auto& s) { s.microBatches = UINT32_MAX; }), "");
    EXPECT_NE(ValidateDegrees([](auto& s) { s.ep = s.expertTp = 1U << 17; }), "");
}

TEST(ParallelismSpec, TensorParallelismSplitsWhatThereIs)
{
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.tp = 3; }),
              "tp=3: must divide the 32 heads of llama3-8b; allowed: 1, 2, 4, 8, 16, 32");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.tp = 16; }),
              "tp=16: must divide the 8 key and value heads of llama3-8b; allowed: 1, 2, 4, 8");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.tp = 16; }, "llama3-8b", "megatron-lm"),
              "tp=16: must divide the 8 key and value heads of llama3-8b; allowed: 1, 2, 4, 8");
    TransformerSpec model = *TransformerSpec::Find("debugmodel");
    model.ffn = 6;
    EXPECT_EQ(MakeParallelism().Validate(model, FrameworkRules()),
              "tp=4: must divide the 6 columns of the feed-forward network of debugmodel; "
              "allowed: 1, 2, 3, 6");
    model = *TransformerSpec::Find("deepseek-v3-16b");
    model.moe.ffn = 3;
    ParallelismSpec spec = MakeParallelism();
    spec.ep = 2;
    EXPECT_EQ(spec.Validate(model, FrameworkRules()),
              "tp=4: must divide the 6 columns of the shared experts of deepseek-v3-16b; allowed: "
              "1, 2, 3, 6");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.pp = 1; }, "gpt3-175b"),
              "tp=4: must divide the 50257 tokens of the vocabulary of gpt3-175b; allowed: 1, 29, "
              "1733, 50257");
}

TEST(ParallelismSpec, ExpertsBorrowRanksThatThereAre)
{
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.ep = 2; }), "ep=2: must be 1, as llama3-8b is dense");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.expertTp = 4; }),
              "expertTp=4: must be 1, as llama3-8b is dense");
    EXPECT_EQ(ValidateDegrees(Experts(16, 1), "deepseek-v3-16b"),
              "ep=16: must divide the 64 experts of deepseek-v3-16b, and ep x expertTp must divide "
              "fsdp x cp x tp=8; allowed: 1, 2, 4, 8");
    EXPECT_EQ(ValidateDegrees(Experts(8, 4), "deepseek-v3-16b"),
              "ep=8: must divide the 64 experts of deepseek-v3-16b, and ep x expertTp must divide "
              "fsdp x cp x tp=8; allowed: 1, 2");
    const auto three = [](auto& s) {
        s.fsdp = 3;
        s.ep = 3;
        s.expertTp = 4;
    };
    EXPECT_EQ(ValidateDegrees(three, "mixtral-8x7b"),
              "ep=3: must divide the 8 experts of mixtral-8x7b, and ep x expertTp must divide fsdp "
              "x cp x tp=12; allowed: 1");
    EXPECT_EQ(ValidateDegrees(Experts(2, 2), "deepseek-v3-16b"),
              "expertTp=2: must divide tp=4 and be tp or, with ep above 1, 1 (TorchTitan); "
              "allowed: 1, 4");
    EXPECT_EQ(ValidateDegrees(Experts(1, 1), "deepseek-v3-16b"),
              "expertTp=1: must divide tp=4 and be tp or, with ep above 1, 1 (TorchTitan); "
              "allowed: 4");
    EXPECT_EQ(ValidateDegrees(Experts(1, 8), "deepseek-v3-16b", "megatron-lm"),
              "expertTp=8: must divide tp=4; allowed: 1, 2, 4");
    TransformerSpec model = *TransformerSpec::Find("mixtral-8x7b");
    model.moe.ffn = 6;
    ParallelismSpec spec = MakeParallelism();
    spec.expertTp = 4;
    EXPECT_EQ(spec.Validate(model, FrameworkRules()),
              "expertTp=4: must divide the 6 columns of an expert of mixtral-8x7b; allowed: 1, 2, "
              "3, 6");
    // 6 shards of experts by 8 ranks, for 8 experts.
    const auto thin = [](auto& s) {
        s.fsdp = 12;
        s.ep = 8;
    };
    EXPECT_EQ(ValidateDegrees(thin, "mixtral-8x7b"),
              "fsdp x cp x tp / ep / expertTp=6: there are more shards of experts than experts of "
              "a rank, so they must divide 4096 rows of an expert of mixtral-8x7b");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.ep = 2; }, "mixtral-8x7b", "megatron-lm"),
              "sequenceParallel=false: must be true with tp=4 and ep=2 (Megatron-LM)");
}

TEST(ParallelismSpec, SequencesAreShared)
{
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.seqLen = 8188; }),
              "seqLen=8188: must be a multiple of 8 (2 x cp x tp)");
    EXPECT_EQ(ValidateDegrees([](auto& s) {
                  s.cp = 8;
                  s.seqLen = 8224;
              }),
              "seqLen=8224: must be a multiple of 64 (2 x cp x tp)");
    EXPECT_EQ(ValidateDegrees([](auto& s) {
                  s.tp = 1;
                  s.seqLen = 8191;
              }),
              "seqLen=8191: must be a multiple of 2 (2 x cp)");
    const auto ring = [](auto& s, auto& rules) {
        s.cp = 8192;
        s.seqLen = 1U << 20;
        rules.context = ContextExchange::RING;
    };
    EXPECT_EQ(ValidateRules(ring), "cp=8192: must be 1 to 4096 with context=ring");
    const auto odd = [](auto& s, auto& rules) {
        s.seqLen = 8190;
        rules.sequenceParallel = true;
    };
    EXPECT_EQ(ValidateRules(odd, "llama3-8b", "megatron-lm"),
              "seqLen=8190: must be a multiple of 4 (tp)");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.seqLen = 8191; }, "llama3-8b", "megatron-lm"), "");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.seqLen = 4096; }, "gpt3-175b", "megatron-lm"),
              "seqLen=4096: must be 1 to 2048");
}

TEST(ParallelismSpec, PipelinesHaveLayersForTheirStages)
{
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.pp = 35; }),
              "pp=35: 32 layers of llama3-8b cannot be split into so many stages; allowed: 1 to "
              "34");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.pp = 5; }, "llama3-8b", "megatron-lm"),
              "pp=5: 32 layers of llama3-8b cannot be split into so many stages; allowed: 1, 2, 4, "
              "8, 16, 32; or with split=weighted: stages of 5 to 7 layers, or the layers of "
              "each stage");
    EXPECT_EQ(ValidateDegrees([](auto& s) { s.pp = 35; }, "llama3-8b", "megatron-lm"),
              "pp=35: 32 layers of llama3-8b cannot be split into so many stages; allowed: 1, 2, "
              "4, 8, 16, 32");
    const auto interleaved = [](auto& s) {
        s.schedule = "interleaved";
        s.virtualStages = 3;
    };
    EXPECT_EQ(
        ValidateDegrees(interleaved, "llama3-8b", "megatron-lm"),
        "pp x virtualStages=6: 32 layers of llama3-8b cannot be split into so many stages; "
        "allowed: 1, 2, 4, 8, 16, 32; or with split=weighted: stages of 4 to 6 layers, or the "
        "layers of each stage");
    // Megatron-LM interleaves whole groups of pp micro-batches.
    for (const uint32_t microBatches : {1, 3, 6, 9})
    {
        const auto remainder = [microBatches](auto& s) {
            s.pp = 4;
            s.schedule = "interleaved";
            s.virtualStages = 2;
            s.microBatches = microBatches;
        };
        EXPECT_EQ(ValidateDegrees(remainder, "llama3-8b", "megatron-lm"),
                  "microBatches=" + std::to_string(microBatches) +
                      ": must be a multiple of pp=4 with interleaved (Megatron-LM)");
        EXPECT_EQ(ValidateDegrees(remainder).find("Megatron"), std::string::npos);
    }
    EXPECT_EQ(ValidateDegrees(
                  [](auto& s) {
                      s.pp = 4;
                      s.schedule = "interleaved";
                      s.virtualStages = 2;
                      s.microBatches = 8;
                  },
                  "llama3-8b",
                  "megatron-lm"),
              "");
    EXPECT_EQ(ValidateDegrees(
                  [](auto& s) {
                      s.pp = 1;
                      s.schedule = "interleaved";
                      s.virtualStages = 2;
                  },
                  "llama3-8b",
                  "megatron-lm"),
              "pp=1: must be 2 or more with interleaved (Megatron-LM)");
    // What the schedule itself refuses is said as it says it.
    ParallelismSpec spec = MakeParallelism();
    spec.schedule = "interleaved"; // with one chunk
    const std::string line = spec.GetPipeline().Validate();
    EXPECT_NE(line, "");
    EXPECT_EQ(spec.Validate(*TransformerSpec::Find("llama3-8b"), FrameworkRules()), line);
    TransformerSpec tied = *TransformerSpec::Find("llama3-8b");
    tied.tiedEmbeddings = true;
    EXPECT_EQ(MakeParallelism().Validate(tied, FrameworkRules()),
              "pp=2: must be 1 for the tied embeddings of llama3-8b (TorchTitan)");
    EXPECT_EQ(MakeParallelism().Validate(tied, Variant<Framework>("megatron-lm")->MakeRules()), "");
}

TEST(ParallelismSpec, RulesThatExcludeEachOther)
{
    const auto ddp = [](auto&, auto& rules) { rules.dataParallelism = DataParallelism::DDP; };
    EXPECT_EQ(ValidateRules(ddp),
              "dataParallelism=ddp: TorchTitan's DDP has replicas only; pp, fsdp, cp and tp must "
              "be 1");
    EXPECT_EQ(ValidateRules(ddp, "llama3-8b", "megatron-lm"), "");
    const auto replicas = [](auto& s, auto& rules) {
        s.tp = s.fsdp = s.pp = 1;
        s.replicate = 8;
        rules.dataParallelism = DataParallelism::DDP;
    };
    EXPECT_EQ(ValidateRules(replicas), "");
    EXPECT_EQ(ValidateDegrees([](auto& s) {
                  s.fsdp = 1;
                  s.replicate = 8;
              }),
              "dpReplicate=8: must be 1 with fsdp x cp=1; TorchTitan then has nothing to shard, "
              "and dataParallelism=ddp for replicas");
    const auto always = [](auto&, auto& rules) { rules.reshard = ReshardPolicy::ALWAYS; };
    EXPECT_EQ(ValidateRules(always), "");
    EXPECT_EQ(ValidateRules(always, "llama3-8b", "megatron-lm"),
              "reshard=always: must be default unless dataParallelism is fsdp");
    const auto never = [](auto&, auto& rules) { rules.reshard = ReshardPolicy::NEVER; };
    EXPECT_EQ(ValidateRules(never, "llama3-8b", "megatron-lm"),
              "reshard=never: must be default unless dataParallelism is fsdp");
}

TEST(ParallelismSpec, LayersAreSplitEvenlyOrCountingBothEnds)
{
    using Split = std::vector<uint32_t>;
    const auto weighted = [](uint32_t layers, uint32_t stages) {
        FrameworkRules rules;
        rules.split = StageSplit::WEIGHTED;
        return ParallelismSpec::SplitLayers(layers, stages, rules);
    };
    FrameworkRules even;
    even.split = StageSplit::EVEN;
    EXPECT_EQ(weighted(32, 2), (Split{16, 16}));
    EXPECT_EQ(weighted(27, 2), (Split{14, 13}));
    EXPECT_EQ(weighted(6, 4), (Split{1, 2, 2, 1}));
    EXPECT_EQ(weighted(6, 5), (Split{1, 2, 2, 1, 0}));
    EXPECT_EQ(weighted(6, 8), (Split{0, 1, 1, 1, 1, 1, 1, 0}));
    EXPECT_EQ(weighted(1, 3), (Split{0, 1, 0}));
    EXPECT_EQ(weighted(1, 4), Split{});
    const Split llama = weighted(126, 16);
    EXPECT_EQ(llama.front(), 7U);
    EXPECT_EQ(llama[1], 8U);
    EXPECT_EQ(llama.back(), 7U);
    EXPECT_EQ(ParallelismSpec::SplitLayers(6, 3, even), (Split{2, 2, 2}));
    EXPECT_EQ(ParallelismSpec::SplitLayers(6, 4, even), Split{});
    EXPECT_EQ(ParallelismSpec::SplitLayers(6, 12, even), Split{});
    for (uint32_t layers = 1; layers <= 128; ++layers)
    {
        EXPECT_EQ(weighted(layers, layers + 3), Split{});
        for (uint32_t stages = 1; stages <= layers + 2; ++stages)
        {
            const Split split = weighted(layers, stages);
            ASSERT_EQ(split.size(), stages);
            EXPECT_EQ(std::accumulate(split.begin(), split.end(), 0U), layers);
            // Only the ends may be without a layer.
            if (stages > 2)
            {
                EXPECT_GT(*std::min_element(split.begin() + 1, split.end() - 1), 0U);
            }
        }
    }
}

TEST(ParallelismSpec, LayersOfStagesCanBeGiven)
{
    const auto validate =
        [](uint32_t pp, const std::vector<uint32_t>& layers, uint32_t chunks = 1) {
            return ValidateRules(
                [&](auto& spec, auto& rules) {
                    spec.pp = pp;
                    spec.microBatches = 2 * pp;
                    spec.virtualStages = chunks;
                    spec.schedule = chunks > 1 ? "interleaved" : "1f1b";
                    rules.stageLayers = layers;
                },
                "llama3-8b",
                "megatron-lm");
        };
    const std::string allowed = ": must be 4 numbers, one for each stage, that add up to the 32 "
                                "layers of llama3-8b, not ";
    const std::string ends = "; only the first and the last may be 0";
    EXPECT_EQ(validate(4, {9, 9, 8, 6}), "");
    EXPECT_EQ(validate(4, {0, 16, 16, 0}), "");
    EXPECT_EQ(validate(2, {9, 9, 8, 6}, 2), "");
    EXPECT_EQ(validate(1, {32}), "");
    EXPECT_EQ(validate(4, {9, 9, 8, 7}), "split=9,9,8,7" + allowed + "4 that add up to 33" + ends);
    EXPECT_EQ(validate(4, {11, 11, 10}), "split=11,11,10" + allowed + "3 that add up to 32" + ends);
    EXPECT_EQ(validate(4, {16, 0, 8, 8}),
              "split=16,0,8,8" + allowed + "4 that add up to 32" + ends);
    EXPECT_EQ(validate(2, {16, 16}, 2), "split=16,16" + allowed + "2 that add up to 32" + ends);
    EXPECT_EQ(validate(1, {4294967295U, 33}),
              "split=4294967295,33: must be 1 numbers, one for each stage, that add up to the 32 "
              "layers of llama3-8b, not 2 that add up to 4294967328" +
                  ends);
}

TEST(WorkloadSpec, PopularExpertsAreOnFewerRanks)
{
    WorkloadSpec job;
    job.model = *TransformerSpec::Find("debugmodel-moe");
    job.model.moe.experts = 8192;
    job.rules = Variant<Framework>("torchtitan")->MakeRules();
    job.gpu = *GpuSpec::Find("a100");
    job.parallelism.tp = job.parallelism.pp = 1;
    job.parallelism.fsdp = job.parallelism.ep = 8192;
    ASSERT_EQ(job.Validate(), "");
    job.popularity.kind = ExpertPopularity::ZIPF;
    EXPECT_EQ(job.Validate(), "ep=8192: must be 1 to 4096 unless popularity is uniform");
    job.parallelism.fsdp = job.parallelism.ep = 4096;
    EXPECT_EQ(job.Validate(), "");
}
