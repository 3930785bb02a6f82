// SPDX-License-Identifier: GPL-2.0-only

#include "rail-partition.h"

#include "ns3/abort.h"
#include "ns3/fabric-topology.h"
#include "ns3/simulator.h"

namespace ns3
{

RailPartition::RailPartition(uint32_t processes, uint32_t rails)
    : m_processes(processes),
      m_rails(rails)
{
    NS_ABORT_MSG_IF(processes == 0 || processes > rails,
                    processes << " processes cannot share " << rails << " rails");
}

uint32_t
RailPartition::GetProcesses() const
{
    return m_processes;
}

uint32_t
RailPartition::GetProcessOfRail(uint32_t rail) const
{
    return static_cast<uint32_t>(uint64_t{rail} * m_processes / m_rails);
}

uint32_t
RailPartition::GetProcessOfHosts() const
{
    return m_processes - 1;
}

std::vector<uint32_t>
RailPartition::PlaceSwitches(const FabricTopology& topology,
                             const std::vector<uint32_t>& processOfHost)
{
    // Links stand from the hosts upwards: what is below a switch has been placed before it.
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

} // namespace ns3
