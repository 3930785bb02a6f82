// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_LAYOUT_H
#define PHOTONIC_RAILS_COLLECTIVE_LAYOUT_H

#include "collective-schedule.h"
#include "rank-context.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * @file
 * Where the data of a rank lies in the one buffer to which the byte ranges of a schedule refer.
 *
 * A collective is defined as in MPI, by the input and the output of each rank. A layout says which
 * bytes of the buffer hold which bytes of the input before the call, and which hold which bytes of
 * the output after it. Copies within the memory of a rank, which may be needed to bring data into
 * this layout, take no simulated time, like reductions.
 *
 * - AllReduce, Broadcast, Reduce: the buffer is the tensor.
 * - AllGather, ReduceScatter: the buffer is the output or the input, one chunk per rank; in order
 *   of ranks, unless the algorithm says otherwise.
 * - AllToAll: the input, in the order in which it is sent, then scratch memory and the output; what
 *   a rank has for itself is input and output in the same place. See the schedule of each
 *   algorithm.
 *
 * Everything else in the buffer is scratch memory without defined content.
 */

/// A part of a rank's input or output and its place.
struct LayoutSegment
{
    ByteRange buffer;   //!< place in the buffer
    uint64_t offset{0}; //!< of its first byte in the input or output
};

/// Where a rank's data lies.
struct CollectiveLayout
{
    uint64_t bytes{0};                 //!< size of the buffer
    std::vector<LayoutSegment> input;  //!< before the call
    std::vector<LayoutSegment> output; //!< after it
};

/**
 * @brief The layout with everything in the order of ranks.
 * @param part the call and the rank
 * @return the layout; of an AllToAll the input, then the output without what the rank has for
 * itself
 */
CollectiveLayout MakeLayoutInOrder(const RankContext& part);

/**
 * @brief The layout of an AllGather or a ReduceScatter whose chunks have an order of their own.
 * @param part the call and the rank
 * @param getChunk returns the place in the buffer of the chunk of a rank
 * @return the layout
 */
CollectiveLayout MakeChunkLayout(const RankContext& part,
                                 const std::function<ByteRange(uint32_t)>& getChunk);

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_LAYOUT_H
