// SPDX-License-Identifier: GPL-2.0-only

#include "switch-forwarding.h"

namespace ns3
{

namespace
{

/**
 * Adaptive routing: each frame takes the port with the fewest queued bytes; ports with equally many
 * take turns. A dark port is taken only if all ports are dark.
 */
class AdaptiveLoadBalancing : public LoadBalancing
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::AdaptiveLoadBalancing")
                                .SetParent<LoadBalancing>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<AdaptiveLoadBalancing>();
        return tid;
    }

    std::string GetName() const override
    {
        return "adaptive";
    }

    uint32_t Choose(const Frame& frame) const override
    {
        const auto count = static_cast<uint32_t>(frame.ports.size());
        const auto first = static_cast<uint32_t>((frame.seed + frame.turn) % count);
        uint32_t best = first;
        uint64_t least = frame.loads.GetLoad(frame.ports[first]);
        for (uint32_t i = 1; i < count && least > 0; ++i)
        {
            const uint32_t index = (first + i) % count;
            const uint64_t load = frame.loads.GetLoad(frame.ports[index]);
            if (load < least)
            {
                best = index;
                least = load;
            }
        }
        return best;
    }
};

NS_OBJECT_ENSURE_REGISTERED(AdaptiveLoadBalancing);

} // namespace

} // namespace ns3
