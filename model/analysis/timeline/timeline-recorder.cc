// SPDX-License-Identifier: GPL-2.0-only

#include "timeline-recorder.h"

#include "ns3/report-value.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr std::size_t HOPS = 3; // shim, manager, controller

/// @return true if ranks send it, and a controller traces its arrival
bool
IsOfRank(OpusMessageType type)
{
    return type == OpusMessageType::REQUEST || type == OpusMessageType::RELEASE ||
           type == OpusMessageType::RESTART;
}

/// @return true if a controller sends it to a rank
bool
IsToRank(OpusMessageType type)
{
    return type == OpusMessageType::GRANT || type == OpusMessageType::RECALL ||
           type == OpusMessageType::REFUSE || type == OpusMessageType::ABORT ||
           type == OpusMessageType::PORTS_FAILED;
}

/// Moves of ranks that are told one by one.
constexpr std::size_t MOVES_TRACED = 16;

double
ToMicroseconds(const Time& time)
{
    return time.ToDouble(Time::US);
}

} // namespace

std::string
TimelineMessages::GetGroupName(uint64_t group)
{
    constexpr uint64_t PAIR = uint64_t{1} << 63;
    constexpr uint32_t BITS = 31;
    constexpr uint64_t MASK = (uint64_t{1} << BITS) - 1;
    return group & PAIR ? "pair " + std::to_string((group & ~PAIR) >> BITS) + "-" +
                              std::to_string(group & MASK)
                        : std::to_string(group);
}

uint32_t
TimelineMessages::AddPlace(Ptr<Object> component,
                           const Place& place,
                           std::initializer_list<const char*> sources)
{
    const auto index = static_cast<uint32_t>(m_places.size());
    m_places.push_back(place);
    for (const char* source : sources)
    {
        component->TraceConnectWithoutContext(
            source,
            MakeCallback(&TimelineMessages::Pass, this).Bind(index));
    }
    return index;
}

void
TimelineMessages::Observe(Ptr<OpusShim> shim, uint32_t rank, uint32_t process)
{
    m_shims[rank] = AddPlace(shim, {SHIM, m_sheet.AddThread(process, "shim")}, {"Tx", "Rx"});
    shim->TraceConnectWithoutContext("Granted", MakeCallback(&TimelineMessages::ShimGranted, this));
}

void
TimelineMessages::Observe(Ptr<OpusManager> manager, const std::string& name)
{
    const auto thread = m_sheet.AddThread(m_sheet.AddProcess(name), "messages");
    AddPlace(manager, {MANAGER, thread}, {"ToController", "ToRank"});
}

void
TimelineMessages::Observe(Ptr<OpusController> controller, const std::string& name)
{
    const auto thread = m_sheet.AddThread(m_sheet.AddProcess(name), "messages");
    AddPlace(controller, {CONTROLLER, thread}, {"Rx", "Tx"});
}

// --- trace sinks --------------------------------------------------------------------------------

void
TimelineMessages::ShimGranted(uint32_t rank,
                              uint64_t group,
                              Time waited,
                              Time exposed,
                              bool speculative)
{
    const Time now = Simulator::Now();
    if (!m_sheet.Admit(1, now, now))
    {
        return;
    }
    TraceArguments arguments;
    arguments.Add("group", GetGroupName(group))
        .AddTime("waited_us", waited)
        .AddTime("exposed_us", exposed);
    arguments.AddFlag("speculative", speculative);
    m_sheet.Instant(m_places[m_shims.at(rank)].thread, "granted", "lease", now, arguments);
}

void
TimelineMessages::Pass(uint32_t index, const OpusMessage& message)
{
    const Place& place = m_places[index];
    const OpusMessageType type = message.GetType();
    const bool isOfRank = IsOfRank(type);
    const OpusRank* rank = message.GetRank();
    if (!rank || m_shims.count(rank->rank) == 0 || (!isOfRank && !IsToRank(type)))
    {
        return;
    }
    const OpusLease* lease = message.GetLease();
    const Key key{type, rank->job, rank->rank, lease ? lease->group : 0, lease ? lease->lease : 0};
    const Hop here{place.thread, Simulator::Now()};
    const std::size_t before = isOfRank ? place.station : HOPS - 1 - place.station;
    if (before == 0)
    {
        m_journeys[key].push_back({message, {here}});
        return;
    }
    const auto found = m_journeys.find(key);
    if (found == m_journeys.end())
    {
        return; // what was said before a crash, once more
    }
    auto& journeys = found->second;
    const auto journey = std::find_if(journeys.begin(), journeys.end(), [before](const auto& one) {
        return one.hops.size() == before;
    });
    if (journey == journeys.end())
    {
        return;
    }
    journey->hops.push_back(here);
    if (journey->hops.size() == HOPS)
    {
        Write(*journey, true);
        journeys.erase(journey);
        if (journeys.empty())
        {
            m_journeys.erase(found);
        }
    }
}

