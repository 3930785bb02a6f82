// SPDX-License-Identifier: GPL-2.0-only

#include "layer-operators.h"

namespace ns3
{

namespace
{

/// @return parameters of one part of a layer
double
Count(const ParameterTensors& tensors, ModelPart part)
{
    double sum = 0;
    for (const auto& tensor : tensors)
    {
        sum += tensor.part == part ? static_cast<double>(tensor.GetSize()) : 0;
    }
    return sum;
}

} // namespace

LayerOperators::LayerOperators(const TransformerSpec& model,
                               const ParallelismSpec& parallelism,
                               const FrameworkRules& rules)
    : m_model(model),
      m_parallelism(parallelism),
      m_rules(rules)
{
}

OperatorCosts
LayerOperators::Get(ModelBlock block, ComputePass pass) const
{
    const auto tokens = static_cast<double>(m_parallelism.GetContextTokens()) / m_parallelism.tp;
    const double passes = pass == ComputePass::BACKWARD ? 2 : 1;
    const ParameterTensors layer = m_model.GetLayerTensors(0);
    const AttentionSpec& attention = m_model.attention;
    switch (block)
    {
    case ModelBlock::PROJECTION:
        return {{"attention projections",
                 OperatorKind::MATMUL,
                 passes * 2 * tokens * Count(layer, ModelPart::ATTENTION),
                 0}};
    case ModelBlock::ATTENTION:
        return {{"scores and values",
                 OperatorKind::ATTENTION,
                 passes * tokens * attention.heads *
                     (attention.GetQueryDim() + attention.GetValueDim()) * m_parallelism.seqLen,
                 0}};
    case ModelBlock::FFN:
        return {{"feed-forward",
                 OperatorKind::MATMUL,
                 passes * 2 * tokens * Count(layer, ModelPart::FFN),
                 0}};
    case ModelBlock::OUTPUT:
        return {{"output projection",
                 OperatorKind::MATMUL,
                 passes * 2 * tokens * m_model.hidden * m_model.vocabulary,
                 0}};
    default:
        return {};
    }
}

OperatorCosts
LayerOperators::GetExperts(ComputePass, uint64_t) const
{
    return {};
}

OperatorCosts
LayerOperators::GetSelective(ModelBlock) const
{
    return {};
}

OperatorCosts
LayerOperators::GetNorm(uint64_t parameters)
{
    return {{"gradient norm", OperatorKind::MEMORY, 0, 4.0 * static_cast<double>(parameters)}};
}

OperatorCosts
LayerOperators::GetOptimizer(uint64_t parameters)
{
    return {{"clip and Adam", OperatorKind::MEMORY, 0, 9 * 4.0 * static_cast<double>(parameters)}};
}

} // namespace ns3
