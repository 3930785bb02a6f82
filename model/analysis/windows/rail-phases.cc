// SPDX-License-Identifier: GPL-2.0-only

#include "rail-phases.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace ns3
{

void
ScaleOutPhase::Append(std::vector<ScaleOutPhase>& phases, const RankOperation& operation)
{
    if (operation.place != RankOperation::SCALE_OUT)
    {
        return;
    }
    if (phases.empty() || phases.back().dimension != operation.dimension ||
        phases.back().kind != operation.kind)
    {
        phases.push_back({operation.dimension, operation.kind, 0});
    }
    ++phases.back().count;
}

std::vector<ScaleOutPhase>
ScaleOutPhase::Encode(const std::vector<RankOperation>& operations)
{
    std::vector<ScaleOutPhase> phases;
    for (const auto& operation : operations)
    {
        Append(phases, operation);
    }
    return phases;
}

std::string
ScaleOutPhase::ToText() const
{
    return ToString(dimension) + " " + ns3::ToString(kind) + " " + std::to_string(count);
}

namespace
{

/// Number of phases of the longest block whose repeats are folded.
constexpr std::size_t LONGEST_BLOCK = 64;

/// @return true if a communication continues the phase that ends with another communication
bool
GoesOn(const Communication& last, const Communication& next, PhaseRule rule)
{
    return last.groupId == next.groupId ||
           (rule == PhaseRule::PARALLELISM && last.dimension == next.dimension);
}

/// Add a communication to its phase.
void
Extend(CommunicationPhase& phase, const Communication& comm)
{
    phase.last = comm;
    phase.start = std::min(phase.start, comm.start);
    phase.end = std::max(phase.end, comm.end);
    phase.bytes += comm.bytes;
    ++phase.count;
    if (std::find(phase.kinds.begin(), phase.kinds.end(), comm.kind) == phase.kinds.end())
    {
        phase.kinds.push_back(comm.kind);
    }
}

} // namespace

std::string
ScaleOutPhase::Fold(const std::vector<ScaleOutPhase>& phases)
{
    std::vector<std::string> texts;
    std::transform(phases.begin(), phases.end(), std::back_inserter(texts), [](const auto& phase) {
        return phase.ToText();
    });
    std::string line;
    for (std::size_t i = 0; i < texts.size();)
    {
        // Among the blocks that begin here, the shortest of those whose repeats cover the most
        // phases.
        std::size_t length = 1;
        std::size_t covered = 1;
        const std::size_t most = std::min((texts.size() - i) / 2, LONGEST_BLOCK);
        for (std::size_t candidate = 1; candidate <= most; ++candidate)
        {
            std::size_t end = i + candidate;
            while (end < texts.size() && texts[end] == texts[end - candidate])
            {
                ++end;
            }
            const std::size_t whole = (end - i) / candidate * candidate;
            if (whole > candidate && whole > covered)
            {
                length = candidate;
                covered = whole;
            }
        }
        line += line.empty() ? "" : " | ";
        if (covered > length)
        {
            const auto begin = phases.begin() + static_cast<std::ptrdiff_t>(i);
            line += "(" + Fold({begin, begin + static_cast<std::ptrdiff_t>(length)}) + ") x " +
                    std::to_string(covered / length);
        }
        else
        {
            line += texts[i];
        }
        i += covered;
    }
    return line;
}

std::vector<CommunicationPhase>
FindPhases(const std::vector<Communication>& communications, PhaseRule rule)
{
    std::vector<CommunicationPhase> phases;
    for (const auto& comm : communications)
    {
        if (phases.empty() || !GoesOn(phases.back().last, comm, rule))
        {
            phases.push_back({comm, comm, comm.start, comm.end, 0, 0, {}});
        }
        Extend(phases.back(), comm);
    }
    return phases;
}

std::vector<PhaseWindow>
FindPhaseWindows(const std::vector<Communication>& communications, PhaseRule rule)
{
    const auto phases = FindPhases(communications, rule);
    std::vector<PhaseWindow> windows;
    for (std::size_t i = 1; i < phases.size(); ++i)
    {
        windows.push_back(PhaseWindow{phases[i].first.iteration,
                                      phases[i - 1].last.dimension,
                                      phases[i].first.dimension,
                                      phases[i].start - phases[i - 1].end,
                                      phases[i].bytes,
                                      phases[i].kinds});
    }
    return windows;
}

RailPhases::RailPhases(std::shared_ptr<const RankLayout> layout, uint32_t rail)
    : m_layout(layout),
      m_rail(rail),
      m_ranks(layout->GetPipelineRanks(), layout->GetWorldSize()),
      m_sequence(layout->GetPipelineRanks()),
      m_phases(layout->GetPipelineRanks()),
      m_phasesIteration(layout->GetPipelineRanks(), 0)
{
    for (uint32_t rank = 0; rank < layout->GetWorldSize(); ++rank)
    {
        uint32_t& first = m_ranks[layout->GetPipelineRank(rank)];
        if (layout->GetRail(rank) == rail && first == layout->GetWorldSize())
        {
            first = rank;
        }
    }
}

void
RailPhases::Observe(Ptr<TrainingApplication> application)
{
    if (m_layout->GetRail(application->GetRank()) == m_rail)
    {
        ObserveSpare(application);
    }
}

void
RailPhases::ObserveSpare(Ptr<TrainingApplication> application)
{
    application->TraceConnectWithoutContext("CommunicationBegin",
                                            MakeCallback(&RailPhases::CommunicationBegan, this));
    application->TraceConnectWithoutContext("CommunicationEnd",
                                            MakeCallback(&RailPhases::CommunicationEnded, this));
}

void
RailPhases::Restart(uint32_t iteration)
{
    ++m_generation;
    m_begun.clear();
    m_ended.clear();
    for (auto& calls : m_sequence)
    {
        const auto isVoid = [iteration](const Call& call) { return call.iteration >= iteration; };
        calls.erase(std::remove_if(calls.begin(), calls.end(), isVoid), calls.end());
    }
    for (auto& phases : m_phases)
    {
        phases.clear();
    }
}

bool
RailPhases::IsOnRail(uint32_t rank, const RankOperation& operation) const
{
    return operation.place == RankOperation::SCALE_OUT && m_layout->GetRail(rank) == m_rail &&
           (!m_onRails || m_onRails(rank, operation));
}

bool
RailPhases::IsWatched(const ProcessGroup& group)
{
    const auto [known, isNew] = m_watched.emplace(group.id, false);
    if (isNew)
    {
        known->second = std::any_of(group.ranks.begin(), group.ranks.end(), [this](uint32_t rank) {
            return m_ranks[m_layout->GetPipelineRank(rank)] == rank;
        });
    }
    return known->second;
}

void
RailPhases::Forget()
{
    uint32_t begun = std::numeric_limits<uint32_t>::max();
    for (std::size_t stage = 0; stage < m_ranks.size(); ++stage)
    {
        begun = m_ranks[stage] < m_layout->GetWorldSize()
                    ? std::min(begun, m_phasesIteration[stage])
                    : begun;
    }
    for (auto& calls : m_sequence)
    {
        while (!calls.empty() && calls.front().iteration + KEPT_ITERATIONS < begun)
        {
            m_communications.erase(calls.front().key);
            calls.pop_front();
        }
    }
}

CommunicationKey
CommunicationKey::Next(const RankLayout& layout,
                       uint32_t rank,
                       const RankOperation& operation,
                       uint32_t generation,
                       Counts& counts)
{
    const ProcessGroup& group = layout.GetGroup(rank, operation.role);
    const bool sends = operation.kind == CollectiveKind::SEND;
    const bool pointToPoint = sends || operation.kind == CollectiveKind::RECV;
    uint32_t source = 0;
    if (pointToPoint)
    {
        const uint32_t peer = group.ranks[0] == rank ? group.ranks[1] : group.ranks[0];
        source = sends ? rank : peer;
    }
    CommunicationKey key{group.id, source, pointToPoint, 0, generation};
    key.sequence = counts[key]++;
    return key;
}

void
RailPhases::CommunicationBegan(uint32_t rank, uint32_t iteration, const RankOperation& operation)
{
    if (!IsOnRail(rank, operation))
    {
        return;
    }
    const auto key =
        CommunicationKey::Next(*m_layout, rank, operation, m_generation, m_begun[rank]);
    if (!IsWatched(m_layout->GetGroup(rank, operation.role)))
    {
        return;
    }
    Communication& comm = m_communications[key];
    comm.groupId = key.groupId;
    comm.dimension = operation.dimension;
    comm.bytes = operation.bytes;
    comm.start = std::max(comm.start, Simulator::Now());
    const uint32_t stage = m_layout->GetPipelineRank(rank);
    if (m_ranks[stage] != rank)
    {
        return;
    }
    m_sequence[stage].push_back({key, iteration, operation.kind});
    if (iteration != m_phasesIteration[stage])
    {
        m_phases[stage].clear();
        m_phasesIteration[stage] = iteration;
        Forget();
    }
    ScaleOutPhase::Append(m_phases[stage], operation);
}

void
RailPhases::CommunicationEnded(uint32_t rank, uint32_t, const RankOperation& operation)
{
    if (!IsOnRail(rank, operation))
    {
        return;
    }
    const auto comm = m_communications.find(
        CommunicationKey::Next(*m_layout, rank, operation, m_generation, m_ended[rank]));
    if (comm != m_communications.end())
    {
        comm->second.end = std::max(comm->second.end, Simulator::Now());
    }
}

std::vector<std::vector<Communication>>
RailPhases::GetCommunications() const
{
    std::vector<std::vector<Communication>> stages(m_sequence.size());
    for (std::size_t stage = 0; stage < m_sequence.size(); ++stage)
    {
        for (const auto& [key, iteration, kind] : m_sequence[stage])
        {
            stages[stage].push_back(m_communications.at(key));
            stages[stage].back().iteration = iteration;
            stages[stage].back().kind = kind;
        }
    }
    return stages;
}

RailWindows
RailPhases::GetWindows(PhaseRule rule) const
{
    RailWindows windows;
    for (const auto& communications : GetCommunications())
    {
        windows.push_back(FindPhaseWindows(communications, rule));
    }
    return windows;
}

} // namespace ns3
