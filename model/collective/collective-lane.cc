// SPDX-License-Identifier: GPL-2.0-only

#include "collective-lane.h"

#include "ns3/assert.h"
#include "ns3/rdma-connection.h"

namespace ns3
{

std::string
CollectiveLane::DescribeTrouble() const
{
    return "";
}

RdmaLane::RdmaLane(Ptr<RdmaConnection> connection)
    : m_connection(connection)
{
    NS_ASSERT_MSG(m_connection, "a lane without a connection");
}

RdmaLane::~RdmaLane() = default;

void
RdmaLane::SetCallbacks(SentCallback sent, ReceivedCallback received)
{
    m_connection->SetSentCallback(sent);
    m_connection->SetReceivedCallback(received);
}

void
RdmaLane::Post(uint64_t bytes, uint32_t immediate, bool signaled)
{
    m_connection->Post(bytes, immediate, signaled);
}

void
RdmaLane::Pause(Callback<void> drained)
{
    m_connection->Pause(drained);
}

void
RdmaLane::Resume()
{
    m_connection->Resume();
}

void
RdmaLane::Abort()
{
    m_connection->Abort();
}

std::string
RdmaLane::DescribeTrouble() const
{
    return m_connection->DescribeTrouble();
}

} // namespace ns3
