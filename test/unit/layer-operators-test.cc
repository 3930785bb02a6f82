// SPDX-License-Identifier: GPL-2.0-only

#include "model-flops.h"

#include "ns3/compute-model.h"
#include "ns3/framework.h"
#include "ns3/layer-operators.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

const std::vector<ModelBlock> ALL_BLOCKS = {ModelBlock::EMBEDDING,
                                            ModelBlock::PROJECTION,
                                            ModelBlock::ATTENTION,
                                            ModelBlock::CONTEXT,
                                            ModelBlock::FFN,
                                            ModelBlock::ROUTER,
                                            ModelBlock::SHARED,
                                            ModelBlock::EXPERTS,
                                            ModelBlock::COMBINE,
                                            ModelBlock::OUTPUT,
                                            ModelBlock::LOSS};

/// What operators ask for together.
struct Sum
{
    double flops{0};
    double bytes{0};

    bool operator==(const Sum& other) const
    {
        return flops == other.flops && bytes == other.bytes;
    }
};

Sum
Add(const OperatorCosts& costs)
{
    Sum sum;
    for (const auto& cost : costs)
    {
        sum.flops += cost.flops;
        sum.bytes += cost.bytes;
    }
    return sum;
}

/// @return the operators' names, in order
std::vector<std::string>
GetNames(const OperatorCosts& costs)
{
    std::vector<std::string> names;
    for (const auto& cost : costs)
    {
        names.push_back(cost.name);
    }
    return names;
}

/// @return bytes of the operators of a name
double
GetOperatorBytes(const OperatorCosts& costs, const std::string& name)
{
    double bytes = 0;
    for (const auto& cost : costs)
    {
        bytes += cost.name == name ? cost.bytes : 0;
    }
    return bytes;
}

/// A job in one line.
struct Job
{
    std::string model;
    ParallelismSpec degrees;
    std::string framework{"torchtitan"};
    bool isMixed{true}; //!< activations are bf16
    KernelFusion fusion{KernelFusion::ALL};
    ProductFormat products{ProductFormat::BF16};
    bool fusesAttention{true};

    LayerOperators Get() const
    {
        FrameworkRules rules = Variant<Framework>(framework)->MakeRules();
        rules.mixesAlways = isMixed;
        rules.fusion = fusion;
        rules.products = products;
        rules.fusesAttention = fusesAttention;
        return {*TransformerSpec::Find(model), degrees, rules};
    }
};

/// @return degrees with a sequence length
ParallelismSpec
MakeTensorDegrees(uint32_t tp, uint32_t cp = 1, uint32_t seqLen = 4096)
{
    ParallelismSpec degrees;
    degrees.tp = tp;
    degrees.cp = cp;
    degrees.seqLen = seqLen;
    return degrees;
}

/// @return FLOPs of one rank for a micro-batch through the whole model
double
AddModel(const Job& job, ComputePass pass)
{
    const auto model = *TransformerSpec::Find(job.model);
    const auto operators = job.Get();
    double flops = 0;
    for (const auto block : ALL_BLOCKS)
    {
        double layers = model.layers;
        switch (block)
        {
        case ModelBlock::EMBEDDING:
        case ModelBlock::OUTPUT:
        case ModelBlock::LOSS:
            layers = 1;
            break;
        case ModelBlock::FFN:
            layers = model.layers - model.GetMoeLayers();
            break;
        case ModelBlock::ROUTER:
        case ModelBlock::SHARED:
        case ModelBlock::EXPERTS:
        case ModelBlock::COMBINE:
            layers = model.GetMoeLayers();
            break;
        default:
            break;
        }
        flops += layers * Add(operators.Get(block, pass)).flops;
    }
    return flops;
}

} // namespace

TEST(LayerOperators, AForwardTakesTheFlopsOfTheModel)
{
    for (const auto& name : TransformerSpec::GetNames())
    {
        const Job job{name, MakeTensorDegrees(1)};
        const ModelFlops flops(*TransformerSpec::Find(name), 4096, ModelFlops::CAUSAL);
        EXPECT_EQ(AddModel(job, ComputePass::FORWARD), 4096.0 * flops.GetForward()) << name;
        EXPECT_EQ(AddModel(job, ComputePass::BACKWARD_WEIGHT),
                  4096.0 * 2 * flops.GetMatmulParameters())
            << name;
    }
}

