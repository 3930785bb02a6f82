// SPDX-License-Identifier: GPL-2.0-only

#include "html-report.h"

#include <algorithm>

namespace ns3
{

Time
HtmlReportData::GetBegin() const
{
    return summary.iterations.empty() ? Time() : GetEnd() - summary.iterations.back().duration;
}

Time
HtmlReportData::GetEarliest() const
{
    Time earliest = GetBegin();
    for (std::size_t stage = 0; stage < communications.size(); ++stage)
    {
        for (const auto& one : GetLast(stage))
        {
            earliest = std::min(earliest, one.start);
        }
    }
    return earliest;
}

Time
HtmlReportData::GetEnd() const
{
    Time end;
    for (const auto& iteration : summary.iterations)
    {
        end += iteration.duration;
    }
    return end;
}

std::vector<Communication>
HtmlReportData::GetLast(std::size_t stage) const
{
    std::vector<Communication> last;
    for (const auto& one : communications.at(stage))
    {
        if (one.iteration + 1 == summary.iterations.size())
        {
            last.push_back(one);
        }
    }
    return last;
}

std::vector<HtmlReportPhase>
HtmlReportPhase::Find(const std::vector<Communication>& communications)
{
    std::vector<HtmlReportPhase> phases;
    uint32_t group = 0;
    for (const auto& one : communications)
    {
        if (phases.empty() || one.groupId != group)
        {
            phases.push_back({one.dimension, "", 0, 0, one.start, one.end});
            group = one.groupId;
        }
        HtmlReportPhase& phase = phases.back();
        const std::string kind = ToString(one.kind);
        if (phase.kinds.find(kind) == std::string::npos)
        {
            phase.kinds += (phase.kinds.empty() ? "" : "+") + kind;
        }
        ++phase.count;
        phase.bytes += one.bytes;
        phase.start = std::min(phase.start, one.start);
        phase.end = std::max(phase.end, one.end);
    }
    return phases;
}

} // namespace ns3
