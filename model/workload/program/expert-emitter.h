// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_EXPERT_EMITTER_H
#define PHOTONIC_RAILS_EXPERT_EMITTER_H

#include "layer-emitter.h"
#include "partial-sums.h"
#include "tensor-emitter.h"
#include "workload-spec.h"

#include "ns3/expert-routing.h"

#include <cstdint>

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

} // namespace ns3

#endif // PHOTONIC_RAILS_EXPERT_EMITTER_H
