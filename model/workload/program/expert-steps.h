// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_EXPERT_STEPS_H
#define PHOTONIC_RAILS_EXPERT_STEPS_H

#include "layer-step-writer.h"
#include "tensor-steps.h"
#include "workload-spec.h"

#include "ns3/expert-routing.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief A mixture of experts on one rank: routing, experts of other ranks, shared experts.
 *
 * DTENSOR (TorchTitan, expert_parallel.py, and parallelize.py of llama4 and deepseek_v3): tokens
 * are gathered over TP, every TP rank scores all of them. If experts borrow TP (expertTp below tp)
 * each TP rank then routes its share. An AllToAll of token counts (int64) precedes the one of
 * tokens, and another one brings results back; backward the same way without counts. Ranks that
 * split experts sum the gradients of what they sent. Results are scattered over TP. In a forward
 * the way back runs beside the shared experts.
 *
 * MEGATRON (token_dispatcher.py, "alltoall"): every TP rank routes its part of the tokens; counts
 * are gathered, tokens and their probabilities go by AllToAll; ranks that split experts gather what
 * they got and scatter the results. Shared experts are a block of tensor parallelism of their own.
 */
class ExpertSteps
{
  public:
    /**
     * @param spec the job, which must outlive this object
     * @param tensor tensor parallelism, which must outlive this object
     * @param index of the rank in its expert-parallel group
     */
    ExpertSteps(const WorkloadSpec& spec, const TensorSteps& tensor, uint32_t index);

    /**
     * @param spec a job that passed validation
     * @return true if the experts of every rank get as much as those of every other rank
     */
    static bool AreAlike(const WorkloadSpec& spec);

    /// @return the routing of a micro-batch
    const ExpertRouting& GetRouting() const;

    /**
     * @param writer takes the second half of a layer
     * @param layer which
     */
    void Forward(LayerStepWriter& writer, uint32_t layer) const;

    /**
     * @param writer takes the second half of a layer, backward
     * @param pass a backward
     * @param layer which
     */
    void Backward(LayerStepWriter& writer, ComputePass pass, uint32_t layer) const;

  private:
    /**
     * @param layer which
     * @param width elements of a row
     * @param isReturn rows go back to whom they came from, so the input is what the experts got
     * @return the AllToAll
     */
    RankCollective MakeExchange(uint32_t layer, uint64_t width, bool isReturn) const;

    /**
     * @param writer takes token counts and tokens on their way to the experts
     * @param layer which
     */
    void Dispatch(LayerStepWriter& writer, uint32_t layer) const;

    /// @return bytes that this rank sends to experts, in rows of a width
    uint64_t GetSentBytes(uint64_t width) const;

    /// @return bytes that this rank's experts got, in rows of a width
    uint64_t GetReceivedBytes(uint32_t layer, uint64_t width) const;

    /// @return rows that this rank's experts work on
    uint64_t GetWork(uint32_t layer) const;

    /// @param writer takes the collectives that end the backward of a layer with DTENSOR
    void FinishDtensor(LayerStepWriter& writer) const;

    /// @return true for MEGATRON
    bool IsMegatron() const;

    const WorkloadSpec& m_spec;  //!< the job
    const TensorSteps& m_tensor; //!< tensor parallelism
    uint32_t m_index;            //!< in the expert-parallel group
    uint64_t m_tokens;           //!< of a micro-batch that this rank routes
    ExpertRouting m_routing;     //!< of them
};

} // namespace ns3

#endif // PHOTONIC_RAILS_EXPERT_STEPS_H
