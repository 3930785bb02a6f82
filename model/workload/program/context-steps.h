// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CONTEXT_STEPS_H
#define PHOTONIC_RAILS_CONTEXT_STEPS_H

#include "layer-step-writer.h"
#include "workload-spec.h"

namespace ns3
{

/**
 * @brief Attention of one rank, whose keys and values may be on other ranks (context parallelism).
 *
 * Every rank has cp-th parts of the sequences, cut so that a causal mask leaves all ranks the same
 * work. What is exchanged, K being the keys and values of a rank's own tokens in bf16:
 *
 * | style, exchange | forward | backward |
 * |---|---|---|
 * | DTENSOR, ALL_GATHER | AllGather of K | AllGather of K, cp passes of dK in fp32 |
 * | DTENSOR, RING | cp-1 passes of K | cp-1 passes of K, cp passes of dK in fp32 |
 * | MEGATRON, ALL_GATHER | AllGather of K | AllGather of K, ReduceScatter of dK in bf16 |
 * | MEGATRON, RING | cp-1 passes of K | cp-1 passes of K, cp-1 passes of dK in bf16 |
 *
 * A pass is an AllToAll in which each rank sends all it has to the next one. PyTorch does it so
 * (torch/distributed/tensor/experimental/_attention.py: gradients always go round, whatever the
 * rotate method); Transformer Engine uses Send and Recv (context_parallel.py, which Megatron-LM
 * calls) and joins the passes of K and dK of a step. An exchange of PyTorch runs beside the part of
 * attention that is computed meanwhile; so do passes of Transformer Engine.
 */
class ContextSteps
{
  public:
    /// @param spec the job, which must outlive this object
    explicit ContextSteps(const WorkloadSpec& spec);

    /// @return bytes of keys and values of a rank's own tokens
    uint64_t GetKeyValueBytes() const;

    /// @param writer takes attention, from the projections to the result
    void Forward(LayerStepWriter& writer) const;

    /**
     * @brief Recomputation of the core of attention only.
     * @param writer takes the exchange
     */
    void Again(LayerStepWriter& writer) const;

    /**
     * @param writer takes the gradients of the result and of the core, the latter with the input
     * part only; those of the projections are left
     * @param pass a backward
     */
    void Backward(LayerStepWriter& writer, ComputePass pass) const;

  private:
    /**
     * @param bytes of a rank
     * @return a pass to the next rank
     */
    RankCollective MakePass(uint64_t bytes) const;

    /**
     * @param kind AllGather or ReduceScatter
     * @param bytes input bytes
     * @return the collective
     */
    static RankCollective Make(CollectiveKind kind, uint64_t bytes);

    /// @param writer takes the core of a forward with its exchange
    void Attend(LayerStepWriter& writer) const;

    /// @param writer takes the core of a backward with its exchange
    void AttendBackward(LayerStepWriter& writer) const;

    const WorkloadSpec& m_spec; //!< the job
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CONTEXT_STEPS_H
