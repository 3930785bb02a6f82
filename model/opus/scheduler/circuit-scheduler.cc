// SPDX-License-Identifier: GPL-2.0-only

#include "circuit-scheduler.h"

#include "ns3/assert.h"
#include "ns3/log.h"

#include <algorithm>
#include <set>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CircuitScheduler");

SchedulerGroup*
CircuitScheduler::Find(const GroupKey& key) const
{
    auto it = m_groups.find(key);
    return it == m_groups.end() ? nullptr : it->second.get();
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
CircuitScheduler::Request(const GroupKey& key,
                          const Lease& lease,
                          uint64_t completed,
                          bool passive,
                          bool speculative)
{
    NS_LOG_FUNCTION(this << key.job << key.id << lease.rank << lease.number << completed);
    Actions actions;
    SchedulerGroup* group = Find(key);
    SchedulerGroup::Member* member = group ? group->FindMember(lease.rank) : nullptr;
    if (!member)
    {
        ++m_ignored;
        return actions;
    }
    if (member->isReset && lease.number > member->lease &&
        Reassign(*group, *member, lease, actions))
    {
        return actions;
    }
    if (member->state == SchedulerGroup::HOLDING && lease.number == member->lease)
    {
        return actions; // no longer passive while the grant was in flight
    }
    if (member->state != SchedulerGroup::IDLE && lease.number > member->lease)
    {
        // The rank has released the lease before this request; the release is still on its way.
        group->SetCompleted(*member, completed);
        Withdraw(*group, *member, actions);
    }
    const bool again = member->state == SchedulerGroup::REQUESTED && lease.number == member->lease;
    const bool fresh = member->state == SchedulerGroup::IDLE && lease.number > member->lease;
    if (!again && !fresh)
    {
        return actions; // the release of this lease, or a later request, has come before
    }
    member->lease = lease.number;
    group->SetCompleted(*member, completed);
    group->SetMember(*member, SchedulerGroup::REQUESTED, passive, speculative);
    m_queue.Update(*group);
    m_queue.MarkChanged(group->circuits);
    Serve(actions);
    return actions;
}

void
CircuitScheduler::Hold(const GroupKey& key, const Lease& lease, uint64_t completed)
{
    SchedulerGroup& group = *Find(key);
    SchedulerGroup::Member& member = *group.FindMember(lease.rank);
    if (member.state != SchedulerGroup::IDLE || lease.number <= member.lease)
    {
        return; // known
    }
    member.lease = lease.number;
    group.SetCompleted(member, completed);
    group.SetMember(member, SchedulerGroup::HOLDING);
    m_queue.Update(group);
}

CircuitScheduler::Actions
CircuitScheduler::ServeHeld()
{
    Actions actions;
    for (const auto& [key, group] : m_groups)
    {
        if (group->CountHolding() > 0)
        {
            m_queue.UpdateRepair(*group);
            m_queue.MarkChanged(group->circuits);
        }
    }
    Serve(actions);
    return actions;
}

CircuitScheduler::Actions
CircuitScheduler::Release(const GroupKey& key, const Lease& lease, uint64_t completed)
{
    NS_LOG_FUNCTION(this << key.job << key.id << lease.rank << lease.number << completed);
    Actions actions;
    SchedulerGroup* group = Find(key);
    SchedulerGroup::Member* member = group ? group->FindMember(lease.rank) : nullptr;
    if (member && lease.number < member->lease)
    {
        return actions; // a request with a higher number has ended this lease
    }
    if (!member || member->state == SchedulerGroup::IDLE || member->lease != lease.number)
    {
        ++m_ignored;
        return actions;
    }
    group->SetCompleted(*member, completed);
    Withdraw(*group, *member, actions);
    Serve(actions);
    return actions;
}

void
CircuitScheduler::Withdraw(SchedulerGroup& group, SchedulerGroup::Member& member, Actions& actions)
{
    member.isReset = false;
    group.SetMember(member, SchedulerGroup::IDLE);
    if (group.CountHolding() == 0)
    {
        group.EndRecall();
        m_queue.UpdateRepair(group);
    }
    else if (group.IsRecalled())
    {
        // The other ranks cannot complete more collectives than the rank that has just left.
        if (const auto recall = group.RepeatRecall())
        {
            actions.recalls.push_back(*recall);
        }
    }
    m_queue.Update(group);
    m_queue.MarkChanged(group.circuits);
    if (group.CountHolding() == 0)
    {
        m_queue.MarkRoomChanged(group.circuits);
    }
}

void
CircuitScheduler::Serve(Actions& actions)
{
    while (SchedulerGroup* group = m_queue.Take())
    {
        TryServe(*group, actions);
    }
}

void
CircuitScheduler::TryServe(SchedulerGroup& group, Actions& actions)
{
    if (PortTable::IsBusy(group) || (group.isFrozen && group.CountHolding() == 0))
    {
        return;
    }
    SchedulerChange change = PortTable::FindChange(group);
    if (change.make.empty() && group.repair)
    {
        m_queue.UpdateRepair(group);
        return;
    }
    if (change.make.empty())
    {
        if (!group.IsRecalled()) // a recalled group is about to be released for another group
        {
            actions.grants.push_back(group.Grant());
            m_queue.Update(group);
        }
        return;
    }
    NS_ASSERT_MSG(group.CountHolding() == 0 || group.repair,
                  "a group with a holder has lost a circuit");
    if (FindRoom(group, change) && !RecallUsers(group, change.drop, actions))
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
        return m_queue.IsRoomReserved(ocs, group);
    });
    for (auto ocs = switches.begin(); ocs != switches.end() && room.exists; ++ocs)
    {
        const FabricTable::Room here = m_fabrics.FindRoom(m_ports, group, *ocs, change);
        room.exists = here.exists;
        room.isLeased = room.isLeased || here.isLeased;
    }
    for (const uint32_t ocs : switches)
    {
        if (!room.exists || room.isLeased)
        {
            m_queue.WaitForRoom(ocs, group);
        }
        else
        {
            m_queue.EndWaitForRoom(ocs, group);
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
            if (!user->IsHeldAgainst(group))
            {
                continue;
            }
            isHeld = true;
            if (isUrgent && !user->IsRecalled())
            {
                NS_LOG_LOGIC("group " << group.GetKey().id << " needs ports of group "
                                      << user->GetKey().id);
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
    NS_LOG_LOGIC("group " << group.GetKey().id << " lacks " << change.make.size() << " circuits");
    const auto switches = m_commands.Start(group, change, m_fabrics);
    actions.switches.insert(actions.switches.end(), switches.begin(), switches.end());
}

CircuitScheduler::Actions
CircuitScheduler::ReportLight(uint64_t number)
{
    NS_LOG_FUNCTION(this << number);
    Actions actions;
    const auto command = m_commands.Take(number);
    if (!command)
    {
        ++m_ignored;
        return actions;
    }
    command->group->switched = true;
    m_queue.MarkChanged(command->group->circuits);
    m_queue.MarkChanged(
        command->change.make); // Replan may have taken these circuits from the group
    m_queue.MarkRoomChanged(command->ocs);
    Serve(actions);
    return actions;
}

CircuitScheduler::Actions
CircuitScheduler::ReportRefusal(uint64_t number, Recall& failed)
{
    NS_LOG_FUNCTION(this << number);
    Actions actions;
    const auto command = m_commands.Take(number);
    if (!command)
    {
        ++m_ignored;
        return actions;
    }
    m_commands.Undo(number, *command, m_fabrics);
    failed = command->group->Fail();
    m_queue.Update(*command->group);
    m_queue.MarkChanged(command->change.make);
    m_queue.MarkChanged(command->change.drop);
    m_queue.MarkRoomChanged(command->ocs);
    Serve(actions);
    return actions;
}

CircuitScheduler::Actions
CircuitScheduler::ReportLoss(uint32_t ocs)
{
    NS_LOG_FUNCTION(this << ocs);
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
            m_queue.UpdateRepair(*group);
        }
    }
    for (const SchedulerPort* port : m_ports.GetPorts(ocs))
    {
        m_queue.MarkChanged(*port);
    }
    m_queue.MarkRoomChanged(ocs);
    Serve(actions);
    return actions;
}

