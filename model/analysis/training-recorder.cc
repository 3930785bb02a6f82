// SPDX-License-Identifier: GPL-2.0-only

#include "training-recorder.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

TrainingRecorder::TrainingRecorder(const DeviceMesh& mesh)
    : m_mesh(mesh),
      m_phases(mesh.GetPipelineRanks()),
      m_phasesIteration(mesh.GetPipelineRanks(), 0),
      m_begun(mesh.GetWorldSize()),
      m_ended(mesh.GetWorldSize()),
      m_sequence(mesh.GetPipelineRanks())
{
}

void
TrainingRecorder::SetOnRails(OnRails onRails)
{
    m_onRails = std::move(onRails);
}

void
TrainingRecorder::SetEnded(uint32_t iterations, std::function<void()> ended)
{
    m_iterations = iterations;
    m_whenEnded = std::move(ended);
}

bool
TrainingRecorder::IsObserved(uint32_t rank, const RankOperation& operation) const
{
    return operation.place == RankOperation::SCALE_OUT && m_mesh.GetRail(rank) == 0 &&
           (!m_onRails || m_onRails(rank, operation));
}

void
TrainingRecorder::Observe(Ptr<TrainingApplication> application)
{
    ++m_ranks;
    if (application->GetRank() == 0)
    {
        m_first = application;
    }
    if (m_mesh.GetRail(application->GetRank()) == 0)
    {
        application->TraceConnectWithoutContext(
            "CommunicationBegin",
            MakeCallback(&TrainingRecorder::CommunicationBegan, this));
        application->TraceConnectWithoutContext(
            "CommunicationEnd",
            MakeCallback(&TrainingRecorder::CommunicationEnded, this));
    }
    application->TraceConnectWithoutContext("IterationEnd",
                                            MakeCallback(&TrainingRecorder::IterationEnded, this));
}

void
TrainingRecorder::CountReconfiguration()
{
    m_log.reconfigurations.push_back(Simulator::Now());
}

void
TrainingRecorder::CountExposed(uint32_t rank, Time exposed)
{
    if (!exposed.IsZero())
    {
        m_log.exposures.push_back({Simulator::Now(), rank, exposed});
    }
}

void
TrainingRecorder::IterationEnded(uint32_t rank, uint32_t iteration)
{
    if (rank == 0)
    {
        // Listening to each of them would have them executed one by one.
        for (const RankOperation* operation : m_first->GetTimedOperations())
        {
            if (operation->place != RankOperation::GPU)
            {
                CountVolume(iteration, *operation);
            }
        }
    }
    if (iteration >= m_ranksEnded.size())
    {
        m_ranksEnded.resize(iteration + 1, 0);
    }
    if (++m_ranksEnded[iteration] == m_ranks)
    {
        m_log.ends.push_back(Simulator::Now());
        if (m_whenEnded && m_log.ends.size() == m_iterations)
        {
            m_whenEnded();
        }
    }
}

uint32_t
TrainingRecorder::GetObservedStage(uint32_t rank) const
{
    const MeshCoordinate at = m_mesh.GetCoordinate(rank);
    return at.tp == 0 && at.cp == 0 && at.fsdp == 0 && at.replicate == 0
               ? at.pp
               : m_mesh.GetPipelineRanks();
}

void
TrainingRecorder::CountVolume(uint32_t iteration, const RankOperation& operation)
{
    if (iteration != m_volumesIteration)
    {
        m_volumes.clear();
        m_volumesIteration = iteration;
    }
    ns3::CountVolume(m_volumes, operation);
}

TrainingRecorder::CommKey
TrainingRecorder::NextKey(uint32_t rank,
                          const RankOperation& operation,
                          std::map<CommKey, uint64_t>& counts) const
{
    const ProcessGroup& group = m_mesh.GetGroup(rank, operation.role);
    const bool sends = operation.kind == CollectiveKind::SEND;
    const bool pointToPoint = sends || operation.kind == CollectiveKind::RECV;
    uint32_t source = 0;
    if (pointToPoint)
    {
        const uint32_t peer = group.ranks[0] == rank ? group.ranks[1] : group.ranks[0];
        source = sends ? rank : peer;
    }
    CommKey key{group.id, source, pointToPoint, 0};
    key.sequence = counts[key]++;
    return key;
}

void
TrainingRecorder::CommunicationBegan(uint32_t rank,
                                     uint32_t iteration,
                                     const RankOperation& operation)
{
    if (rank == 0)
    {
        CountVolume(iteration, operation);
    }
    if (!IsObserved(rank, operation))
    {
        return;
    }
    const uint32_t stage = GetObservedStage(rank);
    const CommKey key = NextKey(rank, operation, m_begun[rank]);
    Communication& comm = m_communications[key];
    comm.groupId = key.groupId;
    comm.dimension = operation.dimension;
    comm.bytes = operation.bytes;
    comm.start = std::max(comm.start, Simulator::Now());
    if (stage == m_mesh.GetPipelineRanks())
    {
        return;
    }
    m_sequence[stage].emplace_back(key, iteration);
    if (iteration != m_phasesIteration[stage])
    {
        m_phases[stage].clear();
        m_phasesIteration[stage] = iteration;
    }
    ScaleOutPhase::Append(m_phases[stage], operation);
}

void
TrainingRecorder::CommunicationEnded(uint32_t rank, uint32_t, const RankOperation& operation)
{
    if (IsObserved(rank, operation))
    {
        Communication& comm = m_communications[NextKey(rank, operation, m_ended[rank])];
        comm.end = std::max(comm.end, Simulator::Now());
    }
}

std::vector<TrainingRecorder::Iteration>
TrainingRecorder::GetIterations() const
{
    return m_log.GetIterations();
}

const IterationLog&
TrainingRecorder::GetLog() const
{
    return m_log;
}

const CollectiveVolumes&
TrainingRecorder::GetVolumes() const
{
    return m_volumes;
}

const std::vector<std::vector<ScaleOutPhase>>&
TrainingRecorder::GetPhases() const
{
    return m_phases;
}

std::vector<std::vector<PhaseWindow>>
TrainingRecorder::GetWindows() const
{
    std::vector<std::vector<PhaseWindow>> windows;
    for (const auto& sequence : m_sequence)
    {
        std::vector<Communication> communications;
        for (const auto& [key, iteration] : sequence)
        {
            communications.push_back(m_communications.at(key));
            communications.back().iteration = iteration;
        }
        windows.push_back(FindPhaseWindows(communications));
    }
    return windows;
}

} // namespace ns3
