// SPDX-License-Identifier: GPL-2.0-only

#include "break-even.h"

#include "ns3/report-value.h"

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

namespace
{

/// A switching time in ns, and what it costs.
struct KnownCost
{
    double nanoseconds;
    double cost;
};

/// The runs next to the switching time that is looked for.
struct CostBracket
{
    std::optional<KnownCost> low;  //!< the longest that costs at most the share
    std::optional<KnownCost> high; //!< the shortest that costs more

    /// Take a run into account.
    void Add(const KnownCost& run, double share)
    {
        if (run.cost <= share && (!low || low->nanoseconds < run.nanoseconds))
        {
            low = run;
        }
        else if (run.cost > share && (!high || high->nanoseconds > run.nanoseconds))
        {
            high = run;
        }
    }

    /// @return whether both ends are as near as they are to be
    bool IsNarrow() const
    {
        return low && high &&
               (high->nanoseconds <= low->nanoseconds * (1 + BreakEvenSearch::TOLERANCE) ||
                high->nanoseconds <= low->nanoseconds + 1);
    }

    /**
     * @brief Choose a switching time between two ends.
     *
     * Costs are convex as long as events keep their order, so that the interpolated switching time
     * costs too little, and one a little longer too much. Every third time, the bracket is halved
     * on a logarithmic scale, which relies on nothing.
     * @param share of the step
     * @param run number of the run
     * @return the switching time in ns
     */
    double Divide(double share, int run) const
    {
        const double margin = 1 + 0.4 * BreakEvenSearch::TOLERANCE;
        const double least = low->nanoseconds * margin;
        const double most = std::max(least, high->nanoseconds / margin);
        if (run % 3 == 2)
        {
            return std::clamp(std::sqrt(low->nanoseconds * high->nanoseconds), least, most);
        }
        const double place = (share - low->cost) / (high->cost - low->cost);
        const double interpolated =
            low->nanoseconds + place * (high->nanoseconds - low->nanoseconds);
        const double beyond = run % 3 == 1 ? 1 + 0.8 * BreakEvenSearch::TOLERANCE : 1;
        return std::clamp(interpolated * beyond, least, most);
    }
};

/// @return a time in ns
double
ToNanoseconds(const Time& time)
{
    return std::round(ToSeconds(time) * 1e9);
}

/// Factor between switching times that are tried before there are two ends.
constexpr double WIDENING = 8;

} // namespace

BreakEven
BreakEvenSearch::Find(double share, const Time& start)
{
    const double shortest = ToNanoseconds(GetShortest());
    const double longest = ToNanoseconds(GetLongest());
    CostBracket bracket;
    for (const auto& [delay, cost] : GetCosts())
    {
        bracket.Add({ToNanoseconds(delay), cost}, share);
    }
    for (int run = 0; run < MOST_RUNS && !bracket.IsNarrow(); ++run)
    {
        const auto& [low, high] = bracket;
        if (!high && low && low->nanoseconds >= longest)
        {
            return {share, BreakEven::ANY, GetLongest()};
        }
        if (!low && high && high->nanoseconds <= shortest)
        {
            return {share, BreakEven::NONE, Time()};
        }
        const double next = low && high ? bracket.Divide(share, run)
                            : low       ? low->nanoseconds * WIDENING
                            : high      ? high->nanoseconds / WIDENING
                                        : ToNanoseconds(start);
        const double delay = std::round(std::clamp(next, shortest, longest));
        const auto cost = Get(NanoSeconds(std::llround(delay)));
        if (!cost)
        {
            return {share, BreakEven::UNKNOWN, Time()};
        }
        bracket.Add({delay, *cost}, share);
    }
    return bracket.low ? BreakEven{share,
                                   BreakEven::FOUND,
                                   NanoSeconds(std::llround(bracket.low->nanoseconds))}
                       : BreakEven{share, BreakEven::UNKNOWN, Time()};
}

} // namespace ns3
