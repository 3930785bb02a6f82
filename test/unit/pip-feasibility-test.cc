// SPDX-License-Identifier: GPL-2.0-only

#include "../../examples/pip-switch/pip-feasibility.h"

#include "ns3/pip-mesh.h"
#include "ns3/pip-placement.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace ns3
{
namespace
{

TEST(PipFeasibility, BoundsHoldForEverySettingOfASmallMesh)
{
    const PipMesh mesh(1, 2); // 11 cells
    std::mt19937 random(4);
    uint32_t impossible = 0;
    for (int round = 0; round < 60; ++round)
    {
        auto places = SpreadPipPorts(mesh, 8, random() % 16);
        std::shuffle(places.begin(), places.end(), random);
        const CircuitSet circuits{{0, 1}, {2, 3}, {4, 5}, {6, 7}};
        uint32_t most = 0; // circuits that any setting has up together
        for (uint32_t bits = 0; bits < 1U << mesh.GetCells(); ++bits)
        {
            PipStates states;
            for (uint32_t cell = 0; cell < mesh.GetCells(); ++cell)
            {
                states.push_back((bits >> cell & 1U) != 0 ? PipMesh::CROSS : PipMesh::BAR);
            }
            uint32_t up = 0;
            for (const auto& circuit : circuits)
            {
                up += FollowPipLight(mesh, states, places[circuit.a]).exit == places[circuit.b];
            }
            most = std::max(most, up);
        }
        for (const bool solver : {false, true})
        {
            PipProofEffort effort;
            effort.solver = solver;
            const auto known = CheckPipFeasibility(mesh, places, circuits, effort);
            EXPECT_LE(known.atLeast, most);
            EXPECT_GE(known.atMost, most);
            EXPECT_TRUE(known.answer != PipSolver::FITS || most == circuits.size());
            EXPECT_TRUE(known.answer != PipSolver::IMPOSSIBLE || most < circuits.size());
            if (solver && PipSolver::IsAvailable())
            {
                EXPECT_NE(known.answer, PipSolver::UNKNOWN);
            }
            if (known.answer == PipSolver::FITS)
            {
                EXPECT_EQ(CheckPipCircuits(mesh, places, known.states, circuits), "");
            }
            impossible += known.answer == PipSolver::IMPOSSIBLE ? 1 : 0;
        }
    }
    EXPECT_GT(impossible, 0u);
}

TEST(PipFeasibility, SaysWhatIsKnown)
{
    const PipMesh mesh(4, 4);
    const auto places = PlacePipPorts(mesh, 4);
    PipProofEffort effort;
    effort.solver = false;
    const auto fits = CheckPipFeasibility(mesh, places, {{0, 2}, {1, 3}}, effort);
    EXPECT_EQ(fits.answer, PipSolver::FITS);
    EXPECT_EQ(fits.ToText(), "fits: at least 2 and at most 2 of its circuits can be up together");
    // Free ends of one hexagon, all of them ports: more than can get away.
    const PipMesh one(1, 1);
    const auto& ends = one.GetFreeEnds();
    CircuitSet circuits;
    for (uint32_t port = 0; port < 6; ++port)
    {
        circuits.push_back({port, port + 6});
    }
    const auto known = CheckPipFeasibility(one, ends, circuits, effort);
    EXPECT_NE(known.answer, PipSolver::FITS);
    EXPECT_LT(known.atLeast, 6u);
    EXPECT_LE(known.atLeast, known.atMost);
}

TEST(PipFlow, CountsWhatGetsThrough)
{
    const PipMesh mesh(3, 3);
    std::vector<bool> arrives(mesh.GetEnds(), false);
    const auto& ends = mesh.GetFreeEnds();
    arrives[ends[14]] = arrives[ends[17]] = true;
    PipFlow flow(mesh, arrives);
    EXPECT_TRUE(flow.Add(ends[0]));
    EXPECT_TRUE(flow.Add(ends[4]));
    EXPECT_FALSE(flow.Add(ends[8])) << "two ends take two lights";
}

} // namespace
} // namespace ns3
