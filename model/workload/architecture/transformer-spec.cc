// SPDX-License-Identifier: GPL-2.0-only

#include "transformer-spec.h"

namespace ns3
{

namespace
{

/// Adds the tensors of one part of a model to a list.
class TensorWriter
{
  public:
    /**
     * @param tensors list to which tensors are added
     * @param hasBiases true if projections and norms have biases
     */
    TensorWriter(ParameterTensors& tensors, bool hasBiases)
        : m_tensors(tensors),
          m_hasBiases(hasBiases)
    {
    }

    /// Add a projection, stacked once for each expert.
    void Project(const std::string& name,
                 ModelPart part,
                 TensorSplit split,
                 uint64_t outputs,
                 uint64_t inputs,
                 uint32_t experts = 1)
    {
        m_tensors.push_back({name, part, split, outputs, inputs, experts});
        if (m_hasBiases)
        {
            // The bias of a row-parallel product is added once, to the sum of the partial results.
            const auto bias = split == TensorSplit::ROW ? TensorSplit::REPLICATED : split;
            m_tensors.push_back({name + ".bias", part, bias, outputs, 1, experts});
        }
    }

    /// Add a norm of the residual stream or of a latent.
    void Norm(const std::string& name, ModelPart part, uint64_t width)
    {
        m_tensors.push_back({name, part, TensorSplit::REPLICATED, width, 1, 1});
        if (m_hasBiases)
        {
            m_tensors.push_back({name + ".bias", part, TensorSplit::REPLICATED, width, 1, 1});
        }
    }

    /// Add a feed-forward network.
    void FeedForward(const std::string& name,
                     ModelPart part,
                     bool isGated,
                     uint64_t hidden,
                     uint64_t inner,
                     uint32_t experts = 1)
    {
        Project(name + ".w1", part, TensorSplit::COLUMN, inner, hidden, experts);
        Project(name + ".w2", part, TensorSplit::ROW, hidden, inner, experts);
        if (isGated)
        {
            Project(name + ".w3", part, TensorSplit::COLUMN, inner, hidden, experts);
        }
    }

