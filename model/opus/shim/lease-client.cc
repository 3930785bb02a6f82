// SPDX-License-Identifier: GPL-2.0-only

#include "lease-client.h"

#include "ns3/assert.h"
#include "ns3/lease-number.h"
#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("LeaseClient");

uint64_t
FindLeaseGroup(uint32_t rank, const ProcessGroup& group, const CollectiveCall& call)
{
    if (!call.IsPointToPoint() || (group.GetSize() == 2 && !group.isLink))
    {
        return group.id;
    }
    return call.link == RingLink::NONE      ? LeaseNumber::OfPair(rank, call.peer)
           : call.link == RingLink::TO_NEXT ? LeaseNumber::OfLink(rank, call.peer)
                                            : LeaseNumber::OfLink(call.peer, rank);
}

uint64_t
LeaseGroups::Record(uint32_t rank, const ProcessGroup& group, const CollectiveCall& call)
{
    m_groups.emplace(group.id, group);
    const uint64_t lease = FindLeaseGroup(rank, group, call);
    if (!m_members.count(lease))
    {
        const bool isFirst =
            LeaseNumber::IsLink(lease) ? call.link == RingLink::TO_NEXT : rank < call.peer;
        m_members[lease] = lease == group.id ? group.ranks
                           : isFirst         ? std::vector<uint32_t>{rank, call.peer}
                                             : std::vector<uint32_t>{call.peer, rank};
    }
    return lease;
}

std::vector<uint32_t>
LeaseGroups::GetUnknownMembers(uint64_t lease) const
{
    const auto members = m_members.find(lease);
    const bool isKnown = m_known.count(lease) > 0 || members == m_members.end();
    return isKnown ? std::vector<uint32_t>{} : members->second;
}

std::vector<uint32_t>
LeaseGroups::TakeMembers(uint64_t lease)
{
    std::vector<uint32_t> members = GetUnknownMembers(lease);
    m_known.insert(lease);
    return members;
}

GrantTimes::Wait
GrantTimes::Grant(uint64_t group, Time duration, Time now)
{
    m_grantedAt[group] = now;
    Wait wait;
    if (const auto since = m_waitSince.find(group); since != m_waitSince.end())
    {
        wait.waited = now - since->second;
        m_waitSince.erase(since);
    }
    wait.exposed = Min(wait.waited, duration);
    if (const auto requested = m_requestedAt.find(group); requested != m_requestedAt.end())
    {
        const Time taken = now - requested->second;
        if (!duration.IsZero() && (m_fastest.IsZero() || taken < m_fastest))
        {
            m_fastest = taken;
        }
        m_requestedAt.erase(requested);
    }
    return wait;
}

std::vector<uint64_t>
GrantTimes::TakeWaiting()
{
    std::vector<uint64_t> groups;
    for (const auto& [group, since] : m_waitSince)
    {
        groups.push_back(group);
    }
    m_waitSince.clear();
    return groups;
}

bool
LeaseClient::IsPassive(const Lease& lease)
{
    return lease.started == lease.completed && lease.sends == 0 && lease.waiting.empty();
}

bool
LeaseClient::HasCalls(const Lease& lease)
{
    return lease.started > lease.completed || lease.sends > 0 || lease.recvs > 0 ||
           !lease.waiting.empty();
}

void
LeaseClient::Start(Lease& lease, CollectiveKind kind)
{
    switch (kind)
    {
    case CollectiveKind::SEND:
        ++lease.sends;
        break;
    case CollectiveKind::RECV:
        ++lease.recvs;
        break;
    default:
        ++lease.started;
    }
}

bool
LeaseClient::Begin(uint64_t group, CollectiveKind kind, uint64_t token)
{
    Lease& lease = m_leases[group];
    const bool now = kind == CollectiveKind::RECV || (lease.state == HELD && !lease.recalled);
    if (now)
    {
        Start(lease, kind);
    }
    else
    {
        NS_LOG_LOGIC(ToString(kind) << " waits for the lease of group " << group);
        lease.waiting.push_back(Waiting{token, kind});
    }
    if (lease.state != HELD)
    {
        Request(group, IsPassive(lease), false);
    }
    return now;
}

