// SPDX-License-Identifier: GPL-2.0-only

#include "bcube-plan.h"
#include "plan-check.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace ns3
{
namespace
{

std::vector<CircuitPlanner::Member>
GetMembers(const BcubePlan& bcube)
{
    std::vector<CircuitPlanner::Member> members;
    for (uint32_t gpu = 0; gpu < bcube.GetNGpus(); ++gpu)
    {
        members.push_back(bcube.MakeMember(gpu));
    }
    return members;
}

/// @return a box of random digits, in random order
std::vector<uint32_t>
MakeBox(const BcubePlan& bcube, const std::vector<uint32_t>& sizes, std::mt19937& random)
{
    std::vector<std::set<uint32_t>> digits;
    for (uint32_t size : sizes)
    {
        digits.emplace_back();
        while (digits.back().empty())
        {
            for (uint32_t digit = 0; digit < size; ++digit)
            {
                if (random() % 2 == 0)
                {
                    digits.back().insert(digit);
                }
            }
        }
    }
    std::vector<uint32_t> box;
    for (uint32_t gpu = 0; gpu < bcube.GetNGpus(); ++gpu)
    {
        bool isInside = true;
        for (uint32_t level = 0; level < sizes.size(); ++level)
        {
            isInside = isInside && digits[level].count(bcube.GetDigit(gpu, level)) > 0;
        }
        if (isInside)
        {
            box.push_back(gpu);
        }
    }
    std::shuffle(box.begin(), box.end(), random);
    return box;
}

uint32_t
CountDifferentDigits(const BcubePlan& bcube, uint32_t levels, uint32_t a, uint32_t b)
{
    uint32_t count = 0;
    for (uint32_t level = 0; level < levels; ++level)
    {
        count += bcube.GetDigit(a, level) != bcube.GetDigit(b, level) ? 1 : 0;
    }
    return count;
}

TEST(BcubePlan, OneLevelReachesWhatTheTableOfThePaperSays)
{
    // Radix; GPUs with domains of 72 (GB200) and of 8 (H200).
    const std::vector<std::array<uint32_t, 3>> table{{16, 576, 64},
                                                     {32, 1152, 128},
                                                     {128, 4608, 512},
                                                     {320, 11520, 1280},
                                                     {576, 20736, 2304},
                                                     {512, 18432, 2048},
                                                     {1008, 36288, 4032}};
    for (const auto& [radix, gb200, h200] : table)
    {
        EXPECT_EQ(72 * BcubePlan::CountReachable(radix, 2, 1), gb200);
        EXPECT_EQ(8 * BcubePlan::CountReachable(radix, 2, 1), h200);
        EXPECT_EQ(BcubePlan::CountReachable(radix, 2, 2), (radix / 2) * (radix / 2));
    }
    EXPECT_EQ(BcubePlan::CountReachable(16, 1, 3), 4096u);
}

TEST(BcubePlan, SwitchesJoinWhatDiffersInOneDigit)
{
    for (const auto& sizes :
         std::vector<std::vector<uint32_t>>{{5}, {4, 4}, {3, 2, 4}, {2, 2, 2, 2}})
    {
        for (uint32_t ports : {1u, 2u, 4u})
        {
            const BcubePlan bcube({sizes, ports, 100, 7, 8});
            const auto levels = static_cast<uint32_t>(sizes.size());
            std::map<OcsPortId, uint32_t> cabled;
            for (uint32_t gpu = 0; gpu < bcube.GetNGpus(); ++gpu)
            {
                const auto member = bcube.MakeMember(gpu);
                EXPECT_EQ(member.rank, 7 + 8 * gpu);
                EXPECT_EQ(member.ports.size(), levels * ports);
                for (const OcsPortId& port : member.ports)
                {
                    EXPECT_TRUE(cabled.emplace(port, gpu).second);
                    EXPECT_LT(port.port, bcube.GetRadixes().at(port.ocs));
                }
                for (uint32_t other = 0; other < gpu; ++other)
                {
                    uint32_t shared = 0;
                    for (uint32_t level = 0; level < levels; ++level)
                    {
                        shared += bcube.GetOcs(gpu, level) == bcube.GetOcs(other, level) ? 1 : 0;
                    }
                    EXPECT_EQ(shared, CountDifferentDigits(bcube, levels, gpu, other) == 1 ? 1 : 0);
                    const auto path = bcube.GetPath(gpu, other);
                    EXPECT_EQ(path.size() - 1, CountDifferentDigits(bcube, levels, gpu, other));
                    EXPECT_EQ(path.back(), other);
                    for (std::size_t hop = 0; hop + 1 < path.size(); ++hop)
                    {
                        EXPECT_EQ(CountDifferentDigits(bcube, levels, path[hop], path[hop + 1]),
                                  1u);
                    }
                }
            }
            // Every port of every switch leads to a GPU.
            uint32_t all = 0;
            for (const auto& [ocs, radix] : bcube.GetRadixes())
            {
                all += radix;
            }
            EXPECT_EQ(cabled.size(), all);
            EXPECT_EQ(bcube.GetRadixes().size(), bcube.GetNSwitches());
            EXPECT_EQ(bcube.GetRadixes().begin()->first, 100u);
        }
    }
    EXPECT_EQ(BcubePlan({{4, 4}}).GetNSwitches(), 8u) << "L n^(L-1)";
    EXPECT_EQ(BcubePlan({{4, 4, 4}}).GetNSwitches(), 48u);
}

TEST(BcubePlan, ARingGoesThroughEveryBox)
{
    for (uint32_t seed = 1; seed <= 2000; ++seed)
    {
        std::mt19937 random(seed);
        std::vector<uint32_t> sizes(1 + random() % 3);
        for (uint32_t& size : sizes)
        {
            size = 1 + random() % 5;
        }
        const uint32_t ports = random() % 2 == 0 ? 2 : 4;
        const BcubePlan bcube({sizes, ports});
        const auto group = MakeBox(bcube, sizes, random);
        const auto ring = bcube.PlanRing(group);
        ASSERT_EQ(ring.error, "") << "seed " << seed;
        EXPECT_EQ(std::set<uint32_t>(ring.gpus.begin(), ring.gpus.end()),
                  std::set<uint32_t>(group.begin(), group.end()));
        ASSERT_EQ(ring.gpus.size(), group.size());
        const auto members = GetMembers(bcube);
        ASSERT_EQ(PlanCheck::Check(ring.plan, members, {bcube.GetRadixes(), 2 * ports}), "");
        PlanCheck::LinkCount expected;
        const std::size_t n = ring.gpus.size();
        for (std::size_t i = 0; i < n && n > 1; ++i)
        {
            const uint32_t a = ring.gpus[i];
            const uint32_t b = ring.gpus[(i + 1) % n];
            EXPECT_EQ(bcube.GetOcs(a, ring.levels[i]), bcube.GetOcs(b, ring.levels[i]));
            expected[std::minmax(a, b)] = n == 2 ? ports : ports / 2;
        }
        ASSERT_EQ(PlanCheck::CountLinks(ring.plan, members), expected) << "seed " << seed;

        const auto rings = bcube.PlanLevelRings(group);
        ASSERT_EQ(rings.error, "");
        ASSERT_EQ(PlanCheck::Check(rings.plan, members, {bcube.GetRadixes(), 0}), "");
        for (const auto& [link, circuits] : PlanCheck::CountLinks(rings.plan, members))
        {
            EXPECT_EQ(CountDifferentDigits(bcube, sizes.size(), link.first, link.second), 1u);
        }
        ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    }
}

TEST(BcubePlan, LevelRingsUseEveryPort)
{
    const BcubePlan bcube({{4, 3}, 2});
    std::vector<uint32_t> all;
    for (uint32_t gpu = 0; gpu < 12; ++gpu)
    {
        all.push_back(gpu);
    }
    const auto rings = bcube.PlanLevelRings(all);
    const auto links = PlanCheck::CountLinks(rings.plan, GetMembers(bcube));
    EXPECT_EQ(links.size(), 24u) << "12 GPUs with 4 ports each";
    EXPECT_EQ(links.count({0, 1}), 1u);
    EXPECT_EQ(links.count({0, 3}), 1u);
    EXPECT_EQ(links.count({0, 4}), 1u);
    EXPECT_EQ(links.count({0, 8}), 1u);
}

TEST(BcubePlan, AnAllToAllArrivesLevelByLevel)
{
    for (uint32_t seed = 1; seed <= 600; ++seed)
    {
        std::mt19937 random(seed);
        std::vector<uint32_t> sizes(1 + random() % 3);
        for (uint32_t& size : sizes)
        {
            size = 1 + random() % 4;
        }
        const uint32_t ports = 1U << random() % 3;
        const BcubePlan bcube({sizes, ports});
        const auto group = MakeBox(bcube, sizes, random);
        const auto members = GetMembers(bcube);
        const auto plan = bcube.PlanAllToAll(group);
        ASSERT_EQ(plan.error, "");

        // Where each block is, by source and destination; it moves as soon as it can.
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> place;
        for (uint32_t from : group)
        {
            for (uint32_t to : group)
            {
                place[{from, to}] = from;
            }
        }
        for (const auto& phase : plan.phases)
        {
            std::map<std::pair<uint32_t, uint32_t>, uint32_t> sent;
            for (const auto& step : phase.steps)
            {
                ASSERT_EQ(PlanCheck::Check(step, members, {bcube.GetRadixes(), ports}), "");
                for (const auto& [link, circuits] : PlanCheck::CountLinks(step, members))
                {
                    const std::pair<uint32_t, uint32_t> back{link.second, link.first};
                    EXPECT_EQ(sent.count(link), 0u) << "a pair meets once";
                    sent[link] = sent[back] = 0;
                }
            }
            for (auto& [block, at] : place)
            {
                if (bcube.GetDigit(at, phase.level) != bcube.GetDigit(block.second, phase.level))
                {
                    const auto path = bcube.GetPath(at, block.second);
                    ASSERT_GE(path.size(), 2u);
                    ASSERT_EQ(sent.count({at, path[1]}), 1u);
                    ++sent[{at, path[1]}];
                    at = path[1];
                }
            }
            for (const auto& [link, blocks] : sent)
            {
                EXPECT_EQ(blocks, phase.blocks);
            }
        }
        for (const auto& [block, at] : place)
        {
            EXPECT_EQ(at, block.second);
        }
        ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    }
}

TEST(BcubePlan, ErrorsNameRanks)
{
    const BcubePlan bcube({{3, 3}, 1, 0, 10, 2});
    EXPECT_EQ(bcube.PlanRing({}).error, "a group has no ranks");
    EXPECT_EQ(bcube.PlanRing({0, 9}).error, "rank 28 is not on this rail of 9 GPUs");
    EXPECT_EQ(bcube.PlanRing({0, 1, 0}).error, "rank 10 occurs twice in its group");
    EXPECT_EQ(bcube.PlanRing({0, 1, 3}).error,
              "the group is no box of addresses: rank 18 would have to belong to it");
    EXPECT_EQ(bcube.PlanAllToAll({0, 4}).error.substr(0, 30), "the group is no box of address");
    EXPECT_EQ(bcube.PlanRing({0, 1, 2}).error,
              "a ring of 3 ranks needs 2 ports of rank 12 at level 0; it has 1");
    EXPECT_EQ(bcube.PlanLevelRings({0, 1, 2}).error,
              "level 0: a ring of 3 ranks needs 2 ports a rank; rank 10 has 1");
    EXPECT_EQ(bcube.PlanRing({0, 1, 3, 4}).error, "") << "to and fro between the levels";
    EXPECT_EQ(bcube.CheckRadix(3), "");
    EXPECT_EQ(bcube.CheckRadix(2), "level 0 joins 3 GPUs with 1 ports each, a switch has 2");
}

} // namespace
} // namespace ns3
