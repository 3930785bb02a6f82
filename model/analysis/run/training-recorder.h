// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAINING_RECORDER_H
#define PHOTONIC_RAILS_TRAINING_RECORDER_H

#include "ns3/collective-call.h"
#include "ns3/nstime.h"
#include "ns3/rail-phases.h"
#include "ns3/rank-layout.h"
#include "ns3/rank-program.h"
#include "ns3/report-value.h"
#include "ns3/training-application.h"

#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// One iteration of a training job.
struct TrainingIteration
{
    uint32_t index{0};
    Time duration;                //!< end to end of all ranks
    uint32_t reconfigurations{0}; //!< commands to switches
    Time exposedReconfiguration;  //!< of the rank that waited longest for light
};

/**
 * @brief When things happened that are reported by iteration: a plain record.
 *
 * An iteration ends when its last rank ends it and begins with the end of the one before it. Only
 * with the logs of all ranks and switches is it known to which iteration something belongs; so
 * parts of a job each keep a log, and the logs are added up. The order does not matter.
 */
struct IterationLog
{
    /// Calls of a rank have waited for light.
    struct Exposure
    {
        Time at;          //!< when the wait was over
        uint32_t rank{0}; //!< who waited
        Time exposed;     //!< for how long
    };

    std::vector<Time> ends;             //!< of iterations that all ranks of the part have ended
    std::vector<Time> reconfigurations; //!< when switches began to carry out commands
    std::vector<Exposure> exposures;    //!< waits for light

    /// @param other the log of other ranks and switches of the job, which is not settled
    void Add(const IterationLog& other);

    /**
     * @brief Replace reconfigurations and exposures of all iterations but the last by their sums,
     * which take constant memory for each iteration.
     *
     * Only for the log of a whole job: with the logs of other ranks, iterations end later.
     */
    void Settle();

    /// @return the number of iterations of which only sums are left
    std::size_t GetSettled() const
    {
        return m_settled.size();
    }

    /// @return the iterations that have ended, in order; what happens at an end belongs to it
    std::vector<TrainingIteration> GetIterations() const;

  private:
    /// @return the index of the iteration in which a moment lies, or their number if in none
    std::size_t Find(Time moment) const;

    std::vector<TrainingIteration> m_settled; //!< the first iterations
};

/**
 * @file
 * How often and how much a rank communicates: the same keys in the summary of a run and in the
 * description of a job that was not run.
 */

/// How often and how much.
struct CollectiveVolume
{
    uint64_t count{0};
    uint64_t inputBytes{0}; //!< as CollectiveCall counts them
};

/// Kind of collective and the parallelism it serves.
using CollectiveVolumeKey = std::pair<CollectiveKind, Dimension>;

/// Volumes of a rank.
using CollectiveVolumes = std::map<CollectiveVolumeKey, CollectiveVolume>;

/**
 * @brief Count an operation; computation is passed over.
 * @param volumes of the rank
 * @param operation one of its operations
 */
void CountVolume(CollectiveVolumes& volumes, const RankOperation& operation);

/**
 * @param volumes of a rank
 * @return a JSON object: KIND -> count, input_bytes, by_dimension (doc/run-summary.md)
 */
ReportValue MakeJson(const CollectiveVolumes& volumes);

/// @return the keys of that object, with paths that begin behind it
ReportKeys ListVolumeKeys();

/**
 * @brief Write a table for people: a line for each kind and parallelism.
 * @param os where to
 * @param title of the first column
 * @param volumes of a rank
 */
void WriteVolumes(std::ostream& os, const std::string& title, const CollectiveVolumes& volumes);

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
     * @param layout domains and groups of the job
     * @param rails of how many rails phases and windows are kept
     */
    explicit TrainingRecorder(const RankLayout& layout, uint32_t rails = 1);

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

    /**
     * @brief Keep only sums of iterations that have ended. Only for a process with all ranks.
     * @param settle called from time to time with a moment before the present, when the same may be
     * done with what happened before this moment
     */
    void SetSettling(std::function<void(Time)> settle);

    /// A switch has begun to carry out a command.
    void CountReconfiguration();

    /**
     * @param rank a rank whose calls have waited for light
     * @param exposed for how long
     */
    void CountExposed(uint32_t rank, Time exposed);

    /// @return iterations that all ranks have ended
    std::vector<Iteration> GetIterations() const
    {
        return m_log.GetIterations();
    }

    /// @return what they are made from
    const IterationLog& GetLog() const
    {
        return m_log;
    }

    /// @return collectives of rank 0 in its last iteration
    const CollectiveVolumes& GetVolumes() const
    {
        return m_volumes;
    }

    /// @return rails of which phases and windows are kept, from the first
    const std::vector<RailPhases>& GetRails() const
    {
        return m_rails;
    }

  private:
    uint32_t m_iterations{0};           //!< of the job, for m_ended
    std::function<void()> m_whenEnded;  //!< or null
    std::function<void(Time)> m_settle; //!< or null

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
