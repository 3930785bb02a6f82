// SPDX-License-Identifier: GPL-2.0-only

#include "chain-schedule.h"
#include "collective-algorithm.h"
#include "ring-all-to-all-schedule.h"
#include "ring-schedule.h"

namespace ns3
{

namespace
{

/// @return true for Broadcast and Reduce, which go along the ring cut open at the root
bool
IsChain(CollectiveKind kind)
{
    return kind == CollectiveKind::BROADCAST || kind == CollectiveKind::REDUCE;
}

/**
 * Neighbours only, in steps, which is all that the circuits of a group allow: see ring-schedule.h,
 * chain-schedule.h (Broadcast and Reduce) and ring-all-to-all-schedule.h.
 */
class RingAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::RingAlgorithm")
                                .SetParent<CollectiveAlgorithm>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<RingAlgorithm>();
        return tid;
    }

    std::string GetName() const override
    {
        return "ring";
    }

    bool Supports(CollectiveKind kind) const override
    {
        return kind != CollectiveKind::SEND && kind != CollectiveKind::RECV;
    }

    CollectiveLayout MakeLayout(const RankContext& part) const override
    {
        return part.call.kind == CollectiveKind::ALL_TO_ALL ? MakeRingAllToAllLayout(part)
                                                            : MakeLayoutInOrder(part);
    }

  private:
    uint64_t GetMostReceives(CollectiveKind kind, const GroupShape& shape) const override
    {
        if (IsChain(kind))
        {
            return 0; // chains have as many chunks as are allowed
        }
        return kind == CollectiveKind::ALL_TO_ALL ? shape.size
                                                  : 2 * uint64_t{GetRingSteps(kind, shape.size)};
    }

    CollectiveSchedule DoMakeSchedule(const RankContext& part) const override
    {
        const auto kind = part.call.kind;
        if (kind == CollectiveKind::ALL_TO_ALL)
        {
            return MakeRingAllToAllSchedule(part);
        }
        return IsChain(kind) ? MakeChainSchedule(part)
                             : MakeRingSchedule(kind,
                                                part.shape.size,
                                                part.index,
                                                part.call.bytes,
                                                part.directions);
    }

    std::vector<CollectiveConnectorId> DoGetConnectors(CollectiveKind /* kind */,
                                                       const GroupShape& shape,
                                                       uint32_t index) const override
    {
        return {{(index + 1) % shape.size, CONNECTOR_NEXT},
                {(index + shape.size - 1) % shape.size, CONNECTOR_PREVIOUS}};
    }

    CollectiveCost DoGetCost(const RankContext& part) const override
    {
        const auto kind = part.call.kind;
        const uint64_t size = part.shape.size;
        const auto ranks = static_cast<double>(size);
        const double tensor = part.GetTensor();
        if (IsChain(kind))
        {
            const double chunks = GetChainChunks(part);
            return {ranks - 1, (ranks - 1 + chunks - 1) * tensor / chunks};
        }
        if (kind != CollectiveKind::ALL_TO_ALL)
        {
            const CollectiveCost once{ranks - 1, tensor * (ranks - 1) / ranks};
            return kind == CollectiveKind::ALL_REDUCE ? 2 * once : once;
        }
        if (part.directions == 1)
        {
            return {ranks - 1, tensor * (ranks - 1) / 2};
        }
        return {static_cast<double>(size / 2),
                static_cast<double>(size * size / 4) * tensor / ranks};
    }
};

NS_OBJECT_ENSURE_REGISTERED(RingAlgorithm);

} // namespace

} // namespace ns3
