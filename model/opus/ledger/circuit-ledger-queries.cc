// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * What can be asked of a ledger.
 */

#include "circuit-ledger.h"

#include <algorithm>
#include <set>

namespace ns3
{

bool
CircuitLedger::HasGroup(const GroupKey& key) const
{
    return Find(key) != nullptr;
}

const std::vector<uint32_t>&
CircuitLedger::GetRanks(const GroupKey& key) const
{
    static const std::vector<uint32_t> none;
    const LedgerGroup* group = Find(key);
    return group ? group->GetRanks() : none;
}

std::vector<GroupKey>
CircuitLedger::GetGroups(uint32_t job, uint32_t rank) const
{
    std::vector<GroupKey> groups;
    for (auto it = m_groups.lower_bound({job, 0}); it != m_groups.end() && it->first.job == job;
         ++it)
    {
        if (it->second->FindMember(rank))
        {
            groups.push_back(it->first);
        }
    }
    return groups;
}

std::vector<GroupKey>
CircuitLedger::GetGroupsInUse(uint32_t job) const
{
    std::vector<GroupKey> groups;
    for (auto it = m_groups.lower_bound({job, 0}); it != m_groups.end() && it->first.job == job;
         ++it)
    {
        if (it->second->CountAsked() + it->second->CountHolding() > 0)
        {
            groups.push_back(it->first);
        }
    }
    return groups;
}

bool
CircuitLedger::HasCircuits(const GroupKey& key, uint32_t ocs) const
{
    const LedgerGroup* group = Find(key);
    return group && std::any_of(group->circuits.begin(),
                                group->circuits.end(),
                                [ocs](const LedgerCircuit& circuit) {
                                    return circuit.first->id.ocs == ocs;
                                });
}

CircuitLedger::GroupState
CircuitLedger::GetState(const GroupKey& key) const
{
    const LedgerGroup* group = Find(key);
    if (!group)
    {
        return GroupState::UNKNOWN;
    }
    if (group->HasFailed())
    {
        return GroupState::FAILED;
    }
    if (group->commands > 0)
    {
        return GroupState::SWITCHING;
    }
    if (group->CountHolding() > 0)
    {
        return group->IsRecalled() ? GroupState::RECALLED : GroupState::HELD;
    }
    return group->inLine             ? GroupState::IN_LINE
           : group->CountAsked() > 0 ? GroupState::ASKED
                                     : GroupState::IDLE;
}

CircuitLedger::Waiting
CircuitLedger::GetWaiting(const GroupKey& key) const
{
    const LedgerGroup* group = Find(key);
    if (!group || group->CountAsked() == 0)
    {
        return Waiting::NOBODY;
    }
    return group->inLine ? Waiting::ALL : Waiting::SOME;
}

CircuitLedger::Standing
CircuitLedger::GetStanding(const GroupKey& key) const
{
    Standing standing;
    const LedgerGroup* group = Find(key);
    if (!group)
    {
        return standing;
    }
    standing.away = group->GetMembers(LedgerGroup::AWAY);
    standing.asking = group->GetMembers(LedgerGroup::ASKED);
    standing.holding = group->GetMembers(LedgerGroup::HOLDING);
    standing.switching = m_commands.FindSwitches(*group);
    std::set<GroupKey> inTheWay;
    std::set<OcsPortId> own;
    std::set<OcsPortId> ports;
    const auto add = [&](const LedgerGroup& other, const LedgerPort& port) {
        inTheWay.insert(other.GetKey());
        if (own.count(port.id) > 0)
        {
            ports.insert(port.id);
        }
    };
    for (const LedgerCircuit& circuit : group->circuits)
    {
        for (const LedgerPort* port : {circuit.first, circuit.second})
        {
            own.insert(port->id);
            if (!port->line.empty() && group->inLine && port->line.begin()->first < group->place)
            {
                add(*port->line.begin()->second, *port);
            }
        }
    }
    for (const LedgerCircuit& circuit : PortBook::FindChange(*group).drop)
    {
        for (const LedgerGroup* user : m_ports.GetUsers(circuit))
        {
            if (user->IsHeldAgainst(*group))
            {
                add(*user, *circuit.first);
                add(*user, *circuit.second);
            }
        }
    }
    standing.inTheWay.assign(inTheWay.begin(), inTheWay.end());
    standing.ports.assign(ports.begin(), ports.end());
    return standing;
}

uint64_t
CircuitLedger::GetIgnored() const
{
    return m_ignored;
}

CircuitSet
CircuitLedger::GetCircuits(uint32_t ocs) const
{
    return m_ports.GetCircuits(ocs);
}

bool
CircuitLedger::IsUp(const GroupKey& key) const
{
    const LedgerGroup* group = Find(key);
    return group && group->IsUp();
}

std::string
CircuitLedger::CheckInvariants() const
{
    std::string error = m_ports.CheckInvariants();
    for (auto it = m_groups.begin(); it != m_groups.end() && error.empty(); ++it)
    {
        error = it->second->CheckInvariants();
    }
    if (error.empty())
    {
        error = m_fabrics.CheckInvariants(m_ports, m_commands.GetSwitches());
    }
    return error.empty() ? m_line.CheckInvariants() : error;
}

} // namespace ns3
