// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/framework.h"
#include "ns3/sharding-plan.h"

#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <string>

using namespace ns3;

namespace
{

const FrameworkRules RULES; //!< of TorchTitan

constexpr double MIB = 1024 * 1024;

/**
 * @param tp degree
 * @param fsdp degree
 * @param pp degree
 * @return the job of the traced workload with these degrees
 */
ParallelismSpec
MakeShardSpec(uint32_t tp, uint32_t fsdp, uint32_t pp)
{
    ParallelismSpec spec{tp, fsdp, pp};
    spec.microBatchSize = 4;
    spec.microBatches = 2;
    spec.gpusPerDomain = tp;
    return spec;
}

} // namespace

TEST(ShardingPlan, VolumesOfTheTracedWorkload)
{
    const auto model = *TransformerSpec::Find("llama3-8b");
    const auto spec = MakeShardSpec(4, 2, 2);
    for (uint32_t stage : {0, 1})
    {
        const ShardingPlan plan(model, spec, RULES, stage);
        EXPECT_EQ(plan.GetUnits().size(), 17U);
        EXPECT_NEAR(static_cast<double>(plan.GetShardParameters()) * 2 / MIB, 957, 957e-3);
        EXPECT_NEAR(static_cast<double>(plan.GetParameters()) * 4 / MIB, 3829, 3.829);
    }
}

TEST(ShardingPlan, StagesHoldTheEnds)
{
    const auto model = *TransformerSpec::Find("llama3-8b");
    const ShardingPlan first(model, MakeShardSpec(4, 2, 2), RULES, 0);
    const ShardingPlan last(model, MakeShardSpec(4, 2, 2), RULES, 1);
    EXPECT_EQ(first.GetUnits().front().kind, ShardingUnit::EMBEDDING);
    EXPECT_EQ(first.GetUnits().back().kind, ShardingUnit::LAYER);
    EXPECT_EQ(first.GetUnits().back().layer, 15U);
    EXPECT_EQ(last.GetUnits().front().layer, 16U);
    EXPECT_EQ(last.GetUnits().back().kind, ShardingUnit::OUTPUT);
}

TEST(ShardingPlan, NormsAreReplicatedOverTp)
{
    const auto model = *TransformerSpec::Find("llama3-8b");
    const ShardingPlan plan(model, MakeShardSpec(4, 1, 1), RULES, 0);
    EXPECT_EQ(plan.GetUnits().size(), 34U);
    EXPECT_EQ(plan.GetUnits()[1].parameters, (41'943'040U + 176'160'768U) / 4 + 8192U);
    const uint64_t norms = 65 * 4096;
    EXPECT_EQ(plan.GetShardParameters(), (model.GetParameters() - norms) / 4 + norms);
}

namespace
{

/// What is counted over a whole job.
struct Totals
{
    uint64_t held{0};     //!< parameters that all ranks hold before data parallelism
    uint64_t expected{0}; //!< the same, from the tensors of the model
    uint64_t units{0};    //!< units of all stages
};

/// @return how many TP ranks (of those that share experts, if it is one) have a tensor whole
uint64_t
GetHolders(const ParameterTensor& tensor, const ParallelismSpec& spec)
{
    const bool isExpert = tensor.part == ModelPart::EXPERT;
    const uint64_t tp = isExpert ? spec.expertTp : spec.tp;
    return tensor.split == TensorSplit::REPLICATED ? tp : 1;
}

/// @return the totals of the job, counting every rank of one replica of the data once
Totals
CountShards(const TransformerSpec& model, const ParallelismSpec& spec, const FrameworkRules& rules)
{
    Totals totals;
    const uint32_t stages = spec.GetPipeline().GetStages();
    for (uint32_t stage = 0; stage < stages; ++stage)
    {
        const ShardingPlan plan(model, spec, rules, stage);
        totals.units += plan.GetUnits().size();
        for (const auto& unit : plan.GetUnits())
        {
            EXPECT_EQ(unit.sizes.size(), unit.tensors.size());
            for (std::size_t i = 0; i < unit.tensors.size(); ++i)
            {
                const bool isExpert = unit.tensors[i].part == ModelPart::EXPERT;
                totals.held += unit.sizes[i] * (isExpert ? spec.ep * spec.expertTp : spec.tp);
                totals.expected += unit.tensors[i].GetSize() * GetHolders(unit.tensors[i], spec);
            }
        }
    }
    return totals;
}

/// @return random degrees that a model can be trained with, or none after many tries
std::optional<ParallelismSpec>
FindSpec(std::mt19937& random, const TransformerSpec& model, const FrameworkRules& rules)
{
    for (int i = 0; i < 200; ++i)
    {
        const auto power = [&random](uint32_t most) { return 1U << random() % (most + 1); };
        const auto pick = [&random](uint32_t most) {
            return 1 + static_cast<uint32_t>(random() % most);
        };
        ParallelismSpec spec{power(3), power(3) * pick(3), pick(6)};
        spec.cp = power(1);
        spec.replicate = power(1);
        spec.ep = power(4);
        spec.expertTp = random() % 2 == 0 ? spec.tp : 1;
        spec.seqLen = 2048;
        if (model.moe.experts == 0)
        {
            spec.ep = spec.expertTp = 1;
        }
        if (spec.Validate(model, rules).empty())
        {
            return spec;
        }
    }
    return std::nullopt;
}

} // namespace

