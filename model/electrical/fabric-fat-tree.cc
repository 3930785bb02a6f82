// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-fat-tree.h"

#include "fabric-clos.h"

#include "ns3/uinteger.h"

#include <cmath>

namespace ns3
{

namespace
{

/// @return the fat-tree of an arity, for as many hosts as it has room for
FatTreeShape
MakeFullTree(const FabricSpec& spec, uint32_t arity)
{
    const PortSplit split = PortSplit::Find(spec, arity);
    FatTreeShape shape;
    shape.arity = arity;
    shape.hostsPerEdge = split.down;
    shape.uplinks = split.up;
    return shape;
}

/// @return what is allowed in place of an arity that does not fit
std::string
FindAllowedArity(const FabricSpec& spec)
{
    constexpr uint32_t most = 4096;
    for (uint32_t arity = 2; arity <= most; arity += 2)
    {
        if (MakeFullTree(spec, arity).GetCapacity() >= spec.GetHosts())
        {
            const std::string from = "; allowed: k from " + std::to_string(arity);
            return arity <= spec.radix ? from + " to " + std::to_string(spec.radix / 2 * 2)
                                       : from + ", and as large a radix";
        }
    }
    return "";
}

} // namespace

FatTreeShape
FatTreeShape::Find(const FabricSpec& spec, uint32_t arity)
{
    FatTreeShape shape;
    shape.error = spec.Check();
    if (!shape.error.empty())
    {
        return shape;
    }
    if (arity == 0 || arity % 2 != 0 || arity > spec.radix)
    {
        shape.error = "the k of a fat-tree is even and at most the radix, " +
                      std::to_string(spec.radix) + ", not " + std::to_string(arity) +
                      FindAllowedArity(spec);
        return shape;
    }
    shape = MakeFullTree(spec, arity);
    if (shape.GetCapacity() < spec.GetHosts())
    {
        shape.error = "a fat-tree with k = " + std::to_string(arity) + " has room for " +
                      std::to_string(shape.GetCapacity()) + " NIC ports at " +
                      std::to_string(spec.down) + ":" + std::to_string(spec.up) + ", not for " +
                      std::to_string(spec.GetHosts()) + FindAllowedArity(spec);
        return shape;
    }
    const auto hosts = static_cast<uint32_t>(spec.GetHosts());
    const uint32_t edgesPerPod = arity / 2;
    shape.edges = (hosts + shape.hostsPerEdge - 1) / shape.hostsPerEdge;
    shape.pods = (shape.edges + edgesPerPod - 1) / edgesPerPod;
    return shape;
}

FabricPlan
FatTreeShape::Build(const FabricSpec& spec) const
{
    if (!error.empty())
    {
        return {{}, error};
    }
    FabricPlan plan;
    FabricTopology& topology = plan.topology;
    const auto hosts = static_cast<uint32_t>(spec.GetHosts());
    const uint32_t half = arity / 2;
    const uint32_t aggregations = edges > 1 ? pods * uplinks : 0;
    const uint32_t cores = pods > 1 ? uplinks * half : 0;
    for (uint32_t host = 0; host < hosts; ++host)
    {
        topology.AddHost(host / spec.nicPorts, host % spec.nicPorts);
    }
    for (uint32_t edge = 0; edge < edges; ++edge)
    {
        topology.AddSwitch(1,
                           "pod " + std::to_string(edge / half) + " edge " +
                               std::to_string(edge % half));
    }
    for (uint32_t i = 0; i < aggregations; ++i)
    {
        topology.AddSwitch(2,
                           "pod " + std::to_string(i / uplinks) + " aggregation " +
                               std::to_string(i % uplinks));
    }
    for (uint32_t core = 0; core < cores; ++core)
    {
        topology.AddSwitch(3, "core " + std::to_string(core));
    }
    for (uint32_t host = 0; host < hosts; ++host)
    {
        const uint32_t edge = host / hostsPerEdge;
        topology.Join(host, topology.GetEnd(edge), 1, spec.portRate, spec.hostDelay);
    }
    const uint32_t perPod = aggregations / pods;
    const DataRate rate = spec.GetFabricRate();
    for (uint32_t edge = 0; edge < edges; ++edge)
    {
        for (uint32_t j = 0; j < perPod; ++j)
        {
            topology.Join(topology.GetEnd(edge),
                          topology.GetEnd(edges + edge / half * perPod + j),
                          1,
                          rate,
                          spec.spineDelay);
        }
    }
    for (uint32_t i = 0; cores > 0 && i < aggregations; ++i)
    {
        for (uint32_t j = 0; j < half; ++j)
        {
            topology.Join(topology.GetEnd(edges + i),
                          topology.GetEnd(edges + aggregations + i % perPod * half + j),
                          1,
                          rate,
                          spec.coreDelay);
        }
    }
    return plan;
}

namespace
{

/**
 * @brief A fat-tree of all NICs, without rails.
 *
 * Without an arity, the fabric is a folded Clos network of switches with FabricSpec::radix ports
 * (ClosShape::FindFlat): as few tiers, and with these as few switches, as suffice, with parallel
 * links where a switch has ports left. With an arity k, the attribute Arity, the fabric is the
 * k-ary fat-tree of FatTreeShape.
 */
class FatTreeFabric : public ElectricalFabric
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::FatTreeFabric")
                .SetParent<ElectricalFabric>()
                .SetGroupName("PhotonicRails")
                .AddConstructor<FatTreeFabric>()
                .AddAttribute("Arity",
                              "k of a k-ary fat-tree, even; 0: as few tiers, and with these as few "
                              "switches, as suffice.",
                              UintegerValue(0),
                              MakeUintegerAccessor(&FatTreeFabric::m_arity),
                              MakeUintegerChecker<uint32_t>(0, 4096));
        return tid;
    }

    std::string GetName() const override
    {
        return "fat-tree";
    }

    bool JoinsRails() const override
    {
        return true;
    }

    FabricCount CountBuilt(const FabricSpec& spec) const override
    {
        return m_arity > 0 ? ElectricalFabric::CountBuilt(spec)
                           : ClosShape::FindFlat(spec).Count(ClosShape::MakeFlat(spec));
    }

    FabricCount CountIdeal(const FabricSpec& spec, uint32_t tiers) const override
    {
        return ClosShape::CountIdeal(spec, 1, 1, tiers);
    }

    FabricCount CountPublished(const FabricSpec& spec) const override
    {
        const double cube = 4.0 * static_cast<double>(spec.GetHosts());
        const auto k = static_cast<uint64_t>(std::cbrt(cube) + 0.5);
        const uint64_t edges = k * k / 2;
        const uint64_t aggregations = k * k - edges;
        const uint64_t cores = k * k / 4;
        return {{{edges, edges * k}, {aggregations, aggregations * k}, {cores, cores * k}}, ""};
    }

  protected:
    FabricPlan DoMakePlan(const FabricSpec& spec) const override
    {
        return m_arity > 0 ? FatTreeShape::Find(spec, m_arity).Build(spec)
                           : ClosShape::FindFlat(spec).Build(ClosShape::MakeFlat(spec));
    }

  private:
    uint32_t m_arity{0};
};

NS_OBJECT_ENSURE_REGISTERED(FatTreeFabric);

} // namespace

} // namespace ns3
