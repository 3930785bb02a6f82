// SPDX-License-Identifier: GPL-2.0-only

#include "circuit-policy.h"

#include "opus-helper.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CircuitPolicy);
NS_OBJECT_ENSURE_REGISTERED(LendingPolicy);

TypeId
CircuitPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CircuitPolicy").SetParent<Object>().SetGroupName("PhotonicRails");
    return tid;
}

TypeId
LendingPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::LendingPolicy").SetParent<CircuitPolicy>().SetGroupName("PhotonicRails");
    return tid;
}

std::function<void()>
LendingPolicy::Install(RailCluster& cluster, OpusHelper& opus, const CircuitJob&) const
{
    opus.Install(cluster);
    return {};
}

} // namespace ns3
