// SPDX-License-Identifier: GPL-2.0-only

#include "stall-report.h"

#include <algorithm>
#include <deque>
#include <tuple>

namespace ns3
{

namespace
{

/// Items of a list of ranks at most.
constexpr std::size_t MAX_ITEMS = 6;

/// @return true if all of `some` are in `all`
bool
IsWithin(const std::set<uint32_t>& some, const std::vector<uint32_t>& all)
{
    return std::all_of(some.begin(), some.end(), [&all](uint32_t rank) {
        return std::find(all.begin(), all.end(), rank) != all.end();
    });
}

} // namespace

void
StallReport::AddWait(uint32_t rank, const std::string& text, const std::vector<uint32_t>& others)
{
    Wait& wait = m_waits[{text, !others.empty()}];
    wait.ranks.insert(rank);
    wait.others.insert(others.begin(), others.end());
    m_edges[rank].insert(others.begin(), others.end());
}

std::vector<uint32_t>
StallReport::GetRanksNotWaiting() const
{
    std::set<uint32_t> ranks;
    for (const auto& [rank, others] : m_edges)
    {
        for (const uint32_t other : others)
        {
            if (m_edges.count(other) == 0)
            {
                ranks.insert(other);
            }
        }
    }
    return {ranks.begin(), ranks.end()};
}

StallReport::Edges
StallReport::FindUnexplained() const
{
    std::deque<uint32_t> explained;
    for (const auto& [key, wait] : m_waits)
    {
        if (wait.others.empty())
        {
            explained.insert(explained.end(), wait.ranks.begin(), wait.ranks.end());
        }
    }
    for (const uint32_t rank : GetRanksNotWaiting())
    {
        explained.push_back(rank);
    }
    Edges reversed;
    for (const auto& [rank, others] : m_edges)
    {
        for (const uint32_t other : others)
        {
            reversed[other].insert(rank);
        }
    }
    Edges left = m_edges;
    std::set<uint32_t> seen(explained.begin(), explained.end());
    for (; !explained.empty(); explained.pop_front())
    {
        left.erase(explained.front());
        for (const uint32_t rank : reversed[explained.front()])
        {
            if (seen.insert(rank).second)
            {
                explained.push_back(rank);
            }
        }
    }
    return left;
}

std::vector<uint32_t>
StallReport::FindCircle() const
{
    // All for which an unexplained rank waits are unexplained, too: each way leads into a circle.
    const Edges edges = FindUnexplained();
    if (edges.empty())
    {
        return {};
    }
    uint32_t first = edges.begin()->first;
    for (std::set<uint32_t> seen; seen.insert(first).second;)
    {
        first = *edges.at(first).begin();
    }
    std::map<uint32_t, uint32_t> before; // on the shortest way from the first
    for (std::deque<uint32_t> next{first}; before.count(first) == 0; next.pop_front())
    {
        for (const uint32_t other : edges.at(next.front()))
        {
            if (before.emplace(other, next.front()).second)
            {
                next.push_back(other);
            }
        }
    }
    std::vector<uint32_t> circle{first};
    for (uint32_t rank = before.at(first); rank != first; rank = before.at(rank))
    {
        circle.insert(circle.begin() + 1, rank);
    }
    return circle;
}

std::vector<std::string>
StallReport::GetLines(std::size_t limit) const
{
    const std::vector<uint32_t> circle = FindCircle();
    using Line = std::pair<const std::pair<std::string, bool>*, const Wait*>;
    std::vector<Line> waits;
    for (const auto& [key, wait] : m_waits)
    {
        waits.emplace_back(&key, &wait);
    }
    const auto order = [&circle](const Line& line) {
        const Wait& wait = *line.second;
        const int place = wait.others.empty() ? 0 : IsWithin(wait.ranks, circle) ? 1 : 2;
        return std::make_tuple(place,
                               -static_cast<int64_t>(wait.ranks.size()),
                               *wait.ranks.begin());
    };
    std::stable_sort(waits.begin(), waits.end(), [&order](const Line& x, const Line& y) {
        return order(x) < order(y);
    });
    std::vector<std::string> lines = m_facts;
    if (!circle.empty())
    {
        std::string text = "a circle: rank " + std::to_string(circle[0]) + " waits for rank ";
        for (std::size_t i = 1; i < circle.size() && i < MAX_ITEMS; ++i)
        {
            text += std::to_string(circle[i]) + ", which waits for rank ";
        }
        lines.push_back(text + (circle.size() > MAX_ITEMS ? "... rank " : "") +
                        std::to_string(circle[0]));
    }
    std::set<uint32_t> hidden;
    std::set<uint32_t> shown;
    for (std::size_t i = 0; i < waits.size(); ++i)
    {
        const auto& [key, wait] = waits[i];
        const bool isLast = i + 1 == waits.size();
        if (lines.size() + (isLast && hidden.empty() ? 0 : 1) >= limit)
        {
            hidden.insert(wait->ranks.begin(), wait->ranks.end());
            continue;
        }
        shown.insert(wait->ranks.begin(), wait->ranks.end());
        lines.push_back(ToText(wait->ranks) + ": " + key->first +
                        (wait->others.empty() ? "" : " " + ToText(wait->others)));
    }
    if (!hidden.empty())
    {
        for (const uint32_t rank : shown)
        {
            hidden.erase(rank);
        }
        lines.push_back(hidden.empty() ? "and more of these ranks" : "and " + ToText(hidden));
    }
    return lines;
}

std::string
StallReport::ToText(const std::set<uint32_t>& ranks)
{
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    std::size_t items = 0;
    std::size_t told = 0;
    for (auto rank = ranks.begin(); rank != ranks.end() && items < MAX_ITEMS; ++items)
    {
        const uint32_t first = *rank;
        uint32_t last = first;
        for (++rank; rank != ranks.end() && *rank == last + 1; ++rank)
        {
            last = *rank;
        }
        told += last - first + 1;
        text += (items > 0 ? ", " : "") + std::to_string(first);
        text += last == first       ? ""
                : last == first + 1 ? ", " + std::to_string(last)
                                    : "-" + std::to_string(last);
    }
    return told == ranks.size() ? text
                                : text + " and " + std::to_string(ranks.size() - told) + " more";
}

} // namespace ns3