TEST(LayerOperators, DenseModelsAreSharedOutEvenly)
{
    const double whole = AddModel({"llama3-8b", MakeTensorDegrees(1)}, ComputePass::FORWARD);
    EXPECT_EQ(AddModel({"llama3-8b", MakeTensorDegrees(8)}, ComputePass::FORWARD), whole / 8);
    EXPECT_EQ(AddModel({"llama3-8b", MakeTensorDegrees(1, 4)}, ComputePass::FORWARD), whole / 4);
    EXPECT_EQ(AddModel({"llama3-8b", MakeTensorDegrees(4, 2)}, ComputePass::FORWARD), whole / 8);
    ParallelismSpec batch = MakeTensorDegrees(8);
    batch.microBatchSize = 8;
    EXPECT_EQ(AddModel({"llama3-8b", batch}, ComputePass::FORWARD), whole);
}

TEST(LayerOperators, BackwardIsInputsThenWeights)
{
    ParallelismSpec degrees = MakeTensorDegrees(2, 2);
    for (const auto& name : TransformerSpec::GetNames())
    {
        for (const auto& framework : Variant<Framework>::GetNames())
        {
            const auto operators = Job{name, degrees, framework}.Get();
            for (const auto block : ALL_BLOCKS)
            {
                OperatorCosts parts = operators.Get(block, ComputePass::BACKWARD_INPUT);
                const auto weights = operators.Get(block, ComputePass::BACKWARD_WEIGHT);
                parts.insert(parts.end(), weights.begin(), weights.end());
                const auto both = operators.Get(block, ComputePass::BACKWARD);
                EXPECT_EQ(GetNames(both), GetNames(parts));
                EXPECT_TRUE(Add(both) == Add(parts)) << name;
            }
        }
    }
}

TEST(LayerOperators, AttentionIsFusedAndCausal)
{
    const auto operators = Job{"llama3-8b", MakeTensorDegrees(4, 1, 8192)}.Get();
    const auto forward = operators.Get(ModelBlock::ATTENTION, ComputePass::FORWARD);
    ASSERT_EQ(forward.size(), 1U);
    EXPECT_EQ(forward[0].kind, OperatorKind::ATTENTION);
    // 8 heads of 128: 2 products x 2 FLOPs x 8192 queries x 4096 keys.
    EXPECT_EQ(forward[0].flops, 8.0 * 2 * 2 * 128 * 8192 * 4096);
    // Queries and results of 8 heads, keys and values of 2.
    EXPECT_EQ(forward[0].bytes, 2.0 * 8192 * 128 * (8 + 8 + 2 + 2));
    const auto backward = operators.Get(ModelBlock::ATTENTION, ComputePass::BACKWARD);
    EXPECT_EQ(Add(backward).flops, 2.5 * forward[0].flops);
    EXPECT_EQ(Add(backward).bytes, 2 * forward[0].bytes);
    EXPECT_TRUE(operators.Get(ModelBlock::ATTENTION, ComputePass::BACKWARD_WEIGHT).empty());

    // MLA: 192 wide queries in three of five products, 128 wide values in two.
    const auto latent = Job{"deepseek-v3-16b", MakeTensorDegrees(1)}.Get();
    const double pairs = 16.0 * 4096 * 4096 / 2;
    EXPECT_EQ(Add(latent.Get(ModelBlock::ATTENTION, ComputePass::FORWARD)).flops,
              pairs * 2 * (192 + 128));
    EXPECT_EQ(Add(latent.Get(ModelBlock::ATTENTION, ComputePass::BACKWARD)).flops,
              pairs * 2 * (3 * 192 + 2 * 128));
}

TEST(LayerOperators, ContextParallelismKeepsAllKeysAndValues)
{
    const auto operators = Job{"llama3-8b", MakeTensorDegrees(1, 4, 8192)}.Get();
    const auto attention = Add(operators.Get(ModelBlock::ATTENTION, ComputePass::FORWARD));
    EXPECT_EQ(attention.flops, 32.0 * 2 * 2 * 128 * 2048 * 4096);
    EXPECT_EQ(attention.bytes, 2.0 * 128 * (2048 * (32 + 32) + 8192 * (8 + 8)));
}

