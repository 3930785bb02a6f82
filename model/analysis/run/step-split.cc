// SPDX-License-Identifier: GPL-2.0-only

#include "step-split.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

double
StepSplit::GetSeconds(Part part) const
{
    return ranks == 0 ? 0 : sums[part].GetSeconds() / ranks;
}

double
StepSplit::GetTotal() const
{
    const Time total = std::accumulate(sums.begin(), sums.end(), Time());
    return ranks == 0 ? 0 : total.GetSeconds() / ranks;
}

StepSplitRecorder::StepSplitRecorder(const RankLayout& layout,
                                     uint32_t iterations,
                                     bool hasCircuits)
    : m_layout(layout),
      m_last(iterations - 1),
      m_hasCircuits(hasCircuits),
      m_ranks(layout.GetWorldSize())
{
}

void
StepSplitRecorder::Observe(Ptr<TrainingApplication> application, Ptr<CollectiveEngine> engine)
{
    ++m_observed;
    const auto connect = [&application](const char* source, const CallbackBase& sink) {
        application->TraceConnectWithoutContext(source, sink);
    };
    connect("IterationBegin", MakeCallback(&StepSplitRecorder::IterationBegan, this));
    connect("IterationEnd", MakeCallback(&StepSplitRecorder::IterationEnded, this));
    connect("OperationPlanned", MakeCallback(&StepSplitRecorder::OperationPlanned, this));
    connect("CommunicationBegin", MakeCallback(&StepSplitRecorder::CommunicationBegan, this));
    connect("CommunicationEnd", MakeCallback(&StepSplitRecorder::CommunicationEnded, this));
    if (engine && m_hasCircuits)
    {
        const auto observe = [this, &engine](const char* source, auto sink) {
            engine->TraceConnectWithoutContext(source, MakeCallback(sink, this));
        };
        observe("CallArrived", &StepSplitRecorder::CallArrived);
        observe("CallStarted", &StepSplitRecorder::CallStarted);
        observe("CallEnded", &StepSplitRecorder::CallEnded);
        observe("RoundStarted", &StepSplitRecorder::RoundStarted);
        observe("RoundEnded", &StepSplitRecorder::RoundEnded);
    }
}

void
StepSplitRecorder::IterationBegan(uint32_t rank, uint32_t iteration)
{
    if (iteration == m_last)
    {
        Rank& place = m_ranks[rank];
        place.isRecorded = true;
        place.begin = Simulator::Now();
        place.busyUntil = place.begin;
        if (m_last == 0 && !m_hasBegun)
        {
            Begin(); // with the first rank
        }
    }
}

void
StepSplitRecorder::IterationEnded(uint32_t rank, uint32_t iteration)
{
    if (iteration == m_last)
    {
        Rank& place = m_ranks[rank];
        place.end = Simulator::Now();
        Resolve(place, place.end);
    }
    else if (iteration + 1 == m_last && ++m_endedBefore == m_observed)
    {
        Begin();
    }
}

void
StepSplitRecorder::Begin()
{
    m_hasBegun = true;
    m_begin = Simulator::Now();
    for (auto& rank : m_ranks)
    {
        for (const auto& span : rank.early)
        {
            Add(rank, span);
        }
        rank.early.clear();
    }
}

void
StepSplitRecorder::OperationPlanned(uint32_t rank,
                                    uint32_t iteration,
                                    const RankOperation& operation,
                                    Time begin,
                                    Time end)
{
    if (iteration != m_last || begin == end)
    {
        return;
    }
    Rank& place = m_ranks[rank];
    if (operation.IsCall())
    {
        const std::size_t waiting = GetWaiting(operation.role);
        place.communications.push_back(
            {begin, begin, begin, end, waiting, operation.dimension, {}});
        return;
    }
    Resolve(place, begin);
    Add(place, {std::max(begin, place.busyUntil), end, StepSplit::COMPUTATION});
    place.busyUntil = std::max(place.busyUntil, end);
}

void
StepSplitRecorder::CommunicationBegan(uint32_t rank,
                                      uint32_t iteration,
                                      const RankOperation& operation)
{
    if (iteration != m_last)
    {
        return;
    }
    Rank& place = m_ranks[rank];
    Open& open = place.open[operation.stream];
    open = {CommunicationKey::Next(m_layout, rank, operation, 0, place.counts),
            Simulator::Now(),
            Time(),
            {}};
    place.handed = operation.stream;
    Call& call = m_calls[open.key];
    call.arrived = Simulator::Now();
    call.granted = Simulator::Now();
}

void
StepSplitRecorder::CallArrived(uint32_t rank, const CollectiveCall& call, uint64_t sequence)
{
    Rank& place = m_ranks[rank];
    if (place.isRecorded)
    {
        place.calls[{call.groupId, sequence}] = place.handed;
    }
}

StepSplitRecorder::Open*
StepSplitRecorder::FindOpen(uint32_t rank, const CollectiveCall& call, uint64_t sequence)
{
    Rank& place = m_ranks[rank];
    const auto found = place.calls.find({call.groupId, sequence});
    return found == place.calls.end() ? nullptr : &place.open[found->second];
}

void
StepSplitRecorder::CallStarted(uint32_t rank, const CollectiveCall& call, uint64_t sequence)
{
    if (const Open* const open = FindOpen(rank, call, sequence))
    {
        m_calls[open->key].granted = Simulator::Now();
    }
}

