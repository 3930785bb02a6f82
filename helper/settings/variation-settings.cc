// SPDX-License-Identifier: GPL-2.0-only

#include "variation-settings.h"

#include "ns3/flag-parser.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

VariationSettings::VariationSettings()
    : m_jitter("jitter", "0", 0, 10)
{
}

void
VariationSettings::AddFlags(CommandLine& cmd)
{
    m_slowdown.AddTo(cmd,
                     "ranks that compute slower, RANK:FACTOR,RANK:FACTOR, with factors from 0.1 to "
                     "100");
    m_jitter.AddTo(cmd, "how computations vary: standard deviation over mean, 0 to 10");
}

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
            return RefuseFlag(m_slowdown.GetName(),
                              m_slowdown.GetText(),
                              "RANK:FACTOR,RANK:FACTOR, with ranks from 0 to " +
                                  std::to_string(ranks - 1) +
                                  ", each once, and factors from 0.1 to 100");
        }
    }
    return m_jitter.Check();
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

bool
VariationSettings::IsEven() const
{
    return m_slowdowns.empty() && m_jitter.Get() == 0;
}

std::vector<std::pair<std::string, std::string>>
VariationSettings::GetList() const
{
    return {{m_slowdown.GetName(), m_slowdown.GetText()}, {m_jitter.GetName(), m_jitter.GetText()}};
}

} // namespace ns3
