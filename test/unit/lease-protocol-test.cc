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
        LeaseProtocolModel model(seed, {});
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
        LeaseProtocolModel model(seed, {true, false, false});
        ASSERT_EQ(model.Run(), "") << "seed " << seed;
    }
}

TEST(LeaseProtocol, ASwitchThatBlocksRefusesNothingAndStarvesNobody)
{
    uint64_t evictions = 0;
    for (uint32_t seed = 0; seed < 2500; ++seed)
    {
        LeaseProtocolModel model(seed, {seed % 2 == 1, true, false});
        ASSERT_EQ(model.Run(), "") << "seed " << seed;
        evictions += model.GetEvictions();
    }
    EXPECT_GT(evictions, 1000u) << "the test does not reach what it is for";
}

TEST(LeaseProtocol, LostCircuitsAreMadeAgain)
{
    uint64_t relights = 0;
    for (uint32_t seed = 0; seed < 1000; ++seed)
    {
        LeaseProtocolModel model(seed, {seed % 2 == 1, false, true});
        ASSERT_EQ(model.Run(), "") << "seed " << seed;
        relights += model.GetRelights();
    }
    EXPECT_GT(relights, 200u) << "the test does not reach what it is for";
}

TEST(LeaseProtocol, LostCircuitsAreMadeAgainOnASwitchThatBlocks)
{
    uint64_t relights = 0;
    for (uint32_t seed = 0; seed < 2500; ++seed)
    {
        LeaseProtocolModel model(seed, {seed % 2 == 1, true, true});
        ASSERT_EQ(model.Run(), "") << "seed " << seed;
        relights += model.GetRelights();
    }
    EXPECT_GT(relights, 500u) << "the test does not reach what it is for";
}

} // namespace
} // namespace ns3
