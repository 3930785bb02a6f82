// SPDX-License-Identifier: GPL-2.0-only

#include "rdma-connection.h"

#include "rdma-queue-pair.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/log.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaConnection");
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
    m_spare.clear();
    m_sent = SentCallback();
    m_received = ReceivedCallback();
    m_drained = Callback<void>();
    Object::DoDispose();
}

void
RdmaConnection::AddQueuePair(Ptr<RdmaQueuePair> queuePair)
{
    NS_LOG_FUNCTION(this << queuePair);
    // The callback keeps the connection alive until the NIC disposes of the queue pair.
    const Ptr<RdmaConnection> self(this);
    const auto index = static_cast<uint32_t>(m_queuePairs.size());
    NS_ABORT_MSG_IF(index == MAX_QUEUE_PAIRS, "a connection has 64 queue pairs at most");
    queuePair->SetSentCallback([self, index](uint32_t immediate, bool delivered) {
        self->StripeSent(index, immediate, delivered);
    });
    queuePair->SetReceivedCallback(
        [self](uint32_t immediate, uint64_t bytes) { self->StripeReceived(immediate, bytes); });
    m_queuePairs.push_back(queuePair);
}

bool
RdmaConnection::IsPathOpen() const
{
    return std::all_of(m_queuePairs.begin(), m_queuePairs.end(), [](const auto& queuePair) {
        return queuePair->IsPathOpen();
    });
}

std::string
RdmaConnection::DescribeTrouble() const
{
    for (const auto& queuePair : m_queuePairs)
    {
        if (auto trouble = queuePair->DescribeTrouble(); !trouble.empty())
        {
            return trouble;
        }
    }
    return "";
}

void
RdmaConnection::Post(uint64_t bytes, uint32_t immediate, bool signaled)
{
    NS_LOG_FUNCTION(this << bytes << immediate << signaled);
    NS_ABORT_MSG_IF(m_queuePairs.empty(), "a connection needs a queue pair before it can send");
    std::array<uint32_t, MAX_QUEUE_PAIRS> usable; // indices of queue pairs, one for each stripe
    uint64_t stripes = 0;
    for (uint32_t i = 0; i < m_queuePairs.size(); ++i)
    {
        if (m_queuePairs[i]->IsPathOpen() && !m_queuePairs[i]->HasFailed())
        {
            usable[stripes++] = i;
        }
    }
    if (stripes == 0)
    {
        NS_LOG_LOGIC("message " << immediate << " waits: no queue pair has a path");
        stripes = m_queuePairs.size();
        std::iota(usable.begin(), usable.begin() + stripes, 0);
    }
    // No empty stripes, but a message without data still needs one packet.
    stripes = std::clamp<uint64_t>(bytes, 1, stripes);
    Unfinished message;
    for (uint64_t i = 0; i < stripes; ++i)
    {
        message.stripes |= uint64_t{1} << usable[i];
    }
    if (signaled)
    {
        // Queue pairs without a stripe of this message may have unfinished unsignaled stripes.
        message.others = Signal(m_unsignaled & ~message.stripes);
        m_unsignaled = 0;
        Keep(immediate, message);
    }
    else
    {
        m_unsignaled |= message.stripes;
    }
    for (uint64_t i = 0; i < stripes; ++i)
    {
        const uint64_t size = bytes / stripes + (i < bytes % stripes ? 1 : 0);
        m_queuePairs[usable[i]]->Post(size, immediate, signaled);
    }
}

uint64_t
RdmaConnection::Signal(uint64_t queuePairs)
{
    uint64_t busy = 0;
    for (uint32_t i = 0; i < m_queuePairs.size() && queuePairs != 0; ++i)
    {
        const uint64_t bit = uint64_t{1} << i;
        busy |= (queuePairs & bit) != 0 && m_queuePairs[i]->Signal() ? bit : 0;
    }
    return busy;
}

void
RdmaConnection::Keep(uint32_t immediate, const Unfinished& message)
{
    if (m_spare.empty())
    {
        m_unfinished.emplace(immediate, message);
        return;
    }
    Messages::node_type node = std::move(m_spare.back());
    m_spare.pop_back();
    node.key() = immediate;
    node.mapped() = message;
    m_unfinished.insert(std::move(node)); // behind messages with the same value
}

void
RdmaConnection::StripeSent(uint32_t index, uint32_t immediate, bool delivered)
{
    // A queue pair finishes stripes in order: this stripe belongs to the first message that waits
    // for one of this queue pair.
    const uint64_t stripe = uint64_t{1} << index;
    auto message = m_unfinished.lower_bound(immediate);
    while (message != m_unfinished.end() && message->first == immediate &&
           (message->second.stripes & stripe) == 0)
    {
        ++message;
    }
    if (message == m_unfinished.end() || message->first != immediate)
    {
        UnsignaledSent(stripe, immediate, delivered);
        return;
    }
    message->second.stripes &= ~stripe;
    message->second.delivered &= delivered;
    ReportFinished(immediate);
}

void
RdmaConnection::UnsignaledSent(uint64_t stripe, uint32_t immediate, bool delivered)
{
    if (!delivered && !m_sent.IsNull())
    {
        m_sent(immediate, false);
    }
    const auto waits = [stripe](const auto& one) { return (one.second.others & stripe) != 0; };
    const auto message = std::find_if(m_unfinished.begin(), m_unfinished.end(), waits);
    if (message != m_unfinished.end())
    {
        message->second.others &= ~stripe;
        message->second.delivered &= delivered;
        ReportFinished(message->first);
    }
}

void
RdmaConnection::ReportFinished(uint32_t immediate)
{
    // The callback may post messages, so remove each message before it is reported.
    for (auto message = m_unfinished.lower_bound(immediate);
         message != m_unfinished.end() && message->first == immediate &&
         (message->second.stripes | message->second.others) == 0;
         message = m_unfinished.lower_bound(immediate))
    {
        const bool delivered = message->second.delivered;
        NS_LOG_LOGIC("message " << immediate << (delivered ? " is acknowledged" : " has failed"));
        m_spare.push_back(m_unfinished.extract(message));
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
    NS_LOG_FUNCTION(this << m_queuePairs.size());
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
    NS_LOG_FUNCTION(this << m_queuePairs.size());
    m_drained = Callback<void>();
    for (const auto& queuePair : m_queuePairs)
    {
        queuePair->Resume();
    }
}

void
RdmaConnection::Abort()
{
    NS_LOG_FUNCTION(this << m_queuePairs.size());
    m_drained = Callback<void>();
    for (const auto& queuePair : m_queuePairs)
    {
        queuePair->Abort();
    }
}

} // namespace ns3
