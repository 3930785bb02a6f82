// SPDX-License-Identifier: GPL-2.0-only

#include "iteration-log.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ns3
{

void
IterationLog::Add(const IterationLog& other)
{
    ends.resize(std::min(ends.size(), other.ends.size()));
    for (std::size_t i = 0; i < ends.size(); ++i)
    {
        ends[i] = std::max(ends[i], other.ends[i]);
    }
    reconfigurations.insert(reconfigurations.end(),
                            other.reconfigurations.begin(),
                            other.reconfigurations.end());
    exposures.insert(exposures.end(), other.exposures.begin(), other.exposures.end());
}

std::size_t
IterationLog::Find(Time moment) const
{
    return std::lower_bound(ends.begin(), ends.end(), moment) - ends.begin();
}

std::vector<TrainingIteration>
IterationLog::GetIterations() const
{
    std::vector<TrainingIteration> iterations(ends.size());
    for (std::size_t i = 0; i < ends.size(); ++i)
    {
        iterations[i].index = static_cast<uint32_t>(i);
        iterations[i].duration = i == 0 ? ends[0] : ends[i] - ends[i - 1];
    }
    for (const Time& moment : reconfigurations)
    {
        if (const auto i = Find(moment); i < iterations.size())
        {
            ++iterations[i].reconfigurations;
        }
    }
    std::map<std::pair<std::size_t, uint32_t>, Time> exposed; // by iteration and rank
    for (const auto& exposure : exposures)
    {
        exposed[{Find(exposure.at), exposure.rank}] += exposure.exposed;
    }
    for (const auto& [key, sum] : exposed)
    {
        if (key.first < iterations.size())
        {
            Time& longest = iterations[key.first].exposedReconfiguration;
            longest = std::max(longest, sum);
        }
    }
    return iterations;
}

} // namespace ns3
