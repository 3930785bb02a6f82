// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * What a pacer makes of rates and windows, and which round trips it reports.
 */

#include "ns3/rdma-congestion-control.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

constexpr double GBIT_PER_SECOND = 1e9; //!< bit/s

/// A control that a test sets.
class SetControl : public RdmaCongestionControl
{
  public:
    void PacketSent(Time, uint32_t) override
    {
    }

    void Acknowledged(Time, uint64_t, Time roundTrip) override
    {
        lastRoundTrip = roundTrip;
        if (rateWhenAcknowledged > 0)
        {
            SetRate(rateWhenAcknowledged);
        }
    }

    void Notified(Time) override
    {
    }

    void Lost(Time, Loss) override
    {
    }

    Time Update(Time) override
    {
        return nextChange;
    }

    bool UsesNotifications() const override
    {
        return false;
    }

    std::string GetName() const override
    {
        return "set";
    }

    using RdmaCongestionControl::SetRate;
    using RdmaCongestionControl::SetWindow;

    Time lastRoundTrip;
    double rateWhenAcknowledged{0}; //!< 0 for no change
    Time nextChange{Time::Max()};

  private:
    void DoStart() override
    {
    }
};

/// A pacer at 400 Gbit/s.
class RdmaPacerTest : public testing::Test
{
  protected:
    RdmaPacerTest()
        : control(MakeControl()),
          pacer(control)
    {
    }

    ~RdmaPacerTest() override
    {
        Simulator::Destroy();
    }

    static Ptr<SetControl> MakeControl()
    {
        auto control = CreateObject<SetControl>();
        control->Start(DataRate("400Gbps"), 4096);
        return control;
    }

    /// Let time pass.
    static void Pass(Time time)
    {
        Simulator::Stop(time);
        Simulator::Run();
    }

    Ptr<SetControl> control;
    RdmaPacer pacer;
};

TEST_F(RdmaPacerTest, RoundTrips)
{
    pacer.Measure(5);
    Pass(MicroSeconds(3));
    pacer.Measure(9);
    Pass(MicroSeconds(4));
    pacer.Acknowledged(0, 5);
    EXPECT_EQ(control->lastRoundTrip, Time(0)) << "none has been acknowledged";
    pacer.Acknowledged(5, 6);
    EXPECT_EQ(control->lastRoundTrip, MicroSeconds(7));
    pacer.Acknowledged(6, 10);
    EXPECT_EQ(control->lastRoundTrip, MicroSeconds(4));
    pacer.Acknowledged(10, 20);
    EXPECT_EQ(control->lastRoundTrip, Time(0)) << "once";
}

TEST_F(RdmaPacerTest, RoundTripsOfRepeats)
{
    pacer.Measure(5);
    pacer.Measure(9);
    Pass(MicroSeconds(3));
    pacer.Measure(5);
    Pass(MicroSeconds(4));
    pacer.Acknowledged(0, 10);
    EXPECT_EQ(control->lastRoundTrip, MicroSeconds(4)) << "from the repeat";
}

TEST_F(RdmaPacerTest, LossesLeaveNoRoundTrips)
{
    for (const auto loss : {RdmaCongestionControl::GAP, RdmaCongestionControl::TIME_OUT})
    {
        pacer.Measure(5);
        pacer.Lost(loss);
        Pass(MicroSeconds(3));
        pacer.Acknowledged(0, 6);
        EXPECT_EQ(control->lastRoundTrip, Time(0));
    }
}

TEST_F(RdmaPacerTest, LimitsOfWindowAndAcknowledgements)
{
    EXPECT_EQ(pacer.LimitWindow(256), 256u);
    EXPECT_EQ(pacer.LimitAckInterval(32), 32u);
    control->SetWindow(100.9);
    EXPECT_EQ(pacer.LimitWindow(256), 100u);
    EXPECT_EQ(pacer.LimitWindow(64), 64u);
    EXPECT_EQ(pacer.LimitAckInterval(32), 25u) << "four in a window";
    control->SetWindow(0.5);
    EXPECT_EQ(pacer.LimitWindow(256), 1u);
    EXPECT_EQ(pacer.LimitAckInterval(32), 1u);
    control->SetWindow(RdmaCongestionControl::NO_WINDOW);
    control->SetRate(13 * GBIT_PER_SECOND);
    EXPECT_EQ(pacer.LimitAckInterval(32), 32u);
    control->SetRate(12.5 * GBIT_PER_SECOND); // a 32nd of the line rate
    EXPECT_EQ(pacer.LimitAckInterval(32), 1u);
    EXPECT_EQ(pacer.LimitAckInterval(33), 33u);
}

TEST_F(RdmaPacerTest, NextPacketLeavesEarlierWhenTheRateRises)
{
    control->SetRate(1 * GBIT_PER_SECOND);
    pacer.Sent(1250); // 10 us
    EXPECT_EQ(pacer.GetNextSendTime(), MicroSeconds(10));
    Pass(MicroSeconds(2));
    control->rateWhenAcknowledged = 4 * GBIT_PER_SECOND;
    pacer.Acknowledged(0, 1);
    EXPECT_EQ(pacer.GetNextSendTime(), MicroSeconds(4)) << "8 us at a quarter";
    control->rateWhenAcknowledged = 2 * GBIT_PER_SECOND;
    pacer.Acknowledged(1, 2);
    EXPECT_EQ(pacer.GetNextSendTime(), MicroSeconds(4)) << "not later when it falls";
    control->rateWhenAcknowledged = 400 * GBIT_PER_SECOND;
    pacer.Acknowledged(2, 3);
    EXPECT_EQ(pacer.GetNextSendTime(), MicroSeconds(2)) << "now at line rate";
}

TEST_F(RdmaPacerTest, RestsUntilTimeChangesTheRate)
{
    control->SetRate(1 * GBIT_PER_SECOND);
    pacer.Sent(12500); // 100 us
    EXPECT_EQ(pacer.Rest(), MicroSeconds(100));
    control->nextChange = MicroSeconds(55);
    EXPECT_EQ(pacer.Rest(), MicroSeconds(55));
    control->nextChange = NanoSeconds(1);
    EXPECT_EQ(pacer.Rest(), NanoSeconds(100)) << "no more often than in a thousandth of it";
    Pass(MicroSeconds(60));
    control->SetRate(2 * GBIT_PER_SECOND);
    control->nextChange = Time::Max();
    EXPECT_EQ(pacer.Rest(), MicroSeconds(80));
}

} // namespace
