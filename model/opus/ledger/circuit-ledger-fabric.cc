// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * What a ledger knows of switches on which not every matching can be up.
 */

#include "circuit-ledger.h"

#include "ns3/fabric-room.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

void
CircuitLedger::SetFabric(uint32_t ocs, Ptr<CircuitFabric> fabric)
{
    m_fabrics[ocs].state = fabric;
}

void
CircuitLedger::LookForRoom(uint32_t ocs)
{
    const auto fabric = m_fabrics.find(ocs);
    if (fabric != m_fabrics.end())
    {
        m_changed.insert(fabric->second.waiting.begin(), fabric->second.waiting.end());
    }
}

void
CircuitLedger::LookForRoom(const Group& group)
{
    for (const uint32_t ocs : GetFabrics(group.circuits))
    {
        LookForRoom(ocs);
    }
}

std::set<uint32_t>
CircuitLedger::GetFabrics(const std::vector<PortPair>& circuits) const
{
    std::set<uint32_t> fabrics;
    for (auto it = circuits.begin(); it != circuits.end() && !m_fabrics.empty(); ++it)
    {
        if (m_fabrics.count(it->first->id.ocs) > 0)
        {
            fabrics.insert(it->first->id.ocs);
        }
    }
    return fabrics;
}

bool
CircuitLedger::IsHeldAgainst(const Group& user, const Group& group)
{
    // Neither of two that lack circuits can finish a call, so that one of them has to yield.
    return &user != &group && user.holding > 0 &&
           !(group.repair && user.repair && user.place > group.place);
}

bool
CircuitLedger::IsFixed(const Group& group, const PortPair& circuit) const
{
    const auto users = m_users.find(circuit);
    const auto isBefore = [&group](const Group* user) {
        return user == &group || (user->inLine && user->place < group.place);
    };
    return circuit.first->busy || circuit.second->busy ||
           (users != m_users.end() &&
            std::any_of(users->second.begin(), users->second.end(), isBefore));
}

bool
CircuitLedger::FindRoom(const Group& group, uint32_t ocs, Change& change, bool& isLent)
{
    const auto select = [ocs](const std::vector<PortPair>& pairs) {
        std::vector<PortPair> here;
        std::copy_if(pairs.begin(), pairs.end(), std::back_inserter(here), [ocs](const auto& pair) {
            return pair.first->id.ocs == ocs;
        });
        return here;
    };
    const auto isHeld = [&](const PortPair& pair) {
        const auto& users = m_users[pair];
        return std::any_of(users.begin(), users.end(), [&group](const Group* user) {
            return IsHeldAgainst(*user, group);
        });
    };
    const bool isUrgent = group.place < PATIENT;
    bool isPossible = true;
    std::vector<PortPair> drop = select(change.drop);
    CircuitSet idle;
    CircuitSet held;
    for (auto it = m_ports.lower_bound(OcsPortId{ocs, 0});
         it != m_ports.end() && it->first.ocs == ocs;
         ++it)
    {
        Port& port = it->second;
        const PortPair pair{&port, port.peer};
        if (port.peer && port.id < port.peer->id && !IsFixed(group, pair) &&
            std::find(drop.begin(), drop.end(), pair) == drop.end())
        {
            const Circuit circuit{port.id.port, port.peer->id.port};
            if (!isHeld(pair))
            {
                idle.push_back(circuit);
            }
            else if (isUrgent) // what nobody waits for takes no light from anybody
            {
                held.push_back(circuit);
            }
        }
    }
    const CircuitFabric& fabric = *m_fabrics.at(ocs).state;
    FabricRoom room =
        FindFabricRoom(fabric, ToCircuits(drop), ToCircuits(select(change.make)), idle, held);
    if (!room.exists)
    {
        // Circuits that it has may be in the way of the others: all of them anew, in the order in
        // which they fit an idle fabric.
        const std::vector<PortPair> all = select(group.circuits);
        for (const PortPair& pair : all)
        {
            if (pair.first->peer == pair.second)
            {
                drop.push_back(pair);
                change.drop.push_back(pair);
                isLent = isLent || isHeld(pair);
                isPossible = isPossible && (isUrgent || !isHeld(pair));
            }
        }
        const auto isHere = [ocs](const PortPair& pair) { return pair.first->id.ocs == ocs; };
        auto& make = change.make;
        make.erase(std::remove_if(make.begin(), make.end(), isHere), make.end());
        make.insert(make.end(), all.begin(), all.end());
        room = FindFabricRoom(fabric, ToCircuits(drop), ToCircuits(all), idle, held);
    }
    for (const Circuit& circuit : room.give)
    {
        change.drop.emplace_back(GetPort(OcsPortId{ocs, circuit.a}),
                                 GetPort(OcsPortId{ocs, circuit.b}));
        isLent = isLent || std::find(held.begin(), held.end(), circuit) != held.end();
    }
    return room.exists && isPossible;
}

bool
CircuitLedger::FindRoom(Group& group, Change& change)
{
    const std::set<uint32_t> fabrics = GetFabrics(change.make);
    bool exists = std::none_of(fabrics.begin(), fabrics.end(), [&](uint32_t ocs) {
        const auto& waiting = m_fabrics.at(ocs).waiting;
        return !waiting.empty() && waiting.begin()->first < std::min(group.place, PATIENT);
    });
    bool isLent = false;
    for (auto ocs = fabrics.begin(); ocs != fabrics.end() && exists; ++ocs)
    {
        exists = FindRoom(group, *ocs, change, isLent);
    }
    for (const uint32_t ocs : fabrics)
    {
        auto& waiting = m_fabrics.at(ocs).waiting;
        if (!exists || isLent)
        {
            waiting[group.place] = &group;
        }
        else if (waiting.erase(group.place) > 0)
        {
            LookForRoom(ocs); // who comes after it
        }
    }
    return exists;
}

CircuitSet
CircuitLedger::ToCircuits(const std::vector<PortPair>& pairs)
{
    CircuitSet circuits;
    for (const auto& [first, second] : pairs)
    {
        circuits.push_back(Circuit{first->id.port, second->id.port});
    }
    return circuits;
}

void
CircuitLedger::ChangeFabric(Command& command)
{
    const auto fabric = m_fabrics.find(command.ocs);
    if (fabric != m_fabrics.end())
    {
        command.before = fabric->second.state;
        fabric->second.state = command.before->Copy();
        fabric->second.state->Change(ToCircuits(command.change.drop),
                                     ToCircuits(command.change.make));
    }
}

void
CircuitLedger::Undo(uint64_t number, const Command& command)
{
    if (!command.before)
    {
        return;
    }
    m_fabrics.at(command.ocs).state = command.before;
    for (auto it = m_commands.upper_bound(number); it != m_commands.end(); ++it)
    {
        if (it->second.ocs == command.ocs)
        {
            ChangeFabric(it->second);
        }
    }
}

} // namespace ns3
