// SPDX-License-Identifier: GPL-2.0-only

#include "port-book.h"

#include <algorithm>

namespace ns3
{

LedgerPort*
PortBook::GetPort(const OcsPortId& id)
{
    LedgerPort& port = m_ports[id];
    port.id = id;
    return &port;
}

void
PortBook::SetCircuits(LedgerGroup& group, const CircuitPlan& plan)
{
    for (const auto& [ocs, circuits] : plan)
    {
        for (const Circuit& circuit : circuits)
        {
            const LedgerCircuit pair{GetPort(OcsPortId{ocs, std::min(circuit.a, circuit.b)}),
                                     GetPort(OcsPortId{ocs, std::max(circuit.a, circuit.b)})};
            group.circuits.push_back(pair);
            m_users[pair].push_back(&group);
        }
    }
}

std::vector<LedgerCircuit>
PortBook::TakeCircuits(LedgerGroup& group)
{
    for (const LedgerCircuit& circuit : group.circuits)
    {
        auto& users = m_users[circuit];
        users.erase(std::remove(users.begin(), users.end(), &group), users.end());
    }
    std::vector<LedgerCircuit> circuits;
    circuits.swap(group.circuits);
    return circuits;
}

const std::vector<LedgerGroup*>&
PortBook::GetUsers(const LedgerCircuit& circuit) const
{
    static const std::vector<LedgerGroup*> none;
    const auto users = m_users.find(circuit);
    return users == m_users.end() ? none : users->second;
}

LedgerChange
PortBook::FindChange(const LedgerGroup& group)
{
    LedgerChange change;
    std::map<OcsPortId, LedgerCircuit> drop; // by lower port: not by addresses
    for (const LedgerCircuit& circuit : group.circuits)
    {
        if (circuit.first->peer == circuit.second)
        {
            continue;
        }
        change.make.push_back(circuit);
        for (LedgerPort* port : {circuit.first, circuit.second})
        {
            if (port->peer)
            {
                const bool lower = port->id < port->peer->id;
                const LedgerCircuit old =
                    lower ? LedgerCircuit{port, port->peer} : LedgerCircuit{port->peer, port};
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
PortBook::IsBusy(const LedgerGroup& group)
{
    return std::any_of(group.circuits.begin(), group.circuits.end(), [](const auto& circuit) {
        return circuit.first->busy || circuit.second->busy;
    });
}

std::vector<LedgerPort*>
PortBook::GetPorts(uint32_t ocs)
{
    std::vector<LedgerPort*> ports;
    for (auto it = m_ports.lower_bound(OcsPortId{ocs, 0});
         it != m_ports.end() && it->first.ocs == ocs;
         ++it)
    {
        ports.push_back(&it->second);
    }
    return ports;
}

CircuitSet
PortBook::GetCircuits(uint32_t ocs) const
{
    CircuitSet circuits;
    for (auto it = m_ports.lower_bound(OcsPortId{ocs, 0});
         it != m_ports.end() && it->first.ocs == ocs;
         ++it)
    {
        const LedgerPort& port = it->second;
        if (port.peer && port.id < port.peer->id)
        {
            circuits.push_back(Circuit{port.id.port, port.peer->id.port});
        }
    }
    return circuits;
}

void
PortBook::Darken(uint32_t ocs)
{
    for (LedgerPort* port : GetPorts(ocs))
    {
        port->peer = nullptr;
    }
}

std::string
PortBook::CheckInvariants() const
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

} // namespace ns3
