// SPDX-License-Identifier: GPL-2.0-only

#include "collective-algorithm.h"
#include "stragglar-plan.h"
#include "stragglar-schedule.h"

namespace ns3
{

namespace
{

/// AllReduce for a rank that is late, which the call names; see MakeStragglarSchedule.
class StragglarAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::StragglarAlgorithm")
                                .SetParent<CollectiveAlgorithm>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<StragglarAlgorithm>();
        return tid;
    }

    std::string GetName() const override
    {
        return "stragglar";
    }

    bool Supports(CollectiveKind kind) const override
    {
        return kind == CollectiveKind::ALL_REDUCE;
    }

    bool NeedsRoot() const override
    {
        return true;
    }

  private:
    std::string DoCheck(CollectiveKind /* kind */, const GroupShape& shape) const override
    {
        return shape.size == 1 ? "" : CheckStragglarRanks(shape.size);
    }

    uint64_t GetMostReceives(CollectiveKind /* kind */,
                             const GroupShape& /* shape */) const override
    {
        return 0; // the number of ranks is limited
    }

    CollectiveSchedule DoMakeSchedule(const RankContext& part) const override
    {
        return MakeStragglarSchedule(part);
    }

    std::vector<CollectiveConnectorId> DoGetConnectors(CollectiveKind /* kind */,
                                                       const GroupShape& shape,
                                                       uint32_t index) const override
    {
        // The straggler meets every rank, and any rank may be late.
        std::vector<CollectiveConnectorId> connectors;
        for (uint32_t peer = 0; peer < shape.size; ++peer)
        {
            if (peer != index)
            {
                connectors.push_back({peer, CONNECTOR_DIRECT});
            }
        }
        return connectors;
    }

    CollectiveCost DoGetCost(const RankContext& part) const override
    {
        const auto cost = GetStragglarCost(part);
        const auto chain = GetStragglarChain(part.shape.size, part.shape.size - 2);
        return {static_cast<double>(chain.GetMessages()), cost.scatter.bytes + cost.rounds.bytes};
    }
};

NS_OBJECT_ENSURE_REGISTERED(StragglarAlgorithm);

} // namespace

} // namespace ns3
