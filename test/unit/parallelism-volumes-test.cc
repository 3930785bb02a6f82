// SPDX-License-Identifier: GPL-2.0-only

#include "workload-jobs.h"

#include "ns3/framework.h"
#include "ns3/tensor-emitter.h"
#include "ns3/unit-emitter.h"

#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

using namespace ns3;

namespace
{

constexpr uint64_t LAYERS = 6;   //!< of debugmodel
constexpr uint64_t HIDDEN = 256; //!< of debugmodel

/// @return rules of a framework, recomputing nothing unless told
FrameworkRules
MakeRules(const char* framework, Recomputation recomputation = Recomputation::NONE)
{
    FrameworkRules rules = Variant<Framework>(framework)->MakeRules();
    rules.recomputation = recomputation;
    return rules;
}

/// @return degrees of a small job
ParallelismSpec
MakeVolumeDegrees(uint32_t tp, uint32_t fsdp, uint32_t cp = 1)
{
    ParallelismSpec degrees{tp, fsdp, 1};
    degrees.cp = cp;
    degrees.seqLen = 1024;
    return degrees;
}

/// @return volumes of rank 0 over a group
std::map<CollectiveKind, Volume>
MeasureRole(const WorkloadSpec& job, GroupRole role)
{
    return Measure(*Build(job)[0],
                   [role](const auto& operation) { return operation.role == role; });
}

/// @return a small model with experts in all layers but the first
TransformerSpec
MakeExperts()
{
    TransformerSpec model = *TransformerSpec::Find("debugmodel");
    model.name = "experts";
    model.moe = {8, 2, 128, 1, 1};
    return model;
}

} // namespace

TEST(ParallelismVolumes, HsdpSumsShardsOverReplicas)
{
    ParallelismSpec degrees = MakeVolumeDegrees(1, 2);
    degrees.replicate = 3;
    degrees.microBatches = 2;
    const auto job = MakeJob("debugmodel", degrees, MakeRules("torchtitan"));
    const uint64_t parameters = job.model.GetParameters();
    auto shards = MeasureRole(job, GroupRole::FSDP);
    auto replicas = MeasureRole(job, GroupRole::REPLICATE);
    EXPECT_EQ(shards[CollectiveKind::REDUCE_SCATTER].bytes, 2 * 4 * parameters);
    EXPECT_EQ(replicas[CollectiveKind::ALL_REDUCE].bytes, 2 * 4 * parameters / 2);
    EXPECT_EQ(replicas[CollectiveKind::ALL_REDUCE].count, 2 * (LAYERS + 2));
}

TEST(ParallelismVolumes, ReplicasReduceOnceAStep)
{
    ParallelismSpec degrees = MakeVolumeDegrees(1, 1);
    degrees.replicate = 4;
    degrees.microBatches = 3;
    FrameworkRules rules = MakeRules("megatron-lm");
    rules.dataParallelism = DataParallelism::DDP;
    const uint64_t parameters = TransformerSpec::Find("debugmodel")->GetParameters();
    for (const auto precision : {Precision::FP32, Precision::BF16})
    {
        rules.gradients = precision;
        const uint64_t bytes = precision == Precision::FP32 ? 4 : 2;
        auto volumes = MeasureRole(MakeJob("debugmodel", degrees, rules), GroupRole::DATA);
        // And sum of losses and number of tokens.
        EXPECT_EQ(volumes[CollectiveKind::ALL_REDUCE].bytes, bytes * parameters + 8);
        EXPECT_EQ(volumes[CollectiveKind::ALL_REDUCE].count, 2U);
    }
    rules.overlapsReduction = true;
    rules.bucketParameters = 1;
    rules.bucketParametersPerRank = 0;
    auto volumes = MeasureRole(MakeJob("debugmodel", degrees, rules), GroupRole::DATA);
    EXPECT_EQ(volumes[CollectiveKind::ALL_REDUCE].bytes, 2 * parameters + 8);
    EXPECT_GT(volumes[CollectiveKind::ALL_REDUCE].count, LAYERS);
}

