// SPDX-License-Identifier: GPL-2.0-only

#include "circuit-policy.h"
#include "rotor-helper.h"

#include "ns3/light-path-check.h"
#include "ns3/rotor-scheduler.h"

namespace ns3
{

namespace
{

/// All ports are connected to each other in turn, independent of traffic.
class RotorPolicy : public CircuitPolicy
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RotorPolicy")
                                .SetParent<CircuitPolicy>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<RotorPolicy>();
        return tid;
    }

    std::string GetName() const override
    {
        return "rotor";
    }

    std::string Describe() const override
    {
        return "in turn";
    }

    bool MayLoseLight() const override
    {
        return true;
    }

    bool HasSlots() const override
    {
        return true;
    }

    std::string CheckSpares() const override
    {
        return "its rotation does not include spare GPUs";
    }

    std::string Check(const CircuitJob& job, const LightPathCheck& lightPaths) const override
    {
        return lightPaths.CheckRotation(job.domains);
    }

    std::function<void()> Install(RailCluster& cluster,
                                  OpusHelper&,
                                  const CircuitJob& job) const override
    {
        RotorHelper helper;
        helper.SetSlotTime(job.slotTime);
        helper.SetPortRate(job.portRate);
        const ApplicationContainer rotors = helper.Install(cluster);
        return [rotors] { // rotors run forever unless finished
            for (uint32_t i = 0; i < rotors.GetN(); ++i)
            {
                DynamicCast<RotorScheduler>(rotors.Get(i))->Finish();
            }
        };
    }
};

NS_OBJECT_ENSURE_REGISTERED(RotorPolicy);

} // namespace

} // namespace ns3
