// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/transformer-spec.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/**
 * @param preset name of a model
 * @param change makes one number wrong
 * @return what Validate says
 */
template <typename F>
std::string
ValidateModel(const char* preset, F change)
{
    TransformerSpec model = TransformerSpec::Find(preset).value();
    change(model);
    return model.Validate();
}

} // namespace

TEST(TransformerValidation, NumbersAreInRange)
{
    const auto dense = [](auto change) { return ValidateModel("llama3-8b", change); };
    EXPECT_EQ(dense([](auto& m) { m.layers = 0; }), "layers=0: must be 1 to 4096");
    EXPECT_EQ(dense([](auto& m) { m.layers = 4097; }), "layers=4097: must be 1 to 4096");
    EXPECT_EQ(dense([](auto& m) { m.layers = 4096; }), "");
    EXPECT_EQ(dense([](auto& m) { m.hidden = 0; }), "hidden=0: must be 1 to 1048576");
    EXPECT_EQ(dense([](auto& m) { m.hidden = 1048577; }), "hidden=1048577: must be 1 to 1048576");
    EXPECT_EQ(dense([](auto& m) { m.hidden = 1048576; }), "");
    EXPECT_EQ(dense([](auto& m) { m.vocabulary = 0; }), "vocabulary=0: must be 1 to 1048576");
    EXPECT_EQ(dense([](auto& m) { m.ffn = 0; }), "ffn=0: must be 1 to 1048576");
    EXPECT_EQ(dense([](auto& m) { m.learnedPositions = UINT32_MAX; }),
              "learned_positions=4294967295: must be 0 to 1048576");
}

TEST(TransformerValidation, NamesFitIntoOneLine)
{
    const std::string rule = "name: must be 1 to 64 letters, digits, dots, underscores or hyphens";
    for (const std::string name : {"", "a b", "a\n", "\xc3\xa4", "../a", "a,b"})
    {
        EXPECT_EQ(ValidateModel("debugmodel", [&](auto& m) { m.name = name; }), rule);
    }
    EXPECT_EQ(ValidateModel("debugmodel", [](auto& m) { m.name.assign(65, 'a'); }), rule);
    EXPECT_EQ(ValidateModel("debugmodel", [](auto& m) { m.name.assign(64, 'a'); }), "");
    EXPECT_EQ(ValidateModel("debugmodel", [](auto& m) { m.name = "My_model-1.5b"; }), "");
}

TEST(TransformerValidation, HeadsFitTogether)
{
    const auto gqa = [](auto change) { return ValidateModel("llama3-8b", change); };
    EXPECT_EQ(gqa([](auto& m) { m.attention.heads = 0; }),
              "attention.heads=0: must be 1 to 1048576");
    EXPECT_EQ(gqa([](auto& m) { m.attention.kvHeads = 0; }),
              "attention.kv_heads=0: must be 1 to 1048576");
    EXPECT_EQ(gqa([](auto& m) { m.attention.kvHeads = 3; }),
              "attention.kv_heads=3: must divide attention.heads=32");
    EXPECT_EQ(gqa([](auto& m) { m.attention.kvHeads = 64; }),
              "attention.kv_heads=64: must divide attention.heads=32");
    EXPECT_EQ(gqa([](auto& m) { m.attention.headDim = 0; }),
              "attention.head_dim=0: must be 1 to 1048576");
    EXPECT_EQ(gqa([](auto& m) { m.attention.headDim = 1 << 20; }),
              "attention.heads x attention.head_dim=33554432: must be 1 to 1048576");
    EXPECT_EQ(gqa([](auto& m) { m.attention.kvRank = 512; }),
              "attention.kv_rank=512: must be 0 where attention.kind is gqa");
    // Heads need not fill the residual stream.
    EXPECT_EQ(gqa([](auto& m) { m.attention.headDim = 80; }), "");
}

