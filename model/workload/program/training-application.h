// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRAINING_APPLICATION_H
#define PHOTONIC_RAILS_TRAINING_APPLICATION_H

#include "rank-program.h"

#include "ns3/application.h"
#include "ns3/event-id.h"
#include "ns3/ptr.h"
#include "ns3/recurring-event.h"
#include "ns3/traced-callback.h"

#include <array>
#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class CollectiveEngine;
class HostThread;
class RandomVariableStream;

/**
 * @brief One rank of a training job: runs its program, iteration after iteration.
 *
 * Computation and collectives inside the scale-up domain take their durations from the program.
 * Collectives along a rail run on the CollectiveEngine aggregated to the node; with
 * ScaleUpOnNetwork all collectives do.
 *
 * Each run of timed operations (RankProgram::TimedRun) is one event. Each operation is one event if
 * a sink is connected to OperationBegin or OperationEnd, or if computation has jitter.
 * OperationPlanned reports every operation in both cases and does not change the events.
 *
 * Operations that become ready at the same instant start in program order. An iteration begins when
 * the previous one has ended on this rank; the collectives are the only synchronization among
 * ranks.
 *
 * With HostRunAhead, a HostThread issues the operations: no operation starts before it is issued,
 * and the engine is told of the calls when they are issued. There is one more event for each call
 * on a network. Without, an operation is issued when it starts.
 *
 * A rank can be slower than its program: each computation takes its duration x ComputeSlowdown x a
 * value of ComputeJitter. Collectives are not scaled.
 */
class TrainingApplication : public Application
{
  public:
    static TypeId GetTypeId();

    /// How far the host issues operations before the GPU executes them.
    enum HostRunAhead
    {
        NONE,     //!< an operation is issued when it starts
        AHEAD,    //!< as far as HostThread may
        BLOCKING, //!< and no further than to a collective whose circuits are not yet lent
    };

    TrainingApplication();
    ~TrainingApplication() override;

    /**
     * @brief Set the program; call before the start. Without a program the GPU is a spare, idle
     * until Resume.
     * @param program the operations of an iteration, shared between ranks
     * @param binding the rank and its groups
     */
    void SetProgram(std::shared_ptr<const RankProgram> program, const RankBinding& binding);

    /// @return the global rank
    uint32_t GetRank() const
    {
        return m_binding.GetRank();
    }

    /// @return operations of an iteration with durations from the program, in program order
    std::vector<const RankOperation*> GetTimedOperations() const;

    /// Stop the rank at once, because its GPU leaves or the job is about to restart.
    void Leave();

    /**
     * @brief Continue with the start of an iteration, after Leave or on a GPU that had no program.
     * @param iteration index from 0; earlier iterations have ended
     */
    void Resume(uint32_t iteration);

    /**
     * @brief Assign a stream of random numbers to the jitter.
     * @param stream index of the stream
     * @return number of assigned streams: 1, or 0 without jitter
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * @param stream a stream on which a call of the engine is under way
     * @return the operation that made it; null if no operation has
     */
    const RankOperation* FindOperation(uint8_t stream) const;

    /// @return true if a program has been set
    bool HasProgram() const
    {
        return m_program != nullptr;
    }

    /// @return true while it runs iterations: it has begun, and has neither left nor finished
    bool IsRunning() const
    {
        return m_isRunning;
    }

    /// @return the activity of the rank while no call of its engine is under way, for people
    std::string DescribeState() const;

    /// @return how many operations of all iterations have ended, 0 unless the rank runs or has
    /// finished; of operations that share an event all but the last count from their begin
    uint64_t GetOperationsEnded() const;

    /// @return number of operations of all iterations, 0 without a program
    uint64_t GetOperations() const;

    /// @return iterations that it is to run
    uint32_t GetIterations() const
    {
        return m_iterations;
    }

    /// @return number of iterations that have ended
    uint32_t GetIterationsEnded() const
    {
        return m_iterationsEnded;
    }

    /// @return true if all iterations have ended
    bool IsFinished() const
    {
        return m_iterationsEnded >= m_iterations;
    }

    /**
     * TracedCallback signature of the start and the end of an iteration, and of a halt within it.
     * @param rank global rank
     * @param iteration index from 0
     */
    typedef void (*IterationTracedCallback)(uint32_t rank, uint32_t iteration);

    /**
     * TracedCallback signature of the start and the end of an operation.
     * @param rank global rank
     * @param iteration index from 0
     * @param operation the operation
     */
    typedef void (*OperationTracedCallback)(uint32_t rank,
                                            uint32_t iteration,
                                            const RankOperation& operation);

    /**
     * TracedCallback signature of an operation whose duration comes from the program.
     * @param rank global rank
     * @param iteration index from 0
     * @param operation the operation
     * @param begin start of the operation
     * @param end end of the operation, unless the rank is stopped before
     */
    typedef void (*PlannedTracedCallback)(uint32_t rank,
                                          uint32_t iteration,
                                          const RankOperation& operation,
                                          Time begin,
                                          Time end);

