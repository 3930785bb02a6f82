// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JOB_GROUPS_H
#define PHOTONIC_RAILS_JOB_GROUPS_H

#include "ns3/device-mesh.h"
#include "ns3/rail-cluster.h"
#include "ns3/rank-classes.h"
#include "ns3/rank-program.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/// The groups of a job on which some rank calls collectives, and what a fabric can do for them.
class JobGroups
{
  public:
    /// What ranks do with a group.
    struct Use
    {
        GroupRole role{GroupRole::WORLD}; //!< the first of those that the group plays
        std::set<CollectiveKind> kinds;   //!< what is called on it
        uint64_t leastBytes{UINT64_MAX};  //!< volume of the smallest call, see NetworkRule
        uint64_t mostBytes{0};            //!< of the largest
    };

    /// Programs by class of ranks.
    using Programs = std::vector<std::shared_ptr<const RankProgram>>;

    /**
     * @param spec a job that passed validation
     * @param mesh of the job
     * @param classes of its ranks
     * @return their programs
     */
    static Programs BuildPrograms(const WorkloadSpec& spec,
                                  const DeviceMesh& mesh,
                                  const RankClasses& classes);

    /**
     * @param mesh of the job, which must outlive this object
     * @param classes of its ranks
     * @param programs of the classes
     */
    JobGroups(const DeviceMesh& mesh, const RankClasses& classes, const Programs& programs);

    /// @return the groups with more than one rank, by id
    const std::map<uint32_t, Use>& GetUses() const;

    /**
     * @brief See whether a fabric can join ranks of different domains that are on different rails.
     *
     * Groups inside a domain need nothing of it, and groups along a rail can be joined by all.
     * Groups across both need a fabric that joins all NICs, or electrical rails beside scale-up
     * networks, on whose GPUs messages change the rail (PXN). On photonic rails a group has the
     * circuits of its ring along one rail. A network of the hosts joins all.
     * @param fabric between the domains
     * @param hasScaleUpNetwork domains are networks
     * @param hasHostNetwork hosts are joined by a network
     * @return an empty string, or why not and what would help
     */
    static std::string CheckAcross(const RailFabric& fabric,
                                   bool hasScaleUpNetwork,
                                   bool hasHostNetwork);

    /**
     * @brief See whether a fabric can join the ranks of every group.
     * @param fabric between the domains
     * @param hasScaleUpNetwork domains are networks
     * @param hasHostNetwork hosts are joined by a network
     * @return an empty string, or one line that names the fabric, the role and the group
     */
    std::string Check(const RailFabric& fabric, bool hasScaleUpNetwork, bool hasHostNetwork) const;

  private:
    const DeviceMesh& m_mesh;
    std::map<uint32_t, Use> m_uses;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_GROUPS_H
