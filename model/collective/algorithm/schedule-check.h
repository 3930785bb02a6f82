// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SCHEDULE_CHECK_H
#define PHOTONIC_RAILS_SCHEDULE_CHECK_H

#include "collective-algorithm.h"
#include "schedule-replay.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Check whether the schedules of all ranks fit together, without moving data.
 *
 * The check takes as long as there are messages. It finds peers that do not exist, bytes outside of
 * the buffer, sends without a receive and receives without a send, transfer ids that do not exist
 * or are for other messages, two sends for one receive, sizes and connectors that differ, rounds
 * that are no matching or that wait for later ones, and ranks that wait for each other in a circle.
 *
 * @param schedules schedules of all ranks
 * @param buffers sizes of the buffers of all ranks (CollectiveLayout::bytes)
 * @return an empty string, or one line that names the ranks
 */
std::string CheckSchedulesFit(const std::vector<CollectiveSchedule>& schedules,
                              const std::vector<uint64_t>& buffers);

/// Checks the schedules of all ranks for one call against MPI's definition of the collective.
class ScheduleCheck
{
  public:
    /**
     * @param algorithm the algorithm
     * @param part a call in a group of at most ScheduleReplay::MAX_RANKS ranks; the index of the
     * rank does not matter
     */
    ScheduleCheck(Variant<CollectiveAlgorithm> algorithm, RankContext part);

    /// @return an empty string, or the error of CheckSchedulesFit
    std::string CheckFit() const;

    /**
     * @brief Replay the call.
     * @param order in which messages arrive
     * @return an empty string, or an error
     */
    std::string Run(const ReplayOrder& order);

    /**
     * @brief Replay the call in many orders.
     * @param limit largest number of orders
     * @return an empty string, or the first error and its order
     */
    std::string RunAll(std::size_t limit = SIZE_MAX);

    /// @return after a run: messages in the longest chain of which each waits for the one before
    uint32_t GetRounds() const
    {
        return m_rounds;
    }

    std::vector<CollectiveSchedule> schedules; //!< of all ranks; may be changed before a run

  private:
    /// Fill the buffer of a rank with its input.
    void Fill(uint32_t rank, const ScheduleReplay::Buffer& input);
    /// @return an empty string, or the error in the output of a rank
    std::string CheckOutput(uint32_t rank, const ScheduleReplay::Buffer& buffer) const;

    std::vector<CollectiveLayout> m_layouts;
    std::vector<ScheduleReplay::Buffer> m_inputs;  //!< buffers before the call
    std::vector<ScheduleReplay::Buffer> m_outputs; //!< outputs by definition
    std::string m_error;                           //!< of a layout
    uint32_t m_rounds{0};
};

/**
 * @brief Check the schedules of an algorithm for one call of a group, before the call is simulated.
 * @param algorithm the algorithm
 * @param part a call that CollectiveAlgorithm::Check allows; the index of the rank does not matter
 * @return an empty string, the error of CheckSchedulesFit, or a rank with rounds where no circuits
 * are lent to pairs
 */
std::string CheckSchedules(Variant<CollectiveAlgorithm> algorithm, RankContext part);

/**
 * @brief Checks all methods of an algorithm for one kind of collective, in small groups.
 *
 * In groups of 2 ranks and more, in domains of every size if the algorithm needs domains, with
 * several sizes, roots and directions, and for lent circuits too if the algorithm has rounds:
 * - At least one group is not refused.
 * - The schedules of the ranks fit together (CheckSchedulesFit), and have rounds on lent circuits
 *   only.
 * - Replayed in several orders, every byte ends where MPI says (ScheduleCheck).
 * - No rank receives more messages than GetMostReceives says.
 * - GetConnectors names the connectors that the schedules use.
 * - GetSent has the bytes that the schedules send.
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

    /// @return the reason of the first refusal; an empty string if there is none
    const std::string& GetRefusal() const
    {
        return m_refusal;
    }

  private:
    /// @return an empty string, or the error in the calls of a group
    std::string CheckGroup(const GroupShape& shape);
    /// @return an empty string, or the error in a call
    std::string CheckCall(const RankContext& part);
    /// @return an empty string, or the difference between the schedule and the other methods
    std::string CheckRank(const RankContext& part, const CollectiveSchedule& schedule) const;
    /// @return an empty string, or the difference between DoGetCost and the schedules
    std::string CheckCost(const GroupShape& shape) const;

    Variant<CollectiveAlgorithm> m_algorithm;
    CollectiveKind m_kind;
    CircuitTerms m_terms; //!< for which schedules are checked
    uint32_t m_calls{0};
    uint32_t m_refused{0};
    std::string m_refusal; //!< the first one
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SCHEDULE_CHECK_H
