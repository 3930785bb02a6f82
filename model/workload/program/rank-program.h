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

  private:
    std::vector<RankOperation> m_operations;         //!< in issue order
    std::vector<std::vector<uint32_t>> m_successors; //!< by operation
    std::vector<uint32_t> m_predecessorCounts;       //!< by operation
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
