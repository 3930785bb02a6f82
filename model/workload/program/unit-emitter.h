// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_UNIT_EMITTER_H
#define PHOTONIC_RAILS_UNIT_EMITTER_H

#include "context-emitter.h"
#include "expert-emitter.h"
#include "layer-emitter.h"
#include "layer-step.h"
#include "tensor-emitter.h"
#include "workload-spec.h"

#include "ns3/compute-model.h"
#include "ns3/layer-operators.h"
#include "ns3/sharding-plan.h"

#include <cstdint>
#include <memory>

namespace ns3
{

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
     * @param unit the layer
     * @param pass a backward
     */
    void WriteBackward(LayerEmitter& writer, const ShardingUnit& unit, ComputePass pass) const;

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
     * @param unit the output
     * @param pass a part of a training step
     */
    void WriteOutput(LayerEmitter& writer, const ShardingUnit& unit, ComputePass pass) const;

    const WorkloadSpec& m_spec; //!< the job
    LayerOperators m_operators; //!< operators of the layers
    ComputeModel m_compute;     //!< computation times
    std::unique_ptr<TensorEmitter> m_tensor;
    ContextEmitter m_context;
    ExpertEmitter m_experts;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_UNIT_EMITTER_H
