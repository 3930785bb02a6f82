// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CONTEXT_EMITTER_H
#define PHOTONIC_RAILS_CONTEXT_EMITTER_H

#include "layer-emitter.h"
#include "workload-spec.h"

namespace ns3
{

/**
 * @brief Attention of one rank, whose keys and values may be on other ranks (context parallelism).
 *
 * Every rank has 1/cp of each sequence, cut so that a causal mask leaves all ranks the same work.
 * The table shows the exchange, where K is the keys and values of a rank's own tokens in bf16:
 *
 * | style, exchange | forward | backward |
 * |---|---|---|
 * | DTENSOR, ALL_GATHER | AllGather of K | AllGather of K, cp passes of dK in fp32 |
 * | DTENSOR, RING | cp-1 passes of K | cp-1 passes of K, cp passes of dK in fp32 |
 * | MEGATRON, ALL_GATHER | AllGather of K | AllGather of K, ReduceScatter of dK in bf16 |
 * | MEGATRON, RING | cp-1 passes of K | cp-1 passes of K, cp-1 passes of dK in bf16 |
 *
 * A pass is an AllToAll in which each rank sends all its data to the next rank, as in PyTorch
 * (torch/distributed/tensor/experimental/_attention.py, where gradients go round the ring for any
 * rotate method). Transformer Engine uses Send and Recv instead (context_parallel.py, called by
 * Megatron-LM) and merges the passes of K and dK of a step. In both, an exchange overlaps with the
 * computation of a part of attention.
 */
class ContextEmitter
{
  public:
    /// @param spec the job, which must outlive this object
    explicit ContextEmitter(const WorkloadSpec& spec);

    /// @return bytes of keys and values of the rank's own tokens
    uint64_t GetKeyValueBytes() const;

    /// @param writer receives the steps of attention, from the projections to the result
    void Forward(LayerEmitter& writer) const;

    /**
     * @brief Recomputation of the core of attention only.
     * @param writer receives the steps of the exchange
     */
    void Again(LayerEmitter& writer) const;

    /**
     * @brief Backward of attention, without the gradients of the projections.
     * @param writer receives the gradient steps of the result and of the core; those of the core
     * only if the pass has an input part
     * @param pass a backward
     */
    void Backward(LayerEmitter& writer, ComputePass pass) const;

  private:
    /**
     * @param bytes bytes of a rank
     * @return a pass to the next rank
     */
    RankCollective MakePass(uint64_t bytes) const;

    /**
     * @param kind AllGather or ReduceScatter
     * @param bytes input bytes
     * @return the collective
     */
    static RankCollective Make(CollectiveKind kind, uint64_t bytes);

    /// @param writer receives the core of a forward with its exchange
    void Attend(LayerEmitter& writer) const;

    /// @param writer receives the core of a backward with its exchange
    void AttendBackward(LayerEmitter& writer) const;

    const WorkloadSpec& m_spec; //!< the job
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CONTEXT_EMITTER_H
