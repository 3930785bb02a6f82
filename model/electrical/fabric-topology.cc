// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-topology.h"

#include "ns3/assert.h"

namespace ns3
{

uint64_t
FabricSpec::GetHosts() const
{
    return uint64_t{domains} * gpusPerDomain * nicPorts;
}

DataRate
FabricSpec::GetFabricRate() const
{
    return fabricRate.GetBitRate() == 0 ? portRate : fabricRate;
}

std::string
FabricSpec::Check() const
{
    if (domains == 0 || gpusPerDomain == 0 || nicPorts == 0)
    {
        return "a fabric needs at least one domain of one GPU with one NIC port";
    }
    if (portRate.GetBitRate() == 0)
    {
        return "the line rate of a NIC port must be above 0";
    }
    if (down == 0 || down > 1000 || up == 0 || up > 1000)
    {
        return "an oversubscription of " + std::to_string(down) + ":" + std::to_string(up) +
               " is none: both numbers must be from 1 to 1000";
    }
    // A 24-bit host part of the address, less network and broadcast.
    if (GetHosts() > (1 << 24) - 2)
    {
        return std::to_string(GetHosts()) + " NIC ports need more addresses than 10.0.0.0/8 has";
    }
    return "";
}

uint32_t
FabricTopology::GetNEnds() const
{
    return static_cast<uint32_t>(hosts.size() + switches.size());
}

bool
FabricTopology::IsSwitch(uint32_t end) const
{
    return end >= hosts.size();
}

uint32_t
FabricTopology::GetEnd(uint32_t number) const
{
    return static_cast<uint32_t>(hosts.size()) + number;
}

uint32_t
FabricTopology::AddSwitch(uint32_t tier, const std::string& name)
{
    switches.push_back({tier, name, 0});
    return static_cast<uint32_t>(switches.size() - 1);
}

uint32_t
FabricTopology::AddHost(uint32_t gpu, uint32_t port)
{
    NS_ASSERT_MSG(links.empty(), "links count the ends of switches from the number of hosts");
    hosts.push_back({gpu, port});
    return static_cast<uint32_t>(hosts.size() - 1);
}

void
FabricTopology::Join(uint32_t lower, uint32_t upper, uint32_t count, DataRate rate, Time delay)
{
    NS_ASSERT(IsSwitch(upper));
    for (uint32_t i = 0; i < count; ++i)
    {
        links.push_back({lower, upper, rate, delay});
    }
    switches[upper - hosts.size()].ports += count;
    if (IsSwitch(lower))
    {
        switches[lower - hosts.size()].ports += count;
    }
}

} // namespace ns3
