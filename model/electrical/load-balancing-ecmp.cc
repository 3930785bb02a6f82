// SPDX-License-Identifier: GPL-2.0-only

#include "switch-forwarding.h"

namespace ns3
{

namespace
{

/// A hash of the flow chooses: all frames of a flow take the same port (RFC 2992).
class EcmpLoadBalancing : public LoadBalancing
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::EcmpLoadBalancing")
                                .SetParent<LoadBalancing>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<EcmpLoadBalancing>();
        return tid;
    }

    std::string GetName() const override
    {
        return "ecmp";
    }

    bool KeepsOrder() const override
    {
        return true;
    }

    uint32_t Choose(const Frame& frame) const override
    {
        return SwitchRoutes::Choose(frame.flow, frame.seed, frame.ports.size());
    }
};

NS_OBJECT_ENSURE_REGISTERED(EcmpLoadBalancing);

} // namespace

} // namespace ns3