  protected:
    void DoInitialize() override;
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    /// Start the next iteration, or finish.
    void BeginIteration();

    /// @param index an operation that is ready
    void BeginOperation(uint32_t index);

    /// @param index an operation that is ready, with a duration from the program
    void BeginTimed(uint32_t index);

    /**
     * @brief Report start and end of the operations of a run.
     * @param first first operation of a run that begins now
     * @param run the run
     * @param duration duration of the whole run on this rank
     */
    void TellPlanned(uint32_t first, const RankProgram::TimedRun& run, const Time& duration) const;

    /// @return true if a network determines the duration of an operation
    bool IsOnNetwork(uint32_t index) const;

    /**
     * @param operation an operation with a duration from the program
     * @return the duration on this rank, with a new value of the jitter
     */
    Time GetDuration(const RankOperation& operation) const;

    /**
     * @param first first operation of a run
     * @param run the run
     * @return the duration on this rank
     */
    Time GetDuration(uint32_t first, const RankProgram::TimedRun& run) const;

    /**
     * @brief Handle the end of an operation: start the operations that wait for it.
     *
     * An engine may end a call from within Run, and durations may be zero. Ends are therefore
     * queued and processed in a loop, so a chain of such operations needs no recursion.
     * @param index the operation
     */
    void EndOperation(uint32_t index);

    /// Process ends and start operations until nothing can start at this instant.
    void Proceed();

    /// @return true if the operation may start: the host has issued it
    bool IsIssued(uint32_t index) const;

    /**
     * @brief Let the operations of a run begin that the host issues in time, as far as is known.
     * @param first first operation of the run, which is issued
     * @param run the run; gets the last operation that begins, and how many do
     * @return the duration on this rank
     */
    Time BeginIssued(uint32_t first, RankProgram::TimedRun& run);

    /// Tell the engine of the calls that the host has issued, in order.
    void AnnounceCalls();

    /// Schedule the next moment at which the host issues a call, or an operation could start.
    void AwaitHost();

    /// @param number number of a call for the host: the circuits are lent
    void HandleLent(uint64_t number);

    /// @param index an operation that has just ended
    void Release(uint32_t index);

    /// Cancel the timers and clear the ready operations.
    void Halt();

    /// Runs the queued operations of one stream, one at a time.
    struct Resource
    {
        bool isBusy{false};
        std::set<std::pair<Time, uint32_t>> waiting; //!< operations, by the time they were ready
    };

    /// The end of a run of timed operations.
    struct Timer : RecurringEvent
    {
        /// @param application ends the run
        explicit Timer(TrainingApplication* application)
            : RecurringEvent([this, application] { application->EndOperation(last); })
        {
        }

        uint32_t last{0}; //!< the last operation of the run
    };

    /// @return the resource of a queued operation; null for others
    Resource* FindResource(uint32_t index);

    /// @return the next queued operation, whose resource is taken; nothing if none can begin
    std::optional<uint32_t> TakeQueued();

    using ReadyQueue = std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<uint32_t>>;

    std::shared_ptr<const RankProgram> m_program; //!< program of every iteration
    RankBinding m_binding;                        //!< the rank and its groups
    Ptr<CollectiveEngine> m_engine;               //!< engine of this node, or null
    uint32_t m_iterations{1};                     //!< number of iterations to run
    uint32_t m_iterationsEnded{0};                //!< number of iterations that have ended
    bool m_scaleUpOnNetwork{false};     //!< the engine also runs collectives inside the domain
    double m_slowdown{1};               //!< factor on all computations
    Ptr<RandomVariableStream> m_jitter; //!< factor on each computation, or null
    bool m_isRunning{false};            //!< started and neither stopped nor finished
    bool m_isProceeding{false};         //!< Proceed is on the stack
    HostRunAhead m_runAhead{NONE};      //!< how far the host is ahead
    Ptr<HostThread> m_host;        //!< issues operations; null: they are issued when they start
    std::set<uint32_t> m_unissued; //!< operations that may start once they are issued
    EventId m_hostEvent;           //!< next moment of the host that matters
    Time m_hostTime;               //!< time of m_hostEvent
    bool m_hasLeft{false};         //!< Leave was called, and Resume was not called since

    std::vector<uint32_t> m_waitingFor; //!< predecessors that have not ended, by operation
    uint32_t m_unfinished{0};           //!< operations of this iteration that have not ended
    ReadyQueue m_ready;                 //!< operations that may start, in program order
    std::queue<uint32_t> m_ended;       //!< operations whose end is not processed yet
    /// Ends of runs of timed operations, by the stream of the first operation. No other run on this
    /// stream can start before the end.
    boost::container::flat_map<uint16_t, Ptr<Timer>> m_timers;
    std::array<Resource, 2> m_resources; //!< GPU and host, for queued operations

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
