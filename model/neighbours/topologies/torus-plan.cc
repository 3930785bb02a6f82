// SPDX-License-Identifier: GPL-2.0-only

#include "torus-plan.h"

#include <algorithm>

namespace ns3
{

std::vector<std::vector<uint32_t>>
TorusPlan::DividePorts(uint32_t ports, const std::vector<uint32_t>& sizes)
{
    std::vector<std::vector<uint32_t>> divided(sizes.size());
    if (ports == 1)
    {
        const auto pair = std::find(sizes.begin(), sizes.end(), 2U);
        if (pair != sizes.end())
        {
            divided[pair - sizes.begin()] = {0};
        }
        return divided;
    }
    const auto dimensions = static_cast<uint32_t>(
        std::count_if(sizes.begin(), sizes.end(), [](uint32_t size) { return size > 1; }));
    const uint32_t share =
        dimensions == 0 ? 0 : std::max<uint32_t>(2, ports / (2 * dimensions) * 2);
    std::vector<uint32_t> shares(sizes.size(), 0);
    uint32_t left = ports;
    for (std::size_t i = 0; i < sizes.size(); ++i)
    {
        if (sizes[i] > 1 && left >= share)
        {
            shares[i] = share;
            left -= share;
        }
    }
    return CircuitPlanner::SplitPorts(ports, shares).ports;
}

void
TorusPlan::AddDimension(const std::vector<CircuitPlanner::Member>& members,
                        uint32_t dimension,
                        uint32_t size,
                        uint32_t stride,
                        const std::vector<uint32_t>& ports,
                        Result& result)
{
    for (uint32_t first = 0; first < members.size(); ++first)
    {
        if (first / stride % size != 0)
        {
            continue;
        }
        std::vector<CircuitPlanner::Member> line;
        for (uint32_t i = 0; i < size; ++i)
        {
            const uint32_t member = first + i * stride;
            const uint32_t next = first + (i + 1) % size * stride;
            const uint32_t previous = first + (i + size - 1) % size * stride;
            line.push_back(CircuitPlanner::SelectPorts(members[member], ports));
            result.neighbours[member].push_back({next, dimension, true});
            if (size > 2)
            {
                result.neighbours[member].push_back({previous, dimension, false});
            }
        }
        const auto ring = CircuitPlanner::PlanRing(line);
        if (!ring.error.empty())
        {
            result.error = "dimension " + std::to_string(dimension) + ": " + ring.error;
            return;
        }
        for (const auto& [ocs, circuits] : ring.plan)
        {
            CircuitSet& all = result.plan[ocs];
            all.insert(all.end(), circuits.begin(), circuits.end());
        }
    }
}

TorusPlan::Result
TorusPlan::Plan(const std::vector<CircuitPlanner::Member>& members,
                const std::vector<uint32_t>& sizes)
{
    Result result;
    result.error = CircuitPlanner::CheckMembers(members);
    uint64_t product = 1;
    std::string shape;
    for (uint32_t size : sizes)
    {
        product *= size;
        shape += (shape.empty() ? "" : "x") + std::to_string(size);
    }
    if (result.error.empty() && (product != members.size() || sizes.empty()))
    {
        result.error = "a torus of " + shape + " has " + std::to_string(product) +
                       " ranks, the group has " + std::to_string(members.size());
    }
    if (!result.error.empty())
    {
        return result;
    }
    result.neighbours.resize(members.size());
    const auto ports = DividePorts(static_cast<uint32_t>(members.front().ports.size()), sizes);
    uint32_t stride = 1;
    for (uint32_t dimension = 0; dimension < sizes.size(); ++dimension)
    {
        result.hasCircuits.push_back(!ports[dimension].empty());
        if (result.hasCircuits.back())
        {
            AddDimension(members, dimension, sizes[dimension], stride, ports[dimension], result);
        }
        stride *= sizes[dimension];
    }
    for (auto& [ocs, circuits] : result.plan)
    {
        std::sort(circuits.begin(), circuits.end());
        NS_ASSERT_MSG(CircuitPlanner::CheckMatching(circuits).empty(), "a port is used twice");
    }
    if (!result.error.empty())
    {
        return {{}, {}, {}, result.error};
    }
    return result;
}

} // namespace ns3
