// SPDX-License-Identifier: GPL-2.0-only

#include "transformer-spec.h"

#include "ns3/json-reader.h"

#include <algorithm>
#include <nlohmann/json.hpp>

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

namespace
{

/// Checks the numbers of a model one by one and keeps the first error.
class ModelCheck
{
  public:
    /// @return the first error, empty if there is none
    const std::string& GetError() const
    {
        return m_error;
    }

    /**
     * @param isRight true if the number is allowed
     * @param name name of the number
     * @param value its value
     * @param rule the allowed values, as text after "must"
     */
    void Require(bool isRight, const char* name, uint64_t value, const std::string& rule)
    {
        if (!isRight && m_error.empty())
        {
            m_error = std::string(name) + "=" + std::to_string(value) + ": must " + rule;
        }
    }

    /// Check that the number is from @p least to @p most.
    void Range(const char* name, uint64_t value, uint64_t least, uint64_t most)
    {
        Require(value >= least && value <= most,
                name,
                value,
                "be " + std::to_string(least) + " to " + std::to_string(most));
    }

    /// Check that the number is 0, because the model does not use it.
    void Absent(const char* name, uint64_t value, const std::string& reason)
    {
        Require(value == 0, name, value, "be 0 " + reason);
    }

  private:
    std::string m_error;
};

/// @return true if the text can be used in a table, a file name and an error message
bool
IsName(const std::string& text)
{
    constexpr std::size_t MAX_LENGTH = 64;
    const auto isAllowed = [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
               (letter >= '0' && letter <= '9') || letter == '.' || letter == '_' || letter == '-';
    };
    return !text.empty() && text.size() <= MAX_LENGTH &&
           std::all_of(text.begin(), text.end(), isAllowed);
}

void
CheckGroupedQuery(ModelCheck& check, const AttentionSpec& attention)
{
    check.Range("attention.kv_heads", attention.kvHeads, 1, TransformerSpec::MAX_WIDTH);
    check.Require(attention.kvHeads != 0 && attention.heads % attention.kvHeads == 0,
                  "attention.kv_heads",
                  attention.kvHeads,
                  "divide attention.heads=" + std::to_string(attention.heads));
    check.Range("attention.head_dim", attention.headDim, 1, TransformerSpec::MAX_WIDTH);
    check.Range("attention.heads x attention.head_dim",
                uint64_t{attention.heads} * attention.headDim,
                1,
                TransformerSpec::MAX_WIDTH);
    const std::string reason = "where attention.kind is gqa";
    check.Absent("attention.query_rank", attention.queryRank, reason);
    check.Absent("attention.kv_rank", attention.kvRank, reason);
    check.Absent("attention.nope_dim", attention.nopeDim, reason);
    check.Absent("attention.rope_dim", attention.ropeDim, reason);
    check.Absent("attention.value_dim", attention.valueDim, reason);
}

void
CheckLatent(ModelCheck& check, const AttentionSpec& attention)
{
    check.Range("attention.query_rank", attention.queryRank, 0, TransformerSpec::MAX_WIDTH);
    check.Range("attention.kv_rank", attention.kvRank, 1, TransformerSpec::MAX_WIDTH);
    check.Range("attention.nope_dim", attention.nopeDim, 1, TransformerSpec::MAX_WIDTH);
    check.Range("attention.rope_dim", attention.ropeDim, 1, TransformerSpec::MAX_WIDTH);
    check.Range("attention.value_dim", attention.valueDim, 1, TransformerSpec::MAX_WIDTH);
    const uint64_t heads = attention.heads;
    check.Range("attention.heads x (attention.nope_dim + attention.rope_dim)",
                heads * (uint64_t{attention.nopeDim} + attention.ropeDim),
                1,
                TransformerSpec::MAX_WIDTH);
    check.Range("attention.heads x attention.value_dim",
                heads * attention.valueDim,
                1,
                TransformerSpec::MAX_WIDTH);
    const std::string reason = "where attention.kind is mla";
    check.Absent("attention.kv_heads", attention.kvHeads, reason);
    check.Absent("attention.head_dim", attention.headDim, reason);
}

void
CheckExperts(ModelCheck& check, const MoeSpec& moe, uint32_t layers)
{
    check.Range("moe.experts", moe.experts, 0, TransformerSpec::MAX_EXPERTS);
    if (moe.experts == 0)
    {
        const std::string reason = "where moe.experts is 0";
        check.Absent("moe.top_k", moe.topK, reason);
        check.Absent("moe.ffn", moe.ffn, reason);
        check.Absent("moe.shared_experts", moe.sharedExperts, reason);
        check.Absent("moe.first_dense", moe.firstDense, reason);
        return;
    }
    check.Require(moe.topK >= 1 && moe.topK <= moe.experts,
                  "moe.top_k",
                  moe.topK,
                  "be 1 to moe.experts=" + std::to_string(moe.experts));
    check.Range("moe.ffn", moe.ffn, 1, TransformerSpec::MAX_WIDTH);
    check.Range("moe.shared_experts", moe.sharedExperts, 0, TransformerSpec::MAX_EXPERTS);
    check.Range("moe.ffn x moe.shared_experts",
                uint64_t{moe.ffn} * moe.sharedExperts,
                0,
                TransformerSpec::MAX_WIDTH);
    check.Require(moe.firstDense <= layers,
                  "moe.first_dense",
                  moe.firstDense,
                  "be 0 to layers=" + std::to_string(layers));
}

/// Check the total. Each number must be in range: a layer then has fewer than 2^59 parameters.
void
CheckTotal(ModelCheck& check, const TransformerSpec& model)
{
    uint64_t total = CountParameters(model.GetEmbeddingTensors());
    total += CountParameters(model.GetOutputTensors());
    for (uint32_t layer = 0; layer < model.layers && total <= TransformerSpec::MAX_PARAMETERS;
         ++layer)
    {
        total += CountParameters(model.GetLayerTensors(layer));
    }
    check.Require(total <= TransformerSpec::MAX_PARAMETERS,
                  "layers",
                  model.layers,
                  "make at most " + std::to_string(TransformerSpec::MAX_PARAMETERS) +
                      " parameters with the widths of the model");
}

} // namespace