TEST(ShardingPlan, AllParametersAreSomewhere)
{
    std::mt19937 random(3);
    for (const auto& name : TransformerSpec::GetNames())
    {
        for (const auto& framework : Variant<Framework>::GetNames())
        {
            const auto model = *TransformerSpec::Find(name);
            auto rules = Variant<Framework>(framework)->MakeRules();
            rules.vocabularyMultiple = 0; // padding is for another test
            rules.sequenceParallel = true;
            for (int i = 0; i < 5; ++i)
            {
                const auto spec = FindSpec(random, model, rules);
                if (!spec)
                {
                    EXPECT_EQ(name, "gpt3-175b"); // 50257 tokens
                    continue;
                }
                SCOPED_TRACE(name + " " + framework + " tp " + std::to_string(spec->tp) + " fsdp " +
                             std::to_string(spec->fsdp) + " pp " + std::to_string(spec->pp) +
                             " ep " + std::to_string(spec->ep) + " expertTp " +
                             std::to_string(spec->expertTp));
                const Totals totals = CountShards(model, *spec, rules);
                EXPECT_EQ(totals.held, totals.expected);
                // Every tensor is in one unit, and tied embeddings of a pipeline in two.
                const bool isTwice = model.tiedEmbeddings && spec->pp > 1;
                ParallelismSpec alone = *spec;
                alone.fsdp *= alone.tp;
                alone.tp = alone.expertTp = 1;
                EXPECT_EQ(CountShards(model, alone, rules).expected,
                          model.GetParameters() +
                              (isTwice ? uint64_t{model.vocabulary} * model.hidden : 0));
            }
        }
    }
}

TEST(ShardingPlan, ShardsOfRowsAreFilledUp)
{
    auto model = *TransformerSpec::Find("llama3-8b");
    const ShardingPlan plan(model, MakeShardSpec(1, 7, 1), RULES, 0);
    // Rows of (norm, output): 4096 and 128256, over 7 ranks 586 and 18323.
    EXPECT_EQ(plan.GetUnits().back().shardParameters, 586U + 18323U * 4096);
    // A layer: two norms, wq and wo 4096, wk and wv 1024, w1 and w3 14336 = 7 x 2048, w2 4096 rows.
    EXPECT_EQ(plan.GetUnits()[1].shardParameters,
              2 * 586U + 2 * 586U * 4096 + 2 * 147U * 4096 + 2 * 2048U * 4096 + 586U * 14336);
    // Rows of parts of tensors: wo and w2 are split over columns, the rest over rows.
    const ShardingPlan split(model, MakeShardSpec(4, 3, 1), RULES, 0);
    EXPECT_EQ(split.GetUnits()[1].shardParameters,
              2 * 1366U + 342U * 4096 + 1366U * 1024 + 2 * 86U * 4096 + 2 * 1195U * 4096 +
                  1366U * 3584);
    // Replicas change nothing, context-parallel ranks count as shards.
    ParallelismSpec spec = MakeShardSpec(1, 1, 1);
    spec.cp = 7;
    spec.replicate = 2;
    EXPECT_EQ(ShardingPlan(model, spec, RULES, 0).GetShardParameters(), plan.GetShardParameters());
}

