// SPDX-License-Identifier: GPL-2.0-only

#include "circuit-ledger.h"

#include "ns3/assert.h"
#include "ns3/kept-rule.h"

#include <algorithm>
#include <set>

namespace ns3
{

LedgerGroup*
CircuitLedger::Find(const GroupKey& key) const
{
    auto it = m_groups.find(key);
    return it == m_groups.end() ? nullptr : it->second.get();
}

void
CircuitLedger::SetFabric(uint32_t ocs, Ptr<CircuitFabric> fabric)
{
    m_fabrics.Set(ocs, fabric);
}

void
CircuitLedger::AddGroup(const GroupKey& key,
                        const std::vector<uint32_t>& ranks,
                        const CircuitPlan& plan)
{
    NS_ASSERT_MSG(!HasGroup(key), "group " << key.id << " of job " << key.job << " is known");
    auto group = std::make_unique<LedgerGroup>(key, ranks);
    m_ports.SetCircuits(*group, plan);
    m_groups[key] = std::move(group);
}

CircuitLedger::Actions
CircuitLedger::Ask(const GroupKey& key,
                   const Lease& lease,
                   uint64_t completed,
                   bool passive,
                   bool speculative)
{
    Actions actions;
    LedgerGroup* group = Find(key);
    LedgerGroup::Member* member = group ? group->FindMember(lease.rank) : nullptr;
    if (!member)
    {
        ++m_ignored;
        return actions;
    }
    if (member->forgotten && lease.number > member->lease &&
        Remember(*group, *member, lease, actions))
    {
        return actions;
    }
    if (member->state == LedgerGroup::HOLDING && lease.number == member->lease)
    {
        return actions; // became active while its grant was on the way
    }
    const bool again = member->state == LedgerGroup::ASKED && lease.number == member->lease;
    const bool fresh = member->state == LedgerGroup::AWAY && lease.number > member->lease;
    if (!again && !fresh)
    {
        ++m_ignored;
        return actions;
    }
    member->lease = lease.number;
    member->completed = completed;
    group->SetMember(*member, LedgerGroup::ASKED, passive, speculative);
    m_line.Update(*group);
    m_line.LookAt(group->circuits);
    Serve(actions);
    return actions;
}

CircuitLedger::Actions
CircuitLedger::Release(const GroupKey& key, const Lease& lease, uint64_t completed)
{
    Actions actions;
    LedgerGroup* group = Find(key);
    LedgerGroup::Member* member = group ? group->FindMember(lease.rank) : nullptr;
    if (!member || member->state == LedgerGroup::AWAY || member->lease != lease.number)
    {
        ++m_ignored;
        return actions;
    }
    member->completed = completed;
    Withdraw(*group, *member, actions);
    Serve(actions);
    return actions;
}

void
CircuitLedger::Withdraw(LedgerGroup& group, LedgerGroup::Member& member, Actions& actions)
{
    member.forgotten = false;
    group.SetMember(member, LedgerGroup::AWAY);
    if (group.CountHolding() == 0)
    {
        group.EndRecall();
        m_line.UpdateRepair(group);
    }
    else if (group.IsRecalled())
    {
        // The others cannot get further than the rank that has just left.
        if (const auto recall = group.RepeatRecall())
        {
            actions.recalls.push_back(*recall);
        }
    }
    m_line.Update(group);
    m_line.LookAt(group.circuits);
    if (group.CountHolding() == 0)
    {
        m_line.LookForRoom(group.circuits);
    }
}

void
CircuitLedger::Serve(Actions& actions)
{
    while (LedgerGroup* group = m_line.Take())
    {
        Try(*group, actions);
    }
}

void
CircuitLedger::Try(LedgerGroup& group, Actions& actions)
{
    if (PortBook::IsBusy(group) && KeepsRule("light"))
    {
        return;
    }
    LedgerChange change = PortBook::FindChange(group);
    if (change.make.empty() && group.repair)
    {
        m_line.UpdateRepair(group);
        return;
    }
    if (change.make.empty())
    {
        if (!group.IsRecalled()) // otherwise its holders are giving it up for another group
        {
            actions.grants.push_back(group.Grant());
            m_line.Update(group);
        }
        return;
    }
    NS_ASSERT_MSG(group.CountHolding() == 0 || group.repair,
                  "a group with a holder has lost a circuit");
    if ((FindRoom(group, change) || !KeepsRule("room")) &&
        !RecallUsers(group, change.drop, actions))
    {
        StartSwitch(group, change, actions);
    }
}

bool
CircuitLedger::FindRoom(LedgerGroup& group, LedgerChange& change)
{
    const std::set<uint32_t> switches = m_fabrics.FindSwitches(change.make);
    FabricBook::Room room;
    room.exists = std::none_of(switches.begin(), switches.end(), [&](uint32_t ocs) {
        return m_line.IsRoomReserved(ocs, group);
    });
    for (auto ocs = switches.begin(); ocs != switches.end() && room.exists; ++ocs)
    {
        const FabricBook::Room here = m_fabrics.FindRoom(m_ports, group, *ocs, change);
        room.exists = here.exists;
        room.isLent = room.isLent || here.isLent;
    }
    for (const uint32_t ocs : switches)
    {
        if (!room.exists || room.isLent)
        {
            m_line.WaitForRoom(ocs, group);
        }
        else
        {
            m_line.EndWaitForRoom(ocs, group);
        }
    }
    return room.exists;
}

bool
CircuitLedger::RecallUsers(const LedgerGroup& group,
                           const std::vector<LedgerCircuit>& drop,
                           Actions& actions)
{
    const bool isUrgent = group.IsUrgent() || group.repair;
    bool isHeld = false;
    for (const LedgerCircuit& circuit : drop)
    {
        for (LedgerGroup* user : m_ports.GetUsers(circuit))
        {
            if (!user->IsHeldAgainst(group) || !KeepsRule("recall"))
            {
                continue;
            }
            isHeld = true;
            if (isUrgent && !user->IsRecalled())
            {
                if (const auto recall = user->BeginRecall())
                {
                    actions.recalls.push_back(*recall);
                }
            }
            else if (!isUrgent && !user->IsRecalled() && !user->IsHinted())
            {
                actions.recalls.push_back(user->Hint());
            }
        }
    }
    return isHeld;
}

void
CircuitLedger::StartSwitch(LedgerGroup& group, const LedgerChange& change, Actions& actions)
{
    const auto switches = m_commands.Start(group, change, m_fabrics);
    actions.switches.insert(actions.switches.end(), switches.begin(), switches.end());
}

CircuitLedger::Actions
CircuitLedger::ReportLight(uint64_t number)
{
    Actions actions;
    const auto command = m_commands.Take(number);
    if (!command)
    {
        ++m_ignored;
        return actions;
    }
    command->group->switched = true;
    m_line.LookAt(command->group->circuits);
    m_line.LookAt(command->change.make); // which it may have no more, see Replan
    m_line.LookForRoom(command->ocs);
    Serve(actions);
    return actions;
}

CircuitLedger::Actions
CircuitLedger::ReportRefusal(uint64_t number, Recall& failed)
{
    Actions actions;
    const auto command = m_commands.Take(number);
    if (!command)
    {
        ++m_ignored;
        return actions;
    }
    m_commands.Undo(number, *command, m_fabrics);
    failed = command->group->Fail();
    m_line.Update(*command->group);
    m_line.LookAt(command->change.make);
    m_line.LookAt(command->change.drop);
    m_line.LookForRoom(command->ocs);
    Serve(actions);
    return actions;
}

CircuitLedger::Actions
CircuitLedger::ReportLoss(uint32_t ocs)
{
    Actions actions;
    for (const uint64_t number : m_commands.Find(ocs))
    {
        m_commands.Take(number);
    }
    m_ports.Darken(ocs);
    m_fabrics.Clear(ocs);
    for (const auto& [key, group] : m_groups)
    {
        if (group->CountHolding() > 0)
        {
            Relight(*group, ocs, actions);
            m_line.UpdateRepair(*group);
        }
    }
    for (const LedgerPort* port : m_ports.GetPorts(ocs))
    {
        m_line.LookAt(*port);
    }
    m_line.LookForRoom(ocs);
    Serve(actions);
    return actions;
}

void
CircuitLedger::Relight(LedgerGroup& group, uint32_t ocs, Actions& actions)
{
    LedgerChange change;
    for (const LedgerCircuit& circuit : group.circuits)
    {
        // Else for another group that holds it.
        if (circuit.first->id.ocs == ocs && !circuit.first->peer && !circuit.second->peer)
        {
            change.make.push_back(circuit);
        }
    }
    if (!m_fabrics.Fits(ocs, change.make))
    {
        return; // not beside those before it, made in another order than once: it has to wait
    }
    StartSwitch(group, change, actions);
    for (const LedgerCircuit& circuit : change.make)
    {
        circuit.first->relighting = true;
        circuit.second->relighting = true;
    }
}

CircuitLedger::Actions
CircuitLedger::Replan(const GroupKey& key, const CircuitPlan& plan)
{
    Actions actions;
    LedgerGroup& group = *Find(key);
    std::vector<LedgerCircuit> before;
    m_line.Exchange(group, [&] {
        before = m_ports.TakeCircuits(group);
        m_ports.SetCircuits(group, plan);
    });
    m_line.UpdateRepair(group);
    m_line.LookAt(group.circuits);
    m_line.LookAt(before); // which others may use now
    m_line.LookForRoom(before);
    Serve(actions);
    return actions;
}

CircuitLedger::Actions
CircuitLedger::Restart(uint32_t job, uint32_t rank, const std::set<uint64_t>& needed)
{
    Actions actions;
    for (const GroupKey& key : GetGroups(job, rank))
    {
        LedgerGroup& group = *Find(key);
        LedgerGroup::Member& member = *group.FindMember(rank);
        if (member.state == LedgerGroup::AWAY)
        {
            continue;
        }
        if (needed.count(key.id) > 0 && KeepsRule("needed"))
        {
            member.forgotten = true;
            continue;
        }
        Withdraw(group, member, actions);
    }
    Serve(actions); // now, so that nothing is granted that is about to be given back
    return actions;
}

bool
CircuitLedger::Remember(LedgerGroup& group,
                        LedgerGroup::Member& member,
                        const Lease& lease,
                        Actions& actions)
{
    member.forgotten = false;
    member.lease = lease.number;
    if (member.state != LedgerGroup::HOLDING)
    {
        return false; // as if it had asked with this number before
    }
    actions.grants.push_back(Grant{group.GetKey(), {lease}, false});
    if (const auto recall = group.RemindOfRecall(lease))
    {
        actions.recalls.push_back(*recall);
    }
    return true;
}

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
