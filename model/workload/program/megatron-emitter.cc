// SPDX-License-Identifier: GPL-2.0-only

#include "megatron-emitter.h"

namespace ns3
{

MegatronEmitter::MegatronEmitter(const WorkloadSpec& spec)
    : TensorEmitter(spec)
{
}

void
MegatronEmitter::BeforeWeights(LayerEmitter& writer, ComputePass pass, uint64_t width) const
{
    if (HasWeightPart(pass) && GetSpec().rules.sequenceParallel)
    {
        writer.Collective(
            " gather input",
            Make(CollectiveKind::ALL_GATHER, GetBytes(width) / GetSpec().parallelism.tp));
    }
}

void
MegatronEmitter::LeaveEmbedding(LayerEmitter& writer) const
{
    const TransformerSpec& model = GetSpec().model;
    if (model.learnedPositions > 0)
    {
        writer.Collective(" sum", Make(CollectiveKind::ALL_REDUCE, GetBytes(model.hidden)));
    }
    else
    {
        Leave(writer, model.hidden);
    }
}

std::vector<uint64_t>
MegatronEmitter::GetInputWidths() const
{
    const TransformerSpec& model = GetSpec().model;
    if (model.attention.kind != AttentionSpec::LATENT)
    {
        return {model.hidden};
    }
    return {model.attention.queryRank > 0 ? model.attention.queryRank : model.hidden,
            model.attention.kvRank};
}

uint64_t
MegatronEmitter::GetKeyWidth() const
{
    const AttentionSpec& attention = GetSpec().model.attention;
    return attention.kind == AttentionSpec::LATENT ? attention.ropeDim : 0;
}

void
MegatronEmitter::EnterAttention(LayerEmitter& writer) const
{
    for (const uint64_t width : GetInputWidths())
    {
        Enter(writer, width);
    }
    if (GetKeyWidth() > 0)
    {
        Enter(writer, GetKeyWidth());
    }
}

void
MegatronEmitter::BeforeAttentionWeights(LayerEmitter& writer, ComputePass pass) const
{
    for (const uint64_t width : GetInputWidths())
    {
        BeforeWeights(writer, pass, width);
    }
}

void
MegatronEmitter::EnterAttentionBackward(LayerEmitter& writer, ComputePass pass) const
{
    if (!HasInputPart(pass))
    {
        return;
    }
    for (const uint64_t width : GetInputWidths())
    {
        EnterBackward(writer, width);
    }
    if (GetKeyWidth() > 0 && GetSpec().rules.sequenceParallel)
    {
        EnterBackward(writer, GetKeyWidth());
    }
}

void
MegatronEmitter::FinishNorm(LayerEmitter&, ComputePass, const ParameterTensors&, ModelPart) const
{
    // The gradients of all norms are reduced together at the end of the step.
}

bool
MegatronEmitter::AttendsAgain() const
{
    return true;
}

} // namespace ns3