TEST(LayerOperators, ProductsMoveWeightsInputsAndResults)
{
    const auto operators = Job{"llama3-8b", MakeTensorDegrees(4)}.Get();
    const auto costs = operators.Get(ModelBlock::FFN, ComputePass::FORWARD);
    EXPECT_EQ(GetNames(costs),
              (std::vector<std::string>{"ffn_norm",
                                        "feed_forward.w1",
                                        "feed_forward.w3",
                                        "SwiGLU",
                                        "feed_forward.w2",
                                        "residual"}));
    const double inner = 14336.0 / 4;
    const double product = 2 * (4096 * inner + 4096 * 4096.0 + 4096 * inner);
    for (const char* name : {"feed_forward.w1", "feed_forward.w2", "feed_forward.w3"})
    {
        EXPECT_EQ(GetOperatorBytes(costs, name), product) << name;
    }
    EXPECT_EQ(costs[1].flops, 2.0 * 4096 * 4096 * inner);
    // Two reads, one write.
    EXPECT_EQ(GetOperatorBytes(costs, "SwiGLU"), 3 * 2 * 4096 * inner);
    EXPECT_EQ(GetOperatorBytes(operators.Get(ModelBlock::FFN, ComputePass::BACKWARD), "SwiGLU"),
              5 * 2 * 4096 * inner);
}

TEST(LayerOperators, SequenceParallelismSharesNormsAndResiduals)
{
    const auto shared = Job{"llama3-8b", MakeTensorDegrees(4)}.Get();
    const auto whole = Job{"llama3-8b", MakeTensorDegrees(4), "megatron-lm"}.Get();
    for (const char* name : {"ffn_norm", "residual"})
    {
        const double bytes =
            GetOperatorBytes(whole.Get(ModelBlock::FFN, ComputePass::FORWARD), name);
        EXPECT_GT(bytes, 0);
        EXPECT_EQ(GetOperatorBytes(shared.Get(ModelBlock::FFN, ComputePass::FORWARD), name),
                  bytes / 4);
    }
    EXPECT_EQ(GetOperatorBytes(whole.Get(ModelBlock::FFN, ComputePass::FORWARD), "ffn_norm"),
              2 * 2 * 4096.0 * 4096);
    EXPECT_EQ(Add(shared.Get(ModelBlock::FFN, ComputePass::FORWARD)).flops,
              Add(whole.Get(ModelBlock::FFN, ComputePass::FORWARD)).flops);
}

TEST(LayerOperators, ReplicatedProductsSeeAllTokens)
{
    auto flops = [](const LayerOperators& operators, ModelBlock block, const std::string& name) {
        double sum = 0;
        for (const auto& cost : operators.Get(block, ComputePass::FORWARD))
        {
            sum += cost.name == name ? cost.flops : 0;
        }
        return sum;
    };
    const double down = 2.0 * 4096 * 2048 * (512 + 64);
    const double gate = 2.0 * 4096 * 2048 * 64;
    const auto one = Job{"deepseek-v3-16b", MakeTensorDegrees(1)}.Get();
    const auto four = Job{"deepseek-v3-16b", MakeTensorDegrees(4)}.Get();
    for (const auto& operators : {one, four})
    {
        EXPECT_EQ(flops(operators, ModelBlock::PROJECTION, "attention.wkv_a"), down);
        EXPECT_EQ(flops(operators, ModelBlock::ROUTER, "moe.router.gate"), gate);
    }
    EXPECT_EQ(flops(four, ModelBlock::PROJECTION, "attention.wkv_b"),
              flops(one, ModelBlock::PROJECTION, "attention.wkv_b") / 4);

    // The gate of TorchTitan sees all tokens wherever the experts are.
    ParallelismSpec degrees = MakeTensorDegrees(4);
    degrees.fsdp = 2;
    degrees.ep = 8;
    const auto dealt = Job{"deepseek-v3-16b", degrees}.Get();
    EXPECT_EQ(flops(dealt, ModelBlock::PROJECTION, "attention.wkv_a"), down);
    EXPECT_EQ(flops(dealt, ModelBlock::ROUTER, "moe.router.gate"), gate);

    // Megatron-LM with sequence parallelism gathers after both of them.
    FrameworkRules megatron = Variant<Framework>("megatron-lm")->MakeRules();
    megatron.sequenceParallel = true;
    const LayerOperators split(*TransformerSpec::Find("deepseek-v3-16b"), degrees, megatron);
    EXPECT_EQ(flops(split, ModelBlock::PROJECTION, "attention.wkv_a"), down / 4);
    EXPECT_EQ(flops(split, ModelBlock::ROUTER, "moe.router.gate"), gate / 4);
}

