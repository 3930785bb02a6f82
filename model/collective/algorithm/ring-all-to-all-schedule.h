// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RING_ALL_TO_ALL_SCHEDULE_H
#define PHOTONIC_RAILS_RING_ALL_TO_ALL_SCHEDULE_H

#include "collective-call.h"
#include "collective-schedule.h"

namespace ns3
{

/**
 * @file
 * AllToAll and AllToAllv for ranks that reach their neighbours on the ring only, as over circuits:
 * store and forward round the ring, as a pure function.
 *
 * In the first step a rank sends its following neighbour one message, the blocks for all ranks that
 * are served in this direction. In each further step a rank passes on the message that it received
 * from the preceding neighbour in the step before, without its own block; so messages become
 * shorter by a block in each step. With two directions a block goes the shorter way, over
 * connectors NEXT or PREVIOUS, and half of it each way if both are of N / 2 hops.
 *
 * Steps: N - 1 with one direction, N / 2 rounded down with two. Every rank sends N (N - 1) / 2
 * blocks with one direction; with two N^2 / 4 if N is even, else (N^2 - 1) / 4.
 *
 * **Buffer.** For each direction the blocks (or halves) of the rank in the order of hops, and then
 * its own block; for each direction the messages that arrive, in the order of steps. The first
 * block of each message is for the rank itself.
 */

/**
 * @param part the call and the rank
 * @return the schedule
 */
CollectiveSchedule MakeRingAllToAllSchedule(const RankContext& part);

/**
 * @param part the call and the rank
 * @return where the data lies
 */
CollectiveLayout MakeRingAllToAllLayout(const RankContext& part);

} // namespace ns3

#endif // PHOTONIC_RAILS_RING_ALL_TO_ALL_SCHEDULE_H
