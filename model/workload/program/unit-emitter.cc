// SPDX-License-Identifier: GPL-2.0-only

#include "unit-emitter.h"

#include "ns3/collective-call.h"

#include <algorithm>

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

namespace
{

constexpr auto CORE = ModelBlock::ATTENTION;

} // namespace

ContextEmitter::ContextEmitter(const WorkloadSpec& spec)
    : m_spec(spec)
{
}

uint64_t
ContextEmitter::GetKeyValueBytes() const
{
    const AttentionSpec& attention = m_spec.model.attention;
    const uint64_t tp = m_spec.parallelism.tp;
    const uint64_t heads = attention.heads / tp;
    uint64_t width = heads * (uint64_t{attention.GetQueryDim()} + attention.GetValueDim());
    if (attention.kind == AttentionSpec::GROUPED_QUERY)
    {
        // If there are more ranks than heads, several ranks hold the same head.
        const uint64_t kvHeads =
            m_spec.rules.repeatsKeys ? heads : std::max<uint64_t>(1, attention.kvHeads / tp);
        width = 2 * kvHeads * attention.headDim;
    }
    return m_spec.parallelism.GetContextTokens() * width *
           GetBytes(m_spec.parallelism.GetPrecision(m_spec.rules));
}

RankCollective
ContextEmitter::Make(CollectiveKind kind, uint64_t bytes)
{
    return {Dimension::CP, GroupRole::CP, kind, bytes};
}

RankCollective
ContextEmitter::MakePass(uint64_t bytes) const
{
    const uint32_t ranks = m_spec.parallelism.cp;
    std::vector<uint64_t> sizes(ranks, 0);
    sizes[1] = bytes; // to the next rank
    RankCollective pass = Make(CollectiveKind::ALL_TO_ALL, bytes);
    pass.sizes = Create<AllToAllSizes>(std::move(sizes), AllToAllSizes::Pattern{ranks - 1, 1});
    return pass;
}

void
ContextEmitter::Forward(LayerEmitter& writer) const
{
    constexpr auto PASS = ComputePass::FORWARD;
    if (m_spec.parallelism.cp == 1)
    {
        writer.Compute("", {ModelBlock::PROJECTION, CORE, ModelBlock::CONTEXT}, PASS);
        return;
    }
    writer.Compute(" projections", {ModelBlock::PROJECTION}, PASS);
    Attend(writer);
    writer.Compute(" result", {ModelBlock::CONTEXT}, PASS);
}

void
ContextEmitter::Again(LayerEmitter& writer) const
{
    if (m_spec.parallelism.cp == 1)
    {
        return;
    }
    const uint32_t passes =
        m_spec.rules.context == ContextExchange::RING ? m_spec.parallelism.cp - 1 : 1;
    const auto exchange = m_spec.rules.context == ContextExchange::RING
                              ? MakePass(GetKeyValueBytes())
                              : Make(CollectiveKind::ALL_GATHER, GetKeyValueBytes());
    for (uint32_t i = 0; i < passes; ++i)
    {
        writer.Collective(" keys", exchange);
    }
}

void
ContextEmitter::Attend(LayerEmitter& writer) const
{
    constexpr auto PASS = ComputePass::FORWARD;
    const uint32_t cp = m_spec.parallelism.cp;
    const double share = 1.0 / cp;
    if (m_spec.rules.context == ContextExchange::ALL_GATHER)
    {
        const auto gather = Make(CollectiveKind::ALL_GATHER, GetKeyValueBytes());
        if (m_spec.rules.tensorParallelism == TensorParallelStyle::MEGATRON)
        {
            writer.Collective(" keys", gather);
            writer.Compute(" core", {CORE}, PASS);
            return;
        }
        writer.Beside(" keys", gather);
        writer.Compute(" core 0", {CORE}, PASS, share);
        writer.Compute(" core", {CORE}, PASS, 1 - share);
        return;
    }
    const auto pass = MakePass(GetKeyValueBytes());
    for (uint32_t i = 0; i < cp; ++i)
    {
        if (i + 1 < cp)
        {
            writer.Beside(" keys", pass);
        }
        writer.Compute(" core " + std::to_string(i), {CORE}, PASS, share);
    }
}

