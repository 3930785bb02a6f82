// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_CALL_H
#define PHOTONIC_RAILS_COLLECTIVE_CALL_H

#include <cstdint>
#include <string>

namespace ns3
{

/// What a rank asks of its collective library.
enum class CollectiveKind : uint8_t
{
    ALL_GATHER,
    REDUCE_SCATTER,
    ALL_REDUCE,
    SEND,
    RECV,
};

/**
 * @brief One call into the collective library, as one rank makes it.
 *
 * `bytes` is the size of the rank's input: the shard for AllGather, the whole tensor for
 * ReduceScatter and AllReduce, the message for Send and Recv. These are the counts that public
 * traces use.
 */
struct CollectiveCall
{
    CollectiveKind kind{CollectiveKind::ALL_REDUCE};
    uint32_t groupId{0}; //!< ProcessGroup::id
    uint64_t bytes{0};   //!< input bytes of this rank
    uint32_t peer{0};    //!< global rank of the other side; Send and Recv only

    /// @return true for Send and Recv, which need no other rank of the group to make progress
    bool IsPointToPoint() const
    {
        return kind == CollectiveKind::SEND || kind == CollectiveKind::RECV;
    }
};

/**
 * @param kind a kind of collective
 * @return its name as PyTorch and NCCL users write it: AllGather, ReduceScatter, ...
 */
std::string ToString(CollectiveKind kind);

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_CALL_H
