// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-connection.h"

#include "rdma-queue-pair.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaConnection);

TypeId
RdmaConnection::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaConnection")
                            .SetParent<Object>()
                            .SetGroupName("PhotonicRails")
                            .AddConstructor<RdmaConnection>();
    return tid;
}

void
RdmaConnection::DoDispose()
{
    m_queuePairs.clear();
    m_unfinished.clear();
    m_sent = SentCallback();
    m_received = ReceivedCallback();
    m_drained = Callback<void>();
    Object::DoDispose();
}

void
RdmaConnection::AddQueuePair(Ptr<RdmaQueuePair> queuePair)
{
    // The queue pair keeps the connection alive, until the NIC disposes of the queue pair.
    const Ptr<RdmaConnection> self(this);
    queuePair->SetSentCallback(MakeCallback(&RdmaConnection::StripeSent, self));
    queuePair->SetReceivedCallback(MakeCallback(&RdmaConnection::StripeReceived, self));
    m_queuePairs.push_back(queuePair);
}

void
RdmaConnection::SetSentCallback(SentCallback sent)
{
    m_sent = sent;
}

void
RdmaConnection::SetReceivedCallback(ReceivedCallback received)
{
    m_received = received;
}

bool
RdmaConnection::IsPathOpen() const
{
    return std::all_of(m_queuePairs.begin(), m_queuePairs.end(), [](const auto& queuePair) {
        return queuePair->IsPathOpen();
    });
}

void
RdmaConnection::Post(uint64_t bytes, uint32_t immediate)
{
    NS_ABORT_MSG_IF(m_queuePairs.empty(), "a connection needs a queue pair before it can send");
    std::vector<RdmaQueuePair*> usable;
    for (const auto& queuePair : m_queuePairs)
    {
        if (queuePair->IsPathOpen() && !queuePair->HasFailed())
        {
            usable.push_back(PeekPointer(queuePair));
        }
    }
    if (usable.empty())
    {
        for (const auto& queuePair : m_queuePairs)
        {
            usable.push_back(PeekPointer(queuePair));
        }
    }
    // No empty stripes, but a message without data still needs one packet.
    const uint64_t stripes = std::clamp<uint64_t>(bytes, 1, usable.size());
    const auto inserted =
        m_unfinished.emplace(immediate, Unfinished{static_cast<uint32_t>(stripes), true}).second;
    NS_ABORT_MSG_UNLESS(inserted, "immediate value " << immediate << " is in use");
    for (uint64_t i = 0; i < stripes; ++i)
    {
        const uint64_t size = bytes / stripes + (i < bytes % stripes ? 1 : 0);
        usable[i]->Post(size, immediate);
    }
}

void
RdmaConnection::StripeSent(uint32_t immediate, bool delivered)
{
    const auto message = m_unfinished.find(immediate);
    NS_ASSERT(message != m_unfinished.end());
    message->second.delivered &= delivered;
    if (--message->second.stripes > 0)
    {
        return;
    }
    const bool whole = message->second.delivered;
    m_unfinished.erase(message);
    if (!m_sent.IsNull())
    {
        m_sent(immediate, whole);
    }
}

void
RdmaConnection::StripeReceived(uint32_t immediate, uint64_t bytes)
{
    if (!m_received.IsNull())
    {
        m_received(immediate, bytes);
    }
}

void
RdmaConnection::Pause(Callback<void> drained)
{
    m_drained = drained;
    m_draining = static_cast<uint32_t>(m_queuePairs.size());
    for (const auto& queuePair : m_queuePairs)
    {
        queuePair->Pause(
            MakeCallback(&RdmaConnection::QueuePairDrained, Ptr<RdmaConnection>(this)));
    }
}

void
RdmaConnection::QueuePairDrained()
{
    NS_ASSERT(m_draining > 0);
    if (--m_draining == 0 && !m_drained.IsNull())
    {
        Callback<void> report = m_drained;
        m_drained = Callback<void>();
        report();
    }
}

void
RdmaConnection::Resume()
{
    m_drained = Callback<void>();
    for (const auto& queuePair : m_queuePairs)
    {
        queuePair->Resume();
    }
}

} // namespace ns3
