// SPDX-License-Identifier: GPL-2.0-only

#include "memory-estimate.h"

#include "rank-model.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace ns3
{

namespace
{

/// Bytes of a logit beside the activation: fp32 and an fp32 gradient.
constexpr uint64_t LOGIT_BYTES = 2 * FP32_BYTES;
/// Bytes of Adam's two moments.
constexpr uint64_t MOMENT_BYTES = 2 * FP32_BYTES;

/// Activations of a micro-batch that one layer keeps, in values of valueBytes unless named bytes.
struct LayerActivations
{
    double stream{0};              //!< inputs of the norms
    double inputs{0};              //!< results of the norms, which are inputs of products
    double products{0};            //!< results of products with weights, and of the rotation
    double attention{0};           //!< result of attention
    double inner{0};               //!< inputs of the last product of feed-forward networks
    double routed{0};              //!< rows that are exchanged with experts of other ranks
    double valueBytes{BF16_BYTES}; //!< bytes of an activation
    double fp32{0};                //!< statistics of attention, and scores of experts

    /// @return bytes of everything
    double GetBytes() const
    {
        return valueBytes * (stream + inputs + products + attention + inner + routed) +
               FP32_BYTES * fp32;
    }
};

/// Counts the activations of the layers of a job.
class ActivationCount
{
  public:
    explicit ActivationCount(const WorkloadSpec& spec)
        : m_spec(spec),
          m_valueBytes(static_cast<double>(GetBytes(spec.parallelism.GetPrecision(spec.rules)))),
          m_tp(spec.parallelism.tp),
          m_tokens(static_cast<double>(spec.parallelism.GetContextTokens())),
          m_streamTokens(spec.rules.sequenceParallel ? m_tokens / m_tp : m_tokens),
          m_isMegatron(spec.rules.tensorParallelism == TensorParallelStyle::MEGATRON)
    {
    }

    /// @return everything that the backward of a layer uses
    LayerActivations Count(uint32_t layer) const
    {
        LayerActivations sum;
        sum.valueBytes = m_valueBytes;
        const double hidden = m_spec.model.hidden;
        sum.stream = 2 * m_streamTokens * hidden;
        sum.inputs = 2 * (m_isMegatron ? m_streamTokens : m_tokens) * hidden;
        CountAttention(sum);
        if (m_spec.model.IsMoeLayer(layer))
        {
            CountExperts(sum);
        }
        else
        {
            CountNetwork(sum, m_tokens * m_spec.model.ffn / m_tp);
        }
        return sum;
    }

    /// @return bytes that TorchTitan's selective recomputation keeps of a layer: the input of the
    /// layer, the result of attention, every second product with a weight, and the results of
    /// ReduceScatter and AllToAll (distributed/activation_checkpoint.py)
    double CountKept(uint32_t layer) const
    {
        const LayerActivations all = Count(layer);
        double values = m_streamTokens * m_spec.model.hidden + all.attention + all.routed;
        uint32_t products = 0;
        for (const auto& tensor : m_spec.model.GetLayerTensors(layer))
        {
            const bool isProduct = tensor.inputs > 1 && tensor.part != ModelPart::ROUTER &&
                                   tensor.part != ModelPart::EXPERT;
            products += isProduct ? 1 : 0;
            if (isProduct && products % 2 == 1)
            {
                values += m_tokens * static_cast<double>(tensor.outputs) /
                          (tensor.split == TensorSplit::COLUMN ? m_tp : 1);
            }
        }
        // The inputs of the two norms; the sum after attention needs the result of ReduceScatter.
        values += m_streamTokens * m_spec.model.hidden;
        return m_valueBytes * values + FP32_BYTES * all.fp32;
    }

    /// @return bytes that attention keeps in addition if not fused: the result of the softmax
    double CountScores() const
    {
        return m_spec.rules.fusesAttention
                   ? 0
                   : m_valueBytes * m_tokens * m_spec.model.attention.heads / m_tp *
                         m_spec.parallelism.seqLen;
    }

    /// @return bytes of the input of a layer
    double CountInput() const
    {
        return m_valueBytes * m_streamTokens * m_spec.model.hidden;
    }

  private:
    void CountAttention(LayerActivations& sum) const
    {
        const AttentionSpec& attention = m_spec.model.attention;
        const double heads = 1.0 * attention.heads / m_tp;
        if (attention.kind == AttentionSpec::LATENT)
        {
            const double latents = attention.queryRank + attention.kvRank;
            // Latents before and after their norms, one rotated key for all heads, and the heads
            // of queries, keys and values.
            sum.products +=
                (m_isMegatron ? m_streamTokens : m_tokens) * (2 * latents + attention.ropeDim);
            sum.products +=
                m_tokens * heads * (2.0 * attention.GetQueryDim() + attention.GetValueDim());
        }
        else
        {
            const double kvHeads = std::max(1.0, 1.0 * attention.kvHeads / m_tp);
            sum.products += m_tokens * (heads + 2 * kvHeads) * attention.headDim;
        }
        sum.attention = m_tokens * heads * attention.GetValueDim();
        sum.fp32 += m_tokens * heads;
    }

    /// A feed-forward network: results of its first products, and the input of the last one.
    void CountNetwork(LayerActivations& sum, double inner) const
    {
        sum.products += (m_spec.model.gatedFfn ? 2 : 1) * inner;
        sum.inner += inner;
    }

    void CountExperts(LayerActivations& sum) const
    {
        const MoeSpec& moe = m_spec.model.moe;
        const double rows =
            LayerOperators(m_spec.model, m_spec.parallelism, m_spec.rules).GetExpertRows();
        sum.fp32 += m_streamTokens * moe.experts;
        // Rows received by the experts, and their results, which are weighted on return.
        sum.routed += 2 * rows * m_spec.model.hidden;
        CountNetwork(sum, rows * moe.ffn / m_spec.parallelism.expertTp);
        CountNetwork(sum, m_tokens * moe.sharedExperts * moe.ffn / m_tp);
    }

    const WorkloadSpec& m_spec;
    double m_valueBytes; //!< bytes of an activation
    double m_tp;
    double m_tokens;       //!< of a micro-batch
    double m_streamTokens; //!< those of one TP rank between operators
    bool m_isMegatron;
};

/// @return GB of 1e9 bytes
double
GetGigabytes(uint64_t bytes)
{
    return static_cast<double>(bytes) / 1e9;
}

/// @return largest sum of activations over the schedule of a pipeline rank
double
GetPeak(const PipelineShape& shape, uint32_t rank, const std::vector<double>& chunks)
{
    double now = 0;
    double peak = 0;
    for (const auto& action : shape.schedule->MakeOrder(shape, rank))
    {
        if (action.kind == PipelineAction::FORWARD)
        {
            now += chunks[action.chunk];
            peak = std::max(peak, now);
        }
        else if (action.kind == PipelineAction::BACKWARD ||
                 action.kind == PipelineAction::BACKWARD_WEIGHT)
        {
            now -= chunks[action.chunk];
        }
    }
    return peak;
}

/// @return whole parameters and gradients of FSDP units, in bytes
uint64_t
GetGathered(const WorkloadSpec& spec, uint64_t parameters, uint64_t largestUnit)
{
    const bool isKept = spec.rules.reshard == ReshardPolicy::NEVER ||
                        (spec.rules.reshard == ReshardPolicy::DEFAULT && spec.parallelism.pp > 1);
    const uint64_t resident =
        isKept ? parameters
               : std::min<uint64_t>(parameters, (1 + spec.rules.prefetch) * largestUnit);
    const uint64_t gradient = GetBytes(spec.rules.gradients);
    return BF16_BYTES * resident + (BF16_BYTES + gradient) * largestUnit;
}

} // namespace

uint64_t
MemoryEstimate::GetTotal() const
{
    return states + gathered + activations + logits;
}

std::string
MemoryEstimate::Describe() const
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(1) << GetGigabytes(GetTotal()) << " GB: states "
         << GetGigabytes(states);
    if (gathered > 0)
    {
        text << ", gathered units " << GetGigabytes(gathered);
    }
    text << ", activations " << GetGigabytes(activations);
    if (logits > 0)
    {
        text << ", logits " << GetGigabytes(logits);
    }
    return text.str();
}

