// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TRANSFORMER_JSON_H
#define PHOTONIC_RAILS_TRANSFORMER_JSON_H

#include "transformer-spec.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ns3
{

/**
 * @brief A model as JSON that a user writes.
 *
 * Keys, with the defaults of those that may be missing:
 * - name: 1 to 64 letters, digits, dots, underscores or hyphens
 * - layers, hidden, vocabulary
 * - ffn: inner width of the dense feed-forward network; required if a layer is dense
 * - tied_embeddings (false), gated_ffn (true), biases (false), learned_positions (0: rotary)
 * - attention: an object with kind ("gqa") and heads. If kind is "gqa": kv_heads (as many as
 *   heads), head_dim (hidden / heads). If it is "mla": query_rank (0: no latent of queries),
 *   kv_rank, nope_dim, rope_dim, value_dim
 * - moe (none: a dense model): an object with experts, top_k, ffn, shared_experts (0),
 *   first_dense (0)
 *
 * They mean what the fields of TransformerSpec mean, and may be what its Validate allows.
 */
class TransformerJson
{
  public:
    /**
     * @brief Read a file's text. Throws nothing, whatever the bytes are.
     * @param text see JsonText for what is refused of any JSON
     * @param model gets the model, unless there is an error
     * @return an empty string, or one line that begins with the name of what is wrong, such as
     *         "attention.heads", and says what is allowed
     */
    static std::string Parse(const std::string& text, TransformerSpec& model);

    /**
     * @brief Read a model that is part of something else.
     * @param value the model
     * @param path what errors call it; their names begin with it and a dot
     * @param model gets the model, unless there is an error
     * @return as Parse
     */
    static std::string Read(const nlohmann::json& value,
                            const std::string& path,
                            TransformerSpec& model);

    /**
     * @param model a valid model
     * @return it with all keys that have a meaning for it; Read gives back the same model
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
