// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/transformer-spec.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/**
 * @param name of a preset
 * @return the preset
 */
TransformerSpec
GetModel(const std::string& name)
{
    return TransformerSpec::Find(name).value();
}

/**
 * @param tensors tensors
 * @return one line for each: name outputs x inputs x experts, how TP splits it
 */
std::string
DescribeTensors(const ParameterTensors& tensors)
{
    constexpr const char* SPLITS[] = {"whole", "column", "row", "vocabulary"};
    std::string text;
    for (const auto& tensor : tensors)
    {
        text += tensor.name + " " + std::to_string(tensor.outputs) + "x" +
                std::to_string(tensor.inputs) + "x" + std::to_string(tensor.experts) + " " +
                SPLITS[static_cast<int>(tensor.split)] + "\n";
    }
    return text;
}

/**
 * @param parameters a number of parameters
 * @param unit what publishers round to
 * @return rounded
 */
uint64_t
Round(uint64_t parameters, double unit)
{
    return static_cast<uint64_t>(std::llround(static_cast<double>(parameters) / unit));
}

} // namespace

TEST(TransformerSpec, ParametersOfPublishedCheckpoints)
{
    // Exact: the sizes of the published checkpoints.
    EXPECT_EQ(GetModel("llama3-8b").GetParameters(), 8'030'261'248U);
    EXPECT_EQ(GetModel("llama3-70b").GetParameters(), 70'553'706'496U);
    EXPECT_EQ(GetModel("llama3-405b").GetParameters(), 405'853'388'800U);
    EXPECT_EQ(GetModel("llama3.2-1b").GetParameters(), 1'235'814'400U);
    EXPECT_EQ(GetModel("llama3.2-3b").GetParameters(), 3'212'749'824U);
    EXPECT_EQ(GetModel("mixtral-8x7b").GetParameters(), 46'702'792'704U);
    EXPECT_EQ(GetModel("mixtral-8x22b").GetParameters(), 140'620'634'112U);
    EXPECT_EQ(GetModel("llama2-7b").GetParameters(), 6'738'415'616U);
    EXPECT_EQ(GetModel("llama2-13b").GetParameters(), 13'015'864'320U);
    EXPECT_EQ(GetModel("llama2-70b").GetParameters(), 68'976'648'192U);
    EXPECT_EQ(GetModel("deepseek-v2").GetParameters(), 235'741'434'880U);
    EXPECT_EQ(GetModel("deepseek-v2-lite").GetParameters(), 15'706'484'224U);
    // The checkpoint has one more number for each expert, which corrects the router's scores.
    EXPECT_EQ(GetModel("deepseek-v3").GetParameters() + 58 * 256, 671'026'419'200U);
    // TorchTitan prints it when it builds the model.
    EXPECT_EQ(GetModel("deepseek-v3-16b").GetParameters(), 15'706'484'224U);
}

TEST(TransformerSpec, ParametersAsPublishersRoundThem)
{
    // Mixtral's release; Table D.1 of the GPT-3 paper (millions); abstracts of DeepSeek's papers,
    // appendix B of that on V2.
    EXPECT_EQ(Round(GetModel("mixtral-8x7b").GetParameters(), 1e8), 467U);
    EXPECT_EQ(Round(GetModel("gpt3-175b").GetParameters(), 1e8), 1746U);
    EXPECT_EQ(Round(GetModel("deepseek-v2").GetParameters(), 1e9), 236U);
    EXPECT_EQ(Round(GetModel("deepseek-v2-lite").GetParameters(), 1e8), 157U);
    EXPECT_EQ(Round(GetModel("deepseek-v3").GetParameters(), 1e9), 671U);
}

TEST(TransformerSpec, ActiveParametersCountTheExpertsOfOneToken)
{
    EXPECT_EQ(Round(GetModel("mixtral-8x7b").GetActiveParameters(), 1e8), 129U);
    // DeepSeek leaves the embedding out, of which a token meets one row.
    const auto withoutEmbedding = [](const std::string& name) {
        const auto model = GetModel(name);
        return model.GetActiveParameters() - CountParameters(model.GetEmbeddingTensors());
    };
    EXPECT_EQ(Round(withoutEmbedding("deepseek-v2"), 1e9), 21U);
    EXPECT_EQ(withoutEmbedding("deepseek-v2-lite") / 100'000'000, 24U);
    EXPECT_EQ(Round(withoutEmbedding("deepseek-v3"), 1e9), 37U);
    // Exact, by hand: everything without 6 of the 8 experts of 32 layers.
    EXPECT_EQ(GetModel("mixtral-8x7b").GetActiveParameters(),
              46'702'792'704U - uint64_t{32} * 6 * 3 * 4096 * 14336);
    // A token meets all of a dense model.
    EXPECT_EQ(GetModel("llama3-8b").GetActiveParameters(), 8'030'261'248U);
}

TEST(TransformerSpec, SmallModelsForQuickRuns)
{
    const auto model = GetModel("debugmodel");
    EXPECT_EQ(model.hidden, 256U);
    EXPECT_EQ(model.layers, 6U);
    EXPECT_EQ(model.ffn, 768U);
    EXPECT_EQ(model.GetParameters(), 6'163'712U);
    const auto moe = GetModel("debugmodel-moe");
    EXPECT_EQ(moe.GetMoeLayers(), 5U);
    EXPECT_FALSE(moe.IsMoeLayer(0));
    EXPECT_TRUE(moe.IsMoeLayer(1));
    // MLA, a dense layer, 5 layers of router, 8 experts and 2 shared ones, the rest.
    const uint64_t attention = 16 * 192 * 256 + 576 * 256 + 512 + 16 * 256 * 512 + 256 * 16 * 128;
    const uint64_t experts = 8 * 256 + (8 + 2) * 3 * 256 * 256;
    EXPECT_EQ(moe.GetParameters(),
              6 * (attention + 2 * 256) + 3 * 256 * 1024 + 5 * experts + 2 * 2048 * 256 + 256);
    EXPECT_EQ(moe.GetParameters() - moe.GetActiveParameters(), 5U * 5U * 3U * 256U * 256U);
}

TEST(TransformerSpec, UnknownNamesAreNotFound)
{
    EXPECT_FALSE(TransformerSpec::Find("llama3-9b"));
    EXPECT_FALSE(TransformerSpec::Find(""));
    EXPECT_EQ(TransformerSpec::GetNames().size(), 17U);
    for (const auto& name : TransformerSpec::GetNames())
    {
        EXPECT_EQ(GetModel(name).name, name);
        EXPECT_EQ(GetModel(name).Validate(), "") << name;
    }
}

TEST(TransformerSpec, TensorsOfGroupedQueryLayers)
{
    EXPECT_EQ(DescribeTensors(GetModel("llama3-8b").GetLayerTensors(31)),
              "attention_norm 4096x1x1 whole\n"
              "attention.wq 4096x4096x1 column\n"
              "attention.wk 1024x4096x1 column\n"
              "attention.wv 1024x4096x1 column\n"
              "attention.wo 4096x4096x1 row\n"
              "ffn_norm 4096x1x1 whole\n"
              "feed_forward.w1 14336x4096x1 column\n"
              "feed_forward.w2 4096x14336x1 row\n"
              "feed_forward.w3 14336x4096x1 column\n");
}

TEST(TransformerSpec, TensorsOfLatentLayers)
{
    const std::string attention = "attention_norm 7168x1x1 whole\n"
                                  "attention.wq_a 1536x7168x1 whole\n"
                                  "attention.q_norm 1536x1x1 whole\n"
                                  "attention.wq_b 24576x1536x1 column\n"
                                  "attention.wkv_a 576x7168x1 whole\n"
                                  "attention.kv_norm 512x1x1 whole\n"
                                  "attention.wkv_b 32768x512x1 column\n"
                                  "attention.wo 7168x16384x1 row\n"
                                  "ffn_norm 7168x1x1 whole\n";
    const auto model = GetModel("deepseek-v3");
    EXPECT_EQ(DescribeTensors(model.GetLayerTensors(2)),
              attention + "feed_forward.w1 18432x7168x1 column\n"
                          "feed_forward.w2 7168x18432x1 row\n"
                          "feed_forward.w3 18432x7168x1 column\n");
    EXPECT_EQ(DescribeTensors(model.GetLayerTensors(3)),
              attention + "moe.router.gate 256x7168x1 whole\n"
                          "moe.experts.w1 2048x7168x256 column\n"
                          "moe.experts.w2 7168x2048x256 row\n"
                          "moe.experts.w3 2048x7168x256 column\n"
                          "moe.shared_experts.w1 2048x7168x1 column\n"
                          "moe.shared_experts.w2 7168x2048x1 row\n"
                          "moe.shared_experts.w3 2048x7168x1 column\n");
    // Without a latent of queries, two shared experts as one of twice the width.
    const auto lite = DescribeTensors(GetModel("deepseek-v2-lite").GetLayerTensors(1));
    EXPECT_NE(lite.find("\nattention.wq 3072x2048x1 column\nattention.wkv_a"), std::string::npos);
    EXPECT_NE(lite.find("\nmoe.shared_experts.w2 2048x2816x1 row\n"), std::string::npos);
}

TEST(TransformerSpec, BiasesOfRowParallelProductsAreWhole)
{
    EXPECT_EQ(DescribeTensors(GetModel("gpt3-175b").GetLayerTensors(0)),
              "attention_norm 12288x1x1 whole\n"
              "attention_norm.bias 12288x1x1 whole\n"
              "attention.wq 12288x12288x1 column\n"
              "attention.wq.bias 12288x1x1 column\n"
              "attention.wk 12288x12288x1 column\n"
              "attention.wk.bias 12288x1x1 column\n"
              "attention.wv 12288x12288x1 column\n"
              "attention.wv.bias 12288x1x1 column\n"
              "attention.wo 12288x12288x1 row\n"
              "attention.wo.bias 12288x1x1 whole\n"
              "ffn_norm 12288x1x1 whole\n"
              "ffn_norm.bias 12288x1x1 whole\n"
              "feed_forward.w1 49152x12288x1 column\n"
              "feed_forward.w1.bias 49152x1x1 column\n"
              "feed_forward.w2 12288x49152x1 row\n"
              "feed_forward.w2.bias 12288x1x1 whole\n");
    // 12 h^2 + 13 h in a layer.
    const uint64_t h = 12288;
    EXPECT_EQ(CountParameters(GetModel("gpt3-175b").GetLayerTensors(0)), 12 * h * h + 13 * h);
}

TEST(TransformerSpec, TiedEmbeddingsAreCountedOnce)
{
    auto model = GetModel("gpt3-175b");
    EXPECT_EQ(DescribeTensors(model.GetEmbeddingTensors()),
              "tok_embeddings 50257x12288x1 vocabulary\n"
              "pos_embeddings 2048x12288x1 whole\n");
    EXPECT_EQ(DescribeTensors(model.GetOutputTensors()),
              "norm 12288x1x1 whole\nnorm.bias 12288x1x1 whole\n");
    const uint64_t tied = model.GetParameters();
    EXPECT_EQ(tied, 174'604'259'328U);
    model.tiedEmbeddings = false;
    EXPECT_EQ(model.GetParameters() - tied, 50257U * 12288U);
    EXPECT_EQ(DescribeTensors(GetModel("mixtral-8x7b").GetOutputTensors()),
              "norm 4096x1x1 whole\noutput 32000x4096x1 vocabulary\n");
}
