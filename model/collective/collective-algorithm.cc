// SPDX-License-Identifier: GPL-2.0-only

#include "collective-algorithm.h"

#include "ring-schedule.h"

#include "ns3/abort.h"

namespace ns3
{

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
    }
    return "unknown";
}

std::vector<CollectiveAlgorithm>
GetAlgorithms(CollectiveKind)
{
    return {CollectiveAlgorithm::RING};
}

std::string
CheckAlgorithm(CollectiveKind kind, CollectiveAlgorithm algorithm, const GroupShape&)
{
    return algorithm == CollectiveAlgorithm::RING
               ? ""
               : ToString(algorithm) + " cannot carry out " + ToString(kind);
}

std::vector<CollectiveLaneId>
GetLanes(CollectiveKind, CollectiveAlgorithm, const GroupShape& shape, uint32_t index)
{
    if (shape.size == 1)
    {
        return {};
    }
    const uint32_t next = (index + 1) % shape.size;
    const uint32_t previous = (index + shape.size - 1) % shape.size;
    if (next <= previous)
    {
        return {{next, LANE_NEXT}, {previous, LANE_PREVIOUS}};
    }
    return {{previous, LANE_PREVIOUS}, {next, LANE_NEXT}};
}

CollectiveSchedule
MakeSchedule(CollectiveAlgorithm algorithm, const CollectivePart& part)
{
    NS_ABORT_MSG_IF(algorithm != CollectiveAlgorithm::RING,
                    CheckAlgorithm(part.call.kind, algorithm, part.shape));
    return MakeRingSchedule(part.call.kind,
                            part.shape.size,
                            part.index,
                            part.call.bytes,
                            part.directions);
}

} // namespace ns3
