// SPDX-License-Identifier: GPL-2.0-only

#include "collective-algorithm.h"

#include "all-to-all-schedule.h"
#include "chain-schedule.h"
#include "direct-schedule.h"
#include "halving-doubling-schedule.h"
#include "hierarchical-schedule.h"
#include "pxn-schedule.h"
#include "ring-all-to-all-schedule.h"
#include "ring-schedule.h"
#include "stragglar-plan.h"
#include "stragglar-schedule.h"
#include "tree-schedule.h"

#include "ns3/abort.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @return how many messages a rank receives at most, with data both ways round rings
uint64_t
GetMostReceives(CollectiveKind kind, CollectiveAlgorithm algorithm, const GroupShape& shape)
{
    const uint64_t others = shape.size - 1;
    switch (algorithm)
    {
    case CollectiveAlgorithm::RING:
        if (kind == CollectiveKind::ALL_TO_ALL)
        {
            return shape.size;
        }
        if (kind == CollectiveKind::BROADCAST || kind == CollectiveKind::REDUCE)
        {
            return 0; // chains have as many chunks as are allowed
        }
        return (kind == CollectiveKind::ALL_REDUCE ? 4 : 2) * others;
    case CollectiveAlgorithm::PAIRWISE:
        return others;
    case CollectiveAlgorithm::DIRECT:
        return (kind == CollectiveKind::ALL_REDUCE ? 2 : 1) * others;
    case CollectiveAlgorithm::HIERARCHICAL:
        return 2 * (shape.perDomain - 1) + 4 * uint64_t{shape.GetDomains() - 1};
    case CollectiveAlgorithm::PXN:
        return uint64_t{shape.GetDomains()} * shape.perDomain - 1;
    case CollectiveAlgorithm::DOUBLE_BINARY_TREE:
    case CollectiveAlgorithm::HALVING_DOUBLING:
    case CollectiveAlgorithm::STRAGGLAR: // it has a limit of its own
        break;
    }
    return 0;
}

/// @return a schedule that needs lanes to the neighbours only
CollectiveSchedule
MakeScheduleOnRing(const CollectivePart& part)
{
    switch (part.call.kind)
    {
    case CollectiveKind::ALL_TO_ALL:
        return MakeRingAllToAllSchedule(part);
    case CollectiveKind::BROADCAST:
    case CollectiveKind::REDUCE:
        return MakeChainSchedule(part);
    default:
        return MakeRingSchedule(part.call.kind,
                                part.shape.size,
                                part.index,
                                part.call.bytes,
                                part.directions);
    }
}

} // namespace

std::string
ToString(CollectiveAlgorithm algorithm)
{
    switch (algorithm)
    {
    case CollectiveAlgorithm::RING:
        return "ring";
    case CollectiveAlgorithm::DOUBLE_BINARY_TREE:
        return "tree";
    case CollectiveAlgorithm::HALVING_DOUBLING:
        return "halving-doubling";
    case CollectiveAlgorithm::PAIRWISE:
        return "pairwise";
    case CollectiveAlgorithm::DIRECT:
        return "direct";
    case CollectiveAlgorithm::HIERARCHICAL:
        return "hierarchical";
    case CollectiveAlgorithm::PXN:
        return "pxn";
    case CollectiveAlgorithm::STRAGGLAR:
        return "stragglar";
    }
    return "unknown";
}

std::vector<CollectiveAlgorithm>
GetAlgorithms(CollectiveKind kind)
{
    switch (kind)
    {
    case CollectiveKind::ALL_REDUCE:
        return {CollectiveAlgorithm::RING,
                CollectiveAlgorithm::DOUBLE_BINARY_TREE,
                CollectiveAlgorithm::HALVING_DOUBLING,
                CollectiveAlgorithm::DIRECT,
                CollectiveAlgorithm::HIERARCHICAL,
                CollectiveAlgorithm::STRAGGLAR};
    case CollectiveKind::ALL_GATHER:
    case CollectiveKind::REDUCE_SCATTER:
        return {CollectiveAlgorithm::RING,
                CollectiveAlgorithm::HALVING_DOUBLING,
                CollectiveAlgorithm::DIRECT,
                CollectiveAlgorithm::HIERARCHICAL};
    case CollectiveKind::ALL_TO_ALL:
        return {CollectiveAlgorithm::DIRECT,
                CollectiveAlgorithm::PAIRWISE,
                CollectiveAlgorithm::RING,
                CollectiveAlgorithm::PXN};
    case CollectiveKind::BROADCAST:
    case CollectiveKind::REDUCE:
        return {CollectiveAlgorithm::RING, CollectiveAlgorithm::DOUBLE_BINARY_TREE};
    case CollectiveKind::SEND:
    case CollectiveKind::RECV:
        break;
    }
    return {};
}

