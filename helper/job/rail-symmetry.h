// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RAIL_SYMMETRY_H
#define PHOTONIC_RAILS_RAIL_SYMMETRY_H

#include "ns3/device-mesh.h"
#include "ns3/job-ranks.h"
#include "ns3/rank-program-builder.h"
#include "ns3/workload-spec.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace ns3
{

/**
 * @brief A job whose rails all behave like rail 0.
 *
 * Rails are equivalent if the GPUs of a domain run the same program, and all traffic that leaves a
 * domain stays on a rail, between the same domains on every rail. In a job with R rails, rank d x R
 * then behaves like rank d of a job with one rail: the job of rail 0 is the same job without the
 * dimensions of the mesh that lie inside domains.
 *
 * The class does not check whether the fabric and the control plane treat rails alike.
 */
class RailSymmetry
{
  public:
    /**
     * @param spec a job that passed validation, with whole domains
     * @param ranks the ranks of the job; must outlive this object
     */
    RailSymmetry(const WorkloadSpec& spec, const JobRanks& ranks);

    /**
     * @brief Compare the programs of all ranks, and their groups for every role in which they call.
     * @return an empty string, or the reason why rails are not equivalent
     */
    std::string Check() const;

    /// @return the number of rails
    uint32_t GetRails() const
    {
        return m_whole.GetRails();
    }

    /// @return the ranks of rail 0, with a GPU in each domain and the programs of the whole job
    JobRanks MakeRanks() const;

  private:
    /// Roles of the groups that a program calls, with true for groups that leave their domain.
    using Roles = std::set<std::pair<GroupRole, bool>>;

    /// @return the roles in a program
    static Roles GetRoles(const RankProgram& program);
    /// @return a job with the same programs and the groups of rail 0
    static WorkloadSpec MakeRail(const WorkloadSpec& spec);
    /// @return an empty string, or the group in which two ranks of rail 0 differ
    std::string CheckGroups(uint32_t rank, const Roles& roles) const;

    const JobRanks& m_ranks;   //!< the whole job
    const RankLayout& m_whole; //!< domains and groups of the whole job
    WorkloadSpec m_rail;       //!< rail 0, for its groups
    DeviceMesh m_mesh;         //!< the mesh of rail 0
    RankClasses m_classes;     //!< classes of the ranks of rail 0
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RAIL_SYMMETRY_H
