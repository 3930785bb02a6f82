// SPDX-License-Identifier: GPL-2.0-only

#include "model-flops.h"

#include "ns3/assert.h"

namespace ns3
{

ModelFlops::ModelFlops(const TransformerSpec& model, uint32_t seqLen, Mask mask)
    : m_matmulParameters(uint64_t{model.vocabulary} * model.hidden)
{
    for (uint32_t layer = 0; layer < model.layers; ++layer)
    {
        for (const auto& tensor : model.GetLayerTensors(layer))
        {
            if (tensor.inputs > 1)
            {
                const uint32_t met = tensor.part == ModelPart::EXPERT ? model.moe.topK : 1;
                m_matmulParameters += tensor.outputs * tensor.inputs * met;
            }
        }
    }
    const AttentionSpec& attention = model.attention;
    const uint64_t width = attention.GetQueryDim() + attention.GetValueDim();
    // With a full mask 2 FLOPs per key, with a causal mask 2 FLOPs for every other key.
    m_attention = uint64_t{model.layers} * attention.heads * width * seqLen;
    m_attention *= mask == FULL ? 2 : 1;
}

uint64_t
ModelFlops::GetMatmulParameters() const
{
    return m_matmulParameters;
}

uint64_t
ModelFlops::GetAttention() const
{
    return m_attention;
}

uint64_t
ModelFlops::GetForward() const
{
    return 2 * m_matmulParameters + m_attention;
}

uint64_t
ModelFlops::GetStep() const
{
    return 3 * GetForward();
}

double
ModelFlops::GetMfu(Time step, uint64_t tokens, uint64_t gpus, double peakFlops) const
{
    NS_ASSERT_MSG(step.IsStrictlyPositive() && gpus > 0 && peakFlops > 0, "no time or no GPU");
    return static_cast<double>(GetStep()) * static_cast<double>(tokens) /
           (step.GetSeconds() * static_cast<double>(gpus) * peakFlops);
}

} // namespace ns3