void
CircuitScheduler::Relight(SchedulerGroup& group, uint32_t ocs, Actions& actions)
{
    SchedulerChange change;
    for (const SchedulerCircuit& circuit : group.circuits)
    {
        // A port with a peer already has a circuit for another group with holders.
        if (circuit.first->id.ocs == ocs && !circuit.first->peer && !circuit.second->peer)
        {
            change.make.push_back(circuit);
        }
    }
    if (!m_fabrics.Fits(ocs, change.make))
    {
        NS_LOG_LOGIC("group " << group.GetKey().id << " finds no room on switch " << ocs);
        return; // does not fit beside the circuits that were made first: the group waits
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
    m_queue.Exchange(group, [&] {
        before = m_ports.TakeCircuits(group);
        m_ports.SetCircuits(group, plan);
    });
    m_queue.UpdateRepair(group);
    m_queue.MarkChanged(group.circuits);
    m_queue.MarkChanged(before); // other groups may use these ports now
    m_queue.MarkRoomChanged(before);
    Serve(actions);
    return actions;
}

CircuitScheduler::Actions
CircuitScheduler::Freeze(const std::vector<GroupKey>& keys)
{
    Actions actions;
    for (const GroupKey& key : keys)
    {
        SchedulerGroup& group = *Find(key);
        group.isFrozen = true;
        if (group.CountHolding() > 0 && !group.IsRecalled())
        {
            if (const auto recall = group.BeginRecall())
            {
                actions.recalls.push_back(*recall);
            }
        }
    }
    return actions;
}

CircuitScheduler::Actions
CircuitScheduler::Unfreeze(const std::vector<GroupKey>& keys)
{
    Actions actions;
    for (const GroupKey& key : keys)
    {
        SchedulerGroup& group = *Find(key);
        group.isFrozen = false;
        m_queue.MarkChanged(group.circuits);
    }
    Serve(actions);
    return actions;
}

bool
CircuitScheduler::IsFree(const GroupKey& key) const
{
    const SchedulerGroup& group = *Find(key);
    return group.CountHolding() == 0 && group.commands == 0;
}

CircuitScheduler::Actions
CircuitScheduler::Restart(uint32_t job, uint32_t rank, const std::set<uint64_t>& needed)
{
    NS_LOG_FUNCTION(this << job << rank << needed.size());
    Actions actions;
    for (const GroupKey& key : GetGroups(job, rank))
    {
        SchedulerGroup& group = *Find(key);
        SchedulerGroup::Member& member = *group.FindMember(rank);
        if (member.state == SchedulerGroup::IDLE)
        {
            continue;
        }
        if (needed.count(key.id) > 0)
        {
            member.isReset = true;
            continue;
        }
        Withdraw(group, member, actions);
    }
    Serve(actions); // after all releases, so that no grant is followed by a release at once
    return actions;
}

void
CircuitScheduler::RestartCount(uint32_t job)
{
    for (const GroupKey& key : GetGroups(job))
    {
        SchedulerGroup& group = *Find(key);
        for (const uint32_t rank : group.GetRanks())
        {
            group.SetCompleted(*group.FindMember(rank), 0);
        }
    }
}

bool
CircuitScheduler::Reassign(SchedulerGroup& group,
                           SchedulerGroup::Member& member,
                           const Lease& lease,
                           Actions& actions)
{
    member.isReset = false;
    member.lease = lease.number;
    if (member.state != SchedulerGroup::HOLDING)
    {
        return false; // the request continues under the new number
    }
    actions.grants.push_back(Grant{group.GetKey(), {lease}, false});
    if (const auto recall = group.MakeRecallFor(lease))
    {
        actions.recalls.push_back(*recall);
    }
    return true;
}

const std::vector<uint32_t>&
CircuitScheduler::GetRanks(const GroupKey& key) const
{
    static const std::vector<uint32_t> none;
    const SchedulerGroup* group = Find(key);
    return group ? group->GetRanks() : none;
}

std::vector<GroupKey>
CircuitScheduler::GetGroups(uint32_t job, std::optional<uint32_t> rank) const
{
    std::vector<GroupKey> groups;
    for (auto it = m_groups.lower_bound({job, 0}); it != m_groups.end() && it->first.job == job;
         ++it)
    {
        if (!rank || it->second->FindMember(*rank))
        {
            groups.push_back(it->first);
        }
    }
    return groups;
}

std::vector<GroupKey>
CircuitScheduler::GetGroupsInUse(uint32_t job, std::optional<uint32_t> rank) const
{
    std::vector<GroupKey> groups = GetGroups(job, rank);
    const auto isIdle = [this](const GroupKey& key) {
        return Find(key)->CountRequested() + Find(key)->CountHolding() == 0;
    };
    groups.erase(std::remove_if(groups.begin(), groups.end(), isIdle), groups.end());
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
    return group->isQueued               ? GroupState::QUEUED
           : group->CountRequested() > 0 ? GroupState::REQUESTED
                                         : GroupState::IDLE;
}

CircuitScheduler::Waiting
CircuitScheduler::GetWaiting(const GroupKey& key) const
{
    const SchedulerGroup* group = Find(key);
    if (!group || group->CountRequested() == 0)
    {
        return Waiting::NONE;
    }
    return group->isQueued ? Waiting::ALL : Waiting::SOME;
}

CircuitScheduler::WaitStatus
CircuitScheduler::GetWaitStatus(const GroupKey& key) const
{
    WaitStatus status;
    const SchedulerGroup* group = Find(key);
    if (!group)
    {
        return status;
    }
    status.absent = group->GetMembers(SchedulerGroup::IDLE);
    status.requesting = group->GetMembers(SchedulerGroup::REQUESTED);
    status.holding = group->GetMembers(SchedulerGroup::HOLDING);
    status.switching = m_commands.FindSwitches(*group);
    std::set<GroupKey> blocking;
    std::set<OcsPortId> own;
    std::set<OcsPortId> ports;
    const auto add = [&](const SchedulerGroup& other, const SchedulerPort& port) {
        blocking.insert(other.GetKey());
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
            if (!port->queue.empty() && group->isQueued &&
                port->queue.begin()->first < group->place)
            {
                add(*port->queue.begin()->second, *port);
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
    status.blocking.assign(blocking.begin(), blocking.end());
    status.ports.assign(ports.begin(), ports.end());
    return status;
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
    return error.empty() ? m_queue.CheckInvariants() : error;
}

} // namespace ns3
