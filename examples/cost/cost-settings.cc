// SPDX-License-Identifier: GPL-2.0-only

#include "cost-settings.h"

#include "ns3/flag-parser.h"
#include "ns3/job-file.h"
#include "ns3/ocs-technology.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr std::size_t MAX_COST_VALUES = 256;    // values of a list
constexpr uint32_t DEFAULT_RATE = 400;          // Gbit/s
constexpr uint32_t MAX_COST_GPUS = 100'000'000; // more than anyone has

/// @return the parts of a list between commas; an empty one if there are too many
std::vector<std::string>
SplitShort(const std::string& text)
{
    const auto values = FlagParser::Split(text);
    return values.size() > MAX_COST_VALUES ? std::vector<std::string>() : values;
}

} // namespace

std::string
CostSettings::Check()
{
    m_levels.Needs({isTable3.IsUsed()});
    if (auto error = FindError([this] { return CheckOptions(); },
                               [this] { return ReadParts(); },
                               [this] { return ReadLists(); },
                               [this] { return ReadRun(); },
                               [this] { return MakeReport(); },
                               [this] { return CheckNeeds(); },
                               [this] { return CheckFiles(); });
        !error.empty())
    {
        return error;
    }
    return isTable3.Get() && json.IsSet() ? json.Refuse("left out with --table3, which knows --csv")
                                          : "";
}

std::string
CostSettings::ReadParts()
{
    const std::string& name = m_parts.GetText();
    if (name.empty())
    {
        catalogue = PartsCatalogue::GetDefault();
        return "";
    }
    const auto text = JobFile::ReadText(name);
    if (!text)
    {
        return m_parts.Refuse("a file that can be read");
    }
    const auto error = PartsCatalogue::Parse(*text, catalogue);
    return error.empty() ? "" : "--parts=" + name + ": " + error;
}

std::string
CostSettings::ReadLists()
{
    for (const auto& text : SplitShort(m_gpus.GetText()))
    {
        const auto count = FlagParser::ParseCount(text);
        if (!count || *count == 0 || *count > MAX_COST_GPUS || *count % m_gpusPerDomain.Get() != 0)
        {
            report.gpus.clear();
            break;
        }
        report.gpus.push_back(*count);
    }
    if (report.gpus.empty())
    {
        return m_gpus.Refuse("at most " + std::to_string(MAX_COST_VALUES) +
                             " numbers separated by commas, each a multiple of gpusPerDomain (" +
                             std::to_string(m_gpusPerDomain.Get()) + ") up to " +
                             std::to_string(MAX_COST_GPUS));
    }
    const bool isGiven = !m_networks.GetText().empty();
    if (!isGiven && !m_run.GetText().empty())
    {
        return "";
    }
    for (const auto& text : SplitShort(isGiven ? m_networks.GetText() : DEFAULT_NETWORKS))
    {
        const auto kind = NetworkKind::Parse(text);
        if (!kind)
        {
            report.kinds.clear();
            break;
        }
        report.kinds.push_back(*kind);
    }
    return report.kinds.empty()
               ? m_networks.Refuse("names separated by commas, of " +
                                   FlagParser::List(RailFabric::GetNames()) +
                                   ", with at most 3 tiers or 4 levels, such as leaf-spine:3")
               : "";
}

std::string
CostSettings::ReadRun()
{
    const std::string& name = m_run.GetText();
    if (name.empty())
    {
        return "";
    }
    const auto text = JobFile::ReadText(name, CostedRun::MAX_BYTES);
    if (!text)
    {
        return m_run.Refuse("a file that can be read");
    }
    CostedRun run;
    std::string error = CostedRun::Parse(*text, run);
    run.partsGbps = m_nicRate.IsSet() ? m_nicRate.Get() : 0;
    error = error.empty() ? run.MakeReport(catalogue, m_counting.GetText(), report.kinds, report)
                          : error;
    return error.empty() ? "" : "--run=" + name + ": " + error;
}

std::string
CostSettings::MakeReport()
{
    report.spec.simplex = m_simplex.GetText() == "true";
    report.spec.switchTransceivers = m_switchCables.GetText() == "optical";
    report.spec.switchPortsPerGpu = m_switchPorts.Get();
    scale.simplex = report.spec.simplex;
    scale.nicPorts = m_nicPorts.Get();
    scale.levels = m_levels.Get();
    if (m_run.GetText().empty())
    {
        report.counting = m_counting.GetText();
        report.spec.gpusPerDomain = m_gpusPerDomain.Get();
        report.spec.nicPorts = m_nicPorts.Get();
        report.spec.ocsRadix = Variant<OcsTechnology>(m_ocs.GetText())->GetRadix();
        const uint32_t rate = m_nicRate.IsSet() ? m_nicRate.Get() : DEFAULT_RATE;
        if (const auto error = catalogue.Select(rate, report.parts); !error.empty())
        {
            return "--nicRate=" + std::to_string(rate) + ": " + error;
        }
    }
    report.Fill();
    return "";
}

} // namespace ns3
