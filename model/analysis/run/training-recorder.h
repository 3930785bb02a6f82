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
    Time duration;                //!< end to end of all ranks; the first from the job's start on
    uint32_t reconfigurations{0}; //!< commands to switches
    Time exposedReconfiguration;  //!< of the rank that waited longest for light
};

/**
 * @brief The times from which the results of each iteration are computed.
 *
 * The first iteration begins when the first rank begins it, which is the start of the job. Any
 * other iteration begins at the end of the iteration before, and each ends when the last rank ends
 * it. The end is known only with the logs of all ranks. Each process of a run therefore keeps a log
 * of times, and the logs of all processes are added up, in any order.
 */
struct IterationLog
{
    /// A wait of calls for light.
    struct Exposure
    {
        Time at;          //!< end of the wait
        uint32_t rank{0}; //!< rank of the calls
        Time exposed;     //!< duration of the wait
    };

    Time start{Time::Max()}; //!< of the job; the largest time if no rank in the log has begun
    std::vector<Time> ends;  //!< ends of iterations, for all ranks in the log
    std::vector<Time> reconfigurations; //!< when switches began to carry out commands
    std::vector<Exposure> exposures;    //!< waits of ranks in the log

    /// @param other the log of other ranks and switches of the job, which is not settled
    void Add(const IterationLog& other);

    /**
     * @brief Replace the times of all iterations but the last by results of constant size.
     *
     * Only for the log of a whole job: the logs of other ranks would move the ends of iterations.
     */
    void Settle();

    /// @return the number of iterations whose times Settle has replaced
    std::size_t GetSettled() const
    {
        return m_settled.size();
    }

    /// @return the iterations that have ended, in order; an event at the end of an iteration counts
    /// for that iteration
    std::vector<TrainingIteration> GetIterations() const;

  private:
    /// @return the index of the iteration that contains a time; the number of iterations if the
    /// time is after the last end
    std::size_t Find(Time moment) const;

    std::vector<TrainingIteration> m_settled; //!< the first iterations
};

/**
 * @file
 * Numbers and bytes of the communication of a rank, with the same keys in the summary of a run and
 * in the description of a job.
 */

/// The volume of some collectives or messages.
struct CollectiveVolume
{
    uint64_t count{0};
    uint64_t inputBytes{0}; //!< sum of the bytes of the calls, see CollectiveCall
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

/// @return the keys of the object from MakeJson, relative to the object
ReportKeys ListVolumeKeys();

/**
 * @brief Write a table for people: a line for each kind and parallelism.
 * @param os receives the table
 * @param title of the first column
 * @param volumes of a rank
 */
void WriteVolumes(std::ostream& os, const std::string& title, const CollectiveVolumes& volumes);

/**
 * @brief Observes the ranks of a job and records iterations, volumes, phases and windows.
 *
 * A reconfiguration, or a wait for light, counts for the iteration that has not ended on all ranks,
 * although some ranks may already have begun the next iteration (IterationLog).
 *
 * A process of a distributed run observes its own ranks. Volumes are those of rank 0. Phases and
 * windows are recorded for the first rails, each in the process that simulates the rail.
 */
class TrainingRecorder
{
  public:
    /**
     * @param layout domains and groups of the job
     * @param rails number of rails whose phases and windows are recorded
     */
    explicit TrainingRecorder(const RankLayout& layout, uint32_t rails = 1);

    // Traces of the ranks refer to this object.
    TrainingRecorder(const TrainingRecorder&) = delete;
    TrainingRecorder& operator=(const TrainingRecorder&) = delete;

    /// @param onRails whether an operation that leaves its domain takes the rails, see RailPhases
    void SetOnRails(const RailPhases::OnRails& onRails);

    /**
     * @brief Set a function to call at the end of the job.
     * @param iterations number of iterations of the job
     * @param ended called when the last observed rank ends the last iteration
     */
    void SetEnded(uint32_t iterations, std::function<void()> ended);

    /// @param application a rank of the job
    void Observe(Ptr<TrainingApplication> application);

    /// @param application of a spare GPU, which may become any rank of the job
    void ObserveSpare(Ptr<TrainingApplication> application);

    /**
     * @brief Record that the job restarts, without communication in flight.
     * @param iteration the first iteration to be repeated
     */
    void Restart(uint32_t iteration);

    /**
     * @brief Call IterationLog::Settle every some iterations. Only for a process with all ranks.
     * @param settle called after each Settle with the start of the job and the end of the last
     * iteration but one, so that other logs can be settled as well
     */
    void SetSettling(std::function<void(Time, Time)> settle);

    /// Record that a switch has begun to carry out a command.
    void CountReconfiguration();

    /**
     * @brief Record a wait for light that ends now.
     * @param rank rank of the calls that waited
     * @param exposed duration of the wait
     */
    void CountExposed(uint32_t rank, Time exposed);

    /// @return iterations that all ranks have ended
    std::vector<TrainingIteration> GetIterations() const
    {
        return m_log.GetIterations();
    }

    /// @return the times from which the iterations are computed
    const IterationLog& GetLog() const
    {
        return m_log;
    }

    /// @return collectives of rank 0 in its last iteration
    const CollectiveVolumes& GetVolumes() const
    {
        return m_volumes;
    }

    /// @return phases and windows of the recorded rails, from the first rail on
    const std::vector<RailPhases>& GetRails() const
    {
        return m_rails;
    }

  private:
    uint32_t m_iterations{0};                 //!< of the job, for m_whenEnded
    std::function<void()> m_whenEnded;        //!< or null
    std::function<void(Time, Time)> m_settle; //!< or null

    void CommunicationBegan(uint32_t rank, uint32_t iteration, const RankOperation& operation);
    /**
     * @brief Connect to a rank.
     * @param application of the rank
     * @param mayBeFirst whether it is, or may become, rank 0
     */
    void Connect(Ptr<TrainingApplication> application, bool mayBeFirst);
    void IterationBegan(uint32_t rank, uint32_t iteration);
    void IterationEnded(uint32_t rank, uint32_t iteration);
    /// Count a collective of rank 0.
    void CountVolume(uint32_t iteration, const RankOperation& operation);

    uint32_t m_ranks{0}; //!< observed ranks
    std::vector<uint32_t>
        m_ranksEnded; //!< observed ranks that have ended an iteration, by iteration
    std::map<uint32_t, uint32_t> m_iterationsEnded; //!< number of ended iterations, by rank
    IterationLog m_log;

    Ptr<TrainingApplication> m_first; //!< rank 0, if observed
    CollectiveVolumes m_volumes;
    uint32_t m_volumesIteration{0};
    std::vector<RailPhases>
        m_rails; //!< of the first rails; never moved, because traces refer to them
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRAINING_RECORDER_H
