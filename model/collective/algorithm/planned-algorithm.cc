// SPDX-License-Identifier: GPL-2.0-only

#include "collective-algorithm.h"

#include <limits>
#include <memory>
#include <vector>

namespace ns3
{

namespace
{

/// @return the call of an exchange of parts that are all alike, in which a rank sends as much as
/// the busiest rank of the call sends or gets
RankContext
MakeEvenCall(const RankContext& part)
{
    RankContext even = part;
    if (part.call.sizes)
    {
        even.call.bytes = part.call.sizes->GetMost() * part.shape.size / (part.shape.size - 1);
        even.call.sizes = nullptr;
    }
    return even;
}

/**
 * A choice per call, by cost formulas.
 *
 * An AllToAll is direct where every rank can be reached at any time, or pxn across domains and
 * rails. Where circuits are lent, it
 * takes the schedule that takes the least time by the formulas, on the terms of the group
 * (RankContext::terms): forwarding round the ring, which needs no switching but carries each block
 * over several hops; pairwise, which carries each block over one hop, in as many rounds as there
 * are other ranks; or hypercube, in between. Across domains and rails the choice is between the
 * ring and pxn, in as many rounds as there are other domains. Of an AllToAll whose parts are not
 * alike the busiest rank counts.
 */
class PlannedAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::PlannedAlgorithm")
                                .SetParent<CollectiveAlgorithm>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<PlannedAlgorithm>();
        return tid;
    }

    std::string GetName() const override
    {
        return "planned";
    }

    bool Supports(CollectiveKind kind) const override
    {
        return kind == CollectiveKind::ALL_TO_ALL;
    }

    bool HasRounds(CollectiveKind /* kind */) const override
    {
        return true;
    }

    CollectiveLayout MakeLayout(const RankContext& part) const override
    {
        return Choose(part).MakeLayout(part);
    }

  private:
    /// The algorithms among which calls choose.
    struct Candidates
    {
        Variant<CollectiveAlgorithm> direct{"direct"};
        Variant<CollectiveAlgorithm> ring{"ring"};
        Variant<CollectiveAlgorithm> pairwise{"pairwise"};
        Variant<CollectiveAlgorithm> hypercube{"hypercube"};
        Variant<CollectiveAlgorithm> pxn{"pxn"};
    };

    /// @return the algorithms; looked up on first use, since a look-up makes one of each algorithm
    const Candidates& GetCandidates() const
    {
        if (!m_candidates)
        {
            m_candidates = std::make_unique<Candidates>();
        }
        return *m_candidates;
    }

    /// @return true if ranks have others in their domain, with which they need no circuits, and
    /// others outside
    static bool IsAcross(const GroupShape& shape)
    {
        return shape.perDomain > 1 && shape.GetDomains() > 1;
    }

    /// @return the algorithm of a call
    const CollectiveAlgorithm& Choose(const RankContext& part) const
    {
        const Candidates& all = GetCandidates();
        if (!part.terms.lendsPairs || part.shape.size == 1)
        {
            return IsAcross(part.shape) ? *all.pxn : *all.direct;
        }
        const RankContext even = MakeEvenCall(part);
        const bool hasRing = part.terms.hasRings || part.shape.size == 2;
        const CollectiveAlgorithm* best = nullptr;
        double least = std::numeric_limits<double>::infinity();
        const bool isAcross = IsAcross(part.shape);
        for (const auto* candidate : {hasRing ? &all.ring : nullptr,
                                      isAcross ? nullptr : &all.pairwise,
                                      isAcross ? nullptr : &all.hypercube,
                                      isAcross ? &all.pxn : nullptr})
        {
            if (candidate && (*candidate)->Check(part.call.kind, part.shape).empty())
            {
                const double time = (*candidate)->GetCost(even).GetSecondsOn(part.terms);
                if (time < least)
                {
                    least = time;
                    best = &**candidate;
                }
            }
        }
        return *best;
    }

    uint64_t GetMostReceives(CollectiveKind /* kind */, const GroupShape& shape) const override
    {
        return shape.size;
    }

    CollectiveSchedule DoMakeSchedule(const RankContext& part) const override
    {
        return Choose(part).MakeSchedule(part);
    }

    std::vector<CollectiveConnectorId> DoGetConnectors(CollectiveKind kind,
                                                       const GroupShape& shape,
                                                       uint32_t index) const override
    {
        const Candidates& all = GetCandidates();
        auto connectors =
            (IsAcross(shape) ? all.pxn : all.direct)->GetConnectors(kind, shape, index);
        const auto ring = GetCandidates().ring->GetConnectors(kind, shape, index);
        connectors.insert(connectors.end(), ring.begin(), ring.end());
        return connectors;
    }

    CollectiveCost DoGetCost(const RankContext& part) const override
    {
        return Choose(part).GetCost(part);
    }

    mutable std::unique_ptr<Candidates> m_candidates; //!< null before first use
};

NS_OBJECT_ENSURE_REGISTERED(PlannedAlgorithm);

} // namespace

} // namespace ns3
