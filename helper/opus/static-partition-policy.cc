// SPDX-License-Identifier: GPL-2.0-only

#include "static-policy.h"

#include "ns3/job-demand.h"
#include "ns3/rank-layout.h"
#include "ns3/static-circuits.h"

namespace ns3
{

namespace
{

/// Each dimension of the mesh has its own NIC ports, joined permanently.
class StaticPartitionPolicy : public StaticPolicy
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::StaticPartitionPolicy")
                                .SetParent<StaticPolicy>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<StaticPartitionPolicy>();
        return tid;
    }

    std::string GetName() const override
    {
        return "static-partition";
    }

    std::string Describe() const override
    {
        return "ports divided between dimensions";
    }

    StaticTopology MakeCircuits(const RankLayout& layout,
                                const JobDemand& demand,
                                uint32_t nicPorts) const override
    {
        const auto plan =
            PortPartition::Plan(demand.GetDimensions(), layout.GetWorldSize(), nicPorts);
        return {plan.circuits, plan.error};
    }
};

NS_OBJECT_ENSURE_REGISTERED(StaticPartitionPolicy);

} // namespace

} // namespace ns3
