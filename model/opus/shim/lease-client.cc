// SPDX-License-Identifier: GPL-2.0-only

#include "lease-client.h"

#include "ns3/assert.h"
#include "ns3/kept-rule.h"

#include <algorithm>

namespace ns3
{

uint64_t
FindLeaseGroup(uint32_t rank, const ProcessGroup& group, const CollectiveCall& call)
{
    if (!call.IsPointToPoint() || group.GetSize() == 2)
    {
        return group.id;
    }
    const uint64_t low = std::min(rank, call.peer);
    const uint64_t high = std::max(rank, call.peer);
    return uint64_t{1} << 63 | low << 31 | high;
}

uint64_t
LeaseGroups::Learn(uint32_t rank, const ProcessGroup& group, const CollectiveCall& call)
{
    m_groups.emplace(group.id, group);
    const uint64_t lease = FindLeaseGroup(rank, group, call);
    if (!m_members.count(lease))
    {
        m_members[lease] = lease == group.id ? group.ranks
                                             : std::vector<uint32_t>{std::min(rank, call.peer),
                                                                     std::max(rank, call.peer)};
    }
    return lease;
}

const ProcessGroup&
LeaseGroups::GetGroup(uint32_t id) const
{
    return m_groups.at(id);
}

std::vector<uint32_t>
LeaseGroups::Introduce(uint64_t lease)
{
    return m_introduced.insert(lease).second ? m_members[lease] : std::vector<uint32_t>{};
}

void
LeaseGroups::ForgetIntroductions()
{
    m_introduced.clear();
}

void
GrantTimes::CallWaits(uint64_t group, Time now)
{
    m_waitSince.emplace(group, now);
}

void
GrantTimes::Request(uint64_t group, Time now)
{
    m_askedAt.emplace(group, now);
}

void
GrantTimes::Release(uint64_t group)
{
    m_askedAt.erase(group);
}

GrantTimes::Wait
GrantTimes::Grant(uint64_t group, Time duration, Time now)
{
    Wait wait;
    if (const auto since = m_waitSince.find(group); since != m_waitSince.end())
    {
        wait.waited = now - since->second;
        m_waitSince.erase(since);
    }
    wait.exposed = Min(wait.waited, duration);
    if (const auto asked = m_askedAt.find(group); asked != m_askedAt.end())
    {
        const Time taken = now - asked->second;
        if (!duration.IsZero() && (m_fastest.IsZero() || taken < m_fastest))
        {
            m_fastest = taken;
        }
        m_askedAt.erase(asked);
    }
    return wait;
}

Time
GrantTimes::GetFastest() const
{
    return m_fastest;
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

void
GrantTimes::ForgetRequests()
{
    m_askedAt.clear();
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

void
LeaseClient::SetKeep(bool keep)
{
    m_keep = keep;
}

bool
LeaseClient::Begin(uint64_t group, CollectiveKind kind, uint64_t token)
{
    Lease& lease = m_leases[group];
    const bool now = kind == CollectiveKind::RECV || (lease.state == HELD && !lease.recalled) ||
                     (lease.state == ASKED && !IsRuleKept("grant"));
    if (now)
    {
        Start(lease, kind);
    }
    else
    {
        lease.waiting.push_back(Waiting{token, kind});
    }
    if (lease.state != HELD)
    {
        Ask(group, IsPassive(lease), false);
    }
    return now;
}

void
LeaseClient::End(uint64_t group, CollectiveKind kind)
{
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
    if (lease.state == ASKED && !lease.wanted)
    {
        Cancel(group); // the message of a Recv came while its sender still held the lease
    }
    if (!m_keep && lease.state == HELD && !lease.recalled && !HasCalls(lease))
    {
        GiveBack(group);
    }
    Settle(group);
}

void
LeaseClient::Prefetch(uint64_t group, bool passive)
{
    Lease& lease = m_leases[group];
    if (lease.state == AWAY)
    {
        lease.wanted = true;
        Ask(group, passive, false, true);
    }
}

void
LeaseClient::Cancel(uint64_t group)
{
    Lease& lease = m_leases[group];
    lease.wanted = false;
    if (HasCalls(lease))
    {
        return;
    }
    if (lease.state == ASKED)
    {
        // If a grant is on its way, the controller takes this for the release of that grant.
        lease.state = AWAY;
        Say(false, group);
    }
    else if (lease.state == HELD)
    {
        GiveBack(group);
    }
}

void
LeaseClient::Ask(uint64_t group, bool passive, bool again, bool speculative)
{
    Lease& lease = m_leases[group];
    if (lease.state == ASKED && (passive || (!lease.passive && !lease.speculative)))
    {
        return; // what has been said covers it
    }
    if (lease.state == AWAY)
    {
        lease.number = std::max(lease.number, m_base) + 1;
        lease.state = ASKED;
    }
    lease.passive = passive;
    lease.speculative = speculative;
    Say(true, group);
    if (again)
    {
        return; // an old wish: the others have given way to it before
    }
    for (auto& [id, other] : m_leases)
    {
        if (id != group && other.state == HELD)
        {
            other.giveWay = true;
        }
    }
}

void
LeaseClient::Say(bool request, uint64_t group)
{
    const Lease& lease = m_leases[group];
    m_messages.push_back(
        Message{request, group, lease.number, lease.completed, lease.passive, lease.speculative});
}

bool
LeaseClient::Grant(uint64_t group, uint32_t number)
{
    Lease& lease = m_leases[group];
    if (lease.state != ASKED || lease.number != number)
    {
        return false;
    }
    lease.state = HELD;
    lease.wanted = false;
    lease.recalled = false;
    lease.giveWay = !HasCalls(lease) && std::any_of(m_leases.begin(), m_leases.end(), [](auto& x) {
        return x.second.state == ASKED;
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
    lease.recalled = true;
    lease.limit = limit;
    Settle(group);
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
    bool given = false;
    for (auto& [id, lease] : m_leases)
    {
        if (lease.hinted && !lease.recalled && lease.sends == 0 &&
            lease.started == lease.completed && id != next)
        {
            GiveBack(id);
            given = true;
        }
    }
    return given;
}

void
LeaseClient::Settle(uint64_t group)
{
    Lease& lease = m_leases[group];
    if (lease.state != HELD || !lease.recalled || lease.suspending ||
        (lease.sends > 0 && IsRuleKept("sends")) ||
        lease.completed < std::min(lease.started, lease.limit))
    {
        return;
    }
    if (lease.started > lease.completed && !lease.suspended && IsRuleKept("suspend"))
    {
        lease.suspending = true;
        m_effects.push_back(Effect{Effect::SUSPEND, group, 0});
        return;
    }
    GiveBack(group);
}

void
LeaseClient::Drained(uint64_t group)
{
    Lease& lease = m_leases[group];
    NS_ASSERT(lease.suspending);
    lease.suspending = false;
    if (lease.state == HELD && !lease.recalled)
    {
        m_effects.push_back(Effect{Effect::RESUME, group, 0}); // lent anew in the meantime
        return;
    }
    lease.suspended = true;
    Settle(group);
}

void
LeaseClient::Forget(uint32_t number)
{
    m_base = number;
    m_releases.clear();
    m_messages.clear();
    for (auto& [group, lease] : m_leases)
    {
        lease.state = AWAY;
        lease.number = number;
        lease.speculative = false;
        lease.hinted = false;
        lease.wanted = false;
        lease.giveWay = false;
        lease.recalled = false;
    }
    for (const uint64_t group : GetNeeded())
    {
        Ask(group, IsPassive(m_leases[group]), true);
    }
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
LeaseClient::GiveBack(uint64_t group)
{
    Lease& lease = m_leases[group];
    lease.state = AWAY;
    lease.recalled = false;
    lease.giveWay = false;
    lease.hinted = false;
    m_releases.push_back(Message{false, group, lease.number, lease.completed, false, false});
    if (HasCalls(lease))
    {
        Ask(group, IsPassive(lease), true);
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
        return x.second.state == ASKED;
    });
    for (auto& [id, lease] : m_leases)
    {
        if (waiting && lease.state == HELD && lease.giveWay && !lease.recalled &&
            lease.sends == 0 && lease.started == lease.completed)
        {
            GiveBack(id);
        }
    }
    // Leases that were held go first: their ports may be what the requests are waiting for.
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
        return HasCalls(x.second) || x.second.state == ASKED;
    });
}

bool
LeaseClient::IsHeld(uint64_t group) const
{
    auto it = m_leases.find(group);
    return it != m_leases.end() && it->second.state == HELD;
}

} // namespace ns3
