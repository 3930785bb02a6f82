// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/circuit-ledger.h"

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

TEST(LedgerStanding, TellsWhoKeepsAGroupWaiting)
{
    const GroupKey first{0, 1};
    const GroupKey second{0, 2};
    const GroupKey third{0, 3};
    CircuitLedger ledger;
    EXPECT_TRUE(ledger.GetStanding(first).away.empty()); // there is no such group
    ledger.AddGroup(first, {0, 1}, {{0, {Circuit{0, 1}}}});
    ledger.AddGroup(second, {1, 2}, {{0, {Circuit{1, 2}}}});
    ledger.AddGroup(third, {2, 3}, {{0, {Circuit{2, 3}}}});

    ledger.Ask(first, {0, 1}, 0, false);
    EXPECT_EQ(ledger.GetStanding(first).asking, Ranks{0});
    EXPECT_EQ(ledger.GetStanding(first).away, Ranks{1});
    const auto actions = ledger.Ask(first, {1, 1}, 0, false);
    EXPECT_EQ(ledger.GetStanding(first).switching, Ranks{0});
    ledger.ReportLight(actions.switches.at(0).command);
    EXPECT_TRUE(ledger.GetStanding(first).switching.empty());
    EXPECT_EQ(ledger.GetStanding(first).holding, (Ranks{0, 1}));

    for (const uint32_t rank : {1, 2})
    {
        ledger.Ask(second, {rank, 1}, 0, false);
    }
    for (const uint32_t rank : {2, 3})
    {
        ledger.Ask(third, {rank, 1}, 0, false);
    }
    EXPECT_EQ(ledger.GetStanding(second).inTheWay, Groups{first});
    EXPECT_EQ(ledger.GetStanding(second).ports, (Ports{{0, 1}}));
    EXPECT_EQ(ledger.GetStanding(third).inTheWay, Groups{second});
    EXPECT_EQ(ledger.GetStanding(third).ports, (Ports{{0, 2}}));
    EXPECT_TRUE(ledger.GetStanding(third).away.empty());
}

} // namespace
} // namespace ns3
