// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RANK_PROGRAM_H
#define PHOTONIC_RAILS_RANK_PROGRAM_H

#include "ns3/collective-call.h"
#include "ns3/nstime.h"
#include "ns3/rank-layout.h"

#include <array>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// Dimension of parallelism of an operation; reports use the name in lower case.
enum class Dimension : uint8_t
{
    COMPUTE, //!< no communication
    TP,      //!< tensor parallelism, also inside experts
    FSDP,    //!< shards of parameters and gradients
    PP,      //!< between stages
    DP,      //!< whole gradients, and statistics of the step, over ranks with different data
    CP,      //!< context parallelism
    EP,      //!< tokens to experts and back
    OTHER,   //!< communication of which a trace does not say what it serves
};

/**
 * @param dimension a dimension
 * @return the name of the dimension in reports
 */
std::string ToString(Dimension dimension);

/**
 * @brief One operation of a rank.
 *
 * An operation starts when all its dependencies have ended, and the previous operation on its
 * stream. On GPU_QUEUE and HOST_QUEUE operations run one at a time, too, but in the order in which
 * their dependencies end; operations that become ready at the same instant run in program order.
 */
struct RankOperation
{
    /// Streams of a rank. Sends and receives have separate streams, since a batch runs both at
    /// once.
    enum Stream : uint16_t
    {
        COMPUTE_STREAM,
        TP_STREAM,
        CP_STREAM,
        EP_STREAM,
        FSDP_STREAM,
        DP_STREAM,
        SEND_STREAM,
        RECV_STREAM,
        STREAMS,             //!< number of streams of a job with a mesh
        GPU_QUEUE = STREAMS, //!< computations of a trace
        HOST_QUEUE,          //!< operations of the host of a trace
        INSTANT,             //!< operations that take no time: no stream
        CALL_STREAMS,        //!< calls of a group, or messages to or from a peer, of a trace
    };

    /// Resource on which the operation runs.
    enum Place : uint8_t
    {
        GPU,       //!< computation: takes `duration`
        HOST,      //!< operation of the host in a trace: takes `duration`
        SCALE_UP,  //!< collective inside a scale-up domain: takes `duration`, or runs on the
                   //!< simulated network
        SCALE_OUT, //!< collective across domains: takes the time that the simulated network needs
    };

    Stream stream{COMPUTE_STREAM};
    Place place{GPU};
    Dimension dimension{Dimension::COMPUTE};
    CollectiveKind kind{CollectiveKind::ALL_GATHER}; //!< of a call
    GroupRole role{GroupRole::TP};                   //!< of a call
    uint64_t bytes{0};                               //!< input bytes of a call
    uint32_t root{0};               //!< index of the root of a Broadcast or Reduce in its group
    Ptr<const AllToAllSizes> sizes; //!< sizes of an AllToAll whose parts differ, or null
    Time duration;                  //!< unless place is SCALE_OUT
    double flops{0};                //!< FLOPs of a computation
    std::string label;              //!< label for output: "forward 0 layer 3 attention"
    /// Indices of earlier operations; in a RankProgram each once.
    std::vector<uint32_t> dependencies;

    /// @return true for a collective, Send or Recv
    bool IsCall() const
    {
        return place == SCALE_UP || place == SCALE_OUT;
    }

    /**
     * @param shape the group of the call
     * @param index of the rank in the group
     * @return the call as an algorithm sees it
     */
    RankContext MakeContext(const GroupShape& shape, uint32_t index) const;

    /// @return true if operations on the stream run in the order in which they become ready
    bool IsQueued() const
    {
        return stream == GPU_QUEUE || stream == HOST_QUEUE;
    }

    /// @return true if operations on the stream run in program order
    bool IsInOrder() const
    {
        return stream < STREAMS || stream >= CALL_STREAMS;
    }
};

/**
 * @param stream a stream
 * @return the name of the stream in files: compute, tp, ...
 */
std::string ToString(RankOperation::Stream stream);

/**
 * @param place a place
 * @return the name of the place in files: gpu, host, scale-up, scale-out
 */
std::string ToString(RankOperation::Place place);

/// A collective, or one side of a transfer, issued by a rank.
struct RankCollective
{
    Dimension dimension{Dimension::TP};
    GroupRole role{GroupRole::TP};
    CollectiveKind kind{CollectiveKind::ALL_GATHER};
    uint64_t bytes{0};              //!< input bytes of the rank
    Ptr<const AllToAllSizes> sizes; //!< sizes of an AllToAll whose parts differ, or null
};

/**
 * @brief The operations of one iteration in issue order, and their dependencies.
 *
 * Immutable and independent of rank numbers: collectives name the role of their group. One program
 * therefore serves every rank of a class (RankClasses) in every iteration; RankBinding supplies the
 * groups and peers of a rank.
 */
