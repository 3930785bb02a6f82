// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TIMELINE_RANKS_H
#define PHOTONIC_RAILS_TIMELINE_RANKS_H

#include "trace-event-writer.h"

#include "ns3/collective-engine.h"
#include "ns3/ptr.h"
#include "ns3/rank-layout.h"
#include "ns3/training-application.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The ranks of a job in a timeline: one process per rank, with a thread for iterations and a
 * thread for each stream.
 *
 * Each operation is a slice of the thread of its stream. The slice of an operation that uses a
 * network starts when the rank hands the operation to the collective library. Until the library may
 * send (when earlier calls of the group have ended and the circuits are granted), the slice
 * contains a slice "wait".
 */
class TimelineRanks : public TimelinePart
{
  public:
    /**
     * @brief Create a process for each rank in the scope of the sheet.
     * @param sheet gets the slices; must outlive this object
     * @param layout domains and groups of the job
     */
    TimelineRanks(TimelineSheet& sheet, const RankLayout& layout);

    /**
     * @brief Connect to the trace sources of a GPU. The sheet gets the operations of ranks in its
     * scope.
     * @param application of the rank or spare on the GPU
     * @param engine collective library of the GPU, or null
     */
    void Observe(Ptr<TrainingApplication> application, Ptr<CollectiveEngine> engine);

    /**
     * @param rank a rank in the scope of the sheet
     * @return its process
     */
    uint32_t GetProcess(uint32_t rank) const;

    /// Write operations and iterations that have not ended, up to the end of the sheet.
    void Finish();

    /// @return groups whose numbers are in the timeline, by number
    const std::map<uint32_t, ProcessGroup>& GetGroups() const
    {
        return m_groups;
    }

  private:
    /// An operation on a network, until it ends.
    struct Open
    {
        const RankOperation* operation{nullptr}; //!< of the rank's program; null: none
        uint32_t iteration{0};
        Time begin;
        std::optional<Time> started; //!< when the library could send
        std::string network;
        std::optional<uint64_t> call; //!< on a network: number of earlier calls of the rank
    };

    /// An operation whose duration the program of the rank gives, before its slice is written.
    struct Planned
    {
        const RankOperation* operation;
        uint32_t iteration;
        Time begin;
        Time end;
    };

    /// One stream of a rank.
    struct Stream
    {
        TraceEventWriter::Thread thread;
        bool isNamed{false}; //!< whether the thread has a slice, and hence a name
        Open open;
        std::vector<Planned> planned;
    };

    struct Rank
    {
        uint32_t number{0};
        uint32_t process{0};
        TraceEventWriter::Thread iterations;
        std::optional<std::pair<uint32_t, Time>> iteration; //!< current iteration and its start
        std::map<uint16_t, Stream> streams;                 //!< by RankOperation::Stream
        RankOperation::Stream handed{RankOperation::COMPUTE_STREAM}; //!< stream of the last call
        uint64_t made{0};                                            //!< number of calls so far
        /// Streams of calls that have not ended, by group and number of the call in the group.
        std::map<std::pair<uint32_t, uint64_t>, RankOperation::Stream> calls;
    };

    /// @return the stream of an operation, with a thread
    Stream& GetStream(Rank& rank, const RankOperation& operation);
    /// @return the name of the stream of an operation
    std::string GetStreamName(const RankOperation& operation) const;

    /// Pass an event of a rank to a handler, if the rank is in the scope of the sheet.
    template <typename... Args>
    void Handle(void (TimelineRanks::*handler)(Rank&, Args...), uint32_t rank, Args... args)
    {
        if (const auto found = m_ranks.find(rank); found != m_ranks.end())
        {
            (this->*handler)(found->second, args...);
        }
    }

    /// @return a sink for a trace source of ranks, see Handle
    template <typename... Args>
    auto IfShown(void (TimelineRanks::*handler)(Rank&, Args...))
    {
        return MakeCallback(&TimelineRanks::Handle<Args...>, this).Bind(handler);
    }

    void IterationBegan(Rank& rank, uint32_t iteration);
    void IterationEnded(Rank& rank, uint32_t iteration);
    void OperationPlanned(Rank& rank,
                          uint32_t iteration,
                          const RankOperation& operation,
                          Time begin,
                          Time end);
    void CommunicationBegan(Rank& rank, uint32_t iteration, const RankOperation& operation);
    void CommunicationEnded(Rank& rank, uint32_t iteration, const RankOperation& operation);
    /// Write the operations of a rank that halts, up to now.
    void Halted(Rank& rank, uint32_t iteration);
    void CallArrived(CollectiveEngine* engine,
                     uint32_t rank,
                     const CollectiveCall& call,
                     uint64_t sequence);
    void CallStarted(Rank& rank, const CollectiveCall& call, uint64_t sequence);

    /// Write operations and iteration of a rank that have not ended, up to a given time.
    void Cut(Rank& rank, const Time& end);
    /// Write planned operations of a stream that start before a given time; discard the others.
    void WritePlanned(const Rank& rank, Stream& stream, const Time& until);
    /// Write an operation; isCut: the run or a halt ended before the operation did.
    void WriteOperation(const Rank& rank,
                        Stream& stream,
                        const Open& open,
                        const Time& end,
                        bool isCut);
    /// Write the current iteration of a rank, if it has one; isCut: as in WriteOperation.
    void WriteIteration(Rank& rank, const Time& end, bool isCut);
    /// @return the arguments of the slice of an operation
    TraceArguments Describe(const Rank& rank, const Open& open, const Time& end);

    RankLayout m_layout;
    std::map<uint32_t, Rank> m_ranks;
    std::map<uint32_t, ProcessGroup> m_groups;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TIMELINE_RANKS_H
