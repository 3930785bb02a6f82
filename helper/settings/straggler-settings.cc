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

Time
StragglerDelay::Get(Time scatter) const
{
    return scales ? Time::FromDouble(scatter.ToDouble(Time::PS) * multiple, Time::PS) : time;
}

StragglerSettings::StragglerSettings() = default;

void
StragglerSettings::AddFlags(CommandLine& cmd)
{
    m_ranks.AddTo(cmd, "numbers of ranks, such as 4,8,16");
    m_sizes.AddTo(cmd, "sizes of the tensor, such as 1M,64M");
    m_algorithms.AddTo(cmd,
                       "algorithms of AllReduce; those that cannot serve a number of ranks or a "
                       "fabric are left out");
    m_delays.AddTo(cmd,
                   "by how much the straggler is late: times such as 100us, and multiples of what "
                   "the ReduceScatter of the others takes, such as 0.5x");
    m_straggler.AddTo(cmd, "the rank that is late; the last one if not given");
    cmd.AddValue("planOnly", "only say how many rounds stragglar has", m_planOnly);
    m_fabric.AddFabricFlag(cmd);
    m_fabric.AddFlags(cmd);
    m_fabric.AddScaleUpFlag(cmd);
    m_json.AddTo(cmd, "write the table to this file");
}

std::string
StragglerSettings::CheckRanks()
{
    m_numbers.clear();
    for (const auto& word : FlagParser::Split(m_ranks.GetText()))
    {
        const auto number = FlagParser::ParseCount(word);
        if (!number || *number < 2 || *number > MAX_STRAGGLAR_RANKS)
        {
            return RefuseFlag("ranks",
                              m_ranks.GetText(),
                              "numbers from 2 to " + std::to_string(MAX_STRAGGLAR_RANKS) +
                                  " such as 4,8,16");
        }
        m_numbers.push_back(*number);
    }
    if (auto error = m_straggler.Check(); !error.empty())
    {
        return error;
    }
    const uint32_t smallest = *std::min_element(m_numbers.begin(), m_numbers.end());
    if (m_straggler.IsGiven() && m_straggler.Get() >= smallest)
    {
        return RefuseFlag("straggler",
                          m_straggler.GetText(),
                          "below the smallest number of ranks, " + std::to_string(smallest));
    }
    return "";
}

std::string
StragglerSettings::CheckSizes()
{
    m_bytes.clear();
    for (const auto& word : FlagParser::Split(m_sizes.GetText()))
    {
        const auto bytes = FlagParser::ParseBytes(word);
        if (!bytes || *bytes == 0)
        {
            return RefuseFlag("bytes", m_sizes.GetText(), "sizes from 1 to 1T such as 1M,64M");
        }
        m_bytes.push_back(*bytes);
    }
    return "";
}

std::string
StragglerSettings::CheckAlgorithms()
{
    m_chosen.clear();
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
            return RefuseFlag("algorithms",
                              m_algorithms.GetText(),
                              "some of " + FlagParser::List(names));
        }
        m_chosen.push_back(*algorithm);
    }
    return "";
}

std::string
StragglerSettings::CheckDelays()
{
    m_late.clear();
    for (const auto& word : FlagParser::Split(m_delays.GetText()))
    {
        StragglerDelay delay;
        delay.scales = !word.empty() && word.back() == 'x';
        const auto multiple = FlagParser::ParseFraction(word.substr(0, word.size() - 1));
        const auto time = FlagParser::ParseTime(word, Seconds(MOST_DELAY_SECONDS));
        const bool fits = delay.scales ? multiple && *multiple <= 1000 : time.has_value();
        if (word.empty() || !fits)
        {
            return RefuseFlag("stragglerDelay",
                              m_delays.GetText(),
                              "times up to 1 h and multiples up to 1000x such as 0s,0.5x,100us");
        }
        delay.multiple = delay.scales ? *multiple : 0;
        delay.time = delay.scales ? Time() : *time;
        m_late.push_back(delay);
    }
    return "";
}

