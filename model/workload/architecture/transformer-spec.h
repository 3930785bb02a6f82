// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRANSFORMER_SPEC_H
#define PHOTONIC_RAILS_TRANSFORMER_SPEC_H

#include "parameter-tensor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// How a layer attends.
struct AttentionSpec
{
    /// The two families.
    enum Kind : uint8_t
    {
        GROUPED_QUERY, //!< GQA (arXiv 2305.13245); with as many key as query heads plain MHA
        LATENT,        //!< MLA, keys and values from a latent (DeepSeek-V2, arXiv 2405.04434)
    };

    Kind kind{GROUPED_QUERY};
    uint32_t heads{0};   //!< query heads
    uint32_t kvHeads{0}; //!< key and value heads; GROUPED_QUERY only
    uint32_t headDim{0}; //!< width of a head; GROUPED_QUERY only

    uint32_t queryRank{0}; //!< width of the query latent, 0 if there is none; LATENT only
    uint32_t kvRank{0};    //!< width of the latent of keys and values; LATENT only
    uint32_t nopeDim{0};   //!< width of a query or key head without position; LATENT only
    uint32_t ropeDim{0};   //!< and of its part with position, one key for all heads; LATENT only
    uint32_t valueDim{0};  //!< width of a value head; LATENT only

    /// @return width of a head in the product of queries and keys
    uint32_t GetQueryDim() const;
    /// @return width of a head in the product of scores and values
    uint32_t GetValueDim() const;
};

/**
 * @brief Mixture of experts; with no experts the model is dense.
 *
 * A router is one matrix. What some routers add to the scores of experts to balance them
 * (DeepSeek-V3's correction bias) has no gradient and is not counted as a parameter.
 */
struct MoeSpec
{
    uint32_t experts{0};       //!< routed experts of a layer
    uint32_t topK{0};          //!< of them, those that a token goes to
    uint32_t ffn{0};           //!< inner width of an expert
    uint32_t sharedExperts{0}; //!< experts that see every token
    uint32_t firstDense{0};    //!< layers at the beginning that have a dense network instead
};

/**
 * @brief The architecture of a decoder-only transformer.
 *
 * Everything else (parameters, volumes, FLOPs) is derived from these numbers.
 */
struct TransformerSpec
{
    static constexpr uint32_t MAX_LAYERS = 4096;    //!< most layers
    static constexpr uint32_t MAX_WIDTH = 1U << 20; //!< largest width, vocabulary or context
    static constexpr uint32_t MAX_EXPERTS = 65536;  //!< most experts of a layer
    /// Most parameters of a model. With 16 bytes for each, bytes still fit into 2^60.
    static constexpr uint64_t MAX_PARAMETERS = uint64_t{1} << 56;

    std::string name;   //!< name of the preset, or of the user's file
    uint32_t layers{0}; //!< transformer blocks
    uint32_t hidden{0}; //!< width of the residual stream
    uint32_t ffn{0};    //!< inner width of the dense feed-forward network; 0 if no layer has one
    uint32_t vocabulary{0}; //!< tokens
    AttentionSpec attention;
    MoeSpec moe;
    bool tiedEmbeddings{false};   //!< the output projection is the embedding matrix
    bool gatedFfn{true};          //!< SwiGLU, three matrices; else two with GELU
    bool biases{false};           //!< biases on projections, and norms with them (LayerNorm)
    uint32_t learnedPositions{0}; //!< learned position embeddings; 0 for rotary ones

    /**
     * @brief Look up a preset.
     * @param name its name
     * @return the preset, or nothing if there is none of that name
     */
    static std::optional<TransformerSpec> Find(const std::string& name);

    /// @return the names that Find knows
    static std::vector<std::string> GetNames();

    /**
     * @param layer a layer, from 0
     * @return true if it has experts
     */
    bool IsMoeLayer(uint32_t layer) const;

    /// @return how many layers have experts
    uint32_t GetMoeLayers() const;

    /// @return tensors of the embedding
    ParameterTensors GetEmbeddingTensors() const;

    /**
     * @param layer a layer, from 0
     * @return its tensors, in the order in which a forward uses them
     */
    ParameterTensors GetLayerTensors(uint32_t layer) const;

    /// @return tensors of the final norm and the output projection, which may be the embedding's
    ParameterTensors GetOutputTensors() const;

    /// @return all parameters of the model
    uint64_t GetParameters() const;

    /// @return parameters that one token meets: of the routed experts only topK count
    uint64_t GetActiveParameters() const;

    /**
     * @brief Check that the numbers describe a model, none of them too large to be multiplied.
     *
     * A number that has no meaning for the model (key and value heads of MLA, experts' width
     * without experts) must be 0; only ffn may be there without a dense layer.
     *
     * @return an empty string, or one line that begins with the name of the bad number in a JSON
     *         file (TransformerJson) and says what is allowed
     */
    std::string Validate() const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRANSFORMER_SPEC_H
