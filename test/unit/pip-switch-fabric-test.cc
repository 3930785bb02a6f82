// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/pip-mesh.h"
#include "ns3/pip-placement.h"
#include "ns3/pip-plan.h"
#include "ns3/pip-switch-fabric.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace ns3
{
namespace
{

/// @return a fabric of a size
Ptr<PipSwitchFabric>
MakeFabric(uint32_t side, uint32_t ports)
{
    auto fabric = CreateObject<PipSwitchFabric>();
    fabric->SetAttribute("Rows", UintegerValue(side));
    fabric->SetAttribute("Columns", UintegerValue(side));
    fabric->SetAttribute("Ports", UintegerValue(ports));
    return fabric;
}

/// @return what light says of the circuits that are up
std::string
CheckLight(const PipSwitchFabric& fabric)
{
    return CheckPipCircuits(fabric.GetMesh(),
                            fabric.GetPlaces(),
                            fabric.GetStates(),
                            fabric.GetCircuits());
}

TEST(PipSwitchFabric, CircuitsComeAndGoBesideOthers)
{
    const auto fabric = MakeFabric(5, 8);
    EXPECT_EQ(fabric->GetPorts(), 8u);
    EXPECT_EQ(fabric->Change({}, {{0, 4}, {5, 1}}), "");
    EXPECT_EQ(fabric->GetCircuits(), (CircuitSet{{0, 4}, {1, 5}}));
    EXPECT_EQ(CheckLight(*fabric), "");
    const uint32_t cells = fabric->GetCells({4, 0});
    EXPECT_EQ(fabric->Change({{1, 5}}, {{1, 2}, {5, 6}}), "");
    EXPECT_EQ(fabric->GetCells({0, 4}), cells) << "it was not disturbed";
    EXPECT_EQ(CheckLight(*fabric), "");
    fabric->Clear();
    EXPECT_TRUE(fabric->GetCircuits().empty());
    EXPECT_EQ(fabric->Change({}, {{0, 1}}), "");
}

TEST(PipSwitchFabric, AChangeThatCannotBeLeavesAllAsItWas)
{
    const auto fabric = MakeFabric(3, 6);
    ASSERT_EQ(fabric->Change({}, {{0, 3}}), "");
    const auto states = fabric->GetStates();
    EXPECT_EQ(fabric->Change({{0, 2}}, {}), "circuit 0-2 is not up");
    EXPECT_EQ(fabric->Change({{0, 3}, {3, 0}}, {}), "circuit 3-0 is to be dropped twice");
    EXPECT_EQ(fabric->Change({}, {{3, 4}}), "circuit 3-4: port 3 is in use");
    EXPECT_EQ(fabric->Change({}, {{1, 2}, {2, 4}}), "circuit 2-4: port 2 is in use");
    EXPECT_EQ(fabric->Change({}, {{1, 1}}), "circuit 1-1 joins a port to itself");
    EXPECT_EQ(fabric->Change({}, {{1, 6}}), "circuit 1-6: port 6 is out of range, the mesh has 6");
    EXPECT_EQ(fabric->GetCircuits(), (CircuitSet{{0, 3}}));
    EXPECT_EQ(fabric->GetStates(), states);
}

TEST(PipSwitchFabric, ATooSmallMeshRefusesAndSaysWhich)
{
    // Four hexagons do not carry all four circuits through the middle at once.
    const auto fabric = MakeFabric(2, 8);
    ASSERT_EQ(fabric->Change({}, {{0, 1}}), "");
    const std::string error = fabric->Change({{0, 1}}, {{0, 4}, {1, 5}, {2, 6}, {3, 7}});
    EXPECT_NE(error.find("no light path"), std::string::npos) << error;
    EXPECT_EQ(fabric->GetCircuits(), (CircuitSet{{0, 1}}));
    EXPECT_EQ(CheckLight(*fabric), "");
}

TEST(PipSwitchFabric, DelayAndLossFollowFromTheCellsPassed)
{
    const auto fabric = MakeFabric(4, 4);
    fabric->SetAttribute("CellLength", DoubleValue(299.792458));
    fabric->SetAttribute("GroupIndex", DoubleValue(4));
    fabric->SetAttribute("CellLoss", DoubleValue(0.25));
    fabric->SetAttribute("CouplingLoss", DoubleValue(2));
    ASSERT_EQ(fabric->Change({}, {{0, 2}}), "");
    const uint32_t cells = fabric->GetCells({0, 2});
    EXPECT_GE(cells, 4u);
    EXPECT_EQ(
        cells,
        FollowPipLight(fabric->GetMesh(), fabric->GetStates(), fabric->GetPlaces()[0]).GetCells());
    EXPECT_DOUBLE_EQ(fabric->GetLoss({2, 0}), 0.25 * cells + 4);
    EXPECT_EQ(fabric->GetDelay({0, 2}), Time::FromDouble(4.0 * cells, Time::PS));
}

TEST(PipSwitchFabric, ACopyHasTheSameLightAndAnswersAlike)
{
    std::mt19937 random(3);
    const auto fabric = MakeFabric(5, 16);
    uint32_t refused = 0;
    uint32_t made = 0;
    for (int step = 0; step < 400; ++step)
    {
        CircuitSet drop;
        std::vector<bool> isFree(16, true);
        for (const auto& circuit : fabric->GetCircuits())
        {
            const bool drops = random() % 3 == 0;
            if (drops)
            {
                drop.push_back(circuit);
            }
            isFree[circuit.a] = isFree[circuit.b] = drops;
        }
        std::vector<uint32_t> ports;
        for (uint32_t port = 0; port < 16; ++port)
        {
            if (isFree[port] && random() % 4 != 0)
            {
                ports.push_back(port);
            }
        }
        std::shuffle(ports.begin(), ports.end(), random);
        CircuitSet make;
        for (std::size_t i = 0; i + 1 < ports.size(); i += 2)
        {
            make.push_back({ports[i], ports[i + 1]});
        }
        const auto copy = DynamicCast<PipSwitchFabric>(fabric->Copy());
        ASSERT_EQ(copy->GetStates(), fabric->GetStates());
        const auto before = fabric->GetStates();
        const std::string answer = copy->Change(drop, make);
        ASSERT_EQ(fabric->GetStates(), before) << "the copy changes on its own";
        ASSERT_EQ(fabric->Change(drop, make), answer);
        ASSERT_EQ(copy->GetStates(), fabric->GetStates());
        ASSERT_EQ(copy->GetCircuits(), fabric->GetCircuits());
        ASSERT_EQ(CheckLight(*fabric), "");
        refused += answer.empty() ? 0 : 1;
        made += answer.empty() ? make.size() : 0;
    }
    EXPECT_GT(refused, 0u) << "the test has to see both";
    EXPECT_GT(made, 100u);
}

TEST(PipSwitchFabric, MatchingsOfThePlanFollowEachOtherInAnyOrder)
{
    const auto fabric = MakeFabric(5, 16);
    fabric->SetAttribute("Planned", BooleanValue(true));
    const auto matchings = fabric->GetPlannedMatchings();
    ASSERT_EQ(matchings.size(), 15u);
    std::mt19937 random(1);
    uint32_t refusedWithoutPlan = 0;
    const auto plain = MakeFabric(5, 16);
    for (int step = 0; step < 100; ++step)
    {
        // Some circuits of one matching and then the others, in any order.
        auto matching = matchings[random() % matchings.size()];
        std::shuffle(matching.begin(), matching.end(), random);
        const auto middle = matching.begin() + random() % (matching.size() + 1);
        ASSERT_EQ(fabric->Change(fabric->GetCircuits(), {matching.begin(), middle}), "");
        ASSERT_EQ(fabric->Change({}, {middle, matching.end()}), "");
        EXPECT_EQ(fabric->GetCircuits().size(), 8u);
        EXPECT_EQ(CheckLight(*fabric), "");
        plain->Clear();
        refusedWithoutPlan += plain->Change({}, {matching.begin(), middle}).empty() &&
                                      plain->Change({}, {middle, matching.end()}).empty()
                                  ? 0
                                  : 1;
    }
    EXPECT_GT(refusedWithoutPlan, 0u) << "it is the plan that makes the difference";
}

TEST(PipSwitchFabric, AlmostAnyMatchingOfThirtyTwoPortsFitsIfAskedForAtOnce)
{
    const auto fabric = MakeFabric(9, 32);
    std::mt19937 random(1);
    uint32_t atOnce = 0;
    uint32_t oneByOne = 0;
    for (int round = 0; round < 30; ++round)
    {
        std::vector<uint32_t> ports(32);
        std::iota(ports.begin(), ports.end(), 0);
        std::shuffle(ports.begin(), ports.end(), random);
        CircuitSet matching;
        for (std::size_t i = 0; i < ports.size(); i += 2)
        {
            matching.push_back({ports[i], ports[i + 1]});
        }
        fabric->Clear();
        atOnce += fabric->Change({}, matching).empty() ? 1 : 0;
        EXPECT_EQ(CheckLight(*fabric), "");
        fabric->Clear();
        oneByOne += std::all_of(matching.begin(), matching.end(), [&](const Circuit& circuit) {
            return fabric->Change({}, {circuit}).empty();
        });
        EXPECT_EQ(CheckLight(*fabric), "");
    }
    EXPECT_GE(atOnce, 27u);
    EXPECT_LT(oneByOne, 15u);
}

TEST(PipSwitchFabric, APlanBringsItsMeshAndPorts)
{
    const PipMesh mesh(3, 4);
    auto plan = PlanPipMatchings(mesh, PlacePipPorts(mesh, 6), PipEffort());
    const auto fabric = CreateObject<PipSwitchFabric>();
    ASSERT_EQ(fabric->SetPlan(plan), "");
    EXPECT_EQ(fabric->GetPorts(), 6u);
    EXPECT_EQ(fabric->GetMesh().GetCells(), mesh.GetCells());
    EXPECT_EQ(fabric->GetPlaces(), plan.places);
    for (const auto& matching : plan.matchings)
    {
        const auto copy = DynamicCast<PipSwitchFabric>(fabric->Copy());
        ASSERT_EQ(copy->Change({}, matching.circuits), "");
        for (const auto& circuit : matching.circuits)
        {
            EXPECT_EQ(copy->GetCells(circuit),
                      FollowPipLight(mesh, matching.states, plan.places[circuit.a]).GetCells());
        }
    }
    plan.matchings.pop_back();
    EXPECT_NE(fabric->SetPlan(plan), "");
    EXPECT_EQ(fabric->GetPlannedMatchings().size(), 5u) << "nothing has changed";
}

TEST(PipSwitchFabric, AnIdleFabricTakesAnotherSize)
{
    const auto fabric = MakeFabric(3, 6);
    const auto expectAs = [&fabric](uint32_t rows, uint32_t columns, uint32_t ports) {
        const PipMesh mesh(rows, columns);
        EXPECT_EQ(fabric->GetMesh().GetCells(), mesh.GetCells());
        EXPECT_EQ(fabric->GetPlaces(), PlacePipPorts(mesh, ports));
        EXPECT_EQ(fabric->Change({}, {{0, ports / 2}, {1, ports - 1}}), "");
        EXPECT_EQ(CheckLight(*fabric), "") << "light paths are of this mesh";
        // Without Clear, which makes a new router, too.
        EXPECT_EQ(fabric->Change(fabric->GetCircuits(), {}), "");
    };
    expectAs(3, 3, 6); // from here on there are a mesh and a router
    fabric->SetAttribute("Ports", UintegerValue(8));
    expectAs(3, 3, 8);
    fabric->SetAttribute("Rows", UintegerValue(5));
    expectAs(5, 3, 8);
    fabric->SetAttribute("Columns", UintegerValue(4));
    expectAs(5, 4, 8);
    EXPECT_TRUE(fabric->GetPlannedMatchings().empty());
    fabric->SetAttribute("Planned", BooleanValue(true));
    EXPECT_EQ(fabric->GetPlannedMatchings().size(), 7u);
    fabric->SetAttribute("Planned", BooleanValue(false));
    EXPECT_TRUE(fabric->GetPlannedMatchings().empty());
}

TEST(PipSwitchFabric, SizesThatCannotBeAreNamed)
{
    EXPECT_EQ(PipSwitchFabric::CheckSize(9, 9, 32), "");
    EXPECT_EQ(PipSwitchFabric::CheckSize(9, 9, 76), "");
    EXPECT_EQ(PipSwitchFabric::CheckSize(9, 9, 77),
              "a mesh of 9 x 9 hexagons can have 2 to 76 ports");
    EXPECT_EQ(PipSwitchFabric::CheckSize(1, 1, 1),
              "a mesh of 1 x 1 hexagons can have 2 to 12 ports");
    EXPECT_EQ(PipSwitchFabric::CheckSize(0, 9, 4), "a mesh has 1 to 32 rows and columns");
    EXPECT_EQ(PipSwitchFabric::CheckSize(9, 33, 4), "a mesh has 1 to 32 rows and columns");
}

} // namespace
} // namespace ns3
