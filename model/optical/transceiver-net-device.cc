// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * How a TransceiverNetDevice sends, follows its light, and receives.
 */

#include "transceiver-net-device.h"

#include "fibre-channel.h"
#include "optical-circuit-switch.h"

#include "ns3/abort.h"
#include "ns3/error-model.h"
#include "ns3/queue.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

Time
TransceiverNetDevice::GetFrameTime(uint32_t bytes)
{
    for (const auto& known : m_frameTimes)
    {
        if (known.bytes == bytes)
        {
            return known.time;
        }
    }
    auto& entry = m_frameTimes[m_nextFrameTime++ % m_frameTimes.size()];
    entry = FrameTime{bytes, m_rate.CalculateBytesTxTime(GetWireBytes(bytes))};
    return entry.time;
}

// --- sending ------------------------------------------------------------------------------------

void
TransceiverNetDevice::Kick()
{
    if (m_sending || !m_lit)
    {
        return;
    }
    if (!m_client)
    {
        TransmitNext();
    }
    else if (!m_decision->IsPending())
    {
        m_decision->Schedule(m_context, Time(0));
    }
}

void
TransceiverNetDevice::Decide()
{
    if (m_sending || !m_lit)
    {
        return;
    }
    m_sending = true; // who kicks the port while arrivals are taken finds it busy
    TakeArrivals();
    m_sending = m_frameInService != nullptr; // see Occupy
    if (m_lit && !m_sending)
    {
        TransmitNext();
    }
}

Ptr<Packet>
TransceiverNetDevice::TakeFrame()
{
    Ptr<Packet> frame;
    if (m_pfc)
    {
        m_pfc->CatchUp();
        frame = m_pfc->TakeFrame();
    }
    if (!frame)
    {
        frame = m_client ? m_client->NextFrame(*this) : (m_queue ? m_queue->Dequeue() : nullptr);
        if (frame)
        {
            m_macTxTrace(frame);
            return frame;
        }
        // To be asked may have made the client pause or resume a priority of this very port.
        frame = m_pfc ? m_pfc->TakeFrame() : nullptr;
    }
    if (frame)
    {
        m_pfcTxTrace(frame);
    }
    return frame;
}

void
TransceiverNetDevice::TransmitNext()
{
    m_sending = true; // who kicks the port while it looks for a frame finds it busy
    Ptr<Packet> frame = TakeFrame();
    if (!frame)
    {
        m_sending = false;
        return;
    }
    m_promiscSnifferTrace(frame);
    m_phyTxBeginTrace(frame);

    const Time duration = GetFrameTime(frame->GetSize());
    m_bytesSent += GetWireBytes(frame->GetSize());
    m_transmissionEnd->Schedule(m_context, duration);
    m_busyUntil = Simulator::Now() + duration;
    const LightPath& path = ResolvePath();
    if (path.receiver)
    {
        path.receiver->Arrive(frame, m_busyUntil + path.delay, duration, m_headerTime, path.epoch);
    }
    else
    {
        m_phyTxDropTrace(frame, NO_LIGHT);
        if (path.darkAt)
        {
            path.darkAt->CountLoss(path.darkPort,
                                   frame->GetSize() * 8,
                                   OpticalCircuitSwitch::NO_CIRCUIT);
        }
    }
    m_frameInService = frame;
}

void
TransceiverNetDevice::TransmissionEnded()
{
    if (!m_frameInService)
    {
        return; // see TakeOver
    }
    m_phyTxEndTrace(m_frameInService);
    m_frameInService = nullptr;
    if (m_client)
    {
        m_client->TakeArrivals(*this); // while this port still counts as busy
    }
    m_sending = false;
    if (m_lit)
    {
        TransmitNext();
    }
}

const LightPath&
TransceiverNetDevice::ResolvePath()
{
    const bool stale = !m_pathKnown || (m_path.epoch && !m_path.epoch->IsLit());
    if (stale)
    {
        m_path = LightPath{};
        if (FibreChannel* fibre = m_failed ? nullptr : GetFibre())
        {
            if (FibreNetDevice* far = fibre->GetFarEnd(this))
            {
                m_path.delay = fibre->GetDelay();
                far->FollowLight(m_path);
            }
        }
        m_pathKnown = m_path.receiver != nullptr;
    }
    return m_path;
}

// --- light --------------------------------------------------------------------------------------

void
TransceiverNetDevice::FollowLight(LightPath& path)
{
    path.receiver = m_failed ? nullptr : this;
}

void
TransceiverNetDevice::SetFailed(bool failed)
{
    if (failed == m_failed)
    {
        return;
    }
    TakeArrivals();
    Interrupt();
    LightPath path = ResolvePath();
    m_failed = failed;
    m_pathKnown = false;
    m_failure(this, failed);
    LightChanged();
    path = failed ? path : ResolvePath();
    if (path.receiver)
    {
        // Keeping a reference: the device must outlive the event.
        Simulator::ScheduleWithContext(path.receiver->m_context,
                                       path.delay,
                                       &TransceiverNetDevice::LightChanged,
                                       Ptr<TransceiverNetDevice>(path.receiver));
    }
}

void
TransceiverNetDevice::FarEndChanged()
{
    LightChanged();
}