TEST(LayerOperators, ExpertsComputeWhatComes)
{
    ParallelismSpec degrees = MakeTensorDegrees(1);
    degrees.fsdp = 8;
    degrees.ep = 8;
    const auto operators = Job{"deepseek-v3-16b", degrees}.Get();
    EXPECT_EQ(operators.GetExpertRows(), 6.0 * 4096);
    const auto costs = operators.GetExperts(ComputePass::FORWARD, 1000);
    EXPECT_EQ(Add(costs).flops, 2.0 * 1000 * 3 * 2048 * 1408);
    for (const auto& cost : costs)
    {
        EXPECT_TRUE(cost.kind == OperatorKind::MEMORY || cost.kind == OperatorKind::GROUPED_MATMUL);
    }
    // Eight experts of a rank are read whatever comes.
    EXPECT_EQ(Add(operators.GetExperts(ComputePass::FORWARD, 0)).bytes, 2.0 * 8 * 3 * 2048 * 1408);
    EXPECT_TRUE(Add(operators.GetExperts(ComputePass::BACKWARD, 6 * 4096)) ==
                Add(operators.Get(ModelBlock::EXPERTS, ComputePass::BACKWARD)));
}

TEST(LayerOperators, ExpertsOnBorrowedRanksDoTheSameWorkTogether)
{
    // 16 ranks of one replica: whatever the layout, each does 1/16 of the rows.
    auto flops = [](uint32_t tp, uint32_t fsdp, uint32_t cp, uint32_t ep, uint32_t expertTp) {
        ParallelismSpec degrees = MakeTensorDegrees(tp, cp, 4096 * cp);
        degrees.fsdp = fsdp;
        degrees.ep = ep;
        degrees.expertTp = expertTp;
        const auto operators = Job{"deepseek-v3-16b", degrees}.Get();
        return Add(operators.Get(ModelBlock::EXPERTS, ComputePass::FORWARD)).flops *
               (tp * fsdp * cp);
    };
    const double row = 2.0 * 3 * 2048 * 1408;
    EXPECT_EQ(flops(1, 16, 1, 8, 1), 16 * 6 * 4096 * row);
    EXPECT_EQ(flops(4, 4, 1, 8, 1), 4 * 6 * 4096 * row);
    EXPECT_EQ(flops(4, 4, 1, 4, 4), 4 * 6 * 4096 * row);
    EXPECT_EQ(flops(2, 4, 2, 16, 1), 8 * 6 * 4096 * row);
}

TEST(LayerOperators, OneLayerOfExpertsIsEnough)
{
    TransformerSpec model = *TransformerSpec::Find("deepseek-v3-16b");
    const FrameworkRules rules = Variant<Framework>("torchtitan")->MakeRules();
    const LayerOperators several(model, MakeTensorDegrees(1), rules);
    model.moe.firstDense = model.layers - 1;
    ASSERT_EQ(model.GetMoeLayers(), 1U);
    const LayerOperators one(model, MakeTensorDegrees(1), rules);
    EXPECT_GT(Add(one.GetExperts(ComputePass::FORWARD, 1000)).flops, 0);
    EXPECT_TRUE(Add(one.GetExperts(ComputePass::FORWARD, 1000)) ==
                Add(several.GetExperts(ComputePass::FORWARD, 1000)));
}

