// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DEVICE_MESH_H
#define PHOTONIC_RAILS_DEVICE_MESH_H

#include "parallelism-spec.h"

#include "ns3/process-group.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// The part that a process group plays for one of its ranks.
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
    PP_PREVIOUS, //!< this pipeline rank and the one before it; see DeviceMesh for the first
    PP_NEXT,     //!< this pipeline rank and the one after it; see DeviceMesh for the last
    MODEL,       //!< all ranks of one copy of the model: tp x pp
    EMBEDDING,   //!< first and last pipeline rank, which share tied embeddings
    WORLD,       //!< all ranks
    COUNT,       //!< how many roles there are
};

/**
 * @param role a role
 * @return its name in tables and files: tp, cp, fsdp, replicate, data, ep, ...
 */
std::string ToString(GroupRole role);

/// Where a rank stands in the mesh.
struct MeshCoordinate
{
    uint32_t tp{0};        //!< 0 to tp-1
    uint32_t cp{0};        //!< 0 to cp-1
    uint32_t fsdp{0};      //!< 0 to fsdp-1
    uint32_t replicate{0}; //!< 0 to replicate-1
    uint32_t pp{0};        //!< the pipeline rank, 0 to pp-1
};

/// Where a rank stands among those that share experts.
struct ExpertCoordinate
{
    uint32_t expertTp{0}; //!< 0 to expertTp-1
    uint32_t ep{0};       //!< 0 to ep-1
    uint32_t shard{0};    //!< 0 to GetExpertShards()-1
};

/**
 * @brief Ranks, their coordinates and their process groups.
 *
 * Ranks are numbered in the mesh order, its last dimension varying fastest; domain = rank /
 * gpusPerDomain and rail = rank % gpusPerDomain. Every rank can build the same mesh by itself, and
 * finds the same groups with the same ids in it. Groups of equal ranks are one group: with two
 * pipeline ranks the pair of them is the pipeline group.
 *
 * Before the first pipeline rank comes the last one if the pipeline is interleaved, since then the
 * last rank's chunks hand on to the first's; otherwise the first is alone in PP_PREVIOUS and the
 * last in PP_NEXT. Ranks between the ends of a pipeline are alone in EMBEDDING.
 *
 * The default order has the same groups as TorchTitan (ParallelDims, torchtitan/distributed/
 * parallel_dims.py) and, with its data-parallel ranks as fsdp, Megatron-LM (RankGenerator,
 * megatron/core/parallel_state.py, order tp-cp-ep-dp-pp).
 */
class DeviceMesh
{
  public:
    /// How the ranks of a group reach each other.
    enum Reach : uint8_t
    {
        SELF,      //!< a single rank
        SCALE_UP,  //!< inside one scale-up domain
        SCALE_OUT, //!< along one rail
        MIXED,     //!< across both
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
     * @return its coordinates
     */
    MeshCoordinate GetCoordinate(uint32_t rank) const;

    /**
     * @param at coordinates
     * @return the rank there
     */
    uint32_t GetRank(const MeshCoordinate& at) const;

    /**
     * @param rank a global rank
     * @return where it stands among those that share experts
     */
    ExpertCoordinate GetExpertCoordinate(uint32_t rank) const;

    /**
     * @param rank a global rank
     * @return its scale-up domain
     */
    uint32_t GetDomain(uint32_t rank) const;

    /**
     * @param rank a global rank
     * @return its rail
     */
    uint32_t GetRail(uint32_t rank) const;

    /**
     * @param rank a global rank
     * @param role a part
     * @return the group that plays it for this rank, possibly of size 1
     */
    const ProcessGroup& GetGroup(uint32_t rank, GroupRole role) const;

    /// @return every group of the job once, by id
    const std::vector<ProcessGroup>& GetGroups() const;

    /**
     * @param group a group
     * @return how its ranks reach each other
     */
    Reach GetReach(const ProcessGroup& group) const;

  private:
    /**
     * @param rank a global rank
     * @param role a part, not PP_PREVIOUS, PP_NEXT or EMBEDDING
     * @return the lowest rank of the group that plays it for this rank
     */
    uint32_t GetLeader(uint32_t rank, GroupRole role) const;

    /**
     * @param rank a global rank
     * @return its index among the ranks of its pipeline rank and replica, in mesh order
     */
    uint32_t GetPlaneIndex(uint32_t rank) const;

    static constexpr std::size_t ROLES = static_cast<std::size_t>(GroupRole::COUNT);

    ParallelismSpec m_spec;                                 //!< degrees and order
    std::vector<ProcessGroup> m_groups;                     //!< by id
    std::array<std::vector<uint32_t>, ROLES> m_groupOfRank; //!< ids, by role and rank
};

} // namespace ns3

#endif // PHOTONIC_RAILS_DEVICE_MESH_H
