// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_EXPERT_ROUTING_H
#define PHOTONIC_RAILS_EXPERT_ROUTING_H

#include "ns3/all-to-all-sizes.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

/// The popularity of each expert with tokens.
struct ExpertPopularity
{
    /// Families of distributions.
    enum Kind : uint8_t
    {
        UNIFORM, //!< all experts equally popular
        ZIPF,    //!< the k-th most popular with weight 1 / k^exponent
        LISTED,  //!< weights given as a list
    };

    Kind kind{UNIFORM};
    double exponent{1}; //!< ZIPF only, 0 to 10
    std::vector<double>
        weights;      //!< LISTED only: not negative, one for each expert, for every layer
    uint64_t seed{1}; //!< ZIPF: decides which experts are popular in each layer

    /**
     * @brief Check the popularity for a number of experts.
     * @param experts routed experts of a layer
     * @return an empty string, or one line that names the error and the allowed values
     */
    std::string Validate(uint32_t experts) const;
};

/**
 * @brief The number of tokens that go from each rank of an expert-parallel group to each other
 * rank.
 *
 * The counts are expected values, not a sample. The tokens of every rank choose experts by the same
 * weights, rounded so that each rank sends exactly (tokens x topK) rows (largest remainders first).
 * The experts of a token are distinct, so an expert receives at most as many rows from a rank as
 * the rank has tokens. Rows beyond this limit go to the other experts by weight, and to experts of
 * weight zero once all others are full.
 *
 * With ZIPF, each layer has other popular experts: a shuffle by seed and layer. The shuffle is the
 * same on every platform, because the standard fixes the values of std::seed_seq and
 * std::mt19937_64.
 */
class ExpertRouting
{
  public:
    /**
     * @param experts routed experts of a layer, a multiple of ranks
     * @param topK experts of a token, at most all
     * @param ranks size of the expert-parallel group; rank i has the i-th equal share of experts
     * @param tokens tokens of one rank
     * @param popularity popularity of the experts, passed validation
     */
    ExpertRouting(uint32_t experts,
                  uint32_t topK,
                  uint32_t ranks,
                  uint64_t tokens,
                  const ExpertPopularity& popularity);

    /// @return true if every rank sends equally many rows to every other rank in every layer
    bool IsUniform() const;

    /**
     * @param layer a layer
     * @param from index of the sending rank in the group
     * @param to index of the receiving rank in the group
     * @return rows from the sender to the receiver, or rows that stay if both are the same rank
     */
    uint64_t GetRows(uint32_t layer, uint32_t from, uint32_t to) const;

    /**
     * @param layer a layer
     * @param to index of a rank in the group
     * @return rows that the experts of this rank receive
     */
    uint64_t GetReceived(uint32_t layer, uint32_t to) const;

    /**
     * @param layer a layer
     * @return rows received by the experts of the busiest rank, over the mean of all ranks; 1
     * without rows
     */
    double GetImbalance(uint32_t layer) const;

    /**
     * @param layer a layer
     * @param rowBytes size of a row, bytes
     * @param isCombine true for the way back from the experts
     * @return sizes of the AllToAll, the same object for equal arguments, or null if IsUniform
     */
    Ptr<const AllToAllSizes> GetSizes(uint32_t layer, uint64_t rowBytes, bool isCombine) const;

  private:
    /// Layer (0 if all layers are alike), bytes of a row and direction.
    using SizesKey = std::tuple<uint32_t, uint64_t, bool>;

    /// @return rows from one sender to each rank, if all senders send alike
    std::vector<uint64_t> CountRowsOfRanks(uint32_t layer) const;

    /// The result of CountRowsOfRanks, cached.
    const std::vector<uint64_t>& GetRowsOfRanks(uint32_t layer) const;

    uint32_t m_experts;
    uint32_t m_ranks;
    uint64_t m_rows;                //!< rows that each rank sends
    bool m_isShuffled;              //!< layers differ in their popular experts
    uint64_t m_seed;                //!< of the shuffle
    bool m_isUniform;               //!< every rank sends equally many rows to every other rank
    std::vector<uint64_t> m_counts; //!< rows of one sender to each expert, by popularity if
                                    //!< shuffled; empty if all experts are alike

    // Caches.
    mutable std::map<uint32_t, std::vector<uint64_t>> m_rowsOfRanks; //!< by layer, 0 for all
    mutable std::map<SizesKey, Ptr<const AllToAllSizes>> m_sizes;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_EXPERT_ROUTING_H
