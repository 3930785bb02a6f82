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
    EXPECT_EQ(TransformerSpec::GetNames().size(), 5U);
    for (const auto& name : TransformerSpec::GetNames())
    {
        EXPECT_EQ(TransformerSpec::Find(name)->name, name);
    }
}
