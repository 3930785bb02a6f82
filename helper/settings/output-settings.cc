// SPDX-License-Identifier: GPL-2.0-only

#include "output-settings.h"

#include "ns3/chakra-format.h"
#include "ns3/distributed-run.h"
#include "ns3/flag-parser.h"
#include "ns3/job-file.h"
#include "ns3/job-ranks.h"
#include "ns3/operations-file.h"
#include "ns3/program.h"

#include <algorithm>
#include <initializer_list>
#include <sstream>
#include <vector>

namespace ns3
{

namespace
{

/// Bytes of a library that are read at most: version 3.9.1 has 199,560.
constexpr std::size_t MAX_LIBRARY_BYTES = std::size_t{4} << 20;

/// Where Debian's package libjs-chart.js puts it.
constexpr const char* DEBIAN_LIBRARY = "/usr/share/javascript/chart.js/chart.min.js";

/// The value of --operationsRank for all ranks.
constexpr const char* ALL_OPERATIONS = "all";

/// @return true if a text is Chart.js, and can stand in a page
bool
IsLibrary(const std::string& text)
{
    return text.find("Chart.js v3.") != std::string::npos &&
           text.find("</script") == std::string::npos && text.find("<!--") == std::string::npos;
}

/// @param file that shows all of a run @param parts that each process sees some of
/// @return an error if the file is wanted of a run in several processes
std::string
RefuseIfShared(const FileOption& file, const std::string& parts)
{
    return file.IsSet() && DistributedRun::GetLaunched() > 1
               ? file.Refuse("empty with several processes, each of which sees its own " + parts +
                             " only")
               : "";
}

} // namespace

ReportSettings::ReportSettings(OptionGroup* parent)
    : OptionGroup(parent)
{
    libraryFile.Needs({file.IsUsed()});
    latency.Needs({file.IsUsed()});
}

std::string
ReportSettings::Check()
{
    m_library.clear();
    m_libraryRemark.clear();
    if (auto error = RefuseIfShared(file, "rails"); !error.empty() || !file.IsSet())
    {
        return error;
    }
    const std::string& name = libraryFile.GetText();
    if (name == "none")
    {
        m_libraryRemark = "There are no charts, as --reportLibrary=none asked for.";
        return "";
    }
    const auto text = JobFile::ReadText(name.empty() ? DEBIAN_LIBRARY : name, MAX_LIBRARY_BYTES);
    if (text && IsLibrary(*text))
    {
        m_library = *text;
        return "";
    }
    if (!name.empty())
    {
        return libraryFile.Refuse("none, or a file with Chart.js v3");
    }
    m_libraryRemark = std::string("There are no charts: version 3 of Chart.js was not found as ") +
                      DEBIAN_LIBRARY + " (Debian's package libjs-chart.js).";
    return "";
}

std::string
RecordSettings::Check() const
{
    for (const FileOption* file : {&calls, &messages})
    {
        if (auto error = RefuseIfShared(*file, "ranks"); !error.empty())
        {
            return error;
        }
        if (const auto reason = RecordSink::Check(file->GetText()); !reason.empty())
        {
            return file->Refuse("another name: " + reason);
        }
    }
    return "";
}

std::string
RecordSettings::Finish(RecordTables& tables) const
{
    const auto ofCalls = DescribeUnwritten(calls.GetName(), calls.GetText(), tables.FinishCalls());
    const auto ofMessages =
        DescribeUnwritten(messages.GetName(), messages.GetText(), tables.FinishMessages());
    return ofCalls.empty() ? ofMessages : ofCalls;
}

TimelineSettings::TimelineSettings(OptionGroup* parent)
    : OptionGroup(parent)
{
    for (auto* option : std::initializer_list<Option*>{&m_ranks, &m_from, &m_to, &m_bin, &m_events})
    {
        option->Needs({m_file.IsUsed()});
    }
}

std::optional<std::set<uint32_t>>
TimelineSettings::ParseRanks(const std::string& text, uint64_t ranks)
{
    std::set<uint32_t> set;
    const std::string list = text == "all" ? "0-" + std::to_string(ranks - 1) : text;
    std::istringstream entries(list);
    for (std::string entry; std::getline(entries, entry, ',');)
    {
        const std::size_t dash = std::min(entry.find('-'), entry.size());
        const auto first = FlagParser::ParseCount(entry.substr(0, dash));
        const auto last =
            dash == entry.size() ? first : FlagParser::ParseCount(entry.substr(dash + 1));
        if (!first || !last || *first > *last || *last >= ranks)
        {
            return std::nullopt;
        }
        for (uint32_t rank = *first; rank <= *last; ++rank)
        {
            set.insert(rank);
        }
    }
    const bool isOpen = !list.empty() && list.back() == ',';
    return set.empty() || isOpen ? std::nullopt : std::make_optional(set);
}

std::string
TimelineSettings::Check(uint64_t ranks)
{
    if (m_to.IsSet() && m_to.Get() <= m_from.Get())
    {
        return m_to.Refuse("later than --timelineFrom");
    }
    m_named.clear();
    if (const std::string& text = m_ranks.GetText(); !text.empty())
    {
        const auto named = ParseRanks(text, ranks);
        if (!named)
        {
            return m_ranks.Refuse("all, or ranks from 0 to " + std::to_string(ranks - 1) +
                                  " such as 0,4,8-11");
        }
        m_named = *named;
    }
    return RefuseIfShared(m_file, "ranks");
}

TimelineScope
TimelineSettings::GetScope(const RankLayout& layout) const
{
    TimelineScope scope;
    scope.ranks = m_named;
    std::vector<bool> isShown(layout.GetPipelineRanks(), false);
    for (uint32_t rank = 0; m_named.empty() && rank < layout.GetWorldSize(); ++rank)
    {
        const uint32_t pipelineRank = layout.GetPipelineRank(rank);
        if (layout.GetWorldSize() <= ALL_RANKS || !isShown[pipelineRank])
        {
            scope.ranks.insert(rank);
            isShown[pipelineRank] = true;
        }
    }
    scope.from = m_from.Get();
    scope.to = m_to.IsSet() ? m_to.Get() : Time::Max();
    scope.bin = m_bin.Get();
    scope.events = m_events.Get();
    return scope;
}

OutputSettings::OutputSettings(OptionGroup* parent)
    : OptionGroup(parent)
{
    operationsRank.Needs({operations.IsUsed()});
    profileRank.Needs({profile.IsUsed()});
    pcapSnapLength.Needs({pcap.IsUsed()});
}

std::string
OutputSettings::CheckRanks(uint64_t ranks, uint64_t simulated, bool isLent)
{
    const auto rank = FlagParser::ParseCount(operationsRank.GetText());
    if (auto error = FindObjection(
            {{operationsRank.GetText() != ALL_OPERATIONS && (!rank || *rank >= ranks),
              operationsRank.Refuse("all, or a rank below " + std::to_string(ranks))},
             {profile.IsSet() && !isLent,
              profile.Refuse("empty, as without circuits that are lent nobody learns anything")},
             {profileRank.Get() >= simulated,
              profileRank.Refuse("a rank below " + std::to_string(simulated))},
             {qpStats.IsSet() && DistributedRun::GetLaunched() > 1,
              qpStats.Refuse("empty, as several processes have a part of the queue pairs each")},
             {writeTrace.IsSet() && !ChakraInput::IsAvailable(),
              writeTrace.Refuse("empty, as the module was built without libprotobuf")}});
        !error.empty())
    {
        return error;
    }
    return FindError([&] { return timeline.Check(simulated); },
                     [&] { return records.Check(); },
                     [&] { return report.Check(); });
}

std::string
OutputSettings::WriteOperations(const JobRanks& ranks) const
{
    return WriteFile(operations.GetName(), operations.GetText(), [&](std::ostream& os) {
        if (operationsRank.GetText() == ALL_OPERATIONS)
        {
            OperationsFile::Write(ranks, os);
            return;
        }
        const uint32_t rank = FlagParser::ParseCount(operationsRank.GetText()).value_or(0);
        RankProgramCsv::Write(*ranks.GetProgram(rank), ranks.GetLayout(), rank, os);
    });
}

std::string
OutputSettings::WriteTraces(const JobRanks& ranks) const
{
    const std::string error =
        writeTrace.IsSet() ? ChakraWriter::Write(ranks, writeTrace.GetText()) : "";
    return error.empty() ? "" : "--writeTrace: " + error;
}

} // namespace ns3
