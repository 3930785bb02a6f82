// SPDX-License-Identifier: GPL-2.0-only

#include "port-table.h"

#include "ns3/fabric-matchings.h"
#include "ns3/log.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PortTable");

void
RequestQueue::Update(SchedulerGroup& group)
{
    if (group.repair)
    {
        return; // the group precedes all others until its circuits are made
    }
    const bool isReady = group.IsReady();
    if (isReady == group.isQueued && (!isReady || IsUrgent(group) == group.IsUrgent()))
    {
        return;
    }
    if (group.isQueued)
    {
        Leave(group);
    }
    if (isReady)
    {
        ++m_lastPlace;
        Enter(group, m_lastPlace + (group.IsUrgent() ? 0 : NOT_URGENT));
    }
}

void
RequestQueue::UpdateRepair(SchedulerGroup& group)
{
    const bool lacks = group.CountHolding() > 0 && group.LacksCircuits();
    if (lacks == group.repair)
    {
        return;
    }
    if (group.isQueued)
    {
        Leave(group);
    }
    group.repair = lacks;
    if (lacks)
    {
        Enter(group, ++m_lastRepair);
    }
    else
    {
        Update(group); // ranks of the group may have sent requests meanwhile
    }
    MarkChanged(group.circuits);
}

void
RequestQueue::Enter(SchedulerGroup& group, uint64_t place)
{
    NS_LOG_LOGIC("group " << group.GetKey().id << " of job " << group.GetKey().job
                          << " waits at place " << place
                          << (place < NOT_URGENT ? "" : ", not urgent"));
    group.place = place;
    group.isQueued = true;
    for (const SchedulerCircuit& circuit : group.circuits)
    {
        circuit.first->queue[place] = &group;
        circuit.second->queue[place] = &group;
    }
}

void
RequestQueue::Leave(SchedulerGroup& group)
{
    NS_LOG_LOGIC("group " << group.GetKey().id << " of job " << group.GetKey().job
                          << " waits no more");
    group.isQueued = false;
    m_changed.erase(group.place);
    for (auto& [ocs, waiting] : m_room)
    {
        waiting.erase(group.place);
    }
    for (const SchedulerCircuit& circuit : group.circuits)
    {
        for (SchedulerPort* port : {circuit.first, circuit.second})
        {
            port->queue.erase(group.place);
            MarkChanged(*port);
        }
    }
    MarkRoomChanged(group.circuits);
}

void
RequestQueue::MarkChanged(const SchedulerPort& port)
{
    if (!port.queue.empty())
    {
        m_changed.insert(*port.queue.begin());
    }
}

void
RequestQueue::MarkChanged(const std::vector<SchedulerCircuit>& circuits)
{
    for (const SchedulerCircuit& circuit : circuits)
    {
        MarkChanged(*circuit.first);
        MarkChanged(*circuit.second);
    }
}

void
RequestQueue::MarkRoomChanged(uint32_t ocs)
{
    const auto waiting = m_room.find(ocs);
    if (waiting != m_room.end())
    {
        m_changed.insert(waiting->second.begin(), waiting->second.end());
    }
}

void
RequestQueue::MarkRoomChanged(const std::vector<SchedulerCircuit>& circuits)
{
    if (m_room.empty())
    {
        return;
    }
    std::set<uint32_t> switches;
    for (const SchedulerCircuit& circuit : circuits)
    {
        switches.insert(circuit.first->id.ocs);
    }
    for (const uint32_t ocs : switches)
    {
        MarkRoomChanged(ocs);
    }
}

bool
RequestQueue::IsRoomReserved(uint32_t ocs, const SchedulerGroup& group) const
{
    const auto waiting = m_room.find(ocs);
    return waiting != m_room.end() && !waiting->second.empty() &&
           waiting->second.begin()->first < std::min(group.place, NOT_URGENT);
}

