// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ALL_TO_ALL_SCHEDULE_H
#define PHOTONIC_RAILS_ALL_TO_ALL_SCHEDULE_H

#include "collective-layout.h"
#include "collective-part.h"
#include "collective-schedule.h"

namespace ns3
{

/**
 * @file
 * AllToAll and AllToAllv in which each block is one message from its source to its destination, as
 * pure functions. Messages use lanes DIRECT; empty blocks are sent, too, so that all ranks count
 * alike. The buffer is the input, in the order of ranks, and the output, in the order of ranks and
 * without what the rank has for itself.
 */

/**
 * @brief Pairwise exchange: N - 1 steps, in each of which a rank sends one block and receives one.
 *
 * In step k a rank of a group of a power of two exchanges blocks with the rank whose index differs
 * in the bits of k; in other groups it sends to the rank k further and receives from the one k
 * before (Thakur, Rabenseifner and Gropp 2005). A step begins when the receive of the one before
 * has arrived.
 *
 * @param part the call and the rank
 * @return the schedule
 */
CollectiveSchedule MakePairwiseAllToAllSchedule(const CollectivePart& part);

/**
 * @brief Everything at once, beginning with the following rank, so that not all send to one rank.
 *
 * So NCCL programs write it: a Send and a Recv for each peer within one group call.
 *
 * @param part the call and the rank
 * @return the schedule
 */
CollectiveSchedule MakeDirectAllToAllSchedule(const CollectivePart& part);

/**
 * @param part the call and the rank
 * @return where the data lies, for both algorithms
 */
CollectiveLayout MakeAllToAllLayout(const CollectivePart& part);

} // namespace ns3

#endif // PHOTONIC_RAILS_ALL_TO_ALL_SCHEDULE_H
