// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/transformer-spec.h"

#include <gtest/gtest.h>

using namespace ns3;

TEST(TransformerSpec, ParametersFollowFromTheArchitecture)
{
    // Published totals of the Llama 3.1 checkpoints.
    EXPECT_EQ(TransformerSpec::Find("llama3-8b")->GetParameters(), 8'030'261'248U);
    EXPECT_EQ(TransformerSpec::Find("llama3-70b")->GetParameters(), 70'553'706'496U);
    EXPECT_EQ(TransformerSpec::Find("llama3-405b")->GetParameters(), 405'853'388'800U);
}

TEST(TransformerSpec, PartsOfLlama3Of8B)
{
    const auto model = *TransformerSpec::Find("llama3-8b");
    EXPECT_EQ(model.GetKvWidth(), 1024U);
    EXPECT_EQ(model.GetAttentionParameters(), 41'943'040U);
    EXPECT_EQ(model.GetFeedForwardParameters(), 176'160'768U);
    EXPECT_EQ(model.GetLayerNormParameters(), 8192U);
    EXPECT_EQ(model.GetLayerParameters(), 218'112'000U);
    EXPECT_EQ(model.GetEmbeddingParameters(), 525'336'576U);
    EXPECT_EQ(model.GetOutputParameters(), 525'336'576U);
    EXPECT_EQ(model.GetFinalNormParameters(), 4096U);
}

TEST(TransformerSpec, TiedEmbeddingsCountOnce)
{
    auto model = *TransformerSpec::Find("llama3-8b");
    const uint64_t untied = model.GetParameters();
    model.tiedEmbeddings = true;
    EXPECT_EQ(model.GetParameters(), untied - model.GetEmbeddingParameters());
    EXPECT_GT(model.GetOutputFlops(), 0);
}

TEST(TransformerSpec, FlopsPerToken)
{
    const auto model = *TransformerSpec::Find("llama3-8b");
    // Projections: 2 per parameter; scores and values: 2 x hidden x sequence with a causal mask.
    EXPECT_DOUBLE_EQ(model.GetAttentionFlops(8192), 2 * 41'943'040.0 + 2.0 * 4096 * 8192);
    EXPECT_DOUBLE_EQ(model.GetFeedForwardFlops(), 2 * 176'160'768.0);
    EXPECT_DOUBLE_EQ(model.GetOutputFlops(), 2.0 * 4096 * 128256);
    // With short sequences a model takes two FLOPs per parameter that is not a table look-up.
    const double parameters =
        static_cast<double>(model.GetParameters() - model.GetEmbeddingParameters());
    EXPECT_NEAR(model.GetForwardFlops(1) / (2 * parameters), 1, 1e-3);
}

TEST(TransformerSpec, SmallModelForQuickRuns)
{
    const auto model = *TransformerSpec::Find("debugmodel");
    EXPECT_EQ(model.hidden, 256U);
    EXPECT_EQ(model.layers, 6U);
    EXPECT_EQ(model.ffn, 768U);
    EXPECT_EQ(model.GetParameters(), 6'163'712U);
}

TEST(TransformerSpec, UnknownNamesAreNotFound)
{
    EXPECT_FALSE(TransformerSpec::Find("llama3-9b"));
    EXPECT_FALSE(TransformerSpec::Find(""));
    EXPECT_EQ(TransformerSpec::GetNames().size(), 4U);
    for (const auto& name : TransformerSpec::GetNames())
    {
        EXPECT_EQ(TransformerSpec::Find(name)->name, name);
    }
}
