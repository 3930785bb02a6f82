// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_UNIT_STEPS_H
#define PHOTONIC_RAILS_UNIT_STEPS_H

#include "context-steps.h"
#include "expert-steps.h"
#include "layer-step-writer.h"
#include "layer-step.h"
#include "tensor-steps.h"
#include "workload-spec.h"

#include "ns3/compute-model.h"
#include "ns3/layer-operators.h"
#include "ns3/sharding-plan.h"

#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @brief What a rank does in one unit of the model on one micro-batch: computations, and
 * collectives of tensor, context and expert parallelism.
 *
 * A pure function of its inputs. A layer without experts, with sequence parallelism: AllGather,
 * attention, ReduceScatter, AllGather, feed-forward network, ReduceScatter; backward the same from
 * behind. With the embedding's ReduceScatter and the output projection's AllGather, and the other
 * of the two backward, that is 4 x layers + 2 of each kind per micro-batch.
 *
 * Recomputation belongs to the backward (to its input part, if it is split). FULL runs the whole
 * forward of a layer again, collectives included, with the last of them too, though nothing needs
 * it (TorchTitan sets early_stop=False; Megatron-LM's rows show it): 6 x layers + 2. SELECTIVE
 * computes what LayerOperators::GetSelective says, and repeats the collectives that the framework
 * does not keep the results of (TensorSteps).
 *
 * Routed experts are part of the steps of their LAYER; their own unit has none.
 */
class UnitSteps
{
  public:
    /**
     * @param spec a job that passed validation; must outlive this object
     * @param expertIndex of the rank in its expert-parallel group
     */
    UnitSteps(const WorkloadSpec& spec, uint32_t expertIndex);

    /**
     * @param unit of the rank
     * @param pass which part of a training step
     * @return the steps
     */
    LayerSteps Get(const ShardingUnit& unit, ComputePass pass) const;

  private:
    /**
     * @param writer takes the steps of a layer
     * @param layer which
     */
    void WriteForward(LayerStepWriter& writer, uint32_t layer) const;

    /**
     * @param writer takes the steps of a layer
     * @param unit the layer
     * @param pass a backward
     */
    void WriteBackward(LayerStepWriter& writer, const ShardingUnit& unit, ComputePass pass) const;

    /**
     * @param writer takes what is done again before the backward of a layer
     * @param layer which
     */
    void WriteAgain(LayerStepWriter& writer, uint32_t layer) const;

    /**
     * @param writer takes the steps of the embedding
     * @param pass which
     */
    void WriteEmbedding(LayerStepWriter& writer, ComputePass pass) const;

    /**
     * @param writer takes the steps of final norm, output projection and loss
     * @param unit the output
     * @param pass which
     */
    void WriteOutput(LayerStepWriter& writer, const ShardingUnit& unit, ComputePass pass) const;

    const WorkloadSpec& m_spec; //!< the job
    LayerOperators m_operators; //!< of its layers
    ComputeModel m_compute;     //!< durations
    std::unique_ptr<TensorSteps> m_tensor;
    ContextSteps m_context;
    ExpertSteps m_experts;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_UNIT_STEPS_H
