// SPDX-License-Identifier: GPL-2.0-only

#include "circuit-policy.h"
#include "opus-helper.h"

#include "ns3/boolean.h"

namespace ns3
{

namespace
{

/// Opus with requests ahead of time, once the profile of an iteration is known.
class ProvisionedPolicy : public LendingPolicy
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::ProvisionedPolicy")
                                .SetParent<LendingPolicy>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<ProvisionedPolicy>();
        return tid;
    }

    std::string GetName() const override
    {
        return "provisioned";
    }

    std::string Describe() const override
    {
        return "provisioned";
    }

    void Configure(OpusHelper& opus) const override
    {
        opus.SetShimAttribute("Provisioning", BooleanValue(true));
        opus.SetShimAttribute("KeepLeases", BooleanValue(true));
    }
};

NS_OBJECT_ENSURE_REGISTERED(ProvisionedPolicy);

} // namespace

} // namespace ns3
