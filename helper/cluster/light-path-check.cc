// SPDX-License-Identifier: GPL-2.0-only

#include "light-path-check.h"

#include "ns3/circuit-planner.h"
#include "ns3/fabric-file.h"
#include "ns3/fabric-matchings.h"

#include <map>

namespace ns3
{

LightPathCheck::LightPathCheck(Ptr<const CircuitFabric> fabric,
                               uint32_t gpusPerDomain,
                               uint32_t nicPorts,
                               std::shared_ptr<const CircuitCabling> cabling)
    : m_fabric(fabric),
      m_gpusPerDomain(gpusPerDomain),
      m_nicPorts(nicPorts),
      m_cabling(std::move(cabling))
{
}

uint32_t
LightPathCheck::GetPort(uint32_t gpu, uint32_t port) const
{
    return m_cabling ? m_cabling->GetFiber(gpu, port).ocsPort
                     : gpu / m_gpusPerDomain * m_nicPorts + port;
}

std::string
LightPathCheck::CheckRing(const std::vector<uint32_t>& ranks) const
{
    if (!m_fabric)
    {
        return "";
    }
    std::map<uint32_t, std::vector<CircuitPlanner::Member>> rails;
    for (const uint32_t rank : ranks)
    {
        auto& members = rails[rank % m_gpusPerDomain];
        members.push_back({rank, {}});
        for (uint32_t port = 0; port < m_nicPorts; ++port)
        {
            members.back().ports.push_back({0, GetPort(rank, port)});
        }
    }
    for (const auto& [rail, members] : rails)
    {
        const auto ring = CircuitPlanner::PlanRing(members);
        const auto circuits = ring.plan.find(0);
        const std::string error =
            circuits == ring.plan.end() ? "" : CheckOnIdleFabric(*m_fabric, circuits->second);
        if (!error.empty())
        {
            return "the switches cannot join the ring of ranks " + std::to_string(ranks.front()) +
                   " to " + std::to_string(ranks.back()) + ", even if idle: " + error;
        }
    }
    return "";
}

std::string
LightPathCheck::CheckStatic(const StaticCircuits& circuits) const
{
    std::map<uint32_t, CircuitSet> rails;
    for (const auto& joint : circuits.GetJoints())
    {
        rails[joint.gpu % m_gpusPerDomain].push_back(
            {GetPort(joint.gpu, joint.port), GetPort(joint.peer, joint.peerPort)});
    }
    for (const auto& [rail, made] : rails)
    {
        const std::string error = m_fabric ? CheckOnIdleFabric(*m_fabric, made) : "";
        if (!error.empty())
        {
            return "not all circuits of rail " + std::to_string(rail) +
                   " can be up together: " + error;
        }
    }
    return "";
}

std::string
LightPathCheck::CheckRotation(uint32_t domains) const
{
    if (!m_fabric)
    {
        return "";
    }
    std::string error;
    // Without a cabling of their own all rails are alike.
    for (uint32_t rail = 0; rail < (m_cabling ? m_gpusPerDomain : 1) && error.empty(); ++rail)
    {
        std::vector<CircuitPlanner::Member> members;
        for (uint32_t domain = 0; domain < domains; ++domain)
        {
            members.push_back({domain, {}});
            for (uint32_t port = 0; port < m_nicPorts; ++port)
            {
                const uint32_t gpu = domain * m_gpusPerDomain + rail;
                members.back().ports.push_back({0, GetPort(gpu, port)});
            }
        }
        error = CheckFabricPairs(members, *m_fabric);
    }
    return error;
}

} // namespace ns3
