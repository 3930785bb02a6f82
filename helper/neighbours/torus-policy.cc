// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/rank-layout.h"
#include "ns3/static-circuits.h"
#include "ns3/static-policy.h"
#include "ns3/torus-plan.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

/// @return sizes of the dimensions of a torus, as equal as possible, the largest first
std::vector<uint32_t>
GetTorusSizes(uint32_t domains, uint32_t dimensions)
{
    std::vector<uint32_t> sizes;
    for (uint32_t left = dimensions; left > 0; --left)
    {
        // The smallest divisor that is not below the root of the remaining product.
        uint32_t size = domains;
        for (uint32_t divisor = domains; divisor >= 1; --divisor)
        {
            if (domains % divisor == 0 && std::pow(divisor, left) >= domains)
            {
                size = divisor;
            }
        }
        sizes.push_back(size);
        domains /= size;
    }
    return sizes;
}

/// Circuits between neighbours of a torus of up to three dimensions, on every rail.
class TorusPolicy : public StaticPolicy
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::TorusPolicy")
                                .SetParent<StaticPolicy>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<TorusPolicy>();
        return tid;
    }

    std::string GetName() const override
    {
        return "torus";
    }

    std::string Describe() const override
    {
        return "a torus";
    }

    StaticTopology MakeCircuits(const RankLayout& layout,
                                const JobDemand&,
                                uint32_t nicPorts) const override
    {
        StaticTopology topology{StaticCircuits(layout.GetWorldSize(), nicPorts), ""};
        const uint32_t dimensions = std::clamp(nicPorts / 2, 1U, 3U);
        for (uint32_t rail = 0; rail < layout.GetRails(); ++rail)
        {
            const auto members = MakeMembers(layout, rail, nicPorts);
            const auto plan =
                TorusPlan::Plan(members, GetTorusSizes(layout.GetDomains(), dimensions));
            if (!plan.error.empty())
            {
                return {topology.circuits, plan.error};
            }
            AddPlan(plan.plan, members, topology.circuits);
        }
        return topology;
    }
};

NS_OBJECT_ENSURE_REGISTERED(TorusPolicy);

} // namespace

} // namespace ns3
