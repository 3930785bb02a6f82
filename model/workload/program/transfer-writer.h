// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRANSFER_WRITER_H
#define PHOTONIC_RAILS_TRANSFER_WRITER_H

#include "rank-program-writer.h"
#include "workload-spec.h"

#include "ns3/pipeline-schedule.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief Writes transfers between pipeline ranks, in batches that follow each other.
 *
 * With sequence parallelism a rank sends its part of the tokens, without it all of them, to the
 * rank of the same place in TP (Megatron-LM, get_tensor_shapes in pipeline_parallel/schedules.py;
 * TorchTitan's recording).
 */
class TransferWriter
{
  public:
    /**
     * @param spec the job, which must outlive this object
     * @param pipelineRank of the rank
     * @param program takes the operations; must outlive this object
     */
    TransferWriter(const WorkloadSpec& spec, uint32_t pipelineRank, RankProgramWriter& program);

    /// @param action starts a transfer
    void Start(const PipelineAction& action);

    /// @param batch that computation waits for
    void Wait(uint32_t batch);

  private:
    /// @return the role of the group of this rank and a peer
    GroupRole GetRole(const PipelineAction& action) const;

    uint32_t m_rank;                              //!< pipeline rank
    PipelineShape m_shape;                        //!< of the pipeline
    uint64_t m_bytes;                             //!< of an activation, and of its gradient
    RankProgramWriter& m_program;                 //!< takes the operations
    std::vector<std::vector<uint32_t>> m_batches; //!< transfers that were started together
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRANSFER_WRITER_H
