// SPDX-License-Identifier: GPL-2.0-only

#include "collective-layout.h"

#include "all-to-all-blocks.h"

#include "ns3/abort.h"

namespace ns3
{

CollectiveLayout
MakeChunkLayout(const RankContext& part, const std::function<ByteRange(uint32_t)>& getChunk)
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
        const auto chunk = getChunk(rank);
        whole.push_back({chunk, SplitEvenly(tensor, size, rank).offset});
        if (rank == part.index)
        {
            own.push_back({chunk, 0});
        }
    }
    return layout;
}

CollectiveLayout
MakeLayoutInOrder(const RankContext& part)
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
        return MakeChunkLayout(part, [&part](uint32_t rank) {
            const uint32_t size = part.shape.size;
            const uint64_t bytes = GetTensorBytes(part.call.kind, size, part.call.bytes);
            return SplitEvenly({0, bytes}, size, rank);
        });
    case CollectiveKind::ALL_TO_ALL:
        return MakeBlockLayout(part);
    case CollectiveKind::SEND:
    case CollectiveKind::RECV:
        break;
    }
    NS_ABORT_MSG(ToString(part.call.kind) << " is no collective of a whole group");
}

} // namespace ns3
