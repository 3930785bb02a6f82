// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RANK_LAYOUT_H
#define PHOTONIC_RAILS_RANK_LAYOUT_H

#include "ns3/collective-call.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The role of a process group for one of its ranks.
 *
 * The names are the roles in a DeviceMesh. A job without a mesh numbers its roles from 0, see
 * RankLayout::GetRoleName.
 */
enum class GroupRole : uint16_t
{
    TP,          //!< tensor parallelism
    CP,          //!< context parallelism
    FSDP,        //!< shards of the same parameters: fsdp x cp
    REPLICATE,   //!< replicas of the same shard
    DATA,        //!< all ranks with the same parameters: replicate x fsdp x cp; losses
    BATCH,       //!< ranks with different sequences: replicate x fsdp
    EP,          //!< experts of the same layer
    EXPERT_TP,   //!< parts of the same experts
    EXPERT_FSDP, //!< shards of the same experts
    EXPERT_DATA, //!< all ranks with the same experts: replicas and shards
    PP,          //!< all ranks of one pipeline
    PP_PREVIOUS, //!< this pipeline rank and the previous one; see DeviceMesh for the first rank
    PP_NEXT,     //!< this pipeline rank and the next one; see DeviceMesh for the last rank
    MODEL,       //!< all ranks of one copy of the model: tp x pp
    EMBEDDING,   //!< first and last pipeline rank, which share tied embeddings
    WORLD,       //!< all ranks
    COUNT,       //!< number of roles
};

/**
 * @brief The ranks of a job in scale-up domains, on rails and in process groups.
 *
 * Domain = rank / gpusPerDomain and rail = rank % gpusPerDomain. A group has a role for each of its
 * ranks: programs name the role, so that ranks in different groups can run the same program.
 */
class RankLayout
{
  public:
    /// The networks that connect the ranks of a group.
    enum Reach : uint8_t
    {
        SELF,      //!< a single rank
        SCALE_UP,  //!< inside one scale-up domain
        SCALE_OUT, //!< along one rail
        MIXED,     //!< across domains and rails
    };

    /// A role: its name, and the group of each rank.
    struct Role
    {
        std::string name;             //!< in tables and files: tp, cp, fsdp, ...
        std::vector<uint32_t> groups; //!< ids of groups, by rank
    };

    /**
     * @param worldSize number of ranks, above 0
     * @param gpusPerDomain number of GPUs in a scale-up domain, above 0
     */
    RankLayout(uint32_t worldSize, uint32_t gpusPerDomain);

    /**
     * @brief Set the process groups.
     * @param groups every group once, by id
     * @param roles roles by number; a rank without a group in a role has a group of its own
     */
    void SetGroups(std::vector<ProcessGroup> groups, std::vector<Role> roles);

    /// @param pipelineRanks pipeline ranks by rank, from 0 without gaps
    void SetPipelineRanks(std::vector<uint32_t> pipelineRanks);

    /// @return the number of ranks
    uint32_t GetWorldSize() const
    {
        return m_worldSize;
    }

    /// @return the number of scale-up domains; the last may be incomplete
    uint32_t GetDomains() const
    {
        return (m_worldSize + m_gpusPerDomain - 1) / m_gpusPerDomain;
    }

    /// @return the number of rails, which is the number of GPUs in a domain
    uint32_t GetRails() const
    {
        return m_gpusPerDomain;
    }

    /// @return the number of pipeline ranks; 1 if the job has no pipeline, or none is known
    uint32_t GetPipelineRanks() const
    {
        return m_pipelineDegree;
    }

    /**
     * @param rank a global rank
     * @return the pipeline rank of the rank
     */
    uint32_t GetPipelineRank(uint32_t rank) const
    {
        return m_pipelineRanks.empty() ? 0 : m_pipelineRanks[rank];
    }

    /**
     * @param rank a global rank
     * @return the scale-up domain of the rank
     */
    uint32_t GetDomain(uint32_t rank) const
    {
        return rank / m_gpusPerDomain;
    }

    /**
     * @param rank a global rank
     * @return the rail of the rank
     */
    uint32_t GetRail(uint32_t rank) const
    {
        return rank % m_gpusPerDomain;
    }

    /// @return the number of roles
    uint32_t GetRoles() const
    {
        return static_cast<uint32_t>(m_roles.size());
    }

    /**
     * @param role a role
     * @return the name of the role in tables and files: tp, cp, fsdp, replicate, data, ep, ...
     */
    const std::string& GetRoleName(GroupRole role) const;

    /**
     * @param rank a global rank
     * @param role a role
     * @return the group in this role for this rank, possibly of size 1
     */
    const ProcessGroup& GetGroup(uint32_t rank, GroupRole role) const;

    /// @return every group of the job once, by id
    const std::vector<ProcessGroup>& GetGroups() const
    {
        return m_groups;
    }

    /**
     * @param group a group
     * @return the networks that connect the ranks of the group
     */
    Reach GetReach(const ProcessGroup& group) const;

    /**
     * @param group a group
     * @return its shape in domains; unless every domain has equally many, domain after
     * domain, the ranks count as one per domain
     */
    GroupShape GetShape(const ProcessGroup& group) const;

    /**
     * @param from a rank
     * @param to a rank
     * @return the rank that shares the domain with @p from and the rail with @p to
     */
    uint32_t GetProxy(uint32_t from, uint32_t to) const;

    /**
     * @param group a group
     * @return GroupShape::IsAligned for the group: true for a group on one rail, and for a group
     * across domains and rails in which each rank has a counterpart on its rail in every domain
     */
    bool IsAligned(const ProcessGroup& group) const;

  private:
    uint32_t m_worldSize;                  //!< number of ranks
    uint32_t m_gpusPerDomain;              //!< number of rails
    std::vector<ProcessGroup> m_groups;    //!< by id
    std::vector<Role> m_roles;             //!< by number
    std::vector<uint32_t> m_pipelineRanks; //!< by rank; empty: all 0
    uint32_t m_pipelineDegree{1};          //!< number of pipeline ranks
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RANK_LAYOUT_H
