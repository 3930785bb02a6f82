// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RING_ALGORITHM_H
#define PHOTONIC_RAILS_RING_ALGORITHM_H

#include "collective-call.h"
#include "collective-schedule.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>

namespace ns3
{

/**
 * @file
 * Collectives over the ring of a group, as pure functions.
 *
 * The tensor is divided into one chunk per rank, and each chunk into one part per direction. The
 * first part goes round the ring on connectors NEXT, the second the other way round on connectors
 * PREVIOUS, both at the same time, so that both ports of a two-port NIC send and receive all the
 * time. In each step a rank passes on the chunk that it received in the step before.
 *
 * - AllGather: chunk c is the input of rank c; N - 1 steps of copies.
 * - ReduceScatter: N - 1 steps of reductions; chunk c ends complete at rank c.
 * - AllReduce: a ReduceScatter, then an AllGather of the results; 2 (N - 1) steps.
 *
 * Sizes need not divide: chunks and parts differ by at most a byte and may be empty. An empty
 * part is still announced by a message without data, as later steps depend on it.
 */

/// A rank's place on the ring, seen along one direction.
class RingView
{
  public:
    /**
     * @param size number of ranks
     * @param index this rank
     * @param direction 0 along connectors NEXT, 1 along connectors PREVIOUS
     */
    RingView(uint32_t size, uint32_t index, uint32_t direction);

    /// @param hops distance against the direction @return index of the rank at that distance
    uint32_t Upstream(uint32_t hops) const;
    /// @param hops distance along the direction @return index of the rank at that distance
    uint32_t Downstream(uint32_t hops) const;
    /// @param data a range @param id transfer id at the receiver @return a send to the next rank
    ScheduledSend MakeSend(const ByteRange& data, std::size_t id) const;
    /// @param data a range @param action on arrival @return a receive from the rank before
    ScheduledReceive MakeReceive(const ByteRange& data, ScheduledReceive::Action action) const;

  private:
    uint32_t m_size;
    uint32_t m_index;
    uint32_t m_direction;
};

/// The chunks that a rank moves in a step of a ring collective.
struct RingStep
{
    uint32_t sentFrom; //!< the chunk sent, in hops upstream; the one after it is received
    ScheduledReceive::Action action; //!< what the receiver does
};

/**
 * @brief The chunks that a rank moves in a step. In a ReduceScatter the chunk of the rank upstream
 * starts with this rank, so that it arrives there, after N - 1 steps, with all contributions. An
 * AllGather starts with the own chunk.
 * @param kind AllGather, ReduceScatter or AllReduce
 * @param size number of ranks on the ring
 * @param step number of the step
 * @return the chunk that the rank sends, and the action on the chunk that it receives
 */
RingStep GetRingStep(CollectiveKind kind, uint32_t size, uint32_t step);

/// A message that arrives in a step of a ring.
using RingArrival = std::pair<ByteRange, ScheduledReceive::Action>;

/**
 * @brief The schedule of a collective in which each rank sends one message in each step and
 * direction, the first at once and each further one after the message of the step before has
 * arrived.
 * @param size number of ranks in the group
 * @param index this rank's index in the group
 * @param directions 1 or 2
 * @param steps number of steps
 * @param getArrival returns range and action of the message that arrives in a direction and step
 * @param getDeparture returns the range that is sent in a direction and step
 * @return the schedule
 */
CollectiveSchedule MakeStepsOnRing(
    uint32_t size,
    uint32_t index,
    uint32_t directions,
    uint32_t steps,
    const std::function<RingArrival(uint32_t direction, uint32_t step)>& getArrival,
    const std::function<ByteRange(uint32_t direction, uint32_t step)>& getDeparture);

/// Default number of directions in which data goes round a ring.
constexpr uint32_t RING_DIRECTIONS = 2;

/**
 * @brief One rank's part of a ring collective.
 *
 * Ranges refer to the tensor; that of AllGather is its output, of `size` times `bytes`.
 *
 * @param kind AllGather, ReduceScatter or AllReduce
 * @param size number of ranks in the group; 1 gives an empty schedule
 * @param index this rank's index in the group
 * @param bytes input bytes of this rank, as in CollectiveCall
 * @param directions 1 (all data on connectors NEXT) or 2
 * @return the schedule
 */
CollectiveSchedule MakeRingSchedule(CollectiveKind kind,
                                    uint32_t size,
                                    uint32_t index,
                                    uint64_t bytes,
                                    uint32_t directions = RING_DIRECTIONS);

/**
 * @brief The bytes that a rank sends in MakeRingSchedule, without making it. A rank sends its
 * successor all chunks but the one that begins (AllGather) or ends (ReduceScatter) behind it.
 * @param kind AllGather, ReduceScatter or AllReduce
 * @param size number of ranks in the group
 * @param index this rank's index in the group
 * @param bytes input bytes of this rank, as in CollectiveCall
 * @param directions 1 or 2
 * @return bytes by the index of the peer; a peer to which only empty messages go has 0
 */
std::map<uint32_t, uint64_t> GetSentOnRing(CollectiveKind kind,
                                           uint32_t size,
                                           uint32_t index,
                                           uint64_t bytes,
                                           uint32_t directions);

/**
 * @brief One rank's side of a message to or from a neighbour on the ring.
 *
 * In a group of two both connectors lead to the other rank, and with two directions each carries
 * half of the message. Otherwise the one connector that leads to the neighbour carries all of it.
 *
 * @param kind Send or Recv
 * @param size number of ranks in the group, at least 2
 * @param index this rank's index in the group
 * @param peer index in the group of the other side; aborts if it is no neighbour
 * @param bytes size of the message
 * @param directions 1 or 2
 * @return the schedule
 */
CollectiveSchedule MakeNeighbourSchedule(CollectiveKind kind,
                                         uint32_t size,
                                         uint32_t index,
                                         uint32_t peer,
                                         uint64_t bytes,
                                         uint32_t directions = RING_DIRECTIONS);

/**
 * @param kind AllGather, ReduceScatter or AllReduce
 * @param size number of ranks in the group
 * @return the number of steps on the ring
 */
uint32_t GetRingSteps(CollectiveKind kind, uint32_t size);

} // namespace ns3

#endif // PHOTONIC_RAILS_RING_ALGORITHM_H
