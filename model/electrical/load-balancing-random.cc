// SPDX-License-Identifier: GPL-2.0-only

#include "switch-forwarding.h"

namespace ns3
{

namespace
{

/**
 * Packet spraying: each frame takes a port at random, by a hash of its number (Dixit et al., "On
 * the impact of packet spraying in data center networks", INFOCOM 2013).
 */
class RandomLoadBalancing : public LoadBalancing
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RandomLoadBalancing")
                                .SetParent<LoadBalancing>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<RandomLoadBalancing>();
        return tid;
    }

    std::string GetName() const override
    {
        return "random";
    }

    uint32_t Choose(const Frame& frame) const override
    {
        const FlowTuple number{static_cast<uint32_t>(frame.turn >> 32),
                               static_cast<uint32_t>(frame.turn)};
        return SwitchRoutes::Choose(number, frame.seed, frame.ports.size());
    }
};

NS_OBJECT_ENSURE_REGISTERED(RandomLoadBalancing);

} // namespace

} // namespace ns3
