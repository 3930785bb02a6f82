// SPDX-License-Identifier: GPL-2.0-only

#include "fast-path-star.h"

#include "rdma-nic.h"
#include "rdma-queue-pair.h"

#include "ns3/ethernet-port-net-device.h"

#include <algorithm>

namespace ns3
{

uint32_t
FastPathStar::GetNumber(const RdmaQueuePair& queuePair) const
{
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        if (m_qps[number].qp.queuePair == &queuePair)
        {
            return number;
        }
    }
    return Star::NOBODY;
}

uint32_t
FastPathStar::GetEnd(const EthernetPortNetDevice& port) const
{
    uint32_t end = 0;
    while (m_parties[end].party.port != &port)
    {
        ++end;
    }
    return end;
}

bool
FastPathStar::Has(const RdmaQueuePair& queuePair) const
{
    return GetNumber(queuePair) != Star::NOBODY;
}

// --- queries ------------------------------------------------------------------------------------

FastPathStar::Star::State
FastPathStar::GetPresent() const
{
    Star::State present = m_state;
    if (present.now < Now())
    {
        m_star.Run(present, Now(), false);
    }
    return present;
}

bool
FastPathStar::IsSending(uint32_t end) const
{
    // A transmission that ends at this time still counts.
    return GetPresent().ports[end].free >= Now();
}

bool
FastPathStar::IsPassing(const EthernetPortNetDevice& output) const
{
    uint32_t end = 0;
    while (m_parties[end].party.path.receiver != &output)
    {
        ++end;
    }
    return GetPresent().ports[end].passFree >= Now();
}

bool
FastPathStar::HasNews(uint32_t end, const Star::State& state) const
{
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        const SenderEntry& one = m_qps[number];
        const Star::QueuePairState& qp = state.qps[number];
        if (one.qp.end == end && (one.reported < qp.arriving || one.finished < qp.answered))
        {
            return true;
        }
    }
    return false;
}

bool
FastPathStar::IsQuiet() const
{
    if (m_looked && (m_visible || m_ends))
    {
        return false; // an event is pending
    }
    for (uint32_t end = 0; end < m_parties.size(); ++end)
    {
        if (m_parties[end].asked || m_parties[end].reporting || HasNews(end, m_state))
        {
            return false;
        }
    }
    return m_star.IsQuiet(GetPresent());
}

// --- time passes --------------------------------------------------------------------------------

void
FastPathStar::CatchUp()
{
    const int64_t now = Now();
    if (m_looked && m_visible && m_ahead.now == now)
    {
        std::swap(m_state, m_ahead);
        m_looked = false;
    }
    else if (m_looked && !m_visible && !m_ends && m_ahead.now <= now)
    {
        std::swap(m_state, m_ahead);
        m_looked = false;
        m_state.now = now; // the star is quiet: nothing has changed since
    }
    else if (m_state.now < now)
    {
        m_star.Run(m_state, now, true);
    }
}

bool
FastPathStar::Posted(const RdmaQueuePair& queuePair)
{
    const uint32_t number = GetNumber(queuePair);
    if (number == Star::NOBODY)
    {
        return false;
    }
    CatchUp();
    if (IsQuiet())
    {
        return false; // for a single busy queue pair a FastPathPair is faster
    }
    TakeMessages(number);
    m_star.Ready(m_state, number);
    m_looked = false;
    End& end = m_parties[m_qps[number].qp.end];
    end.asked = true;
    end.party.port->Kick();
    return true;
}

void
FastPathStar::Decide(uint32_t end)
{
    m_parties[end].asked = false;
    CatchUp();
    m_star.Decide(m_state, end);
    m_looked = false;
    LookAhead();
}

void
FastPathStar::LookAhead()
{
    for (uint32_t end = 0; end < m_parties.size(); ++end)
    {
        if (m_parties[end].asked || m_parties[end].reporting || HasNews(end, m_state))
        {
            return; // the pending decision or report calls LookAhead
        }
    }
    m_ahead = m_state;
    const bool split = m_star.IsSplit(m_state);
    const auto reason = split ? Star::FULL : m_star.Run(m_ahead, Star::NEVER, true);
    m_looked = true;
    m_visible = reason == Star::VISIBLE;
    m_ends = reason == Star::TIME_OUT || reason == Star::FULL;
    for (uint32_t end = 0; end < m_parties.size(); ++end)
    {
        m_parties[end].visibleAt =
            m_visible && HasNews(end, m_ahead) ? m_ahead.now : int64_t{Star::NEVER};
        if (m_ends && end == 0)
        {
            const int64_t at = reason == Star::TIME_OUT ? m_ahead.deadline - 1 : m_ahead.now;
            m_parties[end].visibleAt = std::max(Now(), at);
        }
        if (m_parties[end].visibleAt != Star::NEVER)
        {
            End& one = m_parties[end];
            WakeAt(one, end, *one.party.port, one.visibleAt);
        }
    }
}