TEST(ShardingPlan, ExpertsAreShardedWholeOrByRows)
{
    const auto model = *TransformerSpec::Find("mixtral-8x7b"); // 8 experts, 4096 x 14336
    const uint64_t expert = uint64_t{3} * 4096 * 14336;
    // In the layer's unit.
    const auto getLayer = [&model](ParallelismSpec spec, std::size_t unit) {
        return ShardingPlan(model, spec, RULES, 0).GetUnits()[unit];
    };
    const auto whole = getLayer(MakeShardSpec(1, 4, 1), 1);
    EXPECT_EQ(whole.kind, ShardingUnit::LAYER);
    EXPECT_EQ(whole.shardParameters * 4, whole.parameters);
    const uint64_t rest = whole.parameters - 8 * expert;
    // Half of 16 ranks have padding only, of experts and of the router's 8 rows.
    const uint64_t router = 8 * 4096;
    EXPECT_EQ(getLayer(MakeShardSpec(1, 16, 1), 1).shardParameters,
              (rest - router) / 16 + router / 8 + expert);
    // With expert parallelism in one of their own; 8 ranks for one expert cut its rows.
    ParallelismSpec spec = MakeShardSpec(1, 4, 1);
    spec.ep = 2;
    const auto apart = getLayer(spec, 2);
    EXPECT_EQ(apart.kind, ShardingUnit::EXPERTS);
    EXPECT_EQ(apart.shards, GroupRole::EXPERT_FSDP);
    EXPECT_EQ(apart.parameters, 4 * expert);
    EXPECT_EQ(apart.shardParameters, 2 * expert);
    EXPECT_EQ(getLayer(spec, 1).parameters, rest);
    spec.fsdp = 64;
    spec.ep = 8;
    EXPECT_EQ(getLayer(spec, 2).parameters, expert);
    EXPECT_EQ(getLayer(spec, 2).shardParameters, expert / 8);
    // Parts of experts.
    spec = MakeShardSpec(4, 4, 1);
    spec.ep = 2;
    spec.expertTp = 4;
    EXPECT_EQ(getLayer(spec, 2).parameters, expert);
    EXPECT_EQ(getLayer(spec, 2).shardParameters, expert / 2);
}