TEST(ParallelismVolumes, ReplicasReduceInEveryBackwardUnlessGradientsAreAddedUp)
{
    ParallelismSpec degrees = MakeVolumeDegrees(1, 1);
    degrees.replicate = 4;
    degrees.microBatches = 3;
    FrameworkRules rules = MakeRules("torchtitan");
    rules.dataParallelism = DataParallelism::DDP;
    const uint64_t parameters = TransformerSpec::Find("debugmodel")->GetParameters();
    for (const bool overlaps : {false, true})
    {
        rules.overlapsReduction = overlaps;
        auto volumes = MeasureRole(MakeJob("debugmodel", degrees, rules), GroupRole::DATA);
        EXPECT_EQ(volumes[CollectiveKind::ALL_REDUCE].bytes, 3 * 4 * parameters);
    }
}

TEST(ParallelismVolumes, ValidTokensAreCountedOverRanksWithDifferentSequences)
{
    for (const uint32_t fsdp : {1, 2})
    {
        const auto job =
            MakeJob("debugmodel", MakeVolumeDegrees(1, fsdp, 2), MakeRules("torchtitan"));
        auto volumes = MeasureRole(job, GroupRole::BATCH);
        EXPECT_EQ(volumes[CollectiveKind::ALL_REDUCE].bytes, fsdp == 1 ? 0U : 8U);
        EXPECT_EQ(MeasureRole(job, GroupRole::DATA).size(), 0U);
        EXPECT_EQ(DeviceMesh(job.parallelism).GetGroup(0, GroupRole::BATCH).GetSize(), fsdp);
    }
}

TEST(ParallelismVolumes, RanksOfACopyOfTheModelAgreeOnTheUpdate)
{
    ParallelismSpec degrees = MakeVolumeDegrees(2, 1);
    degrees.replicate = 2;
    degrees.pp = 2;
    degrees.microBatches = 2;
    FrameworkRules rules = MakeRules("megatron-lm");
    for (const bool isDistributed : {true, false})
    {
        rules.dataParallelism =
            isDistributed ? DataParallelism::DISTRIBUTED_OPTIMIZER : DataParallelism::DDP;
        const auto job = MakeJob("debugmodel", degrees, rules);
        // Success and norm; the norm's sum is theirs too if all replicas own all gradients.
        auto volumes = MeasureRole(job, GroupRole::MODEL);
        EXPECT_EQ(volumes[CollectiveKind::ALL_REDUCE].count, isDistributed ? 2U : 3U);
        EXPECT_EQ(volumes[CollectiveKind::ALL_REDUCE].bytes, isDistributed ? 8U : 12U);
        EXPECT_EQ(MeasureRole(job, GroupRole::PP)[CollectiveKind::ALL_REDUCE].count, 0U);
        EXPECT_EQ(DeviceMesh(job.parallelism).GetGroup(0, GroupRole::MODEL).GetSize(), 4U);
    }
}

TEST(ParallelismVolumes, TiedEmbeddingsStayGatheredUntilTheirBackward)
{
    FrameworkRules rules = MakeRules("torchtitan");
    ParallelismSpec degrees = MakeVolumeDegrees(1, 4);
    degrees.microBatches = 3;
    WorkloadSpec job = MakeJob("debugmodel", degrees, rules);
    const uint64_t embedding = 2048 * HIDDEN;
    for (const auto policy : {ReshardPolicy::DEFAULT, ReshardPolicy::ALWAYS})
    {
        job.rules.reshard = policy;
        job.model.tiedEmbeddings = true;
        ASSERT_EQ(job.Validate(), "");
        auto volumes = Measure(*Build(job)[0], [](const auto& operation) {
            return operation.label.find("embedding parameters") != std::string::npos;
        });
        // Once for both passes.
        EXPECT_EQ(volumes[CollectiveKind::ALL_GATHER].count, 3U);
        EXPECT_EQ(volumes[CollectiveKind::ALL_GATHER].bytes, 3 * 2 * embedding / 4);
        EXPECT_EQ(MeasureRole(job, GroupRole::FSDP)[CollectiveKind::REDUCE_SCATTER].bytes,
                  3 * 4 * job.model.GetParameters());
    }
}