std::string
StragglerSettings::Check()
{
    if (auto error = m_fabric.Check(); !error.empty())
    {
        return error;
    }
    if (m_fabric.GetGpusPerDomain() != 1)
    {
        return RefuseFlag("gpusPerDomain",
                          std::to_string(m_fabric.GetGpusPerDomain()),
                          "1, as all ranks lie along one rail, or share a domain with --scaleUp");
    }
    for (auto check : {&StragglerSettings::CheckRanks,
                       &StragglerSettings::CheckSizes,
                       &StragglerSettings::CheckAlgorithms,
                       &StragglerSettings::CheckDelays})
    {
        if (auto error = (this->*check)(); !error.empty())
        {
            return error;
        }
    }
    for (const uint32_t ranks : m_numbers)
    {
        if (auto error = MakeClusterHelper(ranks).Check(m_fabric.GetFabric()); !error.empty())
        {
            return error;
        }
        std::vector<uint32_t> all(ranks);
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            all[rank] = rank;
        }
        if (auto error = m_fabric.CheckRing(all); !error.empty())
        {
            return error;
        }
    }
    return CheckWritable(m_json);
}

RailClusterHelper
StragglerSettings::MakeClusterHelper(uint32_t ranks) const
{
    RailClusterHelper helper = m_fabric.MakeClusterHelper(ranks);
    if (m_fabric.HasScaleUpNetwork())
    {
        helper.SetDomains(1, ranks);
    }
    return helper;
}

const FabricSettings&
StragglerSettings::GetFabric() const
{
    return m_fabric;
}

const std::vector<uint32_t>&
StragglerSettings::GetRanks() const
{
    return m_numbers;
}

const std::vector<uint64_t>&
StragglerSettings::GetSizes() const
{
    return m_bytes;
}

const std::vector<Variant<CollectiveAlgorithm>>&
StragglerSettings::GetAlgorithms() const
{
    return m_chosen;
}

const std::vector<StragglerDelay>&
StragglerSettings::GetDelays() const
{
    return m_late;
}

uint32_t
StragglerSettings::GetStraggler(uint32_t ranks) const
{
    return m_straggler.IsGiven() ? m_straggler.Get() : ranks - 1;
}

bool
StragglerSettings::IsPlanOnly() const
{
    return m_planOnly;
}

StragglerReport
StragglerSettings::MakeReport() const
{
    StragglerReport report;
    report.fabric = m_fabric.GetName();
    report.settings = {{"straggler", m_straggler.IsGiven() ? m_straggler.GetText() : "last"}};
    for (auto& setting : WithDerived(m_fabric.GetList(), m_fabric.GetDerived()))
    {
        report.settings.push_back(std::move(setting));
    }
    const auto scaleUp =
        std::find_if(report.settings.begin(), report.settings.end(), [](const auto& setting) {
            return setting.first == "scaleUp";
        });
    NS_ASSERT(scaleUp != report.settings.end());
    report.remarks = {
        (m_fabric.HasScaleUpNetwork()
             ? "one scale-up domain, " + scaleUp->second
             : "one rail, " + std::to_string(m_fabric.GetNicPorts()) + " x " +
                   m_fabric.GetPortRateText() + " a GPU, " + m_fabric.Describe()),
        "time: from the call of the others to the end on the last rank; arrival: from the call of "
        "the straggler",
        "no time is taken by launches, copies and reductions on the GPUs"};
    if (m_fabric.IsPhotonic() && !m_fabric.HasScaleUpNetwork())
    {
        report.remarks.push_back("ring: circuits are set up before; stragglar: each pair asks Opus "
                                 "for circuits in each round, " +
                                 m_fabric.GetReconfigurationDelay() + " (" + m_fabric.GetOcs() +
                                 ")");
    }
    return report;
}

const std::string&
StragglerSettings::GetJsonFile() const
{
    return m_json.GetText();
}

} // namespace ns3
