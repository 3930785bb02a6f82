// SPDX-License-Identifier: GPL-2.0-only

#include "relay-lane.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-relay.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

RelayLane::RelayLane(Ptr<RdmaConnection> out,
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

RelayLane::~RelayLane() = default;

void
RelayLane::SetCallbacks(SentCallback sent, ReceivedCallback received)
{
    m_sent = sent;
    m_out->SetSentCallback(MakeCallback(&RelayLane::FirstHopDone, this));
    m_out->SetReceivedCallback(MakeCallback(&RelayLane::Reported, this));
    if (m_in)
    {
        m_in->SetReceivedCallback(received);
    }
}

void
RelayLane::Post(uint64_t bytes, uint32_t immediate)
{
    if (m_failed)
    {
        Simulator::ScheduleNow(&RelayLane::ReportFailed, this, immediate);
        return;
    }
    const uint64_t chunks = std::max<uint64_t>(1, (bytes + m_chunkBytes - 1) / m_chunkBytes);
    const bool inserted = m_chunksLeft.emplace(immediate, chunks).second;
    NS_ABORT_MSG_UNLESS(inserted, "immediate value " << immediate << " is in use");
    m_unstarted.push_back({bytes, immediate});
    StartChunks();
}

void
RelayLane::StartChunks()
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
RelayLane::FirstHopDone(uint32_t, bool delivered)
{
    if (!delivered)
    {
        Fail();
    }
}

void
RelayLane::Reported(uint32_t immediate, uint64_t bytes)
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
    const auto message = m_chunksLeft.find(immediate);
    NS_ASSERT_MSG(message != m_chunksLeft.end(), "a report of a chunk that was not sent");
    --m_onTheirWay;
    const bool isWhole = --message->second == 0;
    if (isWhole)
    {
        m_chunksLeft.erase(message);
    }
    StartChunks();
    if (isWhole)
    {
        m_sent(immediate, true);
    }
    CheckDrained();
}

void
RelayLane::Fail()
{
    if (m_failed)
    {
        return;
    }
    m_failed = true;
    m_unstarted.clear();
    m_onTheirWay = 0;
    const auto failed = std::move(m_chunksLeft);
    m_chunksLeft.clear();
    for (const auto& [immediate, chunks] : failed)
    {
        m_sent(immediate, false);
    }
    CheckDrained();
}

void
RelayLane::ReportFailed(uint32_t immediate)
{
    m_sent(immediate, false);
}

void
RelayLane::Pause(Callback<void> drained)
{
    m_paused = true;
    m_drained = drained;
    CheckDrained();
}

void
RelayLane::CheckDrained()
{
    if (m_paused && m_onTheirWay == 0 && !m_drained.IsNull())
    {
        const Callback<void> drained = m_drained;
        m_drained = Callback<void>();
        drained();
    }
}

void
RelayLane::Resume()
{
    m_paused = false;
    m_drained = Callback<void>();
    StartChunks();
}

} // namespace ns3
