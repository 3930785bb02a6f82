// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LAYER_EMITTER_H
#define PHOTONIC_RAILS_LAYER_EMITTER_H

#include "rank-program.h"

#include "ns3/compute-model.h"
#include "ns3/layer-operators.h"
#include "ns3/nstime.h"

#include <string>
#include <vector>

namespace ns3
{

/// One step of a rank through a unit of the model: a computation or a collective.
struct LayerStep
{
    bool isCollective{false};
    bool isBeside{false};      //!< a collective that overlaps with the next computation; only steps
                               //!< after that computation wait for the collective
    bool needsExperts{false};  //!< a computation with the parameters of routed experts
    RankCollective collective; //!< only if isCollective
    Time duration;             //!< duration of a computation
    double flops{0};           //!< FLOPs of a computation
    std::string label;         //!< suffix after the names of pass and unit: " attention"
};

/// Steps in the order of issue; each step waits for the previous one.
using LayerSteps = std::vector<LayerStep>;

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
class LayerEmitter
{
  public:
    /**
     * @param operators operators of a layer; must outlive the writer
     * @param compute computation times; must outlive the writer
     */
    LayerEmitter(const LayerOperators& operators, const ComputeModel& compute);

    /// @param part prefix of the labels of the following steps, such as " recomputed"
    void SetPart(const std::string& part)
    {
        m_part = part;
    }

    /// @return the prefix of labels
    const std::string& GetPart() const
    {
        return m_part;
    }

    /**
     * @brief Compute blocks of the model, one after the other.
     * @param label label for output
     * @param blocks blocks of the model
     * @param pass a part of a step
     * @param share share of the computation, at most 1
     */
    void Compute(const std::string& label,
                 const std::vector<ModelBlock>& blocks,
                 ComputePass pass,
                 double share = 1);

    /**
     * @param label label for output
     * @param costs costs of operators
     * @param needsExperts true if the operators use parameters of routed experts
     */
    void Compute(const std::string& label, const OperatorCosts& costs, bool needsExperts = false);

    /**
     * @param label label for output
     * @param collective a collective for which all later steps wait
     */
    void Collective(const std::string& label, const RankCollective& collective);

    /**
     * @param label label for output
     * @param collective a collective that overlaps with the next computation
     */
    void Beside(const std::string& label, const RankCollective& collective);

    /// @return the operators of the blocks
    const LayerOperators& GetOperators() const
    {
        return m_operators;
    }

    /// @return the steps; the writer is empty afterwards
    LayerSteps Take();

  private:
    const LayerOperators& m_operators;
    const ComputeModel& m_compute;
    std::string m_part; //!< prefix of labels
    LayerSteps m_steps; //!< steps written so far
};

} // namespace ns3

#endif // PHOTONIC_RAILS_LAYER_EMITTER_H
