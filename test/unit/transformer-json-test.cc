// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/transformer-spec.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tuple>

using namespace ns3;

namespace
{

/// A small model with everything that has no default.
const std::string DENSE = R"({"name": "mine", "layers": 2, "hidden": 64, "ffn": 128,
 "vocabulary": 1000, "attention": {"heads": 4}})";

/// The same with MLA and experts.
const std::string MOE = R"({"name": "mine", "layers": 2, "hidden": 64, "vocabulary": 1000,
 "attention": {"kind": "mla", "heads": 4, "kv_rank": 32, "nope_dim": 16, "rope_dim": 8,
               "value_dim": 16},
 "moe": {"experts": 8, "top_k": 2, "ffn": 32}})";

/// @return everything a model is made of
auto
Tie(const TransformerSpec& model)
{
    const auto& a = model.attention;
    const auto& m = model.moe;
    return std::make_tuple(
        std::tie(model.name, model.layers, model.hidden, model.ffn, model.vocabulary),
        std::tie(model.tiedEmbeddings, model.gatedFfn, model.biases, model.learnedPositions),
        std::make_tuple(a.kind, a.heads, a.kvHeads, a.headDim),
        std::tie(a.queryRank, a.kvRank, a.nopeDim, a.ropeDim, a.valueDim),
        std::tie(m.experts, m.topK, m.ffn, m.sharedExperts, m.firstDense));
}

/**
 * @param text a file
 * @param from part of it
 * @param to what stands there instead
 * @return what Parse says
 */
std::string
ParseWith(std::string text, const std::string& from, const std::string& to)
{
    const auto position = text.find(from);
    EXPECT_NE(position, std::string::npos) << from;
    text.replace(position, from.size(), to);
    TransformerSpec model;
    model.name = "untouched";
    const auto error = TransformerJson::Parse(text, model);
    EXPECT_EQ(model.name == "untouched", !error.empty()) << text;
    return error;
}

} // namespace

TEST(TransformerJson, PresetsAreReadAsTheyAreWritten)
{
    for (const auto& name : TransformerSpec::GetNames())
    {
        const auto preset = TransformerSpec::Find(name).value();
        TransformerSpec model;
        const auto text = TransformerJson::ToText(preset);
        EXPECT_EQ(TransformerJson::Parse(text, model), "") << name;
        EXPECT_EQ(Tie(model), Tie(preset)) << name;
        EXPECT_EQ(TransformerJson::ToText(model), text) << name;
        TransformerSpec part;
        EXPECT_EQ(TransformerJson::Read(nlohmann::json(TransformerJson::Write(preset)), "m", part),
                  "");
        EXPECT_EQ(Tie(part), Tie(preset)) << name;
    }
}

TEST(TransformerJson, TextHasTheKeysOfTheModelOnly)
{
    EXPECT_EQ(TransformerJson::ToText(TransformerSpec::Find("llama3-8b").value()),
              R"({
  "name": "llama3-8b",
  "layers": 32,
  "hidden": 4096,
  "ffn": 14336,
  "vocabulary": 128256,
  "tied_embeddings": false,
  "gated_ffn": true,
  "biases": false,
  "learned_positions": 0,
  "attention": {
    "kind": "gqa",
    "heads": 32,
    "kv_heads": 8,
    "head_dim": 128
  }
}
)");
}

