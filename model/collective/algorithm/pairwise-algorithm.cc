// SPDX-License-Identifier: GPL-2.0-only

#include "all-to-all-blocks.h"
#include "collective-algorithm.h"
#include "tournament.h"

namespace ns3
{

namespace
{

/**
 * Pairwise exchange: AllToAll in steps, in each of which a rank sends one block and receives one.
 *
 * In groups of a power of two, and in all groups where circuits are lent to pairs, two ranks
 * exchange their blocks for each other (Tournament). In other groups a rank sends in step k to the
 * rank k further and receives from the one k before, which takes a step less if the number of
 * ranks is odd (Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication
 * Operations in MPICH", 2005).
 *
 * On lent circuits every step is a round. Every second call of a group takes the rounds in reverse,
 * so a call begins with the circuits with which the one before it has ended.
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

    bool HasRounds(CollectiveKind /* kind */) const override
    {
        return true;
    }

  private:
    uint64_t GetMostReceives(CollectiveKind /* kind */, const GroupShape& shape) const override
    {
        return shape.size - 1;
    }

    /// @return the steps of a rank, with one partner each
    static std::vector<BlockStep> MakePairSteps(const RankContext& part)
    {
        const Tournament tournament(part.shape.size);
        const uint32_t rounds = tournament.GetRounds();
        const bool isReversed = part.terms.lendsPairs && part.sequence % 2 == 1;
        const auto place = [rounds, isReversed](uint32_t number) {
            return isReversed ? rounds - 1 - number : number;
        };
        std::vector<BlockStep> steps;
        for (uint32_t number = 0; number < rounds; ++number)
        {
            const auto peer = tournament.FindPeer(part.index, place(number));
            if (!peer)
            {
                continue;
            }
            // The receiver counts its rounds, without the one in which it rests.
            uint32_t id = number;
            for (uint32_t before = 0; before < number && part.shape.size % 2 == 1; ++before)
            {
                id -= tournament.FindPeer(*peer, place(before)) ? 0 : 1;
            }
            steps.push_back({*peer, *peer, static_cast<uint16_t>(id), number});
        }
        return steps;
    }

    CollectiveSchedule DoMakeSchedule(const RankContext& part) const override
    {
        const bool inPairs = part.terms.lendsPairs || Tournament::IsPowerOfTwo(part.shape.size);
        return MakeBlockSchedule(part,
                                 inPairs ? MakePairSteps(part) : MakeShiftSteps(part),
                                 part.terms.lendsPairs ? BlockOrder::IN_ROUNDS
                                                       : BlockOrder::IN_STEPS);
    }

    CollectiveCost DoGetCost(const RankContext& part) const override
    {
        const double ranks = part.shape.size;
        CollectiveCost cost{ranks - 1, part.GetTensor() * (ranks - 1) / ranks};
        if (part.terms.lendsPairs)
        {
            cost.rounds = Tournament(part.shape.size).GetRounds();
            cost.bytes = part.GetTensor() * cost.rounds / ranks;
            cost.switches = cost.rounds;
        }
        return cost;
    }
};

NS_OBJECT_ENSURE_REGISTERED(PairwiseAlgorithm);

} // namespace

} // namespace ns3