TEST(TransformerValidation, LatentsHaveWidths)
{
    const auto mla = [](auto change) { return ValidateModel("deepseek-v3", change); };
    EXPECT_EQ(mla([](auto& m) { m.attention.queryRank = 0; }), "");
    EXPECT_EQ(mla([](auto& m) { m.attention.kvRank = 0; }),
              "attention.kv_rank=0: must be 1 to 1048576");
    EXPECT_EQ(mla([](auto& m) { m.attention.nopeDim = 0; }),
              "attention.nope_dim=0: must be 1 to 1048576");
    EXPECT_EQ(mla([](auto& m) { m.attention.ropeDim = 0; }),
              "attention.rope_dim=0: must be 1 to 1048576");
    EXPECT_EQ(mla([](auto& m) { m.attention.valueDim = 0; }),
              "attention.value_dim=0: must be 1 to 1048576");
    EXPECT_EQ(mla([](auto& m) { m.attention.valueDim = 8193; }),
              "attention.heads x attention.value_dim=1048704: must be 1 to 1048576");
    EXPECT_EQ(mla([](auto& m) { m.attention.nopeDim = 8192; }),
              "attention.heads x (attention.nope_dim + attention.rope_dim)=1056768: must be 1 to "
              "1048576");
    EXPECT_EQ(mla([](auto& m) { m.attention.kvHeads = 128; }),
              "attention.kv_heads=128: must be 0 where attention.kind is mla");
}

TEST(TransformerValidation, ExpertsFitTogether)
{
    const auto moe = [](auto change) { return ValidateModel("deepseek-v3", change); };
    EXPECT_EQ(moe([](auto& m) { m.moe.experts = 65537; }), "moe.experts=65537: must be 0 to 65536");
    EXPECT_EQ(moe([](auto& m) { m.moe.topK = 0; }), "moe.top_k=0: must be 1 to moe.experts=256");
    EXPECT_EQ(moe([](auto& m) { m.moe.topK = 257; }),
              "moe.top_k=257: must be 1 to moe.experts=256");
    EXPECT_EQ(moe([](auto& m) { m.moe.ffn = 0; }), "moe.ffn=0: must be 1 to 1048576");
    EXPECT_EQ(moe([](auto& m) { m.moe.firstDense = 62; }),
              "moe.first_dense=62: must be 0 to layers=61");
    EXPECT_EQ(moe([](auto& m) { m.moe.sharedExperts = 513; }),
              "moe.ffn x moe.shared_experts=1050624: must be 0 to 1048576");
    EXPECT_EQ(moe([](auto& m) { m.moe.sharedExperts = 0; }), "");
    // The first layers are dense and need a width; without them it is not used.
    EXPECT_EQ(moe([](auto& m) { m.ffn = 0; }), "ffn=0: must be 1 to 1048576");
    EXPECT_EQ(moe([](auto& m) { m.moe.firstDense = 0; }), "");
    EXPECT_EQ(moe([](auto& m) { m.moe.firstDense = m.ffn = 0; }), "");
    EXPECT_EQ(ValidateModel("llama3-8b", [](auto& m) { m.moe.topK = 2; }),
              "moe.top_k=2: must be 0 where moe.experts is 0");
}

TEST(TransformerValidation, NothingOverflows)
{
    const auto huge = [](uint32_t layers) {
        return ValidateModel("mixtral-8x7b", [layers](auto& m) {
            m.hidden = m.vocabulary = m.moe.ffn = TransformerSpec::MAX_WIDTH;
            m.moe.experts = 512;
            m.layers = layers;
        });
    };
    // 3 x 2^49 parameters of experts in a layer: 42 layers are below 2^56, 43 are not.
    EXPECT_EQ(huge(42), "");
    EXPECT_EQ(huge(43),
              "layers=43: must make at most 72057594037927936 parameters with the widths of the "
              "model");
    // All at their limits.
    EXPECT_NE(ValidateModel("deepseek-v3",
                            [](auto& m) {
                                m.layers = TransformerSpec::MAX_LAYERS;
                                m.hidden = m.vocabulary = m.ffn = TransformerSpec::MAX_WIDTH;
                                m.moe.ffn = m.attention.kvRank = TransformerSpec::MAX_WIDTH;
                                m.moe.experts = TransformerSpec::MAX_EXPERTS;
                            }),
              "");
}
