// SPDX-License-Identifier: GPL-2.0-only

#include "cost-settings.h"

#include "job-file.h"

#include "ns3/flag-parser.h"
#include "ns3/ocs-technology.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr const char* DEFAULT_NETWORKS = "leaf-spine:3,leaf-spine,fat-tree,rail-only,electrical,"
                                         "photonic";
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

CostSettings::CostSettings()
    : m_counting("counting", CostCounting::GetNames()[0], CostCounting::GetNames()),
      m_ocs("ocs", "polatis", Variant<OcsTechnology>::GetNames())
{
}

void
CostSettings::AddFlags(CommandLine& cmd)
{
    m_gpus.AddTo(cmd, "numbers of GPUs, separated by commas");
    m_gpusPerDomain.AddTo(cmd, "GPUs of a scale-up domain");
    m_networks.AddTo(cmd,
                     "networks, the one first to which others are compared, each NAME or "
                     "NAME:TIERS: " +
                         FlagParser::List(RailFabric::GetNames()) + " [" + DEFAULT_NETWORKS +
                         "; with --run those given stand beside that of the run]");
    m_counting.AddTo(cmd,
                     "what is paid: ports, those with a link, or devices, whole switches, of the "
                     "Clos network of text books; built-ports and built-devices, of the network "
                     "that is simulated; published, as the script of arXiv 2602.12521 counts");
    m_parts.AddTo(cmd, "JSON file of parts with prices and power [the built-in one: --printParts]");
    m_nicRate.AddTo(
        cmd,
        "line rate of a NIC in Gbit/s, which chooses transceiver and switch [400; with --run "
        "that of the run, or the next higher one that there is]");
    m_nicPorts.AddTo(cmd, "ports into which a NIC is split at each level of photonic rails");
    m_switchPorts.AddTo(cmd, "ports of electrical switches, of the whole rate, that a GPU takes");
    m_switchCables.AddTo(cmd,
                         "optical: ports of electrical switches have transceivers; active: they "
                         "have not, cables are active, and fibre is not counted");
    m_simplex.AddTo(cmd, "transceivers need a port of an OCS for each direction: false, true");
    m_ocs.AddTo(cmd, "OCS technology, for its ports: " + m_ocs.GetChoices());
    m_levels.AddTo(cmd, "with --table3, levels of OCSes");
    m_run.AddTo(cmd,
                "what photonic-rails-training has written with --json: price the network of that "
                "run, and its energy for an iteration");
    m_csv.AddTo(cmd, "write a row for each network to this file");
    m_json.AddTo(cmd, "write an object with everything to this file");
    cmd.AddValue("printParts", "print the parts as JSON, and nothing else", m_printsParts);
    cmd.AddValue("table3", "print how many GPUs each technology can join", m_isTable3);
}

std::string
CostSettings::Check()
{
    for (auto* count : {&m_gpusPerDomain, &m_nicRate, &m_nicPorts, &m_switchPorts, &m_levels})
    {
        if (auto error = count->Check(); !error.empty())
        {
            return error;
        }
    }
    for (const auto* choice : {&m_counting, &m_switchCables, &m_simplex, &m_ocs})
    {
        if (auto error = choice->Check(); !error.empty())
        {
            return error;
        }
    }
    for (auto step : {&CostSettings::ReadParts,
                      &CostSettings::ReadLists,
                      &CostSettings::ReadRun,
                      &CostSettings::MakeReport})
    {
        if (auto error = (this->*step)(); !error.empty())
        {
            return error;
        }
    }
    for (const auto* file : {&m_csv, &m_json})
    {
        if (auto error = CheckWritable(*file); !error.empty())
        {
            return error;
        }
    }
    if (m_isTable3 && !m_json.GetText().empty())
    {
        return RefuseFlag("json", m_json.GetText(), "left out with --table3, which knows --csv");
    }
    return "";
}

std::string
CostSettings::ReadParts()
{
    const std::string& name = m_parts.GetText();
    if (name.empty())
    {
        m_catalogue = PartsCatalogue::GetDefault();
        return "";
    }
    const auto text = JobFile::ReadText(name);
    if (!text)
    {
        return RefuseFlag(m_parts.GetName(), name, "a file that can be read");
    }
    const auto error = PartsCatalogue::Parse(*text, m_catalogue);
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
            m_report.gpus.clear();
            break;
        }
        m_report.gpus.push_back(*count);
    }
    if (m_report.gpus.empty())
    {
        return RefuseFlag(m_gpus.GetName(),
                          m_gpus.GetText(),
                          "at most " + std::to_string(MAX_COST_VALUES) +
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
            m_report.kinds.clear();
            break;
        }
        m_report.kinds.push_back(*kind);
    }
    return m_report.kinds.empty()
               ? RefuseFlag(m_networks.GetName(),
                            m_networks.GetText(),
                            "names separated by commas, of " +
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
        return RefuseFlag(m_run.GetName(), name, "a file that can be read");
    }
    CostedRun run;
    std::string error = CostedRun::Parse(*text, run);
    run.partsGbps = m_nicRate.IsGiven() ? m_nicRate.Get() : 0;
    error = error.empty()
                ? run.MakeReport(m_catalogue, m_counting.GetText(), m_report.kinds, m_report)
                : error;
    return error.empty() ? "" : "--run=" + name + ": " + error;
}

std::string
CostSettings::MakeReport()
{
    m_report.spec.simplex = m_simplex.GetText() == "true";
    m_report.spec.switchTransceivers = m_switchCables.GetText() == "optical";
    m_report.spec.switchPortsPerGpu = m_switchPorts.Get();
    m_scale.simplex = m_report.spec.simplex;
    m_scale.nicPorts = m_nicPorts.Get();
    m_scale.levels = m_levels.Get();
    if (m_run.GetText().empty())
    {
        m_report.counting = m_counting.GetText();
        m_report.spec.gpusPerDomain = m_gpusPerDomain.Get();
        m_report.spec.nicPorts = m_nicPorts.Get();
        m_report.spec.ocsRadix = Variant<OcsTechnology>(m_ocs.GetText())->GetRadix();
        const uint32_t rate = m_nicRate.IsGiven() ? m_nicRate.Get() : DEFAULT_RATE;
        if (const auto error = m_catalogue.Select(rate, m_report.parts); !error.empty())
        {
            return "--nicRate=" + std::to_string(rate) + ": " + error;
        }
    }
    m_report.Fill();
    return "";
}

bool
CostSettings::PrintsParts() const
{
    return m_printsParts;
}

bool
CostSettings::IsTable3() const
{
    return m_isTable3;
}

const PartsCatalogue&
CostSettings::GetCatalogue() const
{
    return m_catalogue;
}

const CostReport&
CostSettings::GetReport() const
{
    return m_report;
}

const ScaleTable&
CostSettings::GetScale() const
{
    return m_scale;
}

const std::string&
CostSettings::GetCsvFile() const
{
    return m_csv.GetText();
}

const std::string&
CostSettings::GetJsonFile() const
{
    return m_json.GetText();
}

} // namespace ns3
