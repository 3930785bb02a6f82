// SPDX-License-Identifier: GPL-2.0-only

#include "collective-calls.h"

#include "ns3/interruption.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

void
CollectiveCalls::Add(const RailCluster& cluster,
                     const ProcessGroup& group,
                     const CollectiveCall& call)
{
    CollectiveCall own = call;
    own.groupId = group.id;
    for (uint32_t rank : group.ranks)
    {
        AddSteps(cluster, rank, {{own}});
    }
}

void
CollectiveCalls::AddSteps(const RailCluster& cluster, uint32_t rank, std::vector<Step> steps)
{
    Caller caller;
    caller.rank = rank;
    caller.engine = cluster.GetGpu(rank)->GetObject<CollectiveEngine>();
    caller.steps = std::move(steps);
    m_callers.push_back(std::move(caller));
}

void
CollectiveCalls::SetDelay(uint32_t rank, Time delay)
{
    for (auto& caller : m_callers)
    {
        if (caller.rank == rank)
        {
            caller.delay = delay;
        }
    }
}

std::optional<Time>
CollectiveCalls::Run(uint32_t times)
{
    const Time start = Simulator::Now();
    m_times = times;
    m_callersLeft = static_cast<uint32_t>(m_callers.size());
    for (uint32_t index = 0; index < m_callers.size(); ++index)
    {
        m_callers[index].durations.clear();
        if (m_callers[index].delay.IsZero())
        {
            Begin(index);
        }
        else
        {
            Simulator::Schedule(m_callers[index].delay, &CollectiveCalls::Begin, this, index);
        }
    }
    Interruption::RunSimulator();
    return m_callersLeft == 0 ? std::optional<Time>(Simulator::Now() - start) : std::nullopt;
}

void
CollectiveCalls::Begin(uint32_t index)
{
    m_callers[index].begun = Simulator::Now();
    m_callers[index].step = 0;
    Call(index);
}

void
CollectiveCalls::Call(uint32_t index)
{
    Caller& caller = m_callers[index];
    const Step& step = caller.steps[caller.step];
    caller.callsLeft = step.size(); // set before the calls, since a call may end at once
    for (const auto& call : step)
    {
        caller.engine->Run(call, MakeCallback(&CollectiveCalls::Ended, this).Bind(index));
    }
}

void
CollectiveCalls::Ended(uint32_t index)
{
    Caller& caller = m_callers[index];
    if (--caller.callsLeft > 0)
    {
        return;
    }
    if (++caller.step < caller.steps.size())
    {
        Call(index);
        return;
    }
    caller.durations.push_back(Simulator::Now() - caller.begun);
    if (caller.durations.size() < m_times)
    {
        Begin(index);
    }
    else if (--m_callersLeft == 0)
    {
        Simulator::Stop(); // the remaining events are only timers
    }
}

std::vector<Time>
CollectiveCalls::GetDurations() const
{
    std::vector<Time> durations;
    for (const auto& caller : m_callers)
    {
        durations.insert(durations.end(), caller.durations.begin(), caller.durations.end());
    }
    return durations;
}

} // namespace ns3
