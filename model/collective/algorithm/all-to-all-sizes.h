// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ALL_TO_ALL_SIZES_H
#define PHOTONIC_RAILS_ALL_TO_ALL_SIZES_H

#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief How many bytes each rank of a group sends to each other in an AllToAllv.
 *
 * Either any sizes, which take the square of the ranks in memory, or sizes with a pattern, which
 * take as much as the ranks.
 */
class AllToAllSizes : public SimpleRefCount<AllToAllSizes>
{
  public:
    /**
     * @brief Steps in a list of sizes; both are below the number of ranks.
     *
     * {0, 1}: each rank sends alike, entry j to rank j. {1, 0}: rank i sends entry i to each.
     * {n - 1, 1}: entry d to the rank that is d places after the sender.
     */
    struct Pattern
    {
        uint32_t from; //!< from one sender to the next
        uint32_t to;   //!< from one receiver to the next
    };

    /**
     * @param ranks size of the group
     * @param bytes from rank i to rank j at index i * ranks + j; what a rank keeps counts as sent
     * to itself
     */
    AllToAllSizes(uint32_t ranks, std::vector<uint64_t> bytes);

    /**
     * @param bytes one entry a rank; that from rank i to rank j is at index (i * pattern.from +
     * j * pattern.to) modulo the number of ranks
     * @param pattern the steps
     */
    AllToAllSizes(std::vector<uint64_t> bytes, const Pattern& pattern);

    /// @return the size of the group
    uint32_t GetRanks() const
    {
        return m_ranks;
    }

    /**
     * @param from index of a rank
     * @param to index of a rank
     * @return bytes from the one to the other
     */
    uint64_t GetBytes(uint32_t from, uint32_t to) const;

    /**
     * @param from index of a rank
     * @param first index of a rank
     * @param count how many ranks, at most all
     * @return bytes from the one to `count` ranks from `first` on, round the group
     */
    uint64_t GetSum(uint32_t from, uint32_t first, uint32_t count) const;

    /// @return the most bytes that one of the ranks sends to others, or gets from them
    uint64_t GetMost() const;

  private:
    /// @return the index of what goes from one rank to another
    uint64_t GetIndex(uint32_t from, uint32_t to) const;

    /**
     * @param own step from one rank to the next
     * @param other step from one of its peers to the next
     * @return the most that one rank exchanges with its peers, in one direction; of a pattern
     */
    uint64_t GetMost(uint32_t own, uint32_t other) const;

    uint32_t m_ranks;
    bool m_hasPattern;
    Pattern m_pattern; //!< if there is one
    std::vector<uint64_t> m_bytes;
    std::vector<uint64_t> m_sums; //!< of the first entries of m_bytes; of a pattern
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ALL_TO_ALL_SIZES_H
