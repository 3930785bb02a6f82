// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_STEP_SPLIT_H
#define PHOTONIC_RAILS_STEP_SPLIT_H

#include "ns3/collective-engine.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/rail-phases.h"
#include "ns3/rank-layout.h"
#include "ns3/training-application.h"

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The parts of a step, which add up to its duration: a mean over the ranks.
 *
 * The first step begins when the first rank begins it, any other when the last rank ends the step
 * before. A step ends when the last rank ends it. Each
 * moment of the step belongs to one part on each rank. While the rank computes, the part is
 * computation, whatever is communicated beside. A time without computation belongs to the
 * communication whose end lets the next operation begin; in the course of that communication
 * - the time until its last rank has called is pipeline bubble if its ranks are in several stages,
 *   and otherwise waiting for slower ranks;
 * - the time from then on until its last rank may send is waiting for circuits, and so is the time
 *   in which the rank waits for a later round of a collective on circuits that are lent to pairs;
 * - the rest is exposed communication of its parallelism.
 *
 * A rank that has ended the step earlier than the last one waits for other stages, or without
 * stages for slower ranks. So a delay of one stage is bubble on the others.
 */
struct StepSplit
{
    /// A part of the step.
    enum Part : std::size_t
    {
        COMPUTATION = static_cast<std::size_t>(Dimension::COMPUTE),
        EXPOSED_TP = static_cast<std::size_t>(Dimension::TP),
        EXPOSED_FSDP = static_cast<std::size_t>(Dimension::FSDP),
        EXPOSED_PP = static_cast<std::size_t>(Dimension::PP),
        EXPOSED_DP = static_cast<std::size_t>(Dimension::DP),
        EXPOSED_CP = static_cast<std::size_t>(Dimension::CP),
        EXPOSED_EP = static_cast<std::size_t>(Dimension::EP),
        EXPOSED_OTHER = static_cast<std::size_t>(Dimension::OTHER),
        BUBBLE,   //!< waiting for other stages
        SLOWER,   //!< waiting for slower ranks of the same stage
        CIRCUITS, //!< waiting for circuits
        PARTS,    //!< number of parts
    };

    uint32_t ranks{0};                                //!< whose times are added up
    std::vector<Time> sums{std::vector<Time>(PARTS)}; //!< over the ranks, by part

    /// @param part a part @return its mean over the ranks in s
    double GetSeconds(Part part) const;
    /// @return the mean over the ranks of the sum of all parts in s
    double GetTotal() const;
};

/// Name the fields for an archive, see text-archive.h.
template <typename Archive>
void
VisitFields(Archive& archive, StepSplit& split)
{
    archive(split.ranks, split.sums);
}

/// Observes the ranks of a job in one process and splits the last of its steps.
class StepSplitRecorder
{
  public:
    /**
     * @param layout domains and groups of the job
     * @param iterations number of iterations of the job, at least 1
     * @param hasCircuits false: a call that may not send at once waits for earlier calls, and never
     * for circuits
     */
    StepSplitRecorder(const RankLayout& layout, uint32_t iterations, bool hasCircuits);

    // Ranks call it where it is.
    StepSplitRecorder(const StepSplitRecorder&) = delete;
    StepSplitRecorder& operator=(const StepSplitRecorder&) = delete;

    /**
     * @param application of a rank of the job
     * @param engine the collective engine of its node, or null
     */
    void Observe(Ptr<TrainingApplication> application, Ptr<CollectiveEngine> engine);

    /// @param end when the last rank ended the last iteration @return the parts of the iteration
    StepSplit GetSplit(const Time& end) const;

  private:
    /// The progress of the ranks of a call.
    struct Call
    {
        Time arrived;      //!< when the last rank called
        Time granted;      //!< when the last rank could send
        uint32_t ended{0}; //!< ranks on which the call has ended
    };

    /// Times in which a rank waited for a round, in order.
    using Waits = std::vector<std::pair<Time, Time>>;