void
LeaseClient::End(uint64_t group, CollectiveKind kind)
{
    NS_LOG_FUNCTION(this << group << ToString(kind));
    Lease& lease = m_leases[group];
    switch (kind)
    {
    case CollectiveKind::SEND:
        NS_ASSERT(lease.sends > 0);
        --lease.sends;
        break;
    case CollectiveKind::RECV:
        NS_ASSERT(lease.recvs > 0);
        --lease.recvs;
        break;
    default:
        NS_ASSERT(lease.completed < lease.started);
        ++lease.completed;
    }
    if (lease.state == REQUESTED && !lease.prefetched)
    {
        Cancel(group); // the message of a Recv has arrived while its sender still held the lease
    }
    if (!m_keep && lease.state == HELD && !lease.recalled && !HasCalls(lease))
    {
        ReleaseLease(group);
    }
    TryRelease(group);
}

void
LeaseClient::Prefetch(uint64_t group, bool passive)
{
    Lease& lease = m_leases[group];
    if (lease.state == IDLE)
    {
        lease.prefetched = true;
        Request(group, passive, false, true);
    }
}

void
LeaseClient::Cancel(uint64_t group)
{
    NS_LOG_FUNCTION(this << group);
    Lease& lease = m_leases[group];
    lease.prefetched = false;
    if (HasCalls(lease))
    {
        return;
    }
    if (lease.state == REQUESTED)
    {
        // If a grant is in flight, this message releases the lease of that grant.
        lease.state = IDLE;
        QueueMessage(false, group);
    }
    else if (lease.state == HELD)
    {
        ReleaseLease(group);
    }
}

void
LeaseClient::Request(uint64_t group, bool passive, bool again, bool speculative)
{
    Lease& lease = m_leases[group];
    if (lease.state == REQUESTED && (passive || (!lease.passive && !lease.speculative)))
    {
        return; // the pending request covers this one
    }
    if (lease.state == IDLE)
    {
        lease.number = std::max(lease.number, m_base) + 1;
        lease.state = REQUESTED;
    }
    lease.passive = passive;
    lease.speculative = speculative;
    QueueMessage(true, group);
    if (again)
    {
        return; // a repeated request: other groups have yielded to the first
    }
    for (auto& [id, other] : m_leases)
    {
        if (id != group && other.state == HELD && !LeaseNumber::AreSideBySide(id, group))
        {
            other.yields = true;
        }
    }
}

void
LeaseClient::QueueMessage(bool request, uint64_t group)
{
    const Lease& lease = m_leases[group];
    m_messages.push_back(
        Message{request, group, lease.number, lease.completed, lease.passive, lease.speculative});
}

bool
LeaseClient::Grant(uint64_t group, uint32_t number)
{
    Lease& lease = m_leases[group];
    if (lease.state != REQUESTED || lease.number != number)
    {
        return false;
    }
    NS_LOG_LOGIC("group " << group << " is held, and " << lease.waiting.size() << " calls begin");
    lease.state = HELD;
    lease.prefetched = false;
    lease.recalled = false;
    lease.isUnreported = false;
    lease.yields =
        !HasCalls(lease) && std::any_of(m_leases.begin(), m_leases.end(), [group](auto& x) {
            return x.second.state == REQUESTED && !LeaseNumber::AreSideBySide(x.first, group);
        });
    if (lease.suspended)
    {
        lease.suspended = false;
        m_effects.push_back(Effect{Effect::RESUME, group, 0});
    }
    while (!lease.waiting.empty())
    {
        const Waiting call = lease.waiting.front();
        lease.waiting.pop_front();
        Start(lease, call.kind);
        m_effects.push_back(Effect{Effect::ADMIT, group, call.token});
    }
    return true;
}

bool
LeaseClient::Recall(uint64_t group, uint32_t number, uint64_t limit)
{
    Lease& lease = m_leases[group];
    if (lease.state != HELD || lease.number != number)
    {
        return false;
    }
    lease.limit = lease.recalled ? std::min(lease.limit, limit) : limit;
    lease.recalled = true;
    TryRelease(group);
    return true;
}

void
LeaseClient::Hint(uint64_t group, uint32_t number)
{
    Lease& lease = m_leases[group];
    lease.hinted = lease.hinted || (lease.state == HELD && lease.number == number);
}

bool
LeaseClient::Yield(std::optional<uint64_t> next)
{
    bool released = false;
    for (auto& [id, lease] : m_leases)
    {
        if (lease.hinted && !lease.recalled && lease.sends == 0 &&
            lease.started == lease.completed && id != next)
        {
            ReleaseLease(id);
            released = true;
        }
    }
    return released;
}

