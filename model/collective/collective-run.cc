// SPDX-License-Identifier: GPL-2.0-only

#include "collective-run.h"

#include "ns3/abort.h"
#include "ns3/assert.h"
#include "ns3/log.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CollectiveRun");

CollectiveRun::CollectiveRun(CollectiveSchedule schedule, Poster post, Taker take)
    : m_schedule(std::move(schedule)),
      m_post(std::move(post)),
      m_take(std::move(take)),
      m_receivesLeft(static_cast<uint32_t>(m_schedule.GetReceives().size()))
{
    m_progress.reserve(m_receivesLeft);
    for (const auto& receive : m_schedule.GetReceives())
    {
        m_progress.push_back({receive.data.bytes});
    }
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

uint32_t
CollectiveRun::FindRound(uint32_t message, uint32_t ScheduledRound::*first) const
{
    const auto& rounds = m_schedule.GetRounds();
    const auto after =
        std::upper_bound(rounds.begin(),
                         rounds.end(),
                         message,
                         [first](uint32_t m, const ScheduledRound& r) { return m < r.*first; });
    return after == rounds.begin() ? 0 : static_cast<uint32_t>(after - rounds.begin() - 1);
}

uint32_t
CollectiveRun::GetEnd(const ScheduledRound& round,
                      uint32_t ScheduledRound::*first,
                      std::size_t messages) const
{
    const auto& rounds = m_schedule.GetRounds();
    const auto next = static_cast<std::size_t>(&round - rounds.data() + 1);
    return next < rounds.size() ? rounds[next].*first : static_cast<uint32_t>(messages);
}

void
CollectiveRun::CountConnectors()
{
    m_rounds.resize(std::max<std::size_t>(1, m_schedule.GetRounds().size()));
    m_begun = m_schedule.GetRounds().empty() ? 1 : 0;
    const auto& sends = m_schedule.GetSends();
    for (uint32_t index = 0; index < sends.size(); ++index)
    {
        const uint32_t round = FindRound(index, &ScheduledRound::firstSend);
        const Connector one{round, sends[index].peer, sends[index].connector, 0};
        auto connector = std::lower_bound(m_connectors.begin(), m_connectors.end(), one);
        if (connector == m_connectors.end() || one < *connector)
        {
            connector = m_connectors.insert(connector, one);
            ++m_rounds[round].connectors;
        }
        ++connector->left;
    }
    m_acksLeft = static_cast<uint32_t>(m_connectors.size());
    for (uint32_t id = 0; id < m_schedule.GetReceives().size(); ++id)
    {
        ++m_rounds[FindRound(id, &ScheduledRound::firstReceive)].receives;
    }
}

void
CollectiveRun::Post(uint32_t index)
{
    const ScheduledSend& send = m_schedule.GetSends()[index];
    const uint32_t round = FindRound(index, &ScheduledRound::firstSend);
    const auto connector = std::lower_bound(m_connectors.begin(),
                                            m_connectors.end(),
                                            Connector{round, send.peer, send.connector, 0});
    m_post(send, --connector->left == 0);
}

void
CollectiveRun::Start()
{
    NS_LOG_FUNCTION(this << m_schedule.GetSends().size() << m_receivesLeft);
    const auto& sends = m_schedule.GetSends();
    for (uint32_t index = 0; m_begun > 0 && index < sends.size(); ++index)
    {
        if (sends[index].afterCount == 0 && !m_failed)
        {
            Post(index);
        }
    }
}

void
CollectiveRun::StartRound()
{
    const ScheduledRound* round = GetNextRound();
    NS_ASSERT_MSG(round, "there is no further round");
    ++m_begun;
    const uint32_t end = GetEnd(*round, &ScheduledRound::firstSend, m_schedule.GetSends().size());
    std::vector<uint32_t> ready; // a message that arrives while these are posted may start others
    for (uint32_t index = round->firstSend; index < end; ++index)
    {
        if (m_missing[index] == 0)
        {
            ready.push_back(index);
        }
    }
    NS_LOG_LOGIC("round " << m_begun << " of " << m_rounds.size() << " begins with " << ready.size()
                          << " messages");
    for (const uint32_t index : ready)
    {
        if (!m_failed)
        {
            Post(index);
        }
    }
}

template <typename Message>
std::optional<uint64_t>
CollectiveRun::SumRound(const ScheduledRound& round,
                        uint32_t ScheduledRound::*first,
                        const std::vector<Message>& messages) const
{
    const uint32_t end = GetEnd(round, first, messages.size());
    uint64_t bytes = 0;
    for (uint32_t index = round.*first; index < end; ++index)
    {
        bytes += messages[index].data.bytes;
    }
    return end > round.*first ? std::optional<uint64_t>(bytes) : std::nullopt;
}

std::optional<uint64_t>
CollectiveRun::GetRoundSent(const ScheduledRound& round) const
{
    return SumRound(round, &ScheduledRound::firstSend, m_schedule.GetSends());
}

std::optional<uint64_t>
CollectiveRun::GetRoundReceived(const ScheduledRound& round) const
{
    return SumRound(round, &ScheduledRound::firstReceive, m_schedule.GetReceives());
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
    NS_ABORT_MSG_IF(progress.arrived || bytes > progress.left,
                    "transfer " << transferId << " brought " << bytes << " bytes of "
                                << m_schedule.GetReceives()[transferId].data.bytes << ", of which "
                                << progress.left
                                << " were missing: do all ranks make the same call?");
    progress.left -= bytes;
    if (progress.left > 0)
    {
        return;
    }
    progress.arrived = true;
    if (m_take)
    {
        m_take(m_schedule.GetReceives()[transferId], transferId);
    }
    else
    {
        Taken(transferId);
    }
}

void
CollectiveRun::Taken(uint16_t transferId)
{
    if (m_failed)
    {
        return;
    }
    const Progress& progress = m_progress[transferId];
    --m_receivesLeft;
    --m_rounds[FindRound(transferId, &ScheduledRound::firstReceive)].receives;
    for (uint32_t i = progress.first; i < progress.first + progress.waiters; ++i)
    {
        const uint32_t send = m_waiters[i];
        const bool mayBePosted = FindRound(send, &ScheduledRound::firstSend) < m_begun;
        if (--m_missing[send] == 0 && mayBePosted && !m_failed)
        {
            Post(send);
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
    // Only a round that has begun has sends, and the rounds before it are acknowledged.
    --m_rounds[m_begun - 1].connectors;
}

std::vector<uint32_t>
CollectiveRun::GetMissingPeers() const
{
    std::set<uint32_t> peers;
    for (std::size_t id = 0; id < m_progress.size(); ++id)
    {
        const auto message = static_cast<uint32_t>(id);
        if (!m_progress[id].arrived && FindRound(message, &ScheduledRound::firstReceive) < m_begun)
        {
            peers.insert(m_schedule.GetReceives()[id].peer);
        }
    }
    return {peers.begin(), peers.end()};
}

} // namespace ns3