  private:
    ParameterTensors& m_tensors;
    bool m_hasBiases;
};

/// Add query, key, value and output projections.
void
WriteGroupedQuery(TensorWriter& writer, uint64_t hidden, const AttentionSpec& attention)
{
    constexpr auto PART = ModelPart::ATTENTION;
    const uint64_t width = uint64_t{attention.heads} * attention.headDim;
    const uint64_t kvWidth = uint64_t{attention.kvHeads} * attention.headDim;
    writer.Project("attention.wq", PART, TensorSplit::COLUMN, width, hidden);
    writer.Project("attention.wk", PART, TensorSplit::COLUMN, kvWidth, hidden);
    writer.Project("attention.wv", PART, TensorSplit::COLUMN, kvWidth, hidden);
    writer.Project("attention.wo", PART, TensorSplit::ROW, hidden, width);
}

/// Add the down projections to the latents and the up projections.
void
WriteLatent(TensorWriter& writer, uint64_t hidden, const AttentionSpec& attention)
{
    constexpr auto PART = ModelPart::ATTENTION;
    const uint64_t heads = attention.heads;
    const uint64_t queries = heads * attention.GetQueryDim();
    if (attention.queryRank == 0)
    {
        writer.Project("attention.wq", PART, TensorSplit::COLUMN, queries, hidden);
    }
    else
    {
        writer.Project("attention.wq_a",
                       PART,
                       TensorSplit::REPLICATED,
                       attention.queryRank,
                       hidden);
        writer.Norm("attention.q_norm", PART, attention.queryRank);
        writer.Project("attention.wq_b", PART, TensorSplit::COLUMN, queries, attention.queryRank);
    }
    writer.Project("attention.wkv_a",
                   PART,
                   TensorSplit::REPLICATED,
                   uint64_t{attention.kvRank} + attention.ropeDim,
                   hidden);
    writer.Norm("attention.kv_norm", PART, attention.kvRank);
    writer.Project("attention.wkv_b",
                   PART,
                   TensorSplit::COLUMN,
                   heads * (uint64_t{attention.nopeDim} + attention.valueDim),
                   attention.kvRank);
    writer.Project("attention.wo", PART, TensorSplit::ROW, hidden, heads * attention.valueDim);
}

} // namespace

uint32_t
AttentionSpec::GetQueryDim() const
{
    return kind == LATENT ? nopeDim + ropeDim : headDim;
}

uint32_t
AttentionSpec::GetValueDim() const
{
    return kind == LATENT ? valueDim : headDim;
}

uint64_t
CountParameters(const ParameterTensors& tensors)
{
    uint64_t sum = 0;
    for (const auto& tensor : tensors)
    {
        sum += tensor.GetSize();
    }
    return sum;
}

bool
TransformerSpec::IsMoeLayer(uint32_t layer) const
{
    return moe.experts > 0 && layer >= moe.firstDense;
}

uint32_t
TransformerSpec::GetMoeLayers() const
{
    return moe.experts > 0 && layers > moe.firstDense ? layers - moe.firstDense : 0;
}

ParameterTensors
TransformerSpec::GetEmbeddingTensors() const
{
    constexpr auto PART = ModelPart::EMBEDDING;
    ParameterTensors tensors{
        {"tok_embeddings", PART, TensorSplit::VOCABULARY, vocabulary, hidden, 1}};
    if (learnedPositions > 0)
    {
        tensors.push_back(
            {"pos_embeddings", PART, TensorSplit::REPLICATED, learnedPositions, hidden, 1});
    }
    return tensors;
}

ParameterTensors
TransformerSpec::GetLayerTensors(uint32_t layer) const
{
    ParameterTensors tensors;
    TensorWriter writer(tensors, biases);
    writer.Norm("attention_norm", ModelPart::ATTENTION_NORM, hidden);
    if (attention.kind == AttentionSpec::LATENT)
    {
        WriteLatent(writer, hidden, attention);
    }
    else
    {
        WriteGroupedQuery(writer, hidden, attention);
    }
    writer.Norm("ffn_norm", ModelPart::FFN_NORM, hidden);
    if (!IsMoeLayer(layer))
    {
        writer.FeedForward("feed_forward", ModelPart::FFN, gatedFfn, hidden, ffn);
        return tensors;
    }
    tensors.push_back(
        {"moe.router.gate", ModelPart::ROUTER, TensorSplit::REPLICATED, moe.experts, hidden, 1});
    writer.FeedForward("moe.experts", ModelPart::EXPERT, gatedFfn, hidden, moe.ffn, moe.experts);
    if (moe.sharedExperts > 0)
    {
        writer.FeedForward("moe.shared_experts",
                           ModelPart::SHARED_EXPERT,
                           gatedFfn,
                           hidden,
                           uint64_t{moe.ffn} * moe.sharedExperts);
    }
    return tensors;
}

ParameterTensors
TransformerSpec::GetOutputTensors() const
{
    ParameterTensors tensors;
    TensorWriter(tensors, biases).Norm("norm", ModelPart::FINAL_NORM, hidden);
    if (!tiedEmbeddings)
    {
        tensors.push_back(
            {"output", ModelPart::OUTPUT, TensorSplit::VOCABULARY, vocabulary, hidden, 1});
    }
    return tensors;
}

uint64_t
TransformerSpec::GetParameters() const
{
    uint64_t sum = CountParameters(GetEmbeddingTensors()) + CountParameters(GetOutputTensors());
    for (uint32_t layer = 0; layer < layers; ++layer)
    {
        sum += CountParameters(GetLayerTensors(layer));
    }
    return sum;
}

uint64_t
TransformerSpec::GetActiveParameters() const
{
    uint64_t idle = 0;
    for (uint32_t layer = moe.firstDense; layer < layers && moe.experts > 0; ++layer)
    {
        for (const auto& tensor : GetLayerTensors(layer))
        {
            if (tensor.part == ModelPart::EXPERT)
            {
                idle += tensor.GetSize() / moe.experts * (moe.experts - moe.topK);
            }
        }
    }
    return GetParameters() - idle;
}

} // namespace ns3
