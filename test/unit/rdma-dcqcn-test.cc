// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * DCQCN against sequences worked out by hand and against timers that tick.
 */

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-dcqcn.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace ns3;

namespace
{

constexpr double GBIT = 1e9; //!< bit/s

/// @return a control with the constants of the paper, in which every CNP cuts the rate
Ptr<RdmaDcqcn>
MakePaper()
{
    ObjectFactory factory("ns3::RdmaDcqcnPaper", "CutInterval", TimeValue(Time(0)));
    return DynamicCast<RdmaDcqcn>(factory.Create<RdmaCongestionControl>());
}

/// @return the same at a line rate, in which by default every CNP lowers the target
Ptr<RdmaDcqcn>
MakeDcqcn(const std::string& rate = "40Gbps", bool clamps = true)
{
    auto dcqcn = MakePaper();
    dcqcn->SetAttribute("ClampTargetRate", BooleanValue(clamps));
    dcqcn->Start(DataRate(rate), 4096);
    return dcqcn;
}

/// @return the rate at a time, when nothing else happens
double
RateAt(RdmaDcqcn& dcqcn, Time now)
{
    dcqcn.PacketSent(now, 0);
    return dcqcn.GetRate();
}

TEST(RdmaDcqcn, StartsAtLineRateWithoutLimit)
{
    auto dcqcn = MakeDcqcn();
    EXPECT_EQ(dcqcn->GetRate(), 40 * GBIT);
    EXPECT_EQ(dcqcn->GetWindow(), RdmaCongestionControl::NO_WINDOW);
    EXPECT_TRUE(dcqcn->UsesNotifications());
    for (int i = 1; i < 1000; ++i)
    {
        dcqcn->PacketSent(MicroSeconds(i), 4180);
        dcqcn->Acknowledged(MicroSeconds(i), 1, MicroSeconds(2));
    }
    EXPECT_EQ(dcqcn->GetRate(), 40 * GBIT);
}

TEST(RdmaDcqcn, CutsAndRecoversByTime)
{
    auto dcqcn = MakeDcqcn();
    dcqcn->Notified(MicroSeconds(100)); // alpha is 1: half
    EXPECT_DOUBLE_EQ(dcqcn->GetRate(), 20 * GBIT);
    EXPECT_DOUBLE_EQ(dcqcn->GetTargetRate(), 40 * GBIT);
    dcqcn->Notified(MicroSeconds(150));
    EXPECT_DOUBLE_EQ(dcqcn->GetRate(), 10 * GBIT);
    EXPECT_DOUBLE_EQ(dcqcn->GetTargetRate(), 20 * GBIT);
    EXPECT_DOUBLE_EQ(dcqcn->GetAlpha(), 1);
    // Steps of 55 us: fast recovery, and from the fifth on 40 Mbit/s more.
    EXPECT_DOUBLE_EQ(RateAt(*dcqcn, NanoSeconds(204999)), 10 * GBIT);
    EXPECT_DOUBLE_EQ(RateAt(*dcqcn, MicroSeconds(205)), 15 * GBIT);
    EXPECT_DOUBLE_EQ(RateAt(*dcqcn, MicroSeconds(260)), 17.5 * GBIT);
    EXPECT_DOUBLE_EQ(RateAt(*dcqcn, MicroSeconds(370)), 19.375 * GBIT);
    EXPECT_DOUBLE_EQ(dcqcn->GetTargetRate(), 20 * GBIT);
    EXPECT_DOUBLE_EQ(RateAt(*dcqcn, MicroSeconds(425)), 19.7075 * GBIT);
    EXPECT_DOUBLE_EQ(dcqcn->GetTargetRate(), 20.04 * GBIT);
    // Alpha has decayed for five intervals since 150 us; then it is news.
    dcqcn->Notified(MicroSeconds(426));
    const double alpha = std::pow(255.0 / 256, 5);
    EXPECT_DOUBLE_EQ(dcqcn->GetRate(), 19.7075 * GBIT * (1 - alpha / 2));
    EXPECT_DOUBLE_EQ(dcqcn->GetAlpha(), alpha * 255 / 256 + 1.0 / 256);
    EXPECT_DOUBLE_EQ(dcqcn->GetTargetRate(), 19.7075 * GBIT);
}

TEST(RdmaDcqcn, ConsecutiveCutsKeepTheTarget)
{
    auto dcqcn = MakeDcqcn("40Gbps", false);
    dcqcn->Notified(MicroSeconds(100));
    dcqcn->Notified(MicroSeconds(150));
    EXPECT_DOUBLE_EQ(dcqcn->GetRate(), 10 * GBIT);
    EXPECT_DOUBLE_EQ(dcqcn->GetTargetRate(), 40 * GBIT) << "nothing was raised in between";
    EXPECT_DOUBLE_EQ(RateAt(*dcqcn, MicroSeconds(205)), 25 * GBIT);
    EXPECT_DOUBLE_EQ(RateAt(*dcqcn, MicroSeconds(260)), 32.5 * GBIT);
    // Alpha has decayed for two intervals since 150 us.
    const double alpha = std::pow(255.0 / 256, 2);
    dcqcn->Notified(MicroSeconds(261));
    EXPECT_DOUBLE_EQ(dcqcn->GetRate(), 32.5 * GBIT * (1 - alpha / 2));
    EXPECT_DOUBLE_EQ(dcqcn->GetTargetRate(), 32.5 * GBIT) << "raised by time";
    dcqcn->PacketSent(MicroSeconds(262), 10000000);
    const double raised = dcqcn->GetRate();
    EXPECT_GT(raised, 24 * GBIT);
    dcqcn->Notified(MicroSeconds(263));
    EXPECT_DOUBLE_EQ(dcqcn->GetTargetRate(), raised) << "raised by bytes";
    dcqcn->Notified(MicroSeconds(264));
    EXPECT_DOUBLE_EQ(dcqcn->GetTargetRate(), raised);
}

TEST(RdmaDcqcn, WithTheConstantsOfNics)
{
    auto dcqcn = CreateObject<RdmaDcqcn>();
    dcqcn->Start(DataRate("400Gbps"), 4096);
    EXPECT_EQ(dcqcn->GetName(), "dcqcn");
    const double gain = 5.0 / 1024;
    double alpha = 1;
    double rate = 400 * GBIT;
    for (int cut = 0; cut < 4; ++cut)
    {
        dcqcn->Notified(MicroSeconds(100 + 4 * cut));
        dcqcn->Notified(MicroSeconds(100 + 4 * cut + 3)); // too early for another one
        rate *= 1 - alpha / 2;
        EXPECT_DOUBLE_EQ(dcqcn->GetRate(), rate) << cut;
        alpha = ((1 - gain) * alpha + gain) * std::pow(1 - gain, 4);
    }
    EXPECT_DOUBLE_EQ(dcqcn->GetTargetRate(), 400 * GBIT) << "kept";
    dcqcn->PacketSent(MicroSeconds(200), 1'000'000'000);
    EXPECT_DOUBLE_EQ(dcqcn->GetRate(), rate) << "bytes do not count";
    EXPECT_DOUBLE_EQ(RateAt(*dcqcn, MicroSeconds(412)), (rate + 400 * GBIT) / 2);
    // A cut lowers the target now; from there 0.08 Gbit/s in the first step, and 0.8 in the others.
    dcqcn->Notified(MicroSeconds(412));
    const double target = (rate + 400 * GBIT) / 2;
    EXPECT_DOUBLE_EQ(dcqcn->GetTargetRate(), target);
    for (int step = 1; step <= 4; ++step)
    {
        RateAt(*dcqcn, MicroSeconds(412 + 300 * step));
        EXPECT_NEAR(dcqcn->GetTargetRate(), target + (0.08 + 0.8 * (step - 1)) * GBIT, 1) << step;
    }
    for (int cut = 0; cut < 1000; ++cut)
    {
        dcqcn->Notified(MicroSeconds(2000 + 4 * cut));
    }
    EXPECT_DOUBLE_EQ(dcqcn->GetRate(), 4 * GBIT) << "a hundredth of the line rate";
}

TEST(RdmaDcqcn, CutsOnceInAnInterval)
{
    ObjectFactory factory("ns3::RdmaDcqcnPaper");
    auto dcqcn = factory.Create<RdmaCongestionControl>();
    EXPECT_EQ(dcqcn->GetName(), "dcqcn-paper");
    dcqcn->Start(DataRate("40Gbps"), 4096);
    for (int time = 0; time < 150; ++time)
    {
        dcqcn->Notified(MicroSeconds(time));
    }
    EXPECT_DOUBLE_EQ(dcqcn->GetRate(), 5 * GBIT) << "at 0, 50 and 100 us";
}

TEST(RdmaDcqcn, RecoversByBytesAndHyperactively)
{
    auto dcqcn = MakeDcqcn();
    dcqcn->Notified(MicroSeconds(1));
    dcqcn->Notified(MicroSeconds(1));
    ASSERT_DOUBLE_EQ(dcqcn->GetRate(), 10 * GBIT);
    for (const double expected : {15.0, 17.5, 18.75, 19.375})
    {
        dcqcn->PacketSent(MicroSeconds(2), 9999999);
        dcqcn->PacketSent(MicroSeconds(2), 1);
        EXPECT_DOUBLE_EQ(dcqcn->GetRate(), expected * GBIT);
    }
    dcqcn->PacketSent(MicroSeconds(2), 10000000); // fifth: additive
    EXPECT_DOUBLE_EQ(dcqcn->GetTargetRate(), 20.04 * GBIT);
    dcqcn->PacketSent(MicroSeconds(2), 10000000);
    dcqcn->PacketSent(MicroSeconds(2), 10000000);
    EXPECT_DOUBLE_EQ(dcqcn->GetTargetRate(), 20.12 * GBIT);
    // Seven steps by bytes; now by time: the first five are additive, as the smaller count.
    RateAt(*dcqcn, MicroSeconds(1 + 5 * 55));
    EXPECT_DOUBLE_EQ(dcqcn->GetTargetRate(), 20.32 * GBIT);
    RateAt(*dcqcn, MicroSeconds(1 + 6 * 55)); // one beyond five
    EXPECT_DOUBLE_EQ(dcqcn->GetTargetRate(), 20.72 * GBIT);
    RateAt(*dcqcn, MicroSeconds(1 + 7 * 55)); // two beyond
    EXPECT_DOUBLE_EQ(dcqcn->GetTargetRate(), 21.52 * GBIT);
}

TEST(RdmaDcqcn, StaysWithinItsBounds)
{
    auto dcqcn = MakeDcqcn("400Gbps");
    for (int i = 0; i < 100; ++i)
    {
        dcqcn->Notified(MicroSeconds(50 * i));
    }
    EXPECT_DOUBLE_EQ(dcqcn->GetRate(), 0.4 * GBIT) << "a thousandth of the line rate";
    double before = 0;
    for (int i = 100; dcqcn->GetRate() < 400 * GBIT; ++i)
    {
        ASSERT_LT(i, 10000) << "back at line rate within half a second";
        EXPECT_GE(RateAt(*dcqcn, MicroSeconds(50 * i)), before);
        before = dcqcn->GetRate();
    }
    EXPECT_EQ(dcqcn->GetRate(), 400 * GBIT) << "exactly, so that nothing is paced any more";
    EXPECT_EQ(RateAt(*dcqcn, Seconds(1000)), 400 * GBIT);
}

TEST(RdmaDcqcn, FasterPortsRecoverInTheSameTime)
{
    auto slow = MakeDcqcn("40Gbps");
    auto fast = MakeDcqcn("800Gbps");
    for (int i = 0; i < 5; ++i)
    {
        slow->Notified(MicroSeconds(60 * i + 1));
        fast->Notified(MicroSeconds(60 * i + 1));
    }
    for (int i = 300; i < 20000; i += 7)
    {
        slow->PacketSent(MicroSeconds(i), 1000);
        fast->PacketSent(MicroSeconds(i), 20000);
        ASSERT_NEAR(fast->GetRate() / slow->GetRate(), 20, 1e-9);
    }
}

/// The same with timers that tick every microsecond.
struct TickingDcqcn
{
    bool clamps{true};
    double rate{40 * GBIT};
    double target{40 * GBIT};
    double alpha{1};
    double bytes{0};
    int alphaAge{0};
    int stepAge{0};
    int timeSteps{0};
    int byteSteps{0};
    bool limiting{false};

    void Step()
    {
        const int most = std::max(timeSteps, byteSteps);
        const int least = std::min(timeSteps, byteSteps);
        target += least > 5 ? 0.4 * GBIT * (least - 5) : most >= 5 ? 0.04 * GBIT : 0;
        target = std::min(target, 40 * GBIT);
        rate = (rate + target) / 2;
        if (target == 40 * GBIT && rate > 40 * GBIT * 1023 / 1024)
        {
            rate = 40 * GBIT;
            limiting = false;
        }
    }

    void Tick()
    {
        if (++alphaAge % 55 == 0)
        {
            alpha *= 255.0 / 256;
        }
        if (limiting && ++stepAge % 55 == 0)
        {
            ++timeSteps;
            Step();
        }
    }

    void Send(double sent)
    {
        bytes += limiting ? sent : 0;
        if (limiting && bytes >= 1e7)
        {
            bytes -= 1e7;
            ++byteSteps;
            Step();
        }
    }

    void Notify()
    {
        target = clamps || timeSteps + byteSteps > 0 ? rate : target;
        rate = std::max(rate * (1 - alpha / 2), 0.04 * GBIT);
        alpha = alpha * 255 / 256 + 1.0 / 256;
        bytes = 0;
        alphaAge = stepAge = timeSteps = byteSteps = 0;
        limiting = true;
    }
};

TEST(RdmaDcqcn, LateTimersAreAsGoodAsTimersThatTick)
{
    std::mt19937 random(1);
    uint32_t limited = 0;
    for (int run = 0; run < 50; ++run)
    {
        auto dcqcn = MakeDcqcn("40Gbps", run % 2 == 0);
        TickingDcqcn ticking;
        ticking.clamps = run % 2 == 0;
        bool notified = false;
        int64_t nextCnp = random() % 500;
        for (int64_t now = 1; now < 20000; ++now)
        {
            if (notified)
            {
                ticking.Tick();
            }
            if (now == nextCnp)
            {
                dcqcn->Notified(MicroSeconds(now));
                ticking.Notify();
                notified = true;
                nextCnp = now + 50 + random() % (random() % 4 == 0 ? 10000 : 500);
            }
            if (random() % (1 + run * 10) == 0) // from all the time to seldom
            {
                const uint32_t bytes = random() % 100000;
                dcqcn->PacketSent(MicroSeconds(now), bytes);
                ticking.Send(bytes);
                ASSERT_NEAR(dcqcn->GetRate(), ticking.rate, 1) << run << ", " << now;
                limited += dcqcn->GetRate() < 40 * GBIT ? 1 : 0;
            }
        }
    }
    EXPECT_GT(limited, 1000u);
}

TEST(RdmaDcqcn, LongIdlenessWithShortSteps)
{
    // The same steps one by one, and all at once: until the line rate, and on the way.
    for (const double increase : {1e-8, 1e-6, 1e-3})
    {
        for (const uint64_t steps : {50, 100, 1000, 20'000})
        {
            auto once = MakePaper();
            auto ticking = MakePaper();
            for (const auto& dcqcn : {once, ticking})
            {
                dcqcn->SetAttribute("IncreaseInterval", TimeValue(NanoSeconds(1)));
                dcqcn->SetAttribute("AdditiveIncrease", DoubleValue(increase));
                dcqcn->Start(DataRate("40Gbps"), 4096);
                dcqcn->Notified(Time(0));
                dcqcn->Notified(Time(0));
            }
            for (uint64_t step = 1; step <= steps; ++step)
            {
                ticking->PacketSent(NanoSeconds(step), 0);
            }
            once->PacketSent(NanoSeconds(steps), 0);
            EXPECT_NEAR(once->GetRate() / ticking->GetRate(), 1, 1e-9) << increase << ", " << steps;
            EXPECT_NEAR(once->GetTargetRate() / ticking->GetTargetRate(), 1, 1e-9);
        }
    }
    // Nothing can change any more, or only in 10^9 steps: no loop over all of them.
    for (const double increase : {0.0, 1e-9})
    {
        auto dcqcn = MakePaper();
        dcqcn->SetAttribute("IncreaseInterval", TimeValue(NanoSeconds(1)));
        dcqcn->SetAttribute("AdditiveIncrease", DoubleValue(increase));
        dcqcn->SetAttribute("HyperIncrease", DoubleValue(0));
        dcqcn->Start(DataRate("40Gbps"), 4096);
        dcqcn->Notified(Time(0));
        dcqcn->Notified(Time(0));
        EXPECT_NEAR(RateAt(*dcqcn, Seconds(0.25)), (20 + 40 * 0.25e9 * increase) * GBIT, 1e4);
        EXPECT_NEAR(RateAt(*dcqcn, Seconds(10000)), (increase > 0 ? 40 : 20) * GBIT, 1);
    }
}

TEST(RdmaDcqcn, SaysWhenTimeWillChangeTheRate)
{
    auto dcqcn = MakeDcqcn();
    EXPECT_EQ(dcqcn->Update(Seconds(1)), Time::Max());
    dcqcn->Notified(Seconds(2));
    EXPECT_EQ(dcqcn->Update(Seconds(2)), Seconds(2) + MicroSeconds(55));
    EXPECT_EQ(dcqcn->Update(Seconds(2) + MicroSeconds(55)), Seconds(2) + MicroSeconds(110));
    EXPECT_DOUBLE_EQ(dcqcn->GetRate(), 30 * GBIT);
    EXPECT_EQ(dcqcn->Update(Seconds(3)), Time::Max()) << "back at line rate";
}

TEST(RdmaDcqcn, NotificationsAtTheVeryBeginning)
{
    // As at any other time: alpha decays afterwards.
    auto dcqcn = MakeDcqcn();
    dcqcn->Notified(Time(0));
    dcqcn->Notified(MicroSeconds(110));
    EXPECT_NEAR(dcqcn->GetAlpha(), std::pow(255.0 / 256, 3) + 1.0 / 256, 1e-12);
}

} // namespace
