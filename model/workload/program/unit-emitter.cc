// SPDX-License-Identifier: GPL-2.0-only

#include "unit-emitter.h"

#include "ns3/collective-call.h"

#include <algorithm>

namespace ns3
{

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
