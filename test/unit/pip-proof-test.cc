// SPDX-License-Identifier: GPL-2.0-only

#include "../../examples/pip-switch/pip-proof.h"
#include "../../examples/pip-switch/pip-sizing.h"
#include "../../examples/pip-switch/pip-solver.h"

#include "ns3/pip-mesh.h"
#include "ns3/pip-placement.h"
#include "ns3/pip-router.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>

namespace ns3
{
namespace
{

TEST(PipSizing, TheSmallestMeshIsFoundWithTheOneThatIsTooSmall)
{
    PipProofEffort effort;
    effort.solver = false;
    for (const auto& [ports, side] : {std::pair{4u, 2u}, {6u, 2u}, {8u, 3u}, {12u, 4u}})
    {
        const auto sizing = FindSmallestPipMesh(ports, effort);
        EXPECT_EQ(sizing.fitting.plan.Check(), "");
        EXPECT_EQ(sizing.fitting.plan.rows, side);
        EXPECT_EQ(sizing.fitting.plan.columns, side);
        EXPECT_EQ(sizing.fitting.plan.matchings.size(), ports - 1);
        ASSERT_TRUE(sizing.tooSmall);
        EXPECT_EQ(sizing.tooSmall->plan.rows, side - 1);
        EXPECT_NE(sizing.tooSmall->plan.matchings.size(), ports - 1);
    }
}

class PipSolverTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        if (!PipSolver::IsAvailable())
        {
            GTEST_SKIP() << "configured without a solver";
        }
    }
};

TEST_F(PipSolverTest, SaysOfOneCircuitWhatAllSettingsShow)
{
    // 11 cells: light of each free end in each of 2048 settings.
    const PipMesh mesh(1, 2);
    const auto& ends = mesh.GetFreeEnds();
    std::set<std::pair<uint32_t, uint32_t>> possible;
    for (uint32_t bits = 0; bits < 1U << mesh.GetCells(); ++bits)
    {
        PipStates states;
        for (uint32_t cell = 0; cell < mesh.GetCells(); ++cell)
        {
            states.push_back((bits >> cell & 1U) != 0 ? PipMesh::CROSS : PipMesh::BAR);
        }
        for (uint32_t end : ends)
        {
            possible.insert({end, FollowPipLight(mesh, states, end).exit});
        }
    }
    for (std::size_t i = 0; i < ends.size(); ++i)
    {
        for (std::size_t j = i + 1; j < ends.size(); ++j)
        {
            PipStates states;
            const auto answer =
                PipSolver::FindStates(mesh, {ends[i], ends[j]}, {{0, 1}}, 100000, states);
            EXPECT_EQ(answer,
                      possible.count({ends[i], ends[j]}) ? PipSolver::FITS : PipSolver::IMPOSSIBLE);
        }
    }
}

TEST_F(PipSolverTest, SaysOfMatchingsWhatAllSettingsShow)
{
    const PipMesh mesh(1, 2);
    const auto places = SpreadPipPorts(mesh, 6, 1);
    std::set<CircuitSet> possible;
    for (uint32_t bits = 0; bits < 1U << mesh.GetCells(); ++bits)
    {
        PipStates states;
        for (uint32_t cell = 0; cell < mesh.GetCells(); ++cell)
        {
            states.push_back((bits >> cell & 1U) != 0 ? PipMesh::CROSS : PipMesh::BAR);
        }
        CircuitSet circuits;
        for (uint32_t a = 0; a < places.size(); ++a)
        {
            const auto exit = FollowPipLight(mesh, states, places[a]).exit;
            const auto b = static_cast<uint32_t>(std::find(places.begin(), places.end(), exit) -
                                                 places.begin());
            if (a < b && b < places.size())
            {
                circuits.push_back({a, b});
            }
        }
        possible.insert(circuits);
    }
    uint32_t fitting = 0;
    uint32_t routed = 0;
    PipRouter router(mesh);
    // All matchings of three circuits.
    std::vector<uint32_t> order{0, 1, 2, 3, 4, 5};
    std::set<CircuitSet> matchings;
    do
    {
        CircuitSet matching;
        for (std::size_t i = 0; i < order.size(); i += 2)
        {
            matching.push_back(
                {std::min(order[i], order[i + 1]), std::max(order[i], order[i + 1])});
        }
        std::sort(matching.begin(), matching.end());
        matchings.insert(matching);
    } while (std::next_permutation(order.begin(), order.end()));
    ASSERT_EQ(matchings.size(), 15u);
    for (const auto& matching : matchings)
    {
        PipStates states;
        const auto answer = PipSolver::FindStates(mesh, places, matching, 100000, states);
        EXPECT_EQ(answer, possible.count(matching) ? PipSolver::FITS : PipSolver::IMPOSSIBLE);
        std::vector<PipRouter::Request> requests;
        for (const auto& circuit : matching)
        {
            requests.emplace_back(places[circuit.a], places[circuit.b]);
        }
        const auto paths = router.Route(requests, 60);
        const bool isRouted = std::none_of(paths.begin(), paths.end(), [](const PipPath& path) {
            return path.empty();
        });
        EXPECT_TRUE(!isRouted || answer == PipSolver::FITS);
        fitting += answer == PipSolver::FITS ? 1 : 0;
        routed += isRouted ? 1 : 0;
    }
    EXPECT_GT(fitting, 0u);
    EXPECT_LT(fitting, 15u);
    EXPECT_EQ(routed, fitting) << "the router finds all of them on this mesh";
}