TEST(ParallelismVolumes, ExpertsOnTpRanksKeepTheirPartOfTheGradientOfTheInput)
{
    ParallelismSpec degrees = MakeVolumeDegrees(2, 2);
    degrees.ep = 2;
    WorkloadSpec job = MakeJob("debugmodel", MakeVolumeDegrees(2, 2), MakeRules("torchtitan"));
    job.parallelism = degrees;
    job.parallelism.gpusPerDomain = 2;
    for (const uint32_t shared : {0, 1})
    {
        for (const uint32_t expertTp : {1, 2})
        {
            job.model.moe = {8, 2, 128, shared, 1};
            job.parallelism.expertTp = expertTp;
            ASSERT_EQ(job.Validate(), "");
            auto volumes = Measure(*Build(job)[0], [](const auto& operation) {
                return IsTp(operation) && operation.bytes == 1024 * HIDDEN * 2;
            });
            EXPECT_EQ(volumes[CollectiveKind::REDUCE_SCATTER].count, 4 * LAYERS + 2 - (LAYERS - 1));
            EXPECT_EQ(volumes[CollectiveKind::ALL_REDUCE].count, shared * 2 * (LAYERS - 1));
        }
    }
    // Before PyTorch 2.11: shared experts reduce the gradient of their result once for the gradient
    // of their input and once for that of their weight.
    job.rules.multipliesPartialSums = false;
    auto volumes = Measure(*Build(job)[0], [](const auto& operation) {
        return IsTp(operation) && operation.label.find("result gradient") != std::string::npos;
    });
    EXPECT_EQ(volumes.size(), 1U);
    EXPECT_EQ(volumes[CollectiveKind::ALL_REDUCE].bytes, 2 * (LAYERS - 1) * 1024 * HIDDEN * 2);
}

TEST(ParallelismVolumes, DtensorTakesTheCheapestWayToAProductOfAPartialSum)
{
    constexpr uint64_t MB = 1'000'000;
    // A large sum is scattered; what it is multiplied with is moved, or gathered if it is tiny.
    EXPECT_EQ(ChooseProduct(100 * MB, 10 * MB, 4, 4), PartialProduct::EXCHANGE);
    EXPECT_EQ(ChooseProduct(100 * MB, MB / 100, 4, 4), PartialProduct::GATHER);
    // Nothing is gained if the other factor is as large, or if latencies count.
    EXPECT_EQ(ChooseProduct(100 * MB, 400 * MB, 4, 4), PartialProduct::REDUCE);
    EXPECT_EQ(ChooseProduct(MB, MB / 10, 2, 4), PartialProduct::REDUCE);
    // Beyond a host DTensor assumes less bandwidth and more latency.
    EXPECT_EQ(ChooseProduct(2 * MB, 2 * MB, 2, 2), PartialProduct::REDUCE);
    EXPECT_EQ(ChooseProduct(2 * MB, 2 * MB, 2, 1), PartialProduct::EXCHANGE);
}

TEST(ParallelismVolumes, APipelineReducesPartialGradientsOnce)
{
    ParallelismSpec degrees = MakeVolumeDegrees(2, 2);
    degrees.microBatches = 4;
    for (const uint32_t pp : {1, 2})
    {
        degrees.pp = pp;
        const auto job = MakeJob("debugmodel", degrees, MakeRules("torchtitan"));
        auto norms = Measure(*Build(job)[0], [](const auto& operation) {
            return operation.label.find(" norm gradient") != std::string::npos;
        });
        // In bf16 after each backward; in fp32 after the last one of three layers.
        EXPECT_EQ(norms[CollectiveKind::ALL_REDUCE].bytes,
                  HIDDEN * (pp == 1 ? 4 * (2 * LAYERS + 1) * 2 : LAYERS * 4));
    }
}

TEST(ParallelismVolumes, LearnedPositionsAreAddedToWholeEmbeddings)
{
    FrameworkRules rules = MakeRules("megatron-lm");
    rules.sequenceParallel = true;
    WorkloadSpec job = MakeJob("debugmodel", MakeVolumeDegrees(2, 1), rules);
    for (const uint32_t positions : {0, 2048})
    {
        job.model.learnedPositions = positions;
        ASSERT_EQ(job.Validate(), "");
        auto volumes = Measure(*Build(job)[0], [](const auto& operation) {
            return IsTp(operation) && operation.bytes == 1024 * HIDDEN * 2;
        });
        const uint64_t whole = positions > 0 ? 1 : 0;
        EXPECT_EQ(volumes[CollectiveKind::ALL_REDUCE].count, whole);
        EXPECT_EQ(volumes[CollectiveKind::REDUCE_SCATTER].count, 4 * LAYERS + 2 - whole);
    }
}

