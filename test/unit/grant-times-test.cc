// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/lease-client.h"

#include <gtest/gtest.h>
#include <vector>

namespace ns3
{
namespace
{

TEST(GrantTimes, TheFirstCallThatWaitsCounts)
{
    GrantTimes times;
    times.StartWait(7, MicroSeconds(10));
    times.StartWait(7, MicroSeconds(20));
    const auto wait = times.Grant(7, MicroSeconds(5), MicroSeconds(40));
    EXPECT_EQ(wait.waited, MicroSeconds(30));
    EXPECT_EQ(wait.exposed, MicroSeconds(5));
    EXPECT_EQ(times.Grant(7, MicroSeconds(5), MicroSeconds(50)).waited, Time()) << "nobody waits";
}

TEST(GrantTimes, NoMoreIsExposedThanWasWaited)
{
    GrantTimes times;
    times.StartWait(7, MicroSeconds(10));
    EXPECT_EQ(times.Grant(7, MicroSeconds(100), MicroSeconds(40)).exposed, MicroSeconds(30));
}

TEST(GrantTimes, TheFastestGrantIsOneThatWasSwitchedFor)
{
    GrantTimes times;
    EXPECT_EQ(times.GetFastest(), Time());
    times.Request(1, MicroSeconds(0));
    times.Grant(1, Time(), MicroSeconds(3));
    EXPECT_EQ(times.GetFastest(), Time()) << "its circuits were up";
    times.Request(1, MicroSeconds(10));
    times.Request(1, MicroSeconds(12)); // asked again
    times.Grant(1, MicroSeconds(2), MicroSeconds(30));
    EXPECT_EQ(times.GetFastest(), MicroSeconds(20));
    times.Request(2, MicroSeconds(30));
    times.Grant(2, MicroSeconds(2), MicroSeconds(60));
    EXPECT_EQ(times.GetFastest(), MicroSeconds(20));
    times.Request(2, MicroSeconds(60));
    times.Release(2);
    times.Request(3, MicroSeconds(60));
    times.ClearRequests();
    times.Grant(2, MicroSeconds(2), MicroSeconds(61));
    times.Grant(3, MicroSeconds(2), MicroSeconds(61));
    EXPECT_EQ(times.GetFastest(), MicroSeconds(20)) << "nobody knows when these were asked for";
}

TEST(GrantTimes, ThoseWhoWaitAreTakenOnce)
{
    GrantTimes times;
    times.StartWait(9, MicroSeconds(1));
    times.StartWait(4, MicroSeconds(2));
    EXPECT_EQ(times.TakeWaiting(), (std::vector<uint64_t>{4, 9}));
    EXPECT_TRUE(times.TakeWaiting().empty());
}

} // namespace
} // namespace ns3
