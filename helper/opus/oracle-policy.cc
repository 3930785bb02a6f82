// SPDX-License-Identifier: GPL-2.0-only

#include "circuit-policy.h"
#include "opus-helper.h"

#include "ns3/boolean.h"
#include "ns3/rail-cluster-helper.h"

namespace ns3
{

namespace
{

/// Opus without delays and latencies: the only waiting time is that of switching.
class OraclePolicy : public LendingPolicy
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::OraclePolicy")
                                .SetParent<LendingPolicy>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<OraclePolicy>();
        return tid;
    }

    std::string GetName() const override
    {
        return "oracle";
    }

    std::string Describe() const override
    {
        return "no delays";
    }

    using LendingPolicy::Configure;

    void Configure(RailClusterHelper& helper) const override
    {
        helper.SetOcsAttribute("ReconfigurationDelay", TimeValue(Time()));
        helper.SetOcsAttribute("TransceiverLockTime", TimeValue(Time()));
    }

    void Configure(OpusHelper& opus) const override
    {
        opus.SetShimAttribute("Provisioning", BooleanValue(true));
        opus.SetShimAttribute("KeepLeases", BooleanValue(true));
        opus.SetInstantControl();
    }
};

NS_OBJECT_ENSURE_REGISTERED(OraclePolicy);

} // namespace

} // namespace ns3