void
RequestQueue::EndWaitForRoom(uint32_t ocs, const SchedulerGroup& group)
{
    const auto waiting = m_room.find(ocs);
    if (waiting != m_room.end() && waiting->second.erase(group.place) > 0)
    {
        MarkRoomChanged(ocs); // for groups after this one
    }
}

bool
RequestQueue::IsFirst(const SchedulerGroup& group)
{
    const auto isFirst = [&group](const SchedulerPort* port) {
        return port->queue.begin()->second == &group;
    };
    return std::all_of(group.circuits.begin(), group.circuits.end(), [&](const auto& circuit) {
        return isFirst(circuit.first) && isFirst(circuit.second);
    });
}

SchedulerGroup*
RequestQueue::Take()
{
    // A group that becomes first when another leaves the queue has a later position.
    while (!m_changed.empty())
    {
        SchedulerGroup* group = m_changed.begin()->second;
        m_changed.erase(m_changed.begin());
        if (IsFirst(*group))
        {
            return group;
        }
    }
    return nullptr;
}

bool
RequestQueue::IsUrgent(const SchedulerGroup& group)
{
    return group.place < NOT_URGENT;
}

std::string
RequestQueue::CheckInvariants() const
{
    for (const auto& [ocs, waiting] : m_room)
    {
        for (const auto& [place, group] : waiting)
        {
            if (!group->isQueued || group->place != place)
            {
                return "group " + std::to_string(group->GetKey().id) +
                       " waits for room out of line";
            }
        }
    }
    return "";
}

SchedulerPort*
PortTable::GetPort(const OcsPortId& id)
{
    SchedulerPort& port = m_ports[id];
    port.id = id;
    return &port;
}

void
PortTable::SetCircuits(SchedulerGroup& group, const CircuitPlan& plan)
{
    for (const auto& [ocs, circuits] : plan)
    {
        for (const Circuit& circuit : circuits)
        {
            const SchedulerCircuit pair{GetPort(OcsPortId{ocs, std::min(circuit.a, circuit.b)}),
                                        GetPort(OcsPortId{ocs, std::max(circuit.a, circuit.b)})};
            group.circuits.push_back(pair);
            m_users[pair].push_back(&group);
        }
    }
}

std::vector<SchedulerCircuit>
PortTable::TakeCircuits(SchedulerGroup& group)
{
    for (const SchedulerCircuit& circuit : group.circuits)
    {
        auto& users = m_users[circuit];
        users.erase(std::remove(users.begin(), users.end(), &group), users.end());
    }
    std::vector<SchedulerCircuit> circuits;
    circuits.swap(group.circuits);
    return circuits;
}

const std::vector<SchedulerGroup*>&
PortTable::GetUsers(const SchedulerCircuit& circuit) const
{
    static const std::vector<SchedulerGroup*> none;
    const auto users = m_users.find(circuit);
    return users == m_users.end() ? none : users->second;
}

SchedulerChange
PortTable::FindChange(const SchedulerGroup& group)
{
    SchedulerChange change;
    std::map<OcsPortId, SchedulerCircuit> drop; // by lower port: not by addresses
    for (const SchedulerCircuit& circuit : group.circuits)
    {
        if (circuit.first->peer == circuit.second)
        {
            continue;
        }
        change.make.push_back(circuit);
        for (SchedulerPort* port : {circuit.first, circuit.second})
        {
            if (port->peer)
            {
                const bool lower = port->id < port->peer->id;
                const SchedulerCircuit old =
                    lower ? SchedulerCircuit{port, port->peer} : SchedulerCircuit{port->peer, port};
                drop[old.first->id] = old;
            }
        }
    }
    for (const auto& [id, circuit] : drop)
    {
        change.drop.push_back(circuit);
    }
    return change;
}

bool
PortTable::IsBusy(const SchedulerGroup& group)
{
    return std::any_of(group.circuits.begin(), group.circuits.end(), [&group](const auto& circuit) {
        // A lease is for all rails of the group or for none.
        return circuit.first->busy || circuit.second->busy;
    });
}

