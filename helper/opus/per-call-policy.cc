// SPDX-License-Identifier: GPL-2.0-only

#include "circuit-policy.h"
#include "opus-helper.h"

#include "ns3/boolean.h"

namespace ns3
{

namespace
{

/// Every collective requests circuits and releases them when it has ended.
class PerCallPolicy : public LendingPolicy
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::PerCallPolicy")
                                .SetParent<LendingPolicy>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<PerCallPolicy>();
        return tid;
    }

    std::string GetName() const override
    {
        return "per-call";
    }

    std::string Describe() const override
    {
        return "circuits for each call";
    }

    void Configure(OpusHelper& opus) const override
    {
        opus.SetShimAttribute("Provisioning", BooleanValue(false));
        opus.SetShimAttribute("KeepLeases", BooleanValue(false));
    }
};

NS_OBJECT_ENSURE_REGISTERED(PerCallPolicy);

} // namespace

} // namespace ns3