TEST(LayerOperators, BlocksThatAModelLacksAreEmpty)
{
    const auto dense = Job{"llama3-8b", MakeTensorDegrees(1)}.Get();
    const auto experts = Job{"mixtral-8x7b", MakeTensorDegrees(1)}.Get();
    for (const auto block :
         {ModelBlock::ROUTER, ModelBlock::SHARED, ModelBlock::EXPERTS, ModelBlock::COMBINE})
    {
        EXPECT_TRUE(dense.Get(block, ComputePass::FORWARD).empty());
        EXPECT_TRUE(dense.GetSelective(block).empty());
    }
    EXPECT_TRUE(dense.GetExperts(ComputePass::FORWARD, 1000).empty());
    EXPECT_TRUE(experts.Get(ModelBlock::FFN, ComputePass::FORWARD).empty());
    EXPECT_TRUE(experts.Get(ModelBlock::SHARED, ComputePass::FORWARD).empty());
}

TEST(LayerOperators, WithoutDataParallelismActivationsHaveFourBytes)
{
    const Job mixed{"llama3-8b", MakeTensorDegrees(4)};
    Job whole = mixed;
    whole.isMixed = false;
    for (const auto block : {ModelBlock::PROJECTION, ModelBlock::ATTENTION, ModelBlock::FFN})
    {
        const auto pass = ComputePass::BACKWARD;
        EXPECT_EQ(Add(whole.Get().Get(block, pass)).bytes,
                  2 * Add(mixed.Get().Get(block, pass)).bytes);
        EXPECT_EQ(Add(whole.Get().Get(block, pass)).flops, Add(mixed.Get().Get(block, pass)).flops);
    }
    // Experts on several ranks, data ranks, and a single rank have mixed precision.
    whole.degrees.fsdp = 2;
    EXPECT_EQ(whole.Get().Get(ModelBlock::FFN, ComputePass::FORWARD).front().bytes,
              mixed.Get().Get(ModelBlock::FFN, ComputePass::FORWARD).front().bytes);
    EXPECT_EQ(MakeTensorDegrees(1).GetPrecision({}), Precision::BF16);
    FrameworkRules rules;
    rules.mixesAlways = false;
    EXPECT_EQ(MakeTensorDegrees(1).GetPrecision(rules), Precision::BF16);
    EXPECT_EQ(MakeTensorDegrees(2).GetPrecision(rules), Precision::FP32);
    EXPECT_EQ(MakeTensorDegrees(2, 2).GetPrecision(rules), Precision::BF16);
    ParallelismSpec experts = MakeTensorDegrees(2);
    experts.ep = 2;
    EXPECT_EQ(experts.GetPrecision(rules), Precision::BF16);
}

TEST(LayerOperators, EachOperationOfAnEagerOperatorPassesThroughTheMemory)
{
    // Llama 3 8B, 8192 tokens: values of the stream, of queries and keys, and inside the network.
    const Job fused{"llama3-8b", MakeTensorDegrees(1, 1, 8192)};
    Job eager = fused;
    eager.fusion = KernelFusion::NONE;
    Job norms = fused;
    norms.fusion = KernelFusion::NORMS;
    const double stream = 8192.0 * 4096;
    const double rotated = 8192.0 * (4096 + 1024);
    const double inner = 8192.0 * 14336;

    struct Case
    {
        ModelBlock block;
        const char* name;
        double values;
        double bytes[3][2]; // of a value: fused, with fused norms, eager; forward, backward
    };

    const Case cases[] = {
        {ModelBlock::FFN, "ffn_norm", stream, {{4, 6}, {4, 6}, {36, 72}}},
        {ModelBlock::FFN, "SwiGLU", inner, {{6, 10}, {10, 18}, {10, 18}}},
        {ModelBlock::FFN, "residual", stream, {{6, 6}, {6, 6}, {6, 6}}},
        {ModelBlock::PROJECTION, "rotation", rotated, {{4, 4}, {20, 20}, {20, 20}}},
    };
    for (const auto& one : cases)
    {
        const Job* jobs[] = {&fused, &norms, &eager};
        for (int i = 0; i < 3; ++i)
        {
            const auto operators = jobs[i]->Get();
            const auto forward = operators.Get(one.block, ComputePass::FORWARD);
            const auto backward = operators.Get(one.block, ComputePass::BACKWARD);
            EXPECT_EQ(GetOperatorBytes(forward, one.name), one.bytes[i][0] * one.values)
                << one.name << i;
            EXPECT_EQ(GetOperatorBytes(backward, one.name), one.bytes[i][1] * one.values)
                << one.name << i;
        }
    }
}

