// SPDX-License-Identifier: GPL-2.0-only

// A policy of one's own that lends circuits: Opus, whose shims hold a lease for some time after the
// last call that used it. The program is photonic-rails-training with one more name for --policy;
// copied into scratch/, the file is a program, too. Example: photonic-rails-extend-lending
// --policy=hold

#include "ns3/photonic-rails-module.h"

using namespace ns3;

/// On demand, but a lease without calls is given back after 10 ms, before another group needs it.
class HoldPolicy : public LendingPolicy
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("HoldPolicy")
                                .SetParent<LendingPolicy>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<HoldPolicy>();
        return tid;
    }

    std::string GetName() const override
    {
        return "hold";
    }

    // A part of the first line of a run.
    std::string Describe() const override
    {
        return "held for 10 ms after use";
    }

    using LendingPolicy::Configure; // the function that configures the cluster

    void Configure(OpusHelper& opus) const override
    {
        opus.SetShimAttribute("Provisioning", BooleanValue(false));
        opus.SetShimAttribute("KeepLeases", BooleanValue(false));
        opus.SetShimAttribute("HoldTime", TimeValue(MilliSeconds(10)));
    }

    // The module checks that the ring of each group is possible; this check is made before.
    std::string Check(const CircuitJob& job, const LightPathCheck& /* lightPaths */) const override
    {
        return job.nicPorts > 1 ? "" : "a GPU with one port cannot hold it for later";
    }
};

NS_OBJECT_ENSURE_REGISTERED(HoldPolicy);

int
main(int argc, char* argv[])
{
    return RunNamedProgram(argc, argv, __FILE__);
}