void
TransceiverNetDevice::LightChanged()
{
    NS_ABORT_MSG_IF(Time::GetResolution() != Time::PS && Time::GetResolution() != Time::FS,
                    "call Time::SetResolution(Time::PS) first: in nanoseconds the times of "
                    "frames would be rounded and drift");
    m_pathKnown = false;
    const TransceiverNetDevice* receiver = ResolvePath().receiver;
    const bool lit = receiver != nullptr;
    if (lit == m_lit && (!lit || receiver->m_address == m_partner.address))
    {
        m_partner.forwards = lit ? receiver->m_forwards : m_partner.forwards;
        return;
    }
    if (m_client)
    {
        m_client->TakeArrivals(*this); // they came by the old light
        m_client->Interrupt(*this);
    }
    m_lit = lit;
    if (m_lit)
    {
        m_partner = LinkPartner{receiver->m_address, receiver->m_forwards};
    }
    // The client first: listeners may make it send, and it has to know to whom this port leads.
    if (m_client)
    {
        m_client->LinkChanged(*this);
    }
    if (m_pfc)
    {
        m_pfc->LinkChanged();
    }
    NotifyLinkChange();
    Kick();
}

// --- receiving ----------------------------------------------------------------------------------

void
TransceiverNetDevice::Arrive(Ptr<Packet> frame,
                             Time at,
                             Time duration,
                             Time header,
                             const Ptr<LightEpoch>& epoch)
{
    if (!m_handOver.IsNull())
    {
        m_handOver(frame, at - duration);
        return;
    }
    if (m_early && !epoch)
    {
        duration -= header;
        at -= duration;
    }
    if (m_arrivals.empty() || m_arrivals.back().at <= at)
    {
        m_arrivals.push_back(Arrival{std::move(frame), at, duration, epoch});
        if (m_arrivals.size() == 1)
        {
            AwaitArrival();
        }
        return;
    }
    // A frame from a nearer sender overtakes one that a dying circuit has already cut off.
    std::size_t place = m_arrivals.size();
    while (place > 0 && at < m_arrivals[place - 1].at)
    {
        --place;
    }
    m_arrivals.insert(place, Arrival{std::move(frame), at, duration, epoch});
    if (m_nextArrival->IsPending())
    {
        Simulator::ScheduleWithContext(m_context,
                                       at - Simulator::Now(),
                                       &TransceiverNetDevice::TakeArrivals,
                                       Ptr<TransceiverNetDevice>(this));
    }
    else if (place == 0)
    {
        AwaitArrival();
    }
}

void
TransceiverNetDevice::AwaitArrival()
{
    const Time& at = m_arrivals.front().at;
    if (m_nextArrival->IsPending())
    {
        return;
    }
    if (m_client && m_client->AwaitArrival(*this, at))
    {
        m_awaited = at;
        return;
    }
    m_nextArrival->Schedule(m_context, at - Simulator::Now());
}

void
TransceiverNetDevice::ArrivalDue()
{
    TakeArrivals();
    if (!m_arrivals.empty())
    {
        AwaitArrival();
    }
}

void
TransceiverNetDevice::TakeArrivals()
{
    if (m_client)
    {
        m_client->TakeArrivals(*this);
    }
    else
    {
        DeliverDue();
    }
}

void
TransceiverNetDevice::DeliverAwaited(const Time& at)
{
    if (at != m_awaited)
    {
        return;
    }
    m_awaited = Time::Max();
    DeliverDue();
    if (!m_arrivals.empty())
    {
        AwaitArrival();
    }
}

void
TransceiverNetDevice::DeliverUntil(const Time& now)
{
    while (!m_arrivals.empty() && m_arrivals.front().at <= now)
    {
        const Arrival arrival = std::move(m_arrivals.front());
        m_arrivals.pop_front();
        Deliver(arrival);
    }
}

bool
TransceiverNetDevice::IsCutOff(const Arrival& arrival)
{
    if (!arrival.epoch || arrival.epoch->IsLit())
    {
        return false;
    }
    // The last fibre of the path is this port's own, so the frame's last bit passed the switch one
    // fibre delay ago.
    const Time passed = arrival.at - GetFibre()->GetDelay();
    const Time darkFor = passed - arrival.epoch->GetDarkSince();
    if (!darkFor.IsStrictlyPositive())
    {
        return false;
    }
    const uint64_t bits = uint64_t{arrival.frame->GetSize()} * 8;
    const double part = std::min(1.0, darkFor.GetDouble() / arrival.duration.GetDouble());
    arrival.epoch->GetSwitch()->CountLoss(arrival.epoch->GetEntryPort(),
                                          static_cast<uint64_t>(bits * part + 0.5),
                                          OpticalCircuitSwitch::CIRCUIT_DOWN);
    return true;
}

void
TransceiverNetDevice::Deliver(const Arrival& arrival)
{
    Interrupt(); // a frame where there should have been none
    if (m_failed || IsCutOff(arrival))
    {
        m_phyRxDropTrace(arrival.frame, LIGHT_LOST);
        return;
    }
    if (m_receiveErrorModel && m_receiveErrorModel->IsCorrupt(arrival.frame))
    {
        ++m_framesCorrupted;
        m_phyRxDropTrace(arrival.frame, CORRUPTED);
        return;
    }
    m_phyRxEndTrace(arrival.frame);
    m_promiscSnifferTrace(arrival.frame);
    if (arrival.frame->GetSize() == PfcHeader::FRAME_BYTES && TakeAsPfc(arrival.frame))
    {
        return;
    }
    m_macRxTrace(arrival.frame);
    m_restOfArrival = m_early && !arrival.epoch ? arrival.duration : Time(0);
    if (m_client)
    {
        m_client->Receive(*this, arrival.frame);
    }
    else
    {
        ReceiveAsNetDevice(arrival.frame->Copy());
    }
}

Time
TransceiverNetDevice::GetRestOfFrame(uint32_t bytes)
{
    return GetFrameTime(bytes) - m_headerTime;
}

Time
TransceiverNetDevice::GetPathDelay()
{
    return ResolvePath().delay;
}

} // namespace ns3
