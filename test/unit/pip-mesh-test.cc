// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/pip-mesh.h"
#include "ns3/pip-placement.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

namespace ns3
{
namespace
{

/// A corner of hexagons by its place, in thousandths of a side.
using Corner = std::pair<long, long>;

/// @return the corner of a cell where an end is
Corner
GetCorner(const PipMesh& mesh, uint32_t end)
{
    const auto place = mesh.GetPlace(end / 4);
    return end % 4 < 2 ? Corner{std::lround(1000 * place.x1), std::lround(1000 * place.y1)}
                       : Corner{std::lround(1000 * place.x2), std::lround(1000 * place.y2)};
}

/// @return a point beside the middle of a cell, on the side where an end is
std::pair<double, double>
GetSide(const PipMesh& mesh, uint32_t end)
{
    const auto place = mesh.GetPlace(end / 4);
    const double dx = place.x2 - place.x1;
    const double dy = place.y2 - place.y1;
    const double sign =
        end % 2 == 0 ? 0.1 : -0.1; // y grows downwards: left of (dx, dy) is (dy, -dx)
    return {(place.x1 + place.x2) / 2 + sign * dy, (place.y1 + place.y2) / 2 - sign * dx};
}

TEST(PipMesh, CountsAreThoseOfAHexagonalLattice)
{
    for (uint32_t rows = 1; rows <= 12; ++rows)
    {
        for (uint32_t columns = 1; columns <= 12; ++columns)
        {
            SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(columns));
            const PipMesh mesh(rows, columns);
            EXPECT_EQ(mesh.GetCells(), 3 * rows * columns + 2 * rows + 2 * columns - 1);
            EXPECT_EQ(mesh.GetFreeEnds().size(), 4 * (rows + columns + 1));
            EXPECT_EQ(PipMesh::CountFreeEnds(rows, columns), 4 * (rows + columns + 1));
            EXPECT_EQ(2 * mesh.GetJoints() + mesh.GetFreeEnds().size(), mesh.GetEnds());
            // Three joints where three cells meet, one where two do.
            const uint32_t corners = 2 * (rows + 1) * (columns + 1) - 2;
            const uint32_t ofTwo = 2 * (rows + columns + 1);
            EXPECT_EQ(mesh.GetJoints(), 3 * (corners - ofTwo) + ofTwo);
            uint32_t inner = 0;
            for (uint32_t cell = 0; cell < mesh.GetCells(); ++cell)
            {
                inner += mesh.IsInner(cell);
            }
            EXPECT_EQ(inner, 6 * rows * columns - mesh.GetCells());
        }
    }
}

TEST(PipMesh, TheNineByNineMeshOfTheIssueOfItsSize)
{
    const PipMesh mesh(9, 9);
    EXPECT_EQ(mesh.GetCells(), 278u);
    EXPECT_EQ(mesh.GetFreeEnds().size(), 76u);
    EXPECT_EQ(mesh.GetJoints(), 518u);
}

TEST(PipMesh, JointsAreInTheCornersBetweenCellsThatMeet)
{
    for (const auto& [rows, columns] : {std::pair{1u, 1u}, {1u, 4u}, {4u, 1u}, {5u, 3u}, {4u, 6u}})
    {
        const PipMesh mesh(rows, columns);
        std::map<Corner, std::set<uint32_t>> cells;
        for (uint32_t end = 0; end < mesh.GetEnds(); ++end)
        {
            cells[GetCorner(mesh, end)].insert(end / 4);
        }
        std::set<std::pair<uint32_t, uint32_t>> joined;
        uint32_t free = 0;
        for (uint32_t end = 0; end < mesh.GetEnds(); ++end)
        {
            const uint32_t mate = mesh.GetMate(end);
            if (mate == PipMesh::NONE)
            {
                ++free;
                EXPECT_EQ(cells[GetCorner(mesh, end)].size(), 2u);
                EXPECT_FALSE(mesh.IsInner(end / 4));
                continue;
            }
            EXPECT_EQ(mesh.GetMate(mate), end);
            EXPECT_EQ(GetCorner(mesh, mate), GetCorner(mesh, end));
            EXPECT_NE(mate / 4, end / 4);
            joined.insert(std::minmax({end / 4, mate / 4}));
            // Both are on the sides that face each other: nearer than any other two sides.
            const auto [x, y] = GetSide(mesh, end);
            const auto [u, v] = GetSide(mesh, mate);
            const auto [s, t] = GetSide(mesh, mate ^ 1U);
            const auto [p, q] = GetSide(mesh, end ^ 1U);
            const double distance = std::hypot(x - u, y - v);
            EXPECT_LT(distance, std::hypot(x - s, y - t));
            EXPECT_LT(distance, std::hypot(p - u, q - v));
        }
        EXPECT_EQ(free, mesh.GetFreeEnds().size());
        // Each two cells that meet share exactly one joint.
        std::set<std::pair<uint32_t, uint32_t>> meeting;
        for (const auto& [corner, here] : cells)
        {
            EXPECT_GE(here.size(), 2u);
            EXPECT_LE(here.size(), 3u);
            for (uint32_t a : here)
            {
                for (uint32_t b : here)
                {
                    if (a < b)
                    {
                        meeting.insert({a, b});
                    }
                }
            }
        }
        EXPECT_EQ(joined, meeting);
        EXPECT_EQ(joined.size(), mesh.GetJoints());
    }
}

TEST(PipMesh, FreeEndsGoClockwiseAroundThePerimeter)
{
    const PipMesh mesh(5, 4);
    const auto& ends = mesh.GetFreeEnds();
    EXPECT_EQ(std::set<uint32_t>(ends.begin(), ends.end()).size(), ends.size());
    double area = 0;
    for (std::size_t i = 0; i < ends.size(); ++i)
    {
        const Corner a = GetCorner(mesh, ends[i]);
        const Corner b = GetCorner(mesh, ends[(i + 1) % ends.size()]);
        area += 0.5e-6 * static_cast<double>(a.first * b.second - b.first * a.second);
        // Two at each corner, and never far to the next.
        EXPECT_EQ(a == b, i % 2 == 0);
        EXPECT_LE(std::hypot(a.first - b.first, a.second - b.second), 2700)
            << "at most three cells";
    }
    // A little more than 20 hexagons, since it is as if there were no dents; clockwise with y
    // downwards.
    EXPECT_GT(area, 20 * 1.5 * std::sqrt(3.0));
    EXPECT_LT(area, 1.2 * 20 * 1.5 * std::sqrt(3.0));
}

TEST(PipLight, AHexagonInBarStateIsARing)
{
    // Light stays outside and leaves at the next corner.
    const PipMesh mesh(1, 1);
    const PipStates bar(6, PipMesh::BAR);
    const auto& ends = mesh.GetFreeEnds();
    for (std::size_t i = 1; i < ends.size(); i += 2)
    {
        const auto passage = FollowPipLight(mesh, bar, ends[i]);
        EXPECT_EQ(passage.exit, ends[(i + 1) % ends.size()]);
        EXPECT_EQ(passage.GetCells(), 1u);
    }
}

TEST(PipLight, CrossStatesLeadIntoTheHexagonAndOut)
{
    const PipMesh mesh(1, 1);
    const auto& ends = mesh.GetFreeEnds(); // two at each of six corners, the first at the top
    PipStates states(6, PipMesh::BAR);
    // Cells are numbered clockwise from the top: light goes in through cell 0, along 1, out by 2.
    states[0] = PipMesh::CROSS;
    states[2] = PipMesh::CROSS;
    const auto passage = FollowPipLight(mesh, states, ends[1]);
    EXPECT_EQ(passage.GetCells(), 3u);
    EXPECT_EQ(passage.exit, ends[6]);
    // And back.
    EXPECT_EQ(FollowPipLight(mesh, states, ends[6]).exit, ends[1]);
    // The outside of cell 1 still carries light between its own corners.
    EXPECT_EQ(FollowPipLight(mesh, states, ends[3]).exit, ends[4]);
    EXPECT_EQ(
        CheckPipCircuits(mesh, {ends[1], ends[6], ends[3], ends[4]}, states, {{1, 0}, {2, 3}}),
        "");
    EXPECT_EQ(
        CheckPipCircuits(mesh, {ends[1], ends[6], ends[3], ends[4]}, states, {{0, 2}, {1, 3}}),
        "circuit 0-2: light does not come out at the other port");
    EXPECT_EQ(CheckPipCircuits(mesh, {ends[1], ends[6]}, states, {{0, 1}, {1, 0}}),
              "circuit 1-0: port 1 is in two circuits");
    EXPECT_EQ(CheckPipCircuits(mesh, {ends[1], ends[6]}, states, {{0, 2}}),
              "circuit 0-2: there is no port 2");
}

TEST(PipLight, LightAlwaysComesOutAndFindsItsWayBack)
{
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round)
    {
        const PipMesh mesh(1 + random() % 6, 1 + random() % 6);
        PipStates states(mesh.GetCells());
        for (auto& state : states)
        {
            state = random() % 2 == 0 ? PipMesh::BAR : PipMesh::CROSS;
        }
        std::set<uint32_t> exits;
        std::map<uint32_t, uint32_t> users; // of ends, over all lights in one direction
        for (uint32_t entry : mesh.GetFreeEnds())
        {
            const auto there = FollowPipLight(mesh, states, entry);
            EXPECT_NE(there.exit, entry);
            exits.insert(there.exit);
            const auto back = FollowPipLight(mesh, states, there.exit);
            EXPECT_EQ(back.exit, entry);
            EXPECT_EQ(back.GetCells(), there.GetCells());
            EXPECT_TRUE(std::equal(there.ends.begin(), there.ends.end(), back.ends.rbegin()));
            for (uint32_t end : there.ends)
            {
                ++users[end];
            }
        }
        EXPECT_EQ(exits.size(), mesh.GetFreeEnds().size());
        for (const auto& [end, count] : users)
        {
            EXPECT_EQ(count, 2u) << "one light, from both of its ends";
        }
    }
}

