// SPDX-License-Identifier: GPL-2.0-only

#include "../track-fabric.h"

#include "ns3/fabric-matchings.h"
#include "ns3/light-path-check.h"
#include "ns3/pip-switch-fabric.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace ns3
{
namespace
{

using test::TrackFabric;

/// @return members whose ports are one after the other on switch 0
std::vector<CircuitPlanner::Member>
MakeMembers(uint32_t n, uint32_t ports)
{
    std::vector<CircuitPlanner::Member> members;
    for (uint32_t rank = 0; rank < n; ++rank)
    {
        members.push_back({rank, {}});
        for (uint32_t port = 0; port < ports; ++port)
        {
            members.back().ports.push_back({0, rank * ports + port});
        }
    }
    return members;
}

/// @return an idle mesh
Ptr<CircuitFabric>
MakePhotonicMesh(uint32_t rows, uint32_t columns, uint32_t ports)
{
    auto mesh = CreateObject<PipSwitchFabric>();
    mesh->SetAttribute("Rows", UintegerValue(rows));
    mesh->SetAttribute("Columns", UintegerValue(columns));
    mesh->SetAttribute("Ports", UintegerValue(ports));
    return mesh;
}

/// Each pair once, and each step possible after the one before.
void
ExpectAllMeet(uint32_t n, uint32_t ports, Ptr<CircuitFabric> fabric, std::size_t mostSteps)
{
    const auto members = MakeMembers(n, ports);
    const FabricMatchings matchings = MakeFabricMatchings(members, *fabric);
    ASSERT_EQ(matchings.error, "");
    std::set<MemberPair> met;
    for (const Matching& matching : matchings.schedule)
    {
        for (const MemberPair& pair : matching)
        {
            EXPECT_TRUE(met.insert(pair).second) << pair.a << "-" << pair.b << " meets twice";
        }
    }
    EXPECT_EQ(met.size(), std::size_t{n} * (n - 1) / 2);
    const StepPlans plans = PlanSteps(members, matchings.schedule);
    ASSERT_EQ(plans.error, "");
    EXPECT_LE(plans.steps.size(), mostSteps);
    CircuitSet before;
    for (const CircuitPlan& plan : plans.steps)
    {
        EXPECT_EQ(fabric->Change(before, plan.at(0)), "");
        before = plan.at(0);
    }
}

TEST(FabricMatchings, AFabricWithRoomForAllNeedsNoMoreThanAny)
{
    for (uint32_t n = 2; n <= 9; ++n)
    {
        for (const uint32_t ports : {1U, 2U, 4U})
        {
            ExpectAllMeet(n,
                          ports,
                          TrackFabric::Make(n * ports, n * ports),
                          CountSteps(n - 1 + n % 2, ports));
        }
    }
}

TEST(FabricMatchings, OneTrackTakesMore)
{
    for (uint32_t n = 2; n <= 9; ++n)
    {
        for (const uint32_t ports : {1U, 2U})
        {
            ExpectAllMeet(n, ports, TrackFabric::Make(n * ports, 1), n * n);
        }
    }
    // All pairs from the lower half to the upper cross in the middle: one after the other.
    const auto members = MakeMembers(8, 1);
    EXPECT_GE(MakeFabricMatchings(members, *TrackFabric::Make(8, 1)).schedule.size(), 16U);
    EXPECT_EQ(MakeFabricMatchings(members, *TrackFabric::Make(8, 4)).schedule.size(), 7U);
}

TEST(FabricMatchings, OnAMesh)
{
    ExpectAllMeet(8, 1, MakePhotonicMesh(9, 9, 8), 28);
    ExpectAllMeet(6, 1, MakePhotonicMesh(2, 2, 6), 15);
    ExpectAllMeet(4, 2, MakePhotonicMesh(4, 4, 8), 6);
}

TEST(FabricMatchings, APairThatCannotMeetIsNamed)
{
    const auto matchings = MakeFabricMatchings(MakeMembers(4, 1), *TrackFabric::Make(3, 4));
    EXPECT_EQ(matchings.error, "circuit 0-3 has no two ports of this fabric");
}

TEST(LightPathCheck, WithoutAFabricEverythingPasses)
{
    const LightPathCheck check(nullptr, 4, 2);
    EXPECT_EQ(check.CheckRing({0, 4, 8, 12}), "");
    EXPECT_EQ(check.CheckRotation(16), "");
    StaticCircuits circuits(8, 2);
    circuits.Join(0, 4, 0, 2);
    EXPECT_EQ(check.CheckStatic(circuits), "");
}

TEST(LightPathCheck, NamesTheCircuitThatIsTooMuch)
{
    // Two rails of four domains with two ports a GPU.
    const LightPathCheck one(TrackFabric::Make(8, 1), 2, 2);
    const LightPathCheck three(TrackFabric::Make(8, 3), 2, 2);
    const std::vector<uint32_t> ring{1, 3, 5, 7};
    EXPECT_EQ(three.CheckRing(ring), "");
    EXPECT_EQ(one.CheckRing(ring).rfind("the switches cannot join the ring of ranks 1 to 7", 0), 0U)
        << one.CheckRing(ring);
    StaticCircuits circuits(8, 2);
    EXPECT_TRUE(circuits.Join(1, 7, 0, 2));
    EXPECT_EQ(one.CheckStatic(circuits), "");
    EXPECT_TRUE(circuits.Join(3, 5, 0, 2));
    EXPECT_EQ(one.CheckStatic(circuits),
              "not all circuits of rail 1 can be up together: there is no way for circuit 2-4");
    EXPECT_EQ(three.CheckStatic(circuits), "");
    EXPECT_EQ(one.CheckRotation(4), "");
    EXPECT_EQ(one.CheckRotation(5), "circuit 0-8 has no two ports of this fabric");
}

/// What everybody who plans with a CircuitFabric relies on, on any of them.
class CircuitFabricContract : public testing::TestWithParam<int>
{
  protected:
    static constexpr uint32_t PORTS = 12;

    Ptr<CircuitFabric> Make() const
    {
        switch (GetParam())
        {
        case 0:
            return TrackFabric::Make(PORTS, 2);
        case 1:
            return MakePhotonicMesh(2, 2, PORTS);
        default:
            return MakePhotonicMesh(3, 2, PORTS);
        }
    }

    /// @return a change that may be possible
    std::pair<CircuitSet, CircuitSet> Draw(const std::set<Circuit>& up)
    {
        CircuitSet drop;
        std::set<uint32_t> taken;
        for (const Circuit& circuit : up)
        {
            if (m_random() % 3 == 0)
            {
                drop.push_back(circuit);
            }
            else
            {
                taken.insert({circuit.a, circuit.b});
            }
        }
        CircuitSet make;
        for (uint32_t i = 0; i < 3 + m_random() % 6; ++i)
        {
            const uint32_t a = m_random() % PORTS;
            const uint32_t b = m_random() % PORTS;
            if (a < b && taken.count(a) + taken.count(b) == 0)
            {
                make.push_back({a, b});
                taken.insert({a, b});
            }
        }
        return {drop, make};
    }

    /// The same circuits with the same light.
    void ExpectSame(const CircuitFabric& x, const CircuitFabric& y, const std::set<Circuit>& up)
    {
        for (const Circuit& circuit : up)
        {
            EXPECT_EQ(x.GetDelay(circuit), y.GetDelay(circuit));
            EXPECT_EQ(x.GetLoss(circuit), y.GetLoss(circuit));
            EXPECT_EQ(x.GetDelay(circuit), x.GetDelay({circuit.b, circuit.a}));
        }
    }

    std::mt19937 m_random{7};
};

TEST_P(CircuitFabricContract, ACopyAnswersAsTheOriginal)
{
    const Ptr<CircuitFabric> fabric = Make();
    EXPECT_EQ(fabric->GetPorts(), PORTS);
    std::set<Circuit> up;
    Ptr<CircuitFabric> follower = fabric->Copy();
    uint32_t refused = 0;
    for (int i = 0; i < 400; ++i)
    {
        const auto [drop, make] = Draw(up);
        // What a copy does changes nothing here.
        EXPECT_EQ(fabric->Copy()->Change({up.begin(), up.end()}, {}), "");
        const Ptr<CircuitFabric> copy = fabric->Copy();
        const std::string answer = copy->Change(drop, make);
        EXPECT_EQ(fabric->Change(drop, make), answer);
        EXPECT_EQ(follower->Change(drop, make), answer);
        if (answer.empty())
        {
            for (const Circuit& circuit : drop)
            {
                up.erase(circuit);
            }
            up.insert(make.begin(), make.end());
        }
        refused += answer.empty() ? 0 : 1;
        ExpectSame(*fabric, *copy, up);
        ExpectSame(*fabric, *follower, up);
        follower = i % 50 == 0 ? fabric->Copy() : follower;
    }
    EXPECT_GT(refused, 5U) << "all were possible";
    EXPECT_LT(refused, 395U) << "none was possible";
}

TEST_P(CircuitFabricContract, WithoutCircuitsItIsAsNew)
{
    const Ptr<CircuitFabric> fabric = Make();
    std::set<Circuit> up;
    for (int i = 0; i < 25; ++i)
    {
        const auto [drop, make] = Draw(up);
        if (fabric->Change(drop, make).empty())
        {
            for (const Circuit& circuit : drop)
            {
                up.erase(circuit);
            }
            up.insert(make.begin(), make.end());
        }
        const CircuitSet other = Draw({}).second;
        const Ptr<CircuitFabric> idle = Make();
        const std::string answer = idle->Change({}, other);
        EXPECT_EQ(CheckOnIdleFabric(*fabric, other), answer);
        const Ptr<CircuitFabric> emptied = fabric->Copy();
        EXPECT_EQ(emptied->Change({up.begin(), up.end()}, other), answer);
        if (answer.empty())
        {
            ExpectSame(*idle, *emptied, {other.begin(), other.end()});
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Fabrics, CircuitFabricContract, testing::Values(0, 1, 2));

} // namespace
} // namespace ns3
