// SPDX-License-Identifier: GPL-2.0-only

#include "variation-settings.h"

#include "ns3/flag-parser.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

std::string
VariationSettings::Check(uint64_t ranks)
{
    m_slowdowns.clear();
    std::istringstream entries(m_slowdown.GetText());
    for (std::string entry; std::getline(entries, entry, ',');)
    {
        const std::size_t colon = std::min(entry.find(':'), entry.size());
        const auto rank = FlagParser::ParseCount(entry.substr(0, colon));
        const auto factor =
            FlagParser::ParseFraction(entry.substr(std::min(colon + 1, entry.size())));
        const bool isGood = rank && *rank < ranks && factor && *factor >= 0.1 && *factor <= 100;
        if (!isGood || !m_slowdowns.emplace(*rank, *factor).second)
        {
            return m_slowdown.Refuse("RANK:FACTOR,RANK:FACTOR, with ranks from 0 to " +
                                     std::to_string(ranks - 1) +
                                     ", each once, and factors from 0.1 to 100");
        }
    }
    return "";
}

void
VariationSettings::Apply(TrainingJobHelper& job) const
{
    for (const auto& [rank, factor] : m_slowdowns)
    {
        job.SetSlowdown(rank, factor);
    }
    job.SetJitter(m_jitter.Get());
}

} // namespace ns3
