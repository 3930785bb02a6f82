// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-port-scheduler.h"

#include "ip-frame.h"

#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

Ptr<Packet>
RdmaPortScheduler::NextAck()
{
    for (std::size_t untried = m_acks.size(); untried > 0; --untried)
    {
        RdmaQueuePair* const queuePair = m_acks.front();
        m_acks.pop_front();
        Ptr<Packet> frame;
        if (queuePair->HasAckToSend() && !m_port->IsPaused(queuePair->GetControlPriority()))
        {
            frame = queuePair->BuildAck();
        }
        if (queuePair->HasAckToSend())
        {
            m_acks.push_back(queuePair);
        }
        else
        {
            queuePair->GetQueued().ack = false;
        }
        if (frame)
        {
            return frame;
        }
    }
    return nullptr;
}

RdmaQueuePair*
RdmaPortScheduler::FindSender()
{
    if (!m_waiting.empty())
    {
        EndWaits();
    }
    std::size_t paused = 0;
    while (m_data.size() > paused)
    {
        RdmaQueuePair* const queuePair = m_data.front();
        if (!queuePair->HasDataToSend())
        {
            queuePair->GetQueued().data = false;
            m_data.pop_front();
            continue;
        }
        if (queuePair->IsPaced() && queuePair->GetNextSendTime() > Simulator::Now())
        {
            const Time until = queuePair->Rest();
            if (until > Simulator::Now())
            {
                queuePair->GetQueued().waiting = true;
                m_data.pop_front();
                m_waiting.push_back({until, queuePair});
                std::push_heap(m_waiting.begin(), m_waiting.end());
                continue;
            }
        }
        if (!m_port->IsPaused(queuePair->GetPriority()))
        {
            return queuePair;
        }
        m_data.pop_front();
        m_data.push_back(queuePair);
        ++paused;
    }
    if (!m_waiting.empty())
    {
        WakeUp();
    }
    return nullptr;
}

Ptr<Packet>
RdmaPortScheduler::NextData()
{
    RdmaQueuePair* const queuePair = m_data.front();
    Ptr<Packet> frame = queuePair->BuildData();
    if (m_data.size() > 1)
    {
        m_data.pop_front();
        m_data.push_back(queuePair);
    }
    return frame;
}

Ptr<Packet>
RdmaPortScheduler::NextBesidePackets()
{
    constexpr uint8_t control = RoceHeader::GetPriority(RoceHeader::CONTROL_TOS);
    const uint8_t priority = IpFrame(*m_port->PeekPacket()).GetPriority();
    const bool mayLeave = !m_port->IsPaused(priority);
    if (mayLeave && priority > control)
    {
        return m_port->TakePacket();
    }
    if (Ptr<Packet> ack = NextAck())
    {
        return ack;
    }
    if (mayLeave && priority == control)
    {
        return m_port->TakePacket();
    }
    const bool hasData = FindSender() != nullptr;
    if (!hasData || !mayLeave)
    {
        m_lead = 0;
        return hasData ? NextData() : mayLeave ? m_port->TakePacket() : nullptr;
    }
    const bool isTurnOfData = m_lead < 0;
    Ptr<Packet> frame = isTurnOfData ? NextData() : m_port->TakePacket();
    m_lead += isTurnOfData ? int64_t{frame->GetSize()} : -int64_t{frame->GetSize()};
    return frame;
}

void
RdmaPortScheduler::Remove(RdmaQueuePair& queuePair)
{
    for (Fifo<RdmaQueuePair*>* queue : {&m_data, &m_acks})
    {
        for (std::size_t left = queue->size(); left > 0; --left)
        {
            RdmaQueuePair* const one = queue->front();
            queue->pop_front();
            if (one != &queuePair)
            {
                queue->push_back(one);
            }
        }
    }
    m_waiting.erase(
        std::remove_if(m_waiting.begin(),
                       m_waiting.end(),
                       [&queuePair](const Waiting& one) { return one.queuePair == &queuePair; }),
        m_waiting.end());
    std::make_heap(m_waiting.begin(), m_waiting.end());
    queuePair.GetQueued() = {};
}

void
RdmaPortScheduler::Clear()
{
    for (; !m_acks.empty(); m_acks.pop_front())
    {
        m_acks.front()->GetQueued().ack = false;
    }
    for (; !m_data.empty(); m_data.pop_front())
    {
        m_data.front()->GetQueued().data = false;
    }
}

void
RdmaPortScheduler::Stop()
{
    if (m_wake)
    {
        m_wake->Disarm();
    }
}

bool
RdmaPortScheduler::ShortenWait(RdmaQueuePair& queuePair)
{
    const Time until = queuePair.IsPaced() ? queuePair.GetNextSendTime() : Simulator::Now();
    const auto wait =
        std::find_if(m_waiting.begin(), m_waiting.end(), [&queuePair](const Waiting& one) {
            return one.queuePair == &queuePair;
        });
    if (until >= wait->until)
    {
        return false;
    }
    wait->until = until;
    std::push_heap(m_waiting.begin(), wait + 1); // an earlier end only rises in the heap
    return true;
}

void
RdmaPortScheduler::EndWaits()
{
    while (!m_waiting.empty() && m_waiting.front().until <= Simulator::Now())
    {
        RdmaQueuePair* const queuePair = m_waiting.front().queuePair;
        queuePair->GetQueued().waiting = false;
        m_data.push_back(queuePair);
        std::pop_heap(m_waiting.begin(), m_waiting.end());
        m_waiting.pop_back();
    }
}

void
RdmaPortScheduler::WakeUp()
{
    const Time at = m_waiting.front().until;
    if (m_wake && m_wake->IsPending())
    {
        if (m_wakeAt <= at)
        {
            return; // the pending event schedules the next one
        }
        m_wake->Disarm(); // a pending event cannot be moved
        m_wake = nullptr;
    }
    if (!m_wake)
    {
        m_wake = Create<RecurringEvent>([port = m_port] { port->Decide(); });
    }
    m_wakeAt = at;
    m_wake->Schedule(m_port->GetNode()->GetId(), at - Simulator::Now());
}

} // namespace ns3
