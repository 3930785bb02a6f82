// SPDX-License-Identifier: GPL-2.0-only

#include "timeline-recoveries.h"

#include <algorithm>

namespace ns3
{

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

} // namespace ns3