void
StepSplitRecorder::CallEnded(uint32_t rank, const CollectiveCall& call, uint64_t sequence)
{
    m_ranks[rank].calls.erase({call.groupId, sequence});
}

void
StepSplitRecorder::RoundEnded(uint32_t rank, const CollectiveCall& call, uint64_t sequence)
{
    if (Open* const open = FindOpen(rank, call, sequence))
    {
        open->roundEnded = Simulator::Now();
    }
}

void
StepSplitRecorder::RoundStarted(uint32_t rank, const CollectiveCall& call, uint64_t sequence)
{
    Open* const open = FindOpen(rank, call, sequence);
    if (open && !open->roundEnded.IsZero()) // the first round begins with the call
    {
        open->waits.emplace_back(open->roundEnded, Simulator::Now());
        open->roundEnded = Time(); // once for the Send and the Recv of a round
    }
}

void
StepSplitRecorder::CommunicationEnded(uint32_t rank,
                                      uint32_t iteration,
                                      const RankOperation& operation)
{
    if (iteration != m_last)
    {
        return;
    }
    const Time now = Simulator::Now();
    Rank& place = m_ranks[rank];
    Open& open = place.open[operation.stream];
    Call& call = m_calls[open.key];
    if (open.begin < now)
    {
        const Time arrived = std::max(call.arrived, open.begin);
        const Time granted = m_hasCircuits ? std::max(call.granted, arrived) : arrived;
        place.communications.push_back({open.begin,
                                        arrived,
                                        granted,
                                        now,
                                        GetWaiting(operation.role),
                                        operation.dimension,
                                        std::move(open.waits)});
    }
    const uint32_t size =
        open.key.pointToPoint ? 2 : m_layout.GetGroup(rank, operation.role).GetSize();
    if (++call.ended == size)
    {
        m_calls.erase(open.key);
    }
}

std::size_t
StepSplitRecorder::GetWaiting(GroupRole role) const
{
    switch (role)
    {
    case GroupRole::PP:
    case GroupRole::PP_PREVIOUS:
    case GroupRole::PP_NEXT:
    case GroupRole::MODEL:
    case GroupRole::EMBEDDING:
    case GroupRole::WORLD:
        return m_layout.GetPipelineRanks() > 1 ? StepSplit::BUBBLE : StepSplit::SLOWER;
    default:
        return StepSplit::SLOWER;
    }
}

void
StepSplitRecorder::Resolve(Rank& rank, const Time& until)
{
    auto& all = rank.communications;
    const auto isEarlier = [](const Communication& one, const Communication& other) {
        return one.end < other.end;
    };
    if (until > rank.busyUntil)
    {
        std::stable_sort(all.begin(), all.end(), isEarlier);
        // From the end: each operation began at the end of the communication before it.
        Time to = until;
        for (auto one = all.rbegin(); one != all.rend() && one->end > rank.busyUntil; ++one)
        {
            if (one->end > to || one->begin >= to)
            {
                continue;
            }
            Add(rank, {one->end, to, GetWaiting(GroupRole::WORLD)});
            const Time from = std::max(one->begin, rank.busyUntil);
            Add(rank, *one, from, one->end);
            to = from;
        }
        Add(rank, {rank.busyUntil, to, GetWaiting(GroupRole::WORLD)});
    }
    const auto isOver = [&until](const Communication& one) { return one.end <= until; };
    all.erase(std::remove_if(all.begin(), all.end(), isOver), all.end());
    rank.busyUntil = std::max(rank.busyUntil, until);
}

void
StepSplitRecorder::Add(Rank& rank,
                       const Communication& communication,
                       const Time& from,
                       const Time& to)
{
    const auto clip = [&from, &to](const Time& time) { return std::min(std::max(time, from), to); };
    const Time arrived = clip(communication.arrived);
    const Time granted = clip(communication.granted);
    Add(rank, {from, arrived, communication.waiting});
    Add(rank, {arrived, granted, StepSplit::CIRCUITS});
    const auto exposed = static_cast<std::size_t>(communication.dimension);
    Time sending = granted;
    for (const auto& [begin, end] : communication.waits)
    {
        const Time waits = std::max(clip(begin), sending);
        Add(rank, {sending, waits, exposed});
        sending = std::max(clip(end), waits);
        Add(rank, {waits, sending, StepSplit::CIRCUITS});
    }
    Add(rank, {sending, to, exposed});
}

void
StepSplitRecorder::Add(Rank& rank, const Span& span) const
{
    if (!m_hasBegun && span.to > span.from)
    {
        rank.early.push_back(span);
    }
    else if (span.to > std::max(span.from, m_begin))
    {
        rank.sums[span.part] += span.to - std::max(span.from, m_begin);
    }
}

StepSplit
StepSplitRecorder::GetSplit(const Time& end) const
{
    StepSplit split;
    for (Rank rank : m_ranks)
    {
        if (!rank.isRecorded)
        {
            continue; // of another rail
        }
        ++split.ranks;
        Add(rank, {m_begin, rank.begin, GetWaiting(GroupRole::WORLD)});
        Add(rank, {rank.end, end, GetWaiting(GroupRole::WORLD)});
        for (std::size_t part = 0; part < StepSplit::PARTS; ++part)
        {
            split.sums[part] += rank.sums[part];
        }
    }
    return split;
}

} // namespace ns3
