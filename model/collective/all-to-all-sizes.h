// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ALL_TO_ALL_SIZES_H
#define PHOTONIC_RAILS_ALL_TO_ALL_SIZES_H

#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// How many bytes each rank of a group sends to each other in an AllToAllv.
class AllToAllSizes : public SimpleRefCount<AllToAllSizes>
{
  public:
    /**
     * @param ranks size of the group
     * @param bytes from rank i to rank j at index i * ranks + j; what a rank keeps counts as sent
     * to itself
     */
    AllToAllSizes(uint32_t ranks, std::vector<uint64_t> bytes);

    /// @return the size of the group
    uint32_t GetRanks() const;
    /**
     * @param from index of a rank
     * @param to index of a rank
     * @return bytes from the one to the other
     */
    uint64_t GetBytes(uint32_t from, uint32_t to) const;

  private:
    uint32_t m_ranks;
    std::vector<uint64_t> m_bytes;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ALL_TO_ALL_SIZES_H
