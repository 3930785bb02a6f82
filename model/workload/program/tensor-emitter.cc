// SPDX-License-Identifier: GPL-2.0-only

#include "tensor-emitter.h"

#include "dtensor-emitter.h"
#include "megatron-emitter.h"

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

const WorkloadSpec&
TensorEmitter::GetSpec() const
{
    return m_spec;
}

uint64_t
TensorEmitter::GetBytes(uint64_t width) const
{
    return m_spec.parallelism.GetContextTokens() * width * BF16_BYTES;
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
        writer.Collective(
            " gather scores",
            Make(CollectiveKind::ALL_GATHER, tokens * GetVocabularyShare(m_spec) * BF16_BYTES));
        return;
    }
    for (const char* part : {" loss maximum", " loss sum", " loss target"})
    {
        writer.Collective(part, Make(CollectiveKind::ALL_REDUCE, tokens * FP32_BYTES));
    }
}

} // namespace ns3
