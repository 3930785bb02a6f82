// SPDX-License-Identifier: GPL-2.0-only

#include "sweep-plan.h"

#include <algorithm>
#include <boost/algorithm/string/split.hpp>
#include <set>

namespace ns3
{

namespace
{

/// @return what stands between separators; empty pieces count, also the last
std::vector<std::string>
Split(const std::string& text, char separator)
{
    std::vector<std::string> pieces;
    const auto isSeparator = [separator](char c) { return c == separator; };
    return boost::algorithm::split(pieces, text, isSeparator);
}

} // namespace

std::string
SweepPlan::Read(const std::string& text)
{
    std::vector<Axis> axes;
    std::size_t points = 1;
    for (const std::string& piece : Split(text, ';'))
    {
        const std::size_t equals = piece.find('=');
        if (equals == std::string::npos || equals == 0 || piece[0] == '-')
        {
            return "\"" + piece + "\" is not a flag without dashes, =, and values";
        }
        const Axis axis{piece.substr(0, equals), Split(piece.substr(equals + 1), ',')};
        const auto isSame = [&axis](const Axis& other) { return other.first == axis.first; };
        if (std::any_of(axes.begin(), axes.end(), isSame))
        {
            return axis.first + " is named twice";
        }
        if (std::set<std::string>(axis.second.begin(), axis.second.end()).size() !=
            axis.second.size())
        {
            return axis.first + " has the same value twice";
        }
        points *= axis.second.size();
        if (points > MAX_POINTS)
        {
            return "there are more than " + std::to_string(MAX_POINTS) + " points";
        }
        axes.push_back(axis);
    }
    m_axes = axes;
    return "";
}

std::vector<std::string>
SweepPlan::GetFlags() const
{
    std::vector<std::string> flags;
    for (const auto& [flag, values] : m_axes)
    {
        flags.push_back(flag);
    }
    return flags;
}

std::size_t
SweepPlan::GetSize() const
{
    std::size_t points = m_axes.empty() ? 0 : 1;
    for (const auto& [flag, values] : m_axes)
    {
        points *= values.size();
    }
    return points;
}

SweepPlan::Point
SweepPlan::GetPoint(std::size_t index) const
{
    Point point(m_axes.size());
    for (std::size_t axis = m_axes.size(); axis-- > 0;)
    {
        const auto& [flag, values] = m_axes[axis];
        point[axis] = {flag, values[index % values.size()]};
        index /= values.size();
    }
    return point;
}

} // namespace ns3
