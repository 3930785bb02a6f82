// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Swift against the formulas of the paper.
 */

#include "ns3/double.h"
#include "ns3/rdma-swift.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @return a control at 400 Gbit/s that begins with a window
Ptr<RdmaSwift>
MakeSwift(double window)
{
    auto swift = CreateObject<RdmaSwift>();
    swift->SetAttribute("InitialWindow", DoubleValue(window));
    swift->Start(DataRate("400Gbps"), 4096);
    return swift;
}

TEST(RdmaSwift, BeginsWithWhatTheLineRateCarriesInTheTarget)
{
    EXPECT_DOUBLE_EQ(MakeSwift(0)->GetWindow(), 400e9 * 20e-6 / 8 / 4096);
    EXPECT_DOUBLE_EQ(MakeSwift(12)->GetWindow(), 12);
    EXPECT_DOUBLE_EQ(MakeSwift(0)->GetRate(), 400e9);
    EXPECT_FALSE(MakeSwift(0)->UsesNotifications());
}

TEST(RdmaSwift, FlowScalingOfTheTarget)
{
    // 20 us, and 100 us more at a window of 0.1, nothing at 100, linear in 1 / sqrt(window).
    EXPECT_NEAR(MakeSwift(0.1)->GetTargetDelay().GetSeconds(), 120e-6, 1e-9);
    EXPECT_NEAR(MakeSwift(0.05)->GetTargetDelay().GetSeconds(), 120e-6, 1e-9);
    EXPECT_NEAR(MakeSwift(100)->GetTargetDelay().GetSeconds(), 20e-6, 1e-9);
    EXPECT_NEAR(MakeSwift(500)->GetTargetDelay().GetSeconds(), 20e-6, 1e-9);
    const double slope = 100e-6 / (1 / std::sqrt(0.1) - 0.1);
    for (const double window : {0.2, 1.0, 4.0, 25.0, 64.0})
    {
        EXPECT_NEAR(MakeSwift(window)->GetTargetDelay().GetSeconds(),
                    20e-6 + slope * (1 / std::sqrt(window) - 0.1),
                    1e-9)
            << window;
    }
}

TEST(RdmaSwift, GrowsByOnePacketARoundTrip)
{
    auto swift = MakeSwift(100);
    swift->Acknowledged(MicroSeconds(10), 25, MicroSeconds(10));
    EXPECT_DOUBLE_EQ(swift->GetWindow(), 100.25);
    swift->Acknowledged(MicroSeconds(11), 401, Time(0));
    EXPECT_DOUBLE_EQ(swift->GetWindow(), 100.25) << "no round trip, no news";
    swift->Acknowledged(MicroSeconds(12), 401, NanoSeconds(19999));
    EXPECT_DOUBLE_EQ(swift->GetWindow(), 104.25);
    // Below one packet by ai for each packet.
    swift = MakeSwift(0.25);
    swift->Acknowledged(MicroSeconds(10), 1, MicroSeconds(10));
    EXPECT_DOUBLE_EQ(swift->GetWindow(), 1.25);
}

TEST(RdmaSwift, ShrinksByTheExcessOnceARoundTrip)
{
    auto swift = MakeSwift(200);
    swift->Acknowledged(MicroSeconds(100), 1, MicroSeconds(40)); // twice the target
    EXPECT_DOUBLE_EQ(swift->GetWindow(), 200 * 0.6);
    swift->Acknowledged(MicroSeconds(139), 1, MicroSeconds(40));
    EXPECT_DOUBLE_EQ(swift->GetWindow(), 120) << "within a round trip";
    swift->Acknowledged(MicroSeconds(140), 1, MicroSeconds(400));
    EXPECT_DOUBLE_EQ(swift->GetWindow(), 60) << "by half at most";
    swift->Acknowledged(MicroSeconds(539), 1, MicroSeconds(400));
    EXPECT_DOUBLE_EQ(swift->GetWindow(), 60) << "the round trip is longer now";
}

