// SPDX-License-Identifier: GPL-2.0-only

#include "scheduler-group.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("SchedulerGroup");

CircuitSet
ToCircuitSet(const std::vector<SchedulerCircuit>& circuits)
{
    CircuitSet set;
    for (const auto& [first, second] : circuits)
    {
        set.push_back(Circuit{first->id.port, second->id.port});
    }
    return set;
}

SchedulerGroup::SchedulerGroup(const GroupKey& key, const std::vector<uint32_t>& ranks)
    : m_key(key),
      m_ranks(ranks)
{
    for (const uint32_t rank : ranks)
    {
        m_members[rank] = Member{};
    }
    Recount();
}

SchedulerGroup::Member*
SchedulerGroup::FindMember(uint32_t rank)
{
    const auto it = m_members.find(rank);
    return it == m_members.end() ? nullptr : &it->second;
}

void
SchedulerGroup::Count(const Member& member, Counts& counts, int32_t sign) const
{
    const bool requests = member.state == REQUESTED;
    const bool isUrgent = requests && !member.passive && !member.speculative;
    counts.requested += requests ? sign : 0;
    counts.active += requests && !member.passive ? sign : 0;
    counts.urgent += isUrgent ? sign : 0;
    counts.behind += isUrgent && member.completed < m_most ? sign : 0;
    counts.holding += member.state == HOLDING ? sign : 0;
    counts.ahead += member.state == IDLE && member.completed == m_most ? sign : 0;
}

void
SchedulerGroup::Recount()
{
    m_most = 0;
    for (const auto& [rank, member] : m_members)
    {
        m_most = std::max(m_most, member.completed);
    }
    m_counts = {};
    for (const auto& [rank, member] : m_members)
    {
        Count(member, m_counts, 1);
    }
}

void
SchedulerGroup::SetMember(Member& member, MemberState state, bool passive, bool speculative)
{
    Count(member, m_counts, -1);
    member.state = state;
    member.passive = passive;
    member.speculative = speculative;
    Count(member, m_counts, 1);
}

void
SchedulerGroup::SetCompleted(Member& member, uint64_t completed)
{
    if (completed > m_most || member.completed == m_most)
    {
        member.completed = completed;
        Recount();
        return;
    }
    Count(member, m_counts, -1);
    member.completed = completed;
    Count(member, m_counts, 1);
}

std::vector<uint32_t>
SchedulerGroup::GetMembers(MemberState state) const
{
    std::vector<uint32_t> members;
    for (const auto& lease : GetLeases(state))
    {
        members.push_back(lease.rank);
    }
    return members;
}

bool
SchedulerGroup::IsReady() const
{
    // With a holder the circuits are up, so that serving the rest costs no switch.
    const uint32_t consenting =
        m_counts.requested + m_counts.holding + (m_counts.behind > 0 ? m_counts.ahead : 0);
    return !m_failed && m_counts.requested > 0 && consenting == m_members.size() &&
           (m_counts.active > 0 || m_counts.holding > 0);
}

bool
SchedulerGroup::LacksCircuits() const
{
    return std::any_of(circuits.begin(), circuits.end(), [](const SchedulerCircuit& circuit) {
        return circuit.first->peer != circuit.second;
    });
}

bool
SchedulerGroup::IsUp() const
{
    return std::all_of(circuits.begin(), circuits.end(), [](const SchedulerCircuit& circuit) {
        return circuit.first->peer == circuit.second && !circuit.first->busy &&
               !circuit.second->busy;
    });
}

bool
SchedulerGroup::IsHeldAgainst(const SchedulerGroup& other) const
{
    // Neither of two that lack circuits can finish a call, so that one of them has to yield.
    return this != &other && m_counts.holding > 0 &&
           !(other.repair && repair && place > other.place);
}

std::vector<SchedulerActions::Lease>
SchedulerGroup::GetLeases(MemberState state) const
{
    std::vector<SchedulerActions::Lease> leases;
    for (const auto& [rank, member] : m_members)
    {
        if (member.state == state)
        {
            leases.push_back({rank, member.lease});
        }
    }
    return leases;
}

SchedulerActions::Grant
SchedulerGroup::Grant()
{
    SchedulerActions::Grant grant{m_key, GetLeases(REQUESTED), switched};
    NS_LOG_LOGIC("group " << m_key.id << " is granted to " << grant.leases.size()
                          << (switched ? " ranks, after switching" : " ranks"));
    switched = false;
    m_hinted = false;
    for (auto& [rank, member] : m_members)
    {
        if (member.state == REQUESTED)
        {
            SetMember(member, HOLDING);
        }
    }
    return grant;
}

std::optional<SchedulerActions::Recall>
SchedulerGroup::BeginRecall()
{
    m_recalled = true;
    m_recallLimit = SchedulerActions::NO_LIMIT;
    return RepeatRecall();
}

std::optional<SchedulerActions::Recall>
SchedulerGroup::RepeatRecall()
{
    SchedulerActions::Recall recall{m_key, GetLeases(HOLDING)};
    for (const auto& [rank, member] : m_members)
    {
        if (member.state != HOLDING)
        {
            recall.limit = std::min(recall.limit, member.completed);
        }
    }
    // The first recall of a group is always sent, later ones only with a lower limit.
    const bool first =
        m_recallLimit == SchedulerActions::NO_LIMIT && recall.limit == SchedulerActions::NO_LIMIT;
    if (!first && recall.limit >= m_recallLimit)
    {
        return std::nullopt;
    }
    NS_LOG_LOGIC("group " << m_key.id << " is recalled from " << m_counts.holding << " ranks");
    m_recallLimit = recall.limit;
    return recall;
}

SchedulerActions::Recall
SchedulerGroup::Hint()
{
    m_hinted = true;
    return {m_key, GetLeases(HOLDING), SchedulerActions::NO_LIMIT, true};
}

std::optional<SchedulerActions::Recall>
SchedulerGroup::MakeRecallFor(const SchedulerActions::Lease& lease) const
{
    if (!m_recalled && !m_hinted)
    {
        return std::nullopt;
    }
    const uint64_t limit = m_recalled ? m_recallLimit : SchedulerActions::NO_LIMIT;
    return SchedulerActions::Recall{m_key, {lease}, limit, !m_recalled};
}

SchedulerActions::Recall
SchedulerGroup::Fail()
{
    NS_LOG_FUNCTION(this << m_key.job << m_key.id << m_failed);
    const bool isFirst = !std::exchange(m_failed, true);
    return {m_key, isFirst ? GetLeases(REQUESTED) : std::vector<SchedulerActions::Lease>()};
}

std::string
SchedulerGroup::CheckInvariants() const
{
    const std::string name = "group " + std::to_string(m_key.id);
    Counts counts;
    for (const auto& [rank, member] : m_members)
    {
        Count(member, counts, 1);
    }
    const auto list = [](const Counts& x) {
        return std::vector<uint32_t>{x.requested, x.active, x.urgent, x.behind, x.holding, x.ahead};
    };
    if (list(counts) != list(m_counts))
    {
        return name + " has lost count of its ranks";
    }
    const bool hasLight =
        std::all_of(circuits.begin(), circuits.end(), [](const SchedulerCircuit& circuit) {
            return circuit.first->peer == circuit.second &&
                   (!circuit.first->busy || circuit.first->relighting);
        });
    if (counts.holding > 0 && !hasLight && !repair)
    {
        return name + " has a holder but no light";
    }
    if (repair && !isQueued)
    {
        return name + " lacks circuits and does not wait for them";
    }
    return m_recalled && counts.holding == 0 ? name + " is recalled from nobody" : "";
}

} // namespace ns3
