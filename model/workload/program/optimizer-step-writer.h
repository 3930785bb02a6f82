// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPTIMIZER_STEP_WRITER_H
#define PHOTONIC_RAILS_OPTIMIZER_STEP_WRITER_H

#include "data-parallel-writer.h"
#include "rank-model.h"
#include "rank-program-writer.h"
#include "workload-spec.h"

#include "ns3/compute-model.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @brief Writes what a step does once, before and after its passes.
 *
 * Before: the number of valid tokens, over the ranks with different sequences (VALID_TOKENS,
 * TorchTitan's train.py). After the gradients are reduced:
 * - MEGATRON with sequence parallelism: one AllReduce over TP of the gradients of everything that
 *   all TP ranks have (norms, latents, router; finalize_model_grads.py);
 * - tied embeddings in a pipeline: an AllReduce of the embedding's gradient between first and last
 *   pipeline rank, unless one rank has both ends of the model;
 * - the norm of all gradients. PER_TENSOR: a float for each tensor over each mesh dimension of more
 *   than one rank that the tensor lives on: FSDP and TP, for routed experts with a unit of their
 *   own expert shards, EP and expert TP; then a float over the pipeline (PyTorch's get_total_norm
 * on DTensors, torchtitan/distributed/utils.py). All floats of a dimension are one AllReduce here.
 *   SCALAR: a float over all ranks if the optimizer is distributed, else over those of
 *   one copy of the model, TP and pipeline in one (Megatron-LM, clip_grads.py);
 * - clipping; the number of tokens of each expert, a float each, all MoE layers at once, over the
 *   ranks of different data (TorchTitan's optimizer.py); Adam; what data parallelism does then;
 *   SCALAR: whether the update went well, and the norm again, four bytes each over the ranks of a
 *   copy of the model (Megatron-LM, training.py);
 * - statistics. LOSS: sum and tokens in one, by the ranks that have the last stage. LOSS_TOKENS:
 * mean and maximum loss (floats), tokens seen (int64), by all.
 */
class OptimizerStepWriter
{
  public:
    /**
     * @param spec the job
     * @param model of the rank
     * @param data of the rank
     * @param program takes the operations
     * All must outlive this object.
     */
    OptimizerStepWriter(const WorkloadSpec& spec,
                        const RankModel& model,
                        DataParallelWriter& data,
                        RankProgramWriter& program);

    /// What comes before the first pass.
    void Begin();

    /// What comes after the last pass.
    void End();

  private:
    /**
     * @param dimension whom it serves
     * @param role over which group
     * @param bytes its input
     * @param label for people
     */
    void AllReduce(Dimension dimension, GroupRole role, uint64_t bytes, const std::string& label);

    /**
     * @brief Reduce a float over the ranks of one copy of the model.
     * @param label for people
     */
    void AllReduceModel(const std::string& label);

    /// Gradients that are neither sharded nor whole yet.
    void WriteReplicated();

    /// @return true if the model has tied embeddings whose copies this rank shares with another one
    bool HasTiedEmbedding() const;

    /// The norm of all gradients.
    void WriteNorm();

    /// Scalars of the step.
    void WriteStatistics();

    const WorkloadSpec& m_spec;
    const RankModel& m_model;
    DataParallelWriter& m_data;
    RankProgramWriter& m_program;
    ComputeModel m_compute; //!< durations
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OPTIMIZER_STEP_WRITER_H
