// SPDX-License-Identifier: GPL-2.0-only

#include "admission-times.h"

namespace ns3
{

void
AdmissionTimes::Request(const GroupKey& key, Time now)
{
    m_waiting.emplace(key, Group{now, std::nullopt, std::nullopt});
}

void
AdmissionTimes::Update(const GroupKey& key, CircuitScheduler::Waiting waiting, Time now)
{
    auto it = m_waiting.find(key);
    if (it == m_waiting.end())
    {
        return;
    }
    switch (waiting)
    {
    case CircuitScheduler::Waiting::NONE:
        m_waiting.erase(it); // all requests have been withdrawn
        break;
    case CircuitScheduler::Waiting::SOME:
        it->second.isQueued.reset();
        break;
    case CircuitScheduler::Waiting::ALL:
        it->second.isQueued = it->second.isQueued.value_or(now);
        break;
    }
}

void
AdmissionTimes::Switch(const CircuitScheduler::Switch& command, Time now)
{
    SetLight(command.ocs, command.drop, false, now);
    auto it = m_waiting.find(command.group);
    if (it != m_waiting.end())
    {
        it->second.isQueued = it->second.isQueued.value_or(now);
        it->second.switched = it->second.switched.value_or(now);
    }
}

void
AdmissionTimes::Complete(const CircuitScheduler::Switch& command, Time now)
{
    SetLight(command.ocs, command.make, true, now);
}

void
AdmissionTimes::Refuse(const CircuitScheduler::Switch& command, Time now)
{
    SetLight(command.ocs, command.drop, true, now);
}

void
AdmissionTimes::LoseSwitch(uint32_t ocs, Time now)
{
    const auto begin = m_ports.lower_bound(OcsPortId{ocs, 0});
    for (auto it = begin; it != m_ports.end() && it->first.ocs == ocs; ++it)
    {
        if (it->second.since)
        {
            it->second.sum += now - *it->second.since;
            it->second.since.reset();
        }
    }
}

void
AdmissionTimes::Grant(const GroupKey& key, Time now)
{
    auto it = m_waiting.find(key);
    if (it == m_waiting.end())
    {
        return;
    }
    const Group& group = it->second;
    const Time isQueued = group.isQueued.value_or(now);
    const Time switched = Max(isQueued, group.switched.value_or(now));
    m_waits.ranks += isQueued - group.first;
    m_waits.ports += switched - isQueued;
    m_waits.light += now - switched;
    m_waiting.erase(it);
}

void
AdmissionTimes::SetLight(uint32_t ocs, const CircuitSet& circuits, bool isUp, Time now)
{
    for (const Circuit& circuit : circuits)
    {
        for (const uint32_t number : {circuit.a, circuit.b})
        {
            Port& port = m_ports[OcsPortId{ocs, number}];
            if (port.since)
            {
                port.sum += now - *port.since;
                port.since.reset();
            }
            if (isUp)
            {
                port.since = now;
            }
        }
    }
}

Time
AdmissionTimes::GetUpTime(const OcsPortId& id, Time now) const
{
    const auto it = m_ports.find(id);
    if (it == m_ports.end())
    {
        return Time();
    }
    const Port& port = it->second;
    return port.since ? port.sum + now - *port.since : port.sum;
}

} // namespace ns3
