// SPDX-License-Identifier: GPL-2.0-only

#include "network-rule.h"

namespace ns3
{

uint64_t
NetworkRule::GetVolume(const CollectiveCall& call)
{
    return call.sizes ? call.sizes->GetMost() : call.bytes;
}

CollectiveNetwork
NetworkRule::Choose(const Group& group, const CollectiveCall& call) const
{
    if (group.staysInside)
    {
        return CollectiveNetwork::SCALE_UP;
    }
    if (group.onHosts && (!group.onRails || GetVolume(call) < hostThreshold))
    {
        return CollectiveNetwork::HOSTS;
    }
    return CollectiveNetwork::RAILS;
}

} // namespace ns3