std::pair<uint32_t, MemoryEstimate>
MemoryEstimate::FindMost(const WorkloadSpec& spec)
{
    std::pair<uint32_t, MemoryEstimate> most;
    for (uint32_t rank = 0; rank < spec.parallelism.pp; ++rank)
    {
        const MemoryEstimate estimate = Make(spec, rank);
        if (estimate.GetTotal() > most.second.GetTotal())
        {
            most = {rank, estimate};
        }
    }
    return most;
}

std::string
MemoryEstimate::Check(const WorkloadSpec& spec)
{
    const auto [rank, most] = FindMost(spec);
    if (static_cast<double>(most.GetTotal()) <= spec.gpu.memory)
    {
        return "";
    }
    std::ostringstream text;
    text << "pipeline rank " << rank << " needs more memory than the " << spec.gpu.memory / 1e9
         << " GB of " << spec.gpu.name << ": by estimate " << most.Describe();
    return text.str();
}

uint64_t
MemoryEstimate::GetLayerActivations(const WorkloadSpec& spec,
                                    uint32_t layer,
                                    Recomputation recomputation)
{
    const ActivationCount count(spec);
    const bool isMegatron = spec.rules.tensorParallelism == TensorParallelStyle::MEGATRON;
    double bytes = 0;
    switch (recomputation)
    {
    case Recomputation::NONE:
        bytes = count.Count(layer).GetBytes() + count.CountScores();
        break;
    case Recomputation::SELECTIVE: // Megatron-LM repeats attention, whose scores nothing keeps
        bytes = isMegatron ? count.Count(layer).GetBytes() : count.CountKept(layer);
        break;
    case Recomputation::FULL:
        bytes = count.CountInput();
        break;
    }
    return static_cast<uint64_t>(std::ceil(bytes));
}

