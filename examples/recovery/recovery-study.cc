// SPDX-License-Identifier: GPL-2.0-only

#include "recovery-study.h"

#include "ns3/child-process.h"
#include "ns3/flag-parser.h"
#include "ns3/program.h"
#include "ns3/report-value.h"
#include "ns3/training-experiment.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

/// GPUs with a NIC of two ports each, and a model so small that they mostly communicate: so the
/// rate of a spare's path to the other GPUs has the largest effect.
const std::vector<std::string> DEFAULTS{"--model=debugmodel",
                                        "--gpusPerDomain=1",
                                        "--tp=1",
                                        "--pp=1",
                                        "--fsdp=4",
                                        "--seqLen=512",
                                        "--microBatches=1",
                                        "--microBatchSize=1",
                                        "--recomputation=full",
                                        "--reconfigDelay=10us"};

/// Flags of the job that the study gives itself.
const std::vector<std::string> OWN{"fabric",
                                   "fault",
                                   "faultRate",
                                   "spareGpus",
                                   "spareDomains",
                                   "recovery",
                                   "iterations",
                                   "switchRadix",
                                   "fabricRate",
                                   "oversubscription"};

/// Iterations before a loss, and of a job that has recovered, that are looked at.
constexpr uint32_t SETTLED = 3;

constexpr uint32_t MOST_RATIO = 100;

/// @return when an iteration ends
Time
GetEnd(const RunSummary& summary, uint32_t iteration)
{
    Time end;
    for (uint32_t i = 0; i <= iteration; ++i)
    {
        end += summary.iterations.at(i).duration;
    }
    return end;
}

} // namespace

RecoveryStudy::RecoveryStudy()
{
    m_job.FixFabric();
}

std::string
RecoveryStudy::Check(const std::vector<std::string>& arguments)
{
    if (auto error = FindError([this] { return m_losses.Check(); },
                               [this] { return m_migrationTime.Check(); },
                               [this] { return m_migrationRate.Check(); });
        !error.empty())
    {
        return error;
    }
    m_ratios.clear();
    std::istringstream list(m_oversubscriptions.GetText());
    for (std::string text; std::getline(list, text, ',');)
    {
        const auto ratio = FlagParser::ParseCount(text);
        m_ratios.push_back(ratio.value_or(0));
    }
    if (m_ratios.empty() || std::any_of(m_ratios.begin(), m_ratios.end(), [](uint32_t ratio) {
            return ratio < 1 || ratio > MOST_RATIO;
        }))
    {
        return m_oversubscriptions.Refuse("whole numbers from 1 to 100, separated by commas");
    }
    m_given.clear();
    for (std::size_t i = 1; i < arguments.size(); ++i)
    {
        const std::string name = FlagParser::SplitFlag(arguments[i]).first;
        if (std::find(OWN.begin(), OWN.end(), name) != OWN.end())
        {
            return "--" + name + " differs between the racks; allowed with photonic-rails-training";
        }
        const auto* option = Find(name);
        if (!option || &option->GetGroup() != this)
        {
            m_given.push_back(arguments[i]);
        }
    }
    TrainingSettings settings;
    if (auto error = Read({"", 1, 0, {"--fabric=photonic"}}, {}, settings); !error.empty())
    {
        return error;
    }
    const auto& fabric = settings.fabric;
    const auto ranks = settings.GetAllRanks().GetWorldSize();
    m_ranks = ranks;
    m_domains = ranks / fabric.gpusPerDomain.Get();
    m_nicPorts = fabric.nicPorts.Get();
    m_portRate = fabric.portRate.Get().GetBitRate();
    m_description = settings.DescribeJob();
    if (m_losses.Get() > ranks)
    {
        return m_losses.Refuse("at most the " + std::to_string(ranks) + " GPUs of the job");
    }
    for (const Rack& rack : MakeRacks())
    {
        TrainingSettings ofRack;
        if (auto error = Read(rack, {}, ofRack); !error.empty())
        {
            return rack.name + ": " + error;
        }
    }
    return CheckFiles();
}

std::vector<RecoveryStudy::Rack>
RecoveryStudy::MakeRacks() const
{
    const std::string spares = "--spareDomains=" + std::to_string(m_losses.Get());
    std::vector<Rack> racks{{"photonic, spare on the rail",
                             1,
                             m_losses.Get(),
                             {"--fabric=photonic", "--recovery=rail", spares}}};
    // A leaf has ports for the domains of the job and one uplink; spares are on the next leaf. So
    // that the job has a leaf to itself, domains that nobody uses fill the others: they are shared
    // out evenly.
    const uint32_t down = m_domains * m_nicPorts;
    const std::vector<std::string> leaves{"--fabric=leaf-spine",
                                          "--switchRadix=" + std::to_string(down + 1)};
    for (const uint32_t ratio : m_ratios)
    {
        const uint64_t nics = m_portRate * m_nicPorts * m_losses.Get();
        Rack rack{"electrical, spare behind 1:" + std::to_string(ratio),
                  static_cast<double>(ratio),
                  m_losses.Get(),
                  leaves};
        rack.flags.insert(rack.flags.end(),
                          {"--fabricRate=" + std::to_string(nics / ratio) + "bps",
                           "--oversubscription=" + std::to_string(m_domains * ratio) + ":" +
                               std::to_string(m_losses.Get()),
                           "--recovery=rail",
                           "--spareDomains=" + std::to_string(m_domains)});
        racks.push_back(rack);
    }
    Rack idle{"electrical, migration", 1, m_losses.Get() * m_domains, leaves};
    idle.flags.insert(idle.flags.end(),
                      {"--oversubscription=" + std::to_string(down) + ":1",
                       "--recovery=migration",
                       "--spareDomains=" + std::to_string(m_losses.Get() * m_domains),
                       "--processTime=" + m_migrationTime.GetText(),
                       "--stateRate=" + m_migrationRate.GetText()});
    racks.push_back(idle);
    return racks;
}

