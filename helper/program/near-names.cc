// SPDX-License-Identifier: GPL-2.0-only

#include "near-names.h"

#include "flag-parser.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace ns3
{

namespace
{

/// @return the least changes, insertions and deletions of letters between two texts
std::size_t
GetDistance(const std::string& one, const std::string& other)
{
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < one.size(); ++i)
    {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < other.size(); ++j)
        {
            const std::size_t changed = diagonal + (one[i] == other[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

} // namespace

std::vector<std::string>
NearNames::Find(const std::string& wrong, const std::vector<std::string>& names)
{
    constexpr std::size_t MOST_LETTERS = 64; // nobody mistypes a longer name
    constexpr std::size_t MOST_NAMES = 3;
    std::vector<std::string> near;
    if (wrong.size() > MOST_LETTERS)
    {
        return near;
    }
    const std::size_t most = wrong.size() < 5 ? 1 : 2; // letters
    std::multimap<std::size_t, std::string> byDistance;
    for (const std::string& name : names)
    {
        byDistance.emplace(GetDistance(wrong, name), name);
    }
    for (const auto& [distance, name] : byDistance)
    {
        if (distance <= most && distance < wrong.size() && near.size() < MOST_NAMES)
        {
            near.push_back(name);
        }
    }
    return near;
}

std::string
NearNames::Describe(const std::string& wrong,
                    const std::vector<std::string>& names,
                    const std::string& prefix,
                    const std::string& list)
{
    const auto near = Find(wrong, names);
    const std::string verb = near.size() == 1 ? "is " : "are ";
    return (near.empty() ? ""
                         : "the nearest " + verb + prefix + FlagParser::List(near, ", " + prefix) +
                               ", and ") +
           list + " lists them";
}

} // namespace ns3