TEST(TransformerJson, KeysMayBeLeftOut)
{
    TransformerSpec model;
    ASSERT_EQ(TransformerJson::Parse(DENSE, model), "");
    EXPECT_EQ(model.name, "mine");
    EXPECT_EQ(model.attention.kind, AttentionSpec::GROUPED_QUERY);
    EXPECT_EQ(model.attention.kvHeads, 4U);
    EXPECT_EQ(model.attention.headDim, 16U);
    EXPECT_TRUE(model.gatedFfn);
    EXPECT_FALSE(model.tiedEmbeddings || model.biases || model.learnedPositions > 0);
    EXPECT_EQ(model.moe.experts, 0U);
    EXPECT_EQ(model.GetParameters(),
              2U * 1000 * 64 + 64 + 2 * (2 * 64 + 4 * 64 * 64 + 3 * 64 * 128));
    ASSERT_EQ(TransformerJson::Parse(MOE, model), "");
    EXPECT_EQ(model.attention.kind, AttentionSpec::LATENT);
    EXPECT_EQ(model.attention.queryRank + model.attention.kvHeads + model.attention.headDim, 0U);
    EXPECT_EQ(model.moe.sharedExperts + model.moe.firstDense + model.ffn, 0U);
    EXPECT_EQ(model.GetMoeLayers(), 2U);
}

TEST(TransformerJson, MissingKeysAreNamed)
{
    EXPECT_EQ(ParseWith(DENSE, R"("name": "mine",)", ""),
              "name is missing: must be a text in quotation marks");
    EXPECT_EQ(ParseWith(DENSE, R"("hidden": 64,)", ""),
              "hidden is missing: must be a whole number, 1 to 1048576");
    EXPECT_EQ(ParseWith(DENSE, R"("ffn": 128,)", ""), "ffn=0: must be 1 to 1048576");
    EXPECT_EQ(ParseWith(DENSE, R"(, "attention": {"heads": 4})", ""),
              "attention is missing: must be an object {...}");
    EXPECT_EQ(ParseWith(DENSE, R"("heads": 4)", ""),
              "attention.heads is missing: must be a whole number, 1 to 1048576");
    EXPECT_EQ(ParseWith(DENSE, R"("heads": 4)", R"("heads": 3)"),
              "attention.head_dim is missing: must be a whole number, 1 to 1048576");
    EXPECT_EQ(ParseWith(MOE, R"("kv_rank": 32,)", ""),
              "attention.kv_rank is missing: must be a whole number, 1 to 1048576");
    EXPECT_EQ(ParseWith(MOE, R"("top_k": 2,)", ""),
              "moe.top_k is missing: must be a whole number, 1 to 65536");
}

TEST(TransformerJson, UnknownKeysAreRefusedWithTheAllowedOnes)
{
    EXPECT_EQ(ParseWith(DENSE, R"("hidden")", R"("hiden")"),
              "hiden: unknown, must be one of name, layers, hidden, ffn, vocabulary, "
              "tied_embeddings, gated_ffn, biases, learned_positions, attention, moe");
    EXPECT_EQ(ParseWith(DENSE, R"("heads": 4)", R"("heads": 4, "kv_rank": 8)"),
              "attention.kv_rank: unknown, must be one of kind, heads, kv_heads, head_dim");
    EXPECT_EQ(ParseWith(MOE, R"("heads": 4)", R"("heads": 4, "kv_heads": 4)"),
              "attention.kv_heads: unknown, must be one of kind, heads, query_rank, kv_rank, "
              "nope_dim, rope_dim, value_dim");
    EXPECT_EQ(ParseWith(MOE, R"("top_k")", R"("topK")"),
              "moe.topK: unknown, must be one of experts, top_k, ffn, shared_experts, "
              "first_dense");
    EXPECT_EQ(ParseWith(DENSE, R"("name")", R"("a\nb\u00e4": 1, "name")").substr(0, 21),
              R"(a\nb\u00e4: unknown, )");
    EXPECT_EQ(ParseWith(DENSE, R"("layers")", R"("name": "other", "layers")"),
              "name: must be in an object once");
    EXPECT_EQ(ParseWith(MOE, R"("top_k": 2)", R"("top_k": 2, "top_k": 2)"),
              "top_k: must be in an object once");
}