TEST(ParallelismVolumes, DistributedOptimizerScattersAndGathers)
{
    ParallelismSpec degrees = MakeVolumeDegrees(1, 1);
    degrees.replicate = 4;
    const auto job = MakeJob("debugmodel", degrees, MakeRules("megatron-lm"));
    const uint64_t parameters = job.model.GetParameters();
    auto volumes = MeasureRole(job, GroupRole::DATA);
    EXPECT_EQ(volumes[CollectiveKind::REDUCE_SCATTER].bytes, 4 * parameters);
    EXPECT_EQ(volumes[CollectiveKind::ALL_GATHER].bytes, 2 * parameters / 4);
}

TEST(ParallelismVolumes, TensorParallelismByStyleAndRecomputation)
{
    struct Case
    {
        const char* framework;
        bool isSequenceParallel;
        Recomputation recomputation;
        uint64_t gathers;    //!< of tokens
        uint64_t reductions; //!< of tokens: ReduceScatters, or AllReduces
    };

    constexpr uint64_t L = LAYERS;
    const Case cases[] = {
        {"torchtitan", true, Recomputation::NONE, 4 * L + 2, 4 * L + 2},
        {"torchtitan", true, Recomputation::SELECTIVE, 6 * L + 2, 4 * L + 2},
        {"torchtitan", true, Recomputation::FULL, 6 * L + 2, 6 * L + 2},
        {"torchtitan", false, Recomputation::NONE, 0, 4 * L + 2},
        {"megatron-lm", false, Recomputation::NONE, 0, 4 * L + 2},
        {"megatron-lm", false, Recomputation::SELECTIVE, 0, 4 * L + 2},
        {"megatron-lm", false, Recomputation::FULL, 0, 6 * L + 2},
        // Inputs of column-parallel products are gathered again for the gradients of weights.
        {"megatron-lm", true, Recomputation::NONE, 6 * L + 3, 4 * L + 2},
        {"megatron-lm", true, Recomputation::FULL, 8 * L + 3, 6 * L + 2},
    };
    for (const auto& item : cases)
    {
        FrameworkRules rules = MakeRules(item.framework, item.recomputation);
        rules.sequenceParallel = item.isSequenceParallel;
        const auto job = MakeJob("debugmodel", MakeVolumeDegrees(2, 2), rules);
        const uint64_t unit = 1024 * HIDDEN * 2;
        const auto program = Build(job)[0];
        auto tokens = Measure(*program, [unit](const auto& operation) {
            return IsTp(operation) && (operation.bytes == unit || operation.bytes == unit / 2);
        });
        EXPECT_EQ(tokens[CollectiveKind::ALL_GATHER].count, item.gathers) << item.framework;
        const auto kind =
            item.isSequenceParallel ? CollectiveKind::REDUCE_SCATTER : CollectiveKind::ALL_REDUCE;
        EXPECT_EQ(tokens[kind].count, item.reductions) << item.framework;
        // Norms: each in every backward in bf16, or all at the end in fp32, or none.
        const bool isMegatron = std::string(item.framework) == "megatron-lm";
        uint64_t norms = 0;
        for (const auto& operation : program->GetOperations())
        {
            const bool isNorm = operation.label.find(" norm gradient") != std::string::npos ||
                                operation.label == "replicated gradients";
            norms += isNorm ? operation.bytes : 0;
        }
        EXPECT_EQ(norms, item.isSequenceParallel ? (2 * L + 1) * HIDDEN * (isMegatron ? 4 : 2) : 0);
    }
}

