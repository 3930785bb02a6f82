// SPDX-License-Identifier: GPL-2.0-only

#include "tensor-emitter.h"

#include <algorithm>

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

uint64_t
GetVocabularyShare(const WorkloadSpec& spec)
{
    const uint64_t step = std::max<uint64_t>(1, spec.rules.vocabularyMultiple);
    const uint64_t parts = step * spec.parallelism.tp;
    return (spec.model.vocabulary + parts - 1) / parts * step;
}

namespace
{

/**
 * @brief Tensor parallelism as planned by TorchTitan (models' parallelize.py) and executed by
 * PyTorch's DTensor.
 *
 * In addition to gathering and scattering tokens, latent attention: the part of the keys with
 * position is shared by all heads, and the heads are split. The gradient of wkv_a's result is
 * therefore Partial. Unless products take partial sums, DTensor scatters this gradient separately
 * for the two products that use it, the gradients of input and weight. The gradient of the input of
 * wkv_b, and likewise of wq_b, becomes Replicate for the norm before it. The result of wq_a is used
 * by that norm only, so its gradient is already complete. GetPartialGradients has the gradients of
 * weights.
 */
class DtensorEmitter : public TensorEmitter
{
  public:
    /// @param spec the job
    explicit DtensorEmitter(const WorkloadSpec& spec)
        : TensorEmitter(spec)
    {
    }

    void BeforeWeights(LayerEmitter&, ComputePass, uint64_t) const override
    {
        // Gathered inputs are kept.
    }

    void EnterAttention(LayerEmitter& writer) const override
    {
        Enter(writer, GetSpec().model.hidden);
    }

    void BeforeAttentionWeights(LayerEmitter&, ComputePass) const override
    {
    }

    void EnterAttentionBackward(LayerEmitter& writer, ComputePass pass) const override
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
                    writer.Collective(
                        " query latent gradient",
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

    bool AttendsAgain() const override
    {
        return false; // the result of attention is kept
    }
};

/**
 * @brief Tensor parallelism of Megatron-LM's hand-written layers (core/tensor_parallel/layers.py).
 *
 * With sequence parallelism a column-parallel layer keeps only this rank's part of its input, and
 * its backward gathers the input again for the gradient of the weight. Gradients of norms, and of
 * all other parameters that every TP rank holds, are summed once at the end of the step
 * (finalize_model_grads.py), see OptimizerEmitter.
 *
 * Learned positions are added to whole embeddings, which are split only afterwards: an AllReduce
 * replaces the ReduceScatter (core/models/common/embeddings/language_model_embedding.py).
 *
 * Latent attention (core/transformer/multi_latent_attention.py): down projections are replicated
 * and process this rank's tokens. The latents before the up projections, and the part of the keys
 * with position, are gathered.
 */
class MegatronEmitter : public TensorEmitter
{
  public:
    /// @param spec the job
    explicit MegatronEmitter(const WorkloadSpec& spec)
        : TensorEmitter(spec)
    {
    }

    void BeforeWeights(LayerEmitter& writer, ComputePass pass, uint64_t width) const override
    {
        if (HasWeightPart(pass) && GetSpec().rules.sequenceParallel)
        {
            writer.Collective(
                " gather input",
                Make(CollectiveKind::ALL_GATHER, GetBytes(width) / GetSpec().parallelism.tp));
        }
    }

    void LeaveEmbedding(LayerEmitter& writer) const override
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

    void EnterAttention(LayerEmitter& writer) const override
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

    void BeforeAttentionWeights(LayerEmitter& writer, ComputePass pass) const override
    {
        for (const uint64_t width : GetInputWidths())
        {
            BeforeWeights(writer, pass, width);
        }
    }

    void EnterAttentionBackward(LayerEmitter& writer, ComputePass pass) const override
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

    bool AttendsAgain() const override
    {
        return true;
    }

  private:
    /// @return widths of the inputs of attention's column-parallel products
    std::vector<uint64_t> GetInputWidths() const
    {
        const TransformerSpec& model = GetSpec().model;
        if (model.attention.kind != AttentionSpec::LATENT)
        {
            return {model.hidden};
        }
        return {model.attention.queryRank > 0 ? model.attention.queryRank : model.hidden,
                model.attention.kvRank};
    }

    /// @return gathered width in addition to these inputs that is used in no product; may be 0
    uint64_t GetKeyWidth() const
    {
        const AttentionSpec& attention = GetSpec().model.attention;
        return attention.kind == AttentionSpec::LATENT ? attention.ropeDim : 0;
    }
};

} // namespace

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
    return {Dimension::TP, GroupRole::TP, kind, bytes};
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

} // namespace ns3
