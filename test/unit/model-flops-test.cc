// SPDX-License-Identifier: GPL-2.0-only

#include "model-flops.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @return FLOPs of a preset, with all keys counted
ModelFlops
GetFlops(const char* name, uint32_t seqLen = 8192, ModelFlops::Mask mask = ModelFlops::FULL)
{
    return ModelFlops(*TransformerSpec::Find(name), seqLen, mask);
}

} // namespace

TEST(ModelFlops, DenseModelsMultiplyWithAllButEmbeddingAndNorms)
{
    // Llama 3 8B: 8,030,261,248 parameters, of them 128256 x 4096 embedding, 65 norms of 4096.
    EXPECT_EQ(GetFlops("llama3-8b").GetMatmulParameters(),
              8'030'261'248U - 128256U * 4096U - 65U * 4096U);
    for (const char* name : {"llama3-8b", "llama3-70b", "llama3-405b"})
    {
        const auto model = *TransformerSpec::Find(name);
        const uint64_t norms = (2 * uint64_t{model.layers} + 1) * model.hidden;
        EXPECT_EQ(GetFlops(name).GetMatmulParameters(),
                  model.GetParameters() - CountParameters(model.GetEmbeddingTensors()) - norms);
    }
}

TEST(ModelFlops, TiedEmbeddingsAreMultipliedWithAllTheSame)
{
    // GPT-3: 96 layers of 12 x 12288^2, and the output projection.
    EXPECT_EQ(GetFlops("gpt3-175b", 2048).GetMatmulParameters(),
              96ULL * 12 * 12288 * 12288 + 50257ULL * 12288);
}

TEST(ModelFlops, AttentionOfPalm)
{
    // 12 L H Q T per step.
    const uint64_t palm = 12ULL * 32 * 32 * 128 * 8192;
    EXPECT_EQ(3 * GetFlops("llama3-8b").GetAttention(), palm);
    EXPECT_EQ(3 * GetFlops("llama3-8b", 8192, ModelFlops::CAUSAL).GetAttention(), palm / 2);
    EXPECT_EQ(GetFlops("llama3-8b").GetStep(),
              6 * GetFlops("llama3-8b").GetMatmulParameters() + palm);
    EXPECT_EQ(3 * GetFlops("llama3-8b").GetForward(), GetFlops("llama3-8b").GetStep());
    // MLA: 192 wide queries, 128 wide values, 16 heads, 27 layers.
    EXPECT_EQ(GetFlops("deepseek-v3-16b", 4096).GetAttention(),
              2ULL * 27 * 16 * (192 + 128) * 4096);
}

TEST(ModelFlops, OfTheExpertsOnlyThoseOfATokenCount)
{
    const auto model = *TransformerSpec::Find("deepseek-v3-16b");
    // 26 layers without 64 - 6 experts of 3 x 2048 x 1408; norms: two a layer, one of latents, one.
    const uint64_t idle = 26ULL * 58 * 3 * 2048 * 1408;
    const uint64_t norms = 27ULL * (2 * 2048 + 512) + 2048;
    EXPECT_EQ(GetFlops("deepseek-v3-16b").GetMatmulParameters(),
              model.GetParameters() - 102400ULL * 2048 - idle - norms);
    EXPECT_EQ(model.GetActiveParameters(), model.GetParameters() - idle);
}

TEST(ModelFlops, Utilisation)
{
    const auto flops = GetFlops("llama3-8b");
    // Half of the peak: a step of twice the time that the FLOPs take at the peak.
    const double peak = 1e15;
    const uint64_t tokens = 1'000'000;
    const double best = static_cast<double>(flops.GetStep()) * tokens / (16 * peak);
    EXPECT_NEAR(flops.GetMfu(Seconds(2 * best), tokens, 16, peak), 0.5, 1e-9);
}
