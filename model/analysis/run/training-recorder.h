// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAINING_RECORDER_H
#define PHOTONIC_RAILS_TRAINING_RECORDER_H

#include "collective-volumes.h"
#include "iteration-log.h"

#include "ns3/device-mesh.h"
#include "ns3/nstime.h"
#include "ns3/rail-phases.h"
#include "ns3/training-application.h"

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace ns3
{

/**
 * @brief Listens to the ranks of a job and keeps what a report needs.
 *
 * Reconfigurations and the time that they expose count for the iteration that has not ended on all
 * ranks yet, although a rank that is ahead may already be in the next (IterationLog).
 *
 * A process of a distributed run listens to its own ranks. Volumes are those of rank 0; phases and
 * windows are kept of the first rail, or of more, and the process that has a rail has all of them.
 */
class TrainingRecorder
{
  public:
    /// How often and how much, per kind of collective.
    using Volume = CollectiveVolume;
    /// Kind of collective and the parallelism it serves.
    using VolumeKey = CollectiveVolumeKey;

    /// One iteration of the job.
    using Iteration = TrainingIteration;

    /**
     * @param mesh the mesh of the job
     * @param rails of how many rails phases and windows are kept
     */
    explicit TrainingRecorder(const DeviceMesh& mesh, uint32_t rails = 1);

    // Ranks call it where it is.
    TrainingRecorder(const TrainingRecorder&) = delete;
    TrainingRecorder& operator=(const TrainingRecorder&) = delete;

    /// @param onRails whether an operation that leaves its domain takes the rails, see RailPhases
    void SetOnRails(const RailPhases::OnRails& onRails);

    /**
     * @brief Have something done when the job has ended.
     * @param iterations how many it has
     * @param ended called at the end of the last one on the last rank that is listened to
     */
    void SetEnded(uint32_t iterations, std::function<void()> ended);

    /// @param application a rank of the job
    void Observe(Ptr<TrainingApplication> application);

    /// @param application of a spare GPU, which may become any rank of the job
    void ObserveSpare(Ptr<TrainingApplication> application);

    /**
     * @brief The job begins anew, with no communication under way.
     * @param iteration the first that is done again
     */
    void Restart(uint32_t iteration);

    /// A switch has begun to carry out a command.
    void CountReconfiguration();

    /**
     * @param rank a rank whose calls have waited for light
     * @param exposed for how long
     */
    void CountExposed(uint32_t rank, Time exposed);

    /// @return iterations that all ranks have ended
    std::vector<Iteration> GetIterations() const;

    /// @return what they are made from
    const IterationLog& GetLog() const;

    /// @return collectives of rank 0 in its last iteration
    const CollectiveVolumes& GetVolumes() const;

    /// @return rails of which phases and windows are kept, from the first
    const std::vector<RailPhases>& GetRails() const;

  private:
    uint32_t m_iterations{0};          //!< of the job, for m_ended
    std::function<void()> m_whenEnded; //!< or null

    void CommunicationBegan(uint32_t rank, uint32_t iteration, const RankOperation& operation);
    void ObserveIterations(Ptr<TrainingApplication> application);
    void IterationBegan(uint32_t rank, uint32_t iteration);
    void IterationEnded(uint32_t rank, uint32_t iteration);
    /// Count a collective of rank 0.
    void CountVolume(uint32_t iteration, const RankOperation& operation);

    uint32_t m_ranks{0};                //!< that are listened to
    std::vector<uint32_t> m_ranksEnded; //!< per iteration, how many of them have ended it
    std::map<uint32_t, uint32_t> m_iterationsEnded; //!< by rank
    IterationLog m_log;

    Ptr<TrainingApplication> m_first; //!< rank 0, if it is listened to
    CollectiveVolumes m_volumes;
    uint32_t m_volumesIteration{0};
    std::vector<RailPhases> m_rails; //!< the first ones; never moved, as ranks call them
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRAINING_RECORDER_H
