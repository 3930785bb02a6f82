// SPDX-License-Identifier: GPL-2.0-only

#include "command-table.h"

namespace ns3
{

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
        SchedulerActions::Switch action;
        action.command = ++m_last;
        action.group = group.GetKey();
        action.ocs = ocs;
        action.drop = ToCircuitSet(command.change.drop);
        action.make = ToCircuitSet(command.change.make);
        command.group = &group;
        command.ocs = ocs;
        command.before = fabrics.Change(ocs, command.change);
        ++group.commands;
        m_commands[action.command] = command;
        actions.push_back(action);
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
