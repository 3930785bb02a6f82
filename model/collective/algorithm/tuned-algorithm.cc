// SPDX-License-Identifier: GPL-2.0-only

#include "collective-algorithm.h"
#include "collective-protocol.h"

#include <algorithm>
#include <vector>

namespace ns3
{

namespace
{

/**
 * The algorithm that takes a call the least time by NCCL's model, with the best protocol of each
 * (CollectiveProtocol): channels, or for an AllReduce trees. All ranks make the same choice,
 * because it depends on the call, the shape of the group and the rates of its networks only. If the
 * rates are not known it is channels.
 */
class TunedAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::TunedAlgorithm")
                                .SetParent<CollectiveAlgorithm>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<TunedAlgorithm>();
        return tid;
    }

    std::string GetName() const override
    {
        return "tuned";
    }

    bool Supports(CollectiveKind kind) const override
    {
        return GetChoices()[0]->Supports(kind);
    }

    bool NeedsDomains() const override
    {
        return true;
    }

    CollectiveLayout MakeLayout(const RankContext& part) const override
    {
        return Choose(part)->MakeLayout(part);
    }

  private:
    /// @return the algorithms to choose from
    static const std::vector<Variant<CollectiveAlgorithm>>& GetChoices()
    {
        static const std::vector<Variant<CollectiveAlgorithm>> choices{"channels", "tree"};
        return choices;
    }

    /// @return the choice for a call
    static Variant<CollectiveAlgorithm> Choose(const RankContext& part)
    {
        auto best = GetChoices()[0];
        double least = -1;
        for (const auto& one : GetChoices())
        {
            if (!one->Check(part.call.kind, part.shape).empty())
            {
                continue;
            }
            const auto cost = one->GetCost(part).On(part.shape, part.rates.domain > 0);
            const double seconds =
                CollectiveProtocol::Choose(cost, part.shape, part.rates).GetSeconds(cost);
            if (least < 0 || seconds < least)
            {
                best = one;
                least = seconds;
            }
        }
        return best;
    }

    uint64_t GetMostReceives(CollectiveKind kind, const GroupShape& shape) const override
    {
        uint64_t most = 0;
        for (const auto& one : GetChoices())
        {
            most = one->Supports(kind) ? std::max(most, one->GetReceiveLimit(kind, shape)) : most;
        }
        return most;
    }

    CollectiveSchedule DoMakeSchedule(const RankContext& part) const override
    {
        return Choose(part)->MakeSchedule(part);
    }

    std::vector<CollectiveConnectorId> DoGetConnectors(CollectiveKind kind,
                                                       const GroupShape& shape,
                                                       uint32_t index) const override
    {
        std::vector<CollectiveConnectorId> connectors;
        for (const auto& one : GetChoices())
        {
            const auto more = one->Supports(kind) ? one->GetConnectors(kind, shape, index)
                                                  : std::vector<CollectiveConnectorId>();
            connectors.insert(connectors.end(), more.begin(), more.end());
        }
        return connectors;
    }

    CollectiveCost DoGetCost(const RankContext& part) const override
    {
        return Choose(part)->GetCost(part);
    }
};

NS_OBJECT_ENSURE_REGISTERED(TunedAlgorithm);

} // namespace

} // namespace ns3
