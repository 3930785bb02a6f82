// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DEVICE_MESH_H
#define PHOTONIC_RAILS_DEVICE_MESH_H

#include "parallelism-spec.h"

#include "ns3/process-group.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// The part that a process group plays for one of its ranks.
enum class GroupRole : uint8_t
{
    TP,          //!< tensor parallelism
    FSDP,        //!< shards of the same parameters; also the group over which losses are reduced
    PP,          //!< all stages of one pipeline
    PP_PREVIOUS, //!< this stage and the one before it
    PP_NEXT,     //!< this stage and the one after it
};

/// Where a rank stands in the mesh.
struct MeshCoordinate
{
    uint32_t tp{0};   //!< 0 to tp-1
    uint32_t fsdp{0}; //!< 0 to fsdp-1
    uint32_t pp{0};   //!< the pipeline stage, 0 to pp-1
};

/**
 * @brief Ranks, their coordinates and their process groups.
 *
 * rank = (stage x fsdp + shard) x tp + position; domain = rank / gpusPerDomain and
 * rail = rank % gpusPerDomain. Every rank can build the same mesh by itself, and finds the same
 * groups with the same ids in it. Groups of equal ranks in equal order are one group: with two
 * stages the pair of stages is the pipeline group.
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
        MIXED,     //!< neither; not in a spec that passed validation
    };

    /// @param spec a spec that passed validation
    explicit DeviceMesh(const ParallelismSpec& spec);

    /// @return the number of ranks
    uint32_t GetWorldSize() const;

    /// @return the number of scale-up domains
    uint32_t GetDomains() const;

    /// @return the number of rails, which is the number of GPUs in a domain
    uint32_t GetRails() const;

    /// @return the number of pipeline stages
    uint32_t GetStages() const;

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
     * @return true unless the role asks for a stage before the first or after the last
     */
    bool HasGroup(uint32_t rank, GroupRole role) const;

    /**
     * @param rank a global rank
     * @param role a part; HasGroup is true for it
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
    ParallelismSpec m_spec;             //!< degrees
    std::vector<ProcessGroup> m_groups; //!< by id
    std::vector<uint32_t> m_tpGroups;   //!< ids by stage, shard
    std::vector<uint32_t> m_fsdpGroups; //!< ids by stage, position
    std::vector<uint32_t> m_ppGroups;   //!< ids by shard, position
    std::vector<uint32_t> m_stagePairs; //!< ids by lower stage, shard, position
};

} // namespace ns3

#endif // PHOTONIC_RAILS_DEVICE_MESH_H
