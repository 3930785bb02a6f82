// SPDX-License-Identifier: GPL-2.0-only

#include "tensor-steps.h"

#include "dtensor-steps.h"
#include "megatron-steps.h"

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

std::unique_ptr<TensorSteps>
TensorSteps::Create(const WorkloadSpec& spec)
{
    if (spec.rules.tensorParallelism == TensorParallelStyle::MEGATRON)
    {
        return std::make_unique<MegatronSteps>(spec);
    }
    return std::make_unique<DtensorSteps>(spec);
}

TensorSteps::TensorSteps(const WorkloadSpec& spec)
    : m_spec(spec)
{
}

const WorkloadSpec&
TensorSteps::GetSpec() const
{
    return m_spec;
}

uint64_t
TensorSteps::GetBytes(uint64_t width) const
{
    return m_spec.parallelism.GetContextTokens() * width * BF16_BYTES;
}

RankCollective
TensorSteps::Make(CollectiveKind kind, uint64_t bytes)
{
    return {Dimension::TP, GroupRole::TP, kind, bytes, nullptr};
}

void
TensorSteps::Enter(LayerStepWriter& writer, uint64_t width) const
{
    if (m_spec.rules.sequenceParallel)
    {
        writer.Collective(
            " gather tokens",
            Make(CollectiveKind::ALL_GATHER, GetBytes(width) / m_spec.parallelism.tp));
    }
}

void
TensorSteps::Leave(LayerStepWriter& writer, uint64_t width) const
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
TensorSteps::LeaveEmbedding(LayerStepWriter& writer) const
{
    Leave(writer, m_spec.model.hidden);
}

void
TensorSteps::LeaveBackward(LayerStepWriter& writer, uint64_t width) const
{
    Enter(writer, width);
}

void
TensorSteps::EnterBackward(LayerStepWriter& writer, uint64_t width) const
{
    Leave(writer, width);
}

void
TensorSteps::Loss(LayerStepWriter& writer) const
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