TEST(ShardingPlan, ParametersOfRecordedJobs)
{
    const auto getParameters = [](const char* name, const ParallelismSpec& spec, bool areExperts) {
        uint64_t sum = 0;
        const ShardingPlan plan(*TransformerSpec::Find(name), spec, RULES, 0);
        for (const auto& unit : plan.GetUnits())
        {
            sum += (unit.kind == ShardingUnit::EXPERTS) == areExperts ? unit.parameters : 0;
        }
        return sum;
    };
    EXPECT_EQ(getParameters("llama3-8b", MakeShardSpec(2, 2, 1), false), 4'015'263'744U);
    ParallelismSpec wide = MakeShardSpec(1, 8, 1);
    wide.ep = 8;
    EXPECT_EQ(getParameters("deepseek-v3-16b", wide, false), 1'311'632'896U);
    ParallelismSpec square = MakeShardSpec(4, 2, 1);
    square.ep = 8;
    EXPECT_EQ(getParameters("deepseek-v3-16b", square, false), 354'446'848U);
    ParallelismSpec cube = MakeShardSpec(4, 2, 2);
    cube.ep = 4;
    EXPECT_EQ(getParameters("deepseek-v3-16b", cube, false), 187'792'384U);
    EXPECT_EQ(getParameters("deepseek-v3-16b", cube, true), 1'799'356'416U);
}

TEST(ShardingPlan, MegatronPadsTheVocabulary)
{
    const auto rules = Variant<Framework>("megatron-lm")->MakeRules();
    const auto gpt = *TransformerSpec::Find("gpt3-175b");
    // 50257 tokens to multiples of 128 x tp: 50304 and 51200.
    const ShardingPlan one(gpt, MakeShardSpec(1, 1, 1), rules, 0);
    EXPECT_EQ(one.GetUnits().front().parameters, (50304U + 2048U) * uint64_t{12288});
    const ShardingPlan eight(gpt, MakeShardSpec(8, 1, 2), rules, 0);
    EXPECT_EQ(eight.GetUnits().front().parameters, (6400U + 2048U) * uint64_t{12288});
    // Tied: the last of two stages has the matrix once more, a single stage does not.
    const ShardingPlan last(gpt, MakeShardSpec(8, 1, 2), rules, 1);
    EXPECT_EQ(last.GetUnits().back().parameters, 2 * 12288U + 6400U * uint64_t{12288});
    EXPECT_EQ(one.GetUnits().back().parameters, 2 * 12288U);
    // 128256 = 501 x 128 x 2.
    const auto llama = *TransformerSpec::Find("llama3-8b");
    EXPECT_EQ(ShardingPlan(llama, MakeShardSpec(2, 4, 1), rules, 0).GetParameters(),
              4'015'263'744U);
}

TEST(ShardingPlan, StagesHaveTheLayersThatAreGiven)
{
    const auto model = *TransformerSpec::Find("llama3-405b");
    FrameworkRules rules = Variant<Framework>("megatron-lm")->MakeRules();
    rules.vocabularyMultiple = 0;
    rules.stageLayers = {5, 9, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 9, 7};
    ASSERT_EQ(MakeShardSpec(8, 4, 16).Validate(model, rules), "");
    uint64_t sum = 0;
    for (uint32_t stage = 0; stage < 16; ++stage)
    {
        const ShardingPlan plan(model, MakeShardSpec(1, 4, 16), rules, stage);
        const auto layers =
            std::count_if(plan.GetUnits().begin(), plan.GetUnits().end(), [](const auto& unit) {
                return unit.kind == ShardingUnit::LAYER;
            });
        EXPECT_EQ(layers, rules.stageLayers[stage]) << stage;
        sum += plan.GetParameters();
    }
    EXPECT_EQ(sum, model.GetParameters());
}

TEST(ShardingPlan, BucketsOfTensorsInBackwardOrder)
{
    const auto model = *TransformerSpec::Find("llama3-8b");
    FrameworkRules rules = Variant<Framework>("torchtitan")->MakeRules();
    EXPECT_TRUE(ShardingPlan(model, MakeShardSpec(1, 8, 1), rules, 0).GetBuckets().empty());
    rules.dataParallelism = DataParallelism::DDP;
    ParallelismSpec spec;
    spec.replicate = 8;
    const auto buckets = ShardingPlan(model, spec, rules, 0).GetBuckets();
    // Bucket ends at 26'214'400: the output; the final norm with w3 of the last layer; w2; w1;
    // then ffn_norm, wo, wv and wk, with wq; then attention_norm, with w3 of the layer before.
    ASSERT_EQ(buckets.size(), 1U + 32 * 4 + 1);
    EXPECT_EQ(buckets[0].parameters, 128256U * 4096);
    EXPECT_EQ(buckets[0].units, (std::vector<std::size_t>{33}));
    EXPECT_EQ(buckets[1].parameters, 4096U + 14336U * 4096);
    EXPECT_EQ(buckets[1].units, (std::vector<std::size_t>{33, 32}));
    EXPECT_EQ(buckets[2].parameters, 14336U * 4096);
    EXPECT_EQ(buckets[3].parameters, 14336U * 4096);
    EXPECT_EQ(buckets[4].parameters, 4096U + 41'943'040U);
    EXPECT_EQ(buckets[4].units, (std::vector<std::size_t>{32}));
    EXPECT_EQ(buckets[5].units, (std::vector<std::size_t>{32, 31}));
    EXPECT_EQ(buckets.back().parameters, 4096U + 128256U * 4096);
    EXPECT_EQ(buckets.back().units, (std::vector<std::size_t>{1, 0}));
    uint64_t sum = 0;
    for (const auto& bucket : buckets)
    {
        EXPECT_EQ(bucket.copies, GroupRole::DATA);
        sum += bucket.parameters;
    }
    EXPECT_EQ(sum, model.GetParameters());
}

TEST(ShardingPlan, BucketsOfTheDistributedOptimizer)
{
    const auto model = *TransformerSpec::Find("llama3-8b");
    FrameworkRules rules = Variant<Framework>("megatron-lm")->MakeRules();
    ParallelismSpec spec = MakeShardSpec(2, 1, 1);
    spec.replicate = 4;
    const ShardingPlan plan(model, spec, rules, 0);
    EXPECT_EQ(plan.GetUnits().front().shards, GroupRole::DATA);
    EXPECT_EQ(plan.GetShardParameters() * 4, plan.GetParameters());
    // Not beside the backward: one, and everything divides by 128.
    ASSERT_EQ(plan.GetBuckets().size(), 1U);
    EXPECT_EQ(plan.GetBuckets()[0].parameters, 4'015'263'744U);
    EXPECT_EQ(plan.GetBuckets()[0].units.front(), 33U);
    EXPECT_EQ(plan.GetBuckets()[0].units.back(), 0U);
    rules.overlapsReduction = true;
    // On the first stage; larger ones for more than 40 ranks.
    spec = MakeShardSpec(2, 1, 2);
    spec.replicate = 4;
    const ShardingPlan first(model, spec, rules, 0);
    EXPECT_GT(first.GetBuckets().size(), 10U);
    for (const auto& bucket : first.GetBuckets())
    {
        EXPECT_GE(bucket.parameters, 40'000'000U);
    }
    EXPECT_EQ(ShardingPlan(model, spec, rules, 1).GetBuckets().size(), 1U);
    spec.replicate = 200;
    for (const auto& bucket : ShardingPlan(model, spec, rules, 0).GetBuckets())
    {
        EXPECT_GE(bucket.parameters, 200'000'000U);
        EXPECT_EQ(bucket.parameters % (128 * 25), 0U); // lcm of 128 and 200
    }
    // Tensors start at multiples of 64: a norm of 100 fills 128.
    auto odd = *TransformerSpec::Find("debugmodel");
    odd.hidden = 100;
    odd.layers = 1;
    spec = MakeShardSpec(1, 1, 1);
    spec.replicate = 3;
    const auto buckets = ShardingPlan(odd, spec, rules, 0).GetBuckets();
    ASSERT_EQ(buckets.size(), 1U);
    // Norms 3 x 128; 256 x 100, 100 x 256, 768 x 100 and 2048 x 100 fit; to a multiple of 384.
    const uint64_t sum = 3 * 128U + 4 * 25600U + 3 * 76800U + 2 * 204800U;
    EXPECT_EQ(buckets[0].parameters, (sum + 383) / 384 * 384);
}

TEST(ShardingPlan, ExpertsAndSharedEmbeddingsHaveBucketsOfTheirOwn)
{
    FrameworkRules rules = Variant<Framework>("megatron-lm")->MakeRules();
    rules.sequenceParallel = true;
    ParallelismSpec spec = MakeShardSpec(1, 8, 1);
    spec.ep = 4;
    const auto mixtral = *TransformerSpec::Find("mixtral-8x7b");
    const auto buckets = ShardingPlan(mixtral, spec, rules, 0).GetBuckets();
    ASSERT_EQ(buckets.size(), 2U);
    EXPECT_EQ(buckets[0].copies, GroupRole::DATA);
    EXPECT_EQ(buckets[1].copies, GroupRole::EXPERT_DATA);
    EXPECT_EQ(buckets[1].parameters, uint64_t{32} * 2 * 3 * 4096 * 14336);
    EXPECT_EQ(buckets[1].units.size(), 32U);
    // Tied embeddings: of the last stage the matrix first, then the rest; of the first stage the
    // positions and layers, then the matrix.
    const auto gpt = *TransformerSpec::Find("gpt3-175b");
    spec = MakeShardSpec(8, 1, 2);
    spec.replicate = 2;
    const uint64_t matrix = uint64_t{6400} * 12288;
    const auto first = ShardingPlan(gpt, spec, rules, 0).GetBuckets();
    ASSERT_EQ(first.size(), 2U);
    EXPECT_EQ(first[1].parameters, matrix);
    EXPECT_EQ(first[1].units, (std::vector<std::size_t>{0}));
    const auto last = ShardingPlan(gpt, spec, rules, 1).GetBuckets();
    ASSERT_EQ(last.size(), 2U);
    EXPECT_EQ(last[0].parameters, matrix);
}