    /// A communication of a rank that has ended, or whose end is known.
    struct Communication
    {
        Time begin;
        Time arrived; //!< when the last rank had called
        Time granted; //!< when the last rank could send
        Time end;
        std::size_t waiting; //!< part of the time until `arrived`
        Dimension dimension; //!< of the time after `granted`
        Waits waits;         //!< after `granted` or before
    };

    /// A part of the step on a rank.
    struct Span
    {
        Time from;
        Time to;
        std::size_t part;
    };

    /// A communication under way on a stream.
    struct Open
    {
        CommunicationKey key;
        Time begin;
        Time roundEnded; //!< when the last round of the rank ended
        Waits waits;
    };

    struct Rank
    {
        bool isRecorded{false};                    //!< the rank is in the last iteration
        Time begin;                                //!< of the last iteration on this rank
        Time end;                                  //!< likewise
        Time busyUntil;                            //!< end of the computation that was planned last
        std::vector<Communication> communications; //!< that end after busyUntil
        std::map<uint16_t, Open> open;             //!< by RankOperation::Stream
        RankOperation::Stream handed{RankOperation::COMPUTE_STREAM}; //!< stream of the last call
        CommunicationKey::Counts counts;                             //!< calls so far
        /// Streams of calls that have not ended, by group and number of the call in the group.
        std::map<std::pair<uint32_t, uint64_t>, RankOperation::Stream> calls;
        std::vector<Span> early; //!< spans before it is known when the step begins
        std::array<Time, StepSplit::PARTS> sums;
    };

    void IterationBegan(uint32_t rank, uint32_t iteration);
    void IterationEnded(uint32_t rank, uint32_t iteration);
    void OperationPlanned(uint32_t rank,
                          uint32_t iteration,
                          const RankOperation& operation,
                          Time begin,
                          Time end);
    void CommunicationBegan(uint32_t rank, uint32_t iteration, const RankOperation& operation);
    void CommunicationEnded(uint32_t rank, uint32_t iteration, const RankOperation& operation);
    void CallArrived(uint32_t rank, const CollectiveCall& call, uint64_t sequence);
    void CallStarted(uint32_t rank, const CollectiveCall& call, uint64_t sequence);
    void CallEnded(uint32_t rank, const CollectiveCall& call, uint64_t sequence);
    void RoundStarted(uint32_t rank, const CollectiveCall& call, uint64_t sequence);
    void RoundEnded(uint32_t rank, const CollectiveCall& call, uint64_t sequence);

    /// @return the communication of a call on a rank, or null if it is not recorded
    Open* FindOpen(uint32_t rank, const CollectiveCall& call, uint64_t sequence);

    /// The step begins now.
    void Begin();
    /**
     * @brief Split the time since the last computation of a rank.
     * @param rank the rank
     * @param until end of the time
     */
    void Resolve(Rank& rank, const Time& until);
    /**
     * @brief Split a part of a communication.
     * @param rank a rank of the communication
     * @param communication the communication
     * @param from begin of the part, not before that of the communication
     * @param to end of the part, at most that of the communication
     */
    void Add(Rank& rank, const Communication& communication, const Time& from, const Time& to);
    /// Add a time to a part.
    void Add(Rank& rank, const Span& span) const;
    /// @return the part of a time in which a rank waits for other ranks of a group
    std::size_t GetWaiting(GroupRole role) const;

    RankLayout m_layout;
    uint32_t m_last; //!< the iteration that is split
    bool m_hasCircuits;
    bool m_hasBegun{false};    //!< the step has begun
    Time m_begin;              //!< of the step
    uint32_t m_observed{0};    //!< ranks
    uint32_t m_endedBefore{0}; //!< ranks that have ended the iteration before
    std::vector<Rank> m_ranks;
    std::map<CommunicationKey, Call> m_calls; //!< that have not ended on all ranks
};

} // namespace ns3

#endif // PHOTONIC_RAILS_STEP_SPLIT_H
