// SPDX-License-Identifier: GPL-2.0-only

#include "collective-calls.h"

#include "ns3/simulator.h"

namespace ns3
{

void
CollectiveCalls::Add(const RailCluster& cluster,
                     const ProcessGroup& group,
                     const CollectiveCall& call)
{
    for (uint32_t rank : group.ranks)
    {
        auto engine = cluster.GetGpu(rank)->GetObject<CollectiveEngine>();
        m_callers.push_back(Caller{engine, call, Time(0), {}});
        m_callers.back().call.groupId = group.id;
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
        Call(index);
    }
    Simulator::Run();
    return m_callersLeft == 0 ? std::optional<Time>(Simulator::Now() - start) : std::nullopt;
}

void
CollectiveCalls::Call(uint32_t index)
{
    Caller& caller = m_callers[index];
    caller.begun = Simulator::Now();
    caller.engine->Run(caller.call, MakeCallback(&CollectiveCalls::Ended, this).Bind(index));
}

void
CollectiveCalls::Ended(uint32_t index)
{
    Caller& caller = m_callers[index];
    caller.durations.push_back(Simulator::Now() - caller.begun);
    if (caller.durations.size() < m_times)
    {
        Call(index);
    }
    else if (--m_callersLeft == 0)
    {
        Simulator::Stop(); // what is left to happen is of no interest: timers
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
