// SPDX-License-Identifier: GPL-2.0-only

#include "circuit-policy.h"
#include "opus-helper.h"

#include "ns3/boolean.h"

namespace ns3
{

namespace
{

/// Opus with a request at every change of parallelism.
class OnDemandPolicy : public LendingPolicy
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::OnDemandPolicy")
                                .SetParent<LendingPolicy>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<OnDemandPolicy>();
        return tid;
    }

    std::string GetName() const override
    {
        return "on-demand";
    }

    std::string Describe() const override
    {
        return "on demand";
    }

    void Configure(OpusHelper& opus) const override
    {
        opus.SetShimAttribute("Provisioning", BooleanValue(false));
        opus.SetShimAttribute("KeepLeases", BooleanValue(true));
    }
};

NS_OBJECT_ENSURE_REGISTERED(OnDemandPolicy);

} // namespace

} // namespace ns3
