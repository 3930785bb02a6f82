// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-gathering.h"

#include "rdma-nic.h"
#include "rdma-queue-pair.h"

#include "ns3/transceiver-net-device.h"

#include <algorithm>

namespace ns3
{

uint32_t
RdmaGathering::GetNumber(const RdmaQueuePair& queuePair) const
{
    for (uint32_t number = 0; number < m_talkers.size(); ++number)
    {
        if (m_talkers[number].talker.queuePair == &queuePair)
        {
            return number;
        }
    }
    return Star::NOBODY;
}

uint32_t
RdmaGathering::GetEnd(const TransceiverNetDevice& port) const
{
    uint32_t end = 0;
    while (m_parties[end].party.port != &port)
    {
        ++end;
    }
    return end;
}

bool
RdmaGathering::Has(const RdmaQueuePair& queuePair) const
{
    return GetNumber(queuePair) != Star::NOBODY;
}

// --- queries ------------------------------------------------------------------------------------

RdmaGathering::Star::State
RdmaGathering::GetPresent() const
{
    Star::State present = m_state;
    if (present.now < Now())
    {
        m_star.Run(present, Now(), false);
    }
    return present;
}

bool
RdmaGathering::IsSending(uint32_t end) const
{
    // A transmission that ends at this time still counts.
    return GetPresent().ports[end].free >= Now();
}

bool
RdmaGathering::IsPassing(const TransceiverNetDevice& output) const
{
    uint32_t end = 0;
    while (m_parties[end].party.path.receiver != &output)
    {
        ++end;
    }
    return GetPresent().ports[end].passFree >= Now();
}

bool
RdmaGathering::HasNews(uint32_t end, const Star::State& state) const
{
    for (uint32_t number = 0; number < m_talkers.size(); ++number)
    {
        const Speaker& one = m_talkers[number];
        const Star::TalkerState& talker = state.talkers[number];
        if (one.talker.end == end &&
            (one.reported < talker.arriving || one.finished < talker.answered))
        {
            return true;
        }
    }
    return false;
}

bool
RdmaGathering::IsQuiet() const
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
RdmaGathering::CatchUp()
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
RdmaGathering::Posted(const RdmaQueuePair& queuePair)
{
    const uint32_t number = GetNumber(queuePair);
    if (number == Star::NOBODY)
    {
        return false;
    }
    CatchUp();
    if (IsQuiet())
    {
        return false; // for a single busy queue pair an RdmaConversation is faster
    }
    TakeMessages(number);
    m_star.Ready(m_state, number);
    m_looked = false;
    End& end = m_parties[m_talkers[number].talker.end];
    end.asked = true;
    end.party.port->Kick();
    return true;
}

void
RdmaGathering::Decide(uint32_t end)
{
    m_parties[end].asked = false;
    CatchUp();
    m_star.Decide(m_state, end);
    m_looked = false;
    LookAhead();
}

void
RdmaGathering::LookAhead()
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
RdmaGathering::Woken(uint32_t end)
{
    End& one = m_parties[end];
    WakeUp(one, end, *one.party.port, *one.party.nic, !m_over && m_looked && m_ends);
}

bool
RdmaGathering::IsDue(const TransceiverNetDevice& port, int64_t now)
{
    m_parties[GetEnd(port)].takenAt = now;
    return !m_looked || (m_visible && m_ahead.now <= now);
}

void
RdmaGathering::DeliverDue(uint32_t end)
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
    const Ptr<RdmaGathering> self(this); // callbacks may end and release it
    one.visibleAt = Star::NEVER;
    one.reporting = true;
    for (uint32_t number = 0; number < m_talkers.size(); ++number)
    {
        Speaker& speaker = m_talkers[number];
        if (speaker.talker.end != end)
        {
            continue;
        }
        const uint32_t peer = speaker.talker.peer;
        while (speaker.reported < m_state.talkers[number].arriving)
        {
            const Star::Message message = m_star.GetMessage(peer, speaker.reported++);
            speaker.talker.queuePair->BurstArrived(message.immediate, message.payloadBytes);
        }
        const bool finishes = speaker.finished < m_state.talkers[number].finishing;
        Finish(number);
        if (finishes && m_over)
        {
            one.party.nic->Ready(*speaker.talker.queuePair);
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
RdmaGathering::Finish(uint32_t number)
{
    Speaker& speaker = m_talkers[number];
    while (speaker.finished < m_state.talkers[number].finishing)
    {
        m_star.ForgetBefore(number, ++speaker.finished);
        speaker.talker.queuePair->BurstFinished();
    }
}

// --- counters -----------------------------------------------------------------------------------

void
RdmaGathering::Settle()
{
    if (!m_over)
    {
        Star::State present = GetPresent();
        SettleTo(present, false);
    }
}

void
RdmaGathering::SettleTo(Star::State& state, bool inclusive)
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
    for (uint32_t number = 0; number < m_talkers.size(); ++number)
    {
        Speaker& one = m_talkers[number];
        const End& end = m_parties[one.talker.end];
        const Star::TalkerState& talker = state.talkers[number];
        // A packet that arrives at this time counts once its NIC has processed its arrivals.
        const bool early = talker.receivedAt == Now() && !inclusive && end.takenAt != Now();
        const uint64_t received = talker.received - (early ? talker.lastBytes : 0);
        one.talker.queuePair->CountBurst(talker.packets - one.packets,
                                         talker.acks - one.acks,
                                         received - one.received);
        end.party.nic->CountBurst(talker.packets - one.packets, talker.bursts - one.bursts);
        one.packets = talker.packets;
        one.bursts = talker.bursts;
        one.acks = talker.acks;
        one.received = received;
    }
}

} // namespace ns3
