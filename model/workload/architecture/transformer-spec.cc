// SPDX-License-Identifier: GPL-2.0-only

#include "transformer-spec.h"

namespace ns3
{

namespace
{

/// @return every preset
std::vector<TransformerSpec>
GetPresets()
{
    // Llama 3: "The Llama 3 Herd of Models", arXiv 2407.21783, Table 3.
    // debugmodel: TorchTitan, models/llama3. It gives dimension, layers, heads and vocabulary; as
    // many key as query heads; the feed-forward width is 2/3 of 4 x 256, rounded up to a multiple
    // of 256.
    return {
        {"llama3-8b", 32, 4096, 14336, 32, 8, 128256, false},
        {"llama3-70b", 80, 8192, 28672, 64, 8, 128256, false},
        {"llama3-405b", 126, 16384, 53248, 128, 8, 128256, false},
        {"debugmodel", 6, 256, 768, 16, 16, 2048, false},
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

uint64_t
TransformerSpec::GetKvWidth() const
{
    return uint64_t{hidden} / heads * kvHeads;
}

uint64_t
TransformerSpec::GetAttentionParameters() const
{
    return 2 * uint64_t{hidden} * hidden + 2 * uint64_t{hidden} * GetKvWidth();
}

uint64_t
TransformerSpec::GetFeedForwardParameters() const
{
    return 3 * uint64_t{hidden} * ffn;
}

uint64_t
TransformerSpec::GetLayerNormParameters() const
{
    return 2 * uint64_t{hidden};
}

uint64_t
TransformerSpec::GetLayerParameters() const
{
    return GetAttentionParameters() + GetFeedForwardParameters() + GetLayerNormParameters();
}

uint64_t
TransformerSpec::GetEmbeddingParameters() const
{
    return uint64_t{vocabulary} * hidden;
}

uint64_t
TransformerSpec::GetFinalNormParameters() const
{
    return hidden;
}

uint64_t
TransformerSpec::GetOutputParameters() const
{
    return tiedEmbeddings ? 0 : uint64_t{vocabulary} * hidden;
}

uint64_t
TransformerSpec::GetParameters() const
{
    return GetEmbeddingParameters() + layers * GetLayerParameters() + GetFinalNormParameters() +
           GetOutputParameters();
}

double
TransformerSpec::GetAttentionFlops(uint32_t seqLen) const
{
    const double products = 2.0 * 2.0 * hidden * (seqLen / 2.0);
    return 2.0 * static_cast<double>(GetAttentionParameters()) + products;
}

double
TransformerSpec::GetFeedForwardFlops() const
{
    return 2.0 * static_cast<double>(GetFeedForwardParameters());
}

double
TransformerSpec::GetOutputFlops() const
{
    // Tied or not, the product is computed.
    return 2.0 * hidden * vocabulary;
}

double
TransformerSpec::GetForwardFlops(uint32_t seqLen) const
{
    return layers * (GetAttentionFlops(seqLen) + GetFeedForwardFlops()) + GetOutputFlops();
}

} // namespace ns3