TEST(PipPlacement, PortsAreFreeEndsInOrderAndSpread)
{
    for (uint32_t side = 1; side <= 6; ++side)
    {
        const PipMesh mesh(side, side + 1);
        const auto& ends = mesh.GetFreeEnds();
        for (uint32_t ports = 2; ports <= ends.size(); ++ports)
        {
            for (uint32_t turn : {0u, 3u})
            {
                const auto places = SpreadPipPorts(mesh, ports, turn);
                ASSERT_EQ(places.size(), ports);
                auto next = ends.begin();
                for (uint32_t place : places)
                {
                    next = std::find(next, ends.end(), place);
                    ASSERT_NE(next, ends.end()) << "free ends, each once, in order";
                    ++next;
                }
            }
        }
    }
}

TEST(PipPlacement, LightOfThirtyTwoPortsLeavesThePerimeterOfNineByNine)
{
    // Turned as it is without a search, three ports in the lower right block each other.
    const PipMesh mesh(9, 9);
    const auto places = PlacePipPorts(mesh, 32);
    EXPECT_NE(places, SpreadPipPorts(mesh, 32, 0));
    EXPECT_EQ(places, PlacePipPorts(mesh, 32));
    EXPECT_EQ(std::set<uint32_t>(places.begin(), places.end()).size(), 32u);
}

} // namespace
} // namespace ns3
