// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRANSFER_EMITTER_H
#define PHOTONIC_RAILS_TRANSFER_EMITTER_H

#include "rank-program-emitter.h"
#include "workload-spec.h"

#include "ns3/pipeline-schedule.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Writes transfers between pipeline ranks, in batches that run one after the other.
 *
 * A rank sends to the rank with the same TP coordinate. With sequence parallelism it sends its part
 * of the tokens, without it all tokens (Megatron-LM, get_tensor_shapes in
 * pipeline_parallel/schedules.py; TorchTitan's recording).
 */
class TransferEmitter
{
  public:
    /**
     * @param spec the job, which must outlive this object
     * @param pipelineRank pipeline rank of the rank
     * @param program receives the operations; must outlive this object
     */
    TransferEmitter(const WorkloadSpec& spec, uint32_t pipelineRank, RankProgramEmitter& program);

    /// @param action a transfer to start
    void Start(const PipelineAction& action);

    /// @param batch batch for which computation waits
    void Wait(uint32_t batch);

  private:
    /// @return the role of the group of this rank and a peer
    GroupRole GetRole(const PipelineAction& action) const;

    uint32_t m_rank;                              //!< pipeline rank
    PipelineShape m_shape;                        //!< of the pipeline
    uint64_t m_bytes;                             //!< bytes of an activation, and of its gradient
    RankProgramEmitter& m_program;                //!< receives the operations
    std::vector<std::vector<uint32_t>> m_batches; //!< operations of the transfers, by batch
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRANSFER_EMITTER_H
