// SPDX-License-Identifier: GPL-2.0-only

#include "request-queue.h"

#include "ns3/kept-rule.h"

#include <algorithm>
#include <set>

namespace ns3
{

void
RequestQueue::Update(SchedulerGroup& group)
{
    if (group.repair)
    {
        return; // it stands before all, until its circuits are there
    }
    const bool isReady = group.IsReady();
    if (isReady == group.inLine && (!isReady || IsUrgent(group) == group.IsUrgent()))
    {
        return;
    }
    if (group.inLine)
    {
        Leave(group);
    }
    if (isReady)
    {
        ++m_lastPlace;
        Enter(group,
              (IsRuleKept("order") ? m_lastPlace : PATIENT + URGENT - m_lastPlace) +
                  (group.IsUrgent() ? 0 : PATIENT));
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
    if (group.inLine)
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
        Update(group); // ranks of the group may have asked for it meanwhile
    }
    LookAt(group.circuits);
}

void
RequestQueue::Enter(SchedulerGroup& group, uint64_t place)
{
    group.place = place;
    group.inLine = true;
    for (const SchedulerCircuit& circuit : group.circuits)
    {
        circuit.first->line[place] = &group;
        circuit.second->line[place] = &group;
    }
}

void
RequestQueue::Leave(SchedulerGroup& group)
{
    group.inLine = false;
    m_changed.erase(group.place);
    for (auto& [ocs, waiting] : m_room)
    {
        waiting.erase(group.place);
    }
    for (const SchedulerCircuit& circuit : group.circuits)
    {
        for (SchedulerPort* port : {circuit.first, circuit.second})
        {
            port->line.erase(group.place);
            LookAt(*port);
        }
    }
    LookForRoom(group.circuits);
}

void
RequestQueue::LookAt(const SchedulerPort& port)
{
    if (!port.line.empty())
    {
        m_changed.insert(*port.line.begin());
    }
}

void
RequestQueue::LookAt(const std::vector<SchedulerCircuit>& circuits)
{
    for (const SchedulerCircuit& circuit : circuits)
    {
        LookAt(*circuit.first);
        LookAt(*circuit.second);
    }
}

void
RequestQueue::LookForRoom(uint32_t ocs)
{
    const auto waiting = m_room.find(ocs);
    if (waiting != m_room.end())
    {
        m_changed.insert(waiting->second.begin(), waiting->second.end());
    }
}

void
RequestQueue::LookForRoom(const std::vector<SchedulerCircuit>& circuits)
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
        LookForRoom(ocs);
    }
}

bool
RequestQueue::IsRoomReserved(uint32_t ocs, const SchedulerGroup& group) const
{
    const auto waiting = m_room.find(ocs);
    return waiting != m_room.end() && !waiting->second.empty() &&
           waiting->second.begin()->first < std::min(group.place, PATIENT);
}

void
RequestQueue::WaitForRoom(uint32_t ocs, SchedulerGroup& group)
{
    m_room[ocs][group.place] = &group;
}

void
RequestQueue::EndWaitForRoom(uint32_t ocs, const SchedulerGroup& group)
{
    const auto waiting = m_room.find(ocs);
    if (waiting != m_room.end() && waiting->second.erase(group.place) > 0)
    {
        LookForRoom(ocs); // who comes after it
    }
}

bool
RequestQueue::IsFirst(const SchedulerGroup& group)
{
    const auto isFirst = [&group](const SchedulerPort* port) {
        return port->line.begin()->second == &group;
    };
    return std::all_of(group.circuits.begin(), group.circuits.end(), [&](const auto& circuit) {
        return isFirst(circuit.first) && isFirst(circuit.second);
    });
}

SchedulerGroup*
RequestQueue::Take()
{
    // Whoever becomes the first when another leaves the line stands behind it.
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
    return group.place < PATIENT;
}

std::string
RequestQueue::CheckInvariants() const
{
    for (const auto& [ocs, waiting] : m_room)
    {
        for (const auto& [place, group] : waiting)
        {
            if (!group->inLine || group->place != place)
            {
                return "group " + std::to_string(group->GetKey().id) +
                       " waits for room out of line";
            }
        }
    }
    return "";
}

} // namespace ns3
