// SPDX-License-Identifier: GPL-2.0-only

#include "tensor-emitter.h"

#include <algorithm>

namespace ns3
{

uint64_t
GetVocabularyShare(const WorkloadSpec& spec)
{
    const uint64_t step = std::max<uint64_t>(1, spec.rules.vocabularyMultiple);
    const uint64_t parts = step * spec.parallelism.tp;
    return (spec.model.vocabulary + parts - 1) / parts * step;
}

std::unique_ptr<TensorEmitter>
TensorEmitter::Create(const WorkloadSpec& spec)
{
    if (spec.rules.tensorParallelism == TensorParallelStyle::MEGATRON)
    {
        return std::make_unique<MegatronEmitter>(spec);
    }
    return std::make_unique<DtensorEmitter>(spec);
}

TensorEmitter::TensorEmitter(const WorkloadSpec& spec)
    : m_spec(spec)
{
}

uint64_t
TensorEmitter::GetValueBytes() const
{
    return ns3::GetBytes(m_spec.parallelism.GetPrecision(m_spec.rules));
}

uint64_t
TensorEmitter::GetBytes(uint64_t width) const
{
    return m_spec.parallelism.GetContextTokens() * width * GetValueBytes();
}

RankCollective
TensorEmitter::Make(CollectiveKind kind, uint64_t bytes)
{
    return {Dimension::TP, GroupRole::TP, kind, bytes, nullptr};
}

void
TensorEmitter::Enter(LayerEmitter& writer, uint64_t width) const
{
    if (m_spec.rules.sequenceParallel)
    {
        writer.Collective(
            " gather tokens",
            Make(CollectiveKind::ALL_GATHER, GetBytes(width) / m_spec.parallelism.tp));
    }
}

void
TensorEmitter::Leave(LayerEmitter& writer, uint64_t width) const
{
    if (m_spec.rules.sequenceParallel)
    {
        writer.Collective(" scatter tokens", Make(CollectiveKind::REDUCE_SCATTER, GetBytes(width)));
    }
    else
    {
        writer.Collective(" sum", Make(CollectiveKind::ALL_REDUCE, GetBytes(width)));
    }
}

void
TensorEmitter::LeaveEmbedding(LayerEmitter& writer) const
{
    Leave(writer, m_spec.model.hidden);
}

void
TensorEmitter::LeaveBackward(LayerEmitter& writer, uint64_t width) const
{
    Enter(writer, width);
}

void
TensorEmitter::EnterBackward(LayerEmitter& writer, uint64_t width) const
{
    Leave(writer, width);
}

void
TensorEmitter::Loss(LayerEmitter& writer) const
{
    const uint64_t tokens = m_spec.parallelism.GetContextTokens();
    if (!m_spec.rules.lossParallel)
    {
        writer.Collective(" gather scores",
                          Make(CollectiveKind::ALL_GATHER, GetBytes(GetVocabularyShare(m_spec))));
        return;
    }
    for (const char* part : {" loss maximum", " loss sum", " loss target"})
    {
        writer.Collective(part, Make(CollectiveKind::ALL_REDUCE, tokens * FP32_BYTES));
    }
}

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
        const auto scatter = Make(CollectiveKind::REDUCE_SCATTER,
                                  GetBytes(uint64_t{attention.kvRank} + attention.ropeDim));
        const bool isScattered = !GetSpec().rules.multipliesPartialSums;
        if (HasInputPart(pass))
        {
            if (attention.queryRank > 0)
            {
                writer.Collective(" query latent gradient",
                                  Make(CollectiveKind::ALL_REDUCE, GetBytes(attention.queryRank)));
            }
            writer.Collective(" latent gradient",
                              Make(CollectiveKind::ALL_REDUCE, GetBytes(attention.kvRank)));
            if (isScattered)
            {
                writer.Collective(" latent gradient for inputs", scatter);
            }
        }
        if (HasWeightPart(pass) && isScattered)
        {
            writer.Collective(" latent gradient for weights", scatter);
        }
    }
    if (HasInputPart(pass))
    {
        EnterBackward(writer, GetSpec().model.hidden);
    }
}

bool
DtensorEmitter::AttendsAgain() const
{
    return false; // the result of attention is kept
}

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

bool
MegatronEmitter::AttendsAgain() const
{
    return true;
}

} // namespace ns3