std::string
TransformerSpec::Validate() const
{
    if (!IsName(name))
    {
        return "name: must be 1 to 64 letters, digits, dots, underscores or hyphens";
    }
    ModelCheck check;
    check.Range("layers", layers, 1, MAX_LAYERS);
    check.Range("hidden", hidden, 1, TransformerSpec::MAX_WIDTH);
    check.Range("vocabulary", vocabulary, 1, TransformerSpec::MAX_WIDTH);
    check.Range("learned_positions", learnedPositions, 0, TransformerSpec::MAX_WIDTH);
    check.Range("attention.heads", attention.heads, 1, TransformerSpec::MAX_WIDTH);
    if (attention.kind == AttentionSpec::LATENT)
    {
        CheckLatent(check, attention);
    }
    else
    {
        CheckGroupedQuery(check, attention);
    }
    CheckExperts(check, moe, layers);
    const bool hasDense = moe.experts == 0 || moe.firstDense > 0;
    check.Range("ffn", ffn, hasDense ? 1 : 0, TransformerSpec::MAX_WIDTH);
    if (check.GetError().empty())
    {
        CheckTotal(check, *this);
    }
    return check.GetError();
}

namespace
{

/// @return grouped-query attention (GQA)
AttentionSpec
MakeGroupedQuery(uint32_t heads, uint32_t kvHeads, uint32_t headDim)
{
    AttentionSpec attention;
    attention.heads = heads;
    attention.kvHeads = kvHeads;
    attention.headDim = headDim;
    return attention;
}

/// @return multi-head latent attention (MLA); DeepSeek's models differ only in heads and query
/// latent
AttentionSpec
MakeLatent(uint32_t heads, uint32_t queryRank)
{
    AttentionSpec attention;
    attention.kind = AttentionSpec::LATENT;
    attention.heads = heads;
    attention.queryRank = queryRank;
    attention.kvRank = 512;
    attention.nopeDim = 128;
    attention.ropeDim = 64;
    attention.valueDim = 128;
    return attention;
}

/// @return a model with the common properties of the presets: gated, rotary, no biases
TransformerSpec
MakeModel(const std::string& name,
          uint32_t layers,
          uint32_t hidden,
          uint32_t ffn,
          uint32_t vocabulary,
          const AttentionSpec& attention,
          const MoeSpec& moe = {})
{
    TransformerSpec model;
    model.name = name;
    model.layers = layers;
    model.hidden = hidden;
    model.ffn = ffn;
    model.vocabulary = vocabulary;
    model.attention = attention;
    model.moe = moe;
    return model;
}

/// @return the same model whose output projection is the embedding matrix
TransformerSpec
WithTiedEmbeddings(TransformerSpec model)
{
    model.tiedEmbeddings = true;
    return model;
}

/**
 * GPT-3 175B: "Language Models are Few-Shot Learners", arXiv 2005.14165, Table 2.1 and section
 * 2.1: layers, width, heads, 4 x width inside, contexts of 2048 tokens. The rest is as in GPT-2:
 * 50257 tokens, biases, learned positions, the embedding matrix as output projection.
 */
TransformerSpec
MakeGpt3()
{
    TransformerSpec model = WithTiedEmbeddings(
        MakeModel("gpt3-175b", 96, 12288, 49152, 50257, MakeGroupedQuery(96, 96, 128)));
    model.gatedFfn = false;
    model.biases = true;
    model.learnedPositions = 2048;
    return model;
}

/// @return every preset
const std::vector<TransformerSpec>&
GetTransformerPresets()
{
    const auto gqa = MakeGroupedQuery;
    const auto mla = MakeLatent;
    static const std::vector<TransformerSpec> presets{
        // Llama 3: "The Llama 3 Herd of Models", arXiv 2407.21783, Table 3.
        MakeModel("llama3-8b", 32, 4096, 14336, 128256, gqa(32, 8, 128)),
        MakeModel("llama3-70b", 80, 8192, 28672, 128256, gqa(64, 8, 128)),
        MakeModel("llama3-405b", 126, 16384, 53248, 128256, gqa(128, 8, 128)),
        // Llama 3.2: the config.json of the checkpoints meta-llama/Llama-3.2-1B and -3B.
        WithTiedEmbeddings(MakeModel("llama3.2-1b", 16, 2048, 8192, 128256, gqa(32, 8, 64))),
        WithTiedEmbeddings(MakeModel("llama3.2-3b", 28, 3072, 8192, 128256, gqa(24, 8, 128))),
        // Llama 2: arXiv 2307.09288, and the config.json of the checkpoints.
        MakeModel("llama2-7b", 32, 4096, 11008, 32000, gqa(32, 32, 128)),
        MakeModel("llama2-13b", 40, 5120, 13824, 32000, gqa(40, 40, 128)),
        MakeModel("llama2-70b", 80, 8192, 28672, 32000, gqa(64, 8, 128)),
        // TorchTitan v0.2.0, torchtitan/models/llama3/__init__.py, with dimension, layers, heads
        // and vocabulary. There are as many key heads as query heads. The feed-forward width is
        // 2/3 of 4 x 256, rounded up to a multiple of 256.
        MakeModel("debugmodel", 6, 256, 768, 2048, gqa(16, 16, 16)),
        // Mixtral 8x7B: "Mixtral of Experts", arXiv 2401.04088, Table 1. Mixtral 8x22B: the
        // config.json of the checkpoint mistralai/Mixtral-8x22B-v0.1. Every layer has experts.
        MakeModel("mixtral-8x7b", 32, 4096, 0, 32000, gqa(32, 8, 128), {8, 2, 14336, 0, 0}),
        MakeModel("mixtral-8x22b", 56, 6144, 0, 32000, gqa(48, 8, 128), {8, 2, 16384, 0, 0}),
        // DeepSeek-V2: arXiv 2405.04434, section 3.1.2 (V2) and appendix B (V2-Lite). Numbers
        // missing in the text (vocabulary, width of the dense layers) are from the config.json of
        // the checkpoints.
        MakeModel("deepseek-v2", 60, 5120, 12288, 102400, mla(128, 1536), {160, 6, 1536, 2, 1}),
        MakeModel("deepseek-v2-lite", 27, 2048, 10944, 102400, mla(16, 0), {64, 6, 1408, 2, 1}),
        // DeepSeek-V3: arXiv 2412.19437, section 4.2, and the config.json, without the module that
        // predicts a second token. The routers of V3 add a correction to the score of each expert.
        // The correction has no gradient, is a buffer in TorchTitan, and is not counted here. The
        // published checkpoint counts it.
        MakeModel("deepseek-v3", 61, 7168, 18432, 129280, mla(128, 1536), {256, 8, 2048, 1, 3}),
        // TorchTitan v0.2.0, torchtitan/models/deepseek_v3/__init__.py, flavours "16B", which has
        // the tensors of V2-Lite, and "debugmodel".
        MakeModel("deepseek-v3-16b", 27, 2048, 10944, 102400, mla(16, 0), {64, 6, 1408, 2, 1}),
        MakeModel("debugmodel-moe", 6, 256, 1024, 2048, mla(16, 0), {8, 3, 256, 2, 1}),
        MakeGpt3()};
    return presets;
}

} // namespace