std::string
CheckAlgorithm(CollectiveKind kind, CollectiveAlgorithm algorithm, const GroupShape& shape)
{
    const auto possible = GetAlgorithms(kind);
    if (std::find(possible.begin(), possible.end(), algorithm) == possible.end())
    {
        std::string names;
        for (const auto other : possible)
        {
            names += (names.empty() ? "; use " : ", ") + ToString(other);
        }
        return ToString(algorithm) + " cannot carry out " + ToString(kind) + names;
    }
    const std::string ranks = std::to_string(shape.size) + " ranks";
    if (shape.size == 0)
    {
        return "a group without ranks";
    }
    if (algorithm == CollectiveAlgorithm::HALVING_DOUBLING && (shape.size & (shape.size - 1)) != 0)
    {
        return ToString(algorithm) + " needs a power of two of ranks, not " + ranks;
    }
    if (algorithm == CollectiveAlgorithm::STRAGGLAR && shape.size > 1)
    {
        if (auto error = CheckStragglarRanks(shape.size); !error.empty())
        {
            return ToString(algorithm) + " " + error;
        }
    }
    const bool levels =
        algorithm == CollectiveAlgorithm::HIERARCHICAL || algorithm == CollectiveAlgorithm::PXN;
    if (levels && (shape.perDomain == 0 || shape.size % shape.perDomain != 0))
    {
        return ToString(algorithm) + " needs full scale-up domains, but " + ranks +
               " do not fill domains of " + std::to_string(shape.perDomain);
    }
    if (GetMostReceives(kind, algorithm, shape) > CollectiveSchedule::MAX_RECEIVES)
    {
        return ToString(algorithm) + " cannot carry out " + ToString(kind) + " among " + ranks +
               ": a rank would receive more than " +
               std::to_string(CollectiveSchedule::MAX_RECEIVES) + " messages";
    }
    return "";
}

std::vector<CollectiveLaneId>
GetLanes(CollectiveKind kind,
         CollectiveAlgorithm algorithm,
         const GroupShape& shape,
         uint32_t index)
{
    std::vector<CollectiveLaneId> lanes;
    if (shape.size == 1)
    {
        return lanes;
    }
    if (algorithm == CollectiveAlgorithm::RING)
    {
        lanes.push_back({(index + 1) % shape.size, LANE_NEXT});
        lanes.push_back({(index + shape.size - 1) % shape.size, LANE_PREVIOUS});
    }
    else if (algorithm == CollectiveAlgorithm::DOUBLE_BINARY_TREE)
    {
        for (const uint32_t peer : GetTreePeers(kind, shape.size, index))
        {
            lanes.push_back({peer, LANE_DIRECT});
        }
    }
    else if (algorithm == CollectiveAlgorithm::DIRECT ||
             algorithm == CollectiveAlgorithm::STRAGGLAR)
    {
        // A straggler meets everybody, and anybody may be it.
        for (uint32_t peer = 0; peer < shape.size; ++peer)
        {
            if (peer != index)
            {
                lanes.push_back({peer, LANE_DIRECT});
            }
        }
    }
    else
    {
        // The others exchange the same messages whatever their size.
        CollectivePart part;
        part.call.kind = kind;
        part.shape = shape;
        part.index = index;
        const auto schedule = MakeSchedule(algorithm, part);
        for (const auto& send : schedule.GetSends())
        {
            lanes.push_back({send.peer, send.lane});
        }
        for (const auto& receive : schedule.GetReceives())
        {
            lanes.push_back({receive.peer, receive.lane});
        }
    }
    std::sort(lanes.begin(), lanes.end());
    lanes.erase(std::unique(lanes.begin(), lanes.end()), lanes.end());
    return lanes;
}

CollectiveSchedule
MakeSchedule(CollectiveAlgorithm algorithm, const CollectivePart& part)
{
    const auto kind = part.call.kind;
    const auto error = CheckAlgorithm(kind, algorithm, part.shape);
    NS_ABORT_MSG_UNLESS(error.empty(), error);
    switch (algorithm)
    {
    case CollectiveAlgorithm::RING:
        return MakeScheduleOnRing(part);
    case CollectiveAlgorithm::DOUBLE_BINARY_TREE:
        return MakeTreeSchedule(part);
    case CollectiveAlgorithm::HALVING_DOUBLING:
        return MakeHalvingDoublingSchedule(part);
    case CollectiveAlgorithm::PAIRWISE:
        return MakePairwiseAllToAllSchedule(part);
    case CollectiveAlgorithm::DIRECT:
        return kind == CollectiveKind::ALL_TO_ALL ? MakeDirectAllToAllSchedule(part)
                                                  : MakeDirectSchedule(part);
    case CollectiveAlgorithm::HIERARCHICAL:
        return MakeHierarchicalSchedule(part);
    case CollectiveAlgorithm::PXN:
        return MakePxnSchedule(part);
    case CollectiveAlgorithm::STRAGGLAR:
        return MakeStragglarSchedule(part);
    }
    NS_ABORT_MSG("no such algorithm");
}

} // namespace ns3