void
FastPathStar::Woken(uint32_t end)
{
    End& one = m_parties[end];
    WakeUp(one, end, *one.party.port, *one.party.nic, !m_over && m_looked && m_ends);
}

bool
FastPathStar::IsDue(const EthernetPortNetDevice& port, int64_t now)
{
    m_parties[GetEnd(port)].takenAt = now;
    return !m_looked || (m_visible && m_ahead.now <= now);
}

void
FastPathStar::DeliverDue(uint32_t end)
{
    if (!m_over && m_looked && m_visible && m_ahead.now == Now())
    {
        CatchUp();
    }
    End& one = m_parties[end];
    if (!HasNews(end, m_state))
    {
        return;
    }
    const Ptr<FastPathStar> self(this); // callbacks may end and release it
    one.visibleAt = Star::NEVER;
    one.reporting = true;
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        SenderEntry& speaker = m_qps[number];
        if (speaker.qp.end != end)
        {
            continue;
        }
        const uint32_t peer = speaker.qp.peer;
        while (speaker.reported < m_state.qps[number].arriving)
        {
            const Star::Message message = m_star.GetMessage(peer, speaker.reported++);
            speaker.qp.queuePair->BurstArrived(message.immediate, message.payloadBytes);
        }
        const bool finishes = speaker.finished < m_state.qps[number].finishing;
        Finish(number);
        if (finishes && m_over)
        {
            one.party.nic->Ready(*speaker.qp.queuePair);
        }
        else if (finishes)
        {
            m_star.Ready(m_state, number);
        }
    }
    one.reporting = false;
    if (m_over)
    {
        return;
    }
    // After an arrival a message is usually posted at this end at the same time: let the port
    // decide before looking ahead.
    if (!one.asked)
    {
        one.asked = true;
        one.party.port->Kick();
    }
}

void
FastPathStar::Finish(uint32_t number)
{
    SenderEntry& speaker = m_qps[number];
    while (speaker.finished < m_state.qps[number].finishing)
    {
        m_star.ForgetBefore(number, ++speaker.finished);
        speaker.qp.queuePair->BurstFinished();
    }
}

// --- counters -----------------------------------------------------------------------------------

void
FastPathStar::Settle()
{
    if (!m_over)
    {
        Star::State present = GetPresent();
        SettleTo(present, false);
    }
}

void
FastPathStar::SettleTo(Star::State& state, bool inclusive)
{
    m_star.Enter(state, Now());
    m_hop.CountBurst(state.entered - m_settledFrames, state.depth);
    m_settledFrames = state.entered;
    for (uint32_t end = 0; end < m_parties.size(); ++end)
    {
        End& one = m_parties[end];
        const Star::PortState& port = state.ports[end];
        one.party.port->CountBytesSent(port.wireBytes - one.settledBytes);
        one.party.path.receiver->CountBytesSent(port.passedBytes - one.settledPassed);
        one.settledBytes = port.wireBytes;
        one.settledPassed = port.passedBytes;
    }
    for (uint32_t number = 0; number < m_qps.size(); ++number)
    {
        SenderEntry& one = m_qps[number];
        const End& end = m_parties[one.qp.end];
        const Star::QueuePairState& qp = state.qps[number];
        // A packet that arrives at this time counts once its NIC has processed its arrivals.
        const bool early = qp.receivedAt == Now() && !inclusive && end.takenAt != Now();
        const uint64_t received = qp.received - (early ? qp.lastBytes : 0);
        one.qp.queuePair->CountBurst(qp.packets - one.packets,
                                     qp.acks - one.acks,
                                     received - one.received);
        end.party.nic->CountBurst(qp.packets - one.packets, qp.bursts - one.bursts);
        one.packets = qp.packets;
        one.bursts = qp.bursts;
        one.acks = qp.acks;
        one.received = received;
    }
}

} // namespace ns3