std::optional<TransformerSpec>
TransformerSpec::Find(const std::string& name)
{
    for (const auto& preset : GetTransformerPresets())
    {
        if (preset.name == name)
        {
            return preset;
        }
    }
    return std::nullopt;
}

std::vector<std::string>
TransformerSpec::GetNames()
{
    std::vector<std::string> names;
    for (const auto& preset : GetTransformerPresets())
    {
        names.push_back(preset.name);
    }
    return names;
}

namespace
{

/**
 * @param value the object
 * @param path name of the object in errors
 * @param hidden width of the residual stream, 0 if the width is wrong
 * @param attention set to the contents of the object
 * @return an empty string, or one line with the error
 */
std::string
ReadAttention(const nlohmann::json& value,
              const std::string& path,
              uint32_t hidden,
              AttentionSpec& attention)
{
    JsonObjectReader reader(value, path);
    std::size_t kind = AttentionSpec::GROUPED_QUERY;
    if (!reader.Read("kind", {"gqa", "mla"}, kind))
    {
        return reader.GetComplaint();
    }
    attention.kind = static_cast<AttentionSpec::Kind>(kind);
    reader.Read("heads", 1, TransformerSpec::MAX_WIDTH, attention.heads);
    const uint32_t heads = attention.heads;
    if (attention.kind == AttentionSpec::LATENT)
    {
        reader.Read("query_rank", 0, TransformerSpec::MAX_WIDTH, attention.queryRank);
        reader.Read("kv_rank", 1, TransformerSpec::MAX_WIDTH, attention.kvRank);
        reader.Read("nope_dim", 1, TransformerSpec::MAX_WIDTH, attention.nopeDim);
        reader.Read("rope_dim", 1, TransformerSpec::MAX_WIDTH, attention.ropeDim);
        reader.Read("value_dim", 1, TransformerSpec::MAX_WIDTH, attention.valueDim);
    }
    else
    {
        attention.kvHeads = heads;
        reader.Read("kv_heads", 1, TransformerSpec::MAX_WIDTH, attention.kvHeads);
        attention.headDim = heads > 0 && hidden % heads == 0 ? hidden / heads : 0;
        reader.Read("head_dim", 1, TransformerSpec::MAX_WIDTH, attention.headDim);
    }
    return reader.GetError();
}

/**
 * @param value the object
 * @param path name of the object in errors
 * @param moe set to the contents of the object
 * @return an empty string, or one line with the error
 */
std::string
ReadExperts(const nlohmann::json& value, const std::string& path, MoeSpec& moe)
{
    JsonObjectReader reader(value, path);
    reader.Read("experts", 1, TransformerSpec::MAX_EXPERTS, moe.experts);
    reader.Read("top_k", 1, TransformerSpec::MAX_EXPERTS, moe.topK);
    reader.Read("ffn", 1, TransformerSpec::MAX_WIDTH, moe.ffn);
    reader.Read("shared_experts", 0, TransformerSpec::MAX_EXPERTS, moe.sharedExperts);
    reader.Read("first_dense", 0, TransformerSpec::MAX_LAYERS, moe.firstDense);
    return reader.GetError();
}

} // namespace

