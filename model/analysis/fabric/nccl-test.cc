// SPDX-License-Identifier: GPL-2.0-only

#include "nccl-test.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @return sizes of SendRecv: each rank sends the tensor to the rank after it
Ptr<const AllToAllSizes>
MakeShift(uint32_t ranks, uint64_t bytes)
{
    std::vector<uint64_t> byDistance(ranks, 0);
    byDistance[1 % ranks] = bytes;
    return Create<const AllToAllSizes>(std::move(byDistance),
                                       AllToAllSizes::Pattern{ranks - 1, 1 % ranks});
}

/// @return sizes of Gather: each rank sends its part to the root, at index 0
Ptr<const AllToAllSizes>
MakeGather(uint32_t ranks, uint64_t bytes)
{
    std::vector<uint64_t> sizes(std::size_t{ranks} * ranks, 0);
    for (std::size_t from = 0; from < ranks; ++from)
    {
        sizes[from * ranks] = bytes / ranks;
    }
    return Create<const AllToAllSizes>(ranks, std::move(sizes));
}

/// @return sizes of Scatter: the root sends each rank its part
Ptr<const AllToAllSizes>
MakeScatter(uint32_t ranks, uint64_t bytes)
{
    std::vector<uint64_t> sizes(std::size_t{ranks} * ranks, 0);
    std::fill_n(sizes.begin(), ranks, bytes / ranks);
    return Create<const AllToAllSizes>(ranks, std::move(sizes));
}

} // namespace

const std::vector<NcclTest>&
NcclTest::GetAll()
{
    using Kind = CollectiveKind;
    static const std::vector<NcclTest> all{
        {"AllGather", Kind::ALL_GATHER, true},
        {"ReduceScatter", Kind::REDUCE_SCATTER, true, "sum"},
        {"AllReduce", Kind::ALL_REDUCE, false, "sum"},
        {"AllToAll", Kind::ALL_TO_ALL, true},
        {"Broadcast", Kind::BROADCAST, false, "none", 0},
        {"Reduce", Kind::REDUCE, false, "sum", 0},
        {"SendRecv", Kind::SEND, false, "none", -1, &MakeShift},
        {"Gather", Kind::ALL_TO_ALL, true, "none", 0, &MakeGather},
        {"Scatter", Kind::ALL_TO_ALL, true, "none", 0, &MakeScatter},
    };
    return all;
}

const NcclTest&
NcclTest::Get(const std::string& name)
{
    const auto& all = GetAll();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& test) { return test.name == name; });
    NS_ABORT_MSG_IF(found == all.end(), "nccl-tests have no " << name);
    return *found;
}

CollectiveSize
NcclTest::GetSize(uint32_t ranks, uint64_t bytes) const
{
    const uint32_t parts = isDivided ? ranks : 1;
    const uint64_t count = bytes / CollectiveSize::ELEMENT_BYTES / parts;
    const uint64_t total = count * parts * CollectiveSize::ELEMENT_BYTES;
    return {total, count, GetInputBytes(kind, ranks, total)};
}

uint64_t
NcclTest::GetLeast(uint32_t ranks) const
{
    return uint64_t{CollectiveSize::ELEMENT_BYTES} * (isDivided ? ranks : 1);
}

CollectiveCall
NcclTest::MakeCall(uint32_t ranks, const CollectiveSize& size) const
{
    CollectiveCall call;
    call.kind = GetCallKind();
    call.bytes = size.callBytes;
    if (makeSizes)
    {
        call.sizes = makeSizes(ranks, size.bytes);
    }
    return call;
}

} // namespace ns3
