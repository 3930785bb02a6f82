// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/lease-service.h"
#include "ns3/report-table.h"
#include "ns3/run-summary.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

/// One group, with times in nanoseconds.
class AdmissionTimesTest : public testing::Test
{
  protected:
    static CircuitScheduler::Switch MakeCommand(CircuitSet drop, CircuitSet make)
    {
        CircuitScheduler::Switch command;
        command.group = GroupKey{0, 7};
        command.ocs = 3;
        command.drop = std::move(drop);
        command.make = std::move(make);
        return command;
    }

    void Expect(int64_t ranks, int64_t ports, int64_t light) const
    {
        EXPECT_EQ(m_times.GetWaits().ranks, NanoSeconds(ranks));
        EXPECT_EQ(m_times.GetWaits().ports, NanoSeconds(ports));
        EXPECT_EQ(m_times.GetWaits().light, NanoSeconds(light));
    }

    const GroupKey m_key{0, 7};
    AdmissionTimes m_times;
};

TEST_F(AdmissionTimesTest, AWaitHasThreeCauses)
{
    m_times.Request(m_key, NanoSeconds(100));
    m_times.Update(m_key, CircuitScheduler::Waiting::SOME, NanoSeconds(100));
    m_times.Request(m_key, NanoSeconds(130));
    m_times.Update(m_key, CircuitScheduler::Waiting::ALL, NanoSeconds(130));
    m_times.Switch(MakeCommand({}, {{0, 1}}), NanoSeconds(170));
    m_times.Switch(MakeCommand({}, {{2, 3}}), NanoSeconds(171)); // of another switch, say
    m_times.Grant(m_key, NanoSeconds(300));
    Expect(30, 40, 130);
    m_times.Grant(m_key, NanoSeconds(400)); // nobody has asked
    Expect(30, 40, 130);
}

TEST_F(AdmissionTimesTest, ACacheHitNeedsNoLight)
{
    m_times.Request(m_key, NanoSeconds(5));
    m_times.Update(m_key, CircuitScheduler::Waiting::ALL, NanoSeconds(6));
    m_times.Grant(m_key, NanoSeconds(8));
    Expect(1, 2, 0);
    m_times.Request(m_key, NanoSeconds(10));
    m_times.Grant(m_key, NanoSeconds(10)); // at once
    Expect(1, 2, 0);
}

TEST_F(AdmissionTimesTest, WhatIsTakenBackDoesNotCount)
{
    m_times.Request(m_key, NanoSeconds(0));
    m_times.Update(m_key, CircuitScheduler::Waiting::ALL, NanoSeconds(10));
    m_times.Update(m_key,
                   CircuitScheduler::Waiting::SOME,
                   NanoSeconds(20)); // one took its wish back
    m_times.Update(m_key, CircuitScheduler::Waiting::ALL, NanoSeconds(50));
    m_times.Grant(m_key, NanoSeconds(55));
    Expect(50, 5, 0);
    m_times.Request(m_key, NanoSeconds(60));
    m_times.Update(m_key, CircuitScheduler::Waiting::NONE, NanoSeconds(80));
    m_times.Request(m_key, NanoSeconds(90));
    m_times.Grant(m_key, NanoSeconds(91));
    Expect(50 + 1, 5, 0);
}

TEST_F(AdmissionTimesTest, PortsHaveLightFromTheReportToTheDecision)
{
    const OcsPortId port{3, 0};
    EXPECT_EQ(m_times.GetUpTime(port, NanoSeconds(9)), Time(0));
    const auto make = MakeCommand({}, {{0, 1}});
    m_times.Switch(make, NanoSeconds(10));
    EXPECT_EQ(m_times.GetUpTime(port, NanoSeconds(20)), Time(0));
    m_times.Complete(make, NanoSeconds(20));
    EXPECT_EQ(m_times.GetUpTime(port, NanoSeconds(25)), NanoSeconds(5));
    const auto move = MakeCommand({{0, 1}}, {{0, 2}});
    m_times.Switch(move, NanoSeconds(30));
    EXPECT_EQ(m_times.GetUpTime(port, NanoSeconds(99)), NanoSeconds(10));
    m_times.Refuse(move, NanoSeconds(40)); // the old circuit is still there
    EXPECT_EQ(m_times.GetUpTime(port, NanoSeconds(45)), NanoSeconds(15));
    EXPECT_EQ(m_times.GetUpTime({3, 1}, NanoSeconds(45)), NanoSeconds(15));
    EXPECT_EQ(m_times.GetUpTime({3, 2}, NanoSeconds(45)), Time(0));
    EXPECT_EQ(m_times.GetUpTime({4, 0}, NanoSeconds(45)), Time(0));
}

TEST(ControlShare, AddsUpAndIsReadBack)
{
    ControlShare one;
    one.requests = 3;
    one.longestQueue = 5;
    one.waitedPorts = NanoSeconds(1234);
    ControlShare sum = one;
    RunShare share;
    share.control = one;
    sum.Add(RunShare::FromText(share.ToText()).control);
    EXPECT_EQ(sum.requests, 6u);
    EXPECT_EQ(sum.longestQueue, 5u);
    EXPECT_EQ(sum.waitedPorts, NanoSeconds(2 * 1234));
    sum.CountForRails(2);
    EXPECT_EQ(sum.requests, 12u);
    EXPECT_EQ(sum.waitedPorts, NanoSeconds(4 * 1234));
    const auto makeJson = [](const ControlShare& control) {
        return ControlShare::GetTable().MakeObject(control).ToText();
    };
    EXPECT_NE(makeJson(sum).find("\"requests\":12"), std::string::npos) << makeJson(sum);
    EXPECT_NE(makeJson(sum).find("\"wait_for_ports_sum_s\":4.936e-06"), std::string::npos)
        << makeJson(sum);
    EXPECT_EQ(makeJson(sum).find("light_share"), std::string::npos)
        << "the light share is measured at the switches, see RunSummary";
}

} // namespace
} // namespace ns3
