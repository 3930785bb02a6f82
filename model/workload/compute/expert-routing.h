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

/// How often tokens choose each expert.
struct ExpertPopularity
{
    /// Families of distributions.
    enum Kind : uint8_t
    {
        UNIFORM, //!< all experts alike
        ZIPF,    //!< the k-th most popular with weight 1 / k^exponent
        LISTED,  //!< as a list says
    };

    Kind kind{UNIFORM};
    double exponent{1};          //!< ZIPF only, 0 to 10
    std::vector<double> weights; //!< LISTED only: not negative, one an expert, of every layer
    uint64_t seed{1};            //!< ZIPF: which experts are popular in which layer

    /**
     * @brief Check that tokens can choose by it.
     * @param experts routed experts of a layer
     * @return an empty string, or one line that names what is wrong and what is allowed
     */
    std::string Validate(uint32_t experts) const;
};

/**
 * @brief How many tokens go from each rank of an expert-parallel group to each other one.
 *
 * Expected counts, not a sample: every rank's tokens choose experts by the same weights, rounded so
 * that each rank sends exactly (tokens x topK) rows (largest remainders first). The experts of a
 * token are distinct, so an expert gets at most as many rows of a rank as that has tokens; what
 * popular experts cannot take goes to the others by their weights, and to experts without weight
 * once the others are full.
 *
 * Which experts are popular with ZIPF differs from layer to layer: a shuffle by seed and layer that
 * is the same everywhere (std::seed_seq and std::mt19937_64, whose values the standard fixes).
 */
class ExpertRouting
{
  public:
    /**
     * @param experts routed experts of a layer, a multiple of ranks
     * @param topK experts of a token, at most all
     * @param ranks size of the expert-parallel group; rank i has the i-th equal share of experts
     * @param tokens of one rank
     * @param popularity which experts they choose, passed validation
     */
    ExpertRouting(uint32_t experts,
                  uint32_t topK,
                  uint32_t ranks,
                  uint64_t tokens,
                  const ExpertPopularity& popularity);

    /// @return true if every rank sends as much to every other one in every layer
    bool IsUniform() const;

    /**
     * @param layer a layer
     * @param from index of a rank in the group
     * @param to index of a rank in the group
     * @return rows that go from the one to the other, or stay
     */
    uint64_t GetRows(uint32_t layer, uint32_t from, uint32_t to) const;

    /**
     * @param layer a layer
     * @param to index of a rank in the group
     * @return rows that its experts get
     */
    uint64_t GetReceived(uint32_t layer, uint32_t to) const;

    /**
     * @param layer a layer
     * @return rows that the experts of the busiest rank get, over the mean of all ranks; 1 without
     * rows
     */
    double GetImbalance(uint32_t layer) const;

    /**
     * @param layer a layer
     * @param rowBytes size of a row
     * @param isCombine the way back
     * @return sizes of the AllToAll, the same object for the same call, or null if IsUniform
     */
    Ptr<const AllToAllSizes> GetSizes(uint32_t layer, uint64_t rowBytes, bool isCombine) const;

  private:
    /// Layer (0 if all are alike), bytes of a row and direction.
    using SizesKey = std::tuple<uint32_t, uint64_t, bool>;

    /// @return rows of one sender to each rank if it makes no difference who sends
    std::vector<uint64_t> CountRowsOfRanks(uint32_t layer) const;

    /// The same, counted once.
    const std::vector<uint64_t>& GetRowsOfRanks(uint32_t layer) const;

    uint32_t m_experts;
    uint32_t m_ranks;
    uint64_t m_rows;                //!< that each rank sends
    bool m_isShuffled;              //!< layers differ
    uint64_t m_seed;                //!< of the shuffle
    bool m_isUniform;               //!< every rank sends as much to every other one
    std::vector<uint64_t> m_counts; //!< rows of one sender to each expert, by popularity if
                                    //!< shuffled; empty if all experts are alike

    // Known so far.
    mutable std::map<uint32_t, std::vector<uint64_t>> m_rowsOfRanks; //!< by layer, 0 for all
    mutable std::map<SizesKey, Ptr<const AllToAllSizes>> m_sizes;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_EXPERT_ROUTING_H