void
LeaseClient::TryRelease(uint64_t group)
{
    Lease& lease = m_leases[group];
    if (lease.state != HELD || !lease.recalled || lease.suspending || lease.sends > 0 ||
        lease.completed < std::min(lease.started, lease.limit))
    {
        return;
    }
    if (lease.started > lease.completed && !lease.suspended)
    {
        lease.suspending = true;
        NS_LOG_LOGIC("group " << group << " is suspended in call " << lease.completed);
        m_effects.push_back(Effect{Effect::SUSPEND, group, 0});
        return;
    }
    ReleaseLease(group);
}

void
LeaseClient::Drained(uint64_t group)
{
    Lease& lease = m_leases[group];
    NS_ASSERT(lease.suspending);
    lease.suspending = false;
    if (lease.state == HELD && !lease.recalled)
    {
        m_effects.push_back(Effect{Effect::RESUME, group, 0}); // granted again in the meantime
        return;
    }
    lease.suspended = true;
    TryRelease(group);
}

void
LeaseClient::Reset(uint32_t number)
{
    NS_LOG_FUNCTION(this << number);
    m_base = number;
    m_releases.clear();
    m_messages.clear();
    for (auto& [group, lease] : m_leases)
    {
        lease.isUnreported = lease.isUnreported || lease.state == HELD;
        lease.state = IDLE;
        lease.number = number;
        lease.speculative = false;
        lease.hinted = false;
        lease.prefetched = false;
        lease.yields = false;
        lease.recalled = false;
    }
    for (const uint64_t group : GetNeeded())
    {
        Request(group, IsPassive(m_leases[group]), true);
    }
    for (auto& [group, lease] : m_leases)
    {
        if (lease.isUnreported && lease.state == IDLE && lease.completed > 0)
        {
            // Others may have to resume a collective that this rank has completed.
            Request(group, true, true);
            Cancel(group);
        }
    }
}

std::vector<LeaseClient::Message>
LeaseClient::Report()
{
    m_releases.clear();
    m_messages.clear();
    std::vector<Message> report;
    for (auto& [group, lease] : m_leases)
    {
        if (lease.state != IDLE)
        {
            report.push_back({true,
                              group,
                              lease.number,
                              lease.completed,
                              lease.passive,
                              lease.speculative,
                              lease.state == HELD});
        }
        else if (lease.completed > 0)
        {
            lease.number = std::max(lease.number, m_base) + 1;
            report.push_back({true, group, lease.number, lease.completed, true});
            report.push_back({false, group, lease.number, lease.completed});
        }
        lease.isUnreported = false;
    }
    return report;
}

std::vector<uint64_t>
LeaseClient::GetNeeded() const
{
    std::vector<uint64_t> needed;
    for (const auto& [group, lease] : m_leases)
    {
        if (HasCalls(lease))
        {
            needed.push_back(group);
        }
    }
    return needed;
}

void
LeaseClient::ReleaseLease(uint64_t group)
{
    NS_LOG_FUNCTION(this << group);
    Lease& lease = m_leases[group];
    lease.state = IDLE;
    lease.recalled = false;
    lease.yields = false;
    lease.hinted = false;
    m_releases.push_back(Message{false, group, lease.number, lease.completed, false, false});
    if (HasCalls(lease))
    {
        Request(group, IsPassive(lease), true);
    }
}

std::vector<LeaseClient::Effect>
LeaseClient::TakeEffects()
{
    std::vector<Effect> effects;
    effects.swap(m_effects);
    return effects;
}

std::vector<LeaseClient::Message>
LeaseClient::TakeMessages()
{
    const bool waiting = std::any_of(m_leases.begin(), m_leases.end(), [](const auto& x) {
        return x.second.state == REQUESTED;
    });
    for (auto& [id, lease] : m_leases)
    {
        const bool isQuiet = lease.sends == 0 && lease.started == lease.completed;
        if (waiting && lease.state == HELD && lease.yields && !lease.recalled && isQuiet)
        {
            ReleaseLease(id);
        }
    }
    // Releases of held leases precede requests, which may wait for their ports.
    std::vector<Message> messages;
    messages.swap(m_releases);
    messages.insert(messages.end(), m_messages.begin(), m_messages.end());
    m_messages.clear();
    return messages;
}

bool
LeaseClient::IsIdle() const
{
    return std::none_of(m_leases.begin(), m_leases.end(), [](const auto& x) {
        return HasCalls(x.second) || x.second.state == REQUESTED;
    });
}

bool
LeaseClient::IsHeld(uint64_t group) const
{
    auto it = m_leases.find(group);
    return it != m_leases.end() && it->second.state == HELD;
}

} // namespace ns3
