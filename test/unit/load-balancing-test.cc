// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The rules by which a switch chooses among equal-cost ports.
 */

#include "ns3/switch-forwarding.h"
#include "ns3/variant.h"

#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

const SwitchRoutes::Ports UPLINKS{3, 5, 6, 9};

/// Ports with loads that a test sets.
class GivenLoads : public PortLoads
{
  public:
    uint64_t GetLoad(uint32_t port) const override
    {
        return loads.at(port);
    }

    std::map<uint32_t, uint64_t> loads{{3, 0}, {5, 0}, {6, 0}, {9, 0}};
};

/// @return the port of each of some consecutive frames of one flow
std::vector<uint32_t>
GetUplinksOf(const std::string& name, uint32_t frames, const GivenLoads& loads, uint64_t seed = 4)
{
    const Variant<LoadBalancing> rule(name);
    std::vector<uint32_t> ports;
    for (uint64_t turn = 0; turn < frames; ++turn)
    {
        const FlowTuple flow{0x0a000001, 0x0a000100, 0xc001, 4791, 17};
        ports.push_back(UPLINKS.at(rule->Choose({UPLINKS, flow, seed, turn, loads})));
    }
    return ports;
}

} // namespace

TEST(LoadBalancing, EcmpAloneKeepsTheOrderOfAFlow)
{
    EXPECT_EQ(Variant<LoadBalancing>::GetNames(),
              (std::vector<std::string>{"adaptive", "ecmp", "random", "round-robin"}));
    for (const auto& name : Variant<LoadBalancing>::GetNames())
    {
        EXPECT_EQ(Variant<LoadBalancing>(name)->KeepsOrder(), name == "ecmp") << name;
    }
    const auto ports = GetUplinksOf("ecmp", 100, {});
    EXPECT_EQ(ports, std::vector<uint32_t>(100, ports[0]));
}

TEST(LoadBalancing, RoundRobinTakesEachPortInTurn)
{
    EXPECT_EQ(GetUplinksOf("round-robin", 6, {}), (std::vector<uint32_t>{3, 5, 6, 9, 3, 5}));
    EXPECT_EQ(GetUplinksOf("round-robin", 5, {}, 6), (std::vector<uint32_t>{6, 9, 3, 5, 6}));
}

TEST(LoadBalancing, RandomTakesPortsEquallyOften)
{
    constexpr uint32_t frames = 40000;
    std::map<uint32_t, uint32_t> count;
    uint32_t same = 0;
    const auto ports = GetUplinksOf("random", frames, {});
    for (uint32_t i = 0; i < frames; ++i)
    {
        ++count[ports[i]];
        same += i > 0 && ports[i] == ports[i - 1] ? 1 : 0;
    }
    double chiSquare = 0;
    for (const uint32_t port : UPLINKS)
    {
        const double off = count[port] - frames / 4.0;
        chiSquare += off * off / (frames / 4.0);
    }
    EXPECT_LT(chiSquare, 16.3) << "3 degrees of freedom: once in a thousand seeds";
    EXPECT_NEAR(same, frames / 4.0, 400) << "frames are independent";
    EXPECT_EQ(ports, GetUplinksOf("random", frames, {})) << "a run can be repeated";
    EXPECT_NE(ports, GetUplinksOf("random", frames, {}, 5)) << "switches differ";
}

TEST(LoadBalancing, AdaptiveTakesTheShortestQueueAndTurnsAmongEquals)
{
    GivenLoads loads;
    EXPECT_EQ(GetUplinksOf("adaptive", 5, loads), (std::vector<uint32_t>{3, 5, 6, 9, 3}));
    loads.loads = {{3, 5000}, {5, 100}, {6, 4178}, {9, 100}};
    EXPECT_EQ(GetUplinksOf("adaptive", 4, loads), (std::vector<uint32_t>{5, 5, 9, 9}));
    constexpr uint64_t dark = std::numeric_limits<uint64_t>::max();
    loads.loads = {{3, dark}, {5, dark}, {6, 1 << 30}, {9, dark}};
    EXPECT_EQ(GetUplinksOf("adaptive", 4, loads), std::vector<uint32_t>(4, 6));
}