std::vector<SchedulerPort*>
PortTable::GetPorts(uint32_t ocs)
{
    std::vector<SchedulerPort*> ports;
    for (auto it = m_ports.lower_bound(OcsPortId{ocs, 0});
         it != m_ports.end() && it->first.ocs == ocs;
         ++it)
    {
        ports.push_back(&it->second);
    }
    return ports;
}

CircuitSet
PortTable::GetCircuits(uint32_t ocs) const
{
    CircuitSet circuits;
    for (auto it = m_ports.lower_bound(OcsPortId{ocs, 0});
         it != m_ports.end() && it->first.ocs == ocs;
         ++it)
    {
        const SchedulerPort& port = it->second;
        if (port.peer && port.id < port.peer->id)
        {
            circuits.push_back(Circuit{port.id.port, port.peer->id.port});
        }
    }
    return circuits;
}

void
PortTable::Darken(uint32_t ocs)
{
    for (SchedulerPort* port : GetPorts(ocs))
    {
        port->peer = nullptr;
    }
}

void
PortTable::Light(uint32_t ocs, const CircuitSet& circuits)
{
    for (const Circuit& circuit : circuits)
    {
        SchedulerPort* a = GetPort(OcsPortId{ocs, circuit.a});
        SchedulerPort* b = GetPort(OcsPortId{ocs, circuit.b});
        a->peer = b;
        b->peer = a;
    }
}

std::string
PortTable::CheckInvariants() const
{
    for (const auto& [id, port] : m_ports)
    {
        if (port.peer && (port.peer->peer != &port || port.peer->id.ocs != id.ocs))
        {
            return "port " + std::to_string(id.port) + " is not the peer of its peer";
        }
    }
    return "";
}

namespace
{

/// @return the circuits of one switch
std::vector<SchedulerCircuit>
Select(const std::vector<SchedulerCircuit>& circuits, uint32_t ocs)
{
    std::vector<SchedulerCircuit> here;
    std::copy_if(circuits.begin(),
                 circuits.end(),
                 std::back_inserter(here),
                 [ocs](const SchedulerCircuit& circuit) { return circuit.first->id.ocs == ocs; });
    return here;
}

/// @return true if a group may not have a circuit whatever is recalled, until things change
bool
IsFixed(const PortTable& ports, const SchedulerGroup& group, const SchedulerCircuit& circuit)
{
    const auto& users = ports.GetUsers(circuit);
    return circuit.first->busy || circuit.second->busy ||
           std::any_of(users.begin(), users.end(), [&group](const SchedulerGroup* user) {
               return user == &group || (user->isQueued && user->place < group.place);
           });
}

/// @return true if ranks hold a circuit so that a group has to wait for it
bool
IsHeld(const PortTable& ports, const SchedulerGroup& group, const SchedulerCircuit& circuit)
{
    const auto& users = ports.GetUsers(circuit);
    return std::any_of(users.begin(), users.end(), [&group](const SchedulerGroup* user) {
        return user->IsHeldAgainst(group);
    });
}

/// Circuits that may go for a group.
struct Candidates
{
    CircuitSet idle; //!< circuits without holders
    CircuitSet held; //!< to be recalled
};

/// @return circuits of a switch that may be dropped for a group, in addition to `drop`
Candidates
FindCandidates(PortTable& ports,
               const SchedulerGroup& group,
               uint32_t ocs,
               const std::vector<SchedulerCircuit>& drop)
{
    Candidates candidates;
    for (SchedulerPort* port : ports.GetPorts(ocs))
    {
        const SchedulerCircuit pair{port, port->peer};
        if (!port->peer || port->peer->id < port->id || IsFixed(ports, group, pair) ||
            std::find(drop.begin(), drop.end(), pair) != drop.end())
        {
            continue;
        }
        const Circuit circuit{port->id.port, port->peer->id.port};
        if (!IsHeld(ports, group, pair))
        {
            candidates.idle.push_back(circuit);
        }
        else if (RequestQueue::IsUrgent(
                     group)) // a speculative request takes no light paths from holders
        {
            candidates.held.push_back(circuit);
        }
    }
    return candidates;
}

} // namespace

