// SPDX-License-Identifier: GPL-2.0-only

#include "electrical-fabric.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ElectricalFabric);

TypeId
ElectricalFabric::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ElectricalFabric").SetParent<Object>().SetGroupName("PhotonicRails");
    return tid;
}

uint32_t
ElectricalFabric::GetDefaultRadix(const FabricSpec&) const
{
    return FabricSpec().radix;
}

FabricPlan
ElectricalFabric::MakePlan(const FabricSpec& spec) const
{
    FabricPlan plan;
    plan.error = spec.Check();
    if (plan.error.empty())
    {
        plan = DoMakePlan(spec);
    }
    if (plan.error.empty())
    {
        plan.error = CheckTopology(spec, plan.topology);
    }
    return plan;
}

std::string
ElectricalFabric::CheckTopology(const FabricSpec& spec, const FabricTopology& topology) const
{
    const std::string fabric = "the fabric " + GetName() + " is wrong: ";
    std::vector<uint32_t> links(spec.GetHosts()); // links of each NIC port
    for (const auto& link : topology.links)
    {
        if (topology.IsSwitch(link.lower))
        {
            continue;
        }
        const auto& host = topology.hosts[link.lower];
        const uint64_t port = uint64_t{host.gpu} * spec.nicPorts + host.port;
        if (host.port >= spec.nicPorts || port >= links.size() || links[port]++ > 0)
        {
            return fabric + "it joins port " + std::to_string(host.port) + " of GPU " +
                   std::to_string(host.gpu) + " twice, or there is no such port";
        }
    }
    const auto joined = std::count(links.begin(), links.end(), 1);
    if (topology.hosts.size() != links.size() || static_cast<std::size_t>(joined) != links.size())
    {
        return fabric + "it joins " + std::to_string(joined) + " of " +
               std::to_string(links.size()) + " NIC ports";
    }
    for (const auto& one : topology.switches)
    {
        if (one.ports > spec.radix)
        {
            return fabric + "switch " + one.name + " has " + std::to_string(one.ports) +
                   " ports, but its radix is " + std::to_string(spec.radix);
        }
    }
    return "";
}

FabricCount
ElectricalFabric::CountBuilt(const FabricSpec& spec) const
{
    const FabricPlan plan = MakePlan(spec);
    FabricCount count{{}, plan.error};
    for (const auto& one : plan.topology.switches)
    {
        count.tiers.resize(std::max<std::size_t>(count.tiers.size(), one.tier));
        ++count.tiers[one.tier - 1].devices;
        count.tiers[one.tier - 1].ports += one.ports;
    }
    return count;
}

FabricCount
ElectricalFabric::CountIdeal(const FabricSpec& spec, uint32_t) const
{
    return CountBuilt(spec);
}

FabricCount
ElectricalFabric::CountPublished(const FabricSpec&) const
{
    return {{}, "the published counting knows fat-tree, leaf-spine and photonic only"};
}

} // namespace ns3
