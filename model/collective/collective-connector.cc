// SPDX-License-Identifier: GPL-2.0-only

#include "collective-connector.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/log.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-relay.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CollectiveConnector");

RdmaConnector::RdmaConnector(Ptr<RdmaConnection> connection)
    : m_connection(connection)
{
    NS_ASSERT_MSG(m_connection, "a connector without a connection");
}

void
RdmaConnector::SetCallbacks(SentCallback sent, ReceivedCallback received)
{
    m_connection->SetSentCallback(sent);
    m_connection->SetReceivedCallback(received);
}

void
RdmaConnector::Post(uint64_t bytes, uint32_t immediate, bool signaled)
{
    m_connection->Post(bytes, immediate, signaled);
}

void
RdmaConnector::Pause(Callback<void> drained)
{
    m_connection->Pause(drained);
}

void
RdmaConnector::Resume()
{
    m_connection->Resume();
}

void
RdmaConnector::Abort()
{
    m_connection->Abort();
}

std::string
RdmaConnector::DescribeTrouble() const
{
    return m_connection->DescribeTrouble();
}

ConnectorPlan::ConnectorPlan(uint32_t ranks)
    : m_sides(ranks),
      m_queuePairs(ranks)
{
}

void
ConnectorPlan::Add(uint32_t group, const End& a, const End& b, Network network, const Ports& ports)
{
    uint32_t& atA = m_queuePairs.at(a.rank)[network];
    uint32_t& atB = m_queuePairs.at(b.rank)[network];
    Ports back;
    for (const auto& [port, peerPort] : ports)
    {
        back.emplace_back(peerPort, port);
    }
    m_sides[a.rank].push_back({group, a.id, b.rank, network, ports, atA, atB});
    m_sides[b.rank].push_back({group, b.id, a.rank, network, back, atB, atA});
    atA += static_cast<uint32_t>(ports.size());
    atB += static_cast<uint32_t>(ports.size());
}

RelayConnector::RelayConnector(Ptr<RdmaConnection> out,
                               Ptr<RdmaConnection> in,
                               uint64_t chunkBytes,
                               uint32_t slots)
    : m_out(out),
      m_in(in),
      m_chunkBytes(chunkBytes),
      m_slots(slots)
{
    NS_ABORT_MSG_IF(chunkBytes == 0 || slots == 0, "a relay needs chunks and slots for them");
}

void
RelayConnector::SetCallbacks(SentCallback sent, ReceivedCallback received)
{
    m_sent = sent;
    m_out->SetSentCallback(MakeCallback(&RelayConnector::FirstHopDone, this));
    m_out->SetReceivedCallback(MakeCallback(&RelayConnector::Reported, this));
    if (m_in)
    {
        m_in->SetReceivedCallback(received);
    }
}

void
RelayConnector::Post(uint64_t bytes, uint32_t immediate, bool signaled)
{
    NS_LOG_FUNCTION(this << bytes << immediate << signaled);
    if (m_failed)
    {
        Simulator::ScheduleNow(&RelayConnector::ReportFailed, this, immediate);
        return;
    }
    const uint64_t chunks = std::max<uint64_t>(1, (bytes + m_chunkBytes - 1) / m_chunkBytes);
    NS_ABORT_MSG_IF(FindUnreported(immediate) != m_unreported.end(),
                    "immediate value " << immediate << " is in use");
    m_unreported.push_back({immediate, chunks, signaled});
    m_unstarted.push_back({bytes, immediate});
    StartChunks();
}

void
RelayConnector::StartChunks()
{
    while (!m_paused && !m_unstarted.empty() && m_onTheirWay < m_slots)
    {
        Unstarted& message = m_unstarted.front();
        const uint32_t immediate = message.immediate;
        const uint64_t chunk = std::min(message.bytesLeft, m_chunkBytes);
        message.bytesLeft -= chunk;
        if (message.bytesLeft == 0)
        {
            m_unstarted.pop_front();
        }
        ++m_onTheirWay;
        m_out->Post(chunk, immediate);
    }
}

void
RelayConnector::FirstHopDone(uint32_t, bool delivered)
{
    if (!delivered)
    {
        Fail();
    }
}

void
RelayConnector::Reported(uint32_t immediate, uint64_t bytes)
{
    if (m_failed)
    {
        return;
    }
    if (bytes != RdmaRelay::DELIVERED_BYTES)
    {
        Fail();
        return;
    }
    const auto message = FindUnreported(immediate);
    NS_ASSERT_MSG(message != m_unreported.end(), "a report of a chunk that was not sent");
    --m_onTheirWay;
    --message->chunks;
    StartChunks();
    ReportWhole();
    CheckDrained();
}

std::deque<RelayConnector::Unreported>::iterator
RelayConnector::FindUnreported(uint32_t immediate)
{
    return std::find_if(m_unreported.begin(), m_unreported.end(), [immediate](const auto& one) {
        return one.immediate == immediate && one.chunks > 0;
    });
}

void
RelayConnector::ReportWhole()
{
    // A report may post more, so each message is taken off before it is reported.
    while (!m_unreported.empty() && m_unreported.front().chunks == 0)
    {
        const Unreported message = m_unreported.front();
        m_unreported.pop_front();
        if (message.signaled)
        {
            m_sent(message.immediate, true);
        }
    }
}

void
RelayConnector::Fail()
{
    if (m_failed)
    {
        return;
    }
    m_failed = true;
    NS_LOG_WARN(m_unreported.size() << " messages over a relay have failed");
    m_unstarted.clear();
    m_onTheirWay = 0;
    const auto failed = std::move(m_unreported);
    m_unreported.clear();
    for (const auto& message : failed)
    {
        m_sent(message.immediate, false);
    }
    CheckDrained();
}

void
RelayConnector::Pause(Callback<void> drained)
{
    NS_LOG_FUNCTION(this << m_onTheirWay);
    m_paused = true;
    m_drained = drained;
    CheckDrained();
}

void
RelayConnector::CheckDrained()
{
    if (m_paused && m_onTheirWay == 0 && !m_drained.IsNull())
    {
        const Callback<void> drained = m_drained;
        m_drained = Callback<void>();
        drained();
    }
}

void
RelayConnector::Resume()
{
    NS_LOG_FUNCTION(this << m_unstarted.size());
    m_paused = false;
    m_drained = Callback<void>();
    StartChunks();
}

void
RelayConnector::Abort()
{
    m_out->Abort();
    if (m_in)
    {
        m_in->Abort();
    }
}

std::string
RelayConnector::DescribeTrouble() const
{
    return m_out->DescribeTrouble();
}

} // namespace ns3
