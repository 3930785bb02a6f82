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
 * @brief A job whose sets of rails all behave like the first set.
 *
 * With S sets, set i has the rails i, i + S, i + 2 S and so on: a rail each, or several that groups
 * of ranks join. Sets are equivalent if ranks m x S to m x S + S - 1 run the same program, and all
 * traffic that leaves a domain stays in a set, between the same places in every set. Rank m x S
 * then behaves like rank m of a smaller job: the same job without the innermost dimensions of the
 * mesh, which have S coordinates together.
 *
 * The class does not check whether the fabric and the control plane treat sets alike.
 */
class RailSymmetry
{
  public:
    /**
     * @param spec a job that passed validation, with whole domains
     * @param ranks the ranks of the job; must outlive this object
     * @param sets number of sets of rails, a divisor of the number of rails
     */
    RailSymmetry(const WorkloadSpec& spec, const JobRanks& ranks, uint32_t sets);

    /**
     * @brief Compare the programs of all ranks, and their groups for every role in which they call.
     * @return an empty string, or the reason why sets are not equivalent
     */
    std::string Check() const;

    /// @return the ranks of the first set, with the programs of the whole job; a domain has a GPU
    /// for each rail of the set
    JobRanks MakeRanks() const;

  private:
    /// Roles of the groups that a program calls, with true for groups that leave their domain.
    using Roles = std::set<std::pair<GroupRole, bool>>;

    /// @return the roles in a program
    static Roles GetRoles(const RankProgram& program);
    /// @return a job with the same programs and the groups of the first set
    static WorkloadSpec MakeSet(const WorkloadSpec& spec, uint32_t sets);
    /// @return an empty string, or the group in which the sets of a rank and of rank 0 differ
    std::string CheckGroups(uint32_t rank, const Roles& roles) const;

    const JobRanks& m_ranks;   //!< the whole job
    const RankLayout& m_whole; //!< domains and groups of the whole job
    uint32_t m_sets;           //!< number of sets
    WorkloadSpec m_set;        //!< the first set, for its groups
    DeviceMesh m_mesh;         //!< the mesh of the first set
    RankClasses m_classes;     //!< classes of the ranks of the first set
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RAIL_SYMMETRY_H
