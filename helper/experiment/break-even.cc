// SPDX-License-Identifier: GPL-2.0-only

#include "break-even.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3
{

Time
BreakEvenSearch::GetLongest()
{
    return Seconds(100);
}

Time
BreakEvenSearch::GetShortest()
{
    return NanoSeconds(1);
}

BreakEvenSearch::BreakEvenSearch(Cost cost)
    : m_cost(std::move(cost))
{
}

std::optional<double>
BreakEvenSearch::Get(const Time& delay)
{
    const auto known = m_known.find(delay);
    return known != m_known.end() ? known->second
                                  : m_known.emplace(delay, m_cost(delay)).first->second;
}

std::vector<std::pair<Time, double>>
BreakEvenSearch::GetCosts() const
{
    std::vector<std::pair<Time, double>> costs;
    for (const auto& [delay, cost] : m_known)
    {
        if (cost)
        {
            costs.emplace_back(delay, *cost);
        }
    }
    return costs;
}

BreakEven
BreakEvenSearch::Find(double share, const Time& start)
{
    BreakEven result{share, BreakEven::UNKNOWN, Time()};
    std::optional<std::pair<double, double>> low;  // switching time in ns and cost: not too much
    std::optional<std::pair<double, double>> high; // too much
    const double shortest = GetShortest().GetDouble() / NanoSeconds(1).GetDouble();
    const double longest = GetLongest().GetDouble() / NanoSeconds(1).GetDouble();
    const auto look = [&](double nanoseconds) {
        const auto cost = Get(NanoSeconds(std::llround(nanoseconds)));
        if (cost && *cost <= share && (!low || low->first < nanoseconds))
        {
            low = {nanoseconds, *cost};
        }
        else if (cost && *cost > share && (!high || high->first > nanoseconds))
        {
            high = {nanoseconds, *cost};
        }
        return cost.has_value();
    };
    for (const auto& [delay, cost] : m_known)
    {
        if (cost)
        {
            look(std::round(delay.GetDouble() / NanoSeconds(1).GetDouble()));
        }
    }
    double next = std::clamp(start.GetDouble() / NanoSeconds(1).GetDouble(), shortest, longest);
    for (int run = 0; run < MOST_RUNS; ++run)
    {
        if (low && high)
        {
            if (high->first <= low->first * (1 + TOLERANCE) || high->first <= low->first + 1)
            {
                break;
            }
            // Costs are convex where the order of events stays the same: the interpolated time
            // costs too little, and the time a little later too much. Halving does not rely on it.
            const double slope = (share - low->second) / (high->second - low->second);
            const double interpolated = low->first + slope * (high->first - low->first);
            next = run % 3 == 2 ? std::sqrt(low->first * high->first)
                                : interpolated * (run % 3 == 1 ? 1 + 0.8 * TOLERANCE : 1);
            const double margin = 1 + 0.4 * TOLERANCE;
            next = std::clamp(next,
                              low->first * margin,
                              std::max(low->first * margin, high->first / margin));
        }
        else if (low)
        {
            if (low->first >= longest)
            {
                return {share, BreakEven::ANY, GetLongest()};
            }
            next = std::min(longest, low->first * 8);
        }
        else if (high)
        {
            if (high->first <= shortest)
            {
                return {share, BreakEven::NONE, Time()};
            }
            next = std::max(shortest, high->first / 8);
        }
        if (!look(std::round(next)))
        {
            return result;
        }
    }
    return low ? BreakEven{share, BreakEven::FOUND, NanoSeconds(std::llround(low->first))} : result;
}

} // namespace ns3
