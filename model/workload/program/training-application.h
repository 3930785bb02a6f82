// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAINING_APPLICATION_H
#define PHOTONIC_RAILS_TRAINING_APPLICATION_H

#include "rank-program.h"

#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/ptr.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <vector>

namespace ns3
{

class CollectiveEngine;
class RandomVariableStream;

/**
 * @brief One rank of a training job: runs its program, iteration after iteration.
 *
 * Computation and collectives inside the scale-up domain take the time that the program gives them.
 * Collectives along a rail go to the CollectiveEngine aggregated to the node; with ScaleUpOnNetwork
 * all collectives do.
 *
 * What takes its time from the program is one event for each run of operations that hold up nothing
 * but each other (RankProgram::TimedRun); one for each operation while somebody listens to
 * OperationBegin or OperationEnd, or computation has jitter. OperationPlanned tells of all of them
 * either way, and changes nothing.
 *
 * Operations that become ready at the same instant start in program order. An iteration begins when
 * the one before it has ended on this rank; there is no barrier among ranks other than the
 * collectives themselves.
 *
 * A rank can be slower than its program says: each computation takes ComputeSlowdown x (a value of
 * ComputeJitter) times its duration. Collectives are not scaled.
 */
class TrainingApplication : public Application
{
  public:
    static TypeId GetTypeId();

    TrainingApplication();
    ~TrainingApplication() override;

    /**
     * @brief Say what to run. Before the start; without it the GPU is a spare and idle until
     * Resume.
     * @param program the operations of an iteration, shared with whom it may concern
     * @param binding the rank and its groups
     */
    void SetProgram(std::shared_ptr<const RankProgram> program, const RankBinding& binding);

    /// @return the global rank
    uint32_t GetRank() const;

    /// @return operations of an iteration that take their time from the program, in program order
    std::vector<const RankOperation*> GetTimedOperations() const;

    /// The rank stops where it is: its GPU leaves, or the job is going to begin anew.
    void Leave();

    /**
     * @brief Go on with an iteration, from its begin, after Leave or as one that had no program.
     * @param iteration index from 0; those before it have ended
     */
    void Resume(uint32_t iteration);

    /**
     * @brief Give the jitter a stream of random numbers of its own.
     * @param stream its index
     * @return how many streams have been assigned: 1, or 0 without jitter
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * @param stream a stream on which a call of the engine is under way
     * @return the operation that made it; null if no operation has
     */
    const RankOperation* FindOperation(uint8_t stream) const;

    /// @return true if it has been told what to run
    bool HasProgram() const;

    /// @return true while it runs iterations: it has begun, and has neither left nor finished
    bool IsRunning() const;

    /// @return what the rank is about while no call of its engine is under way, for people
    std::string DescribeState() const;

    /// @return iterations that it is to run
    uint32_t GetIterations() const;

    /// @return iterations that have ended
    uint32_t GetIterationsEnded() const;

    /// @return true when all iterations have ended
    bool IsFinished() const;

    /**
     * TracedCallback signature of the begin and the end of an iteration, and of a halt within it.
     * @param rank global rank
     * @param iteration index from 0
     */
    typedef void (*IterationTracedCallback)(uint32_t rank, uint32_t iteration);

    /**
     * TracedCallback signature of the begin and the end of an operation.
     * @param rank global rank
     * @param iteration index from 0
     * @param operation the operation
     */
    typedef void (*OperationTracedCallback)(uint32_t rank,
                                            uint32_t iteration,
                                            const RankOperation& operation);

    /**
     * TracedCallback signature of an operation that takes its time from the program.
     * @param rank global rank
     * @param iteration index from 0
     * @param operation the operation
     * @param begin when it begins
     * @param end when it ends, unless the rank is stopped before
     */
    typedef void (*PlannedTracedCallback)(uint32_t rank,
                                          uint32_t iteration,
                                          const RankOperation& operation,
                                          Time begin,
                                          Time end);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    /// Start the next iteration, or finish.
    void BeginIteration();

    /// @param index an operation that is ready
    void BeginOperation(uint32_t index);

    /// @param index an operation that is ready and takes its time from the program
    void BeginTimed(uint32_t index);

    /**
     * @brief Say when the operations of a run begin and end.
     * @param first the first operation of a run that begins now
     * @param run the run
     * @param duration of the whole run on this rank
     */
    void TellPlanned(uint32_t first, const RankProgram::TimedRun& run, const Time& duration) const;

    /// @return true if an operation takes as long as a network does
    bool IsOnNetwork(uint32_t index) const;

    /**
     * @param operation one that takes its time from the program
     * @return how long it takes this time on this rank
     */
    Time GetDuration(const RankOperation& operation) const;

    /**
     * @param first the first operation of a run
     * @param run the run
     * @return how long it takes on this rank
     */
    Time GetDuration(uint32_t first, const RankProgram::TimedRun& run) const;

    /**
     * @brief An operation has ended: what it held up may start.
     *
     * Engines may end a call from within Run, and durations may be zero. So ends are queued and
     * worked off in a loop; a chain of such operations needs no stack.
     * @param index the operation
     */
    void EndOperation(uint32_t index);

    /// Work until nothing more can start at this instant.
    void Proceed();

    /// @param index an operation that has just ended
    void Release(uint32_t index);

    /// Cancel what runs on timers and forget what is ready.
    void Halt();

    using ReadyQueue = std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<uint32_t>>;

    std::shared_ptr<const RankProgram> m_program; //!< of every iteration
    RankBinding m_binding;                        //!< the rank and its groups
    Ptr<CollectiveEngine> m_engine;               //!< of this node, if the program needs one
    uint32_t m_iterations{1};                     //!< how many to run
    uint32_t m_iterationsEnded{0};                //!< how many have ended
    bool m_scaleUpOnNetwork{false};               //!< the engine runs what stays in the domain
    double m_slowdown{1};                         //!< factor on all computations
    Ptr<RandomVariableStream> m_jitter;           //!< factor on each computation, or null
    bool m_isRunning{false};                      //!< started and neither stopped nor finished
    bool m_isProceeding{false};                   //!< Proceed is on the stack
    bool m_hasLeft{false};                        //!< and has not been resumed

    std::vector<uint32_t> m_waitingFor; //!< predecessors that have not ended, by operation
    uint32_t m_unfinished{0};           //!< operations of this iteration that have not ended
    ReadyQueue m_ready;                 //!< operations that may start, first in the program first
    std::queue<uint32_t> m_ended;       //!< operations whose end has not been worked off
    /// Ends of runs of timed operations, by the stream of the first: no other run that begins on it
    /// can start before.
    std::array<EventId, RankOperation::STREAMS> m_timers;

    TracedCallback<uint32_t, uint32_t> m_iterationBegin;
    TracedCallback<uint32_t, uint32_t> m_iterationEnd;
    TracedCallback<uint32_t, uint32_t> m_halt;
    TracedCallback<uint32_t, uint32_t, const RankOperation&> m_operationBegin;
    TracedCallback<uint32_t, uint32_t, const RankOperation&> m_operationEnd;
    TracedCallback<uint32_t, uint32_t, const RankOperation&, Time, Time> m_operationPlanned;
    TracedCallback<uint32_t, uint32_t, const RankOperation&> m_communicationBegin;
    TracedCallback<uint32_t, uint32_t, const RankOperation&> m_communicationEnd;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRAINING_APPLICATION_H
