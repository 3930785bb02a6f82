// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRANSFORMER_SPEC_H
#define PHOTONIC_RAILS_TRANSFORMER_SPEC_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The architecture of a dense decoder-only transformer of the Llama family: grouped-query
 * attention, gated feed-forward (SwiGLU), RMS norms, no biases.
 *
 * Everything else (parameters, volumes, FLOPs) is derived from these numbers. A multiplication and
 * an addition count as two FLOPs; norms, rotary embedding, softmax and residual additions are left
 * out, as in the usual definition of model FLOPs.
 */
struct TransformerSpec
{
    std::string name;           //!< name of the preset
    uint32_t layers{0};         //!< transformer blocks
    uint32_t hidden{0};         //!< width of the residual stream
    uint32_t ffn{0};            //!< inner width of the feed-forward network
    uint32_t heads{0};          //!< query heads; hidden / heads is the width of a head
    uint32_t kvHeads{0};        //!< key and value heads
    uint32_t vocabulary{0};     //!< tokens
    bool tiedEmbeddings{false}; //!< the output projection is the embedding matrix

    /**
     * @brief Look up a preset: llama3-8b, llama3-70b, llama3-405b (arXiv 2407.21783, Table 3) or
     * debugmodel (TorchTitan's small Llama 3 for tests).
     * @param name its name
     * @return the preset, or nothing if there is none of that name
     */
    static std::optional<TransformerSpec> Find(const std::string& name);

    /// @return the names that Find knows
    static std::vector<std::string> GetNames();

    /// @return width of the key (or value) projection: kvHeads heads
    uint64_t GetKvWidth() const;

    /// @return parameters of the query, key, value and output projections of one layer
    uint64_t GetAttentionParameters() const;

    /// @return parameters of the gate, up and down projections of one layer
    uint64_t GetFeedForwardParameters() const;

    /// @return parameters of the two norms of one layer
    uint64_t GetLayerNormParameters() const;

    /// @return all parameters of one layer
    uint64_t GetLayerParameters() const;

    /// @return parameters of the token embedding
    uint64_t GetEmbeddingParameters() const;

    /// @return parameters of the norm before the output projection
    uint64_t GetFinalNormParameters() const;

    /// @return parameters of the output projection, 0 if it is tied to the embedding
    uint64_t GetOutputParameters() const;

    /// @return all parameters of the model
    uint64_t GetParameters() const;

    /**
     * @brief Forward FLOPs of the attention half of a layer.
     *
     * 2 per parameter, plus the score and value products: 2 x 2 x hidden x (tokens attended to).
     * With a causal mask a token attends to half the sequence on average.
     * @param seqLen tokens in a sequence
     * @return FLOPs per token
     */
    double GetAttentionFlops(uint32_t seqLen) const;

    /// @return forward FLOPs per token of the feed-forward half of a layer: 2 per parameter
    double GetFeedForwardFlops() const;

    /// @return forward FLOPs per token of the output projection: 2 x hidden x vocabulary
    double GetOutputFlops() const;

    /**
     * @param seqLen tokens in a sequence
     * @return forward FLOPs per token of the whole model
     */
    double GetForwardFlops(uint32_t seqLen) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRANSFORMER_SPEC_H
