// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/pip-mesh.h"
#include "ns3/pip-placement.h"
#include "ns3/pip-plan.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <sstream>

namespace ns3
{
namespace
{

/// @return a plan
PipPlan
MakePlan(uint32_t rows, uint32_t columns, uint32_t ports)
{
    const PipMesh mesh(rows, columns);
    return PlanPipMatchings(mesh, PlacePipPorts(mesh, ports), PipEffort());
}

/// @return a plan as text
std::string
ToText(const PipPlan& plan)
{
    std::ostringstream os;
    plan.Write(os);
    return os.str();
}

/// @return what a text is read as
PipPlan
ParsePlan(const std::string& text)
{
    std::istringstream is(text);
    return PipPlan::Read(is);
}

TEST(PipPlan, SurvivesBeingWrittenAndRead)
{
    const auto plan = MakePlan(3, 4, 7);
    ASSERT_EQ(plan.Check(), "");
    const std::string text = ToText(plan);
    const auto again = ParsePlan(text);
    EXPECT_EQ(again.Check(), "");
    EXPECT_EQ(ToText(again), text);
    EXPECT_EQ(again.lowerBound, 7u);
    EXPECT_EQ(again.places, plan.places);
}

TEST(PipPlan, LinesMayEndAsOnWindows)
{
    const std::string text = ToText(MakePlan(3, 4, 7));
    std::string other;
    for (const char c : text)
    {
        other += c == '\n' ? std::string("\r\n") : std::string(1, c);
    }
    const auto plan = ParsePlan(other);
    EXPECT_EQ(plan.Check(), "");
    EXPECT_EQ(ToText(plan), text);
}

TEST(PipPlan, WhatIsWrongIsFoundByFollowingTheLight)
{
    const auto plan = MakePlan(4, 4, 8);
    ASSERT_EQ(plan.Check(), "");
    // Another state of a cell that light passes leads some light elsewhere, unless it only makes a
    // migration through a ring.
    uint32_t tried = 0;
    uint32_t found = 0;
    const PipMesh mesh(4, 4);
    for (std::size_t i = 0; i < plan.matchings.size(); ++i)
    {
        std::set<uint32_t> passed;
        for (const auto& circuit : plan.matchings[i].circuits)
        {
            for (uint32_t end :
                 FollowPipLight(mesh, plan.matchings[i].states, plan.places[circuit.a]).ends)
            {
                passed.insert(end / 4);
            }
        }
        for (uint32_t cell : passed)
        {
            auto wrong = plan;
            auto& state = wrong.matchings[i].states[cell];
            state = state == PipMesh::BAR ? PipMesh::CROSS : PipMesh::BAR;
            found += wrong.Check().find("light does not come out") != std::string::npos ? 1 : 0;
            ++tried;
        }
    }
    EXPECT_GT(2 * found, tried) << found << " of " << tried;
    auto wrong = plan;
    wrong.matchings.pop_back();
    EXPECT_EQ(wrong.Check(), "it has 24 of all pairs of 8 ports");
    wrong = plan;
    wrong.matchings.push_back(plan.matchings[0]);
    EXPECT_NE(wrong.Check().find("is in another matching, too"), std::string::npos);
    wrong = plan;
    wrong.matchings[2].states.pop_back();
    EXPECT_EQ(wrong.Check(), "matching 2: not each cell has a state");
    wrong = plan;
    wrong.places[1] = wrong.places[0];
    EXPECT_EQ(wrong.Check(), "not each port has a free end of its own");
    wrong = plan;
    wrong.rows = 1000;
    EXPECT_EQ(wrong.Check(), "there is no mesh of that size");
    wrong = plan;
    wrong.lowerBound = 9;
    EXPECT_EQ(wrong.Check(), "it has fewer matchings than its lower bound");
}

TEST(PipPlan, WhatIsNoPlanIsAnsweredByALine)
{
    const std::string text = ToText(MakePlan(2, 2, 4));
    const auto replace = [&text](const std::string& from, const std::string& to) {
        std::string other = text;
        return ParsePlan(other.replace(other.find(from), from.size(), to)).error;
    };
    EXPECT_EQ(ParsePlan("").error, "line 1: something is missing");
    EXPECT_EQ(replace("pip-plan 1", "pip-plan 2"), "line 1: it must be 'pip-plan 1'");
    EXPECT_EQ(replace("mesh 2 2", "mesh 2"), "line 2: a number is missing");
    EXPECT_EQ(replace("mesh 2 2", "mesh 0 2"),
              "line 2: it must be 'mesh ROWS COLUMNS', each 1 to 32");
    EXPECT_EQ(replace("mesh 2 2", "mesh 2 33"), "line 2: there must be whole numbers up to 32");
    EXPECT_EQ(replace("mesh 2 2", "mesh 2 2 2"),
              "line 2: it must be 'mesh ROWS COLUMNS', each 1 to 32");
    EXPECT_EQ(replace("ports ", "ports 76 "), "line 3: there must be whole numbers up to 75");
    EXPECT_EQ(replace("ports", "doors"), "line 3: it must begin with 'ports'");
    EXPECT_EQ(replace("bound 3", "bound -3"), "line 4: there must be whole numbers up to 8192");
    EXPECT_EQ(replace("matching ", "matching 0-4 "), "line 5: there must be whole numbers up to 3");
    EXPECT_EQ(replace("matching ", "matching 0 "), "line 5: there must be whole numbers up to 3");
    EXPECT_EQ(replace("cells ", "cells -"),
              "line 6: it must have one of - (bar) and x (cross) for each of the 19 cells");
    EXPECT_EQ(ParsePlan("pip-plan 1\n" + std::string(16385, 'x')).error,
              "line 2: it is longer than 16384 characters");
    EXPECT_EQ(ParsePlan("pip-plan 1\n" + std::string(16384, 'x')).error,
              "line 2: it must begin with 'mesh'");
    std::string many = text.substr(0, text.find("matching"));
    const std::string one = "matching\ncells " + std::string(19, '-') + "\n";
    for (int i = 0; i <= 8192; ++i)
    {
        many += one;
    }
    EXPECT_NE(ParsePlan(many).error.find("there are more than 8192 matchings"), std::string::npos);
}

TEST(PipPlan, AnythingCanBeRead)
{
    // Spoilt texts are refused or are plans that the check can judge; nothing else happens.
    const std::string text = ToText(MakePlan(2, 3, 5));
    std::mt19937 random(5);
    uint32_t refused = 0;
    uint32_t wrong = 0;
    for (int round = 0; round < 20000; ++round)
    {
        std::string spoilt = text;
        for (uint32_t change = 0; change < 1 + random() % 4; ++change)
        {
            const std::size_t at = random() % spoilt.size();
            switch (random() % 5)
            {
            case 0:
                spoilt[at] = static_cast<char>(random() % 256);
                break;
            case 1:
                spoilt.erase(at, 1 + random() % 20);
                break;
            case 2:
                spoilt.insert(at, spoilt.substr(random() % spoilt.size(), random() % 30));
                break;
            case 3:
                spoilt.resize(at + 1);
                break;
            default:
                spoilt[at] = "0123456789-x \n"[random() % 14];
            }
            spoilt.push_back('\n');
        }
        const auto plan = ParsePlan(spoilt);
        if (!plan.error.empty())
        {
            EXPECT_EQ(plan.error.find("line "), 0u) << plan.error;
            EXPECT_EQ(plan.error.find('\n'), std::string::npos);
            EXPECT_TRUE(plan.matchings.empty());
            ++refused;
        }
        else if (!plan.Check().empty())
        {
            ++wrong;
        }
    }
    EXPECT_GT(refused, 1000u);
    EXPECT_GT(wrong, 20u);
}

} // namespace
} // namespace ns3