std::string
RecoveryStudy::Read(const Rack& rack,
                    const std::vector<std::string>& more,
                    TrainingSettings& settings) const
{
    std::vector<std::string> arguments{"photonic-rails-recovery"};
    for (const auto* some : {&DEFAULTS, &m_given, &rack.flags, &more})
    {
        arguments.insert(arguments.end(), some->begin(), some->end());
    }
    CommandLine cmd;
    settings.Vary(OWN);
    return FindError([&] { return ParseFlags(cmd, settings, arguments); },
                     [&settings] { return settings.Check(); });
}

std::string
RecoveryStudy::MakeFaults(const RunSummary& undisturbed,
                          const RunRecovery* first,
                          uint32_t stride) const
{
    const Time iteration = undisturbed.iterations.back().duration;
    Time at = GetEnd(undisturbed, 1) + iteration / int64_t{2};
    // Until the job has recovered, has repeated the lost work, and has settled.
    const Time gap = first ? first->resumed - first->lost + (SETTLED + 1) * iteration : Time();
    std::string flag = "--fault=";
    for (uint32_t gpu = 0; gpu < (first ? m_losses.Get() : 1); ++gpu)
    {
        flag += (gpu > 0 ? "," : "") + std::string("gpu:") + std::to_string(gpu + gpu * stride) +
                "@" + std::to_string(at.GetNanoSeconds()) + "ns";
        at += gap;
    }
    return flag;
}

RecoveryRow
RecoveryStudy::RunRack(const Rack& rack) const
{
    const auto run = [this, &rack](const std::vector<std::string>& more) {
        TrainingSettings settings;
        Read(rack, more, settings);
        return TrainingExperiment(settings).Run(nullptr);
    };
    RecoveryRow row;
    row.name = rack.name;
    row.oversubscription = rack.oversubscription;
    TrainingSettings settings;
    Read(rack, {}, settings);
    row.fabric = settings.fabric.GetName();
    const auto& parallelism = settings.GetWorkload().parallelism;
    row.idleGpus = rack.idleDomains * settings.fabric.gpusPerDomain.Get();
    row.tokens = static_cast<double>(parallelism.GetTokens());
    const RunSummary undisturbed = run({"--iterations=" + std::to_string(SETTLED)});
    row.failure = ToOneLine(undisturbed.CheckInvariants());
    if (!row.failure.empty())
    {
        return row;
    }
    row.before = undisturbed.iterations.back().duration;
    // Ranks that have migrated are on other GPUs, of which the next one is lost.
    const bool moves = settings.spares.GetPolicy() == SparePool::MIGRATION;
    const uint32_t stride = moves ? m_ranks : 0;
    RunSummary summary = run(
        {MakeFaults(undisturbed, nullptr, stride), "--iterations=" + std::to_string(2 * SETTLED)});
    if (m_losses.Get() > 1 && summary.CheckInvariants().empty())
    {
        // How long a recovery takes is known now, so that the next loss comes after it.
        const RunRecovery first = summary.recoveries.at(0);
        summary = run({MakeFaults(undisturbed, &first, stride),
                       "--iterations=" + std::to_string((m_losses.Get() + 1) * 2 * SETTLED)});
    }
    row.failure = ToOneLine(summary.CheckInvariants());
    row.recoveries = summary.recoveries;
    row.after = row.failure.empty() ? summary.iterations.back().duration : Time();
    if (row.failure.empty() && row.recoveries.size() != m_losses.Get())
    {
        row.failure = "the job has recovered " + std::to_string(row.recoveries.size()) + " times";
    }
    return row;
}

RecoveryReport
RecoveryStudy::Run(std::ostream* progress) const
{
    RecoveryReport report;
    report.description = m_description;
    report.losses = m_losses.Get();
    for (const auto& argument : m_given)
    {
        report.settings.push_back(FlagParser::SplitFlag(argument));
    }
    for (const Rack& rack : MakeRacks())
    {
        if (progress)
        {
            *progress << "running: " << rack.name << std::endl;
        }
        const auto text = RunInChild([this, &rack] { return RunRack(rack).ToText(); });
        RecoveryRow row;
        row.name = rack.name;
        row.failure = "its process ended without a result";
        report.rows.push_back(RecoveryRow::FromText(text.value_or("")).value_or(row));
    }
    return report;
}

} // namespace ns3
