// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DEVICE_MESH_H
#define PHOTONIC_RAILS_DEVICE_MESH_H

#include "parallelism-spec.h"

#include "ns3/collective-call.h"
#include "ns3/process-group.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// The role of a process group for one of its ranks.
enum class GroupRole : uint8_t
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
 * @param role a role
 * @return the name of the role in tables and files: tp, cp, fsdp, replicate, data, ep, ...
 */
std::string ToString(GroupRole role);

/// Coordinates of a rank in the mesh.
struct MeshCoordinate
{
    uint32_t tp{0};        //!< 0 to tp-1
    uint32_t cp{0};        //!< 0 to cp-1
    uint32_t fsdp{0};      //!< 0 to fsdp-1
    uint32_t replicate{0}; //!< 0 to replicate-1
    uint32_t pp{0};        //!< the pipeline rank, 0 to pp-1
};

/// Coordinates of a rank among the ranks of expert parallelism.
struct ExpertCoordinate
{
    uint32_t expertTp{0}; //!< 0 to expertTp-1
    uint32_t ep{0};       //!< 0 to ep-1
    uint32_t shard{0};    //!< 0 to GetExpertShards()-1
};

/**
 * @brief Ranks, their coordinates and their process groups.
 *
 * Ranks are numbered in the mesh order, whose last dimension varies fastest; domain =
 * rank / gpusPerDomain and rail = rank % gpusPerDomain. Every rank can build the same mesh on its
 * own and gets the same groups with the same ids. Groups of equal ranks are one group: with two
 * pipeline ranks, the pair of neighbours is also the pipeline group.
 *
 * In an interleaved pipeline the last pipeline rank precedes the first one, because its chunks send
 * to chunks of the first rank. In other pipelines the first rank is alone in PP_PREVIOUS and the
 * last rank is alone in PP_NEXT. Ranks between the ends of a pipeline are alone in EMBEDDING.
 *
 * The default order has the same groups as TorchTitan (ParallelDims,
 * torchtitan/distributed/parallel_dims.py) and, with its data-parallel ranks as fsdp, Megatron-LM
 * (RankGenerator, megatron/core/parallel_state.py, order tp-cp-ep-dp-pp).
 */
class DeviceMesh
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

    /// @param spec a spec that passed validation
    explicit DeviceMesh(const ParallelismSpec& spec);

    /// @return the number of ranks
    uint32_t GetWorldSize() const;

    /// @return the number of scale-up domains; the last may be incomplete
    uint32_t GetDomains() const;

    /// @return the number of rails, which is the number of GPUs in a domain
    uint32_t GetRails() const;

    /// @return the number of pipeline ranks
    uint32_t GetPipelineRanks() const;

    /**
     * @param rank a global rank
     * @return the coordinates of the rank
     */
    MeshCoordinate GetCoordinate(uint32_t rank) const;

    /**
     * @param at coordinates
     * @return the rank with these coordinates
     */
    uint32_t GetRank(const MeshCoordinate& at) const;

    /**
     * @param rank a global rank
     * @return the coordinates of the rank among the ranks of expert parallelism
     */
    ExpertCoordinate GetExpertCoordinate(uint32_t rank) const;

    /**
     * @param rank a global rank
     * @return the scale-up domain of the rank
     */
    uint32_t GetDomain(uint32_t rank) const;

    /**
     * @param rank a global rank
     * @return the rail of the rank
     */
    uint32_t GetRail(uint32_t rank) const;

    /**
     * @param rank a global rank
     * @param role a role
     * @return the group in this role for this rank, possibly of size 1
     */
    const ProcessGroup& GetGroup(uint32_t rank, GroupRole role) const;

    /// @return every group of the job once, by id
    const std::vector<ProcessGroup>& GetGroups() const;

    /**
     * @param group a group
     * @return the networks that connect the ranks of the group
     */
    Reach GetReach(const ProcessGroup& group) const;

    /**
     * @param group a group
     * @return how its ranks lie in domains; unless every domain has equally many, domain after
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
    /**
     * @param rank a global rank
     * @param role a role, not PP_PREVIOUS, PP_NEXT or EMBEDDING
     * @return the lowest rank of the group in this role for this rank
     */
    uint32_t GetLeader(uint32_t rank, GroupRole role) const;

    /**
     * @param rank a global rank
     * @return the index of the rank among the ranks of its pipeline rank and replica, in mesh order
     */
    uint32_t GetPlaneIndex(uint32_t rank) const;

    static constexpr std::size_t ROLES = static_cast<std::size_t>(GroupRole::COUNT);

    ParallelismSpec m_spec;                                 //!< degrees and order
    std::vector<ProcessGroup> m_groups;                     //!< by id
    std::array<std::vector<uint32_t>, ROLES> m_groupOfRank; //!< ids, by role and rank
};

} // namespace ns3

#endif // PHOTONIC_RAILS_DEVICE_MESH_H