void
ContextEmitter::AttendBackward(LayerEmitter& writer) const
{
    constexpr auto PASS = ComputePass::BACKWARD_INPUT;
    const uint32_t cp = m_spec.parallelism.cp;
    const bool isRing = m_spec.rules.context == ContextExchange::RING;
    const bool isMegatron = m_spec.rules.tensorParallelism == TensorParallelStyle::MEGATRON;
    const uint64_t bytes = GetKeyValueBytes();
    const auto gather = Make(CollectiveKind::ALL_GATHER, bytes);
    if (isMegatron && !isRing)
    {
        writer.Collective(" keys", gather);
        writer.Compute(" core", {CORE}, PASS);
        writer.Collective(" key gradients", Make(CollectiveKind::REDUCE_SCATTER, bytes * cp));
        return;
    }
    const auto pass = MakePass(bytes);
    const auto back = isMegatron ? pass : MakePass(bytes / BF16_BYTES * FP32_BYTES);
    for (uint32_t i = 0; i < cp; ++i)
    {
        if (isRing ? i + 1 < cp : i == 0)
        {
            writer.Beside(" keys", isRing ? pass : gather);
        }
        writer.Compute(" core " + std::to_string(i), {CORE}, PASS, 1.0 / cp);
        if (i + 1 < cp)
        {
            writer.Beside(" key gradients", back);
        }
        else if (!isMegatron)
        {
            writer.Collective(" key gradients", back);
        }
    }
}

void
ContextEmitter::Backward(LayerEmitter& writer, ComputePass pass) const
{
    if (m_spec.parallelism.cp > 1 && HasInputPart(pass))
    {
        writer.Compute(" result", {ModelBlock::CONTEXT}, pass);
        AttendBackward(writer);
        writer.Compute(" projections", {ModelBlock::PROJECTION}, pass);
        return;
    }
    writer.Compute("", {ModelBlock::CONTEXT, CORE, ModelBlock::PROJECTION}, pass);
}

UnitEmitter::UnitEmitter(const WorkloadSpec& spec, uint32_t expertIndex)
    : m_spec(spec),
      m_operators(spec.model, spec.parallelism, spec.rules),
      m_compute(spec.gpu, spec.efficiency),
      m_tensor(TensorEmitter::Create(spec)),
      m_context(spec),
      m_experts(spec, *m_tensor, expertIndex)
{
}

LayerSteps
UnitEmitter::Get(const ShardingUnit& unit, ComputePass pass) const
{
    LayerEmitter writer(m_operators, m_compute);
    switch (unit.kind)
    {
    case ShardingUnit::EMBEDDING:
        WriteEmbedding(writer, pass);
        break;
    case ShardingUnit::LAYER:
        if (pass == ComputePass::FORWARD)
        {
            WriteForward(writer, unit.layer);
        }
        else
        {
            if (HasInputPart(pass))
            {
                WriteAgain(writer, unit.layer);
            }
            WriteBackward(writer, unit.layer, pass);
        }
        break;
    case ShardingUnit::EXPERTS:
        break;
    case ShardingUnit::OUTPUT:
        WriteOutput(writer, pass);
        break;
    }
    return writer.Take();
}

void
UnitEmitter::WriteEmbedding(LayerEmitter& writer, ComputePass pass) const
{
    const uint64_t hidden = m_spec.model.hidden;
    if (pass == ComputePass::FORWARD)
    {
        writer.Compute("", {ModelBlock::EMBEDDING}, pass);
        m_tensor->LeaveEmbedding(writer);
    }
    else if (HasWeightPart(pass)) // tokens have no gradient
    {
        m_tensor->LeaveBackward(writer, hidden);
        writer.Compute("", {ModelBlock::EMBEDDING}, pass);
    }
}

