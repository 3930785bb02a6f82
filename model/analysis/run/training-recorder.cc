// SPDX-License-Identifier: GPL-2.0-only

#include "training-recorder.h"

#include "ns3/simulator.h"

#include <memory>
#include <utility>

namespace ns3
{

TrainingRecorder::TrainingRecorder(const DeviceMesh& mesh, uint32_t rails)
{
    const auto shared = std::make_shared<const DeviceMesh>(mesh);
    m_rails.reserve(rails);
    for (uint32_t rail = 0; rail < rails; ++rail)
    {
        m_rails.emplace_back(shared, rail);
    }
}

void
TrainingRecorder::SetOnRails(const RailPhases::OnRails& onRails)
{
    for (auto& rail : m_rails)
    {
        rail.SetOnRails(onRails);
    }
}

void
TrainingRecorder::SetEnded(uint32_t iterations, std::function<void()> ended)
{
    m_iterations = iterations;
    m_whenEnded = std::move(ended);
}

void
TrainingRecorder::Observe(Ptr<TrainingApplication> application)
{
    ++m_ranks;
    ObserveIterations(application);
    if (application->GetRank() == 0)
    {
        m_first = application;
        application->TraceConnectWithoutContext(
            "CommunicationBegin",
            MakeCallback(&TrainingRecorder::CommunicationBegan, this));
    }
    for (auto& rail : m_rails)
    {
        rail.Observe(application);
    }
}

void
TrainingRecorder::ObserveSpare(Ptr<TrainingApplication> application)
{
    ObserveIterations(application);
    application->TraceConnectWithoutContext(
        "CommunicationBegin",
        MakeCallback(&TrainingRecorder::CommunicationBegan, this));
    for (auto& rail : m_rails)
    {
        rail.ObserveSpare(application);
    }
}

void
TrainingRecorder::Restart(uint32_t iteration)
{
    m_volumes.clear();
    for (auto& rail : m_rails)
    {
        rail.Restart(iteration);
    }
}

void
TrainingRecorder::ObserveIterations(Ptr<TrainingApplication> application)
{
    application->TraceConnectWithoutContext("IterationBegin",
                                            MakeCallback(&TrainingRecorder::IterationBegan, this));
    application->TraceConnectWithoutContext("IterationEnd",
                                            MakeCallback(&TrainingRecorder::IterationEnded, this));
}

void
TrainingRecorder::IterationBegan(uint32_t rank, uint32_t iteration)
{
    // What has been ended before is to be ended again.
    uint32_t& ended = m_iterationsEnded[rank];
    for (; ended > iteration; --ended)
    {
        --m_ranksEnded[ended - 1];
    }
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
    m_iterationsEnded[rank] = iteration + 1;
    if (iteration >= m_ranksEnded.size())
    {
        m_ranksEnded.resize(iteration + 1, 0);
    }
    if (++m_ranksEnded[iteration] == m_ranks && iteration == m_log.ends.size())
    {
        m_log.ends.push_back(Simulator::Now());
        if (m_whenEnded && m_log.ends.size() == m_iterations)
        {
            m_whenEnded();
        }
    }
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

void
TrainingRecorder::CommunicationBegan(uint32_t rank,
                                     uint32_t iteration,
                                     const RankOperation& operation)
{
    if (rank == 0)
    {
        CountVolume(iteration, operation);
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

const std::vector<RailPhases>&
TrainingRecorder::GetRails() const
{
    return m_rails;
}

} // namespace ns3
