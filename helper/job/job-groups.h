// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JOB_GROUPS_H
#define PHOTONIC_RAILS_JOB_GROUPS_H

#include "ns3/job-ranks.h"
#include "ns3/rail-cluster.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace ns3
{

/// The groups of a job with collective calls, and the fabrics that can connect them.
class JobGroups
{
  public:
    /// The calls of ranks on a group.
    struct Use
    {
        GroupRole role{GroupRole::WORLD}; //!< first role of the group
        std::set<CollectiveKind> kinds;   //!< kinds of calls
        uint64_t leastBytes{UINT64_MAX};  //!< volume of the smallest call, see NetworkRule
        uint64_t mostBytes{0};            //!< volume of the largest call
    };

    /// @param ranks the ranks of the job, which must outlive this object
    explicit JobGroups(const JobRanks& ranks);

    /// @return the groups with more than one rank, by id
    const std::map<uint32_t, Use>& GetUses() const
    {
        return m_uses;
    }

    /**
     * @brief Count sets of rails between which there are no calls.
     * @param bulk groups whose largest call has fewer bytes do not count
     * @return the largest number S, such that groups across domains and rails are within one of the
     * sets of rails i, i + S, i + 2 S and so on: the number of rails if there are no such groups, 1
     * if groups join all rails
     */
    uint32_t CountRailSets(uint64_t bulk = 0) const;

    /**
     * @brief Check whether a fabric can connect ranks in different domains and on different rails.
     *
     * Groups inside a domain do not use the fabric, and every fabric connects groups along a rail.
     * Groups across both need a fabric that connects all NICs, or scale-up networks, on which
     * messages change the rail (PXN). A host network connects all ranks.
     * @param fabric fabric between the domains
     * @param hasScaleUpNetwork true if domains are simulated as networks
     * @param hasHostNetwork true if a network connects the hosts
     * @return an empty string, or the reason and a remedy
     */
    static std::string CheckAcross(const RailFabric& fabric,
                                   bool hasScaleUpNetwork,
                                   bool hasHostNetwork);

    /**
     * @brief Check whether a fabric can connect the ranks of every group.
     * @param fabric fabric between the domains
     * @param hasScaleUpNetwork true if domains are simulated as networks
     * @param hasHostNetwork true if a network connects the hosts
     * @return an empty string, or one line that names the fabric, the role and the group
     */
    std::string Check(const RailFabric& fabric, bool hasScaleUpNetwork, bool hasHostNetwork) const;

  private:
    const RankLayout& m_layout;
    std::map<uint32_t, Use> m_uses;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_GROUPS_H
