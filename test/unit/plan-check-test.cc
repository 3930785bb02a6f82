// SPDX-License-Identifier: GPL-2.0-only

#include "plan-check.h"
#include "plan-test-tools.h"

#include <gtest/gtest.h>
#include <random>

namespace ns3
{
namespace
{

TEST(PlanCheck, FindsEachFault)
{
    const auto members = MakeCabledMembers(3, 2);
    const PlanCheck::Limits limits{{{3, 6}}, 0};
    auto check = [&](const CircuitPlan& plan) { return PlanCheck::Check(plan, members, limits); };
    EXPECT_EQ(check({}), "");
    EXPECT_EQ(check({{3, {{0, 3}, {1, 4}, {2, 5}}}}), "");
    EXPECT_EQ(check({{4, {{0, 3}}}}), "switch 4 does not exist");
    EXPECT_EQ(check({{3, {{3, 0}}}}), "switch 3 circuit 3-0: the lower port must come first");
    EXPECT_EQ(check({{3, {{2, 2}}}}), "switch 3 circuit 2-2: the lower port must come first");
    EXPECT_EQ(check({{3, {{0, 6}}}}), "switch 3 circuit 0-6: port 6 is beyond the radix of 6");
    EXPECT_EQ(check({{3, {{0, 3}, {3, 4}}}}),
              "switch 3 circuit 3-4: port 3 of rank 1 is used twice");
    EXPECT_EQ(check({{3, {{2, 3}}}}), "switch 3 circuit 2-3: both ports belong to rank 1");
    EXPECT_EQ(PlanCheck::Check({{3, {{0, 7}}}}, members, {{{3, 9}}, 0}),
              "switch 3 circuit 0-7: port 7 belongs to no rank of the group");
    EXPECT_EQ(PlanCheck::Check({{3, {{0, 2}, {1, 4}}}}, members, {{{3, 6}}, 1}),
              "switch 3 circuit 1-4: rank 0 has more than 1 circuits");
    auto twice = members;
    twice[2].ports[0].port = 1;
    EXPECT_EQ(PlanCheck::Check({}, twice, limits),
              "switch 3 port 1 is cabled to rank 0 and to rank 2");
}

TEST(PlanCheck, CountsParallelCircuits)
{
    const auto members = MakeCabledMembers(3, 2);
    EXPECT_EQ(PlanCheck::CountLinks({{3, {{0, 3}, {1, 2}}}}, members),
              (PlanCheck::LinkCount{{{0, 1}, 2}}));
}

TEST(PlanCheck, AcceptsRingsAndLinksOfAnyCablingAndNothingThatIsSpoilt)
{
    for (uint32_t seed = 1; seed <= 3000; ++seed)
    {
        std::mt19937 random(seed);
        const uint32_t ports = 1U << random() % 3;
        const uint32_t n = ports == 1 ? 2 : 2 + random() % 20;
        const auto members = MakeScatteredMembers(n, ports, random);
        const bool isRing = random() % 2 == 0;
        auto result = isRing ? CircuitPlanner::PlanRing(members)
                             : CircuitPlanner::PlanLink({members[0], members[1]});
        ASSERT_EQ(result.error, "");
        const auto limits = GetLimits(members);
        ASSERT_EQ(PlanCheck::Check(result.plan, members, limits), "") << "seed " << seed;

        // The pairs that are joined, from their definition.
        PlanCheck::LinkCount expected;
        for (uint32_t i = 0; i < (isRing ? n : 1); ++i)
        {
            const uint32_t a = members[i].rank;
            const uint32_t b = members[(i + 1) % n].rank;
            expected[std::minmax(a, b)] = isRing && n == 2 ? ports : std::max(1U, ports / 2);
        }
        ASSERT_EQ(PlanCheck::CountLinks(result.plan, members), expected) << "seed " << seed;

        CircuitSet& circuits = result.plan.at(3);
        CircuitSet spoilt = circuits;
        Circuit& victim = spoilt[random() % spoilt.size()];
        if (spoilt.size() > 1 && random() % 2 == 0)
        {
            // Two circuits meet at one port.
            const Circuit& other = circuits[(&victim - spoilt.data() + 1) % circuits.size()];
            victim = {std::min(victim.a, other.b), std::max(victim.a, other.b)};
        }
        else
        {
            victim.b = limits.radix.at(3);
        }
        EXPECT_NE(PlanCheck::Check({{3, spoilt}}, members, limits), "") << "seed " << seed;
    }
}

} // namespace
} // namespace ns3
