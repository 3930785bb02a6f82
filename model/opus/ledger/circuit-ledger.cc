// SPDX-License-Identifier: GPL-2.0-only

#include "circuit-ledger.h"

#include "ns3/assert.h"
#include "ns3/opus-rule.h"

#include <algorithm>

namespace ns3
{

CircuitLedger::CircuitLedger() = default;
CircuitLedger::~CircuitLedger() = default;
CircuitLedger& CircuitLedger::operator=(CircuitLedger&&) = default;

CircuitLedger::Group*
CircuitLedger::Find(const GroupKey& key) const
{
    auto it = m_groups.find(key);
    return it == m_groups.end() ? nullptr : it->second.get();
}

CircuitLedger::Port*
CircuitLedger::GetPort(const OcsPortId& id)
{
    Port& port = m_ports[id];
    port.id = id;
    return &port;
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
    const Group* group = Find(key);
    return group ? group->ranks : none;
}

void
CircuitLedger::AddGroup(const GroupKey& key,
                        const std::vector<uint32_t>& ranks,
                        const CircuitPlan& plan)
{
    NS_ASSERT_MSG(!HasGroup(key), "group " << key.id << " of job " << key.job << " is known");
    auto group = std::make_unique<Group>();
    group->key = key;
    group->ranks = ranks;
    for (uint32_t rank : ranks)
    {
        group->members[rank] = Member{};
    }
    SetCircuits(*group, plan);
    m_groups[key] = std::move(group);
}

void
CircuitLedger::SetCircuits(Group& group, const CircuitPlan& plan)
{
    for (const auto& [ocs, circuits] : plan)
    {
        for (const Circuit& circuit : circuits)
        {
            const PortPair pair{GetPort(OcsPortId{ocs, std::min(circuit.a, circuit.b)}),
                                GetPort(OcsPortId{ocs, std::max(circuit.a, circuit.b)})};
            group.circuits.push_back(pair);
            m_users[pair].push_back(&group);
        }
    }
}

CircuitLedger::Actions
CircuitLedger::Ask(const GroupKey& key,
                   const Lease& lease,
                   uint64_t completed,
                   bool passive,
                   bool speculative)
{
    Actions actions;
    Group* group = Find(key);
    auto it = group ? group->members.find(lease.rank) : std::map<uint32_t, Member>::iterator{};
    if (!group || it == group->members.end())
    {
        ++m_ignored;
        return actions;
    }
    Member& member = it->second;
    if (member.forgotten && lease.number > member.lease && Remember(*group, member, lease, actions))
    {
        return actions;
    }
    if (member.state == HOLDING && lease.number == member.lease)
    {
        return actions; // became active while its grant was on the way
    }
    const bool again = member.state == ASKED && lease.number == member.lease;
    const bool fresh = member.state == AWAY && lease.number > member.lease;
    if (!again && !fresh)
    {
        ++m_ignored;
        return actions;
    }
    member.lease = lease.number;
    member.completed = completed;
    SetMember(*group, member, ASKED, passive, speculative);
    UpdateLine(*group);
    LookAt(*group);
    Serve(actions);
    return actions;
}

CircuitLedger::Actions
CircuitLedger::Release(const GroupKey& key, const Lease& lease, uint64_t completed)
{
    Actions actions;
    Group* group = Find(key);
    auto it = group ? group->members.find(lease.rank) : std::map<uint32_t, Member>::iterator{};
    if (!group || it == group->members.end() || it->second.state == AWAY ||
        it->second.lease != lease.number)
    {
        ++m_ignored;
        return actions;
    }
    it->second.completed = completed;
    Withdraw(*group, it->second, actions);
    Serve(actions);
    return actions;
}

void
CircuitLedger::Withdraw(Group& group, Member& member, Actions& actions)
{
    member.forgotten = false;
    SetMember(group, member, AWAY);
    if (group.holding == 0)
    {
        group.recalled = false;
        UpdateRepair(group);
    }
    else if (group.recalled)
    {
        // The others cannot get further than the rank that has just left.
        RecallGroup(group, actions);
    }
    UpdateLine(group);
    LookAt(group);
    if (group.holding == 0)
    {
        LookForRoom(group);
    }
}

void
CircuitLedger::SetMember(Group& group,
                         Member& member,
                         MemberState state,
                         bool passive,
                         bool speculative)
{
    if (member.state == ASKED)
    {
        --group.asked;
        group.active -= member.passive ? 0 : 1;
        group.urgent -= member.passive || member.speculative ? 0 : 1;
    }
    else if (member.state == HOLDING)
    {
        --group.holding;
    }
    member.state = state;
    member.passive = passive;
    member.speculative = speculative;
    if (state == ASKED)
    {
        ++group.asked;
        group.active += passive ? 0 : 1;
        group.urgent += passive || speculative ? 0 : 1;
    }
    else if (state == HOLDING)
    {
        ++group.holding;
    }
}

void
CircuitLedger::UpdateLine(Group& group)
{
    // With a holder the circuits are up, so that serving the rest costs no switch.
    const bool ready =
        !group.failed && group.asked > 0 &&
        (group.asked + group.holding == group.members.size() || !KeepsRule("ranks")) &&
        (group.active > 0 || group.holding > 0);
    const bool isUrgent = group.place < PATIENT;
    if (group.repair)
    {
        return; // it stands before all, until its circuits are there
    }
    if (ready == group.inLine && (!ready || isUrgent == (group.urgent > 0)))
    {
        return;
    }
    if (group.inLine)
    {
        LeaveLine(group);
    }
    if (ready)
    {
        ++m_lastPlace;
        EnterLine(group,
                  (KeepsRule("order") ? m_lastPlace : PATIENT + URGENT - m_lastPlace) +
                      (group.urgent > 0 ? 0 : PATIENT));
    }
}

void
CircuitLedger::EnterLine(Group& group, uint64_t place)
{
    group.place = place;
    group.inLine = true;
    for (const PortPair& pair : group.circuits)
    {
        pair.first->line[place] = &group;
        pair.second->line[place] = &group;
    }
}

void
CircuitLedger::LeaveLine(Group& group)
{
    group.inLine = false;
    m_changed.erase(group.place);
    for (auto& [ocs, fabric] : m_fabrics)
    {
        fabric.waiting.erase(group.place);
    }
    for (const PortPair& pair : group.circuits)
    {
        for (Port* port : {pair.first, pair.second})
        {
            port->line.erase(group.place);
            LookAt(*port);
        }
    }
    LookForRoom(group);
}

void
CircuitLedger::LookAt(const Port& port)
{
    if (!port.line.empty())
    {
        m_changed.insert(*port.line.begin());
    }
}

void
CircuitLedger::LookAt(const Group& group)
{
    for (const PortPair& pair : group.circuits)
    {
        LookAt(*pair.first);
        LookAt(*pair.second);
    }
}

bool
CircuitLedger::IsFirst(const Group& group) const
{
    const auto isFirst = [&group](const Port* port) {
        return port->line.begin()->second == &group;
    };
    return std::all_of(group.circuits.begin(), group.circuits.end(), [&](const PortPair& pair) {
        return isFirst(pair.first) && isFirst(pair.second);
    });
}

void
CircuitLedger::Serve(Actions& actions)
{
    // Whoever becomes the first when another leaves the line stands behind it.
    while (!m_changed.empty())
    {
        Group& group = *m_changed.begin()->second;
        m_changed.erase(m_changed.begin());
        if (IsFirst(group))
        {
            Try(group, actions);
        }
    }
}

void
CircuitLedger::Try(Group& group, Actions& actions)
{
    std::map<OcsPortId, PortPair> drop; // by lower port: the order must not depend on addresses
    Change change;
    for (const PortPair& pair : group.circuits)
    {
        if ((pair.first->busy || pair.second->busy) && KeepsRule("light"))
        {
            return;
        }
        if (pair.first->peer == pair.second)
        {
            continue;
        }
        change.make.push_back(pair);
        for (Port* port : {pair.first, pair.second})
        {
            if (port->peer)
            {
                const bool lower = port->id < port->peer->id;
                const PortPair old =
                    lower ? PortPair{port, port->peer} : PortPair{port->peer, port};
                drop[old.first->id] = old;
            }
        }
    }
    if (change.make.empty() && group.repair)
    {
        UpdateRepair(group);
        return;
    }
    if (change.make.empty())
    {
        if (!group.recalled) // otherwise its holders are giving it up for another group
        {
            GrantAll(group, actions);
        }
        return;
    }
    NS_ASSERT_MSG(group.holding == 0 || group.repair, "a group with a holder has lost a circuit");
    for (const auto& [id, pair] : drop)
    {
        change.drop.push_back(pair);
    }
    if ((FindRoom(group, change) || !KeepsRule("room")) &&
        !RecallUsers(group, change.drop, actions))
    {
        StartSwitch(group, change, actions);
    }
}

void
CircuitLedger::GrantAll(Group& group, Actions& actions)
{
    Grant grant;
    grant.group = group.key;
    grant.switched = group.switched;
    group.switched = false;
    group.hinted = false;
    for (auto& [rank, member] : group.members)
    {
        if (member.state == ASKED)
        {
            SetMember(group, member, HOLDING);
            grant.leases.push_back(Lease{rank, member.lease});
        }
    }
    actions.grants.push_back(grant);
    UpdateLine(group);
}

bool
CircuitLedger::RecallUsers(const Group& group, const std::vector<PortPair>& drop, Actions& actions)
{
    const bool urgent = group.urgent > 0 || group.repair;
    bool held = false;
    for (const PortPair& pair : drop)
    {
        for (Group* user : m_users[pair])
        {
            if (!IsHeldAgainst(*user, group) || !KeepsRule("recall"))
            {
                continue;
            }
            held = true;
            if (urgent && !user->recalled)
            {
                user->recalled = true;
                user->recallLimit = NO_LIMIT;
                RecallGroup(*user, actions);
            }
            else if (!urgent && !user->recalled && !user->hinted)
            {
                Hint(*user, actions);
            }
        }
    }
    return held;
}

void
CircuitLedger::RecallGroup(Group& group, Actions& actions)
{
    Recall recall;
    recall.group = group.key;
    for (const auto& [rank, member] : group.members)
    {
        if (member.state == HOLDING)
        {
            recall.leases.push_back(Lease{rank, member.lease});
        }
        else if (KeepsRule("limit"))
        {
            recall.limit = std::min(recall.limit, member.completed);
        }
    }
    // The first recall of a group goes out in any case, later ones only if they ask for more.
    const bool first = group.recallLimit == NO_LIMIT && recall.limit == NO_LIMIT;
    if (first || recall.limit < group.recallLimit)
    {
        group.recallLimit = recall.limit;
        actions.recalls.push_back(recall);
    }
}

void
CircuitLedger::Hint(Group& group, Actions& actions)
{
    group.hinted = true;
    Recall recall;
    recall.group = group.key;
    recall.speculative = true;
    for (const auto& [rank, member] : group.members)
    {
        if (member.state == HOLDING)
        {
            recall.leases.push_back(Lease{rank, member.lease});
        }
    }
    actions.recalls.push_back(recall);
}

void
CircuitLedger::StartSwitch(Group& group, const Change& change, Actions& actions)
{
    std::map<uint32_t, Command> commands;
    for (const PortPair& pair : change.drop)
    {
        pair.first->peer = nullptr;
        pair.second->peer = nullptr;
        commands[pair.first->id.ocs].change.drop.push_back(pair);
    }
    for (const PortPair& pair : change.make)
    {
        pair.first->peer = pair.second;
        pair.second->peer = pair.first;
        pair.first->busy = true;
        pair.second->busy = true;
        commands[pair.first->id.ocs].change.make.push_back(pair);
    }
    for (auto& [ocs, command] : commands)
    {
        Switch action;
        action.command = ++m_lastCommand;
        action.group = group.key;
        action.ocs = ocs;
        action.drop = ToCircuits(command.change.drop);
        action.make = ToCircuits(command.change.make);
        command.group = &group;
        command.ocs = ocs;
        ChangeFabric(command);
        ++group.commands;
        m_commands[action.command] = command;
        actions.switches.push_back(action);
    }
}

CircuitLedger::Command
CircuitLedger::TakeCommand(uint64_t number)
{
    auto it = m_commands.find(number);
    if (it == m_commands.end())
    {
        ++m_ignored;
        return Command{};
    }
    Command command = it->second;
    m_commands.erase(it);
    --command.group->commands;
    for (const PortPair& pair : command.change.make)
    {
        for (Port* port : {pair.first, pair.second})
        {
            port->busy = false;
            port->relighting = false;
        }
    }
    return command;
}

CircuitLedger::Actions
CircuitLedger::ReportLight(uint64_t number)
{
    Actions actions;
    const Command command = TakeCommand(number);
    if (command.group)
    {
        command.group->switched = true;
        LookAt(*command.group);
        for (const PortPair& pair : command.change.make) // which it may have no more, see Replan
        {
            LookAt(*pair.first);
            LookAt(*pair.second);
        }
        LookForRoom(command.ocs);
        Serve(actions);
    }
    return actions;
}

CircuitLedger::Actions
CircuitLedger::ReportRefusal(uint64_t number, Recall& failed)
{
    Actions actions;
    const Command command = TakeCommand(number);
    if (!command.group)
    {
        return actions;
    }
    for (const PortPair& pair : command.change.make)
    {
        pair.first->peer = nullptr;
        pair.second->peer = nullptr;
    }
    for (const PortPair& pair : command.change.drop)
    {
        // A far end may have been promised to another command, which will then be refused too.
        if (!pair.first->peer && !pair.second->peer)
        {
            pair.first->peer = pair.second;
            pair.second->peer = pair.first;
        }
    }
    Undo(number, command);
    Group& group = *command.group;
    const bool isFirst = !group.failed; // of the switches that the group needs
    group.failed = true;
    failed.group = group.key;
    for (const auto& [rank, member] : group.members)
    {
        if (member.state == ASKED && isFirst)
        {
            failed.leases.push_back(Lease{rank, member.lease});
        }
    }
    UpdateLine(group);
    for (const auto* pairs : {&command.change.make, &command.change.drop})
    {
        for (const PortPair& pair : *pairs)
        {
            LookAt(*pair.first);
            LookAt(*pair.second);
        }
    }
    LookForRoom(command.ocs);
    Serve(actions);
    return actions;
}

CircuitLedger::Actions
CircuitLedger::ReportLoss(uint32_t ocs)
{
    Actions actions;
    std::vector<uint64_t> lost;
    for (const auto& [number, command] : m_commands)
    {
        if (command.ocs == ocs)
        {
            lost.push_back(number);
        }
    }
    for (const uint64_t number : lost)
    {
        TakeCommand(number);
    }
    const auto begin = m_ports.lower_bound(OcsPortId{ocs, 0});
    for (auto it = begin; it != m_ports.end() && it->first.ocs == ocs; ++it)
    {
        it->second.peer = nullptr;
    }
    if (const auto fabric = m_fabrics.find(ocs); fabric != m_fabrics.end())
    {
        fabric->second.state->Clear();
    }
    for (const auto& [key, group] : m_groups)
    {
        if (group->holding > 0)
        {
            Relight(*group, ocs, actions);
            UpdateRepair(*group);
        }
    }
    for (auto it = begin; it != m_ports.end() && it->first.ocs == ocs; ++it)
    {
        LookAt(it->second);
    }
    LookForRoom(ocs);
    Serve(actions);
    return actions;
}

void
CircuitLedger::Relight(Group& group, uint32_t ocs, Actions& actions)
{
    Change change;
    for (const PortPair& pair : group.circuits)
    {
        // Else for another group that holds it.
        if (pair.first->id.ocs == ocs && !pair.first->peer && !pair.second->peer)
        {
            change.make.push_back(pair);
        }
    }
    const auto fabric = m_fabrics.find(ocs);
    if (fabric != m_fabrics.end() &&
        !fabric->second.state->Copy()->Change({}, ToCircuits(change.make)).empty())
    {
        return; // not beside those before it, made in another order than once: it has to wait
    }
    StartSwitch(group, change, actions);
    for (const PortPair& pair : change.make)
    {
        pair.first->relighting = true;
        pair.second->relighting = true;
    }
}

CircuitLedger::Actions
CircuitLedger::Replan(const GroupKey& key, const CircuitPlan& plan)
{
    Actions actions;
    Group& group = *Find(key);
    const bool wasInLine = group.inLine;
    if (wasInLine)
    {
        LeaveLine(group);
    }
    for (const PortPair& pair : group.circuits)
    {
        auto& users = m_users[pair];
        users.erase(std::remove(users.begin(), users.end(), &group), users.end());
    }
    const std::vector<PortPair> before = std::move(group.circuits);
    group.circuits.clear();
    SetCircuits(group, plan);
    if (wasInLine)
    {
        EnterLine(group, group.place);
    }
    UpdateRepair(group);
    LookAt(group);
    for (const PortPair& pair : before) // which others may use now
    {
        LookAt(*pair.first);
        LookAt(*pair.second);
    }
    for (const uint32_t ocs : GetFabrics(before))
    {
        LookForRoom(ocs);
    }
    Serve(actions);
    return actions;
}

void
CircuitLedger::UpdateRepair(Group& group)
{
    const bool lacks =
        group.holding > 0 &&
        std::any_of(group.circuits.begin(), group.circuits.end(), [](const PortPair& pair) {
            return pair.first->peer != pair.second;
        });
    if (lacks == group.repair)
    {
        return;
    }
    if (group.inLine)
    {
        LeaveLine(group);
    }
    group.repair = lacks;
    if (lacks)
    {
        EnterLine(group, ++m_lastRepair);
    }
    else
    {
        UpdateLine(group); // ranks of the group may have asked for it meanwhile
    }
    LookAt(group);
}

std::vector<GroupKey>
CircuitLedger::GetGroups(uint32_t job, uint32_t rank) const
{
    std::vector<GroupKey> groups;
    for (auto it = m_groups.lower_bound({job, 0}); it != m_groups.end() && it->first.job == job;
         ++it)
    {
        if (it->second->members.count(rank) > 0)
        {
            groups.push_back(it->first);
        }
    }
    return groups;
}

CircuitLedger::Actions
CircuitLedger::Restart(uint32_t job, uint32_t rank, const std::set<uint64_t>& needed)
{
    Actions actions;
    for (auto it = m_groups.lower_bound({job, 0}); it != m_groups.end() && it->first.job == job;
         ++it)
    {
        const auto member = it->second->members.find(rank);
        if (member == it->second->members.end() || member->second.state == AWAY)
        {
            continue;
        }
        if (needed.count(it->first.id) > 0 && KeepsRule("needed"))
        {
            member->second.forgotten = true;
            continue;
        }
        Withdraw(*it->second, member->second, actions);
    }
    Serve(actions); // now, so that nothing is granted that is about to be given back
    return actions;
}

bool
CircuitLedger::Remember(Group& group, Member& member, const Lease& lease, Actions& actions)
{
    member.forgotten = false;
    member.lease = lease.number;
    if (member.state != HOLDING)
    {
        return false; // as if it had asked with this number before
    }
    actions.grants.push_back(Grant{group.key, {lease}, false});
    if (group.recalled || group.hinted)
    {
        const uint64_t limit = group.recalled ? group.recallLimit : NO_LIMIT;
        actions.recalls.push_back(Recall{group.key, {lease}, limit, !group.recalled});
    }
    return true;
}

std::vector<GroupKey>
CircuitLedger::GetGroupsInUse(uint32_t job) const
{
    std::vector<GroupKey> groups;
    for (auto it = m_groups.lower_bound({job, 0}); it != m_groups.end() && it->first.job == job;
         ++it)
    {
        if (it->second->asked + it->second->holding > 0)
        {
            groups.push_back(it->first);
        }
    }
    return groups;
}

bool
CircuitLedger::HasCircuits(const GroupKey& key, uint32_t ocs) const
{
    const Group* group = Find(key);
    return group && std::any_of(group->circuits.begin(),
                                group->circuits.end(),
                                [ocs](const PortPair& pair) { return pair.first->id.ocs == ocs; });
}

CircuitLedger::GroupState
CircuitLedger::GetState(const GroupKey& key) const
{
    const Group* group = Find(key);
    if (!group)
    {
        return GroupState::UNKNOWN;
    }
    if (group->failed)
    {
        return GroupState::FAILED;
    }
    if (group->commands > 0)
    {
        return GroupState::SWITCHING;
    }
    if (group->holding > 0)
    {
        return group->recalled ? GroupState::RECALLED : GroupState::HELD;
    }
    return group->inLine      ? GroupState::IN_LINE
           : group->asked > 0 ? GroupState::ASKED
                              : GroupState::IDLE;
}

CircuitLedger::Waiting
CircuitLedger::GetWaiting(const GroupKey& key) const
{
    const Group* group = Find(key);
    if (!group || group->asked == 0)
    {
        return Waiting::NOBODY;
    }
    return group->inLine ? Waiting::ALL : Waiting::SOME;
}

uint64_t
CircuitLedger::GetIgnored() const
{
    return m_ignored;
}

CircuitSet
CircuitLedger::GetCircuits(uint32_t ocs) const
{
    CircuitSet circuits;
    for (const auto& [id, port] : m_ports)
    {
        if (id.ocs == ocs && port.peer && id < port.peer->id)
        {
            circuits.push_back(Circuit{id.port, port.peer->id.port});
        }
    }
    return circuits;
}

bool
CircuitLedger::IsUp(const GroupKey& key) const
{
    const Group* group = Find(key);
    return group &&
           std::all_of(group->circuits.begin(), group->circuits.end(), [](const PortPair& pair) {
               return pair.first->peer == pair.second && !pair.first->busy && !pair.second->busy;
           });
}

std::string
CircuitLedger::CheckInvariants() const
{
    for (const auto& [id, port] : m_ports)
    {
        if (port.peer && (port.peer->peer != &port || port.peer->id.ocs != id.ocs))
        {
            return "port " + std::to_string(id.port) + " is not the peer of its peer";
        }
    }
    for (const auto& [key, group] : m_groups)
    {
        const std::string name = "group " + std::to_string(key.id);
        uint32_t asked = 0;
        uint32_t active = 0;
        uint32_t urgent = 0;
        uint32_t holding = 0;
        for (const auto& [rank, member] : group->members)
        {
            asked += member.state == ASKED ? 1 : 0;
            active += member.state == ASKED && !member.passive ? 1 : 0;
            urgent += member.state == ASKED && !member.passive && !member.speculative ? 1 : 0;
            holding += member.state == HOLDING ? 1 : 0;
        }
        if (asked != group->asked || active != group->active || urgent != group->urgent ||
            holding != group->holding)
        {
            return name + " has lost count of its ranks";
        }
        const bool isUp =
            std::all_of(group->circuits.begin(), group->circuits.end(), [](const PortPair& pair) {
                return pair.first->peer == pair.second &&
                       (!pair.first->busy || pair.first->relighting);
            });
        if (holding > 0 && !isUp && !group->repair)
        {
            return name + " has a holder but no light";
        }
        if (group->repair && !group->inLine)
        {
            return name + " lacks circuits and does not wait for them";
        }
        if (group->recalled && holding == 0)
        {
            return name + " is recalled from nobody";
        }
    }
    for (const auto& [ocs, fabric] : m_fabrics)
    {
        const bool isSettled =
            std::none_of(m_commands.begin(), m_commands.end(), [ocs = ocs](const auto& command) {
                return command.second.ocs == ocs;
            });
        const std::string error = fabric.state->Copy()->Change(GetCircuits(ocs), {});
        if (isSettled && !error.empty())
        {
            return "the fabric of switch " + std::to_string(ocs) + " is not in the book: " + error;
        }
        for (const auto& [place, group] : fabric.waiting)
        {
            if (!group->inLine || group->place != place)
            {
                return "group " + std::to_string(group->key.id) + " waits for room out of line";
            }
        }
    }
    return "";
}

} // namespace ns3
