// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_CALL_H
#define PHOTONIC_RAILS_COLLECTIVE_CALL_H

#include "all-to-all-sizes.h"

#include "ns3/ptr.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// The kinds of calls into a collective library.
enum class CollectiveKind : uint8_t
{
    ALL_GATHER,
    REDUCE_SCATTER,
    ALL_REDUCE,
    ALL_TO_ALL,
    BROADCAST,
    REDUCE,
    SEND,
    RECV,
};

/**
 * @brief One call into the collective library, as one rank makes it.
 *
 * `bytes` is the size of the rank's input: the shard for AllGather, the whole tensor for
 * ReduceScatter, AllReduce, AllToAll and Reduce, the message for Send and Recv; for Broadcast it is
 * what every rank ends with. These are the counts that public traces use.
 */
struct CollectiveCall
{
    CollectiveKind kind{CollectiveKind::ALL_REDUCE};
    uint32_t groupId{0}; //!< ProcessGroup::id
    uint64_t bytes{0};   //!< input bytes of this rank
    uint32_t peer{0};    //!< global rank: other side of Send and Recv, root or straggler
    /// Sizes of an AllToAll whose parts are not alike (AllToAllv), the same on all ranks; or null.
    Ptr<const AllToAllSizes> sizes;
    /// Stream number of the caller: calls on one stream are made one after another. For analysis of
    /// a rank's traffic only; the stream has no effect on the call.
    uint8_t stream{0};

    /// @return true for Send and Recv, which need no other rank of the group to make progress
    bool IsPointToPoint() const
    {
        return kind == CollectiveKind::SEND || kind == CollectiveKind::RECV;
    }

    /// @return true for Broadcast and Reduce, of which `peer` is the root
    bool HasRoot() const
    {
        return kind == CollectiveKind::BROADCAST || kind == CollectiveKind::REDUCE;
    }
};

/**
 * @param kind a kind of collective
 * @return its name as PyTorch and NCCL users write it: AllGather, ReduceScatter, ...
 */
std::string ToString(CollectiveKind kind);

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_CALL_H
