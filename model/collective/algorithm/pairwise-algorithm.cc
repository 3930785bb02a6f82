// SPDX-License-Identifier: GPL-2.0-only

#include "all-to-all-blocks.h"
#include "collective-algorithm.h"

#include "ns3/assert.h"

#include <optional>

namespace ns3
{

namespace
{

/// @return true for a power of two
bool
IsPairwisePower(uint32_t size)
{
    return (size & (size - 1)) == 0;
}

/**
 * @brief A tournament: every two of the ranks meet in one of the rounds.
 *
 * In a group of a power of two a rank meets in round r the rank whose index differs in the bits of
 * r + 1. In other groups ranks i and j meet in round i + j modulo n - 1, where n is even, and rank
 * n - 1 takes the place of the rank that would meet itself (the circle method). In a group of an
 * odd number nobody is rank n - 1, and the rank that would meet it rests.
 */
class Tournament
{
  public:
    explicit Tournament(uint32_t size)
        : m_size(size),
          m_places(size + size % 2)
    {
    }

    /// @return number of rounds
    uint32_t GetRounds() const
    {
        return m_places - 1;
    }

    /// @return the rank that a rank meets in a round, or nothing if it rests
    std::optional<uint32_t> FindPeer(uint32_t rank, uint32_t round) const
    {
        const uint32_t peer = GetPeer(rank, round);
        return peer < m_size ? std::optional<uint32_t>(peer) : std::nullopt;
    }

  private:
    /// @return the rank, or m_places - 1 in a group of an odd number
    uint32_t GetPeer(uint32_t rank, uint32_t round) const
    {
        if (IsPairwisePower(m_size))
        {
            return rank ^ (round + 1);
        }
        const uint32_t last = m_places - 1;
        if (rank == last)
        {
            return static_cast<uint32_t>(uint64_t{round} * (m_places / 2) % last);
        }
        const uint32_t peer = (round + last - rank) % last;
        return peer == rank ? last : peer;
    }

    uint32_t m_size;
    uint32_t m_places; //!< ranks, and one that is nobody if their number is odd
};

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
        const bool inPairs = part.terms.lendsPairs || IsPairwisePower(part.shape.size);
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