std::set<uint32_t>
FabricTable::FindSwitches(const std::vector<SchedulerCircuit>& circuits) const
{
    std::set<uint32_t> switches;
    for (auto it = circuits.begin(); it != circuits.end() && !m_fabrics.empty(); ++it)
    {
        if (m_fabrics.count(it->first->id.ocs) > 0)
        {
            switches.insert(it->first->id.ocs);
        }
    }
    return switches;
}

FabricTable::Room
FabricTable::FindRoom(PortTable& ports,
                      const SchedulerGroup& group,
                      uint32_t ocs,
                      SchedulerChange& change) const
{
    const CircuitFabric& fabric = *m_fabrics.at(ocs);
    std::vector<SchedulerCircuit> drop = Select(change.drop, ocs);
    const auto [idle, held] = FindCandidates(ports, group, ocs, drop);
    bool isPossible = true;
    bool isLeased = false;
    FabricRoom room = FindFabricRoom(fabric,
                                     ToCircuitSet(drop),
                                     ToCircuitSet(Select(change.make, ocs)),
                                     idle,
                                     held);
    if (!room.exists)
    {
        // Circuits that it has may be in the way of the others: all of them anew, in the order in
        // which they fit an idle fabric.
        const std::vector<SchedulerCircuit> all = Select(group.circuits, ocs);
        for (const SchedulerCircuit& circuit : all)
        {
            if (circuit.first->peer == circuit.second)
            {
                drop.push_back(circuit);
                change.drop.push_back(circuit);
                const bool isHeld = IsHeld(ports, group, circuit);
                isLeased = isLeased || isHeld;
                isPossible = isPossible && (RequestQueue::IsUrgent(group) || !isHeld);
            }
        }
        auto& make = change.make;
        make.erase(
            std::remove_if(make.begin(),
                           make.end(),
                           [ocs](const auto& circuit) { return circuit.first->id.ocs == ocs; }),
            make.end());
        make.insert(make.end(), all.begin(), all.end());
        room = FindFabricRoom(fabric, ToCircuitSet(drop), ToCircuitSet(all), idle, held);
    }
    for (const Circuit& circuit : room.give)
    {
        change.drop.emplace_back(ports.GetPort(OcsPortId{ocs, circuit.a}),
                                 ports.GetPort(OcsPortId{ocs, circuit.b}));
        isLeased = isLeased || std::find(held.begin(), held.end(), circuit) != held.end();
    }
    return Room{room.exists && isPossible, isLeased};
}

bool
FabricTable::Fits(uint32_t ocs, const std::vector<SchedulerCircuit>& make) const
{
    const auto fabric = m_fabrics.find(ocs);
    return fabric == m_fabrics.end() ||
           fabric->second->Copy()->Change({}, ToCircuitSet(make)).empty();
}

Ptr<CircuitFabric>
FabricTable::Change(uint32_t ocs, const SchedulerChange& change)
{
    const auto fabric = m_fabrics.find(ocs);
    if (fabric == m_fabrics.end())
    {
        return nullptr;
    }
    const Ptr<CircuitFabric> before = fabric->second;
    fabric->second = before->Copy();
    fabric->second->Change(ToCircuitSet(change.drop), ToCircuitSet(change.make));
    return before;
}

void
FabricTable::Clear(uint32_t ocs)
{
    if (const auto fabric = m_fabrics.find(ocs); fabric != m_fabrics.end())
    {
        fabric->second = fabric->second->Copy();
        fabric->second->Clear();
    }
}

