// SPDX-License-Identifier: GPL-2.0-only

#include "partial-sums.h"

#include "tensor-emitter.h"

namespace ns3
{

PartialProduct
ChooseProduct(uint64_t sumBytes, uint64_t otherBytes, uint32_t ranks, uint32_t gpusPerDomain)
{
    // Microseconds, and bytes in GiB: MeshTopoInfo, allgather_cost and their like.
    constexpr double BASE_LATENCY = 6.6;
    constexpr double EXCHANGE_PENALTY = 1.0;
    const bool isInside = ranks <= gpusPerDomain;
    const double hopLatency = isInside ? 0.6 : 2.7;
    const double bandwidth = 87.7 * (isInside ? 1 : 0.22) * (1ULL << 30) / 1e6;
    const auto cost = [=](double bytes, double passes) {
        const double hops = passes * (ranks - 1);
        return BASE_LATENCY + hops * hopLatency + bytes * hops / ranks / bandwidth;
    };
    const auto sum = static_cast<double>(sumBytes);
    const auto other = static_cast<double>(otherBytes);
    const double exchange = cost(sum, 1) + cost(other / ranks, 1) + EXCHANGE_PENALTY;
    const double gather = cost(sum, 1) + cost(other, 1);
    const double reduce = cost(sum, 2);
    // The first of equal costs wins, in this order.
    if (exchange <= gather && exchange <= reduce)
    {
        return PartialProduct::EXCHANGE;
    }
    return gather <= reduce ? PartialProduct::GATHER : PartialProduct::REDUCE;
}

SharedProduct::SharedProduct(const WorkloadSpec& spec)
    : m_valueBytes(GetBytes(spec.parallelism.GetPrecision(spec.rules))),
      m_tokens(spec.parallelism.GetContextTokens()),
      m_hidden(spec.model.hidden),
      m_tp(spec.parallelism.tp),
      m_gpusPerDomain(spec.parallelism.gpusPerDomain)
{
    const FrameworkRules& rules = spec.rules;
    if (rules.tensorParallelism == TensorParallelStyle::DTENSOR && rules.sequenceParallel &&
        !rules.multipliesPartialSums && m_tp > 1)
    {
        m_inner = uint64_t{spec.model.moe.sharedExperts} * spec.model.moe.ffn;
    }
}

PartialProduct
SharedProduct::Choose(bool isWeight) const
{
    // DTensor takes the weight's size from the fp32 parameter that FSDP shards, although products
    // use bf16 (fsdp/_fully_shard/_fsdp_param.py, init_unsharded_param).
    const uint64_t other =
        m_inner * (isWeight ? m_tokens * m_valueBytes : m_hidden * GetBytes(Precision::FP32));
    return ChooseProduct(m_tokens * m_hidden * m_valueBytes, other, m_tp, m_gpusPerDomain);
}

std::vector<RankCollective>
SharedProduct::Before(bool isWeight) const
{
    if (m_inner == 0)
    {
        return {};
    }
    const PartialProduct choice = Choose(isWeight);
    const uint64_t sum = m_tokens * m_hidden * m_valueBytes;
    if (choice == PartialProduct::REDUCE)
    {
        return {TensorEmitter::Make(CollectiveKind::ALL_REDUCE, sum)};
    }
    const uint64_t other = (isWeight ? m_tokens : m_hidden) * m_inner / m_tp * m_valueBytes;
    return {TensorEmitter::Make(CollectiveKind::REDUCE_SCATTER, sum),
            TensorEmitter::Make(choice == PartialProduct::EXCHANGE ? CollectiveKind::ALL_TO_ALL
                                                                   : CollectiveKind::ALL_GATHER,
                                other)};
}

std::vector<RankCollective>
SharedProduct::After(bool isWeight, uint64_t valueBytes) const
{
    if (m_inner == 0)
    {
        return {};
    }
    const uint64_t bytes = (isWeight ? m_hidden : m_tokens) * m_inner * valueBytes;
    switch (Choose(isWeight))
    {
    case PartialProduct::EXCHANGE:
        return {TensorEmitter::Make(CollectiveKind::REDUCE_SCATTER, bytes)};
    case PartialProduct::GATHER:
        return {TensorEmitter::Make(CollectiveKind::ALL_TO_ALL, bytes / m_tp)};
    default:
        return {};
    }
}

std::vector<PartialGradient>
GetPartialGradients(const WorkloadSpec& spec, const ShardingUnit& unit)
{
    std::vector<PartialGradient> gradients;
    if (spec.rules.tensorParallelism != TensorParallelStyle::DTENSOR || spec.parallelism.tp == 1)
    {
        return gradients;
    }
    const bool isAddedUp = spec.parallelism.HasDataParallelism() && spec.parallelism.pp > 1;
    const uint64_t bytes =
        GetBytes(isAddedUp ? spec.rules.gradients : spec.parallelism.GetPrecision(spec.rules));
    const auto add = [&gradients, bytes](const char* label, uint64_t parameters) {
        gradients.push_back(
            {label, TensorEmitter::Make(CollectiveKind::ALL_REDUCE, parameters * bytes)});
    };
    for (const auto& tensor : unit.tensors)
    {
        const bool isNorm = tensor.part == ModelPart::ATTENTION_NORM ||
                            tensor.part == ModelPart::FFN_NORM ||
                            tensor.part == ModelPart::FINAL_NORM;
        if (isNorm && spec.rules.sequenceParallel)
        {
            add(" norm gradient", tensor.GetSize());
        }
    }
    if (unit.kind != ShardingUnit::LAYER)
    {
        return gradients;
    }
    const AttentionSpec& attention = spec.model.attention;
    if (attention.kind == AttentionSpec::LATENT)
    {
        add(" latent weight gradient",
            (uint64_t{attention.kvRank} + attention.ropeDim) * spec.model.hidden);
    }
    if (spec.model.IsMoeLayer(unit.layer))
    {
        for (const auto& collective : SharedProduct(spec).After(true, bytes))
        {
            gradients.push_back({" shared weight gradient", collective});
        }
    }
    return gradients;
}

} // namespace ns3
