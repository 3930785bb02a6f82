// SPDX-License-Identifier: GPL-2.0-only

#include "transformer-json.h"

#include "ns3/json-reader.h"

#include <nlohmann/json.hpp>

namespace ns3
{

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
