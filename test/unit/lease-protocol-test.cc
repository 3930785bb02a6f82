// SPDX-License-Identifier: GPL-2.0-only

#include "lease-protocol-model.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

TEST(LeaseProtocol, RandomProgramsEnd)
{
    uint64_t switches = 0;
    uint64_t suspensions = 0;
    for (uint32_t seed = 0; seed < 2500; ++seed)
    {
        LeaseProtocolModel model(seed, false);
        ASSERT_EQ(model.Run(), "") << "seed " << seed;
        switches += model.GetSwitches();
        suspensions += model.GetSuspensions();
    }
    EXPECT_GT(switches, 5000u);
    EXPECT_GT(suspensions, 100u) << "the test does not reach what it is for";
}

TEST(LeaseProtocol, WrongWishesAreNeverWrongOnlyCostly)
{
    for (uint32_t seed = 0; seed < 2500; ++seed)
    {
        LeaseProtocolModel model(seed, true);
        ASSERT_EQ(model.Run(), "") << "seed " << seed;
    }
}

} // namespace
} // namespace ns3
