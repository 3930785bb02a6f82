// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRANSFORMER_SPEC_H
#define PHOTONIC_RAILS_TRANSFORMER_SPEC_H

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// The part of a model to which a parameter tensor belongs.
enum class ModelPart : uint8_t
{
    EMBEDDING,      //!< tokens, and positions if they are learned
    ATTENTION_NORM, //!< before attention
    ATTENTION,      //!< projections, and the norms of latents between them
    FFN_NORM,       //!< before the feed-forward network
    FFN,            //!< dense feed-forward network
    ROUTER,         //!< scores of experts
    SHARED_EXPERT,  //!< experts that process every token
    EXPERT,         //!< routed experts, all of a layer in one tensor
    FINAL_NORM,     //!< before the output projection
    OUTPUT,         //!< output projection
};

/// How tensor parallelism splits a tensor.
enum class TensorSplit : uint8_t
{
    REPLICATED, //!< not split: every TP rank has the whole tensor
    COLUMN,     //!< over its outputs (Megatron's column-parallel), biases included
    ROW,        //!< over its inputs (row-parallel)
    VOCABULARY, //!< over tokens of the vocabulary
};

/**
 * @brief One parameter tensor of a model, as registered by frameworks.
 *
 * All quantities of a model derive from its tensors: parameters, shards, gradient norms per tensor,
 * buckets, FLOPs of the products with weights.
 */
struct ParameterTensor
{
    std::string name; //!< inside its layer, such as "attention.wq"
    ModelPart part{ModelPart::ATTENTION};
    TensorSplit split{TensorSplit::REPLICATED};
    uint64_t outputs{1}; //!< rows of the weight; for an embedding the number of tokens
    uint64_t inputs{1};  //!< columns of the weight; 1 for a vector
    uint32_t experts{1}; //!< number of matrices stacked in the tensor; above 1 for EXPERT only

    /// @return the number of parameters
    uint64_t GetSize() const
    {
        return outputs * inputs * experts;
    }
};

using ParameterTensors = std::vector<ParameterTensor>;

/**
 * @param tensors tensors
 * @return the number of their parameters
 */
uint64_t CountParameters(const ParameterTensors& tensors);

/// Attention of a layer.
struct AttentionSpec
{
    /// Families of attention.
    enum Kind : uint8_t
    {
        GROUPED_QUERY, //!< GQA (arXiv 2305.13245); plain MHA if there are as many key heads as
                       //!< query heads
        LATENT,        //!< MLA, keys and values from a latent (DeepSeek-V2, arXiv 2405.04434)
    };

    Kind kind{GROUPED_QUERY};
    uint32_t heads{0};   //!< query heads
    uint32_t kvHeads{0}; //!< key and value heads; GROUPED_QUERY only
    uint32_t headDim{0}; //!< width of a head; GROUPED_QUERY only

    uint32_t queryRank{0}; //!< width of the query latent, 0 if there is none; LATENT only
    uint32_t kvRank{0};    //!< width of the latent of keys and values; LATENT only
    uint32_t nopeDim{0};   //!< width of a query or key head without position; LATENT only
    /// width of a query or key head with position, one key for all heads; LATENT only
    uint32_t ropeDim{0};
    uint32_t valueDim{0}; //!< width of a value head; LATENT only

    /// @return width of a head in the product of queries and keys
    uint32_t GetQueryDim() const;
    /// @return width of a head in the product of scores and values
    uint32_t GetValueDim() const;
};

/**
 * @brief Mixture of experts; a model without experts is dense.
 *
 * A router is one matrix. The term that some routers add to the scores of experts to balance them
 * (DeepSeek-V3's correction bias) has no gradient and does not count as a parameter.
 */
struct MoeSpec
{
    uint32_t experts{0};       //!< routed experts of a layer
    uint32_t topK{0};          //!< routed experts per token
    uint32_t ffn{0};           //!< inner width of an expert
    uint32_t sharedExperts{0}; //!< experts that process every token
    uint32_t firstDense{0};    //!< number of first layers with a dense network instead of experts
};

/**
 * @brief The architecture of a decoder-only transformer.
 *
 * Everything else (parameters, volumes, FLOPs) is derived from these numbers.
 */
