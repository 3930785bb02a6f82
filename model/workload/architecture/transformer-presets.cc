// SPDX-License-Identifier: GPL-2.0-only

#include "transformer-spec.h"

namespace ns3
{

namespace
{

/// @return a dense model of the Llama family
TransformerSpec
MakeLlama(const std::string& name,
          uint32_t layers,
          uint32_t hidden,
          uint32_t ffn,
          uint32_t heads,
          uint32_t kvHeads,
          uint32_t vocabulary)
{
    TransformerSpec model;
    model.name = name;
    model.layers = layers;
    model.hidden = hidden;
    model.ffn = ffn;
    model.vocabulary = vocabulary;
    model.attention.heads = heads;
    model.attention.kvHeads = kvHeads;
    model.attention.headDim = hidden / heads;
    return model;
}

/// @return DeepSeek-V3 as TorchTitan's flavour "16B" has it, which is DeepSeek-V2-Lite
TransformerSpec
MakeDeepSeek16b()
{
    TransformerSpec model;
    model.name = "deepseek-v3-16b";
    model.layers = 27;
    model.hidden = 2048;
    model.ffn = 10944;
    model.vocabulary = 102400;
    model.attention.kind = AttentionSpec::LATENT;
    model.attention.heads = 16;
    model.attention.kvRank = 512;
    model.attention.nopeDim = 128;
    model.attention.ropeDim = 64;
    model.attention.valueDim = 128;
    model.moe = {64, 6, 1408, 2, 1};
    return model;
}

/// @return every preset
std::vector<TransformerSpec>
GetPresets()
{
    // Llama 3: "The Llama 3 Herd of Models", arXiv 2407.21783, Table 3.
    // debugmodel: TorchTitan, models/llama3. It gives dimension, layers, heads and vocabulary; as
    // many key as query heads; the feed-forward width is 2/3 of 4 x 256, rounded up to a multiple
    // of 256.
    return {
        MakeLlama("llama3-8b", 32, 4096, 14336, 32, 8, 128256),
        MakeLlama("llama3-70b", 80, 8192, 28672, 64, 8, 128256),
        MakeLlama("llama3-405b", 126, 16384, 53248, 128, 8, 128256),
        MakeLlama("debugmodel", 6, 256, 768, 16, 16, 2048),
        MakeDeepSeek16b(),
    };
}

} // namespace

std::optional<TransformerSpec>
TransformerSpec::Find(const std::string& name)
{
    for (const auto& preset : GetPresets())
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
    for (const auto& preset : GetPresets())
    {
        names.push_back(preset.name);
    }
    return names;
}

std::string
TransformerSpec::Validate() const
{
    return "";
}

} // namespace ns3
