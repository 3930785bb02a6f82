// SPDX-License-Identifier: GPL-2.0-only

#include "dtensor-emitter.h"

namespace ns3
{

DtensorEmitter::DtensorEmitter(const WorkloadSpec& spec)
    : TensorEmitter(spec)
{
}

void
DtensorEmitter::BeforeWeights(LayerEmitter&, ComputePass, uint64_t) const
{
    // Gathered inputs are kept.
}

void
DtensorEmitter::EnterAttention(LayerEmitter& writer) const
{
    Enter(writer, GetSpec().model.hidden);
}

void
DtensorEmitter::BeforeAttentionWeights(LayerEmitter&, ComputePass) const
{
}

void
DtensorEmitter::EnterAttentionBackward(LayerEmitter& writer, ComputePass pass) const
{
    const AttentionSpec& attention = GetSpec().model.attention;
    if (attention.kind == AttentionSpec::LATENT)
    {
        const uint64_t width = uint64_t{attention.kvRank} + attention.ropeDim;
        const auto scatter = Make(CollectiveKind::REDUCE_SCATTER, GetBytes(width));
        if (HasInputPart(pass))
        {
            if (attention.queryRank > 0)
            {
                writer.Collective(" query latent gradient",
                                  Make(CollectiveKind::ALL_REDUCE, GetBytes(attention.queryRank)));
            }
            writer.Collective(" latent gradient",
                              Make(CollectiveKind::ALL_REDUCE, GetBytes(attention.kvRank)));
            writer.Collective(" latent gradient for inputs", scatter);
        }
        if (HasWeightPart(pass))
        {
            writer.Collective(" latent gradient for weights", scatter);
            writer.Collective(
                " latent weight gradient",
                Make(CollectiveKind::ALL_REDUCE, width * GetSpec().model.hidden * BF16_BYTES));
        }
    }
    if (HasInputPart(pass))
    {
        EnterBackward(writer, GetSpec().model.hidden);
    }
}

void
DtensorEmitter::FinishNorm(LayerEmitter& writer,
                           ComputePass pass,
                           const ParameterTensors& tensors,
                           ModelPart part) const
{
    if (!GetSpec().rules.sequenceParallel || !HasWeightPart(pass))
    {
        return;
    }
    for (const auto& tensor : tensors)
    {
        if (tensor.part == part)
        {
            writer.Collective(" norm gradient",
                              Make(CollectiveKind::ALL_REDUCE, tensor.GetSize() * BF16_BYTES));
        }
    }
}

bool
DtensorEmitter::AttendsAgain() const
{
    return false; // the result of attention is kept
}

} // namespace ns3