TEST(ParallelismVolumes, WithoutLossParallelismScoresAreGathered)
{
    FrameworkRules rules = MakeRules("torchtitan");
    rules.lossParallel = false;
    const auto program = Build(MakeJob("debugmodel", MakeVolumeDegrees(2, 2), rules))[0];
    auto volumes = Measure(*program, [](const auto& operation) {
        return operation.label == "forward 0 output gather scores";
    });
    EXPECT_EQ(volumes[CollectiveKind::ALL_GATHER].bytes, 1024U * 2048 / 2 * 2);
    for (const auto& operation : program->GetOperations())
    {
        EXPECT_EQ(operation.label.find("loss maximum"), std::string::npos);
    }
}

TEST(ParallelismVolumes, ContextParallelism)
{
    constexpr uint64_t cp = 4;
    constexpr uint64_t K = 1024 / cp * 2 * (16 / 2) * 16 * 2; // keys and values of a rank

    struct Case
    {
        const char* framework;
        ContextExchange exchange;
        Recomputation recomputation;
        uint64_t gathered;  //!< a layer
        uint64_t scattered; //!< a layer
        uint64_t passed;    //!< a layer
    };

    const Case cases[] = {
        {"torchtitan", ContextExchange::ALL_GATHER, Recomputation::NONE, 2 * K, 0, cp * 2 * K},
        {"torchtitan", ContextExchange::ALL_GATHER, Recomputation::FULL, 3 * K, 0, cp * 2 * K},
        {"torchtitan",
         ContextExchange::RING,
         Recomputation::NONE,
         0,
         0,
         2 * (cp - 1) * K + cp * 2 * K},
        {"megatron-lm", ContextExchange::ALL_GATHER, Recomputation::NONE, 2 * K, cp * K, 0},
        {"megatron-lm", ContextExchange::RING, Recomputation::NONE, 0, 0, 3 * (cp - 1) * K},
        {"megatron-lm", ContextExchange::RING, Recomputation::SELECTIVE, 0, 0, 4 * (cp - 1) * K},
    };
    for (const auto& item : cases)
    {
        FrameworkRules rules = MakeRules(item.framework, item.recomputation);
        rules.context = item.exchange;
        const auto job = MakeJob("debugmodel", MakeVolumeDegrees(2, 2, cp), rules);
        auto volumes = MeasureRole(job, GroupRole::CP);
        EXPECT_EQ(volumes[CollectiveKind::ALL_GATHER].bytes, LAYERS * item.gathered);
        EXPECT_EQ(volumes[CollectiveKind::REDUCE_SCATTER].bytes, LAYERS * item.scattered);
        EXPECT_EQ(volumes[CollectiveKind::ALL_TO_ALL].bytes, LAYERS * item.passed);
    }
    // Parameters are sharded over these ranks, too.
    const auto job = MakeJob("debugmodel", MakeVolumeDegrees(1, 2, cp), MakeRules("torchtitan"));
    EXPECT_EQ(MeasureRole(job, GroupRole::FSDP)[CollectiveKind::REDUCE_SCATTER].bytes,
              4 * job.model.GetParameters());
}

TEST(ParallelismVolumes, PassesOfARingGoToTheNextRank)
{
    FrameworkRules rules = MakeRules("torchtitan");
    rules.context = ContextExchange::RING;
    const auto program = Build(MakeJob("debugmodel", MakeVolumeDegrees(1, 1, 4), rules))[0];
    uint32_t passes = 0;
    for (const auto& operation : program->GetOperations())
    {
        if (operation.kind != CollectiveKind::ALL_TO_ALL || operation.place == RankOperation::GPU)
        {
            continue;
        }
        ++passes;
        ASSERT_TRUE(operation.sizes);
        for (uint32_t i = 0; i < 4; ++i)
        {
            for (uint32_t j = 0; j < 4; ++j)
            {
                EXPECT_EQ(operation.sizes->GetBytes(i, j), j == (i + 1) % 4 ? operation.bytes : 0);
            }
        }
    }
    EXPECT_EQ(passes, LAYERS * (3 + 3 + 4));
}