TEST(RdmaSwift, PacesWindowsBelowOnePacket)
{
    auto swift = MakeSwift(0.5);
    const double before = swift->GetRate();
    EXPECT_NEAR(before, 0.5 * 4096 * 8 / 20e-6, 1);
    swift->Acknowledged(MicroSeconds(100), 1, MicroSeconds(1000));
    EXPECT_DOUBLE_EQ(swift->GetWindow(), 0.25);
    EXPECT_NEAR(swift->GetRate(), 0.25 * 4096 * 8 / 1000e-6, 1);
}

TEST(RdmaSwift, Losses)
{
    auto swift = MakeSwift(100);
    swift->Lost(MicroSeconds(1), RdmaCongestionControl::GAP);
    EXPECT_DOUBLE_EQ(swift->GetWindow(), 50);
    swift->Lost(MicroSeconds(2), RdmaCongestionControl::GAP);
    EXPECT_DOUBLE_EQ(swift->GetWindow(), 50) << "once a round trip";
    for (int i = 1; i <= 4; ++i)
    {
        swift->Lost(MilliSeconds(i), RdmaCongestionControl::TIME_OUT);
    }
    EXPECT_DOUBLE_EQ(swift->GetWindow(), 50.0 / 16);
    swift->Lost(MilliSeconds(5), RdmaCongestionControl::TIME_OUT);
    EXPECT_DOUBLE_EQ(swift->GetWindow(), 0.001) << "the fifth in a row";
    // An acknowledgement ends the row.
    swift->Acknowledged(MilliSeconds(6), 1, MicroSeconds(5));
    const double window = swift->GetWindow();
    swift->Lost(MilliSeconds(7), RdmaCongestionControl::TIME_OUT);
    EXPECT_DOUBLE_EQ(swift->GetWindow(), window / 2);
}

TEST(RdmaSwift, AttributesSetOnTheWay)
{
    auto swift = MakeSwift(0.1);
    swift->SetAttribute("FlowScalingRange", TimeValue(MicroSeconds(40)));
    EXPECT_NEAR(swift->GetTargetDelay().GetSeconds(), 60e-6, 1e-9);
    swift->SetAttribute("FlowScalingMinWindow", DoubleValue(0.01));
    const double slope = 40e-6 / (10 - 0.1);
    EXPECT_NEAR(swift->GetTargetDelay().GetSeconds(),
                20e-6 + slope * (1 / std::sqrt(0.1) - 0.1),
                1e-9);
}

TEST(RdmaSwiftDeathTest, BoundsTheWrongWayRound)
{
    auto swift = CreateObject<RdmaSwift>();
    swift->SetAttribute("MinWindow", DoubleValue(20));
    swift->SetAttribute("MaxWindow", DoubleValue(10));
    EXPECT_DEATH(swift->Start(DataRate("400Gbps"), 4096), "MinWindow 20 is above MaxWindow 10");
    swift = CreateObject<RdmaSwift>();
    swift->SetAttribute("FlowScalingMinWindow", DoubleValue(100));
    EXPECT_DEATH(swift->Start(DataRate("400Gbps"), 4096), "FlowScalingMinWindow 100 is not below");
    swift = MakeSwift(1);
    swift->SetAttribute("FlowScalingMaxWindow", DoubleValue(0.1));
    EXPECT_DEATH(swift->GetTargetDelay(), "is not below FlowScalingMaxWindow 0.1");
}

TEST(RdmaCongestionControl, KnownNames)
{
    for (const char* name : {"", "none", "ns3::RdmaDcqcn", "ns3::RdmaSwift"})
    {
        EXPECT_TRUE(RdmaCongestionControl::IsKnown(name)) << name;
    }
    for (const char* name : {"dcqcn", "ns3::Node", "ns3::RdmaCongestionControl"})
    {
        EXPECT_FALSE(RdmaCongestionControl::IsKnown(name)) << name;
    }
}

} // namespace
