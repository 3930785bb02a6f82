// SPDX-License-Identifier: GPL-2.0-only

#include "port-partition.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace ns3
{

namespace
{

using Pair = std::pair<uint32_t, uint32_t>;

/// @return bytes of all pairs
uint64_t
GetTotal(const DimensionDemand& demand)
{
    uint64_t total = 0;
    for (const auto& [pair, bytes] : demand.pairs)
    {
        total += bytes;
    }
    return total;
}

/// @return the largest number of neighbours of a GPU
uint32_t
GetDegree(const DimensionDemand& demand)
{
    std::map<uint32_t, uint32_t> neighbours;
    uint32_t degree = 0;
    for (const auto& [pair, bytes] : demand.pairs)
    {
        degree = std::max({degree, ++neighbours[pair.first], ++neighbours[pair.second]});
    }
    return degree;
}

/// @return true if a dimension needs circuits of its own
bool
NeedsPorts(const DimensionDemand& demand, const std::set<Pair>& joined)
{
    const bool little = std::all_of(demand.pairs.begin(), demand.pairs.end(), [](const auto& x) {
        return x.second < PortPartition::LITTLE;
    });
    const bool served = std::all_of(demand.pairs.begin(),
                                    demand.pairs.end(),
                                    [&joined](const auto& x) { return joined.count(x.first) > 0; });
    return !little && !served;
}

/// @return an error that lists the shares
std::string
RefuseShares(const std::vector<PortPartition::Share>& shares, uint32_t needed, uint32_t ports)
{
    std::ostringstream text;
    text << ports << (ports == 1 ? " port" : " ports") << " of a NIC cannot be divided between";
    const char* separator = " ";
    for (const auto& share : shares)
    {
        if (share.ports > 0)
        {
            text << separator << share.name << " (" << share.ports << ")";
            separator = ", ";
        }
    }
    text << ": " << needed << " are needed";
    return text.str();
}

} // namespace

PortPartition::Result
PortPartition::Plan(std::vector<DimensionDemand> demands, uint32_t gpus, uint32_t ports)
{
    std::stable_sort(demands.begin(), demands.end(), [](const auto& x, const auto& y) {
        return GetTotal(x) > GetTotal(y);
    });
    Result result;
    std::set<Pair> joined;
    uint32_t needed = 0;
    for (const auto& demand : demands)
    {
        Share share{demand.name, 0, 0};
        if (NeedsPorts(demand, joined))
        {
            share.ports = GetDegree(demand);
            for (const auto& [pair, bytes] : demand.pairs)
            {
                joined.insert(pair);
            }
        }
        needed += share.ports;
        result.shares.push_back(share);
    }
    if (needed > ports)
    {
        result.error = RefuseShares(result.shares, needed, ports);
        return result;
    }
    const uint32_t times = needed == 0 ? 0 : ports / needed;
    result.circuits = StaticCircuits(gpus, ports);
    uint32_t first = 0;
    for (std::size_t i = 0; i < demands.size(); ++i)
    {
        Share& share = result.shares[i];
        share.first = first;
        for (uint32_t round = 0; share.ports > 0 && round < times; ++round)
        {
            for (const auto& [pair, bytes] : demands[i].pairs)
            {
                result.circuits.Join(pair.first, pair.second, first, first + share.ports);
            }
            first += share.ports;
        }
        share.ports *= times;
    }
    return result;
}

} // namespace ns3
