// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/job-mix.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace ns3
{
namespace
{

using Places = std::vector<std::vector<uint32_t>>;

} // namespace

TEST(JobPlacement, PacksAndSpreads)
{
    EXPECT_EQ(JobPlacement::Make("packed", 8, {3, 1, 2}, 1), (Places{{0, 1, 2}, {3}, {4, 5}}));
    EXPECT_EQ(JobPlacement::Make("spread", 8, {3, 1, 2}, 1), (Places{{0, 3, 5}, {1}, {2, 4}}));
}

TEST(JobPlacement, DrawsDistinctDomains)
{
    std::set<Places> drawn;
    for (uint32_t seed = 1; seed <= 100; ++seed)
    {
        const Places places = JobPlacement::Make("random", 10, {4, 3, 2}, seed);
        EXPECT_EQ(places, JobPlacement::Make("random", 10, {4, 3, 2}, seed));
        std::set<uint32_t> taken;
        for (const auto& job : places)
        {
            taken.insert(job.begin(), job.end());
        }
        EXPECT_EQ(taken.size(), 9u);
        EXPECT_LT(*taken.rbegin(), 10u);
        drawn.insert(places);
    }
    EXPECT_GT(drawn.size(), 95u);
}

} // namespace ns3
