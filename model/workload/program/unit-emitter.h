// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_UNIT_EMITTER_H
#define PHOTONIC_RAILS_UNIT_EMITTER_H

#include "rank-program-emitter.h"
#include "tensor-emitter.h"
#include "workload-spec.h"

#include "ns3/compute-model.h"
#include "ns3/expert-routing.h"
#include "ns3/layer-operators.h"
#include "ns3/sharding-plan.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @brief A mixture of experts on one rank: routing, experts of other ranks, shared experts.
 *
 * DTENSOR (TorchTitan, expert_parallel.py, and parallelize.py of llama4 and deepseek_v3): tokens
 * are gathered over TP, and every TP rank scores all of them. If expert parallelism uses TP ranks
 * (expertTp below tp), each TP rank then routes its share. An AllToAll of token counts (int64)
 * precedes the AllToAll of tokens, and another AllToAll returns the results. Backward is the same
 * without counts. Ranks that split experts sum the gradients of the tokens they sent. Results are
 * scattered over TP. In a forward the returning AllToAll overlaps with the shared experts.
 *
 * MEGATRON (token_dispatcher.py, "alltoall"): every TP rank routes its part of the tokens. Counts
 * are gathered; tokens and their probabilities are exchanged by AllToAll. Ranks that split experts
 * gather the received tokens and scatter the results. Shared experts are a separate block of tensor
 * parallelism.
 */
class ExpertEmitter
{
  public:
    /**
     * @param spec the job, which must outlive this object
     * @param tensor tensor parallelism, which must outlive this object
     * @param index index of the rank in its expert-parallel group
     */
    ExpertEmitter(const WorkloadSpec& spec, const TensorEmitter& tensor, uint32_t index);

    /**
     * @param spec a job that passed validation
     * @return true if the experts of all ranks receive equally many tokens
     */
    static bool AreAlike(const WorkloadSpec& spec);

    /**
     * @param writer receives the steps of the second half of a layer
     * @param layer number of the layer
     */
    void Forward(LayerEmitter& writer, uint32_t layer) const;

    /**
     * @param writer receives the steps of the second half of a layer, backward
     * @param pass a backward
     * @param layer number of the layer
     */
    void Backward(LayerEmitter& writer, ComputePass pass, uint32_t layer) const;

  private:
    /**
     * @brief Backward of shared experts.
     * @param writer receives the steps
     * @param pass a backward
     */
    void BackwardShared(LayerEmitter& writer, ComputePass pass) const;

    /**
     * @param layer number of the layer
     * @param width elements of a row
     * @param isReturn true if rows return to their senders; the input is then the rows that the
     * experts received
     * @return the AllToAll
     */
    RankCollective MakeExchange(uint32_t layer, uint64_t width, bool isReturn) const;

    /**
     * @param writer receives the exchange of token counts and the exchange of tokens to the experts
     * @param layer number of the layer
     */
    void Dispatch(LayerEmitter& writer, uint32_t layer) const;

    /// @return bytes that this rank sends to experts, for rows of a given width
    uint64_t GetSentBytes(uint64_t width) const;

    /// @return bytes that this rank's experts receive, for rows of a given width
    uint64_t GetReceivedBytes(uint32_t layer, uint64_t width) const;

    /// @return rows that this rank's experts process
    uint64_t GetWork(uint32_t layer) const;

    /// @return true for MEGATRON
    bool IsMegatron() const;

    const WorkloadSpec& m_spec;    //!< the job
    const TensorEmitter& m_tensor; //!< tensor parallelism
    SharedProduct m_shared;        //!< last product of shared experts
    uint64_t m_valueBytes;         //!< bytes of an activation
    uint32_t m_index;              //!< index in the expert-parallel group
    uint64_t m_tokens;             //!< tokens of a micro-batch that this rank routes
    ExpertRouting m_routing;       //!< routing of these tokens
};

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

/**
 * @brief The steps of a rank in one unit of the model for one micro-batch: computations, and
 * collectives of tensor, context and expert parallelism.
 *
 * A pure function of its inputs. A layer without experts, with sequence parallelism, has these
 * steps: AllGather, attention, ReduceScatter, AllGather, feed-forward network, ReduceScatter. The
 * backward has the same steps in reverse order. The embedding adds a ReduceScatter and the output
 * projection an AllGather, and their backward adds the opposite collective. The total is 4 x layers
 * + 2 collectives of each kind per micro-batch.
 *
 * Recomputation belongs to the backward (to its input part, if the backward is split). FULL repeats
 * the whole forward of a layer, collectives included. The last collective is repeated although its
 * result is unused (TorchTitan sets early_stop=False; Megatron-LM's recordings show the same):
 * 6 x layers + 2. SELECTIVE computes the operators of LayerOperators::GetSelective, and repeats the
 * collectives whose results the framework does not keep (TensorEmitter).
 *
 * Routed experts are part of the steps of their LAYER; the EXPERTS unit has no steps.
 */
class UnitEmitter
{
  public:
    /**
     * @param spec a job that passed validation; must outlive this object
     * @param expertIndex index of the rank in its expert-parallel group
     */
    UnitEmitter(const WorkloadSpec& spec, uint32_t expertIndex);

    /**
     * @param unit a unit of the rank
     * @param pass a part of a training step
     * @return the steps
     */
    LayerSteps Get(const ShardingUnit& unit, ComputePass pass) const;

  private:
    /**
     * @param writer receives the steps of a layer
     * @param layer number of the layer
     */
    void WriteForward(LayerEmitter& writer, uint32_t layer) const;

    /**
     * @param writer receives the steps of a layer
     * @param layer number of the layer
     * @param pass a backward
     */
    void WriteBackward(LayerEmitter& writer, uint32_t layer, ComputePass pass) const;

    /**
     * @param writer receives the recomputation before the backward of a layer
     * @param layer number of the layer
     */
    void WriteAgain(LayerEmitter& writer, uint32_t layer) const;

    /**
     * @param writer receives the steps of the embedding
     * @param pass a part of a training step
     */
    void WriteEmbedding(LayerEmitter& writer, ComputePass pass) const;

    /**
     * @param writer receives the steps of final norm, output projection and loss
     * @param pass a part of a training step
     */
    void WriteOutput(LayerEmitter& writer, ComputePass pass) const;

    const WorkloadSpec& m_spec; //!< the job
    LayerOperators m_operators; //!< operators of the layers
    ComputeModel m_compute;     //!< computation times
    std::unique_ptr<TensorEmitter> m_tensor;
    ContextEmitter m_context;
    ExpertEmitter m_experts;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_UNIT_EMITTER_H
