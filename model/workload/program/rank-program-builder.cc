// SPDX-License-Identifier: GPL-2.0-only

#include "rank-program-builder.h"

#include <algorithm>

namespace ns3
{

namespace
{

// How many AllGathers of a pass may be under way or done when its first unit starts to compute;
// each later one waits for a unit's end. See the class's documentation.
constexpr std::size_t FORWARD_GATHERS_AHEAD = 3;
constexpr std::size_t BACKWARD_GATHERS_AHEAD = 2;

constexpr uint64_t BF16_BYTES = 2;
constexpr uint64_t FP32_BYTES = 4;

/**
 * @param unit an FSDP unit
 * @return its name
 */
std::string
GetName(const ShardingUnit& unit)
{
    switch (unit.kind)
    {
    case ShardingUnit::EMBEDDING:
        return "embedding";
    case ShardingUnit::LAYER:
        return "layer " + std::to_string(unit.layer);
    default:
        return "output";
    }
}

} // namespace

RankProgramBuilder::RankProgramBuilder(const WorkloadSpec& spec,
                                       const DeviceMesh& mesh,
                                       uint32_t rank)
    : m_spec(spec),
      m_stage(mesh.GetCoordinate(rank).pp),
      m_operators(spec.model, spec.parallelism, spec.rules),
      m_plan(spec.model, spec.parallelism, spec.rules, m_stage),
      m_compute(spec.gpu, spec.efficiency),
      m_activationBytes(spec.parallelism.GetContextTokens() / spec.parallelism.tp *
                        spec.model.hidden * BF16_BYTES),
      m_writer(mesh, rank, ScaleUpModel(spec.gpu)),
      m_units(m_plan.GetUnits().size())
{
}

std::shared_ptr<const RankProgram>
RankProgramBuilder::Build(const WorkloadSpec& spec, const DeviceMesh& mesh, uint32_t rank)
{
    RankProgramBuilder builder(spec, mesh, rank);
    return std::make_shared<const RankProgram>(builder.Write());
}

std::vector<RankOperation>
RankProgramBuilder::Write()
{
    const ParallelismSpec& parallelism = m_spec.parallelism;
    const auto actions = PipelineSchedule::Make(parallelism.GetPipeline(), m_stage);
    for (const auto& action : actions)
    {
        if (action.IsTransfer())
        {
            WriteTransfer(action);
        }
        else if (action.kind == PipelineAction::WAIT)
        {
            for (uint32_t transfer : m_batches[action.batch])
            {
                m_writer.Wait(transfer);
            }
        }
        else
        {
            WritePass(action.kind, action.microBatch);
        }
    }
    WriteReductions();
    WriteOptimizerStep();
    return m_writer.Take();
}

void
RankProgramBuilder::WritePass(PipelineAction::Kind kind, uint32_t microBatch)
{
    const bool isForward = kind == PipelineAction::FORWARD;
    const auto& units = m_plan.GetUnits();
    const std::string pass =
        (isForward ? "forward " : "backward ") + std::to_string(microBatch) + " ";
    const std::size_t ahead = isForward ? FORWARD_GATHERS_AHEAD : BACKWARD_GATHERS_AHEAD;
    auto at = [&units, isForward](std::size_t position) {
        return isForward ? position : units.size() - 1 - position;
    };
    for (std::size_t position = 0; position < std::min(ahead, units.size()); ++position)
    {
        Gather(at(position), pass + GetName(units[at(position)]));
    }
    for (std::size_t position = 0; position < units.size(); ++position)
    {
        const std::size_t index = at(position);
        if (m_units[index].gather)
        {
            m_writer.Wait(*m_units[index].gather);
            m_units[index].gather.reset();
        }
        const std::string label = pass + GetName(units[index]);
        if (isForward)
        {
            WriteForward(units[index], label);
            ReshardAfterForward(index);
        }
        else
        {
            WriteBackward(units[index], label);
            if ((m_spec.parallelism.pp == 1))
            {
                Reduce(index);
            }
        }
        if (position + ahead < units.size())
        {
            const std::size_t next = at(position + ahead);
            Gather(next, pass + GetName(units[next]));
        }
    }
}

void
RankProgramBuilder::WriteTransfer(const PipelineAction& action)
{
    const bool isSend = action.kind == PipelineAction::SEND_ACTIVATION ||
                        action.kind == PipelineAction::SEND_GRADIENT;
    const bool isActivation = action.kind == PipelineAction::SEND_ACTIVATION ||
                              action.kind == PipelineAction::RECV_ACTIVATION;
    RankProgramWriter::Collective transfer;
    transfer.dimension = Dimension::PP;
    transfer.role = isSend == isActivation ? GroupRole::PP_NEXT : GroupRole::PP_PREVIOUS;
    transfer.kind = isSend ? CollectiveKind::SEND : CollectiveKind::RECV;
    transfer.bytes = m_activationBytes;
    transfer.label = std::string(isSend ? "send " : "receive ") +
                     (isActivation ? "activation " : "gradient ") +
                     std::to_string(action.microBatch);

    // Batches follow each other on the pipeline's communicator; the two streams alone would only
    // order sends among sends.
    std::vector<uint32_t> dependencies = m_writer.GetFront();
    if (action.batch > 0)
    {
        const Batch& before = m_batches[action.batch - 1];
        dependencies.insert(dependencies.end(), before.begin(), before.end());
    }
    m_batches[action.batch].push_back(m_writer.Parallel(transfer, std::move(dependencies)));
}

void
RankProgramBuilder::WriteReductions()
{
    if (!(m_spec.parallelism.pp == 1))
    {
        for (std::size_t index = 0; index < m_units.size(); ++index)
        {
            Reduce(index);
        }
    }
    if (m_lastReduce)
    {
        m_writer.Wait(*m_lastReduce);
    }
}

void
RankProgramBuilder::WriteOptimizerStep()
{
    const uint64_t parameters = m_plan.GetShardParameters();
    uint64_t norms = 0;
    for (const auto& unit : m_plan.GetUnits())
    {
        norms += unit.tensors.size() * FP32_BYTES;
    }
    m_writer.Compute("gradient norm", m_compute.GetTime(LayerOperators::GetNorm(parameters)));
    WriteAllReduce(Dimension::FSDP, GroupRole::FSDP, norms, "gradient norm over fsdp");
    WriteAllReduce(Dimension::TP, GroupRole::TP, norms, "gradient norm over tp");
    WriteAllReduce(Dimension::PP, GroupRole::PP, FP32_BYTES, "gradient norm over pp");
    m_writer.Compute("clip and Adam", m_compute.GetTime(LayerOperators::GetOptimizer(parameters)));
    for (const char* label : {"mean loss", "maximum loss", "tokens"})
    {
        WriteAllReduce(Dimension::DP, GroupRole::DATA, FP32_BYTES, label);
    }
}

void
RankProgramBuilder::WriteForward(const ShardingUnit& unit, const std::string& pass)
{
    switch (unit.kind)
    {
    case ShardingUnit::EMBEDDING:
        m_writer.Compute(pass, Time(0)); // a table look-up
        WriteTp(CollectiveKind::REDUCE_SCATTER, pass);
        break;
    case ShardingUnit::EXPERTS:
        break;
    case ShardingUnit::LAYER:
        WriteForwardBlock(pass + " attention",
                          {ModelBlock::PROJECTION, ModelBlock::ATTENTION, ModelBlock::CONTEXT},
                          true);
        WriteForwardBlock(pass + " feed-forward", {ModelBlock::FFN}, true);
        break;
    case ShardingUnit::OUTPUT:
        WriteForwardBlock(pass, {ModelBlock::OUTPUT, ModelBlock::LOSS}, false);
        for (const char* part : {" loss maximum", " loss sum", " loss target"})
        {
            WriteAllReduce(Dimension::TP,
                           GroupRole::TP,
                           m_spec.parallelism.GetTokens() * FP32_BYTES,
                           pass + part);
        }
        break;
    }
}

void
RankProgramBuilder::WriteBackward(const ShardingUnit& unit, const std::string& pass)
{
    switch (unit.kind)
    {
    case ShardingUnit::EMBEDDING:
        WriteTp(CollectiveKind::ALL_GATHER, pass);
        m_writer.Compute(pass, Time(0));
        break;
    case ShardingUnit::EXPERTS:
        break;
    case ShardingUnit::LAYER:
        if (m_spec.rules.recomputation == Recomputation::FULL)
        {
            WriteForward(unit, pass + " recomputed");
        }
        WriteBackwardBlock(pass + " feed-forward", {ModelBlock::FFN}, true);
        WriteBackwardBlock(pass + " attention",
                           {ModelBlock::PROJECTION, ModelBlock::ATTENTION, ModelBlock::CONTEXT},
                           true);
        break;
    case ShardingUnit::OUTPUT:
        WriteBackwardBlock(pass, {ModelBlock::OUTPUT, ModelBlock::LOSS}, false);
        break;
    }
}

void
RankProgramBuilder::WriteForwardBlock(const std::string& label,
                                      const std::vector<ModelBlock>& blocks,
                                      bool isReduced)
{
    WriteTp(CollectiveKind::ALL_GATHER, label);
    m_writer.Compute(label, GetTime(blocks, ComputePass::FORWARD));
    if (isReduced)
    {
        WriteTp(CollectiveKind::REDUCE_SCATTER, label);
    }
}

void
RankProgramBuilder::WriteBackwardBlock(const std::string& label,
                                       const std::vector<ModelBlock>& blocks,
                                       bool isReduced)
{
    if (isReduced)
    {
        WriteTp(CollectiveKind::ALL_GATHER, label);
    }
    m_writer.Compute(label, GetTime(blocks, ComputePass::BACKWARD));
    WriteTp(CollectiveKind::REDUCE_SCATTER, label);
    WriteAllReduce(Dimension::TP,
                   GroupRole::TP,
                   m_spec.model.hidden * BF16_BYTES,
                   label + " norm gradient");
}

Time
RankProgramBuilder::GetTime(const std::vector<ModelBlock>& blocks, ComputePass pass) const
{
    OperatorCosts costs;
    for (const auto block : blocks)
    {
        const OperatorCosts own = m_operators.Get(block, pass);
        costs.insert(costs.end(), own.begin(), own.end());
    }
    return m_compute.GetTime(costs);
}

void
RankProgramBuilder::WriteTp(CollectiveKind kind, const std::string& label)
{
    const bool isGather = kind == CollectiveKind::ALL_GATHER;
    m_writer.Serial({Dimension::TP,
                     GroupRole::TP,
                     kind,
                     isGather ? m_activationBytes : m_activationBytes * m_spec.parallelism.tp,
                     label + (isGather ? " gather tokens" : " scatter tokens")});
}

void
RankProgramBuilder::WriteAllReduce(Dimension dimension,
                                   GroupRole role,
                                   uint64_t bytes,
                                   const std::string& label)
{
    m_writer.Serial({dimension, role, CollectiveKind::ALL_REDUCE, bytes, label});
}

void
RankProgramBuilder::Gather(std::size_t index, const std::string& label)
{
    UnitState& state = m_units[index];
    if (state.isGathered || !m_writer.HasPeers(GroupRole::FSDP))
    {
        return;
    }
    state.isGathered = true;
    state.gather = m_writer.Parallel({Dimension::FSDP,
                                      GroupRole::FSDP,
                                      CollectiveKind::ALL_GATHER,
                                      m_plan.GetUnits()[index].shardParameters * BF16_BYTES,
                                      label + " parameters"},
                                     m_writer.GetFront());
}

void
RankProgramBuilder::Reduce(std::size_t index)
{
    if (!m_writer.HasPeers(GroupRole::FSDP))
    {
        return;
    }
    // One input buffer at a time: the gradients of a unit are copied in when the ReduceScatter
    // before it has ended, and computation waits for the copy.
    if (m_lastReduce)
    {
        m_writer.Wait(*m_lastReduce);
    }
    const ShardingUnit& unit = m_plan.GetUnits()[index];
    m_lastReduce = m_writer.Parallel({Dimension::FSDP,
                                      GroupRole::FSDP,
                                      CollectiveKind::REDUCE_SCATTER,
                                      unit.shardParameters * m_spec.parallelism.fsdp * FP32_BYTES,
                                      GetName(unit) + " gradients"},
                                     m_writer.GetFront());
    m_units[index] = UnitState();
}

void
RankProgramBuilder::ReshardAfterForward(std::size_t index)
{
    const ReshardPolicy policy = m_spec.rules.reshard;
    const bool isOutput = m_plan.GetUnits()[index].kind == ShardingUnit::OUTPUT;
    if (policy == ReshardPolicy::ALWAYS || (policy == ReshardPolicy::DEFAULT && !isOutput))
    {
        m_units[index].isGathered = false;
    }
}

} // namespace ns3
