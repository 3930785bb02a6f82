// SPDX-License-Identifier: GPL-2.0-only

#include "collective-connector.h"

#include "ns3/assert.h"
#include "ns3/rdma-connection.h"

namespace ns3
{

std::string
CollectiveConnector::DescribeTrouble() const
{
    return "";
}

RdmaConnector::RdmaConnector(Ptr<RdmaConnection> connection)
    : m_connection(connection)
{
    NS_ASSERT_MSG(m_connection, "a connector without a connection");
}

RdmaConnector::~RdmaConnector() = default;

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

} // namespace ns3
