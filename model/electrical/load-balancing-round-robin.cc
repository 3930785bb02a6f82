// SPDX-License-Identifier: GPL-2.0-only

#include "switch-forwarding.h"

namespace ns3
{

namespace
{

/// Packet spraying: the frames of a priority take the ports in turn, from a port that the seed
/// gives.
class RoundRobinLoadBalancing : public LoadBalancing
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RoundRobinLoadBalancing")
                                .SetParent<LoadBalancing>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<RoundRobinLoadBalancing>();
        return tid;
    }

    std::string GetName() const override
    {
        return "round-robin";
    }

    uint32_t Choose(const Frame& frame) const override
    {
        return static_cast<uint32_t>((frame.seed + frame.turn) % frame.ports.size());
    }
};

NS_OBJECT_ENSURE_REGISTERED(RoundRobinLoadBalancing);

} // namespace

} // namespace ns3
