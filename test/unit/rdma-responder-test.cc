// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/rdma-responder.h"
#include "ns3/roce-header.h"

#include <gtest/gtest.h>

namespace ns3
{

namespace
{

/// A responder, and packets in flight to it.
class RdmaResponderTest : public testing::Test, protected RdmaResponder::Client
{
  protected:
    void Receive(uint32_t psn)
    {
        RoceHeader header;
        header.opcode = RoceHeader::WRITE_MIDDLE;
        header.payloadBytes = 1;
        header.psn = psn & RoceHeader::PSN_MASK;
        responder.Receive(header);
    }

    void AckDue() override
    {
    }

    void Arrived(uint32_t, uint64_t) override
    {
    }

    RdmaResponder::Statistics statistics;
    RdmaResponder responder{*this, statistics};
};

TEST_F(RdmaResponderTest, ForeseesConsecutivePackets)
{
    responder.Start(RoceHeader::PSN_MASK); // the next PSN is 0 on the wire
    EXPECT_TRUE(responder.Foresee(RoceHeader::PSN_MASK));
    EXPECT_TRUE(responder.Foresee(0));
    Receive(RoceHeader::PSN_MASK);
    EXPECT_TRUE(responder.Foresee(1));
    EXPECT_TRUE(responder.Foresee(2));
}

TEST_F(RdmaResponderTest, ForeseesNothingBehindAGap)
{
    responder.Start(10);
    EXPECT_TRUE(responder.Foresee(10));
    EXPECT_FALSE(responder.Foresee(12));
    EXPECT_FALSE(responder.Foresee(13));
    Receive(10);
    Receive(12);
    EXPECT_FALSE(responder.Foresee(14));
    // Going back ends the gap, also while packets behind the gap are in flight.
    EXPECT_TRUE(responder.Foresee(11));
    EXPECT_TRUE(responder.Foresee(12));
    // Packets that have arrived already are duplicates.
    Receive(13);
    Receive(14);
    Receive(11);
    Receive(12);
    EXPECT_TRUE(responder.Foresee(10));
    EXPECT_TRUE(responder.Foresee(11));
}

TEST_F(RdmaResponderTest, ForeseesNothingWithSelectiveRepeat)
{
    responder.SetSelectiveRepeat(true);
    responder.Start(10);
    EXPECT_FALSE(responder.Foresee(11)); // will be held
    EXPECT_FALSE(responder.Foresee(10)); // will release that packet
}

TEST_F(RdmaResponderTest, ForeseesNothingBehindPacketsThatMayBeLost)
{
    responder.Start(10);
    EXPECT_TRUE(responder.Foresee(10));
    responder.ForgetAck(); // the path has closed
    EXPECT_FALSE(responder.Foresee(11));
    EXPECT_TRUE(responder.Foresee(10));
}

} // namespace
} // namespace ns3
