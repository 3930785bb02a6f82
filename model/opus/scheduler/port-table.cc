// SPDX-License-Identifier: GPL-2.0-only

#include "port-table.h"

#include <algorithm>

namespace ns3
{

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
    return std::any_of(group.circuits.begin(), group.circuits.end(), [](const auto& circuit) {
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

} // namespace ns3
