// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PROCESS_GROUP_H
#define PHOTONIC_RAILS_PROCESS_GROUP_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief An ordered set of ranks that communicate with each other (an NCCL communicator).
 *
 * Two groups with the same ranks in the same order have the same id, regardless of the dimension of
 * parallelism: on a photonic rail both need the same circuits and share one lease.
 */
struct ProcessGroup
{
    uint32_t id{0};              //!< unique per ordered set of ranks within a job
    std::vector<uint32_t> ranks; //!< global ranks, in ring order

    /// @return the number of ranks
    uint32_t GetSize() const
    {
        return static_cast<uint32_t>(ranks.size());
    }

    /**
     * @param rank a global rank
     * @return its index in the group, or GetSize() if it is not a member
     */
    uint32_t GetIndex(uint32_t rank) const
    {
        uint32_t index = 0;
        while (index < ranks.size() && ranks[index] != rank)
        {
            ++index;
        }
        return index;
    }
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PROCESS_GROUP_H
