// SPDX-License-Identifier: GPL-2.0-only

#include "host-network-spec.h"

#include "fabric-clos.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Addresses in the range of the GPU ports on hosts, see HostNetworkInstaller.
constexpr uint64_t MAX_HOST_GPUS = (1 << 22) - 2;

/// @return the network between the NICs of the hosts; the hosts are its ends
FabricPlan
BuildNics(const HostNetworkSpec& spec, uint32_t domains)
{
    FabricSpec nics;
    nics.domains = domains;
    nics.portRate = spec.nicRate;
    nics.radix = spec.radix;
    nics.hostDelay = spec.cableDelay;
    nics.spineDelay = spec.cableDelay;
    nics.coreDelay = spec.cableDelay;
    return ClosShape::Find(nics, 1).Build(nics);
}

/// @return the name of a switch, without the rail number of a network with one rail
std::string
GetSwitchName(const std::string& name)
{
    const std::string rail = "rail 0";
    const std::string rest = name.rfind(rail, 0) == 0 ? name.substr(rail.size()) : " " + name;
    return "host network" + (rest.empty() ? " switch" : rest);
}

} // namespace

std::string
HostNetworkSpec::Check(uint32_t domains, uint32_t gpusPerDomain) const
{
    if (nicRate.GetBitRate() == 0 || gpuRate.GetBitRate() == 0)
    {
        return "the rates of a host network must be above 0";
    }
    const uint64_t gpus = uint64_t{domains} * gpusPerDomain;
    if (gpus > MAX_HOST_GPUS)
    {
        return std::to_string(gpus) + " GPUs need more addresses than 100.64.0.0/10 has for the "
                                      "host network";
    }
    const std::string error = BuildNics(*this, domains).error;
    return error.empty() ? "" : "the host network: " + error;
}

FabricPlan
HostNetworkSpec::Build(uint32_t domains, uint32_t gpusPerDomain) const
{
    FabricPlan plan;
    plan.error = Check(domains, gpusPerDomain);
    if (!plan.error.empty())
    {
        return plan;
    }
    const FabricTopology nics = BuildNics(*this, domains).topology;
    FabricTopology& topology = plan.topology;
    topology = FabricTopology::JoinDomains(domains, gpusPerDomain, "host ", "", gpuRate, gpuDelay);
    const uint32_t gpus = domains * gpusPerDomain;
    for (const auto& one : nics.switches)
    {
        topology.AddSwitch(one.tier, GetSwitchName(one.name));
    }
    // In the network between hosts, the hosts are the first ends and the switches follow.
    for (const auto& link : nics.links)
    {
        const uint32_t lower = nics.IsSwitch(link.lower) ? link.lower : nics.hosts[link.lower].gpu;
        topology.Join(gpus + lower, gpus + link.upper, 1, link.rate, link.delay);
    }
    return plan;
}

} // namespace ns3