class RankProgram
{
  public:
    /**
     * @param operations the operations; dependencies are indices of earlier operations
     * @param waitsForMessages true if the host synchronizes the device after a batch of Sends and
     * Recvs
     */
    explicit RankProgram(std::vector<RankOperation> operations, bool waitsForMessages = false);

    /// @return the number of operations
    uint32_t GetSize() const
    {
        return static_cast<uint32_t>(m_operations.size());
    }

    /// @return true if the host synchronizes the device after a batch of Sends and Recvs
    bool WaitsForMessages() const
    {
        return m_waitsForMessages;
    }

    /// @return the operations in issue order
    const std::vector<RankOperation>& GetOperations() const
    {
        return m_operations;
    }

    /**
     * @brief The operations that wait for an operation: its dependents and the next one on its
     * stream.
     * @param index an operation
     * @return their indices in ascending order, each once
     */
    const std::vector<uint32_t>& GetSuccessors(uint32_t index) const
    {
        return m_successors[index];
    }

    /// @return for each operation, the number of operations for which it waits
    const std::vector<uint32_t>& GetPredecessorCounts() const
    {
        return m_predecessorCounts;
    }

    /**
     * @brief A chain of operations whose durations come from the program. Each operation except the
     * last has the next one as its only successor, and the next one has no other predecessor.
     *
     * The inside of a run has no effect on other operations, so the run can be executed as one
     * operation.
     */
    struct TimedRun
    {
        uint32_t last{0}; //!< last operation of the run
        /// number of operations; 0 if a network determines the duration of the first one
        uint32_t operations{0};
        Time duration; //!< total duration
    };

    /**
     * @param index an operation
     * @param scaleUpOnNetwork true if collectives inside a domain run on the simulated network
     * @return the run that begins with the operation
     */
    const TimedRun& GetTimedRun(uint32_t index, bool scaleUpOnNetwork) const
    {
        return m_timedRuns[scaleUpOnNetwork][index];
    }

  private:
    void FindTimedRuns(bool scaleUpOnNetwork);

    std::vector<RankOperation> m_operations;         //!< in issue order
    bool m_waitsForMessages;                         //!< see WaitsForMessages
    std::vector<std::vector<uint32_t>> m_successors; //!< by operation
    std::vector<uint32_t> m_predecessorCounts;       //!< by operation
    /// By operation; first with scale-up in closed form, then with scale-up on the network.
    std::array<std::vector<TimedRun>, 2> m_timedRuns;
};

/// Maps the roles in a program to the groups and peers of one rank.
class RankBinding
{
  public:
    /// Bind no rank; sufficient for a program without calls on a network.
    RankBinding() = default;

    /**
     * @param layout the groups of the job
     * @param rank a global rank
     */
    RankBinding(const RankLayout& layout, uint32_t rank);

    /**
     * @brief Find the roots of Broadcasts and Reduces, which Bind needs.
     * @param program the program of the rank
     * @param layout the groups of the job
     */
    void AddRoots(const RankProgram& program, const RankLayout& layout);

    /// @return the global rank
    uint32_t GetRank() const
    {
        return m_rank;
    }

    /**
     * @param operation a collective of the rank's program
     * @return the collective call of this rank
     */
    CollectiveCall Bind(const RankOperation& operation) const;

  private:
    uint32_t m_rank{0};              //!< global rank
    std::vector<uint32_t> m_groupId; //!< by role
    std::vector<uint32_t> m_peer;    //!< the other rank of a pair of stages, by role
    std::map<std::pair<GroupRole, uint32_t>, uint32_t> m_roots; //!< ranks, by role and index
};

/// The operations of a rank as comma-separated values (RFC 4180, except for line ends of one byte).
class RankProgramCsv
{
  public:
    /**
     * @brief Write a header and a row for each operation, in program order.
     *
     * Columns: index; stream; place (gpu, host, scale-up, scale-out); dimension; role, kind, ranks
     * (size of the group), peer (Send and Recv) and bytes (input), empty for computations; flops
     * and duration_s, empty if an operation has none; label; dependencies, indices separated by
     * blanks.
     * @param program the program of the rank's class
     * @param layout the groups of the job
     * @param rank a global rank
     * @param out output stream
     */
    static void Write(const RankProgram& program,
                      const RankLayout& layout,
                      uint32_t rank,
                      std::ostream& out);

    /**
     * @param field any text
     * @return the text, in quotation marks if it has a comma, a quotation mark or a line end
     */
    static std::string Quote(const std::string& field);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RANK_PROGRAM_H
