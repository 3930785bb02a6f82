// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/framework.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

using Names = std::vector<std::string>;

/**
 * @brief Check that names and values of a rule are one to one.
 * @param names expected, in the order of the enumeration
 */
template <typename Rule>
void
ExpectNames(const Names& names)
{
    EXPECT_EQ(GetRuleNames<Rule>(), names);
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        const auto value = static_cast<Rule>(i);
        EXPECT_EQ(ToString(value), names[i]);
        EXPECT_EQ(ParseRule<Rule>(names[i]), value);
        EXPECT_FALSE(ParseRule<Rule>(names[i] + " "));
    }
    EXPECT_FALSE(ParseRule<Rule>(""));
}

} // namespace

TEST(FrameworkRules, ValuesHaveNames)
{
    ExpectNames<DataParallelism>({"fsdp", "ddp", "distributed-optimizer"});
    ExpectNames<ReshardPolicy>({"default", "always", "never"});
    ExpectNames<Recomputation>({"none", "selective", "full"});
    ExpectNames<Precision>({"bf16", "fp32"});
    ExpectNames<TensorParallelStyle>({"dtensor", "megatron"});
    ExpectNames<ContextExchange>({"all-gather", "ring"});
    ExpectNames<StageSplit>({"even", "weighted"});
    ExpectNames<NormReduction>({"per-tensor", "scalar"});
    ExpectNames<StepStatistics>({"none", "loss", "loss-tokens", "valid-tokens"});
    EXPECT_EQ(ParseRule<StageSplit>("weighted"), StageSplit::WEIGHTED);
    EXPECT_EQ(ParseRule<DataParallelism>("distributed-optimizer"),
              DataParallelism::DISTRIBUTED_OPTIMIZER);
}

TEST(FrameworkRules, PresetsAreFoundByName)
{
    EXPECT_EQ(Variant<Framework>::GetNames(),
              (Names{"megatron-lm", "torchtitan", "torchtitan-0.1.0"}));
    EXPECT_EQ(Variant<Framework>("torchtitan-0.1.0")->MakeRules().statistics,
              StepStatistics::LOSS_TOKENS);
    EXPECT_FALSE(Variant<Framework>::Find("Torchtitan"));
    EXPECT_FALSE(Variant<Framework>::Find(""));
}
