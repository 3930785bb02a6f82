// SPDX-License-Identifier: GPL-2.0-only

#include "straggler-settings.h"

#include "ns3/assert.h"
#include "ns3/collective-algorithm.h"
#include "ns3/flag-parser.h"
#include "ns3/stragglar-plan.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// A straggler that is later than this is no straggler.
constexpr int64_t MOST_DELAY_SECONDS = 3600;

} // namespace

std::string
StragglerSettings::CheckRanks()
{
    numbers.clear();
    for (const auto& word : FlagParser::Split(m_ranks.GetText()))
    {
        const auto number = FlagParser::ParseCount(word);
        if (!number || *number < 2 || *number > MAX_STRAGGLAR_RANKS)
        {
            return m_ranks.Refuse("numbers from 2 to " + std::to_string(MAX_STRAGGLAR_RANKS) +
                                  " such as 4,8,16");
        }
        numbers.push_back(*number);
    }
    const uint32_t smallest = *std::min_element(numbers.begin(), numbers.end());
    if (m_straggler.IsSet() && m_straggler.Get() >= smallest)
    {
        return m_straggler.Refuse("below the smallest number of ranks, " +
                                  std::to_string(smallest));
    }
    return "";
}

std::string
StragglerSettings::CheckSizes()
{
    sizes.clear();
    for (const auto& word : FlagParser::Split(m_sizes.GetText()))
    {
        const auto bytes = FlagParser::ParseBytes(word);
        if (!bytes || *bytes == 0)
        {
            return m_sizes.Refuse("sizes from 1 to 1T such as 1M,64M");
        }
        sizes.push_back(*bytes);
    }
    return "";
}

std::string
StragglerSettings::CheckAlgorithms()
{
    algorithms.clear();
    for (const auto& word : FlagParser::Split(m_algorithms.GetText()))
    {
        const auto algorithm = Variant<CollectiveAlgorithm>::Find(word);
        if (!algorithm || !(*algorithm)->Supports(CollectiveKind::ALL_REDUCE))
        {
            std::vector<std::string> names;
            for (const auto& possible : CollectiveAlgorithm::GetAll(CollectiveKind::ALL_REDUCE))
            {
                names.push_back(possible->GetName());
            }
            return m_algorithms.Refuse("some of " + FlagParser::List(names));
        }
        algorithms.push_back(*algorithm);
    }
    return "";
}

std::string
StragglerSettings::CheckDelays()
{
    delays.clear();
    for (const auto& word : FlagParser::Split(m_delays.GetText()))
    {
        StragglerDelay delay;
        delay.scales = !word.empty() && word.back() == 'x';
        const auto multiple = FlagParser::ParseFraction(word.substr(0, word.size() - 1));
        const auto time = FlagParser::ParseTime(word, Seconds(MOST_DELAY_SECONDS));
        const bool fits = delay.scales ? multiple && *multiple <= 1000 : time.has_value();
        if (word.empty() || !fits)
        {
            return m_delays.Refuse("times up to 1 h and multiples up to 1000x such as "
                                   "0s,0.5x,100us");
        }
        delay.multiple = delay.scales ? *multiple : 0;
        delay.time = delay.scales ? Time() : *time;
        delays.push_back(delay);
    }
    return "";
}

std::string
StragglerSettings::Check()
{
    if (auto error =
            FindError([this] { return CheckOptions(); }, [this] { return fabric.Check(); });
        !error.empty())
    {
        return error;
    }
    if (fabric.gpusPerDomain.Get() != 1)
    {
        return RefuseFlag("gpusPerDomain",
                          std::to_string(fabric.gpusPerDomain.Get()),
                          "1, as all ranks lie along one rail, or share a domain with --scaleUp");
    }
    if (auto error = FindError([this] { return CheckRanks(); },
                               [this] { return CheckSizes(); },
                               [this] { return CheckAlgorithms(); },
                               [this] { return CheckDelays(); });
        !error.empty())
    {
        return error;
    }
    m_straggler.SetDerived("last");
    for (const uint32_t ranks : numbers)
    {
        if (auto error = MakeClusterHelper(ranks).Check(fabric.GetFabric()); !error.empty())
        {
            return error;
        }
        std::vector<uint32_t> all(ranks);
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            all[rank] = rank;
        }
        if (auto error = fabric.CheckRing(all); !error.empty())
        {
            return error;
        }
    }
    return FindError([this] { return CheckNeeds(); }, [this] { return CheckFiles(); });
}

RailClusterHelper
StragglerSettings::MakeClusterHelper(uint32_t ranks) const
{
    RailClusterHelper helper = fabric.MakeClusterHelper(ranks);
    if (fabric.HasScaleUpNetwork())
    {
        helper.SetDomains(1, ranks);
    }
    return helper;
}

std::string
StragglerSettings::DescribeFabric() const
{
    std::string smallest; // numbers of ranks for which one switch suffices
    std::string remark;
    for (const uint32_t ranks : numbers)
    {
        if (const auto found = fabric.DescribeTiers(ranks); !found.empty())
        {
            smallest += (smallest.empty() ? "" : ", ") + std::to_string(ranks);
            remark = found; // a rail has the same for all numbers
        }
    }
    return fabric.GetFabric().Describe() +
           (remark.empty() ? "" : " (" + smallest + " ranks: " + remark + ")");
}

StragglerReport
StragglerSettings::MakeReport() const
{
    StragglerReport report;
    report.fabric = fabric.GetName();
    report.settings = GetInForce();
    const auto scaleUp =
        std::find_if(report.settings.begin(), report.settings.end(), [](const auto& setting) {
            return setting.first == "scaleUp";
        });
    NS_ASSERT(scaleUp != report.settings.end());
    report.remarks = {
        (fabric.HasScaleUpNetwork()
             ? "one scale-up domain, " + scaleUp->second
             : "one rail, " + std::to_string(fabric.nicPorts.Get()) + " x " +
                   fabric.portRate.GetText() + " a GPU, " + DescribeFabric()),
        "time: from the call of the others to the end on the last rank; arrival: from the call of "
        "the straggler",
        "no time is taken by launches, copies and reductions on the GPUs"};
    if (fabric.IsPhotonic() && !fabric.HasScaleUpNetwork())
    {
        report.remarks.push_back("ring: circuits are set up before; stragglar: each pair asks Opus "
                                 "for circuits in each round, " +
                                 fabric.GetReconfigurationDelay() + " (" + fabric.ocs.GetText() +
                                 ")");
    }
    return report;
}

} // namespace ns3
