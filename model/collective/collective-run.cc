// SPDX-License-Identifier: GPL-2.0-only

#include "collective-run.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ns3
{

CollectiveRun::CollectiveRun(CollectiveSchedule schedule, Poster post)
    : m_schedule(std::move(schedule)),
      m_post(std::move(post)),
      m_progress(m_schedule.GetReceives().size()),
      m_receivesLeft(static_cast<uint32_t>(m_schedule.GetReceives().size()))
{
    IndexWaiters();
    CountConnectors();
}

void
CollectiveRun::IndexWaiters()
{
    const auto& sends = m_schedule.GetSends();
    m_missing.reserve(sends.size());
    for (const auto& send : sends)
    {
        m_missing.push_back(send.afterCount);
        for (const uint16_t id : m_schedule.GetAfter(send))
        {
            ++m_progress.at(id).waiters;
        }
    }
    uint32_t first = 0;
    for (auto& progress : m_progress)
    {
        progress.first = first;
        first += progress.waiters;
    }
    m_waiters.resize(first);
    std::vector<uint32_t> filled(m_progress.size(), 0);
    for (uint32_t index = 0; index < sends.size(); ++index)
    {
        for (const uint16_t id : m_schedule.GetAfter(sends[index]))
        {
            m_waiters[m_progress[id].first + filled[id]++] = index;
        }
    }
}

void
CollectiveRun::CountConnectors()
{
    for (const auto& send : m_schedule.GetSends())
    {
        const Connector one{send.peer, send.connector, 0};
        auto connector = std::lower_bound(m_connectors.begin(), m_connectors.end(), one);
        if (connector == m_connectors.end() || one < *connector)
        {
            connector = m_connectors.insert(connector, one);
        }
        ++connector->left;
    }
    m_acksLeft = static_cast<uint32_t>(m_connectors.size());
}

void
CollectiveRun::Post(const ScheduledSend& send)
{
    const auto connector = std::lower_bound(m_connectors.begin(),
                                            m_connectors.end(),
                                            Connector{send.peer, send.connector, 0});
    m_post(send, --connector->left == 0);
}

void
CollectiveRun::Start()
{
    for (const auto& send : m_schedule.GetSends())
    {
        if (send.afterCount == 0 && !m_failed)
        {
            Post(send);
        }
    }
}

void
CollectiveRun::StripeArrived(uint16_t transferId, uint64_t bytes)
{
    if (m_failed)
    {
        return;
    }
    NS_ABORT_MSG_IF(transferId >= m_progress.size(),
                    "a message that this rank does not expect: transfer " << transferId << " of "
                                                                          << m_progress.size());
    Progress& progress = m_progress[transferId];
    const uint64_t expected = m_schedule.GetReceives()[transferId].data.bytes;
    progress.bytes += bytes;
    NS_ABORT_MSG_IF(progress.arrived || progress.bytes > expected,
                    "transfer " << transferId << " brought " << progress.bytes
                                << " bytes instead of " << expected
                                << ": do all ranks make the same call?");
    if (progress.bytes < expected)
    {
        return;
    }
    progress.arrived = true;
    --m_receivesLeft;
    for (uint32_t i = progress.first; i < progress.first + progress.waiters; ++i)
    {
        if (--m_missing[m_waiters[i]] == 0 && !m_failed)
        {
            Post(m_schedule.GetSends()[m_waiters[i]]);
        }
    }
}

void
CollectiveRun::SendAcknowledged()
{
    if (m_failed)
    {
        return;
    }
    NS_ASSERT_MSG(m_acksLeft > 0, "more acknowledgements than connectors");
    --m_acksLeft;
}

void
CollectiveRun::Fail()
{
    m_failed = true;
}

bool
CollectiveRun::HasEnded() const
{
    return !m_failed && m_receivesLeft == 0 && m_acksLeft == 0;
}

bool
CollectiveRun::HasFailed() const
{
    return m_failed;
}

std::vector<uint32_t>
CollectiveRun::GetMissingPeers() const
{
    std::set<uint32_t> peers;
    for (std::size_t id = 0; id < m_progress.size(); ++id)
    {
        if (!m_progress[id].arrived)
        {
            peers.insert(m_schedule.GetReceives()[id].peer);
        }
    }
    return {peers.begin(), peers.end()};
}

} // namespace ns3
