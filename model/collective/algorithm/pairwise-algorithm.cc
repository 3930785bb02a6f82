// SPDX-License-Identifier: GPL-2.0-only

#include "all-to-all-blocks.h"
#include "collective-algorithm.h"

namespace ns3
{

namespace
{

/**
 * Pairwise exchange: AllToAll in N - 1 steps, in each of which a rank sends one block and receives
 * one.
 *
 * In step k a rank of a group of a power of two exchanges blocks with the rank whose index differs
 * in the bits of k; in other groups it sends to the rank k further and receives from the one k
 * before (Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in
 * MPICH", 2005).
 */
class PairwiseAlgorithm : public CollectiveAlgorithm
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::PairwiseAlgorithm")
                                .SetParent<CollectiveAlgorithm>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<PairwiseAlgorithm>();
        return tid;
    }

    std::string GetName() const override
    {
        return "pairwise";
    }

    bool Supports(CollectiveKind kind) const override
    {
        return kind == CollectiveKind::ALL_TO_ALL;
    }

  private:
    uint64_t GetMostReceives(CollectiveKind /* kind */, const GroupShape& shape) const override
    {
        return shape.size - 1;
    }

    CollectiveSchedule DoMakeSchedule(const RankContext& part) const override
    {
        return MakeBlockSchedule(part, true);
    }

    CollectiveCost DoGetCost(const RankContext& part) const override
    {
        const double ranks = part.shape.size;
        return {ranks - 1, part.GetTensor() * (ranks - 1) / ranks};
    }
};

NS_OBJECT_ENSURE_REGISTERED(PairwiseAlgorithm);

} // namespace

} // namespace ns3
