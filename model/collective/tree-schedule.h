// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TREE_SCHEDULE_H
#define PHOTONIC_RAILS_TREE_SCHEDULE_H

#include "collective-part.h"
#include "collective-schedule.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Into how many pieces a pipeline divides its data.
 * @param bytes size of the data
 * @param chunkBytes size that a piece shall have, not 0
 * @param most an upper limit, as a rank must not receive too many messages
 * @return number of pieces, at least 1
 */
uint32_t GetPipelineChunks(uint64_t bytes, uint64_t chunkBytes, uint32_t most);

/**
 * @param part AllReduce, Broadcast or Reduce
 * @return into how many chunks each tree divides its half of the data
 */
uint32_t GetTreeChunks(const CollectivePart& part);

/**
 * @brief One rank's part of a collective over a double binary tree, as a pure function.
 *
 * Each tree carries half of the tensor, in chunks that follow each other without waiting: towards
 * the root a chunk goes on when it has come from all children, away from it when it has come from
 * the parent. All messages use lanes DIRECT; ranges refer to the tensor.
 *
 * - AllReduce: the trees span all ranks. Up to the root of each with reductions, and down again.
 * - Broadcast, Reduce: the trees span all ranks but the root of the call, which stands above both
 *   (as in the article by Sanders et al.), so that it sends or receives every byte once. The
 *   ranks are numbered from the root on.
 *
 * There are at most 2^14 chunks for each tree, so that transfer ids suffice; larger tensors have
 * larger chunks.
 *
 * @param part AllReduce, Broadcast or Reduce; any number of ranks, any root
 * @return the schedule
 */
CollectiveSchedule MakeTreeSchedule(const CollectivePart& part);

/**
 * @brief Everyone with whom a rank exchanges data over the trees.
 * @param kind AllReduce, Broadcast or Reduce
 * @param size number of ranks
 * @param index the rank
 * @return the peers, sorted; of Broadcast and Reduce those for any root
 */
std::vector<uint32_t> GetTreePeers(CollectiveKind kind, uint32_t size, uint32_t index);

} // namespace ns3

#endif // PHOTONIC_RAILS_TREE_SCHEDULE_H
