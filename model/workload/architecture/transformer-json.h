// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRANSFORMER_JSON_H
#define PHOTONIC_RAILS_TRANSFORMER_JSON_H

#include "transformer-spec.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ns3
{

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

#endif // PHOTONIC_RAILS_TRANSFORMER_JSON_H