TEST(LayerOperators, AttentionThatIsNotFusedKeepsScoresOfAllPairs)
{
    const Job fused{"llama3-8b", MakeTensorDegrees(2, 1, 8192)};
    Job unfused = fused;
    unfused.fusesAttention = false;
    for (const auto pass : {ComputePass::FORWARD, ComputePass::BACKWARD})
    {
        // All pairs instead of half of them; only the fused one computes the scores again.
        const double repeated = pass == ComputePass::FORWARD ? 1 : 2.5 / 2;
        EXPECT_EQ(Add(unfused.Get().Get(ModelBlock::ATTENTION, pass)).flops * repeated,
                  2 * Add(fused.Get().Get(ModelBlock::ATTENTION, pass)).flops);
    }
    const auto forward = unfused.Get().Get(ModelBlock::ATTENTION, ComputePass::FORWARD);
    EXPECT_EQ(GetOperatorBytes(forward, "softmax"), 2 * 2 * 16.0 * 8192 * 8192);
}

TEST(LayerOperators, ProductsOfLayersAreInTheFormatOfTheJob)
{
    Job job{"mixtral-8x7b", MakeTensorDegrees(1)};
    job.products = ProductFormat::FP8;
    const auto operators = job.Get();
    for (const auto& [block, name, format] :
         {std::tuple(ModelBlock::PROJECTION, "wq", ProductFormat::FP8),
          std::tuple(ModelBlock::EXPERTS, "w1", ProductFormat::FP8),
          std::tuple(ModelBlock::ATTENTION, "attention", ProductFormat::BF16),
          std::tuple(ModelBlock::ROUTER, "gate", ProductFormat::BF16),
          std::tuple(ModelBlock::OUTPUT, "output", ProductFormat::BF16)})
    {
        bool isFound = false;
        for (const auto& cost : operators.Get(block, ComputePass::BACKWARD))
        {
            if (cost.name.find(name) != std::string::npos)
            {
                isFound = true;
                EXPECT_EQ(cost.format, format) << cost.name;
            }
        }
        EXPECT_TRUE(isFound) << name;
    }
    // Inputs and weights are read as bf16 and written as one byte before the forward.
    const auto context = operators.Get(ModelBlock::CONTEXT, ComputePass::FORWARD);
    EXPECT_EQ(GetOperatorBytes(context, "conversion to fp8"),
              3 * 4096.0 * (4096 + MakeTensorDegrees(1).GetTokens()));
}

TEST(ProductFormat, IsFp32WhereActivationsAre)
{
    FrameworkRules rules;
    rules.mixesAlways = false;
    const ParallelismSpec alone = MakeTensorDegrees(2);
    EXPECT_EQ(alone.GetProductFormat(rules), ProductFormat::FP32);
    EXPECT_EQ(MakeTensorDegrees(2, 2).GetProductFormat(rules), ProductFormat::BF16);
    rules.products = ProductFormat::TF32;
    EXPECT_EQ(alone.GetProductFormat(rules), ProductFormat::TF32);
    EXPECT_EQ(MakeTensorDegrees(2, 2).GetProductFormat(rules), ProductFormat::TF32);
    EXPECT_EQ(MakeTensorDegrees(2, 2).GetPrecision(rules), Precision::FP32);
}

TEST(LayerOperators, TheLossIsSharedIfTheVocabularyIs)
{
    FrameworkRules rules = Variant<Framework>("torchtitan")->MakeRules();
    rules.mixesAlways = true;
    const auto model = *TransformerSpec::Find("llama3-8b");
    const LayerOperators shared(model, MakeTensorDegrees(8), rules);
    rules.lossParallel = false;
    const LayerOperators whole(model, MakeTensorDegrees(8), rules);
    const double bytes = Add(whole.Get(ModelBlock::LOSS, ComputePass::FORWARD)).bytes;
    EXPECT_EQ(bytes, 4096.0 * 128256 * (2 + 4 + 4 + 4));
    EXPECT_EQ(Add(shared.Get(ModelBlock::LOSS, ComputePass::FORWARD)).bytes, bytes / 8);
    EXPECT_EQ(Add(shared.Get(ModelBlock::LOSS, ComputePass::BACKWARD)).bytes, bytes / 8);
}

