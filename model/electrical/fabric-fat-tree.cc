// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-fat-tree.h"

#include "fabric-clos.h"

namespace ns3
{

namespace
{

/// @return the dimensions at an arity, without those that depend on the number of hosts
FatTreeShape
ShapeOf(const FabricSpec& spec, uint32_t arity)
{
    const PortSplit split = PortSplit::Find(spec, arity);
    FatTreeShape shape;
    shape.arity = arity;
    shape.hostsPerEdge = split.down;
    shape.uplinks = split.up;
    return shape;
}

} // namespace

uint64_t
FatTreeShape::GetCapacity() const
{
    return uint64_t{arity} * (arity / 2) * hostsPerEdge;
}

FatTreeShape
FatTreeShape::Find(const FabricSpec& spec)
{
    FatTreeShape shape;
    shape.error = spec.Check();
    if (!shape.error.empty())
    {
        return shape;
    }
    const std::string need = std::to_string(spec.GetHosts()) + " NIC ports";
    if (spec.arity == 0)
    {
        do
        {
            shape = ShapeOf(spec, shape.arity + 2);
        } while (shape.GetCapacity() < spec.GetHosts() && shape.arity + 2 <= spec.radix);
        if (shape.GetCapacity() < spec.GetHosts() || shape.arity > spec.radix)
        {
            shape.error = "a fat-tree of switches with a radix of " + std::to_string(spec.radix) +
                          " has room for " +
                          std::to_string(shape.arity > spec.radix ? 0 : shape.GetCapacity()) +
                          " NIC ports at " + std::to_string(spec.down) + ":" +
                          std::to_string(spec.up) + ", not for " + std::to_string(spec.GetHosts());
            return shape;
        }
    }
    else
    {
        if (spec.arity % 2 != 0 || spec.arity > spec.radix)
        {
            shape.error = "the k of a fat-tree is even and at most the radix, " +
                          std::to_string(spec.radix) + ", not " + std::to_string(spec.arity);
            return shape;
        }
        shape = ShapeOf(spec, spec.arity);
        if (shape.GetCapacity() < spec.GetHosts())
        {
            shape.error = "a fat-tree with k = " + std::to_string(spec.arity) + " has room for " +
                          std::to_string(shape.GetCapacity()) + " NIC ports at " +
                          std::to_string(spec.down) + ":" + std::to_string(spec.up) + ", not for " +
                          std::to_string(spec.GetHosts());
            return shape;
        }
    }
    const auto hosts = static_cast<uint32_t>(spec.GetHosts());
    const uint32_t edgesPerPod = shape.arity / 2;
    shape.edges = (hosts + shape.hostsPerEdge - 1) / shape.hostsPerEdge;
    shape.pods = (shape.edges + edgesPerPod - 1) / edgesPerPod;
    return shape;
}

FabricPlan
FatTreeShape::Build(const FabricSpec& spec)
{
    const FatTreeShape shape = Find(spec);
    FabricPlan plan;
    plan.error = shape.error;
    if (!plan.error.empty())
    {
        return plan;
    }
    FabricTopology& topology = plan.topology;
    const auto hosts = static_cast<uint32_t>(spec.GetHosts());
    const uint32_t half = shape.arity / 2;
    const uint32_t aggregations = shape.edges > 1 ? shape.pods * shape.uplinks : 0;
    const uint32_t cores = shape.pods > 1 ? shape.uplinks * half : 0;
    for (uint32_t host = 0; host < hosts; ++host)
    {
        topology.AddHost(host / spec.nicPorts, host % spec.nicPorts);
    }
    for (uint32_t edge = 0; edge < shape.edges; ++edge)
    {
        topology.AddSwitch(1,
                           "pod " + std::to_string(edge / half) + " edge " +
                               std::to_string(edge % half));
    }
    for (uint32_t i = 0; i < aggregations; ++i)
    {
        topology.AddSwitch(2,
                           "pod " + std::to_string(i / shape.uplinks) + " aggregation " +
                               std::to_string(i % shape.uplinks));
    }
    for (uint32_t core = 0; core < cores; ++core)
    {
        topology.AddSwitch(3, "core " + std::to_string(core));
    }
    for (uint32_t host = 0; host < hosts; ++host)
    {
        const uint32_t edge = host / shape.hostsPerEdge;
        topology.Join(host, topology.GetEnd(edge), 1, spec.portRate, spec.hostDelay);
    }
    const uint32_t perPod = aggregations / shape.pods;
    const DataRate rate = spec.GetFabricRate();
    for (uint32_t edge = 0; edge < shape.edges; ++edge)
    {
        for (uint32_t j = 0; j < perPod; ++j)
        {
            topology.Join(topology.GetEnd(edge),
                          topology.GetEnd(shape.edges + edge / half * perPod + j),
                          1,
                          rate,
                          spec.spineDelay);
        }
    }
    for (uint32_t i = 0; cores > 0 && i < aggregations; ++i)
    {
        for (uint32_t j = 0; j < half; ++j)
        {
            topology.Join(topology.GetEnd(shape.edges + i),
                          topology.GetEnd(shape.edges + aggregations + i % perPod * half + j),
                          1,
                          rate,
                          spec.coreDelay);
        }
    }
    return plan;
}

} // namespace ns3
