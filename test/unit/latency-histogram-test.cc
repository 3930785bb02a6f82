// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/latency-histogram.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace ns3;

namespace
{

/// Unit tests count nanoseconds unless they say otherwise.
class LatencyHistogramTest : public testing::Test
{
  protected:
    static void SetUpTestSuite()
    {
        if (Time::GetResolution() != Time::PS)
        {
            Time::SetResolution(Time::PS);
        }
    }
};

/// @return times whose logarithms are spread evenly over a range of picoseconds
std::vector<Time>
MakeTimes(std::size_t count, double least, double most, uint32_t seed)
{
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> exponent(std::log(least), std::log(most));
    std::vector<Time> times;
    for (std::size_t i = 0; i < count; ++i)
    {
        times.push_back(PicoSeconds(static_cast<uint64_t>(std::exp(exponent(random)))));
    }
    return times;
}

TEST_F(LatencyHistogramTest, QuantilesOfSortedTimesWithinTheStatedError)
{
    uint32_t seed = 1;
    for (const auto& [least, most] :
         {std::pair<double, double>{1, 300}, {1e3, 1e6}, {9e5, 1.1e6}, {1, 1e18}})
    {
        for (const std::size_t count : {1, 2, 3, 10, 999, 1000, 1001, 20000})
        {
            auto times = MakeTimes(count, least, most, seed++);
            LatencyHistogram histogram;
            for (const auto& time : times)
            {
                histogram.Add(time);
            }
            std::sort(times.begin(), times.end());
            for (const double share : {1e-9, 0.1, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0})
            {
                const auto rank = std::max<std::size_t>(1, std::ceil(share * count - 1e-9));
                const double exact = times[rank - 1].GetPicoSeconds();
                const double seen = histogram.GetQuantile(share).GetPicoSeconds();
                EXPECT_LE(std::abs(seen - exact), exact * LatencyHistogram::RELATIVE_ERROR)
                    << count << " times from " << least << " to " << most << ", " << share;
            }
            const auto summary = histogram.GetSummary();
            EXPECT_EQ(summary.count, count);
            EXPECT_EQ(summary.min, times.front());
            EXPECT_EQ(summary.max, times.back());
        }
    }
}

TEST_F(LatencyHistogramTest, SmallTimesAreExact)
{
    for (uint32_t picoseconds = 0; picoseconds < 256; ++picoseconds)
    {
        LatencyHistogram histogram;
        histogram.Add(Time(0));
        histogram.Add(PicoSeconds(picoseconds));
        histogram.Add(Seconds(1));
        EXPECT_EQ(histogram.GetQuantile(0.5), PicoSeconds(picoseconds));
    }
}

TEST_F(LatencyHistogramTest, TheLongestTimeThatNs3CanCount)
{
    LatencyHistogram histogram;
    const Time most(std::numeric_limits<int64_t>::max());
    histogram.Add(most);
    EXPECT_EQ(histogram.GetQuantile(1), most);
    histogram.Add(Time(0));
    EXPECT_EQ(histogram.GetSummary().max, most);
    EXPECT_EQ(histogram.GetSummary().min, Time(0));
}

TEST_F(LatencyHistogramTest, SumsOfHistogramsAreHistogramsOfSums)
{
    const auto times = MakeTimes(5000, 1e3, 1e9, 7);
    LatencyHistogram whole;
    LatencyHistogram parts[2];
    for (std::size_t i = 0; i < times.size(); ++i)
    {
        whole.Add(times[i]);
        parts[i % 2].Add(times[i]);
    }
    LatencyHistogram sum;
    sum.Add(LatencyHistogram());
    sum.Add(parts[0]);
    sum.Add(parts[1]);
    EXPECT_EQ(sum.GetCount(), whole.GetCount());
    EXPECT_EQ(sum.GetSummary().min, whole.GetSummary().min);
    EXPECT_EQ(sum.GetSummary().max, whole.GetSummary().max);
    for (const double share : {0.001, 0.5, 0.99})
    {
        EXPECT_EQ(sum.GetQuantile(share), whole.GetQuantile(share));
    }
}

TEST_F(LatencyHistogramTest, NothingCounted)
{
    const auto summary = LatencyHistogram().GetSummary();
    EXPECT_EQ(summary.count, 0u);
    EXPECT_EQ(summary.median, Time(0));
    EXPECT_EQ(LatencySummary::Make({}).max, Time(0));
}

TEST_F(LatencyHistogramTest, ExactSummariesAreByNearestRank)
{
    std::vector<Time> times;
    for (uint32_t i = 1000; i > 0; --i)
    {
        times.push_back(PicoSeconds(i));
    }
    const auto summary = LatencySummary::Make(times);
    EXPECT_EQ(summary.min, PicoSeconds(1));
    EXPECT_EQ(summary.median, PicoSeconds(500));
    EXPECT_EQ(summary.p99, PicoSeconds(990));
    EXPECT_EQ(summary.p999, PicoSeconds(999));
    EXPECT_EQ(summary.max, PicoSeconds(1000));
}

} // namespace
