// SPDX-License-Identifier: GPL-2.0-only

// How RdmaNic begins and ends conversations in bursts.

#include "rdma-nic.h"

#include "ns3/node.h"
#include "ns3/simulator.h"

namespace ns3
{

void
RdmaNic::SetDetail(Detail detail)
{
    m_detail = detail;
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

RdmaNic::Detail
RdmaNic::GetDetail() const
{
    return m_detail;
}

RdmaNic::Port*
RdmaNic::FindListener(const RdmaEndpoint& local, const RdmaEndpoint& remote)
{
    const uint32_t number = local.queuePair - FIRST_QUEUE_PAIR;
    if (m_detail != BURST || number >= m_queuePairs.size())
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
    return fits && !others && port.acks.empty() && port.resting.empty() && !port.conversation
               ? &port
               : nullptr;
}

RdmaBurstHop::Way
RdmaNic::FindWay(RdmaBurstHop& hop, TransceiverNetDevice& port, const RdmaQueuePair& queuePair)
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
    using Way = RdmaBurstHop::Way;
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
    auto* hop = dynamic_cast<RdmaBurstHop*>(path.receiver->GetMacClient());
    const RdmaBurstHop::Way way = hop ? FindWay(*hop, *port.device, queuePair) : Way();
    TransceiverNetDevice* const far = hop ? way.onward.receiver : path.receiver;
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
    const RdmaBurstHop::Way wayBack = hop && back.receiver == way.output
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
    using Party = RdmaConversation::Party;
    port.conversation = Create<RdmaConversation>(
        std::array<Party, 2>{Party{this, &queuePair, PeekPointer(port.device), path, way},
                             Party{peer,
                                   PeekPointer(listener.queuePair),
                                   PeekPointer(other->device),
                                   back,
                                   wayBack}},
        hop);
    other->conversation = port.conversation;
    port.computed = m_statistics.burstPackets;
    other->computed = peer->m_statistics.burstPackets;
    if (hop)
    {
        hop->Join(*path.receiver, port.conversation);
        hop->Join(*back.receiver, port.conversation);
    }
    if (answering)
    {
        other->conversation->Posted(*listener.queuePair);
    }
    port.conversation->Decide(0);
    return true;
}

bool
RdmaNic::JoinsConversation(Port& port, RdmaQueuePair& queuePair)
{
    if (port.conversation->Posted(queuePair))
    {
        return true;
    }
    Interrupt(*port.device);
    return false;
}

void
RdmaNic::Interrupt(TransceiverNetDevice& device)
{
    if (const Ptr<RdmaAhead> conversation = GetPortOf(device).conversation)
    {
        conversation->Leave();
    }
}

bool
RdmaNic::IsSendingAhead(const TransceiverNetDevice& device) const
{
    const auto& conversation = GetPortOf(device).conversation;
    return conversation && conversation->IsSending(conversation->GetEnd(device));
}

void
RdmaNic::Requeue(RdmaQueuePair& queuePair)
{
    Slot& slot = GetSlot(queuePair);
    slot.queued = true;
    m_ports[slot.port].data.push_back(&queuePair);
}

void
RdmaNic::EndConversation(const TransceiverNetDevice& device, bool reports)
{
    Port& port = GetPortOf(device);
    if (m_statistics.burstPackets - port.computed >= uint64_t{WORTHWHILE} * m_patience)
    {
        port.patience = m_patience;
    }
    port.attempt = port.patience;
    port.ended = reports ? port.conversation : nullptr;
    port.conversation = nullptr;
}

void
RdmaNic::TakeArrivals(TransceiverNetDevice&)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    for (auto& port : m_ports)
    {
        if (port.ended)
        {
            const Ptr<RdmaAhead> ended = std::move(port.ended);
            port.ended = nullptr;
            ended->DeliverDue(ended->GetEnd(*port.device));
        }
        port.device->DeliverDue();
        if (port.conversation && port.conversation->IsDue(*port.device, now))
        {
            const Ptr<RdmaAhead> conversation = port.conversation;
            conversation->DeliverDue(conversation->GetEnd(*port.device));
        }
    }
}

void
RdmaNic::Settle(const TransceiverNetDevice& device)
{
    if (const auto& conversation = GetPortOf(device).conversation)
    {
        conversation->Settle();
    }
}

void
RdmaNic::Settle(const RdmaQueuePair& queuePair) const
{
    const uint32_t number = queuePair.GetEndpoint().queuePair - FIRST_QUEUE_PAIR;
    const auto& conversation = m_ports[m_queuePairs[number].port].conversation;
    if (conversation && conversation->Has(queuePair))
    {
        conversation->Settle();
    }
}

void
RdmaNic::CountBurst(uint64_t packets, uint64_t bursts)
{
    m_statistics.burstPackets += packets;
    m_statistics.bursts += bursts;
}

} // namespace ns3