MemoryEstimate
MemoryEstimate::Make(const WorkloadSpec& spec, uint32_t pipelineRank)
{
    const FrameworkRules& rules = spec.rules;
    const PipelineShape shape = spec.parallelism.GetPipeline();
    const RankModel model(spec, pipelineRank);
    uint64_t parameters = 0;
    uint64_t owned = 0;
    uint64_t largestUnit = 0;
    uint64_t recomputed = 0; // one layer
    std::vector<double> chunks;
    MemoryEstimate estimate;
    for (const auto& chunk : model.GetChunks())
    {
        parameters += chunk.plan.GetParameters();
        owned += chunk.plan.GetShardParameters();
        double kept = 0;
        for (const auto& unit : chunk.plan.GetUnits())
        {
            largestUnit = std::max(largestUnit, unit.parameters);
            if (unit.kind == ShardingUnit::LAYER)
            {
                kept +=
                    static_cast<double>(GetLayerActivations(spec, unit.layer, rules.recomputation));
                recomputed = std::max(recomputed,
                                      GetLayerActivations(spec, unit.layer, Recomputation::NONE));
            }
            if (unit.kind == ShardingUnit::OUTPUT)
            {
                estimate.logits = (GetBytes(spec.parallelism.GetPrecision(rules)) + LOGIT_BYTES) *
                                  spec.parallelism.GetContextTokens() * spec.model.vocabulary /
                                  spec.parallelism.tp;
            }
        }
        chunks.push_back(kept);
    }
    switch (rules.dataParallelism)
    {
    case DataParallelism::FSDP:
        estimate.states = (2 * FP32_BYTES + MOMENT_BYTES) * owned;
        if (spec.parallelism.GetPrecision(rules) == Precision::BF16)
        {
            estimate.gathered = GetGathered(spec, parameters, largestUnit);
        }
        break;
    case DataParallelism::DDP:
        estimate.states =
            (2 * FP32_BYTES + MOMENT_BYTES +
             (rules.tensorParallelism == TensorParallelStyle::MEGATRON ? BF16_BYTES : 0)) *
            parameters;
        break;
    case DataParallelism::DISTRIBUTED_OPTIMIZER:
        estimate.states =
            (BF16_BYTES + FP32_BYTES) * parameters + (FP32_BYTES + MOMENT_BYTES) * owned;
        break;
    }
    estimate.activations = static_cast<uint64_t>(GetPeak(shape, pipelineRank, chunks)) +
                           (rules.recomputation == Recomputation::NONE ? 0 : recomputed);
    return estimate;
}

} // namespace ns3
