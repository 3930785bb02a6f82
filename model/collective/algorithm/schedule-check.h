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
     * @param order how messages travel
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

    /// @param rank a rank @return the connectors that it uses, sorted, each once
    std::vector<CollectiveConnectorId> GetUsedConnectors(uint32_t rank) const;

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
 * @return an empty string, or the error of CheckSchedulesFit
 */
std::string CheckSchedules(Variant<CollectiveAlgorithm> algorithm, RankContext part);

} // namespace ns3

#endif // PHOTONIC_RAILS_SCHEDULE_CHECK_H