TEST(TransformerJson, WrongTypesAndNumbersAreNamed)
{
    const auto hidden = [](const std::string& value) {
        return ParseWith(DENSE, R"("hidden": 64)", "\"hidden\": " + value);
    };
    const std::string rule = ": must be a whole number, 1 to 1048576";
    EXPECT_EQ(hidden("\"64\""), "hidden=\"64\"" + rule);
    EXPECT_EQ(hidden("64.0"), "hidden=64.0" + rule);
    EXPECT_EQ(hidden("-64"), "hidden=-64" + rule);
    EXPECT_EQ(hidden("0"), "hidden=0" + rule);
    EXPECT_EQ(hidden("1048577"), "hidden=1048577" + rule);
    EXPECT_EQ(hidden("4294967360"), "hidden=4294967360" + rule); // 2^32 + 64
    EXPECT_EQ(hidden("18446744073709551680"), "hidden=1.8446744073709552e+19" + rule);
    EXPECT_EQ(hidden("1e999"), "numbers: must be at most 1e308");
    EXPECT_EQ(hidden("null"), "hidden=null" + rule);
    EXPECT_EQ(hidden("true"), "hidden=true" + rule);
    EXPECT_EQ(hidden("[64]"), "hidden=[...]" + rule);
    EXPECT_EQ(hidden("{}"), "hidden={...}" + rule);
    EXPECT_EQ(hidden('"' + std::string(100, 'x') + '"'),
              "hidden=\"" + std::string(39, 'x') + "..." + rule);
    EXPECT_EQ(ParseWith(DENSE, R"("ffn": 128)", R"("ffn": 128, "biases": 1)"),
              "biases=1: must be true or false");
    EXPECT_EQ(ParseWith(DENSE, R"("mine")", "7"), "name=7: must be a text in quotation marks");
    EXPECT_EQ(ParseWith(DENSE, R"("mine")", R"("my model")"),
              "name: must be 1 to 64 letters, digits, dots, underscores or hyphens");
    EXPECT_EQ(ParseWith(MOE, R"("mla")", R"("mha")"),
              "attention.kind=\"mha\": must be \"gqa\" or \"mla\"");
    EXPECT_EQ(ParseWith(DENSE, R"({"heads": 4})", "4"), "attention=4: must be an object {...}");
    EXPECT_EQ(ParseWith(MOE, R"({"experts": 8, "top_k": 2, "ffn": 32})", "[]"),
              "moe=[...]: must be an object {...}");
    EXPECT_EQ(ParseWith(MOE, R"("top_k": 2)", R"("top_k": 9)"),
              "moe.top_k=9: must be 1 to moe.experts=8");
}

TEST(TransformerJson, ErrorsInAJobNameItsPart)
{
    auto json = nlohmann::json::parse(MOE);
    TransformerSpec model;
    EXPECT_EQ(TransformerJson::Read(json, "model", model), "");
    json["moe"]["top_k"] = 9;
    EXPECT_EQ(TransformerJson::Read(json, "model", model),
              "model.moe.top_k=9: must be 1 to moe.experts=8");
    json["moe"]["top_k"] = -1; // not from a text, so a number with a sign
    EXPECT_EQ(TransformerJson::Read(json, "model", model),
              "model.moe.top_k=-1: must be a whole number, 1 to 65536");
    json["moe"]["top_k"] = 2;
    EXPECT_EQ(TransformerJson::Read(json, "model", model), "");
    json["moe"]["k"] = 2;
    EXPECT_EQ(TransformerJson::Read(json, "model", model),
              "model.moe.k: unknown, must be one of experts, top_k, ffn, shared_experts, "
              "first_dense");
    json["name"] = "\xff";
    json["moe"].erase("k");
    EXPECT_EQ(TransformerJson::Read(json, "model", model),
              "model.name: must be 1 to 64 letters, digits, dots, underscores or hyphens");
    EXPECT_EQ(TransformerJson::Read("\xff", "model", model),
              R"(model="\ufffd": must be an object {...})");
    EXPECT_EQ(TransformerJson::Read(nullptr, "", model), "model=null: must be an object {...}");
}
