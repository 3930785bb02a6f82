// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-file.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

FabricFile::FabricFile(FabricContent content)
    : m_content(std::move(content))
{
}

std::string
FabricFile::GetName() const
{
    return m_content.name;
}

std::string
FabricFile::Describe() const
{
    return "the fabric of " + m_content.name;
}

bool
FabricFile::JoinsRails() const
{
    return m_content.joinsRails;
}

uint32_t
FabricFile::GetDefaultRadix(const FabricSpec&) const
{
    uint32_t most = 0;
    for (const auto& one : m_content.switches)
    {
        most = std::max(most, one.ports);
    }
    return most;
}

FabricPlan
FabricFile::DoMakePlan(const FabricSpec& spec) const
{
    FabricPlan plan;
    plan.error = m_content.size.Check(GetName(), {spec.domains, spec.gpusPerDomain, spec.nicPorts});
    if (!plan.error.empty())
    {
        return plan;
    }
    FabricTopology& topology = plan.topology;
    for (const auto& nic : m_content.nics)
    {
        topology.AddHost(nic.gpu, nic.port);
    }
    for (const auto& one : m_content.switches)
    {
        topology.AddSwitch(one.tier, one.name);
    }
    for (uint32_t host = 0; host < m_content.nics.size(); ++host)
    {
        const auto& nic = m_content.nics[host];
        topology.Join(host,
                      topology.GetEnd(nic.switchNumber),
                      1,
                      spec.portRate,
                      nic.delay.value_or(spec.hostDelay));
    }
    for (const auto& link : m_content.links)
    {
        const bool isUpward = m_content.switches[link.a].tier <= m_content.switches[link.b].tier;
        topology.Join(topology.GetEnd(isUpward ? link.a : link.b),
                      topology.GetEnd(isUpward ? link.b : link.a),
                      link.count,
                      DataRate(static_cast<uint64_t>(std::llround(link.rate * 1e9))),
                      link.delay);
    }
    return plan;
}

} // namespace ns3