TEST_F(PipSolverTest, TheRouterNeverFindsWhatCannotBeAndSeldomMissesWhatCan)
{
    std::mt19937 random(13);
    uint32_t possible = 0;
    uint32_t routed = 0;
    uint32_t impossible = 0;
    for (int round = 0; round < 150; ++round)
    {
        const PipMesh mesh(2 + random() % 3, 2 + random() % 3);
        const uint32_t ports = 4 + 2 * (random() % 4);
        const auto places = PlacePipPorts(mesh, ports);
        std::vector<uint32_t> order(ports);
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        CircuitSet circuits;
        std::vector<PipRouter::Request> requests;
        for (uint32_t i = 0; i < ports; i += 2)
        {
            circuits.push_back({order[i], order[i + 1]});
            requests.emplace_back(places[order[i]], places[order[i + 1]]);
        }
        PipRouter router(mesh);
        const auto paths = router.Route(requests, 60);
        const bool isRouted = std::none_of(paths.begin(), paths.end(), [](const PipPath& path) {
            return path.empty();
        });
        PipStates states;
        const auto answer = PipSolver::FindStates(mesh, places, circuits, 200000, states);
        ASSERT_NE(answer, PipSolver::UNKNOWN);
        if (answer == PipSolver::FITS)
        {
            EXPECT_EQ(CheckPipCircuits(mesh, places, states, circuits), "");
            ++possible;
            routed += isRouted ? 1 : 0;
        }
        else
        {
            EXPECT_FALSE(isRouted);
            ++impossible;
        }
    }
    RecordProperty("possible", static_cast<int>(possible));
    RecordProperty("routed", static_cast<int>(routed));
    EXPECT_GT(possible, 50u);
    EXPECT_GT(impossible, 10u);
    EXPECT_GE(routed * 100, possible * 90) << routed << " of " << possible;
}

TEST_F(PipSolverTest, FindsPlansThatTheSearchDoesNot)
{
    // Two by two hexagons and eight ports: seven matchings, though the search finds eight.
    const PipMesh mesh(2, 2);
    const auto places = PlacePipPorts(mesh, 8);
    const auto searched = PlanPipMatchings(mesh, places, PipEffort());
    EXPECT_EQ(searched.Check(), "");
    const auto solved = ProvePipMatchings(mesh, places, PipProofEffort());
    EXPECT_EQ(solved.Check(), "");
    EXPECT_TRUE(solved.IsSmallest());
    EXPECT_EQ(solved.matchings.size(), 7u);
    EXPECT_LT(solved.matchings.size(), searched.matchings.size());
}

TEST_F(PipSolverTest, ProvesThatMoreMatchingsAreNeeded)
{
    // Five ports on one row of two hexagons.
    const PipMesh mesh(1, 2);
    uint32_t raised = 0;
    for (uint32_t turn = 0; turn < 16; ++turn)
    {
        const auto places = SpreadPipPorts(mesh, 5, turn);
        const auto plan = ProvePipMatchings(mesh, places, PipProofEffort());
        if (plan.error.empty())
        {
            EXPECT_EQ(plan.Check(), "");
            EXPECT_TRUE(plan.IsSmallest());
            std::vector<PipMatching> fewer;
            if (plan.lowerBound > CountLeastMatchings(5))
            {
                ++raised;
                EXPECT_EQ(
                    PipSolver::FindMatchings(mesh, places, plan.lowerBound - 1, 1000000, fewer),
                    PipSolver::IMPOSSIBLE);
            }
        }
    }
    EXPECT_GT(raised, 0u);
}

TEST_F(PipSolverTest, GivesUpWhenToldTo)
{
    const PipMesh mesh(6, 6);
    const auto places = PlacePipPorts(mesh, 16);
    CircuitSet circuits;
    for (uint32_t i = 0; i < 8; ++i)
    {
        circuits.push_back({i, i + 8});
    }
    PipStates states;
    EXPECT_EQ(PipSolver::FindStates(mesh, places, circuits, 1, states), PipSolver::UNKNOWN);
}

} // namespace
} // namespace ns3
