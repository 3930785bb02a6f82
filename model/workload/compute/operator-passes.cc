// SPDX-License-Identifier: GPL-2.0-only

#include "operator-passes.h"

#include "number-bytes.h"

namespace ns3
{

namespace
{

/// Append a cost to a list unless the cost is zero.
void
AppendOperator(OperatorCosts& costs, const OperatorCost& cost)
{
    if (cost.flops > 0 || cost.bytes > 0)
    {
        costs.push_back(cost);
    }
}

} // namespace

void
OperatorPasses::Product(const ParameterTensor& tensor,
                        double tokens,
                        uint32_t parts,
                        uint32_t expertParts)
{
    const double split = tensor.split == TensorSplit::REPLICATED ? 1 : parts;
    const bool isRow = tensor.split == TensorSplit::ROW;
    const auto inputs = static_cast<double>(tensor.inputs);
    const auto outputs = static_cast<double>(tensor.outputs);
    const double weights = inputs * outputs * tensor.experts / split / expertParts;
    const double results = tokens * (isRow ? inputs / split + outputs : inputs + outputs / split);
    OperatorPass pass;
    pass.forward = {tensor.name,
                    tensor.experts > 1 ? OperatorKind::GROUPED_MATMUL : OperatorKind::MATMUL,
                    2 * tokens * inputs * outputs / split,
                    BF16_BYTES * (weights + results)};
    pass.input = pass.forward;
    pass.weight = pass.forward;
    pass.isCounted = tensor.part != ModelPart::ROUTER && tensor.part != ModelPart::EXPERT;
    Add(pass);
}

void
OperatorPasses::Memory(const std::string& name, double forward, double backward)
{
    OperatorPass pass;
    pass.forward = {name, OperatorKind::MEMORY, 0, forward};
    pass.input = {name, OperatorKind::MEMORY, 0, backward};
    pass.weight = {name, OperatorKind::MEMORY, 0, 0};
    Add(pass);
}

void
OperatorPasses::Norm(const std::string& name, double values)
{
    Memory(name, 2 * BF16_BYTES * values, 3 * BF16_BYTES * values);
}

void
OperatorPasses::Residual(double values)
{
    Memory("residual", 3 * BF16_BYTES * values, 3 * BF16_BYTES * values);
}

void
OperatorPasses::Activation(double values, bool isGated)
{
    // Forward reads one or two inputs and writes one result; backward also reads and writes
    // gradients.
    Memory(isGated ? "SwiGLU" : "GELU",
           (isGated ? 3 : 2) * BF16_BYTES * values,
           (isGated ? 5 : 3) * BF16_BYTES * values);
}

void
OperatorPasses::Add(const OperatorPass& pass)
{
    m_passes.push_back(pass);
}

const std::vector<OperatorPass>&
OperatorPasses::Get() const
{
    return m_passes;
}

OperatorCosts
OperatorPasses::GetCosts(ComputePass pass) const
{
    OperatorCosts costs;
    const bool isBackward = pass == ComputePass::BACKWARD;
    for (const auto& own : m_passes)
    {
        if (pass == ComputePass::FORWARD)
        {
            AppendOperator(costs, own.forward);
        }
        else if (isBackward || pass == ComputePass::BACKWARD_INPUT)
        {
            AppendOperator(costs, own.input);
        }
    }
    if (isBackward || pass == ComputePass::BACKWARD_WEIGHT)
    {
        for (const auto& own : m_passes)
        {
            AppendOperator(costs, own.weight);
        }
    }
    return costs;
}

} // namespace ns3
