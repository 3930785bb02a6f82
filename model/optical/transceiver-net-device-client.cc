// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * What a TransceiverNetDevice does beside its MAC client, and without one: flow control by
 * priority, and the plain NetDevice with a transmit queue.
 */

#include "transceiver-net-device.h"

#include "ns3/drop-tail-queue.h"
#include "ns3/ethernet-header.h"
#include "ns3/queue.h"

namespace ns3
{

// --- the client ---------------------------------------------------------------------------------

void
MacClient::TakeArrivals(TransceiverNetDevice& port)
{
    port.DeliverDue();
}

bool
MacClient::AwaitArrival(TransceiverNetDevice&, const Time&)
{
    return false;
}

void
MacClient::Interrupt(TransceiverNetDevice&)
{
}

bool
MacClient::IsSendingAhead(const TransceiverNetDevice&) const
{
    return false;
}

void
MacClient::Settle(const TransceiverNetDevice&)
{
}

bool
TransceiverNetDevice::IsPlain() const
{
    const bool traced = !m_macTxTrace.IsEmpty() || !m_phyTxBeginTrace.IsEmpty() ||
                        !m_phyTxEndTrace.IsEmpty() || !m_phyTxDropTrace.IsEmpty() ||
                        !m_phyRxEndTrace.IsEmpty() || !m_phyRxDropTrace.IsEmpty() ||
                        !m_macRxTrace.IsEmpty() || !m_promiscSnifferTrace.IsEmpty();
    return !traced && !m_pfc && !m_receiveErrorModel;
}

bool
TransceiverNetDevice::IsUndisturbed() const
{
    return m_arrivals.empty() && IsPlain();
}

bool
TransceiverNetDevice::GetArrivals(std::vector<UnderWay>& frames) const
{
    for (std::size_t i = 0; i < m_arrivals.size(); ++i)
    {
        if (m_arrivals[i].epoch)
        {
            return false;
        }
        frames.push_back({m_arrivals[i].frame, m_arrivals[i].at});
    }
    return true;
}

void
TransceiverNetDevice::TakeOver()
{
    // Events that are pending find nothing to do.
    m_arrivals.clear();
    m_awaited = Time::Max();
    if (m_frameInService)
    {
        m_frameInService = nullptr;
        m_sending = false;
    }
}

void
TransceiverNetDevice::Launch(Ptr<Packet> frame, const LightPath& path, const Time& at)
{
    const Time duration = GetFrameTime(frame->GetSize());
    path.receiver->Arrive(frame, at, duration, m_headerTime, path.epoch);
}

void
TransceiverNetDevice::Occupy(Ptr<Packet> frame, const Time& rest)
{
    m_sending = true;
    m_frameInService = frame;
    m_busyUntil = Simulator::Now() + rest;
    if (!m_transmissionEnd->IsPending()) // or it is due at the same time, see TakeOver
    {
        m_transmissionEnd->Schedule(m_context, rest);
    }
}

uint64_t
TransceiverNetDevice::GetBytesSent() const
{
    if (m_client)
    {
        m_client->Settle(*this);
    }
    return m_bytesSent;
}

// --- flow control -------------------------------------------------------------------------------

PriorityFlowControl&
TransceiverNetDevice::GetPfc()
{
    if (!m_pfc)
    {
        PriorityFlowControl::Port& port = *this;
        m_pfc = std::make_unique<PriorityFlowControl>(
            port,
            m_address,
            m_rate.CalculateBytesTxTime(PfcHeader::QUANTUM_BITS / 8));
    }
    return *m_pfc;
}

void
TransceiverNetDevice::SendPfc(uint8_t priority, bool pause)
{
    Interrupt();
    GetPfc().Request(priority, pause);
}

uint64_t
TransceiverNetDevice::GetPfcFramesSent() const
{
    return m_pfc ? m_pfc->GetFramesSent() : 0;
}

uint64_t
TransceiverNetDevice::GetPfcFramesReceived() const
{
    return m_pfc ? m_pfc->GetFramesReceived() : 0;
}

bool
TransceiverNetDevice::TakeAsPfc(Ptr<Packet> frame)
{
    PfcHeader header;
    if (frame->PeekHeader(header) == 0)
    {
        return false;
    }
    m_pfcRxTrace(frame);
    GetPfc().Receive(header);
    return true;
}

void
TransceiverNetDevice::PfcFrameDue()
{
    Kick();
}

void
TransceiverNetDevice::PausedPrioritiesChanged(uint8_t priorities)
{
    const bool released = (m_pausedPriorities & ~priorities) != 0;
    m_pausedPriorities = priorities;
    if (released)
    {
        Kick();
    }
}

// --- the plain NetDevice ------------------------------------------------------------------------

bool
TransceiverNetDevice::Send(Ptr<Packet> packet, const Address& destination, uint16_t protocol)
{
    return SendFrom(packet, m_address, destination, protocol);
}

bool
TransceiverNetDevice::SendFrom(Ptr<Packet> packet,
                               const Address& source,
                               const Address& destination,
                               uint16_t protocol)
{
    if (m_client || packet->GetSize() > GetMtu())
    {
        return false; // a port has one user
    }
    if (!m_queue)
    {
        m_queue = CreateObject<DropTailQueue<Packet>>();
    }
    EthernetHeader header(false);
    header.SetSource(Mac48Address::ConvertFrom(source));
    header.SetDestination(Mac48Address::ConvertFrom(destination));
    header.SetLengthType(protocol);
    packet->AddHeader(header);
    if (!m_queue->Enqueue(packet))
    {
        m_macTxDropTrace(packet, QUEUE_FULL);
        return false;
    }
    Kick();
    return true;
}

void
TransceiverNetDevice::ReceiveAsNetDevice(Ptr<Packet> frame)
{
    EthernetHeader header(false);
    if (frame->GetSize() < header.GetSerializedSize())
    {
        return;
    }
    frame->RemoveHeader(header);
    const Mac48Address destination = header.GetDestination();
    PacketType type = PACKET_OTHERHOST;
    if (destination == m_address)
    {
        type = PACKET_HOST;
    }
    else if (destination.IsBroadcast())
    {
        type = PACKET_BROADCAST;
    }
    else if (destination.IsGroup())
    {
        type = PACKET_MULTICAST;
    }
    if (!m_promiscReceive.IsNull())
    {
        m_promiscReceive(this,
                         frame,
                         header.GetLengthType(),
                         header.GetSource(),
                         destination,
                         type);
    }
    if (type != PACKET_OTHERHOST && !m_receive.IsNull())
    {
        m_receive(this, frame, header.GetLengthType(), header.GetSource());
    }
}

bool
TransceiverNetDevice::NeedsArp() const
{
    return true;
}

bool
TransceiverNetDevice::SupportsSendFrom() const
{
    return true;
}

} // namespace ns3