void
TimelineMessages::Finish()
{
    for (const auto& [key, journeys] : m_journeys)
    {
        for (const auto& journey : journeys)
        {
            Write(journey, false);
        }
    }
    m_journeys.clear();
}

// --- output -------------------------------------------------------------------------------------

void
TimelineMessages::Write(const Journey& journey, bool isComplete)
{
    const OpusMessage& message = journey.message;
    const auto& hops = journey.hops;
    if (!m_sheet.Admit(isComplete ? 2 * hops.size() : hops.size(), hops.front().at, hops.back().at))
    {
        return;
    }
    TraceArguments arguments;
    arguments.Add("rank", uint64_t{message.GetRank()->rank});
    if (const OpusLease* lease = message.GetLease())
    {
        arguments.Add("group", GetGroupName(lease->group)).Add("lease", uint64_t{lease->lease});
    }
    if (const auto* grant = message.Get<OpusGrant>())
    {
        arguments.AddTime("switching_us", grant->switching);
    }
    const auto* request = message.Get<OpusRequest>();
    const auto* recall = message.Get<OpusRecall>();
    arguments.AddFlag("speculative",
                      (request && request->speculative) || (recall && recall->speculative));
    arguments.AddFlag("passive", request && request->passive);
    arguments.AddFlag("undelivered", !isComplete);
    const std::string name = ToString(message.GetType());
    const uint64_t flow = isComplete ? m_sheet.AddFlow() : 0;
    for (std::size_t hop = 0; hop < hops.size(); ++hop)
    {
        const auto& [thread, at] = hops[hop];
        m_sheet.Slice(thread, name, "message", at, at, arguments);
        if (isComplete)
        {
            const auto place = hop == 0         ? TraceEventWriter::Flow::START
                               : hop + 1 < HOPS ? TraceEventWriter::Flow::STEP
                                                : TraceEventWriter::Flow::END;
            m_sheet.FlowPoint(flow, place, thread, name, "message", at);
        }
    }
}

TraceEventWriter::Thread
TimelineFaults::GetThread()
{
    if (!m_thread)
    {
        m_thread = m_sheet.AddThread(m_sheet.AddProcess("faults"), "consequences");
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
        m_sheet.Instant(GetThread(), kind + " " + target, "fault", now, arguments);
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
        m_sheet.AsyncSlice(GetThread().process,
                           component.first + " " + component.second,
                           "fault",
                           begin,
                           end,
                           {});
    }
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
    if (!m_process)
    {
        m_process = m_sheet.AddProcess("recoveries");
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
    m_connectors.push_back({m_sheet.AddThread(*m_process, "job"), end});
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
    const auto thread = TakeThread(begin, recovery.resumed);
    if (hasLostWork)
    {
        m_sheet.Slice(thread, "lost work", "recovery", begin, recovery.lost, {});
    }
    TraceArguments arguments;
    arguments.Add("gpus", recovery.GetGpusText())
        .Add("moves", recovery.GetMovesText(MOVES_TRACED))
        .Add("attempts", uint64_t{recovery.attempts})
        .Add("iteration", uint64_t{recovery.iteration})
        .Add("spares_left", uint64_t{recovery.sparesLeft});
    m_sheet.Slice(thread,
                  "recovery " + std::to_string(index),
                  "recovery",
                  recovery.lost,
                  recovery.resumed,
                  arguments);
    for (const auto& step : steps)
    {
        m_sheet.Slice(thread, step.name, "recovery", step.begin, step.end, {});
    }
}

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
    const auto& leftOutFrom = sheet.GetLeftOutFrom();
    ReportValue::Array groups;
    for (const auto& [id, group] : ranks.GetGroups())
    {
        groups.emplace_back(ReportValue::Object{{"group", id}, {"ranks", group.ranks}});
    }
    const ReportValue other(ReportValue::Object{
        {"clock", "simulated"},
        {"complete", sheet.GetLeftOut() == 0},
        {"events", sheet.GetEvents()},
        {"events_left_out", sheet.GetLeftOut()},
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
    sheet.Close(other.ToText());
}

std::string
TimelineRecorder::GetWarning() const
{
    if (sheet.GetLeftOut() == 0)
    {
        return "";
    }
    return "--timeline: the file has the first " + std::to_string(sheet.GetEvents()) + " events; " +
           std::to_string(sheet.GetLeftOut()) + " that end from " +
           TraceArguments::ToMicroseconds(*sheet.GetLeftOutFrom()) +
           " us on are left out. --timelineEvents allows more; --timelineRanks, --timelineFrom and "
           "--timelineTo choose";
}

} // namespace ns3
