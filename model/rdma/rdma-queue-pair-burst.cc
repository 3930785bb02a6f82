// SPDX-License-Identifier: GPL-2.0-only

// What RdmaQueuePair hands over to a burst, and takes back.

#include "rdma-nic.h"
#include "rdma-queue-pair.h"

#include "ns3/ethernet-port-net-device.h"

namespace ns3
{

void
RdmaQueuePair::Interrupt()
{
    if (m_nic)
    {
        m_nic->Interrupt(*m_port);
    }
}

bool
RdmaQueuePair::IsUndisturbed() const
{
    return m_pathOpen && !m_cnpDue && m_requester.IsUndisturbed() && m_responder.IsUndisturbed();
}

bool
RdmaQueuePair::IsOrderly() const
{
    return m_pathOpen && !m_cnpDue && m_requester.IsOrderly() && m_responder.IsOrderly();
}

bool
RdmaQueuePair::IsBusy() const
{
    const RdmaRequester::Progress progress = m_requester.GetProgress();
    return progress.next != progress.unacked || m_requester.HasDataToSend() ||
           m_responder.IsAckDue();
}

void
RdmaQueuePair::BeginBurst()
{
    m_requester.GetTimer().Stop();
    m_responder.ForgetAck();
}

void
RdmaQueuePair::OweAck()
{
    m_responder.SetAckDue();
}

FastPathHop::Flow
RdmaQueuePair::GetFlow() const
{
    const uint32_t bytes = m_requester.GetMtu() + RoceHeader::MAX_BYTES + RoceHeader::ICRC_BYTES;
    return {m_header,
            GetPriority(),
            GetControlPriority(),
            EthernetPortNetDevice::GetWireBytes(bytes)};
}

FastPathPairState::Size
RdmaQueuePair::GetAckSize() const
{
    constexpr uint32_t bytes =
        RoceHeader::BASE_BYTES + RoceHeader::AETH_BYTES + RoceHeader::ICRC_BYTES;
    return {m_port->GetFrameTime(bytes).GetTimeStep(), EthernetPortNetDevice::GetWireBytes(bytes)};
}

FastPathPairState::Message
RdmaQueuePair::GetBurstMessage(const RdmaSendQueue::Message& message) const
{
    const auto size = [this, &message](uint64_t index) -> FastPathPairState::Size {
        const uint32_t bytes = m_requester.GetQueue().GetFrameBytes(message, index);
        return {m_port->GetFrameTime(bytes).GetTimeStep(),
                EthernetPortNetDevice::GetWireBytes(bytes)};
    };
    FastPathPairState::Message burst;
    burst.firstPsn = message.firstPsn;
    burst.packets = message.packets;
    burst.payloadBytes = message.bytes;
    burst.immediate = message.immediate;
    burst.awaited = message.signaled || m_nic->IsCompletionTraced();
    burst.last = size(message.packets - 1);
    burst.first = message.packets > 1 ? size(0) : burst.last;
    burst.middle = message.packets > 2 ? size(1) : burst.first;
    return burst;
}

void
RdmaQueuePair::BurstArrived(uint32_t immediate, uint64_t bytes)
{
    Arrived(immediate, bytes);
}

void
RdmaQueuePair::BurstFinished()
{
    m_requester.FinishMessage();
}

void
RdmaQueuePair::CountBurst(uint64_t packets, uint64_t acks, uint64_t bytesReceived)
{
    m_statistics.dataPacketsSent += packets;
    m_statistics.acksSent += acks;
    m_statistics.bytesDelivered += bytesReceived;
}

void
RdmaQueuePair::EndBurst(const RdmaRequester::Progress& progress)
{
    m_requester.SetProgress(progress);
}

void
RdmaQueuePair::EndBurst(uint64_t psn, uint64_t bytes, uint32_t messages, bool ackDue)
{
    m_responder.SetProgress(psn, bytes, messages);
    if (ackDue)
    {
        m_responder.SetAckDue();
    }
}

Ptr<Packet>
RdmaQueuePair::BuildDataAt(uint64_t psn, bool asks)
{
    m_header.tos = m_tos;
    m_requester.FillSent(m_header, psn, asks);
    return BuildFrame();
}

Ptr<Packet>
RdmaQueuePair::BuildAckAt(uint64_t psn, uint32_t messages)
{
    m_header.tos = m_controlTos;
    RdmaResponder::FillSent(m_header, psn, messages);
    return BuildFrame();
}

} // namespace ns3
