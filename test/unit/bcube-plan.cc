// SPDX-License-Identifier: GPL-2.0-only

#include "bcube-plan.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/matching-schedule.h"

#include <algorithm>
#include <set>

namespace ns3
{

namespace
{

/// Add the circuits of one plan to another.
void
AppendPlan(CircuitPlan& plan, const CircuitPlan& other)
{
    for (const auto& [ocs, circuits] : other)
    {
        CircuitSet& all = plan[ocs];
        all.insert(all.end(), circuits.begin(), circuits.end());
        std::sort(all.begin(), all.end());
    }
}

} // namespace

BcubePlan::BcubePlan(const Layout& layout)
    : m_layout(layout)
{
    NS_ABORT_MSG_IF(layout.sizes.empty() || layout.portsPerLevel == 0,
                    "a recursive rail has at least one level and one port at each");
    uint64_t gpus = 1;
    for (uint32_t size : layout.sizes)
    {
        NS_ABORT_MSG_IF(size == 0, "a switch joins at least one GPU");
        m_strides.push_back(static_cast<uint32_t>(gpus));
        gpus *= size;
        NS_ABORT_MSG_IF(gpus > UINT32_MAX, "a rail has less than 2^32 GPUs");
    }
}

uint64_t
BcubePlan::CountReachable(uint32_t radix, uint32_t portsPerLevel, uint32_t levels)
{
    NS_ABORT_MSG_IF(portsPerLevel == 0, "a GPU has at least one port at each level");
    uint64_t gpus = 1;
    for (uint32_t level = 0; level < levels; ++level)
    {
        gpus *= radix / portsPerLevel;
    }
    return gpus;
}

uint32_t
BcubePlan::GetNGpus() const
{
    return m_strides.back() * m_layout.sizes.back();
}

uint32_t
BcubePlan::GetNSwitches() const
{
    uint32_t switches = 0;
    for (uint32_t size : m_layout.sizes)
    {
        switches += GetNGpus() / size;
    }
    return switches;
}

uint32_t
BcubePlan::GetRadix(uint32_t level) const
{
    return m_layout.sizes.at(level) * m_layout.portsPerLevel;
}

std::map<uint32_t, uint32_t>
BcubePlan::GetRadixes() const
{
    std::map<uint32_t, uint32_t> radixes;
    uint32_t ocs = m_layout.firstOcs;
    for (uint32_t level = 0; level < m_layout.sizes.size(); ++level)
    {
        for (uint32_t i = 0; i < GetNGpus() / m_layout.sizes[level]; ++i)
        {
            radixes[ocs++] = GetRadix(level);
        }
    }
    return radixes;
}

std::string
BcubePlan::CheckRadix(uint32_t radix) const
{
    for (uint32_t level = 0; level < m_layout.sizes.size(); ++level)
    {
        if (GetRadix(level) > radix)
        {
            return "level " + std::to_string(level) + " joins " +
                   std::to_string(m_layout.sizes[level]) + " GPUs with " +
                   std::to_string(m_layout.portsPerLevel) + " ports each, a switch has " +
                   std::to_string(radix);
        }
    }
    return "";
}

uint32_t
BcubePlan::GetDigit(uint32_t gpu, uint32_t level) const
{
    return gpu / m_strides.at(level) % m_layout.sizes[level];
}

uint32_t
BcubePlan::GetOcs(uint32_t gpu, uint32_t level) const
{
    NS_ASSERT_MSG(gpu < GetNGpus(), "no such GPU");
    uint32_t ocs = m_layout.firstOcs;
    for (uint32_t below = 0; below < level; ++below)
    {
        ocs += GetNGpus() / m_layout.sizes[below];
    }
    // The address without the digit at this level.
    const uint32_t stride = m_strides.at(level);
    return ocs + gpu / (stride * m_layout.sizes[level]) * stride + gpu % stride;
}

uint32_t
BcubePlan::GetRank(uint32_t gpu) const
{
    return m_layout.firstRank + gpu * m_layout.ranksBetweenGpus;
}

CircuitPlanner::Member
BcubePlan::MakeMember(uint32_t gpu) const
{
    CircuitPlanner::Member member{GetRank(gpu), {}};
    for (uint32_t level = 0; level < m_layout.sizes.size(); ++level)
    {
        for (uint32_t k = 0; k < m_layout.portsPerLevel; ++k)
        {
            member.ports.push_back(
                {GetOcs(gpu, level), GetDigit(gpu, level) * m_layout.portsPerLevel + k});
        }
    }
    return member;
}

std::vector<CircuitPlanner::Member>
BcubePlan::SelectLevel(const std::vector<uint32_t>& gpus, uint32_t level) const
{
    std::vector<uint32_t> ports;
    for (uint32_t k = 0; k < m_layout.portsPerLevel; ++k)
    {
        ports.push_back(level * m_layout.portsPerLevel + k);
    }
    std::vector<CircuitPlanner::Member> members;
    for (uint32_t gpu : gpus)
    {
        members.push_back(CircuitPlanner::SelectPorts(MakeMember(gpu), ports));
    }
    return members;
}

std::vector<uint32_t>
BcubePlan::GetPath(uint32_t from, uint32_t to) const
{
    std::vector<uint32_t> path{from};
    for (uint32_t level = 0; level < m_layout.sizes.size(); ++level)
    {
        const uint32_t have = GetDigit(from, level);
        const uint32_t want = GetDigit(to, level);
        if (have != want)
        {
            path.push_back(path.back() - have * m_strides[level] + want * m_strides[level]);
        }
    }
    return path;
}

std::vector<std::vector<uint32_t>>
BcubePlan::GetDigits(const std::vector<uint32_t>& group) const
{
    std::vector<std::vector<uint32_t>> digits;
    for (uint32_t level = 0; level < m_layout.sizes.size(); ++level)
    {
        std::set<uint32_t> seen;
        for (uint32_t gpu : group)
        {
            seen.insert(GetDigit(gpu, level));
        }
        digits.emplace_back(seen.begin(), seen.end());
    }
    return digits;
}

std::vector<std::vector<std::vector<uint32_t>>>
BcubePlan::GetLevelGroups(const std::vector<uint32_t>& group) const
{
    std::vector<std::vector<std::vector<uint32_t>>> levels;
    for (uint32_t level = 0; level < m_layout.sizes.size(); ++level)
    {
        std::map<uint32_t, std::vector<uint32_t>> bySwitch;
        for (uint32_t gpu : group)
        {
            bySwitch[GetOcs(gpu, level)].push_back(gpu);
        }
        levels.emplace_back();
        for (const auto& [ocs, gpus] : bySwitch)
        {
            if (gpus.size() > 1)
            {
                levels.back().push_back(gpus);
            }
        }
    }
    return levels;
}

std::string
BcubePlan::CheckBox(const std::vector<uint32_t>& group) const
{
    if (group.empty())
    {
        return "a group has no ranks";
    }
    std::set<uint32_t> members;
    for (uint32_t gpu : group)
    {
        if (gpu >= GetNGpus())
        {
            return "rank " + std::to_string(GetRank(gpu)) + " is not on this rail of " +
                   std::to_string(GetNGpus()) + " GPUs";
        }
        if (!members.insert(gpu).second)
        {
            return "rank " + std::to_string(GetRank(gpu)) + " occurs twice in its group";
        }
    }
    const auto digits = GetDigits(group);
    uint64_t size = 1;
    for (const auto& atLevel : digits)
    {
        size *= atLevel.size();
    }
    if (size == group.size())
    {
        return "";
    }
    for (uint32_t gpu : MakeCycle(digits))
    {
        if (!members.count(gpu))
        {
            return "the group is no box of addresses: rank " + std::to_string(GetRank(gpu)) +
                   " would have to belong to it";
        }
    }
    return "";
}

std::vector<uint32_t>
BcubePlan::MakeCycle(const std::vector<std::vector<uint32_t>>& digits) const
{
    std::vector<uint32_t> cycle{0};
    for (uint32_t level = 0; level < digits.size(); ++level)
    {
        const auto rows = static_cast<uint32_t>(digits[level].size());
        const auto columns = static_cast<uint32_t>(cycle.size());
        auto at = [&](uint32_t row, uint32_t column) {
            return cycle[column] + digits[level][row] * m_strides[level];
        };
        // One row per digit. The cycle passes all columns except the first, alternating in
        // direction from row to row, and returns along the first column. Each row is a cycle
        // itself, so its first column is adjacent to its second and to its last.
        std::vector<uint32_t> next;
        for (uint32_t row = 0; row < rows; ++row)
        {
            for (uint32_t i = 1; i < columns; ++i)
            {
                next.push_back(at(row, row % 2 == 0 ? i : columns - i));
            }
        }
        for (uint32_t row = rows; row > 0; --row)
        {
            next.push_back(at(row - 1, 0));
        }
        cycle = std::move(next);
    }
    return cycle;
}

CircuitPlanner::Result
BcubePlan::PlanLevelRings(const std::vector<uint32_t>& group) const
{
    CircuitPlanner::Result result;
    const auto levels = GetLevelGroups(group);
    for (uint32_t level = 0; level < levels.size(); ++level)
    {
        for (const auto& gpus : levels[level])
        {
            const auto ring = CircuitPlanner::PlanRing(SelectLevel(gpus, level));
            if (!ring.error.empty())
            {
                return {{}, "level " + std::to_string(level) + ": " + ring.error};
            }
            AppendPlan(result.plan, ring.plan);
        }
    }
    return result;
}

BcubePlan::Ring
BcubePlan::PlanRing(const std::vector<uint32_t>& group) const
{
    Ring ring;
    ring.error = CheckBox(group);
    if (!ring.error.empty())
    {
        return ring;
    }
    ring.gpus = MakeCycle(GetDigits(group));
    const auto size = static_cast<uint32_t>(ring.gpus.size());
    for (uint32_t i = 0; i < size && size > 1; ++i)
    {
        uint32_t level = 0;
        while (GetOcs(ring.gpus[i], level) != GetOcs(ring.gpus[(i + 1) % size], level))
        {
            ++level;
        }
        ring.levels.push_back(level);
    }
    if (size <= 2)
    {
        auto result = PlanLevelRings(ring.gpus);
        ring.plan = result.plan;
        ring.error = result.error;
        return ring;
    }
    const uint32_t ports = m_layout.portsPerLevel;
    const uint32_t half = std::max<uint32_t>(1, ports / 2);
    std::vector<CircuitPlanner::Member> members;
    std::vector<CircuitPlanner::Link> links;
    for (uint32_t i = 0; i < size; ++i)
    {
        members.push_back(MakeMember(ring.gpus[i]));
        const uint32_t level = ring.levels[i];
        if (ports == 1 && level == ring.levels[(i + size - 1) % size])
        {
            return {{},
                    {},
                    {},
                    "a ring of " + std::to_string(size) + " ranks needs 2 ports of rank " +
                        std::to_string(GetRank(ring.gpus[i])) + " at level " +
                        std::to_string(level) + "; it has 1"};
        }
        for (uint32_t k = 0; k < half; ++k)
        {
            links.push_back(
                {i, level * ports + k, (i + 1) % size, level * ports + ports - half + k});
        }
    }
    auto result = CircuitPlanner::PlanLinks(members, links);
    ring.plan = result.plan;
    ring.error = result.error;
    return ring;
}

BcubePlan::AllToAll
BcubePlan::PlanAllToAll(const std::vector<uint32_t>& group) const
{
    AllToAll result;
    result.error = CheckBox(group);
    if (!result.error.empty())
    {
        return result;
    }
    const auto levels = GetLevelGroups(group);
    for (uint32_t level = 0; level < levels.size(); ++level)
    {
        if (levels[level].empty())
        {
            continue;
        }
        // In a box all groups of a level have the same size, so they have equally many steps.
        const auto size = static_cast<uint32_t>(levels[level].front().size());
        AllToAll::Phase phase{level, group.size() / size, {}};
        for (const auto& gpus : levels[level])
        {
            const auto plans = PlanSteps(SelectLevel(gpus, level), MakeRoundRobin(size));
            NS_ASSERT_MSG(plans.error.empty(), plans.error);
            phase.steps.resize(plans.steps.size());
            for (std::size_t step = 0; step < plans.steps.size(); ++step)
            {
                AppendPlan(phase.steps[step], plans.steps[step]);
            }
        }
        result.phases.push_back(std::move(phase));
    }
    return result;
}

} // namespace ns3
