// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_STRAGGLAR_PLAN_H
#define PHOTONIC_RAILS_STRAGGLAR_PLAN_H

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @file
 * The pairs of ranks, and the chunks that they exchange, in the rounds of an AllReduce for a
 * persistent straggler (StragglAR, arXiv 2505.23523), as a pure function of the number of ranks.
 *
 * While one rank, the straggler, is late, the others scatter and reduce the tensor among
 * themselves, so that each of them ends with one chunk of it. Then come rounds of disjoint pairs,
 * in which each rank sends a chunk at most and receives one at most. In round t of the first N - 1
 * the straggler meets other t: they swap their sums of chunk t, add, and both hold it complete.
 * All the rest pass on complete chunks. It ends when every rank holds all chunks.
 *
 * Places: the others are 0 to N - 2, by the chunk that each ends with, and the straggler is N - 1.
 *
 * N - 2 + ceil(log2 N) rounds are the least there can be: the last chunk appears in round N - 2 at
 * two ranks at once, and twice as many ranks at most hold it after each further round.
 */

/// Two ranks that meet in a round, and the chunk that each sends to the other.
struct StragglarMeeting
{
    /// Nothing is sent.
    static constexpr uint32_t NONE = std::numeric_limits<uint32_t>::max();

    uint32_t a{0};        //!< place of one
    uint32_t b{0};        //!< place of the other
    uint32_t fromA{NONE}; //!< chunk that a sends to b, or NONE
    uint32_t fromB{NONE}; //!< chunk that b sends to a, or NONE
};

/// The rounds after the ReduceScatter of the others.
struct StragglarPlan
{
    uint32_t ranks{0};                                 //!< N
    std::vector<std::vector<StragglarMeeting>> rounds; //!< disjoint pairs; those without data left
                                                       //!< out

    /// @return the place of the straggler
    uint32_t GetStraggler() const
    {
        return ranks - 1;
    }
};

/**
 * @param ranks number of ranks, at least 2
 * @return the least number of rounds that there can be
 */
uint32_t GetLeastStragglarRounds(uint32_t ranks);

/// Ranks that a plan can have: a search beyond this takes minutes.
constexpr uint32_t MAX_STRAGGLAR_RANKS = 1024;

/**
 * @param ranks number of ranks
 * @return an empty string, or why there is no plan: the number is odd, or too large
 */
std::string CheckStragglarRanks(uint32_t ranks);

/**
 * @brief The plan for a number of ranks; always the same for the same number.
 *
 * Powers of two have a closed form with the least number of rounds. For other even numbers the plan
 * is searched for (see SearchStragglarPlan), and may have a few rounds more: three at most up to
 * 256 ranks. As every rank of a group needs the plan, those that have been made are kept.
 *
 * @param ranks number of ranks that CheckStragglarRanks allows
 * @return the plan
 */
std::shared_ptr<const StragglarPlan> GetStragglarPlan(uint32_t ranks);

/**
 * @brief Plan for a power of two, in closed form.
 *
 * With N = 2^m and a generator g of the field GF(2^m), the straggler is the element 0 and other t
 * is g^t. In round t, x meets x + g^t. The m powers g^(t-m) to g^(t-1) are a basis of the field, so
 * each x but 0 is the sum of some of them; it passes on the chunk of the lowest one, which it has
 * received by then. Round after round the basis moves on by one power, and each chunk reaches twice
 * as many ranks. From round N - 1 on there are no new chunks, and whose turn it would be to send
 * one (and the straggler) sends the last one.
 *
 * @param ranks a power of two, at least 2
 * @return the plan, of N - 2 + log2 N rounds
 */
StragglarPlan MakeStragglarPlanOfPower(uint32_t ranks);

/**
 * @brief Search a plan for any even number of ranks.
 *
 * Round by round, ranks are matched such that the weights of the sent chunks add up to most, by
 * exchanging partners between pairs until none can gain. The largest weight is to give a rank its
 * first chunk (it can send then), to serve a rank that cannot miss another round, and to pass on
 * chunks that few hold. Several attempts differ in these weights and in chance; the first of the
 * shortest is taken. Deterministic: the random numbers are its own.
 *
 * @param ranks an even number, at least 4
 * @return the plan
 */
StragglarPlan SearchStragglarPlan(uint32_t ranks);

} // namespace ns3

#endif // PHOTONIC_RAILS_STRAGGLAR_PLAN_H
