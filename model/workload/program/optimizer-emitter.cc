// SPDX-License-Identifier: GPL-2.0-only

#include "optimizer-emitter.h"

#include "layer-emitter.h"
#include "partial-sums.h"
#include "tensor-emitter.h"

namespace ns3
{

OptimizerEmitter::OptimizerEmitter(const WorkloadSpec& spec,
                                   const RankModel& model,
                                   DataParallelEmitter& data,
                                   RankProgramEmitter& program)
    : m_spec(spec),
      m_model(model),
      m_data(data),
      m_program(program),
      m_compute(spec.gpu, spec.efficiency)
{
}

void
OptimizerEmitter::AllReduce(Dimension dimension,
                            GroupRole role,
                            uint64_t bytes,
                            const std::string& label)
{
    if (bytes > 0)
    {
        m_program.Serial({dimension, role, CollectiveKind::ALL_REDUCE, bytes, nullptr}, label);
    }
}

void
OptimizerEmitter::AllReduceModel(const std::string& label)
{
    const Dimension dimension = m_spec.parallelism.pp > 1 ? Dimension::PP : Dimension::TP;
    AllReduce(dimension, GroupRole::MODEL, FP32_BYTES, label);
}

void
OptimizerEmitter::Begin()
{
    if (m_spec.rules.statistics == StepStatistics::VALID_TOKENS)
    {
        AllReduce(Dimension::DP, GroupRole::BATCH, COUNT_BYTES, "valid tokens");
    }
}

void
OptimizerEmitter::End()
{
    WriteReplicated();
    m_program.Compute("gradient norm", m_compute, LayerOperators::GetNorm(m_data.GetOwned()));
    WriteNorm();
    if (m_spec.rules.balancesExperts)
    {
        uint64_t counts = 0;
        for (const auto& chunk : m_model.GetChunks())
        {
            for (const auto& unit : chunk.plan.GetUnits())
            {
                const bool isMoe =
                    unit.kind == ShardingUnit::LAYER && m_spec.model.IsMoeLayer(unit.layer);
                counts += isMoe ? m_spec.model.moe.experts : 0;
            }
        }
        AllReduce(Dimension::DP, GroupRole::DATA, counts * FP32_BYTES, "tokens of experts");
    }
    m_program.Compute("clip and Adam", m_compute, LayerOperators::GetOptimizer(m_data.GetOwned()));
    m_data.EndStep();
    if (m_spec.rules.norms == NormReduction::SCALAR)
    {
        AllReduceModel("success of the update");
        AllReduceModel("largest gradient norm");
    }
    WriteStatistics();
}

bool
OptimizerEmitter::HasTiedEmbedding() const
{
    const auto& chunks = m_model.GetChunks();
    const uint32_t last = m_spec.parallelism.GetPipeline().GetStages() - 1;
    const bool isFirst = chunks.front().stage == 0;
    const bool isLast = chunks.back().stage == last;
    return m_spec.model.tiedEmbeddings && isFirst != isLast;
}

void
OptimizerEmitter::WriteReplicated()
{
    const uint64_t gradient = GetBytes(m_spec.rules.gradients);
    if (m_spec.rules.tensorParallelism == TensorParallelStyle::MEGATRON &&
        m_spec.rules.sequenceParallel)
    {
        uint64_t parameters = 0;
        for (const auto& chunk : m_model.GetChunks())
        {
            for (const auto& unit : chunk.plan.GetUnits())
            {
                for (const auto& tensor : unit.tensors)
                {
                    const bool isWhole = tensor.split == TensorSplit::REPLICATED &&
                                         tensor.part != ModelPart::EMBEDDING &&
                                         tensor.part != ModelPart::EXPERT;
                    parameters += isWhole ? tensor.GetSize() : 0;
                }
            }
        }
        AllReduce(Dimension::TP, GroupRole::TP, parameters * gradient, "replicated gradients");
    }
    if (m_spec.rules.dataParallelism != DataParallelism::FSDP ||
        !m_spec.parallelism.HasDataParallelism())
    {
        WritePartial();
    }
    if (HasTiedEmbedding())
    {
        uint64_t parameters = GetVocabularyShare(m_spec) * m_spec.model.hidden;
        if (m_spec.rules.dataParallelism == DataParallelism::FSDP)
        {
            const uint64_t shards = m_program.GetSize(GroupRole::FSDP);
            parameters = (parameters + shards - 1) / shards;
        }
        AllReduce(Dimension::PP,
                  GroupRole::EMBEDDING,
                  parameters * gradient,
                  "tied embedding gradients");
    }
}

void
OptimizerEmitter::WritePartial()
{
    for (const auto& chunk : m_model.GetChunks())
    {
        for (const auto& unit : chunk.plan.GetUnits())
        {
            for (auto gradient : GetPartialGradients(m_spec, unit))
            {
                const std::string label = RankModel::GetName(unit) + gradient.label;
                for (uint32_t i = 0; i < m_spec.rules.gradientReductions; ++i)
                {
                    m_program.Serial(gradient.collective, label);
                }
            }
        }
    }
}

void
OptimizerEmitter::WriteNorm()
{
    if (m_spec.rules.norms == NormReduction::SCALAR)
    {
        if (m_spec.rules.dataParallelism == DataParallelism::DISTRIBUTED_OPTIMIZER)
        {
            AllReduce(Dimension::DP, GroupRole::WORLD, FP32_BYTES, "gradient norm over all ranks");
            return;
        }
        AllReduceModel("gradient norm over the model");
        return;
    }
    uint64_t dense = 0;
    uint64_t routed = 0;
    for (const auto& chunk : m_model.GetChunks())
    {
        for (const auto& unit : chunk.plan.GetUnits())
        {
            (unit.kind == ShardingUnit::EXPERTS ? routed : dense) += unit.tensors.size();
        }
    }
    AllReduce(Dimension::FSDP, GroupRole::FSDP, dense * FP32_BYTES, "gradient norm over fsdp");
    AllReduce(Dimension::FSDP,
              GroupRole::EXPERT_FSDP,
              routed * FP32_BYTES,
              "gradient norm over expert-fsdp");
    AllReduce(Dimension::TP, GroupRole::TP, dense * FP32_BYTES, "gradient norm over tp");
    AllReduce(Dimension::EP, GroupRole::EP, routed * FP32_BYTES, "gradient norm over ep");
    AllReduce(Dimension::TP,
              GroupRole::EXPERT_TP,
              routed * FP32_BYTES,
              "gradient norm over expert-tp");
    AllReduce(Dimension::PP, GroupRole::PP, FP32_BYTES, "gradient norm over pp");
}

void
OptimizerEmitter::WriteStatistics()
{
    switch (m_spec.rules.statistics)
    {
    case StepStatistics::NONE:
    case StepStatistics::VALID_TOKENS:
        break;
    case StepStatistics::LOSS:
        for (const auto& chunk : m_model.GetChunks())
        {
            if (chunk.stage + 1 == m_spec.parallelism.GetPipeline().GetStages())
            {
                AllReduce(Dimension::DP, GroupRole::DATA, 2 * FP32_BYTES, "loss and tokens");
            }
        }
        break;
    case StepStatistics::LOSS_TOKENS:
        AllReduce(Dimension::DP, GroupRole::DATA, FP32_BYTES, "mean loss");
        AllReduce(Dimension::DP, GroupRole::DATA, FP32_BYTES, "maximum loss");
        AllReduce(Dimension::DP, GroupRole::DATA, COUNT_BYTES, "tokens");
        break;
    }
}

} // namespace ns3
