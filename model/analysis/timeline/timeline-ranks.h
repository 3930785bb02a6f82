// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TIMELINE_RANKS_H
#define PHOTONIC_RAILS_TIMELINE_RANKS_H

#include "trace-event-writer.h"

#include "ns3/collective-engine.h"
#include "ns3/device-mesh.h"
#include "ns3/ptr.h"
#include "ns3/training-application.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief The ranks of a job in a timeline: a process each, with a thread for its iterations and one
 * for each of its streams.
 *
 * An operation is a slice of its stream. One that takes a network begins when it is handed to the
 * collective library; the time until that may send (its turn on the group, and the grant of its
 * circuits) is a slice within it.
 */
class TimelineRanks
{
  public:
    /**
     * @brief Give all ranks in the scope of the sheet their processes.
     * @param sheet where they are written; it must outlive this object
     * @param mesh the mesh of the job
     */
    TimelineRanks(TimelineSheet& sheet, const DeviceMesh& mesh);

    /**
     * @brief Listen to a GPU; what it does for a rank in the scope of the sheet is written.
     * @param application there, of a rank or a spare
     * @param engine its collective library
     */
    void Observe(Ptr<TrainingApplication> application, Ptr<CollectiveEngine> engine);

    /**
     * @param rank a rank in the scope of the sheet
     * @return its process
     */
    uint32_t GetProcess(uint32_t rank) const;

    /// The simulation has ended: write what has not, up to the end of the sheet.
    void Finish();

    /// @return groups that have been written, by id: for those who read group numbers
    const std::map<uint32_t, ProcessGroup>& GetGroups() const
    {
        return m_groups;
    }

  private:
    /// An operation on a network that has not ended.
    struct Open
    {
        const RankOperation* operation{nullptr}; //!< of the rank's program; null: none
        uint32_t iteration{0};
        Time begin;
        std::optional<Time> started; //!< when it was granted
        const char* network{""};
        std::optional<uint64_t> call; //!< if on a network: how many of its rank there were before
    };

    /// An operation that takes its time from the program and whose end has not been awaited.
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
        bool isNamed{false}; //!< it has been used
        Open open;
        std::vector<Planned> planned;
    };

    struct Rank
    {
        uint32_t process{0};
        TraceEventWriter::Thread iterations;
        std::optional<std::pair<uint32_t, Time>> iteration; //!< that it is in, and since when
        std::array<Stream, RankOperation::STREAMS> streams;
        RankOperation::Stream handed{RankOperation::COMPUTE_STREAM}; //!< over last, of which stream
        uint64_t made{0};                                            //!< calls so far
        /// Streams of calls that have not ended, by group and number of the call on it.
        std::map<std::pair<uint32_t, uint64_t>, RankOperation::Stream> calls;
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
    /// The rank stops where it is: what runs there is cut.
    void Halted(uint32_t rank, uint32_t iteration);
    void CallArrived(CollectiveEngine* engine,
                     uint32_t rank,
                     const CollectiveCall& call,
                     uint64_t sequence);
    void CallStarted(uint32_t rank, const CollectiveCall& call, uint64_t sequence);

    /// @return true if a rank is in the scope of the sheet
    bool IsShown(uint32_t rank) const;
    /// Write what has not ended on a rank, up to a moment.
    void Cut(uint32_t rank, const Time& end);
    /// Write what has been planned for a stream up to a moment, and forget the rest.
    void WritePlanned(uint32_t rank, Stream& stream, const Time& until);
    /// Write an operation, which is cut if it has not ended by itself.
    void WriteOperation(uint32_t rank,
                        Stream& stream,
                        const Open& open,
                        const Time& end,
                        bool isCut);
    /// Write an iteration that ends at a moment, if there is one.
    void WriteIteration(Rank& rank, const Time& end, bool isCut);
    /// @return what is said of an operation
    TraceArguments Describe(uint32_t rank, const Open& open, const Time& end);

    TimelineSheet& m_sheet;
    DeviceMesh m_mesh;
    std::map<uint32_t, Rank> m_ranks;
    std::map<uint32_t, ProcessGroup> m_groups;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TIMELINE_RANKS_H
