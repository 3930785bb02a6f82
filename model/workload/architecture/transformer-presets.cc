// SPDX-License-Identifier: GPL-2.0-only

#include "transformer-spec.h"

namespace ns3
{

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

/// @return a model with the common properties of the presets: gated, rotary, untied, no biases
TransformerSpec
MakeModel(const std::string& name,
          uint32_t layers,
          uint32_t hidden,
          uint32_t ffn,
          uint32_t vocabulary,
          const AttentionSpec& attention)
{
    TransformerSpec model;
    model.name = name;
    model.layers = layers;
    model.hidden = hidden;
    model.ffn = ffn;
    model.vocabulary = vocabulary;
    model.attention = attention;
    return model;
}

/// @return the same model whose output projection is the embedding matrix
TransformerSpec
WithTiedEmbeddings(TransformerSpec model)
{
    model.tiedEmbeddings = true;
    return model;
}

/// @return the same model with experts
TransformerSpec
WithExperts(TransformerSpec model, const MoeSpec& moe)
{
    model.moe = moe;
    return model;
}

/**
 * Llama 3: "The Llama 3 Herd of Models", arXiv 2407.21783, Table 3.
 *
 * Llama 3.2: the config.json of the checkpoints meta-llama/Llama-3.2-1B and -3B; their output
 * projection is the embedding matrix.
 *
 * debugmodel: TorchTitan v0.2.0, torchtitan/models/llama3/__init__.py, with dimension, layers,
 * heads and vocabulary. There are as many key heads as query heads. The feed-forward width is 2/3
 * of 4 x 256, rounded up to a multiple of 256.
 */
void
AddLlama(std::vector<TransformerSpec>& models)
{
    models.push_back(MakeModel("llama3-8b", 32, 4096, 14336, 128256, MakeGroupedQuery(32, 8, 128)));
    models.push_back(
        MakeModel("llama3-70b", 80, 8192, 28672, 128256, MakeGroupedQuery(64, 8, 128)));
    models.push_back(
        MakeModel("llama3-405b", 126, 16384, 53248, 128256, MakeGroupedQuery(128, 8, 128)));
    models.push_back(WithTiedEmbeddings(
        MakeModel("llama3.2-1b", 16, 2048, 8192, 128256, MakeGroupedQuery(32, 8, 64))));
    models.push_back(WithTiedEmbeddings(
        MakeModel("llama3.2-3b", 28, 3072, 8192, 128256, MakeGroupedQuery(24, 8, 128))));
    models.push_back(MakeModel("debugmodel", 6, 256, 768, 2048, MakeGroupedQuery(16, 16, 16)));
}

/// Mixtral 8x7B: "Mixtral of Experts", arXiv 2401.04088, Table 1. Every layer has experts.
void
AddMixtral(std::vector<TransformerSpec>& models)
{
    models.push_back(
        WithExperts(MakeModel("mixtral-8x7b", 32, 4096, 0, 32000, MakeGroupedQuery(32, 8, 128)),
                    {8, 2, 14336, 0, 0}));
}

/**
 * DeepSeek-V2: arXiv 2405.04434, section 3.1.2 (V2) and appendix B (V2-Lite). Numbers missing in
 * the text (vocabulary, width of the dense layers) are from the config.json of the checkpoints.
 *
 * DeepSeek-V3: arXiv 2412.19437, section 4.2, and the config.json, without the module that predicts
 * a second token.
 *
 * deepseek-v3-16b and debugmodel-moe: TorchTitan v0.2.0, torchtitan/models/deepseek_v3/__init__.py,
 * flavours "16B", which has the tensors of V2-Lite, and "debugmodel".
 *
 * The routers of V3 add a correction to the score of each expert. The correction has no gradient,
 * is a buffer in TorchTitan, and is not counted here. The published checkpoint counts it.
 */
void
AddDeepSeek(std::vector<TransformerSpec>& models)
{
    models.push_back(
        WithExperts(MakeModel("deepseek-v2", 60, 5120, 12288, 102400, MakeLatent(128, 1536)),
                    {160, 6, 1536, 2, 1}));
    models.push_back(
        WithExperts(MakeModel("deepseek-v2-lite", 27, 2048, 10944, 102400, MakeLatent(16, 0)),
                    {64, 6, 1408, 2, 1}));
    models.push_back(
        WithExperts(MakeModel("deepseek-v3", 61, 7168, 18432, 129280, MakeLatent(128, 1536)),
                    {256, 8, 2048, 1, 3}));
    models.push_back(
        WithExperts(MakeModel("deepseek-v3-16b", 27, 2048, 10944, 102400, MakeLatent(16, 0)),
                    {64, 6, 1408, 2, 1}));
    models.push_back(WithExperts(MakeModel("debugmodel-moe", 6, 256, 1024, 2048, MakeLatent(16, 0)),
                                 {8, 3, 256, 2, 1}));
}

/**
 * GPT-3 175B: "Language Models are Few-Shot Learners", arXiv 2005.14165, Table 2.1 and section
 * 2.1: layers, width, heads, 4 x width inside, contexts of 2048 tokens. The rest is as in GPT-2:
 * 50257 tokens, biases, learned positions, the embedding matrix as output projection.
 */
void
AddGpt(std::vector<TransformerSpec>& models)
{
    TransformerSpec model =
        MakeModel("gpt3-175b", 96, 12288, 49152, 50257, MakeGroupedQuery(96, 96, 128));
    model.tiedEmbeddings = true;
    model.gatedFfn = false;
    model.biases = true;
    model.learnedPositions = 2048;
    models.push_back(model);
}

/// @return every preset
std::vector<TransformerSpec>
GetTransformerPresets()
{
    std::vector<TransformerSpec> models;
    AddLlama(models);
    AddMixtral(models);
    AddDeepSeek(models);
    AddGpt(models);
    return models;
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

} // namespace ns3
