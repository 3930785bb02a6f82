// SPDX-License-Identifier: GPL-2.0-only

#include "circuit-scheduler.h"

#include "ns3/assert.h"
#include "ns3/kept-rule.h"

#include <algorithm>
#include <set>

namespace ns3
{

SchedulerGroup*
CircuitScheduler::Find(const GroupKey& key) const
{
    auto it = m_groups.find(key);
    return it == m_groups.end() ? nullptr : it->second.get();
}

void
CircuitScheduler::SetFabric(uint32_t ocs, Ptr<CircuitFabric> fabric)
{
    m_fabrics.Set(ocs, fabric);
}

void
CircuitScheduler::AddGroup(const GroupKey& key,
                           const std::vector<uint32_t>& ranks,
                           const CircuitPlan& plan)
{
    NS_ASSERT_MSG(!HasGroup(key), "group " << key.id << " of job " << key.job << " is known");
    auto group = std::make_unique<SchedulerGroup>(key, ranks);
    m_ports.SetCircuits(*group, plan);
    m_groups[key] = std::move(group);
}

CircuitScheduler::Actions
CircuitScheduler::Ask(const GroupKey& key,
                      const Lease& lease,
                      uint64_t completed,
                      bool passive,
                      bool speculative)
{
    Actions actions;
    SchedulerGroup* group = Find(key);
    SchedulerGroup::Member* member = group ? group->FindMember(lease.rank) : nullptr;
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
    if (member->state == SchedulerGroup::HOLDING && lease.number == member->lease)
    {
        return actions; // became active while its grant was on the way
    }
    const bool again = member->state == SchedulerGroup::ASKED && lease.number == member->lease;
    const bool fresh = member->state == SchedulerGroup::AWAY && lease.number > member->lease;
    if (!again && !fresh)
    {
        ++m_ignored;
        return actions;
    }
    member->lease = lease.number;
    member->completed = completed;
    group->SetMember(*member, SchedulerGroup::ASKED, passive, speculative);
    m_line.Update(*group);
    m_line.LookAt(group->circuits);
    Serve(actions);
    return actions;
}

CircuitScheduler::Actions
CircuitScheduler::Release(const GroupKey& key, const Lease& lease, uint64_t completed)
{
    Actions actions;
    SchedulerGroup* group = Find(key);
    SchedulerGroup::Member* member = group ? group->FindMember(lease.rank) : nullptr;
    if (!member || member->state == SchedulerGroup::AWAY || member->lease != lease.number)
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
CircuitScheduler::Withdraw(SchedulerGroup& group, SchedulerGroup::Member& member, Actions& actions)
{
    member.forgotten = false;
    group.SetMember(member, SchedulerGroup::AWAY);
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
CircuitScheduler::Serve(Actions& actions)
{
    while (SchedulerGroup* group = m_line.Take())
    {
        Try(*group, actions);
    }
}

void
CircuitScheduler::Try(SchedulerGroup& group, Actions& actions)
{
    if (PortTable::IsBusy(group) && IsRuleKept("light"))
    {
        return;
    }
    SchedulerChange change = PortTable::FindChange(group);
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
    if ((FindRoom(group, change) || !IsRuleKept("room")) &&
        !RecallUsers(group, change.drop, actions))
    {
        StartSwitch(group, change, actions);
    }
}

bool
CircuitScheduler::FindRoom(SchedulerGroup& group, SchedulerChange& change)
{
    const std::set<uint32_t> switches = m_fabrics.FindSwitches(change.make);
    FabricTable::Room room;
    room.exists = std::none_of(switches.begin(), switches.end(), [&](uint32_t ocs) {
        return m_line.IsRoomReserved(ocs, group);
    });
    for (auto ocs = switches.begin(); ocs != switches.end() && room.exists; ++ocs)
    {
        const FabricTable::Room here = m_fabrics.FindRoom(m_ports, group, *ocs, change);
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
CircuitScheduler::RecallUsers(const SchedulerGroup& group,
                              const std::vector<SchedulerCircuit>& drop,
                              Actions& actions)
{
    const bool isUrgent = group.IsUrgent() || group.repair;
    bool isHeld = false;
    for (const SchedulerCircuit& circuit : drop)
    {
        for (SchedulerGroup* user : m_ports.GetUsers(circuit))
        {
            if (!user->IsHeldAgainst(group) || !IsRuleKept("recall"))
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
CircuitScheduler::StartSwitch(SchedulerGroup& group,
                              const SchedulerChange& change,
                              Actions& actions)
{
    const auto switches = m_commands.Start(group, change, m_fabrics);
    actions.switches.insert(actions.switches.end(), switches.begin(), switches.end());
}

CircuitScheduler::Actions
CircuitScheduler::ReportLight(uint64_t number)
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

CircuitScheduler::Actions
CircuitScheduler::ReportRefusal(uint64_t number, Recall& failed)
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

CircuitScheduler::Actions
CircuitScheduler::ReportLoss(uint32_t ocs)
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
    for (const SchedulerPort* port : m_ports.GetPorts(ocs))
    {
        m_line.LookAt(*port);
    }
    m_line.LookForRoom(ocs);
    Serve(actions);
    return actions;
}

void
CircuitScheduler::Relight(SchedulerGroup& group, uint32_t ocs, Actions& actions)
{
    SchedulerChange change;
    for (const SchedulerCircuit& circuit : group.circuits)
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
    for (const SchedulerCircuit& circuit : change.make)
    {
        circuit.first->relighting = true;
        circuit.second->relighting = true;
    }
}

CircuitScheduler::Actions
CircuitScheduler::Replan(const GroupKey& key, const CircuitPlan& plan)
{
    Actions actions;
    SchedulerGroup& group = *Find(key);
    std::vector<SchedulerCircuit> before;
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

CircuitScheduler::Actions
CircuitScheduler::Restart(uint32_t job, uint32_t rank, const std::set<uint64_t>& needed)
{
    Actions actions;
    for (const GroupKey& key : GetGroups(job, rank))
    {
        SchedulerGroup& group = *Find(key);
        SchedulerGroup::Member& member = *group.FindMember(rank);
        if (member.state == SchedulerGroup::AWAY)
        {
            continue;
        }
        if (needed.count(key.id) > 0 && IsRuleKept("needed"))
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
CircuitScheduler::Remember(SchedulerGroup& group,
                           SchedulerGroup::Member& member,
                           const Lease& lease,
                           Actions& actions)
{
    member.forgotten = false;
    member.lease = lease.number;
    if (member.state != SchedulerGroup::HOLDING)
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
CircuitScheduler::HasGroup(const GroupKey& key) const
{
    return Find(key) != nullptr;
}

const std::vector<uint32_t>&
CircuitScheduler::GetRanks(const GroupKey& key) const
{
    static const std::vector<uint32_t> none;
    const SchedulerGroup* group = Find(key);
    return group ? group->GetRanks() : none;
}

std::vector<GroupKey>
CircuitScheduler::GetGroups(uint32_t job, uint32_t rank) const
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
CircuitScheduler::GetGroupsInUse(uint32_t job) const
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
CircuitScheduler::HasCircuits(const GroupKey& key, uint32_t ocs) const
{
    const SchedulerGroup* group = Find(key);
    return group && std::any_of(group->circuits.begin(),
                                group->circuits.end(),
                                [ocs](const SchedulerCircuit& circuit) {
                                    return circuit.first->id.ocs == ocs;
                                });
}

CircuitScheduler::GroupState
CircuitScheduler::GetState(const GroupKey& key) const
{
    const SchedulerGroup* group = Find(key);
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

CircuitScheduler::Waiting
CircuitScheduler::GetWaiting(const GroupKey& key) const
{
    const SchedulerGroup* group = Find(key);
    if (!group || group->CountAsked() == 0)
    {
        return Waiting::NOBODY;
    }
    return group->inLine ? Waiting::ALL : Waiting::SOME;
}

CircuitScheduler::Static
CircuitScheduler::GetStatic(const GroupKey& key) const
{
    Static standing;
    const SchedulerGroup* group = Find(key);
    if (!group)
    {
        return standing;
    }
    standing.away = group->GetMembers(SchedulerGroup::AWAY);
    standing.asking = group->GetMembers(SchedulerGroup::ASKED);
    standing.holding = group->GetMembers(SchedulerGroup::HOLDING);
    standing.switching = m_commands.FindSwitches(*group);
    std::set<GroupKey> inTheWay;
    std::set<OcsPortId> own;
    std::set<OcsPortId> ports;
    const auto add = [&](const SchedulerGroup& other, const SchedulerPort& port) {
        inTheWay.insert(other.GetKey());
        if (own.count(port.id) > 0)
        {
            ports.insert(port.id);
        }
    };
    for (const SchedulerCircuit& circuit : group->circuits)
    {
        for (const SchedulerPort* port : {circuit.first, circuit.second})
        {
            own.insert(port->id);
            if (!port->line.empty() && group->inLine && port->line.begin()->first < group->place)
            {
                add(*port->line.begin()->second, *port);
            }
        }
    }
    for (const SchedulerCircuit& circuit : PortTable::FindChange(*group).drop)
    {
        for (const SchedulerGroup* user : m_ports.GetUsers(circuit))
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
CircuitScheduler::GetIgnored() const
{
    return m_ignored;
}

CircuitSet
CircuitScheduler::GetCircuits(uint32_t ocs) const
{
    return m_ports.GetCircuits(ocs);
}

bool
CircuitScheduler::IsUp(const GroupKey& key) const
{
    const SchedulerGroup* group = Find(key);
    return group && group->IsUp();
}

std::string
CircuitScheduler::CheckInvariants() const
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
