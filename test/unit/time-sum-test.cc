// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/time-sum.h"

#include <gtest/gtest.h>
#include <limits>

namespace ns3
{
namespace
{

constexpr int64_t A_DAY = 86400;

TEST(TimeSum, AddsMoreThanATimeHolds)
{
    TimeSum sum;
    for (int day = 0; day < 1000; ++day) // a Time holds 106 days of picoseconds
    {
        sum += NanoSeconds(A_DAY * 1000000000 + 1);
    }
    EXPECT_DOUBLE_EQ(sum.GetSeconds(), 1000.0 * A_DAY + 1e-6);
    sum += NanoSeconds(-1000);
    EXPECT_EQ(sum.GetSeconds(), 1000.0 * A_DAY);
}

TEST(TimeSum, IsExactWhereATimeIs)
{
    const Time time = NanoSeconds(224699711);
    EXPECT_EQ(TimeSum(time).GetSeconds(), static_cast<double>(time.GetPicoSeconds()) / 1e12);
    TimeSum parts = NanoSeconds(300000000);
    parts += NanoSeconds(-75300289);
    EXPECT_EQ(parts, TimeSum(time));
    parts *= 3;
    EXPECT_EQ(parts, TimeSum(3 * time));
    parts += TimeSum(-3 * time);
    EXPECT_EQ(parts, TimeSum());
}

TEST(TimeSum, NoDelayIsLongerThanTheLimit)
{
    const Time limit = GetTimeLimit();
    EXPECT_GT(limit + limit, limit) << "the sum of both does not wrap";
    EXPECT_EQ(MakeDelay(1e30), limit);
    EXPECT_EQ(MakeDelay(std::numeric_limits<double>::infinity()), limit);
    EXPECT_EQ(MakeDelay(1.5e-12), PicoSeconds(2));
    EXPECT_EQ(MakeDelay(0), Time());
}

} // namespace
} // namespace ns3