std::string
FabricTable::CheckInvariants(const PortTable& ports, const std::set<uint32_t>& busy) const
{
    for (const auto& [ocs, fabric] : m_fabrics)
    {
        const std::string error = fabric->Copy()->Change(ports.GetCircuits(ocs), {});
        if (busy.count(ocs) == 0 && !error.empty())
        {
            return "the fabric of switch " + std::to_string(ocs) + " is not in the book: " + error;
        }
    }
    return "";
}

std::vector<SchedulerActions::Switch>
CommandTable::Start(SchedulerGroup& group, const SchedulerChange& change, FabricTable& fabrics)
{
    std::map<uint32_t, Command> commands;
    for (const SchedulerCircuit& circuit : change.drop)
    {
        circuit.first->peer = nullptr;
        circuit.second->peer = nullptr;
        commands[circuit.first->id.ocs].change.drop.push_back(circuit);
    }
    for (const SchedulerCircuit& circuit : change.make)
    {
        circuit.first->peer = circuit.second;
        circuit.second->peer = circuit.first;
        circuit.first->busy = true;
        circuit.second->busy = true;
        commands[circuit.first->id.ocs].change.make.push_back(circuit);
    }
    std::vector<SchedulerActions::Switch> actions;
    for (auto& [ocs, command] : commands)
    {
        command.group = &group;
        command.ocs = ocs;
        command.before = fabrics.Change(ocs, command.change);
        ++group.commands;
        m_commands[++m_last] = command;
        actions.push_back({m_last,
                           group.GetKey(),
                           ocs,
                           ToCircuitSet(command.change.drop),
                           ToCircuitSet(command.change.make)});
    }
    return actions;
}

std::optional<CommandTable::Command>
CommandTable::Take(uint64_t number)
{
    const auto it = m_commands.find(number);
    if (it == m_commands.end())
    {
        return std::nullopt;
    }
    const Command command = it->second;
    m_commands.erase(it);
    --command.group->commands;
    for (const SchedulerCircuit& circuit : command.change.make)
    {
        for (SchedulerPort* port : {circuit.first, circuit.second})
        {
            port->busy = false;
            port->relighting = false;
        }
    }
    return command;
}

void
CommandTable::Undo(uint64_t number, const Command& command, FabricTable& fabrics)
{
    NS_LOG_LOGIC("command " << number << " to switch " << command.ocs << " is undone");
    for (const SchedulerCircuit& circuit : command.change.make)
    {
        circuit.first->peer = nullptr;
        circuit.second->peer = nullptr;
    }
    for (const SchedulerCircuit& circuit : command.change.drop)
    {
        // A far end may have been promised to another command, which will then be refused too.
        if (!circuit.first->peer && !circuit.second->peer)
        {
            circuit.first->peer = circuit.second;
            circuit.second->peer = circuit.first;
        }
    }
    if (!command.before)
    {
        return;
    }
    fabrics.Restore(command.ocs, command.before);
    for (auto it = m_commands.upper_bound(number); it != m_commands.end(); ++it)
    {
        if (it->second.ocs == command.ocs)
        {
            it->second.before = fabrics.Change(command.ocs, it->second.change);
        }
    }
}

std::vector<uint64_t>
CommandTable::Find(uint32_t ocs) const
{
    std::vector<uint64_t> numbers;
    for (const auto& [number, command] : m_commands)
    {
        if (command.ocs == ocs)
        {
            numbers.push_back(number);
        }
    }
    return numbers;
}

std::vector<uint32_t>
CommandTable::FindSwitches(const SchedulerGroup& group) const
{
    std::vector<uint32_t> switches;
    for (const auto& [number, command] : m_commands)
    {
        if (command.group == &group)
        {
            switches.push_back(command.ocs);
        }
    }
    return switches;
}

std::set<uint32_t>
CommandTable::GetSwitches() const
{
    std::set<uint32_t> switches;
    for (const auto& [number, command] : m_commands)
    {
        switches.insert(command.ocs);
    }
    return switches;
}

} // namespace ns3
