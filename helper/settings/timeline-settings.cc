// SPDX-License-Identifier: GPL-2.0-only

#include "timeline-settings.h"

#include "ns3/distributed-run.h"
#include "ns3/flag-parser.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

constexpr double LONGEST_SECONDS = 1e6;
constexpr const char* MOMENT = "a time from 0s to 1000000s such as 1.5s";

} // namespace

TimelineSettings::TimelineSettings()
    : m_from("timelineFrom", "0s", LONGEST_SECONDS, MOMENT),
      m_to("timelineTo", "", LONGEST_SECONDS, MOMENT),
      m_bin("timelineBin", "10ms", LONGEST_SECONDS, "0s, or a time from 1us to 1000000s")
{
}

void
TimelineSettings::AddFlags(CommandLine& cmd)
{
    m_file.AddTo(cmd,
                 "write what happens when to this file, for Perfetto (ui.perfetto.dev) or "
                 "chrome://tracing");
    m_ranks.AddTo(cmd,
                  "whose streams, ports and messages: 0,4,8-11 or all; if empty, all of up to 16, "
                  "otherwise one of each pipeline stage");
    m_from.AddTo(cmd, "leave out what ends before");
    m_to.AddTo(cmd, "leave out what begins later; if empty, nothing");
    m_bin.AddTo(cmd, "in which the utilisation of links is measured; 0s: it is not");
    m_events.AddTo(cmd, "trace events that are written at most");
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
    for (auto* time : {&m_from, &m_to, &m_bin})
    {
        if (auto error = time->Check(); !error.empty())
        {
            return error;
        }
    }
    if (auto error = m_events.Check(); !error.empty())
    {
        return error;
    }
    if (m_to.IsGiven() && m_to.Get() <= m_from.Get())
    {
        return RefuseFlag(m_to.GetName(), m_to.GetText(), "later than --timelineFrom");
    }
    if (m_bin.Get().IsStrictlyPositive() && m_bin.Get() < MicroSeconds(1))
    {
        return RefuseFlag(m_bin.GetName(), m_bin.GetText(), "0s, or a time from 1us to 1000000s");
    }
    m_named.clear();
    if (const std::string& text = m_ranks.GetText(); !text.empty())
    {
        const auto named = ParseRanks(text, ranks);
        if (!named)
        {
            return RefuseFlag(m_ranks.GetName(),
                              text,
                              "all, or ranks from 0 to " + std::to_string(ranks - 1) +
                                  " such as 0,4,8-11");
        }
        m_named = *named;
    }
    if (!GetFile().empty() && DistributedRun::GetLaunched() > 1)
    {
        return RefuseFlag(m_file.GetName(),
                          GetFile(),
                          "empty with several processes, each of which sees its own ranks only");
    }
    return CheckWritable(m_file);
}

const std::string&
TimelineSettings::GetFile() const
{
    return m_file.GetText();
}

TimelineScope
TimelineSettings::GetScope(const DeviceMesh& mesh) const
{
    TimelineScope scope;
    scope.ranks = m_named;
    for (uint32_t rank = 0; m_named.empty() && rank < mesh.GetWorldSize(); ++rank)
    {
        const MeshCoordinate at = mesh.GetCoordinate(rank);
        if (mesh.GetWorldSize() <= ALL_RANKS ||
            (at.tp == 0 && at.cp == 0 && at.fsdp == 0 && at.replicate == 0))
        {
            scope.ranks.insert(rank);
        }
    }
    scope.from = m_from.Get();
    scope.to = m_to.IsGiven() ? m_to.Get() : Time::Max();
    scope.bin = m_bin.Get();
    scope.events = m_events.Get();
    return scope;
}

} // namespace ns3
