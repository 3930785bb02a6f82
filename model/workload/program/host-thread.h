// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_HOST_THREAD_H
#define PHOTONIC_RAILS_HOST_THREAD_H

#include "rank-program.h"

#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The host thread of a rank: when the framework issues the operations of the rank's program.
 *
 * The thread issues operations in program order, each at the cost of its kernel launches, and does
 * not wait for their execution, except where the framework or CUDA makes it wait:
 * - a stream of the GPU accepts QueueDepth kernels that have not been executed;
 * - with GatherLimit, FSDP gathers only so many units before the oldest has been used;
 * - with ReadsBack, a scalar is read at the end of an iteration, when all its operations have
 * ended;
 * - where the program says so (RankProgram::WaitsForMessages), the device is synchronized after a
 * batch of Sends and Recvs;
 * - with WaitsForCircuits, a collective across domains returns when its circuits are lent.
 *
 * The class has no events. Issue times follow in closed form from the ends of operations, which the
 * owner reports as soon as they are known, before they come or when they come. An issue time can
 * therefore be in the future. It is known as soon as every end that it depends on is known, and
 * depends on ends of operations issued earlier only: so a program that can run without a host
 * thread, and whose operations can be executed one after the other, can run with one.
 */
class HostThread : public Object
{
  public:
    static TypeId GetTypeId();

    /// A call on a network that the thread issues.
    struct Call
    {
        uint64_t number{0}; //!< number of the operation, see GetBase
        Time time;          //!< when the thread issues the call
    };

    /**
     * @brief Begin with an iteration of a program. Nothing is issued before BeginIteration.
     * @param program the program, the same in all iterations
     * @param scaleUpOnNetwork true if collectives inside a domain are calls on a network, too
     * @param iterations number of iterations that follow
     * @param waitsForCircuits see class
     */
    void Start(std::shared_ptr<const RankProgram> program,
               bool scaleUpOnNetwork,
               uint64_t iterations,
               bool waitsForCircuits);

    /// Handle the begin of an iteration on the GPU: all earlier ones have ended. @param now the
    /// time
    void BeginIteration(Time now);

    /**
     * @brief Handle the end of an operation of the iteration on the GPU, once for each.
     * @param index the operation, which has been issued
     * @param end when it ends, possibly in the future
     */
    void SetEnd(uint32_t index, Time end);

    /**
     * @brief Handle the lending of the circuits of a call, see WaitsForCircuits.
     * @param number of the call; others than the one that the thread waits in are ignored
     * @param now the time
     */
    void SetLent(uint64_t number, Time now);

    /**
     * @param index an operation of the iteration on the GPU
     * @return when the thread issues it; nothing while that depends on ends that are not known
     */
    std::optional<Time> GetIssueTime(uint32_t index) const;

    /// @return the first operation of the iteration on the GPU: numbers count all operations
    uint64_t GetBase() const
    {
        return m_base;
    }

    /// @return calls with known issue times that TakeCall has not taken, in order
    const std::deque<Call>& GetCalls() const
    {
        return m_calls;
    }

    /// Drop the first of GetCalls, which is made.
    void TakeCall()
    {
        m_calls.pop_front();
    }

    /// @return the operation that the thread cannot issue, or whose call it has not returned from,
    /// as far as is known; null after the last
    const RankOperation* GetWaiting() const;

  private:
    /// An operation that has been issued.
    struct Issued
    {
        Time time;               //!< when
        std::optional<Time> end; //!< of its execution, once known
    };

    /// Kernels that were launched on a stream, and are not known to have been executed.
    struct Queue
    {
        std::deque<std::pair<uint64_t, uint32_t>> launches; //!< operations, and their kernels
        uint64_t kernels{0};                                //!< of all
    };

    /// Issue operations while the times are known.
    void Advance();
    /// Let the thread wait for the end of an operation. @return false if the end is not known
    bool Await(uint64_t number);
    /// Let the thread wait until it may issue an operation. @return false if that is not known
    bool AwaitLimits(const RankOperation& operation, uint32_t kernels);

    Time m_kernelTime;              //!< cost of a kernel launch
    uint32_t m_kernels{0};          //!< launches of a computation
    uint32_t m_queueDepth{0};       //!< kernels that a stream accepts
    uint32_t m_gatherLimit{0};      //!< 0: none
    bool m_readsBack{true};         //!< see class
    bool m_waitsForCircuits{false}; //!< see class

    std::shared_ptr<const RankProgram> m_program;
    bool m_scaleUpOnNetwork{false};
    std::vector<uint32_t> m_frees; //!< gathers whose memory is free after an operation, by index
    bool m_hasBegun{false};        //!< the GPU has begun the first iteration
    uint64_t m_base{0};            //!< first operation of the iteration on the GPU
    uint64_t m_next{0};            //!< first operation that is not issued
    uint64_t m_last{0};            //!< end of the operations of all iterations
    Time m_begun;                  //!< begin of the iteration on the GPU
    Time m_free;                   //!< when the thread has issued all before m_next
    std::deque<Issued> m_issued;   //!< from m_base to m_next
    std::map<uint16_t, Queue> m_queues; //!< by stream
    std::deque<uint64_t> m_freed;       //!< operations that free gathers the limit counts
    std::deque<Call> m_calls;           //!< see GetCalls
    std::optional<uint64_t> m_lending;  //!< call that the thread waits in
    bool m_followsMessage{false};       //!< the operation before m_next is a Send or Recv
    uint64_t m_unended{0};              //!< operations whose ends are not known
    Time m_lastEnd;                     //!< last of the ends that are known
};

} // namespace ns3

#endif // PHOTONIC_RAILS_HOST_THREAD_H
