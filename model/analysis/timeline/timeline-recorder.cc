// SPDX-License-Identifier: GPL-2.0-only

#include "timeline-recorder.h"

#include "ns3/report-value.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

TimelineFaults::TimelineFaults(TimelineSheet& sheet)
    : m_sheet(sheet)
{
}

TraceEventWriter::Thread
TimelineFaults::GetThread()
{
    if (!m_thread)
    {
        TraceEventWriter& writer = m_sheet.GetWriter();
        m_thread = writer.AddThread(writer.AddProcess("faults"), "consequences");
    }
    return *m_thread;
}

void
TimelineFaults::Began(const std::string& kind, const std::string& target)
{
    m_broken.emplace(Component{kind, target}, Simulator::Now());
}

void
TimelineFaults::Ended(const std::string& kind, const std::string& target)
{
    const auto found = m_broken.find({kind, target});
    if (found != m_broken.end())
    {
        Write(found->first, found->second, Simulator::Now());
        m_broken.erase(found);
    }
}

void
TimelineFaults::Served(const std::string& kind, const std::string& target, const std::string& what)
{
    const Time now = Simulator::Now();
    if (m_sheet.Admit(1, now, now))
    {
        TraceArguments arguments;
        arguments.Add("consequence", what);
        m_sheet.GetWriter().Instant(GetThread(), kind + " " + target, "fault", now, arguments);
    }
}

void
TimelineFaults::Finish()
{
    for (const auto& [component, begin] : m_broken)
    {
        Write(component, begin, Max(begin, m_sheet.GetEnd()));
    }
    m_broken.clear();
}

void
TimelineFaults::Write(const Component& component, const Time& begin, const Time& end)
{
    if (m_sheet.Admit(2, begin, end))
    {
        m_sheet.GetWriter().AsyncSlice(GetThread().process,
                                       component.first + " " + component.second,
                                       "fault",
                                       begin,
                                       end,
                                       {});
    }
}

namespace
{

/// Moves of ranks that are told one by one.
constexpr std::size_t MOVES_TRACED = 16;

} // namespace

TimelineRecoveries::TimelineRecoveries(TimelineSheet& sheet)
    : m_sheet(sheet)
{
}

void
TimelineRecoveries::Write(const std::vector<RunRecovery>& recoveries)
{
    for (std::size_t i = 0; i < recoveries.size(); ++i)
    {
        Write(recoveries[i], i);
    }
}

TraceEventWriter::Thread
TimelineRecoveries::TakeThread(const Time& begin, const Time& end)
{
    TraceEventWriter& writer = m_sheet.GetWriter();
    if (!m_process)
    {
        m_process = writer.AddProcess("recoveries");
    }
    const auto free =
        std::find_if(m_connectors.begin(), m_connectors.end(), [&](const Connector& connector) {
            return connector.end <= begin;
        });
    if (free != m_connectors.end())
    {
        free->end = end;
        return free->thread;
    }
    m_connectors.push_back({writer.AddThread(*m_process, "job"), end});
    return m_connectors.back().thread;
}

void
TimelineRecoveries::Write(const RunRecovery& recovery, std::size_t index)
{
    auto steps = recovery.GetSteps();
    const auto isEmpty = [](const RunRecovery::Step& step) { return step.begin == step.end; };
    steps.erase(std::remove_if(steps.begin(), steps.end(), isEmpty), steps.end());
    const Time begin = recovery.lost - recovery.lostWork;
    const bool hasLostWork = begin < recovery.lost;
    if (!m_sheet.Admit(1 + steps.size() + (hasLostWork ? 1 : 0), begin, recovery.resumed))
    {
        return;
    }
    TraceEventWriter& writer = m_sheet.GetWriter();
    const auto thread = TakeThread(begin, recovery.resumed);
    if (hasLostWork)
    {
        writer.Slice(thread, "lost work", "recovery", begin, recovery.lost, {});
    }
    TraceArguments arguments;
    arguments.Add("gpus", recovery.GetGpusText())
        .Add("moves", recovery.GetMovesText(MOVES_TRACED))
        .Add("attempts", uint64_t{recovery.attempts})
        .Add("iteration", uint64_t{recovery.iteration})
        .Add("spares_left", uint64_t{recovery.sparesLeft});
    writer.Slice(thread,
                 "recovery " + std::to_string(index),
                 "recovery",
                 recovery.lost,
                 recovery.resumed,
                 arguments);
    for (const auto& step : steps)
    {
        writer.Slice(thread, step.name, "recovery", step.begin, step.end, {});
    }
}

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
                                   const RankLayout& layout)
    : sheet(os, scope),
      ranks(sheet, layout),
      switches(sheet),
      messages(sheet),
      counters(sheet),
      faults(sheet),
      recoveries(sheet)
{
}

void
TimelineRecorder::Finish(const std::vector<std::pair<std::string, std::string>>& facts)
{
    counters.Finish();
    ranks.Finish();
    messages.Finish();
    faults.Finish();
    switches.Finish();

    const TimelineScope& scope = sheet.GetScope();
    const TraceEventWriter& writer = sheet.GetWriter();
    const auto& leftOutFrom = writer.GetLeftOutFrom();
    ReportValue::Array groups;
    for (const auto& [id, group] : ranks.GetGroups())
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
        {"end_us", ToMicroseconds(sheet.GetEnd())},
        {"bin_us", ToMicroseconds(scope.bin)},
        {"ranks", ReportValue::Array(scope.ranks.begin(), scope.ranks.end())},
        {"groups", groups},
        {"run", facts},
    });
    sheet.GetWriter().Close(other.ToText());
}

std::string
TimelineRecorder::GetWarning() const
{
    const TraceEventWriter& writer = sheet.GetWriter();
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
