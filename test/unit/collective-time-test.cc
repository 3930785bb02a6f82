// SPDX-License-Identifier: GPL-2.0-only

#include "../ring-time.h"

#include "ns3/collective-call.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

/// 100 Gbit/s: a byte lasts 80 ps.
CircuitTiming
MakeTiming()
{
    CircuitTiming timing;
    timing.portRate = DataRate("100Gbps");
    timing.latency = MicroSeconds(1);
    timing.ackInterval = 16;
    return timing;
}

constexpr int64_t BYTE = 80;                 //!< picoseconds
constexpr int64_t CIRCUIT_LATENCY = 1000000; //!< picoseconds

/// Time has a resolution of nanoseconds unless a program sets it.
void
ExpectPicoSeconds(Time actual, int64_t expected)
{
    EXPECT_NEAR(actual.ToDouble(Time::PS), static_cast<double>(expected), 1000);
}

TEST(CollectiveTimeTest, StripeCountsEveryByteOnTheWire)
{
    auto timing = MakeTiming();
    EXPECT_EQ(GetStripePackets(0, timing), 1);
    EXPECT_EQ(GetStripePackets(4096, timing), 1);
    EXPECT_EQ(GetStripePackets(4097, timing), 2);
    ExpectPicoSeconds(GetStripeTime(0, timing), (82 + 20) * BYTE);
    ExpectPicoSeconds(GetStripeTime(1, timing), (4 + 82 + 20) * BYTE);
    ExpectPicoSeconds(GetStripeTime(10000, timing), (10000 + 3 * 82 + 20) * BYTE);
    timing.portsPerConnector = 2;
    ExpectPicoSeconds(GetStripeTime(10000, timing), (5000 + 2 * 82 + 20) * BYTE);
}

TEST(CollectiveTimeTest, StepsOfSinglePackets)
{
    const auto timing = MakeTiming();
    const int64_t packet = (1000 + 82 + 20) * BYTE;
    const int64_t ack = 86 * BYTE;
    ExpectPicoSeconds(GetRingTime(CollectiveKind::ALL_GATHER, 4, 2000, 2, timing),
                      3 * (packet + CIRCUIT_LATENCY) + 2 * ack + ack + CIRCUIT_LATENCY);
    ExpectPicoSeconds(GetRingTime(CollectiveKind::REDUCE_SCATTER, 4, 8000, 2, timing),
                      3 * (packet + CIRCUIT_LATENCY) + 2 * ack + ack + CIRCUIT_LATENCY);
    ExpectPicoSeconds(GetRingTime(CollectiveKind::ALL_REDUCE, 4, 8000, 2, timing),
                      6 * (packet + CIRCUIT_LATENCY) + 5 * ack + ack + CIRCUIT_LATENCY);
    // A ring of two has no second step in which an acknowledgement could be in the way.
    ExpectPicoSeconds(GetRingTime(CollectiveKind::ALL_GATHER, 2, 2000, 2, timing),
                      packet + CIRCUIT_LATENCY + ack + CIRCUIT_LATENCY);
    EXPECT_EQ(GetRingTime(CollectiveKind::ALL_REDUCE, 1, 8000, 2, timing), Time(0));
}

TEST(CollectiveTimeTest, AcknowledgementsShareThePortWithDataTheOtherWay)
{
    const auto timing = MakeTiming();
    const int64_t ack = 86 * BYTE;
    // 100 packets; what is received comes 2.99 packets after what is sent, so the acknowledgements
    // of packets 16, 32, 48, 64, 80 and 96 fall due before the last packet begins at 99. The second
    // stripe begins at packet 100 of the connection: there it is 12, 28, 44, 60, 76 and 92.
    const uint64_t chunk = 100 * 4096;
    const int64_t stripe = (100 * 4178 + 20) * BYTE;
    ExpectPicoSeconds(GetRingTime(CollectiveKind::ALL_GATHER, 3, 2 * chunk, 2, timing),
                      2 * (stripe + 6 * ack + CIRCUIT_LATENCY) + ack + ack + CIRCUIT_LATENCY);
    ExpectPicoSeconds(GetRingTime(CollectiveKind::ALL_GATHER, 3, chunk, 1, timing),
                      2 * (stripe + CIRCUIT_LATENCY) + ack + CIRCUIT_LATENCY);
}

TEST(CollectiveTimeTest, MessagesUseBothConnectorsOfAPair)
{
    const auto timing = MakeTiming();
    const int64_t half = (10000 + 3 * 82 + 20) * BYTE + CIRCUIT_LATENCY;
    const int64_t whole = (20000 + 5 * 82 + 20) * BYTE + CIRCUIT_LATENCY;
    ExpectPicoSeconds(GetMessageTime(2, 20000, 2, timing).received, half);
    ExpectPicoSeconds(GetMessageTime(2, 20000, 2, timing).sent, half + 86 * BYTE + CIRCUIT_LATENCY);
    ExpectPicoSeconds(GetMessageTime(2, 20000, 1, timing).received, whole);
    ExpectPicoSeconds(GetMessageTime(4, 20000, 2, timing).received, whole);
}

TEST(CollectiveBandwidthTest, FactorsAreThoseOfNcclTests)
{
    const Time second = Seconds(1);
    EXPECT_DOUBLE_EQ(GetAlgorithmBandwidth(CollectiveKind::ALL_GATHER, 4, 100, second), 400);
    EXPECT_DOUBLE_EQ(GetBusBandwidth(CollectiveKind::ALL_GATHER, 4, 100, second), 300);
    EXPECT_DOUBLE_EQ(GetBusBandwidth(CollectiveKind::REDUCE_SCATTER, 4, 400, second), 300);
    EXPECT_DOUBLE_EQ(GetBusBandwidth(CollectiveKind::ALL_REDUCE, 4, 400, second), 600);
    EXPECT_DOUBLE_EQ(GetBusBandwidth(CollectiveKind::ALL_TO_ALL, 4, 400, second), 300);
    EXPECT_DOUBLE_EQ(GetBusBandwidth(CollectiveKind::BROADCAST, 4, 400, second), 400);
    EXPECT_DOUBLE_EQ(GetBusBandwidth(CollectiveKind::REDUCE, 4, 400, second), 400);
    EXPECT_DOUBLE_EQ(GetBusBandwidth(CollectiveKind::SEND, 2, 400, second), 400);
}

TEST(CollectiveBandwidthTest, SizeIsThatOfTheLargerBuffer)
{
    EXPECT_EQ(GetTensorBytes(CollectiveKind::ALL_GATHER, 4, 100), 400);
    EXPECT_EQ(GetInputBytes(CollectiveKind::ALL_GATHER, 4, 403), 100);
    for (const auto kind : {CollectiveKind::REDUCE_SCATTER,
                            CollectiveKind::ALL_REDUCE,
                            CollectiveKind::ALL_TO_ALL,
                            CollectiveKind::BROADCAST,
                            CollectiveKind::REDUCE,
                            CollectiveKind::SEND})
    {
        EXPECT_EQ(GetTensorBytes(kind, 4, 100), 100) << ToString(kind);
        EXPECT_EQ(GetInputBytes(kind, 4, 403), 403) << ToString(kind);
    }
}

} // namespace
} // namespace ns3
