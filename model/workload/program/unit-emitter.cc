// SPDX-License-Identifier: GPL-2.0-only

#include "unit-emitter.h"

namespace ns3
{

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
            WriteBackward(writer, unit, pass);
        }
        break;
    case ShardingUnit::EXPERTS:
        break;
    case ShardingUnit::OUTPUT:
        WriteOutput(writer, unit, pass);
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
UnitEmitter::WriteBackward(LayerEmitter& writer, const ShardingUnit& unit, ComputePass pass) const
{
    const uint64_t hidden = m_spec.model.hidden;
    if (m_spec.model.IsMoeLayer(unit.layer))
    {
        writer.SetPart(" experts");
        m_experts.Backward(writer, pass, unit.layer);
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
    m_tensor->FinishNorm(writer, pass, unit.tensors, ModelPart::FFN_NORM);
    writer.SetPart(" attention");
    if (HasInputPart(pass))
    {
        m_tensor->LeaveBackward(writer, hidden);
    }
    m_tensor->BeforeAttentionWeights(writer, pass);
    m_context.Backward(writer, pass);
    m_tensor->EnterAttentionBackward(writer, pass);
    m_tensor->FinishNorm(writer, pass, unit.tensors, ModelPart::ATTENTION_NORM);
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
UnitEmitter::WriteOutput(LayerEmitter& writer, const ShardingUnit& unit, ComputePass pass) const
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
    m_tensor->FinishNorm(writer, pass, unit.tensors, ModelPart::FINAL_NORM);
}

} // namespace ns3
