// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RANK_PROGRAM_H
#define PHOTONIC_RAILS_RANK_PROGRAM_H

#include "rank-operation.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief The operations of one iteration, in the order in which they are issued, and what follows
 * from what.
 *
 * Immutable, and free of rank numbers: collectives name the role of their group. So one program
 * serves every rank of a pipeline stage in every iteration; RankBinding supplies the rest.
 */
class RankProgram
{
  public:
    /// @param operations the operations; dependencies point to earlier ones
    explicit RankProgram(std::vector<RankOperation> operations);

    /// @return the number of operations
    uint32_t GetSize() const;

    /// @return the operations in issue order
    const std::vector<RankOperation>& GetOperations() const;

    /**
     * @brief What waits for an operation: those that depend on it and the next of its stream.
     * @param index an operation
     * @return their indices in ascending order, each once
     */
    const std::vector<uint32_t>& GetSuccessors(uint32_t index) const;

    /// @return how many operations each operation waits for
    const std::vector<uint32_t>& GetPredecessorCounts() const;

    /**
     * @brief Operations that take their time from the program, one after the other, where each but
     * the last holds up nothing but the next, which waits for nothing else.
     *
     * So nobody can tell what happens within, and a run can be executed as one operation.
     */
    struct TimedRun
    {
        uint32_t last{0};       //!< its last operation
        uint32_t operations{0}; //!< how many it has; 0 if the first takes its time from a network
        Time duration;          //!< of all of them
    };

    /**
     * @param index an operation
     * @param scaleUpOnNetwork true if collectives inside a domain do not take their time from the
     * program
     * @return the run that begins with it
     */
    const TimedRun& GetTimedRun(uint32_t index, bool scaleUpOnNetwork) const;

  private:
    void FindTimedRuns(bool scaleUpOnNetwork);

    std::vector<RankOperation> m_operations;         //!< in issue order
    std::vector<std::vector<uint32_t>> m_successors; //!< by operation
    std::vector<uint32_t> m_predecessorCounts;       //!< by operation
    /// By operation; with scale-up in closed form, and on the network.
    std::array<std::vector<TimedRun>, 2> m_timedRuns;
};

/// Turns the roles in a program into the groups and peers of one rank.
class RankBinding
{
  public:
    /// Bind nothing; enough for a program without scale-out operations.
    RankBinding() = default;

    /**
     * @param mesh the mesh of the job
     * @param rank a global rank
     */
    RankBinding(const DeviceMesh& mesh, uint32_t rank);

    /// @return the global rank
    uint32_t GetRank() const;

    /**
     * @param operation a collective of the rank's program
     * @return the call that this rank makes for it
     */
    CollectiveCall Bind(const RankOperation& operation) const;

  private:
    static constexpr auto ROLES = static_cast<std::size_t>(GroupRole::COUNT);

    uint32_t m_rank{0};                      //!< global rank
    std::array<uint32_t, ROLES> m_groupId{}; //!< by role
    std::array<uint32_t, ROLES> m_peer{};    //!< the other rank of a pair of stages, by role
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RANK_PROGRAM_H
