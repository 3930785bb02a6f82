// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Generations of scale-up interconnects: the same bandwidth as in the closed form, and one switch
 * per domain.
 */

#include "ns3/compute-model.h"
#include "ns3/fabric-topology.h"
#include "ns3/scale-up-generation.h"

#include <gtest/gtest.h>
#include <set>

namespace ns3
{
namespace
{

TEST(ScaleUpGeneration, EveryGpuHasOneOfTheSameBandwidth)
{
    std::set<std::string> used;
    for (const auto& name : GpuSpec::GetNames())
    {
        const auto* generation = ScaleUpGeneration::Find(name);
        ASSERT_NE(generation, nullptr) << name;
        const auto gpu = GpuSpec::Find(name);
        EXPECT_EQ(static_cast<double>(generation->bitRate), 8 * gpu->scaleUpBandwidth) << name;
        // The wire is the smaller part of NCCL's shortest step, 0.6 us, whose rest is software.
        const double wire = static_cast<double>(generation->hopLatencyPicoseconds +
                                                2 * generation->cableDelayPicoseconds) /
                            1e12;
        EXPECT_GT(wire, 0) << name;
        EXPECT_LT(wire, 0.6e-6) << name;
        used.insert(generation->name);
    }
    EXPECT_EQ(used.size(), ScaleUpGeneration::GetAll().size()) << "none without a GPU";
    for (const auto& generation : ScaleUpGeneration::GetAll())
    {
        EXPECT_EQ(ScaleUpGeneration::Find(generation.name), &generation);
    }
    EXPECT_EQ(ScaleUpGeneration::GetNames(), "nvlink3, nvlink4, nvlink5");
    EXPECT_EQ(ScaleUpGeneration::Find("nvlink"), nullptr);
}

TEST(ScaleUpGeneration, DomainsAreSeparateStars)
{
    const auto* generation = ScaleUpGeneration::Find("nvlink4");
    const auto topology = generation->Build(3, 8);
    ASSERT_EQ(topology.hosts.size(), 24);
    ASSERT_EQ(topology.switches.size(), 3);
    const FabricRouting routing(topology);
    for (uint32_t domain = 0; domain < 3; ++domain)
    {
        EXPECT_EQ(topology.switches[domain].ports, 8);
        for (uint32_t gpu = 0; gpu < 24; ++gpu)
        {
            EXPECT_EQ(routing.Find(domain, gpu) != nullptr, gpu / 8 == domain);
        }
    }
    EXPECT_EQ(topology.links[0].rate, DataRate("2966400Mbps"));
    EXPECT_EQ(topology.links[0].delay, NanoSeconds(10));
    EXPECT_EQ(generation->Check(8), "");
    EXPECT_EQ(generation->Check(9), "a scale-up domain of nvlink4 has at most 8 GPUs, not 9");
    EXPECT_EQ(ScaleUpGeneration::Find("gb200")->Check(72), "");
}

} // namespace
} // namespace ns3
