// SPDX-License-Identifier: GPL-2.0-only

#include "collective-layout.h"

#include "all-to-all-schedule.h"
#include "hierarchical-schedule.h"
#include "pxn-schedule.h"
#include "ring-all-to-all-schedule.h"

#include "ns3/abort.h"

namespace ns3
{

namespace
{

/// @return the layout of an AllGather or ReduceScatter
CollectiveLayout
MakeChunkLayout(CollectiveAlgorithm algorithm, const CollectivePart& part)
{
    const uint32_t size = part.shape.size;
    const ByteRange tensor{0, GetTensorBytes(part.call.kind, size, part.call.bytes)};
    CollectiveLayout layout;
    layout.bytes = tensor.bytes;
    const bool gather = part.call.kind == CollectiveKind::ALL_GATHER;
    auto& whole = gather ? layout.output : layout.input;
    auto& own = gather ? layout.input : layout.output;
    for (uint32_t rank = 0; rank < size; ++rank)
    {
        const auto inOrder = SplitEvenly(tensor, size, rank);
        const auto chunk = algorithm == CollectiveAlgorithm::HIERARCHICAL
                               ? GetRailOrderedChunk(part, rank)
                               : inOrder;
        whole.push_back({chunk, inOrder.offset});
        if (rank == part.index)
        {
            own.push_back({chunk, 0});
        }
    }
    return layout;
}

} // namespace

CollectiveLayout
MakeLayout(CollectiveAlgorithm algorithm, const CollectivePart& part)
{
    const LayoutSegment tensor{{0, part.call.bytes}, 0};
    const bool isRoot = part.index == part.root;
    switch (part.call.kind)
    {
    case CollectiveKind::ALL_REDUCE:
        return {part.call.bytes, {tensor}, {tensor}};
    case CollectiveKind::BROADCAST:
        if (!isRoot)
        {
            return {part.call.bytes, {}, {tensor}};
        }
        return {part.call.bytes, {tensor}, {tensor}};
    case CollectiveKind::REDUCE:
        if (!isRoot)
        {
            return {part.call.bytes, {tensor}, {}};
        }
        return {part.call.bytes, {tensor}, {tensor}};
    case CollectiveKind::ALL_GATHER:
    case CollectiveKind::REDUCE_SCATTER:
        return MakeChunkLayout(algorithm, part);
    case CollectiveKind::ALL_TO_ALL:
        if (algorithm == CollectiveAlgorithm::RING)
        {
            return MakeRingAllToAllLayout(part);
        }
        return algorithm == CollectiveAlgorithm::PXN ? MakePxnLayout(part)
                                                     : MakeAllToAllLayout(part);
    case CollectiveKind::SEND:
    case CollectiveKind::RECV:
        break;
    }
    NS_ABORT_MSG(ToString(part.call.kind) << " is no collective of a whole group");
}

} // namespace ns3