std::string
TransformerJson::Parse(const std::string& text, TransformerSpec& model)
{
    nlohmann::json value;
    const std::string error = JsonText::Parse(text, value);
    return error.empty() ? Read(value, "", model) : error;
}

std::string
TransformerJson::Read(const nlohmann::json& value, const std::string& path, TransformerSpec& model)
{
    TransformerSpec read;
    JsonObjectReader reader(value, path);
    reader.Read("name", read.name);
    reader.Read("layers", 1, TransformerSpec::MAX_LAYERS, read.layers);
    reader.Read("hidden", 1, TransformerSpec::MAX_WIDTH, read.hidden);
    reader.Read("ffn", 0, TransformerSpec::MAX_WIDTH, read.ffn);
    reader.Read("vocabulary", 1, TransformerSpec::MAX_WIDTH, read.vocabulary);
    reader.Read("tied_embeddings", read.tiedEmbeddings);
    reader.Read("gated_ffn", read.gatedFfn);
    reader.Read("biases", read.biases);
    reader.Read("learned_positions", 0, TransformerSpec::MAX_WIDTH, read.learnedPositions);
    const auto* attention = reader.Find("attention");
    const auto* moe = reader.Find("moe");
    std::string error = reader.GetError();
    if (error.empty() && !attention)
    {
        error = reader.GetPath("attention") + " is missing: must be an object {...}";
    }
    if (error.empty())
    {
        error = ReadAttention(*attention, reader.GetPath("attention"), read.hidden, read.attention);
    }
    if (error.empty() && moe)
    {
        error = ReadExperts(*moe, reader.GetPath("moe"), read.moe);
    }
    if (error.empty())
    {
        error = read.Validate();
        error = error.empty() ? "" : reader.GetPath(error);
    }
    if (error.empty())
    {
        model = read;
    }
    return error;
}

