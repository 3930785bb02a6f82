// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DEVICE_MESH_H
#define PHOTONIC_RAILS_DEVICE_MESH_H

#include "parallelism-spec.h"
#include "rank-layout.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @param role a role
 * @return the name of the role in a mesh: tp, cp, fsdp, replicate, data, ep, ...
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
 * Ranks are numbered in the mesh order, whose last dimension varies fastest. Every rank can build
 * the same mesh on its own and gets the same groups with the same ids. Groups of equal ranks are
 * one group: with two pipeline ranks, the pair of neighbours is also the pipeline group.
 *
 * In an interleaved pipeline the last pipeline rank precedes the first one, because its chunks send
 * to chunks of the first rank. In other pipelines the first rank is alone in PP_PREVIOUS and the
 * last rank is alone in PP_NEXT. Ranks between the ends of a pipeline are alone in EMBEDDING.
 *
 * The default order has the same groups as TorchTitan (ParallelDims,
 * torchtitan/distributed/parallel_dims.py) and, with its data-parallel ranks as fsdp, Megatron-LM
 * (RankGenerator, megatron/core/parallel_state.py, order tp-cp-ep-dp-pp).
 */
class DeviceMesh : public RankLayout
{
  public:
    /// @param spec a spec that passed validation
    explicit DeviceMesh(const ParallelismSpec& spec);

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

    ParallelismSpec m_spec; //!< degrees and order
};

} // namespace ns3

#endif // PHOTONIC_RAILS_DEVICE_MESH_H
