// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-connection.h"

#include "rdma-queue-pair.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <algorithm>
#include <numeric>

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
    const auto index = static_cast<uint32_t>(m_queuePairs.size());
    NS_ABORT_MSG_IF(index == 64, "a connection has 64 queue pairs at most");
    queuePair->SetSentCallback(MakeCallback(&RdmaConnection::StripeSent, self).Bind(index));
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
    std::vector<uint32_t> usable;
    for (uint32_t i = 0; i < m_queuePairs.size(); ++i)
    {
        if (m_queuePairs[i]->IsPathOpen() && !m_queuePairs[i]->HasFailed())
        {
            usable.push_back(i);
        }
    }
    if (usable.empty())
    {
        usable.resize(m_queuePairs.size());
        std::iota(usable.begin(), usable.end(), 0);
    }
    // No empty stripes, but a message without data still needs one packet.
    usable.resize(std::clamp<uint64_t>(bytes, 1, usable.size()));
    Unfinished message;
    for (const uint32_t index : usable)
    {
        message.stripes |= uint64_t{1} << index;
    }
    m_unfinished.emplace(immediate, message);
    const uint64_t stripes = usable.size();
    for (uint64_t i = 0; i < stripes; ++i)
    {
        const uint64_t size = bytes / stripes + (i < bytes % stripes ? 1 : 0);
        m_queuePairs[usable[i]]->Post(size, immediate);
    }
}

void
RdmaConnection::StripeSent(uint32_t index, uint32_t immediate, bool delivered)
{
    // A queue pair finishes in order: this is its stripe of the first message that waits for one.
    const uint64_t stripe = uint64_t{1} << index;
    auto message = m_unfinished.lower_bound(immediate);
    while ((message->second.stripes & stripe) == 0)
    {
        ++message;
        NS_ASSERT(message != m_unfinished.end() && message->first == immediate);
    }
    message->second.stripes &= ~stripe;
    message->second.delivered &= delivered;
    ReportFinished(immediate);
}

void
RdmaConnection::ReportFinished(uint32_t immediate)
{
    // A report may post more, so each message is taken off before it is reported.
    for (auto message = m_unfinished.lower_bound(immediate);
         message != m_unfinished.end() && message->first == immediate &&
         message->second.stripes == 0;
         message = m_unfinished.lower_bound(immediate))
    {
        const bool delivered = message->second.delivered;
        m_unfinished.erase(message);
        if (!m_sent.IsNull())
        {
            m_sent(immediate, delivered);
        }
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
