// SPDX-License-Identifier: GPL-2.0-only

#include "plan-check.h"

#include "ns3/assert.h"

#include <algorithm>
#include <set>

namespace ns3
{

namespace
{

/// The rank of each port of the switches.
using PortOwners = std::map<OcsPortId, uint32_t>;

/// @return an empty string after filling @p owners, or an error with a port that is listed twice
std::string
FindOwners(const std::vector<CircuitPlanner::Member>& members, PortOwners& owners)
{
    for (const auto& member : members)
    {
        for (const auto& port : member.ports)
        {
            if (auto [it, isNew] = owners.emplace(port, member.rank); !isNew)
            {
                return "switch " + std::to_string(port.ocs) + " port " + std::to_string(port.port) +
                       " is cabled to rank " + std::to_string(it->second) + " and to rank " +
                       std::to_string(member.rank);
            }
        }
    }
    return "";
}

/// Reads the circuits of a plan one by one.
class CircuitReader
{
  public:
    CircuitReader(const PortOwners& owners, const PlanCheck::Limits& limits)
        : m_owners(owners),
          m_limits(limits)
    {
    }

    /// @return an empty string, or an error of a circuit, given the circuits before it
    std::string Read(uint32_t ocs, const Circuit& circuit)
    {
        if (circuit.a >= circuit.b)
        {
            return "the lower port must come first";
        }
        for (uint32_t port : {circuit.a, circuit.b})
        {
            if (auto error = ReadPort({ocs, port}); !error.empty())
            {
                return error;
            }
        }
        const uint32_t rank = m_owners.at({ocs, circuit.a});
        return rank == m_owners.at({ocs, circuit.b})
                   ? "both ports belong to rank " + std::to_string(rank)
                   : "";
    }

  private:
    std::string ReadPort(const OcsPortId& port)
    {
        const std::string name = "port " + std::to_string(port.port);
        const uint32_t radix = m_limits.radix.at(port.ocs);
        if (port.port >= radix)
        {
            return name + " is beyond the radix of " + std::to_string(radix);
        }
        const auto owner = m_owners.find(port);
        if (owner == m_owners.end())
        {
            return name + " belongs to no rank of the group";
        }
        const std::string rank = "rank " + std::to_string(owner->second);
        if (!m_taken.insert(port).second)
        {
            return name + " of " + rank + " is used twice";
        }
        if (++m_degrees[owner->second] > m_limits.degree && m_limits.degree > 0)
        {
            return rank + " has more than " + std::to_string(m_limits.degree) + " circuits";
        }
        return "";
    }

    const PortOwners& m_owners;
    const PlanCheck::Limits& m_limits;
    std::set<OcsPortId> m_taken;
    std::map<uint32_t, uint32_t> m_degrees; //!< by rank
};

} // namespace

std::string
PlanCheck::Check(const CircuitPlan& plan,
                 const std::vector<CircuitPlanner::Member>& members,
                 const Limits& limits)
{
    PortOwners owners;
    if (auto error = FindOwners(members, owners); !error.empty())
    {
        return error;
    }
    CircuitReader reader(owners, limits);
    for (const auto& [ocs, circuits] : plan)
    {
        const std::string name = "switch " + std::to_string(ocs);
        if (!limits.radix.count(ocs))
        {
            return name + " does not exist";
        }
        for (const auto& circuit : circuits)
        {
            if (auto error = reader.Read(ocs, circuit); !error.empty())
            {
                return name + " circuit " + std::to_string(circuit.a) + "-" +
                       std::to_string(circuit.b) + ": " + error;
            }
        }
    }
    return "";
}

PlanCheck::LinkCount
PlanCheck::CountLinks(const CircuitPlan& plan, const std::vector<CircuitPlanner::Member>& members)
{
    PortOwners owners;
    FindOwners(members, owners);
    LinkCount links;
    for (const auto& [ocs, circuits] : plan)
    {
        for (const auto& circuit : circuits)
        {
            const auto a = owners.find(OcsPortId{ocs, circuit.a});
            const auto b = owners.find(OcsPortId{ocs, circuit.b});
            NS_ASSERT_MSG(a != owners.end() && b != owners.end(), "a port of no rank");
            ++links[std::minmax(a->second, b->second)];
        }
    }
    return links;
}

} // namespace ns3