TEST(LayerOperators, MegatronRepeatsTheCoreOfAttention)
{
    const auto operators = Job{"llama3-8b", MakeTensorDegrees(4), "megatron-lm"}.Get();
    for (const auto block : ALL_BLOCKS)
    {
        const bool isCore = block == ModelBlock::ATTENTION;
        EXPECT_EQ(operators.GetSelective(block).empty(), !isCore);
        EXPECT_FALSE(operators.RepeatsGather(block));
    }
    EXPECT_EQ(Add(operators.GetSelective(ModelBlock::ATTENTION)).flops,
              Add(operators.Get(ModelBlock::ATTENTION, ComputePass::FORWARD)).flops);
}

TEST(LayerOperators, TorchTitanRepeatsEverySecondProduct)
{
    const auto dense = Job{"llama3-8b", MakeTensorDegrees(4)}.Get();
    // wq, wk, wv, wo, w1, w3, w2: the second, fourth and sixth.
    EXPECT_EQ(GetNames(dense.GetSelective(ModelBlock::PROJECTION)),
              (std::vector<std::string>{"attention_norm", "attention.wk", "rotation"}));
    EXPECT_TRUE(dense.GetSelective(ModelBlock::ATTENTION).empty());
    EXPECT_EQ(GetNames(dense.GetSelective(ModelBlock::CONTEXT)),
              (std::vector<std::string>{"attention.wo", "residual"}));
    EXPECT_EQ(GetNames(dense.GetSelective(ModelBlock::FFN)),
              (std::vector<std::string>{"ffn_norm", "feed_forward.w3", "SwiGLU", "residual"}));
    for (const auto block : {ModelBlock::EMBEDDING, ModelBlock::OUTPUT, ModelBlock::LOSS})
    {
        EXPECT_TRUE(dense.GetSelective(block).empty());
    }
    EXPECT_TRUE(dense.RepeatsGather(ModelBlock::PROJECTION));
    EXPECT_TRUE(dense.RepeatsGather(ModelBlock::FFN));
    EXPECT_FALSE(dense.RepeatsGather(ModelBlock::OUTPUT));

    // wq_a, wq_b, wkv_a, wkv_b, wo, then w1, w3, w2 of the shared experts; the gate does not count.
    const auto latent = Job{"deepseek-v3", MakeTensorDegrees(1)}.Get();
    const auto names = GetNames(latent.GetSelective(ModelBlock::PROJECTION));
    EXPECT_EQ(std::count(names.begin(), names.end(), "attention.wq_b"), 1);
    EXPECT_EQ(std::count(names.begin(), names.end(), "attention.wkv_b"), 1);
    EXPECT_EQ(std::count(names.begin(), names.end(), "attention.wkv_a"), 0);
    EXPECT_EQ(GetNames(latent.GetSelective(ModelBlock::CONTEXT)),
              (std::vector<std::string>{"residual"}));
    EXPECT_EQ(
        GetNames(latent.GetSelective(ModelBlock::SHARED)),
        (std::vector<std::string>{"moe.shared_experts.w1", "SwiGLU", "moe.shared_experts.w2"}));
    const auto router = GetNames(latent.GetSelective(ModelBlock::ROUTER));
    EXPECT_EQ(std::count(router.begin(), router.end(), "moe.router.gate"), 1);
    EXPECT_EQ(Add(latent.GetSelective(ModelBlock::EXPERTS)).flops,
              Add(latent.Get(ModelBlock::EXPERTS, ComputePass::FORWARD)).flops);
}

TEST(LayerOperators, SmallMicroBatchesAreBoundByMemory)
{
    // At 8192 tokens a product takes what its FLOPs take, at 16 what reading its weight takes.
    const ComputeModel compute(*GpuSpec::Find("h100"), {1, 1, 1, 1});
    auto ratio = [&compute](uint32_t tokens) {
        const auto operators = Job{"llama3-8b", MakeTensorDegrees(1, 1, tokens)}.Get();
        const auto cost = operators.Get(ModelBlock::CONTEXT, ComputePass::FORWARD)[0];
        return compute.GetSeconds(cost) / (cost.flops / 989.5e12);
    };
    EXPECT_DOUBLE_EQ(ratio(8192), 1);
    EXPECT_GT(ratio(16), 10);
}
