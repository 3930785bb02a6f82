// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/recovery-protocol.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @return two domains of two GPUs, and so many spares in each
std::vector<SparePool::Place>
MakeShared(uint32_t spares)
{
    std::vector<SparePool::Place> places{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    for (uint32_t i = 0; i < 2 * spares; ++i)
    {
        places.push_back({i / spares, std::nullopt});
    }
    return places;
}

/// @return two domains of two GPUs, and so many of spares alone
std::vector<SparePool::Place>
MakeApart(uint32_t domains)
{
    std::vector<SparePool::Place> places;
    for (uint32_t gpu = 0; gpu < 4 + 2 * domains; ++gpu)
    {
        places.push_back({gpu / 2, gpu % 2});
    }
    return places;
}

const SparePool::Map FIRST{0, 1, 2, 3};

} // namespace

TEST(SparePool, ASpareOfTheDomainServesAnyRail)
{
    SparePool pool(SparePool::IN_DOMAIN, MakeShared(1), 4);
    SparePool::Map map = FIRST;
    EXPECT_EQ(pool.CountSpares(map), 2U);
    EXPECT_EQ(pool.Replace(map), "");
    EXPECT_EQ(map, FIRST) << "nothing is lost";
    EXPECT_TRUE(pool.Lose(3));
    EXPECT_FALSE(pool.Lose(3)) << "that was known";
    EXPECT_EQ(pool.Replace(map), "");
    EXPECT_EQ(map, (SparePool::Map{0, 1, 2, 5}));
    EXPECT_EQ(pool.CountSpares(map), 1U);
    pool.Lose(0);
    EXPECT_EQ(pool.Replace(map), "");
    EXPECT_EQ(map, (SparePool::Map{4, 1, 2, 5}));
    pool.Lose(2);
    EXPECT_EQ(pool.Replace(map),
              "GPU 2 has left and no spare is left in scale-up domain 1 for rank 2");
    EXPECT_EQ(map, (SparePool::Map{4, 1, 2, 5})) << "unchanged";
}

TEST(SparePool, SparesAreLostToo)
{
    SparePool pool(SparePool::IN_DOMAIN, MakeShared(2), 4);
    SparePool::Map map = FIRST;
    pool.Lose(4); // idle
    pool.Lose(1);
    EXPECT_EQ(pool.Replace(map), "");
    EXPECT_EQ(map, (SparePool::Map{0, 5, 2, 3}));
    pool.Lose(5);
    EXPECT_EQ(pool.Replace(map),
              "GPU 5 has left and no spare is left in scale-up domain 0 for rank 1");
}

TEST(SparePool, SeveralAtOnceAreReplacedOrNone)
{
    SparePool pool(SparePool::IN_DOMAIN, MakeShared(1), 4);
    SparePool::Map map = FIRST;
    pool.Lose(0);
    pool.Lose(1);
    EXPECT_NE(pool.Replace(map), "");
    EXPECT_EQ(map, FIRST);
}

TEST(SparePool, ARemoteSpareIsOnTheSameRail)
{
    SparePool pool(SparePool::ON_RAIL, MakeApart(1), 4);
    SparePool::Map map = FIRST;
    pool.Lose(3);
    EXPECT_EQ(pool.Replace(map), "");
    EXPECT_EQ(map, (SparePool::Map{0, 1, 2, 5}));
    pool.Lose(1);
    EXPECT_EQ(pool.Replace(map), "GPU 1 has left and no spare is left on rail 1 for rank 1");
}

TEST(SparePool, MigrationMovesAllRanks)
{
    SparePool pool(SparePool::MIGRATION, MakeApart(4), 4);
    SparePool::Map map = FIRST;
    EXPECT_EQ(pool.Replace(map), "");
    EXPECT_EQ(map, FIRST) << "nobody moves without need";
    pool.Lose(5); // the first idle rack is not whole any more
    pool.Lose(2);
    EXPECT_EQ(pool.Replace(map), "");
    EXPECT_EQ(map, (SparePool::Map{8, 9, 10, 11}));
    pool.Lose(8);
    EXPECT_EQ(pool.Replace(map), "GPU 8 has left and no rack of 2 idle scale-up domains is left");
}
