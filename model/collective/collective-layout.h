// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_LAYOUT_H
#define PHOTONIC_RAILS_COLLECTIVE_LAYOUT_H

#include "collective-part.h"
#include "collective-schedule.h"

#include <cstdint>
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
 * of ranks, but HIERARCHICAL keeps the chunks of a rail together (rank 0 of all domains, rank 1 of
 *   all domains, ...), so that a message inside a domain is one range.
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
 * @param algorithm an algorithm that CheckAlgorithm allows
 * @param part the call and the rank
 * @return the layout to which the ranges of MakeSchedule refer
 */
CollectiveLayout MakeLayout(CollectiveAlgorithm algorithm, const CollectivePart& part);

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_LAYOUT_H
