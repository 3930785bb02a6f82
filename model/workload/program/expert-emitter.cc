// SPDX-License-Identifier: GPL-2.0-only

#include "expert-emitter.h"

namespace ns3
{

namespace
{

/// @return tokens of a micro-batch that one rank routes to experts
uint64_t
CountRouted(const WorkloadSpec& spec)
{
    const ParallelismSpec& degrees = spec.parallelism;
    const uint64_t tokens = degrees.GetContextTokens();
    if (spec.rules.tensorParallelism == TensorParallelStyle::MEGATRON)
    {
        return tokens / (spec.rules.sequenceParallel ? degrees.tp : 1);
    }
    return degrees.ep == 1 ? tokens : tokens * degrees.expertTp / degrees.tp;
}

/// @return a collective over the ranks that split experts
RankCollective
MakeExpertTp(CollectiveKind kind, uint64_t bytes)
{
    return {Dimension::TP, GroupRole::EXPERT_TP, kind, bytes};
}

} // namespace

ExpertEmitter::ExpertEmitter(const WorkloadSpec& spec, const TensorEmitter& tensor, uint32_t index)
    : m_spec(spec),
      m_tensor(tensor),
      m_shared(spec),
      m_valueBytes(GetBytes(spec.parallelism.GetPrecision(spec.rules))),
      m_index(index),
      m_tokens(CountRouted(spec)),
      m_routing(spec.model.moe.experts,
                spec.model.moe.topK,
                spec.parallelism.ep,
                m_tokens,
                spec.popularity)
{
}

bool
ExpertEmitter::AreAlike(const WorkloadSpec& spec)
{
    return spec.parallelism.ep == 1 || ExpertRouting(spec.model.moe.experts,
                                                     spec.model.moe.topK,
                                                     spec.parallelism.ep,
                                                     CountRouted(spec),
                                                     spec.popularity)
                                           .IsUniform();
}

bool
ExpertEmitter::IsMegatron() const
{
    return m_spec.rules.tensorParallelism == TensorParallelStyle::MEGATRON;
}

uint64_t
ExpertEmitter::GetSentBytes(uint64_t width) const
{
    return m_tokens * m_spec.model.moe.topK * width * m_valueBytes;
}

uint64_t
ExpertEmitter::GetReceivedBytes(uint32_t layer, uint64_t width) const
{
    return m_routing.GetReceived(layer, m_index) * width * m_valueBytes;
}

uint64_t
ExpertEmitter::GetWork(uint32_t layer) const
{
    // Ranks that split experts process the rows of all of them. With DTENSOR the rows already
    // include those of the other ranks.
    return m_routing.GetReceived(layer, m_index) * (IsMegatron() ? m_spec.parallelism.expertTp : 1);
}

RankCollective
ExpertEmitter::MakeExchange(uint32_t layer, uint64_t width, bool isReturn) const
{
    return {Dimension::EP,
            GroupRole::EP,
            CollectiveKind::ALL_TO_ALL,
            isReturn ? GetReceivedBytes(layer, width) : GetSentBytes(width),
            m_routing.GetSizes(layer, width * m_valueBytes, isReturn)};
}

void
ExpertEmitter::Dispatch(LayerEmitter& writer, uint32_t layer) const
{
    if (m_spec.parallelism.ep == 1)
    {
        return;
    }
    const uint64_t bytes = m_spec.model.moe.experts * COUNT_BYTES;
    const auto kind = IsMegatron() ? CollectiveKind::ALL_GATHER : CollectiveKind::ALL_TO_ALL;
    writer.Collective(" token counts", {Dimension::EP, GroupRole::EP, kind, bytes});
    writer.Collective(" dispatch", MakeExchange(layer, m_spec.model.hidden, false));
    if (IsMegatron())
    {
        writer.Collective(" dispatch probabilities", MakeExchange(layer, 1, false));
    }
}

void
ExpertEmitter::Forward(LayerEmitter& writer, uint32_t layer) const
{
    constexpr auto PASS = ComputePass::FORWARD;
    const uint64_t hidden = m_spec.model.hidden;
    const bool hasShared = m_spec.model.moe.sharedExperts > 0;
    const bool isSplit = m_spec.parallelism.expertTp > 1;
    const auto costs = writer.GetOperators().GetExperts(PASS, GetWork(layer));
    if (!IsMegatron())
    {
        m_tensor.Enter(writer, hidden);
    }
    writer.Compute(" router", {ModelBlock::ROUTER}, PASS);
    Dispatch(writer, layer);
    if (IsMegatron() && isSplit)
    {
        const uint64_t rows = GetReceivedBytes(layer, hidden + 1);
        writer.Collective(" gather rows", MakeExpertTp(CollectiveKind::ALL_GATHER, rows));
    }
    writer.Compute("", costs, true);
    if (IsMegatron() && isSplit)
    {
        const uint64_t rows = GetReceivedBytes(layer, hidden) * m_spec.parallelism.expertTp;
        writer.Collective(" scatter rows", MakeExpertTp(CollectiveKind::REDUCE_SCATTER, rows));
    }
    if (m_spec.parallelism.ep > 1)
    {
        const auto combine = MakeExchange(layer, hidden, true);
        if (hasShared && !IsMegatron())
        {
            writer.Beside(" combine", combine);
        }
        else
        {
            writer.Collective(" combine", combine);
        }
    }
    if (hasShared)
    {
        const std::string part = writer.GetPart();
        writer.SetPart(part + " shared");
        if (IsMegatron())
        {
            m_tensor.Enter(writer, hidden);
        }
        writer.Compute("", {ModelBlock::SHARED}, PASS);
        if (IsMegatron())
        {
            m_tensor.Leave(writer, hidden);
        }
        writer.SetPart(part);
    }
    writer.Compute(" combined", {ModelBlock::COMBINE}, PASS);
    if (!IsMegatron())
    {
        m_tensor.Leave(writer, hidden);
    }
}

void
ExpertEmitter::BackwardShared(LayerEmitter& writer, ComputePass pass) const
{
    const uint64_t hidden = m_spec.model.hidden;
    const bool hasInput = HasInputPart(pass);
    const std::string part = writer.GetPart();
    writer.SetPart(part + " shared");
    if (IsMegatron() && hasInput)
    {
        m_tensor.LeaveBackward(writer, hidden);
    }
    m_tensor.BeforeWeights(writer, pass, hidden);
    const auto write = [&writer](const auto& collectives) {
        for (const auto& collective : collectives)
        {
            writer.Collective(" result gradient", collective);
        }
    };
    if (hasInput)
    {
        write(m_shared.Before(false));
    }
    if (HasWeightPart(pass))
    {
        write(m_shared.Before(true));
    }
    writer.Compute("", {ModelBlock::SHARED}, pass);
    if (hasInput)
    {
        write(m_shared.After(false, m_valueBytes));
    }
    if (IsMegatron() && hasInput)
    {
        m_tensor.EnterBackward(writer, hidden);
    }
    else if (hasInput)
    {
        // w1 and w3 take plain tensors; DTensor reduces the gradient of the input for each of
        // them.
        const uint64_t bytes = m_spec.parallelism.GetContextTokens() * hidden * m_valueBytes;
        for (uint32_t i = 0; i < (m_spec.model.gatedFfn ? 2U : 1U); ++i)
        {
            writer.Collective(" input gradient",
                              TensorEmitter::Make(CollectiveKind::ALL_REDUCE, bytes));
        }
    }
    writer.SetPart(part);
}

void
ExpertEmitter::Backward(LayerEmitter& writer, ComputePass pass, uint32_t layer) const
{
    const uint64_t hidden = m_spec.model.hidden;
    const bool hasInput = HasInputPart(pass);
    const bool isSplit = m_spec.parallelism.expertTp > 1;
    const auto costs = writer.GetOperators().GetExperts(pass, GetWork(layer));
    if (hasInput && !IsMegatron())
    {
        m_tensor.LeaveBackward(writer, hidden);
    }
    writer.Compute(" combined", {ModelBlock::COMBINE}, pass);
    if (m_spec.model.moe.sharedExperts > 0)
    {
        BackwardShared(writer, pass);
    }
    if (hasInput && m_spec.parallelism.ep > 1)
    {
        writer.Collective(" combine gradient", MakeExchange(layer, hidden, false));
    }
    if (hasInput && IsMegatron() && isSplit)
    {
        writer.Collective(
            " gather row gradients",
            MakeExpertTp(CollectiveKind::ALL_GATHER, GetReceivedBytes(layer, hidden)));
    }
    writer.Compute("", costs, true);
    if (hasInput && IsMegatron() && isSplit)
    {
        const uint64_t rows = GetReceivedBytes(layer, hidden + 1) * m_spec.parallelism.expertTp;
        writer.Collective(" scatter row gradients",
                          MakeExpertTp(CollectiveKind::REDUCE_SCATTER, rows));
    }
    if (hasInput && m_spec.parallelism.ep > 1)
    {
        writer.Collective(" dispatch gradient", MakeExchange(layer, hidden, true));
        if (IsMegatron())
        {
            writer.Collective(" dispatch probability gradients", MakeExchange(layer, 1, true));
        }
    }
    if (hasInput && !IsMegatron() && isSplit)
    {
        writer.Collective(" sum row gradients",
                          MakeExpertTp(CollectiveKind::ALL_REDUCE, GetSentBytes(hidden)));
    }
    writer.Compute(" router", {ModelBlock::ROUTER}, pass);
    // With sequence parallelism DTensor takes the gradient of the gathered input to be Replicate,
    // so that each rank keeps its part (PrepareModuleInputOutput, use_local_input).
    if (hasInput && !IsMegatron() && !m_spec.rules.sequenceParallel)
    {
        m_tensor.EnterBackward(writer, hidden);
    }
}

} // namespace ns3