nlohmann::ordered_json
TransformerJson::Write(const TransformerSpec& model)
{
    const auto& attention = model.attention;
    const auto& moe = model.moe;
    nlohmann::ordered_json json{{"name", model.name},
                                {"layers", model.layers},
                                {"hidden", model.hidden},
                                {"ffn", model.ffn},
                                {"vocabulary", model.vocabulary},
                                {"tied_embeddings", model.tiedEmbeddings},
                                {"gated_ffn", model.gatedFfn},
                                {"biases", model.biases},
                                {"learned_positions", model.learnedPositions}};
    if (attention.kind == AttentionSpec::LATENT)
    {
        json["attention"] = {{"kind", "mla"},
                             {"heads", attention.heads},
                             {"query_rank", attention.queryRank},
                             {"kv_rank", attention.kvRank},
                             {"nope_dim", attention.nopeDim},
                             {"rope_dim", attention.ropeDim},
                             {"value_dim", attention.valueDim}};
    }
    else
    {
        json["attention"] = {{"kind", "gqa"},
                             {"heads", attention.heads},
                             {"kv_heads", attention.kvHeads},
                             {"head_dim", attention.headDim}};
    }
    if (moe.experts > 0)
    {
        json["moe"] = {{"experts", moe.experts},
                       {"top_k", moe.topK},
                       {"ffn", moe.ffn},
                       {"shared_experts", moe.sharedExperts},
                       {"first_dense", moe.firstDense}};
    }
    return json;
}

std::string
TransformerJson::ToText(const TransformerSpec& model)
{
    using Json = nlohmann::ordered_json;
    return Write(model).dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

} // namespace ns3
