// SPDX-License-Identifier: GPL-2.0-only

#include "latency-histogram.h"

#include "ns3/assert.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

/// @return how many of a number of times, sorted, come up to the quantile, itself included
uint64_t
GetRank(double share, uint64_t count)
{
    // The least bit more than a whole number is left from the multiplication: no rank of its own.
    const double rank = std::ceil(share * static_cast<double>(count) * (1 - 1e-15));
    return std::clamp<uint64_t>(static_cast<uint64_t>(rank), 1, count);
}

/// Fill in the quantiles. @return the summary of what `quantile` knows
template <typename Quantile>
LatencySummary
Summarise(uint64_t count, Quantile quantile)
{
    LatencySummary summary;
    summary.count = count;
    if (count > 0)
    {
        summary.median = quantile(0.5);
        summary.p99 = quantile(0.99);
        summary.p999 = quantile(0.999);
    }
    return summary;
}

} // namespace

LatencySummary
LatencySummary::Make(std::vector<Time> times)
{
    std::sort(times.begin(), times.end());
    LatencySummary summary = Summarise(times.size(), [&times](double share) {
        return times[GetRank(share, times.size()) - 1];
    });
    if (!times.empty())
    {
        summary.min = times.front();
        summary.max = times.back();
    }
    return summary;
}

uint32_t
LatencyHistogram::GetBucket(uint64_t picoseconds)
{
    uint32_t shift = 0;
    while ((picoseconds >> shift) >= (uint64_t{2} << LINEAR_BITS))
    {
        ++shift;
    }
    // Below two linear stretches of 128 the time is the bucket; then each power of two has one.
    return static_cast<uint32_t>((shift << LINEAR_BITS) + (picoseconds >> shift));
}

uint64_t
LatencyHistogram::GetMiddle(uint32_t bucket)
{
    constexpr uint32_t linear = 1U << LINEAR_BITS;
    const uint32_t shift = bucket < 2 * linear ? 0 : (bucket >> LINEAR_BITS) - 1;
    const uint64_t first = uint64_t{bucket - (shift << LINEAR_BITS)} << shift;
    return first + ((uint64_t{1} << shift) - 1) / 2;
}

void
LatencyHistogram::Add(Time time)
{
    const int64_t value = time.GetPicoSeconds();
    NS_ASSERT_MSG(value >= 0, "a latency is not negative");
    const auto picoseconds = static_cast<uint64_t>(value);
    m_min = m_count == 0 ? picoseconds : std::min(m_min, picoseconds);
    m_max = std::max(m_max, picoseconds);
    ++m_count;
    ++m_buckets[GetBucket(picoseconds)];
}

void
LatencyHistogram::Add(const LatencyHistogram& other)
{
    if (other.m_count == 0)
    {
        return;
    }
    m_min = m_count == 0 ? other.m_min : std::min(m_min, other.m_min);
    m_max = std::max(m_max, other.m_max);
    m_count += other.m_count;
    for (uint32_t bucket = 0; bucket < BUCKETS; ++bucket)
    {
        m_buckets[bucket] += other.m_buckets[bucket];
    }
}

uint64_t
LatencyHistogram::GetCount() const
{
    return m_count;
}

Time
LatencyHistogram::GetQuantile(double share) const
{
    if (m_count == 0)
    {
        return Time(0);
    }
    const uint64_t rank = GetRank(share, m_count);
    uint64_t seen = 0;
    uint32_t bucket = 0;
    while ((seen += m_buckets[bucket]) < rank)
    {
        ++bucket;
    }
    return PicoSeconds(std::clamp(GetMiddle(bucket), m_min, m_max));
}

LatencySummary
LatencyHistogram::GetSummary() const
{
    LatencySummary summary =
        Summarise(m_count, [this](double share) { return GetQuantile(share); });
    summary.min = PicoSeconds(m_min);
    summary.max = PicoSeconds(m_max);
    return summary;
}

} // namespace ns3
