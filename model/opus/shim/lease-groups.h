// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LEASE_GROUPS_H
#define PHOTONIC_RAILS_LEASE_GROUPS_H

#include "ns3/collective-call.h"
#include "ns3/process-group.h"

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace ns3
{

/**
 * @param rank the rank that makes the call
 * @param group the group of the call
 * @param call a call on it
 * @return by which number the controller knows the circuits of the call: the group's id, or one
 * made of the two ranks for a Send or Recv within a group of more than two, because no other rank
 * of the group would ask for them
 */
uint64_t FindLeaseGroup(uint32_t rank, const ProcessGroup& group, const CollectiveCall& call);

/// What a rank's shim knows of groups: those of its calls, whose circuits they need, and of whom
/// the controller knows which ranks they have.
class LeaseGroups
{
  public:
    /**
     * @brief The rank makes a call.
     * @param rank the rank
     * @param group the group of the call
     * @param call the call
     * @return FindLeaseGroup
     */
    uint64_t Learn(uint32_t rank, const ProcessGroup& group, const CollectiveCall& call);

    /**
     * @param id number of a group on which there has been a call
     * @return the group
     */
    const ProcessGroup& GetGroup(uint32_t id) const;

    /**
     * @param lease a lease group, which is asked for
     * @return its ranks, the first time; then none, as the controller knows them
     */
    std::vector<uint32_t> Introduce(uint64_t lease);

    /// Introduce groups anew: the shim does not know what it has said.
    void ForgetIntroductions();

  private:
    std::map<uint32_t, ProcessGroup> m_groups;           //!< by id, as the rank has used them
    std::map<uint64_t, std::vector<uint32_t>> m_members; //!< of what is leased
    std::set<uint64_t> m_introduced;                     //!< whose members the controller knows
};

} // namespace ns3

#endif // PHOTONIC_RAILS_LEASE_GROUPS_H
