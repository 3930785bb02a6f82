// SPDX-License-Identifier: GPL-2.0-only

#include "sweep-plan.h"

#include "ns3/flag-parser.h"

#include <algorithm>
#include <boost/algorithm/string/trim.hpp>
#include <map>
#include <set>

namespace ns3
{

namespace
{

/// @return the piece without blanks at its ends
std::string
Trim(const std::string& piece)
{
    return boost::algorithm::trim_copy(piece);
}

} // namespace

std::string
SweepPlan::ReadGrid(const std::string& text, Grid& grid)
{
    for (const std::string& piece : FlagParser::Split(text, ';'))
    {
        const std::size_t equals = piece.find('=');
        if (equals == std::string::npos || equals == 0 || piece[0] == '-')
        {
            return "\"" + piece + "\" is not a flag without dashes, =, and values";
        }
        const Axis axis{piece.substr(0, equals), FlagParser::Split(piece.substr(equals + 1))};
        const auto isSame = [&axis](const Axis& other) { return other.first == axis.first; };
        if (std::any_of(grid.begin(), grid.end(), isSame))
        {
            return axis.first + " is named twice";
        }
        if (std::set<std::string>(axis.second.begin(), axis.second.end()).size() !=
            axis.second.size())
        {
            return axis.first + " has the same value twice";
        }
        grid.push_back(axis);
        if (GetSize(grid) > MAX_POINTS)
        {
            return "there are more than " + std::to_string(MAX_POINTS) + " points";
        }
    }
    return "";
}

std::string
SweepPlan::Read(const std::string& text)
{
    SweepPlan plan;
    for (const std::string& piece : FlagParser::Split(text, '|'))
    {
        Grid grid;
        if (auto error = ReadGrid(Trim(piece), grid); !error.empty())
        {
            return error;
        }
        plan.m_grids.push_back(grid);
        if (plan.GetSize() > MAX_POINTS)
        {
            return "there are more than " + std::to_string(MAX_POINTS) + " points";
        }
    }
    std::set<Point> points;
    for (std::size_t i = 0; i < plan.GetSize(); ++i)
    {
        const Point point = plan.GetPoint(i);
        if (!points.insert(point).second)
        {
            return "two grids have the same point";
        }
    }
    *this = plan;
    return "";
}

std::vector<std::string>
SweepPlan::GetFlags() const
{
    std::vector<std::string> flags;
    for (const Grid& grid : m_grids)
    {
        for (const auto& [flag, values] : grid)
        {
            if (std::find(flags.begin(), flags.end(), flag) == flags.end())
            {
                flags.push_back(flag);
            }
        }
    }
    return flags;
}

std::size_t
SweepPlan::GetSize(const Grid& grid)
{
    std::size_t points = 1;
    for (const auto& [flag, values] : grid)
    {
        points *= values.size();
    }
    return points;
}

std::size_t
SweepPlan::GetSize() const
{
    std::size_t points = 0;
    for (const Grid& grid : m_grids)
    {
        points += GetSize(grid);
    }
    return points;
}

SweepPlan::Point
SweepPlan::GetPoint(std::size_t index) const
{
    auto grid = m_grids.begin();
    while (index >= GetSize(*grid))
    {
        index -= GetSize(*grid++);
    }
    std::map<std::string, std::string> values;
    for (auto axis = grid->rbegin(); axis != grid->rend(); ++axis)
    {
        values[axis->first] = axis->second[index % axis->second.size()];
        index /= axis->second.size();
    }
    Point point;
    for (const std::string& flag : GetFlags())
    {
        point.emplace_back(flag, values[flag]);
    }
    return point;
}

} // namespace ns3
