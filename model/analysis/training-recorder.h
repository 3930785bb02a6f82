// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAINING_RECORDER_H
#define PHOTONIC_RAILS_TRAINING_RECORDER_H

#include "collective-volumes.h"
#include "iteration-log.h"
#include "phase-windows.h"

#include "ns3/device-mesh.h"
#include "ns3/nstime.h"
#include "ns3/scale-out-phase.h"
#include "ns3/training-application.h"

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @brief Listens to the ranks of a job and keeps what a report needs.
 *
 * Reconfigurations and the time that they expose count for the iteration that has not ended on all
 * ranks yet, although a rank that is ahead may already be in the next (IterationLog).
 *
 * A process of a distributed run listens to its own ranks. Volumes, phases and windows are those of
 * the first rail, and its process has them all.
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
     */
    explicit TrainingRecorder(const DeviceMesh& mesh);

    /// Whether an operation of a rank that leaves its domain takes the rails.
    using OnRails = std::function<bool(uint32_t rank, const RankOperation& operation)>;

    /// @param onRails tells it; by default all do. Phases and windows are those of the rails
    void SetOnRails(OnRails onRails);

    /**
     * @brief Have something done when the job has ended.
     * @param iterations how many it has
     * @param ended called at the end of the last one on the last rank that is listened to
     */
    void SetEnded(uint32_t iterations, std::function<void()> ended);

    /// @param application a rank of the job
    void Observe(Ptr<TrainingApplication> application);

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

    /// @return the scale-out phases of one rank of each stage in its last iteration
    const std::vector<std::vector<ScaleOutPhase>>& GetPhases() const;

    /// @return the windows of one rank of each stage, in all iterations
    std::vector<std::vector<PhaseWindow>> GetWindows() const;

  private:
    /// @return true if an operation is one of the first rail
    bool IsObserved(uint32_t rank, const RankOperation& operation) const;

    OnRails m_onRails;                 //!< null: all are
    uint32_t m_iterations{0};          //!< of the job, for m_ended
    std::function<void()> m_whenEnded; //!< or null

    /// Which communication an operation is part of: the same on all its ranks.
    struct CommKey
    {
        uint32_t groupId;
        uint32_t source; //!< rank that sends; 0 for collectives
        bool pointToPoint;
        uint64_t sequence; //!< among its like

        bool operator<(const CommKey& other) const
        {
            return std::tie(groupId, source, pointToPoint, sequence) <
                   std::tie(other.groupId, other.source, other.pointToPoint, other.sequence);
        }
    };

    void CommunicationBegan(uint32_t rank, uint32_t iteration, const RankOperation& operation);
    void CommunicationEnded(uint32_t rank, uint32_t iteration, const RankOperation& operation);
    void IterationEnded(uint32_t rank, uint32_t iteration);
    /// Count a collective of rank 0.
    void CountVolume(uint32_t iteration, const RankOperation& operation);

    /// @return the key of a rank's next operation of this kind; `counts` is advanced
    CommKey NextKey(uint32_t rank,
                    const RankOperation& operation,
                    std::map<CommKey, uint64_t>& counts) const;
    /// @return the stage whose representative this rank is, or the number of stages
    uint32_t GetObservedStage(uint32_t rank) const;

    DeviceMesh m_mesh;
    uint32_t m_ranks{0};                //!< that are listened to
    std::vector<uint32_t> m_ranksEnded; //!< per iteration, how many of them have ended it
    IterationLog m_log;

    Ptr<TrainingApplication> m_first; //!< rank 0, if it is listened to
    CollectiveVolumes m_volumes;
    uint32_t m_volumesIteration{0};
    std::vector<std::vector<ScaleOutPhase>> m_phases;
    std::vector<uint32_t> m_phasesIteration;

    /// Of the first rail only: rails are alike.
    std::map<CommKey, Communication> m_communications;
    std::vector<std::map<CommKey, uint64_t>> m_begun; //!< per rank: communications of each kind
    std::vector<std::map<CommKey, uint64_t>> m_ended;
    /// Per stage: what its representative took part in, in order, and in which iteration.
    std::vector<std::vector<std::pair<CommKey, uint32_t>>> m_sequence;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRAINING_RECORDER_H
