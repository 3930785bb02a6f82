// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JOB_GROUPS_H
#define PHOTONIC_RAILS_JOB_GROUPS_H

#include "ns3/device-mesh.h"
#include "ns3/rail-cluster.h"
#include "ns3/rank-program-builder.h"
#include "ns3/rank-program.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

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

    /// Programs by class of ranks.
    using Programs = std::vector<std::shared_ptr<const RankProgram>>;

    /**
     * @param spec a job that passed validation
     * @param mesh mesh of the job
     * @param classes classes of its ranks
     * @return the programs of the classes
     */
    static Programs BuildPrograms(const WorkloadSpec& spec,
                                  const DeviceMesh& mesh,
                                  const RankClasses& classes);

    /**
     * @param mesh mesh of the job, which must outlive this object
     * @param classes classes of its ranks
     * @param programs programs of the classes
     */
    JobGroups(const DeviceMesh& mesh, const RankClasses& classes, const Programs& programs);

    /// @return the groups with more than one rank, by id
    const std::map<uint32_t, Use>& GetUses() const;

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
    const DeviceMesh& m_mesh;
    std::map<uint32_t, Use> m_uses;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_GROUPS_H
