// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LAYER_STEP_WRITER_H
#define PHOTONIC_RAILS_LAYER_STEP_WRITER_H

#include "layer-step.h"

#include "ns3/compute-model.h"
#include "ns3/layer-operators.h"
#include "ns3/number-bytes.h"

#include <string>
#include <vector>

namespace ns3
{

/// @return true if a pass computes gradients of inputs
constexpr bool
HasInputPart(ComputePass pass)
{
    return pass == ComputePass::BACKWARD || pass == ComputePass::BACKWARD_INPUT;
}

/// @return true if a pass computes gradients of weights
constexpr bool
HasWeightPart(ComputePass pass)
{
    return pass == ComputePass::BACKWARD || pass == ComputePass::BACKWARD_WEIGHT;
}

/// Writes the steps of one unit and pass.
class LayerStepWriter
{
  public:
    /**
     * @param operators of a layer; must outlive the writer
     * @param compute durations; must outlive the writer
     */
    LayerStepWriter(const LayerOperators& operators, const ComputeModel& compute);

    /// @param part what the labels of the following steps begin with, such as " recomputed"
    void SetPart(const std::string& part);

    /// @return what labels begin with
    const std::string& GetPart() const;

    /**
     * @brief Compute blocks of the model, one after the other.
     * @param label for people
     * @param blocks of the model
     * @param pass a part of a step
     * @param share how much of it, at most 1
     */
    void Compute(const std::string& label,
                 const std::vector<ModelBlock>& blocks,
                 ComputePass pass,
                 double share = 1);

    /**
     * @param label for people
     * @param costs of operators
     * @param needsExperts with parameters of routed experts
     */
    void Compute(const std::string& label, const OperatorCosts& costs, bool needsExperts = false);

    /**
     * @param label for people
     * @param collective that the rest waits for
     */
    void Collective(const std::string& label, const RankCollective& collective);

    /**
     * @param label for people
     * @param collective that runs beside the next computation
     */
    void Beside(const std::string& label, const RankCollective& collective);

    /// @return what computes blocks
    const LayerOperators& GetOperators() const;

    /// @return the steps; the writer is empty afterwards
    LayerSteps Take();

  private:
    const LayerOperators& m_operators;
    const ComputeModel& m_compute;
    std::string m_part; //!< what labels begin with
    LayerSteps m_steps; //!< so far
};

} // namespace ns3

#endif // PHOTONIC_RAILS_LAYER_STEP_WRITER_H