struct TransformerSpec
{
    static constexpr uint32_t MAX_LAYERS = 4096;    //!< largest number of layers
    static constexpr uint32_t MAX_WIDTH = 1U << 20; //!< largest width, vocabulary or context
    static constexpr uint32_t MAX_EXPERTS = 65536;  //!< largest number of experts of a layer
    /// Largest number of parameters of a model. At 16 bytes per parameter, byte counts are at most
    /// 2^60.
    static constexpr uint64_t MAX_PARAMETERS = uint64_t{1} << 56;

    std::string name;   //!< name of the preset, or of the user's file
    uint32_t layers{0}; //!< transformer blocks
    uint32_t hidden{0}; //!< width of the residual stream
    uint32_t ffn{0};    //!< inner width of the dense feed-forward network; 0 if no layer has one
    uint32_t vocabulary{0}; //!< number of tokens
    AttentionSpec attention;
    MoeSpec moe;
    bool tiedEmbeddings{false};   //!< the output projection is the embedding matrix
    bool gatedFfn{true};          //!< true for SwiGLU with three matrices, false for GELU with two
    bool biases{false};           //!< biases on projections and on norms (LayerNorm)
    uint32_t learnedPositions{0}; //!< learned position embeddings; 0 for rotary ones

    /**
     * @brief Look up a preset.
     * @param name name of the preset
     * @return the preset, or nothing for an unknown name
     */
    static std::optional<TransformerSpec> Find(const std::string& name);

    /// @return the names of all presets
    static std::vector<std::string> GetNames();

    /**
     * @param layer a layer, from 0
     * @return true if the layer has experts
     */
    bool IsMoeLayer(uint32_t layer) const;

    /// @return the number of layers with experts
    uint32_t GetMoeLayers() const;

    /// @return tensors of the embedding
    ParameterTensors GetEmbeddingTensors() const;

    /**
     * @param layer a layer, from 0
     * @return the tensors of the layer, in the order in which a forward uses them
     */
    ParameterTensors GetLayerTensors(uint32_t layer) const;

    /// @return tensors of the final norm and the output projection, which may be the embedding's
    /// tensor
    ParameterTensors GetOutputTensors() const;

    /// @return all parameters of the model
    uint64_t GetParameters() const;

    /// @return parameters active for one token: of the routed experts only topK count
    uint64_t GetActiveParameters() const;

    /**
     * @brief Check that the numbers describe a model, and that products of them do not overflow.
     *
     * A number that does not apply to the model (key and value heads of MLA, width of experts
     * without experts) must be 0. Only ffn may be set in a model without a dense layer.
     *
     * @return an empty string, or one line that begins with the name of the wrong number in a JSON
     * file (TransformerJson) and names the allowed values
     */
    std::string Validate() const;
};

/**
 * @brief A model in the JSON format of user files.
 *
 * Keys, with the defaults of optional keys:
 * - name: 1 to 64 letters, digits, dots, underscores or hyphens
 * - layers, hidden, vocabulary
 * - ffn: inner width of the dense feed-forward network; required if a layer is dense
 * - tied_embeddings (false), gated_ffn (true), biases (false), learned_positions (0: rotary)
 * - attention: an object with kind ("gqa") and heads. If kind is "gqa": kv_heads (as many as
 *   heads), head_dim (hidden / heads). If kind is "mla": query_rank (0: no latent of queries),
 *   kv_rank, nope_dim, rope_dim, value_dim
 * - moe (none: a dense model): an object with experts, top_k, ffn, shared_experts (0), first_dense
 *   (0)
 *
 * Each key corresponds to a field of TransformerSpec; TransformerSpec::Validate has the allowed
 * values.
 */
class TransformerJson
{
  public:
    /**
     * @brief Read the text of a file. Throws no exceptions for any input.
     * @param text the text; see JsonText for the limits of any JSON
     * @param model set to the model, unless there is an error
     * @return an empty string, or one line that begins with the name of the wrong key, such as
     * "attention.heads", and names the allowed values
     */
    static std::string Parse(const std::string& text, TransformerSpec& model);

    /**
     * @brief Read a model that is part of a larger JSON value.
     * @param value the model
     * @param path prefix of key names in errors, followed by a dot
     * @param model set to the model, unless there is an error
     * @return as Parse
     */
    static std::string Read(const nlohmann::json& value,
                            const std::string& path,
                            TransformerSpec& model);

    /**
     * @param model a valid model
     * @return the model with all keys that apply to it; Read restores the same model
     */
    static nlohmann::ordered_json Write(const TransformerSpec& model);

    /**
     * @param model a valid model
     * @return the text of a file
     */
    static std::string ToText(const TransformerSpec& model);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TRANSFORMER_SPEC_H
