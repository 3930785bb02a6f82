// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RAIL_SYMMETRY_H
#define PHOTONIC_RAILS_RAIL_SYMMETRY_H

#include "job-groups.h"

#include "ns3/device-mesh.h"
#include "ns3/rank-classes.h"
#include "ns3/workload-spec.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace ns3
{

/**
 * @brief A job of which one rail shows what all rails do.
 *
 * Rails are alike if the GPUs of a domain run the same program, and whatever leaves a domain goes
 * along a rail, between the same domains on every rail. Then rank d x R of a job with R rails does
 * what rank d of a job with one rail would: the job of rail 0 is the same job without the
 * dimensions of the mesh that lie inside domains.
 *
 * Whether the fabric and the control plane treat rails alike is not known here.
 */
class RailSymmetry
{
  public:
    /// @param spec a job that passed validation, with whole domains
    explicit RailSymmetry(const WorkloadSpec& spec);

    /**
     * @return an empty string, or why rails are not alike; compares the programs of all ranks, and
     * their groups for every role in which they call
     */
    std::string Check() const;

    /// @return how many rails there are
    uint32_t GetRails() const;

    /// @return the mesh of rail 0, with a GPU in each domain
    const DeviceMesh& GetMesh() const;

    /// @return classes of the ranks of rail 0
    const RankClasses& GetClasses() const;

    /// @return programs of the classes: those of the whole job
    JobGroups::Programs BuildPrograms() const;

  private:
    /// Roles of groups on which a program calls, and whether the groups leave their domains.
    using Roles = std::set<std::pair<GroupRole, bool>>;

    /// @return those of a program
    static Roles GetRoles(const RankProgram& program);
    /// @return a job of the same programs whose groups are those of rail 0
    static WorkloadSpec MakeRail(const WorkloadSpec& spec);
    /// @return an empty string, or in which group two ranks of rail 0 are not alike
    std::string CheckGroups(uint32_t rank, const Roles& roles) const;

    WorkloadSpec m_spec;   //!< the whole job
    DeviceMesh m_whole;    //!< its mesh
    WorkloadSpec m_rail;   //!< rail 0, for its groups
    DeviceMesh m_mesh;     //!< its mesh
    RankClasses m_classes; //!< of its ranks
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RAIL_SYMMETRY_H
