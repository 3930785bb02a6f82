// SPDX-License-Identifier: GPL-2.0-only

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

/// @return the fewest cells that any setting of the mesh leads light through between two free ends
uint32_t
FindFewestCells(const PipMesh& mesh, uint32_t from, uint32_t to)
{
    for (uint32_t bits = 0, fewest = 1000; bits <= 1U << mesh.GetCells(); ++bits)
    {
        if (bits == 1U << mesh.GetCells())
        {
            return fewest;
        }
        PipStates states;
        for (uint32_t cell = 0; cell < mesh.GetCells(); ++cell)
        {
            states.push_back((bits >> cell & 1U) != 0 ? PipMesh::CROSS : PipMesh::BAR);
        }
        const auto passage = FollowPipLight(mesh, states, from);
        if (passage.exit == to)
        {
            fewest = std::min(fewest, passage.GetCells());
        }
    }
    return 0;
}

TEST(PipRouter, OnePathIsAsShortAsAnySettingMakesIt)
{
    const PipMesh mesh(1, 2); // 11 cells, 16 free ends
    PipRouter router(mesh);
    const auto& ends = mesh.GetFreeEnds();
    for (std::size_t i = 0; i < ends.size(); ++i)
    {
        for (std::size_t j = 0; j < i; ++j)
        {
            const auto path = router.Route({{ends[i], ends[j]}}, 1)[0];
            const uint32_t fewest = FindFewestCells(mesh, ends[i], ends[j]);
            if (fewest == 1000)
            {
                EXPECT_TRUE(path.empty()) << "there is none";
            }
            else
            {
                EXPECT_EQ(path.size(), 2 * fewest) << ends[i] << " to " << ends[j];
            }
        }
    }
}

TEST(PipRouter, PathsAreWhatLightDoesInTheStatesTheySet)
{
    std::mt19937 random(11);
    uint32_t routed = 0;
    uint32_t wanted = 0;
    for (int round = 0; round < 400; ++round)
    {
        const PipMesh mesh(2 + random() % 5, 2 + random() % 5);
        const uint32_t ports = 2 + 2 * (random() % 6);
        const auto places = SpreadPipPorts(mesh, ports, random() % 5);
        std::vector<uint32_t> order(ports);
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        PipRouter router(mesh);
        std::vector<PipRouter::Request> requests;
        CircuitSet circuits;
        for (uint32_t i = 0; i < ports; i += 2)
        {
            requests.emplace_back(places[order[i]], places[order[i + 1]]);
            circuits.push_back({order[i], order[i + 1]});
        }
        const auto paths = router.Route(requests, 30);
        PipStates states(mesh.GetCells(), random() % 2 == 0 ? PipMesh::BAR : PipMesh::CROSS);
        SetPipStates(paths, states);
        CircuitSet made;
        std::set<uint32_t> used;
        for (std::size_t i = 0; i < paths.size(); ++i)
        {
            ++wanted;
            if (paths[i].empty())
            {
                continue;
            }
            ++routed;
            made.push_back(circuits[i]);
            EXPECT_EQ(FollowPipLight(mesh, states, requests[i].first).ends, paths[i]);
            for (uint32_t end : paths[i])
            {
                EXPECT_TRUE(used.insert(end).second) << "no end is used twice";
            }
        }
        EXPECT_EQ(CheckPipCircuits(mesh, places, states, made), "");
    }
    EXPECT_GT(routed, wanted * 8 / 10) << routed << " of " << wanted;
}

TEST(PipRouter, WhatIsBlockedIsLeftAlone)
{
    const PipMesh mesh(4, 4);
    const auto places = PlacePipPorts(mesh, 8);
    PipRouter router(mesh);
    const auto first = router.Route({{places[0], places[4]}}, 1)[0];
    ASSERT_FALSE(first.empty());
    EXPECT_TRUE(router.IsFree(first));
    router.Block(first);
    EXPECT_FALSE(router.IsFree(first));
    const auto others = router.Route({{places[1], places[3]}, {places[2], places[6]}}, 50);
    for (const auto& path : others)
    {
        ASSERT_FALSE(path.empty());
        EXPECT_TRUE(router.IsFree(path));
    }
    EXPECT_TRUE(router.Route({{places[0], places[5]}}, 5)[0].empty()) << "its end is in use";
    router.Unblock(first);
    EXPECT_FALSE(router.Route({{places[0], places[5]}}, 5)[0].empty());
    router.Block(others[0]);
    router.Clear();
    EXPECT_TRUE(router.IsFree(others[0]));
}

TEST(PipRouter, TheSameArgumentsGiveTheSamePaths)
{
    const PipMesh mesh(6, 6);
    const auto places = PlacePipPorts(mesh, 16);
    std::vector<PipRouter::Request> requests;
    for (uint32_t i = 0; i < 8; ++i)
    {
        requests.emplace_back(places[i], places[15 - i]);
    }
    PipRouter one(mesh);
    PipRouter other(mesh);
    const auto paths = one.Route(requests, 50);
    EXPECT_EQ(other.Route(requests, 50), paths);
    EXPECT_EQ(one.Route(requests, 50), paths) << "nothing is left over from the search before";
}

} // namespace
} // namespace ns3
