// SPDX-License-Identifier: GPL-2.0-only

#include "timeline-ranks.h"

#include "ns3/collective-call.h"
#include "ns3/simulator.h"

namespace ns3
{

namespace
{

constexpr double GIGA = 1e9;

bool
IsMessage(const RankOperation& operation)
{
    return operation.kind == CollectiveKind::SEND || operation.kind == CollectiveKind::RECV;
}

} // namespace

TimelineRanks::TimelineRanks(TimelineSheet& sheet, const RankLayout& layout)
    : TimelinePart(sheet),
      m_layout(layout)
{
    for (const uint32_t number : m_sheet.GetScope().ranks)
    {
        Rank& rank = m_ranks[number];
        rank.number = number;
        rank.process = m_sheet.AddProcess("rank " + std::to_string(number) + ": stage " +
                                          std::to_string(layout.GetPipelineRank(number)) +
                                          ", domain " + std::to_string(layout.GetDomain(number)) +
                                          ", rail " + std::to_string(layout.GetRail(number)));
        rank.iterations = m_sheet.AddThread(rank.process, "iterations");
        for (uint16_t stream = 0; stream < RankOperation::STREAMS; ++stream)
        {
            rank.streams[stream].thread = m_sheet.AddThread(rank.process);
        }
    }
}

void
TimelineRanks::Observe(Ptr<TrainingApplication> application, Ptr<CollectiveEngine> engine)
{
    const auto connect = [&application](const char* source, const CallbackBase& sink) {
        application->TraceConnectWithoutContext(source, sink);
    };
    connect("IterationBegin", IfShown(&TimelineRanks::IterationBegan));
    connect("IterationEnd", IfShown(&TimelineRanks::IterationEnded));
    connect("Halt", IfShown(&TimelineRanks::Halted));
    connect("OperationPlanned", IfShown(&TimelineRanks::OperationPlanned));
    connect("CommunicationBegin", IfShown(&TimelineRanks::CommunicationBegan));
    connect("CommunicationEnd", IfShown(&TimelineRanks::CommunicationEnded));
    if (engine)
    {
        // Not a Ptr: the engine would hold itself.
        engine->TraceConnectWithoutContext(
            "CallArrived",
            MakeCallback(&TimelineRanks::CallArrived, this).Bind(PeekPointer(engine)));
        engine->TraceConnectWithoutContext("CallStarted", IfShown(&TimelineRanks::CallStarted));
    }
}

uint32_t
TimelineRanks::GetProcess(uint32_t rank) const
{
    return m_ranks.at(rank).process;
}

// --- trace sinks --------------------------------------------------------------------------------

void
TimelineRanks::IterationBegan(Rank& rank, uint32_t iteration)
{
    rank.iteration = {iteration, Simulator::Now()};
}

void
TimelineRanks::IterationEnded(Rank& rank, uint32_t)
{
    for (auto& [number, stream] : rank.streams)
    {
        WritePlanned(rank, stream, Simulator::Now());
    }
    WriteIteration(rank, Simulator::Now(), false);
}

void
TimelineRanks::OperationPlanned(Rank& rank,
                                uint32_t iteration,
                                const RankOperation& operation,
                                Time begin,
                                Time end)
{
    Stream& stream = GetStream(rank, operation);
    if (!stream.planned.empty() && stream.planned.back().end <= Simulator::Now())
    {
        WritePlanned(rank, stream, Simulator::Now());
    }
    stream.planned.push_back({&operation, iteration, begin, end});
}

void
TimelineRanks::CommunicationBegan(Rank& rank, uint32_t iteration, const RankOperation& operation)
{
    Stream& stream = GetStream(rank, operation);
    WritePlanned(rank, stream, Simulator::Now());
    rank.handed = operation.stream;
    stream.open = {&operation, iteration, Simulator::Now(), std::nullopt, "", rank.made++};
}

void
TimelineRanks::CallArrived(CollectiveEngine* engine,
                           uint32_t rank,
                           const CollectiveCall& call,
                           uint64_t sequence)
{
    const auto found = m_ranks.find(rank);
    if (found == m_ranks.end())
    {
        return;
    }
    Rank& place = found->second;
    Open& open = place.streams[place.handed].open;
    if (open.operation)
    {
        open.network = ToString(engine->GetNetwork(call));
        place.calls[{call.groupId, sequence}] = place.handed;
    }
}

void
TimelineRanks::CallStarted(Rank& rank, const CollectiveCall& call, uint64_t sequence)
{
    const auto found = rank.calls.find({call.groupId, sequence});
    if (found != rank.calls.end())
    {
        rank.streams[found->second].open.started = Simulator::Now();
        rank.calls.erase(found);
    }
}

void
TimelineRanks::CommunicationEnded(Rank& rank, uint32_t, const RankOperation& operation)
{
    Stream& stream = GetStream(rank, operation);
    WriteOperation(rank, stream, stream.open, Simulator::Now(), false);
    stream.open = {};
}

void
TimelineRanks::Halted(Rank& rank, uint32_t)
{
    Cut(rank, Simulator::Now());
}

void
TimelineRanks::Finish()
{
    for (auto& [number, rank] : m_ranks)
    {
        Cut(rank, m_sheet.GetEnd());
    }
}

// --- output -------------------------------------------------------------------------------------

TimelineRanks::Stream&
TimelineRanks::GetStream(Rank& rank, const RankOperation& operation)
{
    const auto [place, isNew] = rank.streams.emplace(operation.stream, Stream());
    if (isNew)
    {
        place->second.thread = m_sheet.AddThread(rank.process);
    }
    return place->second;
}

void
TimelineRanks::Cut(Rank& rank, const Time& end)
{
    for (auto& [number, stream] : rank.streams)
    {
        WritePlanned(rank, stream, end);
        if (stream.open.operation)
        {
            WriteOperation(rank, stream, stream.open, end, true);
            stream.open = {};
        }
    }
    rank.calls.clear();
    WriteIteration(rank, end, true);
}

std::string
TimelineRanks::GetStreamName(const RankOperation& operation) const
{
    if (operation.stream < RankOperation::CALL_STREAMS)
    {
        return ToString(operation.stream);
    }
    return m_layout.GetRoleName(operation.role) +
           (IsMessage(operation) ? " " + ToString(operation.kind) : "");
}

TraceArguments
TimelineRanks::Describe(const Rank& rank, const Open& open, const Time& end)
{
    const RankOperation& operation = *open.operation;
    TraceArguments arguments;
    arguments.Add("iteration", uint64_t{open.iteration});
    if (!operation.IsCall())
    {
        return arguments.AddNumber("flops", operation.flops);
    }
    const ProcessGroup& group = m_layout.GetGroup(rank.number, operation.role);
    m_groups.emplace(group.id, group);
    arguments.Add("dimension", ToString(operation.dimension))
        .Add("bytes", operation.bytes)
        .Add("group", uint64_t{group.id})
        .Add("ranks", uint64_t{group.GetSize()});
    if (IsMessage(operation))
    {
        arguments.Add("peer", uint64_t{group.ranks[group.ranks[0] == rank.number ? 1 : 0]});
    }
    arguments.Add("network", open.network);
    if (open.call)
    {
        arguments.Add("call", *open.call);
    }
    const Time sent = end - open.started.value_or(open.begin);
    if (sent.IsStrictlyPositive() && group.GetSize() > 1)
    {
        const double bandwidth =
            GetBusBandwidth(operation.kind, group.GetSize(), operation.bytes, sent);
        arguments.AddNumber("busbw_GBps", bandwidth / GIGA);
    }
    return arguments.Add("label", operation.label);
}

void
TimelineRanks::WriteOperation(const Rank& rank,
                              Stream& stream,
                              const Open& open,
                              const Time& end,
                              bool isCut)
{
    const RankOperation& operation = *open.operation;
    const bool waits = open.started && *open.started > open.begin;
    if (!m_sheet.Admit(waits ? 2 : 1, open.begin, end))
    {
        return;
    }
    if (!stream.isNamed)
    {
        stream.isNamed = true;
        m_sheet.NameThread(stream.thread, GetStreamName(operation));
    }
    TraceArguments arguments = Describe(rank, open, end);
    arguments.AddFlag("unfinished", isCut);
    const bool isComputation = !operation.IsCall();
    m_sheet.Slice(stream.thread,
                  isComputation ? operation.label : ToString(operation.kind),
                  isComputation ? "compute" : "collective",
                  open.begin,
                  end,
                  arguments);
    if (waits)
    {
        m_sheet.Slice(stream.thread, "wait", "wait", open.begin, *open.started, {});
    }
}

void
TimelineRanks::WritePlanned(const Rank& rank, Stream& stream, const Time& until)
{
    for (const auto& planned : stream.planned)
    {
        if (planned.begin < until || planned.end <= until)
        {
            WriteOperation(
                rank,
                stream,
                {planned.operation, planned.iteration, planned.begin, {}, "closed-form", {}},
                Min(planned.end, until),
                planned.end > until);
        }
    }
    stream.planned.clear();
}

void
TimelineRanks::WriteIteration(Rank& rank, const Time& end, bool isCut)
{
    if (rank.iteration && m_sheet.Admit(1, rank.iteration->second, end))
    {
        const uint64_t index = rank.iteration->first;
        TraceArguments arguments;
        arguments.Add("iteration", index);
        arguments.AddFlag("unfinished", isCut);
        m_sheet.Slice(rank.iterations,
                      "iteration " + std::to_string(index),
                      "iteration",
                      rank.iteration->second,
                      end,
                      arguments);
    }
    rank.iteration.reset();
}

} // namespace ns3
