// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Attributes of queue pairs that are set when they are connected, and timers that go away.
 */

#include "ns3/rdma-nic.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/rdma-swift.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <memory>

using namespace ns3;

namespace
{

/// Queue pairs of a port that leads nowhere.
class RdmaQueuePairTest : public testing::Test
{
  protected:
    RdmaQueuePairTest()
    {
        auto device = CreateObject<EthernetPortNetDevice>();
        device->SetAttribute("DataRate", StringValue("400Gbps"));
        nic->AddPort(device, Ipv4Address("10.0.0.1"));
        nic->SetQueuePairAttribute("CongestionControl", StringValue("ns3::RdmaSwift"));
        queuePair = nic->CreateQueuePair(0);
        queuePair->Connect({Mac48Address("00:00:00:00:00:09"), Ipv4Address("10.0.0.9"), 16, 0});
    }

    ~RdmaQueuePairTest() override
    {
        nic->Dispose();
        Simulator::Destroy();
    }

    Ptr<RdmaNic> nic{CreateObject<RdmaNic>()};
    Ptr<RdmaQueuePair> queuePair;
};

TEST_F(RdmaQueuePairTest, CongestionControlLearnsTheMtu)
{
    const auto control = queuePair->GetCongestionControl();
    EXPECT_DOUBLE_EQ(control->GetWindow(), 400e9 * 20e-6 / 8 / 4096);
    nic->SetQueuePairAttribute("Mtu", UintegerValue(1024));
    EXPECT_EQ(queuePair->GetCongestionControl(), control);
    EXPECT_DOUBLE_EQ(control->GetWindow(), 400e9 * 20e-6 / 8 / 1024);
}

TEST_F(RdmaQueuePairTest, LossRecoveryCannotChange)
{
    queuePair->SetAttribute("LossRecovery", StringValue("GoBackN")); // no change
    EXPECT_DEATH(nic->SetQueuePairAttribute("LossRecovery", StringValue("SelectiveRepeat")),
                 "cannot change once it is connected");
}

/// Counts time-outs.
class TimeoutCounter : public RdmaRetransmissionTimer::Client
{
  public:
    void TimedOut() override
    {
        ++timeouts;
    }

    uint32_t timeouts{0};
};

TEST(RdmaRetransmissionTimer, GoesAwayWithItsEvent)
{
    TimeoutCounter counter;
    RdmaTimerState state;
    auto timer = std::make_unique<RdmaRetransmissionTimer>(counter, state);
    timer->SetInitialTimeout(MilliSeconds(4));
    timer->SetMaxTimeout(Seconds(1));
    timer->Unsuspend();
    timer->Restart();
    Simulator::Stop(MilliSeconds(5));
    Simulator::Run();
    EXPECT_EQ(counter.timeouts, 1u);
    timer->Restart();
    timer.reset();
    Simulator::Run();
    EXPECT_EQ(counter.timeouts, 1u);
    Simulator::Destroy();
}

} // namespace
