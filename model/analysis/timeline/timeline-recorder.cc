// SPDX-License-Identifier: GPL-2.0-only

#include "timeline-recorder.h"

#include "ns3/texts-to-json.h"

#include <nlohmann/json.hpp>

namespace ns3
{

namespace
{

double
ToMicroseconds(const Time& time)
{
    return time.ToDouble(Time::US);
}

} // namespace

TimelineRecorder::TimelineRecorder(std::ostream& os,
                                   const TimelineScope& scope,
                                   const DeviceMesh& mesh)
    : m_sheet(os, scope),
      m_ranks(m_sheet, mesh),
      m_switches(m_sheet),
      m_messages(m_sheet),
      m_counters(m_sheet),
      m_faults(m_sheet),
      m_recoveries(m_sheet)
{
}

const TimelineScope&
TimelineRecorder::GetScope() const
{
    return m_sheet.GetScope();
}

TimelineRanks&
TimelineRecorder::GetRanks()
{
    return m_ranks;
}

TimelineSwitches&
TimelineRecorder::GetSwitches()
{
    return m_switches;
}

TimelineMessages&
TimelineRecorder::GetMessages()
{
    return m_messages;
}

TimelineCounters&
TimelineRecorder::GetCounters()
{
    return m_counters;
}

TimelineFaults&
TimelineRecorder::GetFaults()
{
    return m_faults;
}

TimelineRecoveries&
TimelineRecorder::GetRecoveries()
{
    return m_recoveries;
}

void
TimelineRecorder::Finish(const std::vector<std::pair<std::string, std::string>>& facts)
{
    m_counters.Finish();
    m_ranks.Finish();
    m_messages.Finish();
    m_faults.Finish();
    m_switches.Finish();

    using Json = nlohmann::ordered_json;
    const TimelineScope& scope = m_sheet.GetScope();
    const TraceEventWriter& writer = m_sheet.GetWriter();
    Json other{{"clock", "simulated"}, {"complete", writer.GetLeftOut() == 0}};
    other["events"] = writer.GetEvents();
    other["events_left_out"] = writer.GetLeftOut();
    if (const auto& from = writer.GetLeftOutFrom())
    {
        other["left_out_from_us"] = ToMicroseconds(*from);
    }
    other["from_us"] = ToMicroseconds(scope.from);
    if (scope.to < Time::Max())
    {
        other["to_us"] = ToMicroseconds(scope.to);
    }
    other["end_us"] = ToMicroseconds(m_sheet.GetEnd());
    other["bin_us"] = ToMicroseconds(scope.bin);
    other["ranks"] = scope.ranks;
    other["groups"] = Json::array();
    for (const auto& [id, group] : m_ranks.GetGroups())
    {
        other["groups"].push_back({{"group", id}, {"ranks", group.ranks}});
    }
    other["run"] = TextsToJson(facts);
    m_sheet.GetWriter().Close(other.dump());
}

std::string
TimelineRecorder::GetWarning() const
{
    const TraceEventWriter& writer = m_sheet.GetWriter();
    if (writer.GetLeftOut() == 0)
    {
        return "";
    }
    return "--timeline: the file has the first " + std::to_string(writer.GetEvents()) +
           " events; " + std::to_string(writer.GetLeftOut()) + " that end from " +
           TraceArguments::ToMicroseconds(*writer.GetLeftOutFrom()) +
           " us on are left out. --timelineEvents allows more; --timelineRanks, --timelineFrom and "
           "--timelineTo choose";
}

} // namespace ns3
