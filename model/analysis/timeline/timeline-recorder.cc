// SPDX-License-Identifier: GPL-2.0-only

#include "timeline-recorder.h"

#include "ns3/report-value.h"

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

    const TimelineScope& scope = m_sheet.GetScope();
    const TraceEventWriter& writer = m_sheet.GetWriter();
    const auto& leftOutFrom = writer.GetLeftOutFrom();
    ReportValue::Array groups;
    for (const auto& [id, group] : m_ranks.GetGroups())
    {
        groups.emplace_back(ReportValue::Object{{"group", id}, {"ranks", group.ranks}});
    }
    const ReportValue other(ReportValue::Object{
        {"clock", "simulated"},
        {"complete", writer.GetLeftOut() == 0},
        {"events", writer.GetEvents()},
        {"events_left_out", writer.GetLeftOut()},
        {"left_out_from_us",
         leftOutFrom ? ReportValue(ToMicroseconds(*leftOutFrom)) : ReportValue()},
        {"from_us", ToMicroseconds(scope.from)},
        {"to_us", scope.to < Time::Max() ? ReportValue(ToMicroseconds(scope.to)) : ReportValue()},
        {"end_us", ToMicroseconds(m_sheet.GetEnd())},
        {"bin_us", ToMicroseconds(scope.bin)},
        {"ranks", ReportValue::Array(scope.ranks.begin(), scope.ranks.end())},
        {"groups", groups},
        {"run", facts},
    });
    m_sheet.GetWriter().Close(other.ToText());
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