TEST(ParallelismVolumes, ExpertsThatAreSplit)
{
    ParallelismSpec degrees = MakeVolumeDegrees(2, 4);
    degrees.ep = 4;
    degrees.expertTp = 2;
    constexpr uint64_t layers = LAYERS - 1;
    constexpr uint64_t row = HIDDEN * 2;
    // DTENSOR: every TP rank sends the rows of all tokens and sums their gradients.
    WorkloadSpec job = MakeJob("debugmodel", MakeVolumeDegrees(2, 4), MakeRules("torchtitan"));
    job.model = MakeExperts();
    job.parallelism = degrees;
    job.parallelism.gpusPerDomain = 2;
    ASSERT_EQ(job.Validate(), "");
    constexpr uint64_t rows = 1024 * 2;
    EXPECT_EQ(MeasureRole(job, GroupRole::EP)[CollectiveKind::ALL_TO_ALL].bytes,
              layers * (4 * rows * row + 8 * 8));
    auto split = Measure(*Build(job)[0], [](const auto& operation) {
        return operation.label.find("sum row gradients") != std::string::npos;
    });
    EXPECT_EQ(split[CollectiveKind::ALL_REDUCE].bytes, layers * rows * row);
    // MEGATRON: each sends the rows of its tokens, with probabilities; ranks that split experts
    // gather them and scatter results.
    job.rules = MakeRules("megatron-lm");
    job.rules.sequenceParallel = true;
    ASSERT_EQ(job.Validate(), "");
    constexpr uint64_t own = rows / 2;
    EXPECT_EQ(MeasureRole(job, GroupRole::EP)[CollectiveKind::ALL_TO_ALL].bytes,
              layers * (4 * own * row + 2 * own * 2));
    split = Measure(*Build(job)[0], [](const auto& operation) {
        return operation.role == GroupRole::EXPERT_TP &&
               operation.label.find("row") != std::string::npos;
    });
    EXPECT_EQ(split[CollectiveKind::ALL_GATHER].bytes, layers * own * (2 * row + 2));
    EXPECT_EQ(split[CollectiveKind::REDUCE_SCATTER].bytes, layers * 2 * own * (2 * row + 2));
}

TEST(ParallelismVolumes, UnpopularExpertsGetLess)
{
    ParallelismSpec degrees = MakeVolumeDegrees(1, 4);
    degrees.ep = 4;
    WorkloadSpec job = MakeJob("debugmodel", MakeVolumeDegrees(1, 4), MakeRules("torchtitan"));
    job.model = MakeExperts();
    job.parallelism = degrees;
    job.popularity.kind = ExpertPopularity::ZIPF;
    ASSERT_EQ(job.Validate(), "");
    const auto programs = Build(job);
    ASSERT_EQ(programs.size(), 4U);
    uint64_t sum = 0;
    std::set<uint64_t> different;
    for (const auto& program : programs)
    {
        const uint64_t bytes = Measure(*program, IsAny)[CollectiveKind::ALL_TO_ALL].bytes;
        sum += bytes;
        different.insert(bytes);
    }
    // Every row goes there and back, twice.
    EXPECT_EQ(sum, 4ULL * (LAYERS - 1) * (4 * 1024 * 2 * HIDDEN * 2 + 8 * 8));
    EXPECT_GT(different.size(), 1U);
}

TEST(ParallelismVolumes, TiedEmbeddingsInAPipeline)
{
    FrameworkRules rules = MakeRules("megatron-lm");
    ParallelismSpec degrees{2, 1, 3};
    degrees.microBatches = 3;
    WorkloadSpec job = MakeJob("debugmodel", degrees, rules);
    job.model.tiedEmbeddings = true;
    ASSERT_EQ(job.Validate(), "");
    const auto programs = Build(job);
    for (uint32_t rank : {0, 1, 2})
    {
        auto volumes = Measure(*programs[rank], [](const auto& operation) {
            return operation.role == GroupRole::EMBEDDING;
        });
        EXPECT_EQ(volumes[CollectiveKind::ALL_REDUCE].bytes,
                  rank == 1 ? 0U : 2048U / 2 * HIDDEN * 4);
    }
}

