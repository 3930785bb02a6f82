// SPDX-License-Identifier: GPL-2.0-only

#include "circuit-policy.h"
#include "opus-helper.h"

#include "ns3/boolean.h"
#include "ns3/rail-cluster-helper.h"

namespace ns3
{

namespace
{

/// Properties that distinguish the policies of this file.
struct LendingRule
{
    const char* type;
    const char* name;
    const char* description;
    bool provisioning; //!< ranks request circuits ahead of time, once they know an iteration
    bool keepLeases;   //!< a rank keeps a lease for later calls
    bool isInstant;    //!< switches, transceivers and messages take no time
};

/// Opus with requests ahead of time.
constexpr LendingRule PROVISIONED{"ns3::ProvisionedPolicy",
                                  "provisioned",
                                  "provisioned",
                                  true,
                                  true,
                                  false};
/// Opus with a request at every change of parallelism.
constexpr LendingRule ON_DEMAND{"ns3::OnDemandPolicy",
                                "on-demand",
                                "on demand",
                                false,
                                true,
                                false};
/// Every collective requests circuits and releases them when it has ended.
constexpr LendingRule PER_CALL{"ns3::PerCallPolicy",
                               "per-call",
                               "circuits for each call",
                               false,
                               false,
                               false};
/// Opus without delays and latencies: the remaining waiting time is for ports in use.
constexpr LendingRule ORACLE{"ns3::OraclePolicy", "oracle", "no delays", true, true, true};

/// A policy of Opus that follows a rule.
template <const LendingRule& RULE>
class RuledPolicy : public LendingPolicy
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId(RULE.type)
                                .SetParent<LendingPolicy>()
                                .SetGroupName("PhotonicRails")
                                .template AddConstructor<RuledPolicy>();
        return tid;
    }

    std::string GetName() const override
    {
        return RULE.name;
    }

    std::string Describe() const override
    {
        return RULE.description;
    }

    void Configure(RailClusterHelper& helper) const override
    {
        if (RULE.isInstant)
        {
            helper.SetOcsAttribute("ReconfigurationDelay", TimeValue(Time()));
            helper.SetOcsAttribute("TransceiverLockTime", TimeValue(Time()));
        }
    }

    void Configure(OpusHelper& opus) const override
    {
        opus.SetShimAttribute("Provisioning", BooleanValue(RULE.provisioning));
        opus.SetShimAttribute("KeepLeases", BooleanValue(RULE.keepLeases));
        if (RULE.isInstant)
        {
            opus.SetInstantControl();
        }
    }
};

using ProvisionedPolicy = RuledPolicy<PROVISIONED>;
using OnDemandPolicy = RuledPolicy<ON_DEMAND>;
using PerCallPolicy = RuledPolicy<PER_CALL>;
using OraclePolicy = RuledPolicy<ORACLE>;

NS_OBJECT_ENSURE_REGISTERED(ProvisionedPolicy);
NS_OBJECT_ENSURE_REGISTERED(OnDemandPolicy);
NS_OBJECT_ENSURE_REGISTERED(PerCallPolicy);
NS_OBJECT_ENSURE_REGISTERED(OraclePolicy);

} // namespace

} // namespace ns3
