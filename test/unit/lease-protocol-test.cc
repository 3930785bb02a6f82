// SPDX-License-Identifier: GPL-2.0-only

#include "../random-search.h"
#include "lease-protocol-model.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

using test::CountSeeds;

TEST(LeaseProtocol, RandomProgramsEnd)
{
    uint64_t switches = 0;
    uint64_t suspensions = 0;
    const uint64_t seeds = CountSeeds("LeaseProtocol.RandomProgramsEnd", 2500);
    for (uint32_t seed = 0; seed < seeds; ++seed)
    {
        LeaseProtocolModel model(seed, {});
        ASSERT_EQ(model.Run(), "") << "seed " << seed;
        switches += model.GetSwitches();
        suspensions += model.GetSuspensions();
    }
    EXPECT_GT(switches, 2 * seeds);
    EXPECT_GT(suspensions, seeds / 25) << "the test does not reach what it is for";
}

TEST(LeaseProtocol, WrongWishesAreNeverWrongOnlyCostly)
{
    const uint64_t seeds = CountSeeds("LeaseProtocol.WrongWishesAreNeverWrongOnlyCostly", 2500);
    for (uint32_t seed = 0; seed < seeds; ++seed)
    {
        LeaseProtocolModel model(seed, {true, false, false});
        ASSERT_EQ(model.Run(), "") << "seed " << seed;
    }
}

TEST(LeaseProtocol, ASwitchThatBlocksRefusesNothingAndStarvesNobody)
{
    uint64_t evictions = 0;
    const uint64_t seeds =
        CountSeeds("LeaseProtocol.ASwitchThatBlocksRefusesNothingAndStarvesNobody", 2500);
    for (uint32_t seed = 0; seed < seeds; ++seed)
    {
        LeaseProtocolModel model(seed, {seed % 2 == 1, true, false});
        ASSERT_EQ(model.Run(), "") << "seed " << seed;
        evictions += model.GetEvictions();
    }
    EXPECT_GT(evictions, 2 * seeds / 5) << "the test does not reach what it is for";
}

TEST(LeaseProtocol, CollectivesThatAreCutEnd)
{
    uint64_t cuts = 0;
    const uint64_t seeds = CountSeeds("LeaseProtocol.CollectivesThatAreCutEnd", 2500);
    for (uint32_t seed = 0; seed < seeds; ++seed)
    {
        LeaseProtocolModel model(seed, {seed % 2 == 1, seed % 3 == 1, seed % 5 == 1, true});
        ASSERT_EQ(model.Run(), "") << "seed " << seed;
        cuts += model.GetCuts();
    }
    EXPECT_GT(cuts, seeds / 10) << "the test does not reach what it is for";
}

TEST(LeaseProtocol, LostCircuitsAreMadeAgain)
{
    uint64_t relights = 0;
    const uint64_t seeds = CountSeeds("LeaseProtocol.LostCircuitsAreMadeAgain", 1000);
    for (uint32_t seed = 0; seed < seeds; ++seed)
    {
        LeaseProtocolModel model(seed, {seed % 2 == 1, false, true});
        ASSERT_EQ(model.Run(), "") << "seed " << seed;
        relights += model.GetRelights();
    }
    EXPECT_GT(relights, seeds / 5) << "the test does not reach what it is for";
}

TEST(LeaseProtocol, LostCircuitsAreMadeAgainOnASwitchThatBlocks)
{
    uint64_t relights = 0;
    const uint64_t seeds =
        CountSeeds("LeaseProtocol.LostCircuitsAreMadeAgainOnASwitchThatBlocks", 2500);
    for (uint32_t seed = 0; seed < seeds; ++seed)
    {
        LeaseProtocolModel model(seed, {seed % 2 == 1, true, true});
        ASSERT_EQ(model.Run(), "") << "seed " << seed;
        relights += model.GetRelights();
    }
    EXPECT_GT(relights, seeds / 5) << "the test does not reach what it is for";
}

} // namespace
} // namespace ns3