TEST(ParallelismVolumes, PartsOfABackwardAreTheWhole)
{
    for (const auto& framework : Variant<Framework>::GetNames())
    {
        for (const char* name : {"debugmodel", "deepseek-v3-16b"})
        {
            FrameworkRules rules = MakeRules(framework.c_str(), Recomputation::SELECTIVE);
            rules.sequenceParallel = true;
            rules.context = ContextExchange::RING;
            ParallelismSpec degrees = MakeVolumeDegrees(4, 4, 2);
            degrees.ep = std::string(name) == "debugmodel" ? 1 : 4;
            rules.split = StageSplit::WEIGHTED;
            const auto job = MakeJob(name, degrees, rules);
            const UnitEmitter steps(job, 0);
            const ShardingPlan plan(job.model, job.parallelism, job.rules, 0);
            for (const auto& unit : plan.GetUnits())
            {
                std::map<CollectiveKind, int64_t> bytes;
                double flops = 0;
                const auto add = [&](ComputePass pass, int sign) {
                    for (const auto& step : steps.Get(unit, pass))
                    {
                        if (step.isCollective)
                        {
                            bytes[step.collective.kind] +=
                                sign * static_cast<int64_t>(step.collective.bytes);
                        }
                        flops += sign * step.flops;
                    }
                };
                add(ComputePass::BACKWARD, 1);
                const double all = flops;
                add(ComputePass::BACKWARD_INPUT, -1);
                add(ComputePass::BACKWARD_WEIGHT, -1);
                for (const auto& [kind, rest] : bytes)
                {
                    EXPECT_EQ(rest, 0) << framework << " " << name << " " << ToString(kind);
                }
                EXPECT_NEAR(flops, 0, 1e-9 * all);
            }
        }
    }
}

TEST(ParallelismVolumes, ABackwardComputesWhatItRepeats)
{
    // A layer without experts and one with both kinds, and all blocks of a layer: those that the
    // layer does not have repeat nothing.
    const std::vector<ModelBlock> dense{ModelBlock::PROJECTION,
                                        ModelBlock::ATTENTION,
                                        ModelBlock::CONTEXT,
                                        ModelBlock::FFN};
    const std::vector<ModelBlock> experts{ModelBlock::PROJECTION,
                                          ModelBlock::ATTENTION,
                                          ModelBlock::CONTEXT,
                                          ModelBlock::ROUTER,
                                          ModelBlock::EXPERTS,
                                          ModelBlock::SHARED,
                                          ModelBlock::COMBINE};
    for (const auto& framework : Variant<Framework>::GetNames())
    {
        for (const uint32_t layer : {0, 1})
        {
            const auto getSteps = [&](Recomputation recomputation, ComputePass pass) {
                const auto job = MakeJob("deepseek-v3-16b",
                                         MakeVolumeDegrees(1, 1, 1),
                                         MakeRules(framework.c_str(), recomputation));
                ShardingUnit unit;
                unit.kind = ShardingUnit::LAYER;
                unit.layer = layer;
                return UnitEmitter(job, 0).Get(unit, pass);
            };
            const auto addFlops = [](const LayerSteps& steps) {
                double flops = 0;
                for (const auto& step : steps)
                {
                    EXPECT_TRUE(step.isCollective || step.duration.IsStrictlyPositive())
                        << "nothing to compute is no step: " << step.label;
                    flops += step.flops;
                }
                return flops;
            };
            const auto job = MakeJob("deepseek-v3-16b",
                                     MakeVolumeDegrees(1, 1, 1),
                                     MakeRules(framework.c_str(), Recomputation::SELECTIVE));
            const LayerOperators operators(job.model, job.parallelism, job.rules);
            double selective = 0;
            for (const auto block : job.model.IsMoeLayer(layer) ? experts : dense)
            {
                for (const auto& cost : operators.GetSelective(block))
                {
                    selective += cost.flops;
                }
            }
            const double forward = addFlops(getSteps(Recomputation::NONE, ComputePass::FORWARD));
            const double kept = addFlops(getSteps(Recomputation::NONE, ComputePass::BACKWARD));
            EXPECT_GT(selective, 0);
            EXPECT_LT(selective, forward);
            EXPECT_NEAR(addFlops(getSteps(Recomputation::SELECTIVE, ComputePass::BACKWARD)),
                        kept + selective,
                        1e-9 * kept)
                << framework << ", layer " << layer;
            EXPECT_NEAR(addFlops(getSteps(Recomputation::FULL, ComputePass::BACKWARD)),
                        kept + forward,
                        1e-9 * kept)
                << framework << ", layer " << layer;
        }
    }
}
