// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/circuit-scheduler.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace ns3
{
namespace
{

using Ranks = std::vector<uint32_t>;
using Ports = std::vector<OcsPortId>;
using Groups = std::vector<GroupKey>;

TEST(SchedulerStatic, TellsWhoKeepsAGroupWaiting)
{
    const GroupKey first{0, 1};
    const GroupKey second{0, 2};
    const GroupKey third{0, 3};
    CircuitScheduler scheduler;
    EXPECT_TRUE(scheduler.GetWaitStatus(first).absent.empty()); // there is no such group
    scheduler.AddGroup(first, {0, 1}, {{0, {Circuit{0, 1}}}});
    scheduler.AddGroup(second, {1, 2}, {{0, {Circuit{1, 2}}}});
    scheduler.AddGroup(third, {2, 3}, {{0, {Circuit{2, 3}}}});

    scheduler.Request(first, {0, 1}, 0, false);
    EXPECT_EQ(scheduler.GetWaitStatus(first).requesting, Ranks{0});
    EXPECT_EQ(scheduler.GetWaitStatus(first).absent, Ranks{1});
    const auto actions = scheduler.Request(first, {1, 1}, 0, false);
    EXPECT_EQ(scheduler.GetWaitStatus(first).switching, Ranks{0});
    scheduler.ReportLight(actions.switches.at(0).command);
    EXPECT_TRUE(scheduler.GetWaitStatus(first).switching.empty());
    EXPECT_EQ(scheduler.GetWaitStatus(first).holding, (Ranks{0, 1}));

    for (const uint32_t rank : {1, 2})
    {
        scheduler.Request(second, {rank, 1}, 0, false);
    }
    for (const uint32_t rank : {2, 3})
    {
        scheduler.Request(third, {rank, 1}, 0, false);
    }
    EXPECT_EQ(scheduler.GetWaitStatus(second).blocking, Groups{first});
    EXPECT_EQ(scheduler.GetWaitStatus(second).ports, (Ports{{0, 1}}));
    EXPECT_EQ(scheduler.GetWaitStatus(third).blocking, Groups{second});
    EXPECT_EQ(scheduler.GetWaitStatus(third).ports, (Ports{{0, 2}}));
    EXPECT_TRUE(scheduler.GetWaitStatus(third).absent.empty());
}

} // namespace
} // namespace ns3
