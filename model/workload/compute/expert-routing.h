// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_EXPERT_ROUTING_H
#define PHOTONIC_RAILS_EXPERT_ROUTING_H

#include "ns3/collective-call.h"
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
        INITIAL, //!< each entry of the vocabulary has its own random experts in each layer
    };

    Kind kind{UNIFORM};
    double exponent{1}; //!< ZIPF, of experts, and INITIAL, of entries of the vocabulary; 0 to 10
    std::vector<double>
        weights;            //!< LISTED only: not negative, one for each expert, for every layer
    uint64_t seed{1};       //!< ZIPF and INITIAL: decides which experts are popular in each layer
    uint64_t vocabulary{1}; //!< INITIAL only: entries of the vocabulary, at least 1

    /// @return true if the seed decides which experts are popular
    bool IsDrawn() const
    {
        return kind == ZIPF || kind == INITIAL;
    }

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
 *
 * INITIAL is the routing before the first update of the weights. The router's weights and the rows
 * of the embedding are independent random numbers, and the embedding is much larger than what the
 * layers add to it (TorchTitan, models/deepseek_v3/model/model.py, init_weights: standard deviation
 * 1, of layers at most 0.02; models/moe/moe.py, init_weights), so equal tokens choose equal experts
 * and different ones choose independently: topK different experts, all choices equally likely. The
 * bias that balances experts is still zero. The k-th most frequent entry of the vocabulary has a
 * share of the tokens in proportion to 1 / k^exponent. The first 256 entries are drawn for each
 * layer; the others together use all experts equally.
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
    bool IsUniform() const
    {
        return m_isUniform;
    }

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

    /// @return true if experts differ, and all senders send alike
    bool HasCounts() const;

    /// @return rows of one sender to each expert of a layer
    std::vector<uint64_t> CountRowsOfExperts(uint32_t layer) const;

    /// @return rows from one sender to each rank, if all senders send alike
    std::vector<uint64_t> CountRowsOfRanks(uint32_t layer) const;

    /// The result of CountRowsOfRanks, cached.
    const std::vector<uint64_t>& GetRowsOfRanks(uint32_t layer) const;

    uint32_t m_experts;
    uint32_t m_ranks;
    uint32_t m_topK;
    uint64_t m_tokens;              //!< tokens of a rank
    uint64_t m_rows;                //!< rows that each rank sends
    ExpertPopularity m_popularity;  //!< of the experts
    bool m_isByLayer;               //!< layers differ in their popular experts
    bool m_isUniform;               //!< every rank sends equally many rows to every other rank
    std::vector<uint64_t> m_counts; //!< rows of one sender to each expert, by popularity with ZIPF;
                                    //!< empty if all experts are alike, and with INITIAL

    // Caches.
    mutable std::map<uint32_t, std::vector<uint64_t>> m_rowsOfRanks; //!< by layer, 0 for all
    mutable std::map<SizesKey, Ptr<const AllToAllSizes>> m_sizes;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_EXPERT_ROUTING_H
