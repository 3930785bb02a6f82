// SPDX-License-Identifier: GPL-2.0-only

// An electrical fabric of one's own: one big switch that joins all NICs, which no real fabric can
// beat. The program is photonic-rails-training with one more name for --fabric; copied into
// scratch/, the file is a program, too. Example: photonic-rails-extend-fabric --fabric=big-switch

#include "ns3/photonic-rails-module.h"

using namespace ns3;

/// The bound to which fabrics of several switches are compared.
class BigSwitchFabric : public ElectricalFabric
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("BigSwitchFabric")
                                .SetParent<ElectricalFabric>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<BigSwitchFabric>();
        return tid;
    }

    std::string GetName() const override
    {
        return "big-switch";
    }

    // Whether GPUs on different rails reach each other; jobs that need it are refused otherwise.
    bool JoinsRails() const override
    {
        return true;
    }

    // The default of --switchRadix.
    uint32_t GetDefaultRadix(const FabricSpec& spec) const override
    {
        return static_cast<uint32_t>(spec.GetHosts());
    }

    uint32_t GetMostTiers() const override
    {
        return 1;
    }

  protected:
    // Hosts, switches and links. Routes, addresses and the number of parts follow from them.
    FabricPlan DoMakePlan(const FabricSpec& spec) const override
    {
        FabricPlan plan;
        if (spec.GetHosts() > spec.radix)
        {
            plan.error = "one switch for all needs " + std::to_string(spec.GetHosts()) +
                         " ports, but its radix is " + std::to_string(spec.radix);
            return plan;
        }
        const auto hosts = static_cast<uint32_t>(spec.GetHosts());
        for (uint32_t host = 0; host < hosts; ++host)
        {
            plan.topology.AddHost(host / spec.nicPorts, host % spec.nicPorts);
        }
        const uint32_t all = plan.topology.GetEnd(plan.topology.AddSwitch(1, "big switch"));
        for (uint32_t host = 0; host < hosts; ++host)
        {
            plan.topology.Join(host, all, 1, spec.portRate, spec.hostDelay);
        }
        return plan;
    }
};

NS_OBJECT_ENSURE_REGISTERED(BigSwitchFabric);

int
main(int argc, char* argv[])
{
    return RunNamedProgram(argc, argv, __FILE__);
}
