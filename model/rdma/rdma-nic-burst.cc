// SPDX-License-Identifier: GPL-2.0-only

// How RdmaNic begins and ends fast paths in bursts.

#include "rdma-nic.h"

#include "ns3/node.h"
#include "ns3/simulator.h"

namespace ns3
{

void
RdmaNic::SetFidelity(Fidelity fidelity)
{
    m_fidelity = fidelity;
    TurnToPackets();
}

void
RdmaNic::TraceWanted()
{
    TurnToPackets();
}

void
RdmaNic::TurnToPackets()
{
    for (auto& port : m_ports)
    {
        Interrupt(*port.device);
    }
}

RdmaNic::Fidelity
RdmaNic::GetFidelity() const
{
    return m_fidelity;
}

RdmaNic::Port*
RdmaNic::FindListener(const RdmaEndpoint& local, const RdmaEndpoint& remote)
{
    const uint32_t number = local.queuePair - FIRST_QUEUE_PAIR;
    if (m_fidelity != BURST || number >= m_queuePairs.size())
    {
        return nullptr;
    }
    const Slot& slot = m_queuePairs[number];
    Port& port = m_ports[slot.port];
    const RdmaEndpoint& peer = slot.queuePair->GetRemote();
    const bool others = port.data.size() > (slot.queued && !slot.resting ? 1 : 0);
    const bool fits = port.device->GetMacAddress() == local.mac && peer.mac == remote.mac &&
                      peer.queuePair == remote.queuePair && slot.queuePair->IsUndisturbed() &&
                      port.device->IsUndisturbed();
    return fits && !others && port.acks.empty() && port.resting.empty() && !port.fastPath ? &port
                                                                                          : nullptr;
}

FastPathHop::Way
RdmaNic::FindWay(FastPathHop& hop, EthernetPortNetDevice& port, const RdmaQueuePair& queuePair)
{
    const LightPath& path = port.GetPath();
    if (path.epoch || path.receiver->GetDataRate() != port.GetDataRate())
    {
        return {};
    }
    return hop.FindWay(*path.receiver, queuePair.GetFlow());
}

bool
RdmaNic::Converse(Port& port, RdmaQueuePair& queuePair)
{
    using Way = FastPathHop::Way;
    const RdmaEndpoint& local = queuePair.GetEndpoint();
    const RdmaEndpoint& remote = queuePair.GetRemote();
    if (FindListener(local, remote) != &port)
    {
        return false;
    }
    const LightPath path = port.device->GetPath();
    const uint32_t process = port.device->GetNode()->GetSystemId();
    if (!path.receiver || path.receiver->GetNode()->GetSystemId() != process)
    {
        return false; // in a distributed simulation the far end may be another process's
    }
    auto* hop = dynamic_cast<FastPathHop*>(path.receiver->GetMacClient());
    const FastPathHop::Way way = hop ? FindWay(*hop, *port.device, queuePair) : Way();
    EthernetPortNetDevice* const far = hop ? way.onward.receiver : path.receiver;
    if (!far || far->IsSending() || far->GetNode()->GetSystemId() != process)
    {
        return false;
    }
    auto* peer = dynamic_cast<RdmaNic*>(far->GetMacClient());
    Port* other = peer ? peer->FindListener(remote, local) : nullptr;
    if (!other || PeekPointer(other->device) != far)
    {
        return false;
    }
    const LightPath back = other->device->GetPath();
    Slot& listener = peer->m_queuePairs[remote.queuePair - FIRST_QUEUE_PAIR];
    const auto& sends = queuePair.GetRequester();
    const auto& answers = listener.queuePair->GetRequester();
    const auto& receives = queuePair.GetResponder();
    const auto& listens = listener.queuePair->GetResponder();
    const FastPathHop::Way wayBack = hop && back.receiver == way.output
                                         ? FindWay(*hop, *other->device, *listener.queuePair)
                                         : Way();
    if ((hop ? wayBack.onward.receiver : back.receiver) != PeekPointer(port.device) ||
        wayBack.output != (hop ? path.receiver : nullptr) ||
        sends.GetProgress().next != listens.GetExpectedPsn() ||
        answers.GetProgress().next != receives.GetExpectedPsn())
    {
        return false;
    }
    // The NIC of the peer decides at this instant, too, if it has something to send.
    const bool answering = listener.queued;
    port.data.pop_front();
    GetSlot(queuePair).queued = false;
    if (answering)
    {
        other->data.pop_front();
        listener.queued = false;
    }
    using PairEnd = FastPathPair::PairEnd;
    port.fastPath = Create<FastPathPair>(
        std::array<PairEnd, 2>{PairEnd{this, &queuePair, PeekPointer(port.device), path, way},
                               PairEnd{peer,
                                       PeekPointer(listener.queuePair),
                                       PeekPointer(other->device),
                                       back,
                                       wayBack}},
        hop);
    other->fastPath = port.fastPath;
    port.computed = m_statistics.burstPackets;
    other->computed = peer->m_statistics.burstPackets;
    if (hop)
    {
        hop->Join(*path.receiver, port.fastPath);
        hop->Join(*back.receiver, port.fastPath);
    }
    if (answering)
    {
        other->fastPath->Posted(*listener.queuePair);
    }
    port.fastPath->Decide(0);
    return true;
}

bool
RdmaNic::JoinsFastPath(Port& port, RdmaQueuePair& queuePair)
{
    if (port.fastPath->Posted(queuePair))
    {
        return true;
    }
    Interrupt(*port.device);
    return false;
}

void
RdmaNic::Interrupt(EthernetPortNetDevice& device)
{
    if (const Ptr<FastPath> fastPath = GetPortOf(device).fastPath)
    {
        fastPath->Leave();
    }
}

bool
RdmaNic::IsSendingAhead(const EthernetPortNetDevice& device) const
{
    const auto& fastPath = GetPortOf(device).fastPath;
    return fastPath && fastPath->IsSending(fastPath->GetEnd(device));
}

void
RdmaNic::Requeue(RdmaQueuePair& queuePair)
{
    Slot& slot = GetSlot(queuePair);
    slot.queued = true;
    m_ports[slot.port].data.push_back(&queuePair);
}

void
RdmaNic::EndFastPath(const EthernetPortNetDevice& device, bool reports)
{
    Port& port = GetPortOf(device);
    if (m_statistics.burstPackets - port.computed >= uint64_t{WORTHWHILE} * m_retryPackets)
    {
        port.retryPackets = m_retryPackets;
    }
    port.attempt = port.retryPackets;
    port.ended = reports ? port.fastPath : nullptr;
    port.fastPath = nullptr;
}

void
RdmaNic::TakeArrivals(EthernetPortNetDevice&)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    for (auto& port : m_ports)
    {
        if (port.ended)
        {
            const Ptr<FastPath> ended = std::move(port.ended);
            port.ended = nullptr;
            ended->DeliverDue(ended->GetEnd(*port.device));
        }
        port.device->DeliverDue();
        if (port.fastPath && port.fastPath->IsDue(*port.device, now))
        {
            const Ptr<FastPath> fastPath = port.fastPath;
            fastPath->DeliverDue(fastPath->GetEnd(*port.device));
        }
    }
}

void
RdmaNic::Settle(const EthernetPortNetDevice& device)
{
    if (const auto& fastPath = GetPortOf(device).fastPath)
    {
        fastPath->Settle();
    }
}

void
RdmaNic::Settle(const RdmaQueuePair& queuePair) const
{
    const uint32_t number = queuePair.GetEndpoint().queuePair - FIRST_QUEUE_PAIR;
    const auto& fastPath = m_ports[m_queuePairs[number].port].fastPath;
    if (fastPath && fastPath->Has(queuePair))
    {
        fastPath->Settle();
    }
}

void
RdmaNic::CountBurst(uint64_t packets, uint64_t bursts)
{
    m_statistics.burstPackets += packets;
    m_statistics.bursts += bursts;
}

} // namespace ns3
