// SPDX-License-Identifier: GPL-2.0-only

#include "collective-connector.h"

#include "ns3/assert.h"
#include "ns3/rdma-connection.h"

namespace ns3
{

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

} // namespace ns3
