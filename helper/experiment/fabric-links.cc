// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-links.h"

#include "ns3/rdma-helper.h"
#include "ns3/roce-header.h"
#include "ns3/simulator.h"
#include "ns3/static-circuits-helper.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

void
ProbeArrived(Time* at, uint32_t /* immediate */, uint64_t /* bytes */)
{
    *at = Simulator::Now();
}

/// @return alpha from a port to another, and the payload rate of all ports of the first NIC
AlphaBeta
MeasurePorts(Ptr<RdmaNic> from,
             uint32_t portOfFrom,
             Ptr<RdmaNic> to,
             uint32_t portOfTo,
             uint32_t packets)
{
    auto ends = RdmaHelper::Connect(from, {portOfFrom}, to, {portOfTo});
    RoceHeader packet;
    packet.opcode = RoceHeader::WRITE_MIDDLE;
    UintegerValue mtu;
    from->CreateQueuePair(portOfFrom)->GetAttribute("Mtu", mtu);
    packet.payloadBytes = static_cast<uint32_t>(mtu.Get());
    const Time start = Simulator::Now();
    Time arrived;
    ends.second->SetReceivedCallback(MakeBoundCallback(&ProbeArrived, &arrived));
    ends.first->Post(uint64_t{packets} * packet.payloadBytes, 1);
    Simulator::Run();
    double rate = 0;
    for (uint32_t port = 0; port < from->GetNPorts(); ++port)
    {
        rate += static_cast<double>(from->GetPort(port)->GetDataRate().GetBitRate());
    }
    const auto portRate =
        static_cast<double>(from->GetPort(portOfFrom)->GetDataRate().GetBitRate());
    const double wire = 8.0 * packet.GetWireBytes();
    return {(arrived - start).ToDouble(Time::S) - packets * wire / portRate,
            wire / packet.payloadBytes / rate};
}

} // namespace

FabricLinks
FabricLinks::Measure(const RailCluster& cluster, uint32_t packets)
{
    if (cluster.IsPhotonic())
    {
        StaticCircuitsHelper::LightRings(cluster);
        Simulator::Run(); // until there is light
    }
    FabricLinks links;
    if (cluster.GetNDomains() > 1)
    {
        // As neighbours on the ring of a rail are connected.
        const auto ports = RdmaHelper::GetRingPorts(cluster.GetNicPortCount());
        links.network = MeasurePorts(cluster.GetNic(0),
                                     ports.next[0],
                                     cluster.GetNic(cluster.GetGpusPerDomain()),
                                     ports.previous[0],
                                     packets);
    }
    else if (!cluster.HasScaleUpNetwork())
    {
        links.network = MeasurePorts(cluster.GetNic(0), 0, cluster.GetNic(1), 0, packets);
    }
    if (cluster.HasScaleUpNetwork() && cluster.GetGpusPerDomain() > 1)
    {
        links.domain =
            MeasurePorts(cluster.GetScaleUpNic(0), 0, cluster.GetScaleUpNic(1), 0, packets);
    }
    Simulator::Destroy();
    return links;
}

} // namespace ns3