void
UnitEmitter::WriteForward(LayerEmitter& writer, uint32_t layer) const
{
    constexpr auto PASS = ComputePass::FORWARD;
    const uint64_t hidden = m_spec.model.hidden;
    const std::string part = writer.GetPart();
    writer.SetPart(part + " attention");
    m_tensor->EnterAttention(writer);
    m_context.Forward(writer);
    m_tensor->Leave(writer, hidden);
    if (m_spec.model.IsMoeLayer(layer))
    {
        writer.SetPart(part + " experts");
        m_experts.Forward(writer, layer);
        return;
    }
    writer.SetPart(part + " feed-forward");
    m_tensor->Enter(writer, hidden);
    writer.Compute("", {ModelBlock::FFN}, PASS);
    m_tensor->Leave(writer, hidden);
}

void
UnitEmitter::WriteBackward(LayerEmitter& writer, uint32_t layer, ComputePass pass) const
{
    const uint64_t hidden = m_spec.model.hidden;
    if (m_spec.model.IsMoeLayer(layer))
    {
        writer.SetPart(" experts");
        m_experts.Backward(writer, pass, layer);
    }
    else
    {
        writer.SetPart(" feed-forward");
        if (HasInputPart(pass))
        {
            m_tensor->LeaveBackward(writer, hidden);
        }
        m_tensor->BeforeWeights(writer, pass, hidden);
        writer.Compute("", {ModelBlock::FFN}, pass);
        if (HasInputPart(pass))
        {
            m_tensor->EnterBackward(writer, hidden);
        }
    }
    writer.SetPart(" attention");
    if (HasInputPart(pass))
    {
        m_tensor->LeaveBackward(writer, hidden);
    }
    m_tensor->BeforeAttentionWeights(writer, pass);
    m_context.Backward(writer, pass);
    m_tensor->EnterAttentionBackward(writer, pass);
}

void
UnitEmitter::WriteAgain(LayerEmitter& writer, uint32_t layer) const
{
    writer.SetPart(" recomputed");
    if (m_spec.rules.recomputation == Recomputation::FULL)
    {
        WriteForward(writer, layer);
        return;
    }
    if (m_spec.rules.recomputation == Recomputation::NONE)
    {
        return;
    }
    const auto compute = [this, &writer](std::initializer_list<ModelBlock> blocks) {
        OperatorCosts costs;
        for (const auto block : blocks)
        {
            const OperatorCosts own = m_operators.GetSelective(block);
            costs.insert(costs.end(), own.begin(), own.end());
        }
        if (!costs.empty())
        {
            writer.Compute("", costs);
        }
    };
    writer.SetPart(" recomputed attention");
    if (m_operators.RepeatsGather(ModelBlock::PROJECTION))
    {
        m_tensor->EnterAttention(writer);
    }
    if (m_tensor->AttendsAgain())
    {
        m_context.Again(writer);
    }
    compute({ModelBlock::PROJECTION, ModelBlock::ATTENTION, ModelBlock::CONTEXT});
    const bool isMoe = m_spec.model.IsMoeLayer(layer);
    writer.SetPart(isMoe ? " recomputed experts" : " recomputed feed-forward");
    if (m_operators.RepeatsGather(isMoe ? ModelBlock::ROUTER : ModelBlock::FFN))
    {
        m_tensor->Enter(writer, m_spec.model.hidden);
    }
    if (isMoe)
    {
        compute({ModelBlock::ROUTER, ModelBlock::EXPERTS, ModelBlock::SHARED, ModelBlock::COMBINE});
    }
    else
    {
        compute({ModelBlock::FFN});
    }
}

void
UnitEmitter::WriteOutput(LayerEmitter& writer, ComputePass pass) const
{
    const uint64_t hidden = m_spec.model.hidden;
    if (pass == ComputePass::FORWARD)
    {
        m_tensor->Enter(writer, hidden);
        writer.Compute("", {ModelBlock::OUTPUT}, pass);
        m_tensor->Loss(writer);
        writer.Compute(" loss", {ModelBlock::LOSS}, pass);
        return;
    }
    m_tensor->BeforeWeights(writer, pass, hidden);
    writer.Compute("", {ModelBlock::LOSS, ModelBlock::OUTPUT}, pass);
    if (HasInputPart(pass))
    {
        m_tensor->EnterBackward(writer, hidden);
    }
}

} // namespace ns3
