// SPDX-License-Identifier: GPL-2.0-only

#include "rail-cluster.h"

#include "ns3/abort.h"
#include "ns3/fabric-rerouter.h"
#include "ns3/fabric-topology.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace ns3
{

RailPartition::RailPartition(uint32_t processes, uint32_t rails)
    : m_processes(processes),
      m_rails(rails)
{
    NS_ABORT_MSG_IF(processes == 0 || processes > rails,
                    processes << " processes cannot share " << rails << " rails");
}

std::vector<uint32_t>
RailPartition::PlaceSwitches(const FabricTopology& topology,
                             const std::vector<uint32_t>& processOfHost)
{
    // Links are listed from the hosts upwards: nodes below a switch have been placed before it.
    std::vector<bool> isPlaced(topology.switches.size(), false);
    std::vector<uint32_t> places(topology.switches.size(), 0);
    const auto hosts = static_cast<uint32_t>(topology.hosts.size());
    for (const auto& link : topology.links)
    {
        const uint32_t number = link.upper - hosts;
        if (!isPlaced[number])
        {
            isPlaced[number] = true;
            places[number] = topology.IsSwitch(link.lower) ? places[link.lower - hosts]
                                                           : processOfHost[link.lower];
        }
    }
    return places;
}

bool
RailPartition::IsHere(Ptr<const Node> node)
{
    return node->GetSystemId() == Simulator::GetSystemId();
}

void
RailPartition::AddApplication(Ptr<Node> node, Ptr<Application> application)
{
    if (IsHere(node))
    {
        node->AddApplication(application);
    }
}

std::map<uint32_t, std::vector<OcsPortId>>
RailCluster::GetSparePorts(uint32_t gpu) const
{
    if (gpu < m_inRow)
    {
        return {{GetRailOf(gpu), GetMember(gpu).ports}};
    }
    return m_sparePorts.at(gpu - m_inRow);
}

uint32_t
RailCluster::GetRailOf(uint32_t gpu) const
{
    NS_ABORT_MSG_IF(gpu >= m_inRow, "GPU " << gpu << " is a spare on any rail");
    return gpu % m_gpusPerDomain;
}

Ptr<Node>
RailCluster::GetGpu(uint32_t gpu) const
{
    NS_ABORT_MSG_IF(gpu >= m_gpus.GetN(),
                    "there is no GPU " << gpu << " in a cluster of " << m_gpus.GetN());
    return m_gpus.Get(gpu);
}

Ptr<Node>
RailCluster::GetSpare(uint32_t spare) const
{
    NS_ABORT_MSG_IF(spare >= m_spares.GetN(),
                    "there is no spare switch " << spare << " of " << m_spares.GetN());
    return m_spares.Get(spare);
}

const std::vector<uint32_t>&
RailCluster::GetOcsPorts(uint32_t gpu) const
{
    NS_ABORT_MSG_IF(gpu >= m_ocsPorts.size(),
                    "GPU " << gpu << " has no ports of one rail's circuit switch");
    return m_ocsPorts[gpu];
}

Ptr<RdmaNic>
RailCluster::GetScaleUpNic(uint32_t gpu) const
{
    NS_ABORT_MSG_IF(gpu >= m_gpus.GetN(),
                    "there is no GPU " << gpu << " in a cluster of " << m_gpus.GetN());
    return m_scaleUpNics.empty() ? nullptr : m_scaleUpNics.at(gpu);
}

Ptr<Node>
RailCluster::GetRail(uint32_t rail) const
{
    NS_ABORT_MSG_IF(rail >= m_rails.GetN(), "the fabric has no rail " << rail << " of one switch");
    return m_rails.Get(rail);
}

CircuitPlanner::Member
RailCluster::GetMember(uint32_t gpu) const
{
    CircuitPlanner::Member member{gpu, {}};
    for (const uint32_t port : GetOcsPorts(gpu))
    {
        member.ports.push_back({GetRailOf(gpu), port});
    }
    return member;
}

std::vector<CircuitPlanner::Member>
RailCluster::GetMembers(uint32_t rail) const
{
    std::vector<CircuitPlanner::Member> members;
    for (uint32_t domain = 0; domain < GetNDomains(); ++domain)
    {
        members.push_back(GetMember(domain * m_gpusPerDomain + rail));
    }
    return members;
}

void
RailCluster::StartSwitches() const
{
    for (const auto* switches : {&m_switches, &m_hostSwitches})
    {
        for (const auto& one : *switches)
        {
            one.device->Start();
        }
    }
}

std::string
RailCluster::CheckSwitches() const
{
    for (const auto* switches : {&m_switches, &m_hostSwitches})
    {
        for (const auto& one : *switches)
        {
            if (auto error = one.device->Check(); !error.empty())
            {
                return one.name + ": " + error;
            }
            const bool isOfHosts = switches == &m_hostSwitches;
            if (one.device->MayReorder() &&
                !(isOfHosts ? GetHostNic(0) : GetNic(0))->AcceptsAnyOrder())
            {
                StringValue balancing;
                one.device->GetAttribute("LoadBalancing", balancing);
                return one.name + ": LoadBalancing " + balancing.Get() +
                       " lets packets overtake each other, which LossRecovery GoBackN of "
                       "RdmaQueuePair takes for losses; SelectiveRepeat does not";
            }
        }
    }
    return "";
}

NetDeviceContainer
RailCluster::GetNicPorts() const
{
    NetDeviceContainer ports;
    for (uint32_t gpu = 0; gpu < GetNGpus(); ++gpu)
    {
        auto nic = GetNic(gpu);
        for (uint32_t port = 0; port < nic->GetNPorts(); ++port)
        {
            ports.Add(nic->GetPort(port));
        }
    }
    return ports;
}

Ptr<FabricRerouter>
RailCluster::GetRerouter() const
{
    return DynamicCast<FabricRerouter>(m_rerouter);
}

RailCluster
RailCluster::GetPart(uint32_t firstDomain, uint32_t domains) const
{
    std::vector<uint32_t> all(std::min(domains, GetNDomains() + 1));
    std::iota(all.begin(), all.end(), firstDomain);
    return GetPart(all);
}

RailCluster
RailCluster::GetPart(const std::vector<uint32_t>& domains) const
{
    const std::set<uint32_t> distinct(domains.begin(), domains.end());
    NS_ABORT_MSG_IF(domains.empty() || distinct.size() < domains.size(),
                    "a part of a cluster has at least one domain, and each once");
    NS_ABORT_MSG_IF(*distinct.rbegin() >= GetNDomains(),
                    "a cluster of " << GetNDomains() << " domains has no domain "
                                    << *distinct.rbegin());
    RailCluster part = *this;
    part.m_gpus = NodeContainer();
    part.m_ocsPorts.clear();
    part.m_scaleUpNics.clear();
    part.m_hostNics.clear();
    part.m_sparePorts.clear();
    part.m_inRow = static_cast<uint32_t>(domains.size()) * m_gpusPerDomain;
    part.m_sparesPerDomain = 0;
    part.m_spareGpus = 0;
    const auto take = [](const auto& all, uint32_t gpu, auto& some) {
        if (!all.empty())
        {
            some.push_back(all[gpu]);
        }
    };
    for (const uint32_t domain : domains)
    {
        for (uint32_t rail = 0; rail < m_gpusPerDomain; ++rail)
        {
            const uint32_t gpu = domain * m_gpusPerDomain + rail;
            part.m_gpus.Add(m_gpus.Get(gpu));
            take(m_ocsPorts, gpu, part.m_ocsPorts);
            take(m_scaleUpNics, gpu, part.m_scaleUpNics);
            take(m_hostNics, gpu, part.m_hostNics);
        }
    }
    return part;
}

} // namespace ns3
