// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CHAIN_SCHEDULE_H
#define PHOTONIC_RAILS_CHAIN_SCHEDULE_H

#include "collective-call.h"
#include "collective-schedule.h"

#include <cstdint>

namespace ns3
{

/**
 * @param part Broadcast or Reduce
 * @return number of chunks into which each direction divides its share of the data
 */
uint32_t GetChainChunks(const RankContext& part);

/**
 * @brief One rank's part of a Broadcast or Reduce along the ring, as a pure function.
 *
 * As NCCL does it: the ring is cut open at the root, and chunks follow each other along the chain
 * of all ranks. With two directions each carries half of the tensor, on connectors NEXT and
 * PREVIOUS.
 *
 * - Broadcast: from the root to the rank before it, seen in that direction.
 * - Reduce: from the rank after the root round to the root; each rank adds its own data.
 *
 * Ranges refer to the tensor. There are at most 2^15 chunks in each direction, so that transfer
 * ids suffice; larger tensors have larger chunks.
 *
 * @param part Broadcast or Reduce; any number of ranks, any root
 * @return the schedule
 */
CollectiveSchedule MakeChainSchedule(const RankContext& part);

} // namespace ns3

#endif // PHOTONIC_RAILS_CHAIN_SCHEDULE_H
