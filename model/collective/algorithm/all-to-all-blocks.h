// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ALL_TO_ALL_BLOCKS_H
#define PHOTONIC_RAILS_ALL_TO_ALL_BLOCKS_H

#include "collective-call.h"
#include "collective-schedule.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief The blocks that ranks have for each other in an AllToAll or AllToAllv.
 *
 * Without sizes the input of every rank is split evenly over the ranks. The input of a rank is the
 * blocks for rank 0, 1, ... one after the other, the output those from rank 0, 1, ...
 */
class AllToAllBlocks
{
  public:
    /// @param part an AllToAll; aborts if its sizes are for another number of ranks
    explicit AllToAllBlocks(const RankContext& part);

    /**
     * @param from index of a rank
     * @param to index of a rank
     * @return bytes from the one to the other
     */
    uint64_t Get(uint32_t from, uint32_t to) const;

    /**
     * @brief Sum of the blocks that a rank has for consecutive others.
     *
     * In constant time unless there are sizes.
     *
     * @param from index of a rank
     * @param first index of the first receiver
     * @param count number of receivers, at most that of all ranks; after the last rank follows the
     * first
     * @return bytes
     */
    uint64_t GetSum(uint32_t from, uint32_t first, uint32_t count) const;

    /**
     * @param from index of a rank
     * @return the begin of each block in its input, and in the end the size of the input
     */
    std::vector<uint64_t> GetInputOffsets(uint32_t from) const
    {
        return GetOffsets(from, true);
    }

    /**
     * @param to index of a rank
     * @return the begin of each block in its output, and in the end the size of the output
     */
    std::vector<uint64_t> GetOutputOffsets(uint32_t to) const
    {
        return GetOffsets(to, false);
    }

  private:
    /// @return the begin of each block in the input or the output of a rank, and the size of that
    std::vector<uint64_t> GetOffsets(uint32_t rank, bool isInput) const;

    uint32_t m_size;
    uint64_t m_bytes;
    Ptr<const AllToAllSizes> m_sizes; //!< null if all blocks are alike
};

/// A buffer of a rank, whose parts are laid out one after the other.
struct BlockBuffer
{
    uint64_t bytes{0}; //!< of all parts

    /// @param more bytes of the next part @return the part
    ByteRange Allocate(uint64_t more)
    {
        bytes += more;
        return {bytes - more, more};
    }
};

/// A step of an exchange of blocks: one is sent, and one is received.
struct BlockStep
{
    uint32_t to{0};         //!< index of the rank that gets a block
    uint32_t from{0};       //!< index of the rank from which one comes
    uint16_t transferId{0}; //!< of the block that is sent, at its receiver
    uint32_t number{0};     //!< of the round, if steps are rounds
};

/// The condition under which a step of an exchange of blocks starts.
enum class BlockOrder : uint8_t
{
    AT_ONCE,   //!< nothing
    IN_STEPS,  //!< the arrival of the block of the step before
    IN_ROUNDS, //!< as IN_STEPS; and each step is a round of the schedule
};

/**
 * @brief An AllToAll in which each block is one message from its source to its destination.
 *
 * Messages use connectors DIRECT; empty blocks are sent, too, so that all ranks count alike. The
 * buffer is the input, in the order of ranks, and the output, in the order of ranks and without
 * the rank's block for itself.
 *
 * @param part the call and the rank
 * @param steps each other rank once as `to` and once as `from`; the transfer id of a block at this
 * rank is the index of its step
 * @param order condition under which a step starts
 * @return the schedule
 */
CollectiveSchedule MakeBlockSchedule(const RankContext& part,
                                     const std::vector<BlockStep>& steps,
                                     BlockOrder order);

/**
 * @param part the call and the rank
 * @return steps in which a rank sends to the one k further and receives from the one k before, so
 * that not all send to one rank
 */
std::vector<BlockStep> MakeShiftSteps(const RankContext& part);

/**
 * @param part the call and the rank
 * @return the layout of the data
 */
CollectiveLayout MakeBlockLayout(const RankContext& part);

/**
 * @brief Count the bytes that a rank sends in a call only because they pass through it: neither its
 * own input, nor a reduction to which it has contributed, nor data that it keeps.
 *
 * Only an AllToAll has such bytes: blocks of other ranks on their way round a ring, or through the
 * GPU of their domain that is on the right rail. In the other collectives a rank keeps what it
 * passes on (AllGather, Broadcast) or adds to it (ReduceScatter, Reduce).
 *
 * @param part the call and the rank
 * @param sent bytes that the rank sends in the call
 * @return bytes, on all networks
 */
uint64_t CountForwardedBytes(const RankContext& part, uint64_t sent);

} // namespace ns3

#endif // PHOTONIC_RAILS_ALL_TO_ALL_BLOCKS_H
