// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPTIMIZER_EMITTER_H
#define PHOTONIC_RAILS_OPTIMIZER_EMITTER_H

#include "data-parallel-emitter.h"
#include "rank-model.h"
#include "rank-program-emitter.h"
#include "workload-spec.h"

#include "ns3/compute-model.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @brief Writes the operations that a step executes once, before and after its passes.
 *
 * Before: the number of valid tokens, over the ranks with different sequences (VALID_TOKENS,
 * TorchTitan's train.py). After the reduction of the gradients:
 * - MEGATRON with sequence parallelism: one AllReduce over TP of the gradients of all parameters
 *   that every TP rank holds (norms, latents, router; finalize_model_grads.py);
 * - DTENSOR without FSDP: the reductions of GetPartialGradients, gradientReductions times, since
 *   DTensor does not replace a gradient by its sum. All of them are written before the norm, which
 *   is their first use;
 * - tied embeddings in a pipeline: an AllReduce of the embedding's gradient between first and last
 *   pipeline rank, unless one rank has both ends of the model;
 * - the norm of all gradients. PER_TENSOR: a float for each tensor over each mesh dimension of more
 *   than one rank over which the tensor is distributed: FSDP and TP; expert shards, EP and expert
 *   TP for routed experts with a unit of their own; then a float over the pipeline (PyTorch's
 *   get_total_norm on DTensors, torchtitan/distributed/utils.py). All floats of a dimension form
 *   one AllReduce here. SCALAR: a float over all ranks if the optimizer is distributed, else over
 *   the ranks of one copy of the model, TP and pipeline in one (Megatron-LM, clip_grads.py);
 * - clipping;
 * - the number of tokens of each expert, as a float, for all MoE layers at once, over the ranks
 *   with different data (TorchTitan's optimizer.py);
 * - Adam, and the operations of data parallelism after the optimizer;
 * - SCALAR: the success of the update and again the norm, four bytes each, over the ranks of a copy
 *   of the model (Megatron-LM, training.py);
 * - statistics. LOSS: sum of losses and number of tokens in one AllReduce, on the ranks with the
 *   last stage. LOSS_TOKENS: mean and maximum loss (floats) and seen tokens (int64), on all ranks.
 */
class OptimizerEmitter
{
  public:
    /**
     * @brief All arguments must outlive this object.
     * @param spec the job
     * @param model part of the model on the rank
     * @param data data parallelism of the rank
     * @param program program to which operations are added
     */
    OptimizerEmitter(const WorkloadSpec& spec,
                     const RankModel& model,
                     DataParallelEmitter& data,
                     RankProgramEmitter& program);

    /// Write the operations before the first pass.
    void Begin();

    /// Write the operations after the last pass.
    void End();

  private:
    /**
     * @param dimension dimension of parallelism, for reports
     * @param role role of the group
     * @param bytes input bytes
     * @param label label for output
     */
    void AllReduce(Dimension dimension, GroupRole role, uint64_t bytes, const std::string& label);

    /**
     * @brief Reduce a float over the ranks of one copy of the model.
     * @param label label for output
     */
    void AllReduceModel(const std::string& label);

    /// Reduce gradients that are neither sharded nor complete.
    void WriteReplicated();

    /// Reduce gradients that stay partial sums until the step, each time that the step uses them.
    void WritePartial();

    /// @return true if this rank and another rank hold copies of tied embeddings
    bool HasTiedEmbedding() const;

    /// Write the norm of all gradients.
    void WriteNorm();

    /// Write the scalars of the step.
    void WriteStatistics();

    const WorkloadSpec& m_spec;
    const RankModel& m_model;
    DataParallelEmitter& m_data;
    RankProgramEmitter& m_program;
    ComputeModel m_compute; //!< computation times
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OPTIMIZER_EMITTER_H
