// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/job-comparison.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// A cost that grows from a switching time on, as where windows hide shorter ones.
double
GetHiddenCost(const Time& delay, double base, double hidden, double slope)
{
    return base + slope * std::max(0.0, delay.GetSeconds() - hidden);
}

} // namespace

TEST(BreakEven, TheLongestSwitchingTimeIsFoundWithinTheTolerance)
{
    for (const double hidden : {0.0, 1e-6, 1e-3, 0.1})
    {
        for (const double slope : {0.01, 1.0, 1000.0})
        {
            for (const char* start : {"0s", "10ns", "25ms", "120s"})
            {
                int runs = 0;
                BreakEvenSearch search([&](const Time& delay) -> std::optional<double> {
                    ++runs;
                    return GetHiddenCost(delay, 0.002, hidden, slope);
                });
                for (const double share : {0.01, 0.03, 0.05})
                {
                    const BreakEven found = search.Find(share, Time(start));
                    const double exact = hidden + (share - 0.002) / slope;
                    ASSERT_EQ(found.outcome, BreakEven::FOUND) << exact;
                    EXPECT_LE(found.delay.GetSeconds(), exact + 1e-9);
                    EXPECT_GE(found.delay.GetSeconds() * (1 + BreakEvenSearch::TOLERANCE) + 2e-9,
                              exact);
                }
                EXPECT_LE(runs, 16) << hidden << " " << slope << " " << start;
                EXPECT_EQ(search.GetCosts().size(), static_cast<std::size_t>(runs));
            }
        }
    }
}

TEST(BreakEven, AStepOfACostStillHasABracket)
{
    BreakEvenSearch search([](const Time& delay) -> std::optional<double> {
        return delay < MilliSeconds(7) ? 0.0 : 1.0;
    });
    const BreakEven found = search.Find(0.01, MilliSeconds(25));
    ASSERT_EQ(found.outcome, BreakEven::FOUND);
    EXPECT_LT(found.delay, MilliSeconds(7));
    EXPECT_GE(found.delay.GetSeconds() * (1 + BreakEvenSearch::TOLERANCE), 0.007);
}

TEST(BreakEven, LinesSaveRuns)
{
    const auto count = [](double base, double hidden, double slope) {
        int runs = 0;
        BreakEvenSearch search([&](const Time& delay) -> std::optional<double> {
            ++runs;
            return GetHiddenCost(delay, base, hidden, slope);
        });
        search.Add(MilliSeconds(25), GetHiddenCost(MilliSeconds(25), base, hidden, slope));
        for (const double share : {0.01, 0.03, 0.05})
        {
            search.Find(share, MilliSeconds(25));
        }
        return runs;
    };
    EXPECT_LE(count(0, 0, 1), 5);
    EXPECT_LE(count(0.002, 0, 10), 5);
    EXPECT_LE(count(0.002, 0, 0.1), 5);
    EXPECT_LE(count(0.001, 0.002, 3), 6);
    EXPECT_LE(count(0.001, 0.1, 0.5), 7);
    EXPECT_LE(count(0, 0, 0), 3);    // never
    EXPECT_LE(count(0.06, 0, 1), 3); // always
}

TEST(BreakEven, ThereMayBeNoSuchSwitchingTime)
{
    BreakEvenSearch cheap([](const Time&) -> std::optional<double> { return -0.001; });
    EXPECT_EQ(cheap.Find(0.01, MilliSeconds(25)).outcome, BreakEven::ANY);
    BreakEvenSearch dear([](const Time&) -> std::optional<double> { return 0.02; });
    EXPECT_EQ(dear.Find(0.01, MilliSeconds(25)).outcome, BreakEven::NONE);
    BreakEvenSearch broken([](const Time&) -> std::optional<double> { return std::nullopt; });
    EXPECT_EQ(broken.Find(0.01, MilliSeconds(25)).outcome, BreakEven::UNKNOWN);
}
