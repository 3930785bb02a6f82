// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ALGORITHM_CHECK_H
#define PHOTONIC_RAILS_ALGORITHM_CHECK_H

#include "collective-algorithm.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @brief Checks everything that an algorithm says of one kind of collective, in small groups.
 *
 * In groups of 2 ranks and more, in domains of every size if the algorithm needs domains, with
 * several sizes, roots and directions, and for lent circuits too if the algorithm has rounds:
 * - The schedules of the ranks fit together (CheckSchedulesFit).
 * - Replayed in several orders, every byte ends where MPI says (ScheduleCheck).
 * - No rank receives more messages than GetMostReceives says.
 * - GetConnectors names the connectors that the schedules use.
 * - DoGetCost has the rounds of the schedule (or more, if the algorithm needs a root), and at least
 *   the bytes that the busiest rank sends.
 */
class AlgorithmCheck
{
  public:
    /**
     * @param algorithm the algorithm
     * @param kind a kind of collective that it supports
     */
    AlgorithmCheck(Variant<CollectiveAlgorithm> algorithm, CollectiveKind kind);

    /**
     * @brief Run all checks.
     * @param mostRanks size of the largest group, at most ScheduleReplay::MAX_RANKS
     * @return an empty string, or one line with the call and the first error
     */
    std::string Run(uint32_t mostRanks);

    /// @return number of calls that were replayed
    uint32_t GetCalls() const
    {
        return m_calls;
    }

    /// @return number of groups that the algorithm refuses
    uint32_t GetRefused() const
    {
        return m_refused;
    }

  private:
    /// @return an empty string, or the error in the calls of a group
    std::string CheckGroup(const GroupShape& shape);
    /// @return an empty string, or the error in a call
    std::string CheckCall(const RankContext& part);
    /// @return an empty string, or the difference between DoGetCost and the schedules
    std::string CheckCost(const GroupShape& shape) const;

    Variant<CollectiveAlgorithm> m_algorithm;
    CollectiveKind m_kind;
    CircuitTerms m_terms; //!< for which schedules are checked
    uint32_t m_calls{0};
    uint32_t m_refused{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ALGORITHM_CHECK_H
