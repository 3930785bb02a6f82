// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/sharding-plan.h"

#include <gtest/gtest.h>

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
MakeSpec(uint32_t tp, uint32_t fsdp, uint32_t pp)
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
    const auto spec = MakeSpec(4, 2, 2);
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
    const ShardingPlan first(model, MakeSpec(4, 2, 2), RULES, 0);
    const ShardingPlan last(model, MakeSpec(4, 2, 2), RULES, 1);
    EXPECT_EQ(first.GetUnits().front().kind, ShardingUnit::EMBEDDING);
    EXPECT_EQ(first.GetUnits().back().kind, ShardingUnit::LAYER);
    EXPECT_EQ(first.GetUnits().back().layer, 15U);
    EXPECT_EQ(last.GetUnits().front().layer, 16U);
    EXPECT_EQ(last.GetUnits().back().kind, ShardingUnit::OUTPUT);
}

TEST(ShardingPlan, NormsAreReplicatedOverTp)
{
    const auto model = *TransformerSpec::Find("llama3-8b");
    const ShardingPlan plan(model, MakeSpec(4, 1, 1), RULES, 0);
    EXPECT_EQ(plan.GetUnits().size(), 34U);
    EXPECT_EQ(plan.GetUnits()[1].parameters, (41'943'040U + 176'160'768U) / 4 + 8192U);
    const uint64_t norms = 65 * 4096;
    EXPECT_EQ(plan.GetShardParameters(), (model.GetParameters() - norms) / 4 + norms);
}

TEST(ShardingPlan, AllParametersAreSomewhere)
{
    for (const auto& name : TransformerSpec::GetNames())
    {
        const auto model = *TransformerSpec::Find(name);
        for (uint32_t pp : {1, 2, 3})
        {
            for (uint32_t fsdp : {1, 2, 7})
            {
                const auto spec = MakeSpec(1, fsdp, pp);
                if (ParallelismSpec::SplitLayers(model.layers, pp, StageSplit::WEIGHTED).empty())
                {
                    continue;
                }
                uint64_t parameters = 0;
                for (uint32_t stage = 0; stage < pp; ++stage)
                {
                    const ShardingPlan plan(model, spec, RULES, stage);
                    for (const auto& unit : plan.GetUnits())
                    {
                        parameters += unit.parameters;
                        EXPECT_GE(unit.shardParameters * fsdp, unit.parameters);
                        EXPECT_LT(unit.shardParameters * fsdp, unit.parameters + fsdp);
                    }
                }
                EXPECT_EQ(parameters, model.GetParameters());
            }
        }
    }
}
