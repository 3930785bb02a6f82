// SPDX-License-Identifier: GPL-2.0-only

#include "collective-calls.h"

#include "ns3/simulator.h"

namespace ns3
{

CollectiveCalls::CollectiveCalls(const RailCluster& cluster,
                                 const ProcessGroup& group,
                                 const CollectiveCall& call)
    : m_call(call)
{
    for (uint32_t rank : group.ranks)
    {
        m_engines.push_back(cluster.GetGpu(rank)->GetObject<CollectiveEngine>());
    }
}

std::optional<Time>
CollectiveCalls::Run(uint32_t times)
{
    const Time start = Simulator::Now();
    m_times = times;
    m_ranksLeft = static_cast<uint32_t>(m_engines.size());
    m_begun.assign(m_engines.size(), start);
    m_durations.assign(m_engines.size(), {});
    for (uint32_t index = 0; index < m_engines.size(); ++index)
    {
        m_engines[index]->Run(m_call, MakeCallback(&CollectiveCalls::Ended, this).Bind(index));
    }
    Simulator::Run();
    if (m_ranksLeft > 0)
    {
        return std::nullopt;
    }
    return Simulator::Now() - start;
}

void
CollectiveCalls::Ended(uint32_t index)
{
    const Time now = Simulator::Now();
    m_durations[index].push_back(now - m_begun[index]);
    m_begun[index] = now;
    if (m_durations[index].size() < m_times)
    {
        m_engines[index]->Run(m_call, MakeCallback(&CollectiveCalls::Ended, this).Bind(index));
    }
    else if (--m_ranksLeft == 0)
    {
        Simulator::Stop(); // what is left to happen is of no interest: timers
    }
}

const std::vector<std::vector<Time>>&
CollectiveCalls::GetDurations() const
{
    return m_durations;
}

} // namespace ns3
