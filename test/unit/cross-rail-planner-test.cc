// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/circuit-planner.h"
#include "ns3/collective-call.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>

namespace ns3
{
namespace
{

/// GPUs of some domains on as many rails as a domain has GPUs.
struct CabledDomains
{
    uint32_t rails; //!< GPUs of a domain
    uint32_t ports; //!< of a NIC

    /// @return a GPU and its ports: its place among those of its switch follows from its domain
    CircuitPlanner::Member GetMember(uint32_t gpu) const
    {
        CircuitPlanner::Member member{gpu, {}, {}};
        for (uint32_t port = 0; port < ports; ++port)
        {
            member.ports.push_back({gpu % rails, gpu / rails * ports + port});
        }
        return member;
    }

    /// @return the group of these GPUs
    CrossRailPlanner::Group GetGroup(const std::vector<uint32_t>& gpus) const
    {
        CrossRailPlanner::Group group;
        for (const uint32_t gpu : gpus)
        {
            group.members.push_back(GetMember(gpu));
            group.domains.push_back(gpu / rails);
        }
        group.findProxy = [this, gpus](uint32_t near, uint32_t ocs) {
            return std::make_optional(GetMember(gpus[near] / rails * rails + ocs));
        };
        return group;
    }

    /// @return circuits from ports of a GPU towards the next one to ports of a GPU towards the
    /// previous one
    uint32_t CountForward(const CircuitPlan& plan, uint32_t from, uint32_t to) const
    {
        const auto circuits = plan.find(from % rails);
        if (from % rails != to % rails || circuits == plan.end())
        {
            return 0;
        }
        return std::count_if(circuits->second.begin(), circuits->second.end(), [&](auto one) {
            if (one.a / ports != from / rails)
            {
                std::swap(one.a, one.b);
            }
            return one.a / ports == from / rails && one.b / ports == to / rails &&
                   one.a % ports < ports / 2 && one.b % ports >= ports / 2;
        });
    }
};

/// @return the number of circuits
std::size_t
CountAll(const CircuitPlan& plan)
{
    std::size_t count = 0;
    for (const auto& [ocs, circuits] : plan)
    {
        count += circuits.size();
    }
    return count;
}

TEST(CrossRailPlanner, AnAlignedGroupHasARingOnEachRail)
{
    const CabledDomains domains{4, 4};
    const std::vector<uint32_t> gpus{1, 3, 5, 7, 9, 11};
    const auto result = CrossRailPlanner::Plan(domains.GetGroup(gpus));
    EXPECT_EQ(result.error, "");
    EXPECT_TRUE(result.proxies.empty());
    ASSERT_EQ(result.plan.size(), 2u);
    for (const uint32_t rail : {1, 3})
    {
        const auto ring = CircuitPlanner::PlanRing(
            {domains.GetMember(rail), domains.GetMember(4 + rail), domains.GetMember(8 + rail)});
        EXPECT_EQ(result.plan.at(rail), ring.plan.at(rail));
    }
}

TEST(CrossRailPlanner, APairAcrossRailsUsesAllPortsOfFourGpus)
{
    const CabledDomains domains{4, 2};
    const auto result = CrossRailPlanner::Plan(domains.GetGroup({0, 7}));
    EXPECT_EQ(result.error, "");
    EXPECT_EQ(result.proxies, (std::vector<uint32_t>{3, 4}));
    EXPECT_EQ(CountAll(result.plan), 4u);
    EXPECT_EQ(result.plan.at(0),
              CircuitPlanner::PlanRing({domains.GetMember(0), domains.GetMember(4)}).plan.at(0));
    EXPECT_EQ(result.plan.at(3),
              CircuitPlanner::PlanRing({domains.GetMember(3), domains.GetMember(7)}).plan.at(3));
}

TEST(CrossRailPlanner, WhatCannotBePlannedIsExplained)
{
    const CabledDomains one{4, 1};
    EXPECT_EQ(CrossRailPlanner::Plan(one.GetGroup({0, 1, 4, 6})).error,
              "a group of 4 ranks across rails needs 2 ports a rank; rank 0 has 1");
    EXPECT_EQ(CrossRailPlanner::Plan(one.GetGroup({0, 1, 4, 5})).error, "") << "pairs on two rails";
    EXPECT_EQ(CrossRailPlanner::Plan(one.GetGroup({0, 7})).error, "") << "a pair needs one";
    const CabledDomains two{4, 2};
    EXPECT_EQ(CrossRailPlanner::Plan(two.GetGroup({0, 5, 2})).error,
              "the ranks of a scale-up domain must follow each other in a group across rails, and "
              "rank 2 does not");
    EXPECT_EQ(CrossRailPlanner::Plan(two.GetGroup({0, 1})).error,
              "all ranks share a scale-up domain and need no circuits");
    EXPECT_EQ(CrossRailPlanner::Plan(two.GetGroup({0, 0})).error,
              "rank 0 occurs twice in its group");
}

TEST(CrossRailPlanner, RandomGroupsHaveTheCircuitsOfTheirRing)
{
    std::mt19937 random(1);
    uint32_t across = 0;
    for (uint32_t trial = 0; trial < 5000; ++trial)
    {
        const CabledDomains domains{1 + static_cast<uint32_t>(random() % 5), 2U << random() % 2};
        const uint32_t all = domains.rails * (2 + random() % 4);
        std::vector<uint32_t> gpus;
        for (uint32_t gpu = 0; gpu < all; ++gpu)
        {
            if (random() % 2 == 0)
            {
                gpus.push_back(gpu);
            }
        }
        if (gpus.size() < 2 || gpus.front() / domains.rails == gpus.back() / domains.rails)
        {
            continue;
        }
        const auto group = domains.GetGroup(gpus);
        const auto result = CrossRailPlanner::Plan(group);
        ASSERT_EQ(result.error, "");
        for (const auto& [ocs, circuits] : result.plan)
        {
            EXPECT_EQ(CircuitPlanner::CheckMatching(circuits), "");
        }
        const std::set<uint32_t> members(gpus.begin(), gpus.end());
        for (const uint32_t proxy : result.proxies)
        {
            EXPECT_EQ(members.count(proxy), 0u);
        }
        // Neighbours in different domains have circuits for both directions, on the rail of the
        // receiver; the fewest circuits of a neighbour are half of the ports.
        std::size_t needed = 0;
        for (std::size_t i = 0; i < gpus.size(); ++i)
        {
            const uint32_t from = gpus[i];
            const uint32_t to = gpus[(i + 1) % gpus.size()];
            if (from / domains.rails == to / domains.rails)
            {
                continue;
            }
            const uint32_t proxyOfFrom = from / domains.rails * domains.rails + to % domains.rails;
            const uint32_t proxyOfTo = to / domains.rails * domains.rails + from % domains.rails;
            EXPECT_EQ(domains.CountForward(result.plan, proxyOfFrom, to), domains.ports / 2);
            EXPECT_EQ(domains.CountForward(result.plan, from, proxyOfTo), domains.ports / 2);
            needed += (from == proxyOfFrom ? 1 : 2) * domains.ports / 2;
        }
        std::vector<uint32_t> rails;
        for (const uint32_t gpu : gpus)
        {
            rails.push_back(gpu % domains.rails);
        }
        if (!GroupShape::IsAligned(group.domains, rails))
        {
            ++across;
            const bool isPair = gpus.size() == 2;
            EXPECT_EQ(CountAll(result.plan), isPair ? 2 * domains.ports : needed) << "no others";
        }
    }
    EXPECT_GT(across, 1000u) << "groups that are not aligned";
}

} // namespace
} // namespace ns3
