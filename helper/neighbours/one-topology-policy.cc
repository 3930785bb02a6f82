// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/job-demand.h"
#include "ns3/job-topology.h"
#include "ns3/rank-layout.h"
#include "ns3/static-policy.h"

namespace ns3
{

namespace
{

/// One set of circuits for the job, chosen from its predicted traffic, rail by rail.
class OneTopologyPolicy : public StaticPolicy
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::OneTopologyPolicy")
                                .SetParent<StaticPolicy>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<OneTopologyPolicy>();
        return tid;
    }

    std::string GetName() const override
    {
        return "one-topology";
    }

    std::string Describe() const override
    {
        return "one topology for the job";
    }

    StaticTopology MakeCircuits(const RankLayout& layout,
                                const JobDemand& demand,
                                uint32_t nicPorts) const override
    {
        StaticTopology topology{StaticCircuits(layout.GetWorldSize(), nicPorts), ""};
        for (uint32_t rail = 0; rail < layout.GetRails(); ++rail)
        {
            const auto members = MakeMembers(layout, rail, nicPorts);
            const auto [groups, pairs] = demand.GetRail(rail);
            const auto plan = JobTopology::Plan(members, groups, pairs);
            if (!plan.error.empty())
            {
                return {topology.circuits, plan.error};
            }
            AddPlan(plan.plan, members, topology.circuits);
            for (const auto& route : plan.routes.routes)
            {
                std::vector<uint32_t> ranks;
                for (const uint32_t member : route.members)
                {
                    ranks.push_back(members[member].rank);
                }
                if (ranks.size() > 1)
                {
                    topology.circuits.SetRoute(ranks);
                }
            }
        }
        return topology;
    }
};

NS_OBJECT_ENSURE_REGISTERED(OneTopologyPolicy);

} // namespace

} // namespace ns3
