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
        Enter(group,
              (IsRuleKept("order") ? m_lastPlace : NOT_URGENT + URGENT - m_lastPlace) +
                  (group.IsUrgent() ? 0 : NOT_URGENT));
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

void
RequestQueue::Relocate(const SchedulerCopies& copies)
{
    copies.Replace(m_changed);
    copies.Replace(m_room);
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

} // namespace ns3
