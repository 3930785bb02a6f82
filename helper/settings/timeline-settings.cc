// SPDX-License-Identifier: GPL-2.0-only

#include "timeline-settings.h"

#include "ns3/distributed-run.h"
#include "ns3/flag-parser.h"

#include <algorithm>
#include <initializer_list>
#include <sstream>

namespace ns3
{

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
    if (!GetFile().empty() && DistributedRun::GetLaunched() > 1)
    {
        return m_file.Refuse("empty with several processes, each of which sees its own ranks "
                             "only");
    }
    return "";
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
    scope.to = m_to.IsSet() ? m_to.Get() : Time::Max();
    scope.bin = m_bin.Get();
    scope.events = m_events.Get();
    return scope;
}

} // namespace ns3
