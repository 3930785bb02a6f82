// SPDX-License-Identifier: GPL-2.0-only

#include "fast-path-pair-discovery.h"

#include "fast-path-pair.h"
#include "rdma-nic.h"

#include "ns3/node.h"

#include <array>

namespace ns3
{

namespace
{

/**
 * @param nic a NIC
 * @param local a queue pair of the NIC
 * @param remote its peer
 * @return the port of the queue pair, if a FastPathPair could use both; otherwise null
 */
RdmaNicPort*
FindIdlePort(RdmaNic& nic, const RdmaEndpoint& local, const RdmaEndpoint& remote)
{
    RdmaQueuePair* const queuePair = nic.FindQueuePair(local.queuePair);
    if (!nic.UsesBursts() || !queuePair)
    {
        return nullptr;
    }
    RdmaNicPort& port = nic.GetPortOf(*queuePair);
    const RdmaEndpoint& peer = queuePair->GetRemote();
    const bool connected = port.device->GetMacAddress() == local.mac && peer.mac == remote.mac &&
                           peer.queuePair == remote.queuePair;
    const std::size_t own = queuePair->GetQueued().data ? 1 : 0;
    const bool alone = port.scheduler.GetData().size() <= own && port.scheduler.GetAcks().empty() &&
                       !port.scheduler.HasWaiting() && !port.fastPath.Get();
    return connected && queuePair->IsUndisturbed() && port.device->IsUndisturbed() && alone
               ? &port
               : nullptr;
}

/// @return the path of a queue pair through a switch; without an output if FastPathPair cannot use
/// it
FastPathHop::Way
FindWay(FastPathHop& hop, EthernetPortNetDevice& port, const RdmaQueuePair& queuePair)
{
    const LightPath& path = port.GetPath();
    if (path.epoch || path.receiver->GetDataRate() != port.GetDataRate())
    {
        return {};
    }
    return hop.FindWay(*path.receiver, queuePair.GetFlow());
}

} // namespace

bool
FastPathPairDiscovery::Start(RdmaNic& nic, RdmaQueuePair& queuePair)
{
    using Way = FastPathHop::Way;
    const RdmaEndpoint& local = queuePair.GetEndpoint();
    const RdmaEndpoint& remote = queuePair.GetRemote();
    RdmaNicPort* const port = FindIdlePort(nic, local, remote);
    if (!port)
    {
        return false;
    }
    EthernetPortNetDevice& device = *port->device;
    const LightPath path = device.GetPath();
    const uint32_t process = device.GetNode()->GetSystemId();
    if (!path.receiver || path.receiver->GetNode()->GetSystemId() != process)
    {
        return false; // another process of a distributed simulation simulates the far end
    }
    FastPathHop* const hop = FastPathHopOwner::Find(path.receiver->GetMacClient());
    const Way way = hop ? FindWay(*hop, device, queuePair) : Way();
    EthernetPortNetDevice* const far = hop ? way.onward.receiver : path.receiver;
    if (!far || far->IsSending() || far->GetNode()->GetSystemId() != process)
    {
        return false;
    }
    auto* peerNic = dynamic_cast<RdmaNic*>(far->GetMacClient());
    RdmaNicPort* const peerPort = peerNic ? FindIdlePort(*peerNic, remote, local) : nullptr;
    if (!peerPort || PeekPointer(peerPort->device) != far)
    {
        return false;
    }
    const LightPath back = far->GetPath();
    RdmaQueuePair& peer = *peerNic->FindQueuePair(remote.queuePair);
    const Way wayBack = hop && back.receiver == way.output ? FindWay(*hop, *far, peer) : Way();
    if ((hop ? wayBack.onward.receiver : back.receiver) != &device ||
        wayBack.output != (hop ? path.receiver : nullptr) ||
        queuePair.GetRequester().GetProgress().next != peer.GetResponder().GetExpectedPsn() ||
        peer.GetRequester().GetProgress().next != queuePair.GetResponder().GetExpectedPsn())
    {
        return false;
    }
    // A peer with data to send decides at this simulated time, too.
    const bool peerSends = peer.GetQueued().data;
    port->scheduler.Clear();
    peerPort->scheduler.Clear();
    using PairEnd = FastPathPair::PairEnd;
    const auto fastPath =
        Create<FastPathPair>(std::array<PairEnd, 2>{PairEnd{&nic, &queuePair, &device, path, way},
                                                    PairEnd{peerNic, &peer, far, back, wayBack}},
                             hop);
    port->fastPath.Begin(fastPath, nic.GetBurstPackets());
    peerPort->fastPath.Begin(fastPath, peerNic->GetBurstPackets());
    if (hop)
    {
        hop->Join(*path.receiver, fastPath);
        hop->Join(*back.receiver, fastPath);
    }
    if (peerSends)
    {
        fastPath->Posted(peer);
    }
    fastPath->Decide(0);
    return true;
}

} // namespace ns3
