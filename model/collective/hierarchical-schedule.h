// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_HIERARCHICAL_SCHEDULE_H
#define PHOTONIC_RAILS_HIERARCHICAL_SCHEDULE_H

#include "collective-part.h"
#include "collective-schedule.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief One rank's part of a collective in two levels, as a pure function.
 *
 * In a group of D domains of L ranks, a rail is formed by the ranks with one local index, one of
 * each domain. Data crosses domains only along rails, and of every tensor each rail carries an L-th
 * (as BlueConnect does: Cho et al., MLSys 2019).
 *
 * - ReduceScatter: inside each domain, so that local rank l has the domain's sum of the chunks of
 *   all ranks of its rail; then along the rail.
 * - AllGather: along the rail, then inside the domain.
 * - AllReduce: ReduceScatter inside the domain, AllReduce of the shard along the rail, AllGather
 *   inside the domain.
 *
 * Inside a domain everyone sends to everyone at once, as suits a switch without blocking: one step
 * in which each peer gets one message. Along the rail a ring is used, with data in both directions
 * if the part says so. Messages inside a domain take lanes DIRECT and those along the rail the
 * lanes of its ring, so that on photonic rails the circuits of one ring for each rail are enough. A
 * rank begins a phase when all it receives in the one before has arrived.
 *
 * Ranges refer to the tensor in the order of rails, see collective-layout.h. One of D and L may be
 * 1, and its phases are then left out.
 *
 * @param part AllReduce, AllGather or ReduceScatter in a group of equal domains
 * @return the schedule
 */
CollectiveSchedule MakeHierarchicalSchedule(const CollectivePart& part);

/**
 * @brief Place of a rank's chunk in a hierarchical AllGather or ReduceScatter.
 * @param part the call; its index does not matter
 * @param rank index of the rank whose chunk it is
 * @return the range; chunks are of the sizes that SplitEvenly gives, in another order
 */
ByteRange GetRailOrderedChunk(const CollectivePart& part, uint32_t rank);

} // namespace ns3

#endif // PHOTONIC_RAILS_HIERARCHICAL_SCHEDULE_H
