// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/fault-plan.h"

#include <gtest/gtest.h>
#include <random>

namespace ns3
{
namespace
{

/// Four rails and a spare of 16 ports, 32 GPUs with 2 ports.
FaultScope
MakeScope()
{
    FaultScope scope;
    scope.switches = 5;
    scope.switchPorts = 16;
    scope.gpus = 32;
    scope.nicPorts = 2;
    return scope;
}

TEST(FaultPlan, FaultsAreReadInTheirOrder)
{
    std::vector<Fault> faults;
    ASSERT_EQ(FaultPlan::Parse("ocs-port:0/15@12ms,nic-port:31/1@2s+1.5ms,ocs:4@1e-3s+2e+1s,"
                               "gpu:7@3s,shim:0@0",
                               MakeScope(),
                               faults),
              "");
    ASSERT_EQ(faults.size(), 5u);
    EXPECT_EQ(faults[0].kind, FaultKind::OCS_PORT);
    EXPECT_EQ(faults[0].component, 0u);
    EXPECT_EQ(faults[0].port, 15u);
    EXPECT_EQ(faults[0].at, MilliSeconds(12));
    EXPECT_TRUE(faults[0].duration.IsZero());
    EXPECT_EQ(faults[1].GetTarget(), "31/1");
    EXPECT_EQ(faults[1].duration, MicroSeconds(1500));
    EXPECT_EQ(faults[2].kind, FaultKind::OCS);
    EXPECT_EQ(faults[2].at, MilliSeconds(1));
    EXPECT_EQ(faults[2].duration, Seconds(20));
    EXPECT_EQ(faults[3].kind, FaultKind::GPU);
    EXPECT_EQ(faults[3].GetTarget(), "7");
    EXPECT_EQ(faults[3].at, Seconds(3));
    EXPECT_EQ(faults[4].kind, FaultKind::SHIM);
    std::vector<Fault> none;
    EXPECT_EQ(FaultPlan::Parse("", MakeScope(), none), "");
    EXPECT_TRUE(none.empty());
}

TEST(FaultPlan, HeartbeatsSurroundFailuresAndRepairsOfSwitches)
{
    const auto find = [](const std::string& text) {
        std::vector<Fault> faults;
        EXPECT_EQ(FaultPlan::Parse(text, MakeScope(), faults), "") << text;
        std::string spans;
        for (const auto& [begin, end] : FaultPlan::GetHeartbeatSpans(faults, MilliSeconds(10)))
        {
            spans += std::to_string(begin.GetMilliSeconds()) + "-" +
                     std::to_string(end.GetMilliSeconds()) + " ";
        }
        return spans;
    };
    EXPECT_EQ(find(""), "");
    EXPECT_EQ(find("gpu:7@3s,shim:0@1s+1s,ocs-port:0/15@12ms"), "") << "no switch";
    EXPECT_EQ(find("ocs:4@1s"), "980-1020 ") << "for good";
    EXPECT_EQ(find("ocs:4@1s+1s"), "980-1020 1980-2020 ");
    EXPECT_EQ(find("ocs:4@5ms+1ms"), "0-26 ") << "from the start on";
    EXPECT_EQ(find("ocs:4@1s,ocs:3@900ms+60ms"), "880-1020 ") << "too close for a gap";
}

TEST(FaultPlan, WhatIsWrongIsRefused)
{
    for (const char* text : {"ocs",
                             "ocs:0",
                             "ocs@1s",
                             "ocs:5@1s",
                             "ocs:0/1@1s",
                             "ocs-port:0@1s",
                             "ocs-port:0/16@1s",
                             "ocs-port:0/@1s",
                             "ocs-port:/1@1s",
                             "nic-port:32/0@1s",
                             "nic-port:0/2@1s",
                             "gpu:32@1s",
                             "gpu:1@1s+1s",
                             "gpu:-1@1s",
                             "shim:1@-1s",
                             "shim:1@1s+",
                             "shim:1@1s+0s",
                             "shim:1@1s+-1s",
                             "shim:1@+1s",
                             "shim:1@soon",
                             "shim:1@1",
                             "shim:1@1e7s",
                             "fan:1@1s",
                             ",ocs:0@1s",
                             "ocs:0@1s,,ocs:1@1s",
                             "ocs:0@1s@2s"})
    {
        std::vector<Fault> faults;
        const std::string allowed = FaultPlan::Parse(text, MakeScope(), faults);
        EXPECT_NE(allowed.find("KIND:TARGET@TIME"), std::string::npos) << text;
        EXPECT_EQ(allowed.find('\n'), std::string::npos) << text;
    }
    for (const char* text : {"ocs", "ocs:1", "ocs:x@1s", "ocs:-1@1s", "ocs:1001@1s", "gpu:1@1s+1s"})
    {
        std::vector<FaultPlan::Rate> rates;
        EXPECT_NE(FaultPlan::ParseRates(text, rates), "") << text;
    }
}

TEST(FaultPlan, PortsHaveTheNumbersOfACabling)
{
    FaultScope scope;
    scope.switches = 2;
    scope.switchPorts = 4;
    scope.gpus = 4;
    scope.nicPorts = 2;
    scope.cabledPorts = {{0, 3, 17, 40}, {1, 2, 5, 6}};
    for (const char* target : {"0/17", "0/40", "1/6"})
    {
        EXPECT_TRUE(scope.Find(FaultKind::OCS_PORT, target)) << target;
    }
    for (const char* target : {"0/1", "0/2", "0/41", "1/0", "1/3", "2/0"})
    {
        EXPECT_FALSE(scope.Find(FaultKind::OCS_PORT, target)) << target;
    }
    EXPECT_TRUE(scope.Find(FaultKind::NIC_PORT, "0/1")) << "NICs have other ports";
    ASSERT_EQ(scope.Count(FaultKind::OCS_PORT), 8u);
    EXPECT_EQ(scope.Get(FaultKind::OCS_PORT, 2).GetTarget(), "0/17");
    EXPECT_EQ(scope.Get(FaultKind::OCS_PORT, 7).GetTarget(), "1/6");
    EXPECT_NE(scope.Describe().find("of switch 0: 0, 3, 17, 40;"), std::string::npos)
        << scope.Describe();
}

TEST(FaultPlan, RandomTextDoesNoHarm)
{
    std::mt19937 random(1);
    const std::string alphabet = "0123456789/@+:,.-eocspgunihmrt ";
    uint32_t good = 0;
    for (uint32_t i = 0; i < 50000; ++i)
    {
        std::string text = "ocs-port:0/3@12ms+1s,gpu:7@3s,nic-port:5/1@2s,ocs:1@1s+2ms";
        for (uint32_t changes = random() % 4; changes > 0; --changes)
        {
            text[random() % text.size()] = alphabet[random() % alphabet.size()];
        }
        text.resize(random() % 3 ? text.size() : random() % text.size());
        std::vector<Fault> faults;
        if (FaultPlan::Parse(text, MakeScope(), faults).empty())
        {
            ++good;
            for (const Fault& fault : faults)
            {
                const FaultScope scope = MakeScope();
                EXPECT_FALSE(fault.at.IsStrictlyNegative()) << text;
                bool isThere = false;
                for (uint64_t n = 0; n < scope.Count(fault.kind) && !isThere; ++n)
                {
                    isThere = scope.Get(fault.kind, n).GetTarget() == fault.GetTarget();
                }
                EXPECT_TRUE(isThere) << text;
            }
        }
        std::vector<FaultPlan::Rate> rates;
        FaultPlan::ParseRates(text, rates);
    }
    EXPECT_GT(good, 5000u);
}

TEST(FaultPlan, FaultsAreDrawnAtTheirRate)
{
    std::vector<FaultPlan::Rate> rates;
    ASSERT_EQ(FaultPlan::ParseRates("nic-port:0.5@100s+1ms,ocs:0@1s", rates), "");
    ASSERT_EQ(rates.size(), 2u);
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform;
    const auto draw = [&] { return uniform(random); };
    const auto faults = FaultPlan::Draw(rates[0], MakeScope(), draw);
    // 64 ports for 100 s: 3200 expected, with a standard deviation of 57.
    EXPECT_NEAR(static_cast<double>(faults.size()), 3200, 5 * 57);
    std::vector<uint32_t> perPort(64);
    for (std::size_t i = 0; i < faults.size(); ++i)
    {
        EXPECT_EQ(faults[i].kind, FaultKind::NIC_PORT);
        EXPECT_EQ(faults[i].duration, MilliSeconds(1));
        EXPECT_LT(faults[i].at, Seconds(100));
        EXPECT_TRUE(i == 0 || faults[i - 1].at <= faults[i].at);
        ++perPort.at(faults[i].component * 2 + faults[i].port);
    }
    for (const uint32_t count : perPort)
    {
        EXPECT_NEAR(count, 50, 5 * 7.1);
    }
    EXPECT_TRUE(FaultPlan::Draw(rates[1], MakeScope(), draw).empty());
    rates[0].perSecond = 1000;
    EXPECT_EQ(FaultPlan::Draw(rates[0], MakeScope(), draw).size(), FaultPlan::MOST_DRAWN + 1)
        << "too many";
    EXPECT_TRUE(FaultPlan::Draw(rates[0], FaultScope(), draw).empty()) << "there is nothing";
}

} // namespace
} // namespace ns3
