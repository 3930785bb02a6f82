// SPDX-License-Identifier: GPL-2.0-only

#include "timeline-messages.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr std::size_t HOPS = 3; // shim, manager, controller

/// @return true if ranks say it, and a controller traces that it has heard it
bool
IsOfRank(OpusMessageType type)
{
    return type == OpusMessageType::REQUEST || type == OpusMessageType::RELEASE ||
           type == OpusMessageType::RESTART;
}

/// @return true if a controller says it to a rank
bool
IsToRank(OpusMessageType type)
{
    return type == OpusMessageType::GRANT || type == OpusMessageType::RECALL ||
           type == OpusMessageType::REFUSE || type == OpusMessageType::ABORT ||
           type == OpusMessageType::PORTS_FAILED;
}

} // namespace

TimelineMessages::TimelineMessages(TimelineSheet& sheet)
    : m_sheet(sheet)
{
}

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

void
TimelineMessages::Observe(Ptr<OpusShim> shim, uint32_t rank, uint32_t process)
{
    m_shims[rank] = {SHIM, m_sheet.GetWriter().AddThread(process, "shim")};
    shim->TraceConnectWithoutContext("Tx",
                                     MakeCallback(&TimelineMessages::ShimSent, this).Bind(rank));
    shim->TraceConnectWithoutContext(
        "Rx",
        MakeCallback(&TimelineMessages::ShimReceived, this).Bind(rank));
    shim->TraceConnectWithoutContext("Granted", MakeCallback(&TimelineMessages::ShimGranted, this));
}

void
TimelineMessages::Observe(Ptr<OpusManager> manager, const std::string& name)
{
    TraceEventWriter& writer = m_sheet.GetWriter();
    const auto place = static_cast<uint32_t>(m_places.size());
    m_places.push_back({MANAGER, writer.AddThread(writer.AddProcess(name), "messages")});
    for (const char* source : {"ToController", "ToRank"})
    {
        manager->TraceConnectWithoutContext(
            source,
            MakeCallback(&TimelineMessages::Passed, this).Bind(place));
    }
}

void
TimelineMessages::Observe(Ptr<OpusController> controller, const std::string& name)
{
    TraceEventWriter& writer = m_sheet.GetWriter();
    const auto place = static_cast<uint32_t>(m_places.size());
    m_places.push_back({CONTROLLER, writer.AddThread(writer.AddProcess(name), "messages")});
    for (const char* source : {"Rx", "Tx"})
    {
        controller->TraceConnectWithoutContext(
            source,
            MakeCallback(&TimelineMessages::Passed, this).Bind(place));
    }
}

// --- what is heard ------------------------------------------------------------------------------

void
TimelineMessages::ShimSent(uint32_t rank, const OpusMessage& message)
{
    Pass(m_shims.at(rank), message);
}

void
TimelineMessages::ShimReceived(uint32_t rank, const OpusMessage& message)
{
    Pass(m_shims.at(rank), message);
}

void
TimelineMessages::Passed(uint32_t place, const OpusMessage& message)
{
    Pass(m_places[place], message);
}

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
    m_sheet.GetWriter().Instant(m_shims.at(rank).thread, "granted", "lease", now, arguments);
}

void
TimelineMessages::Pass(const Place& place, const OpusMessage& message)
{
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

// --- what is written ----------------------------------------------------------------------------

void
TimelineMessages::Write(const Journey& journey, bool isComplete)
{
    const OpusMessage& message = journey.message;
    const auto& hops = journey.hops;
    if (!m_sheet.Admit(isComplete ? 2 * hops.size() : hops.size(), hops.front().at, hops.back().at))
    {
        return;
    }
    TraceEventWriter& writer = m_sheet.GetWriter();
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
    const uint64_t flow = isComplete ? writer.AddFlow() : 0;
    for (std::size_t hop = 0; hop < hops.size(); ++hop)
    {
        const auto& [thread, at] = hops[hop];
        writer.Slice(thread, name, "message", at, at, arguments);
        if (isComplete)
        {
            const auto place = hop == 0         ? TraceEventWriter::Flow::START
                               : hop + 1 < HOPS ? TraceEventWriter::Flow::STEP
                                                : TraceEventWriter::Flow::END;
            writer.FlowPoint(flow, place, thread, name, "message", at);
        }
    }
}

} // namespace ns3
