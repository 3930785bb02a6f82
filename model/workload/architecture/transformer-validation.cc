// SPDX-License-Identifier: GPL-2.0-only

#include "transformer-spec.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Checks the numbers of a model one by one and keeps the first error.
class ModelCheck
{
  public:
    /// @return the first error, empty if there is none
    const std::string& GetError() const
    {
        return m_error;
    }

    /**
     * @param isRight true if the number is allowed
     * @param name name of the number
     * @param value its value
     * @param rule the allowed values, as text after "must"
     */
    void Require(bool isRight, const char* name, uint64_t value, const std::string& rule)
    {
        if (!isRight && m_error.empty())
        {
            m_error = std::string(name) + "=" + std::to_string(value) + ": must " + rule;
        }
    }

    /// Check that the number is from @p least to @p most.
    void Range(const char* name, uint64_t value, uint64_t least, uint64_t most)
    {
        Require(value >= least && value <= most,
                name,
                value,
                "be " + std::to_string(least) + " to " + std::to_string(most));
    }

    /// Check that the number is 0, because the model does not use it.
    void Absent(const char* name, uint64_t value, const std::string& reason)
    {
        Require(value == 0, name, value, "be 0 " + reason);
    }

  private:
    std::string m_error;
};

/// @return true if the text can be used in a table, a file name and an error message
bool
IsName(const std::string& text)
{
    constexpr std::size_t MAX_LENGTH = 64;
    const auto isAllowed = [](char letter) {
        return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
               (letter >= '0' && letter <= '9') || letter == '.' || letter == '_' || letter == '-';
    };
    return !text.empty() && text.size() <= MAX_LENGTH &&
           std::all_of(text.begin(), text.end(), isAllowed);
}

void
CheckGroupedQuery(ModelCheck& check, const AttentionSpec& attention)
{
    check.Range("attention.kv_heads", attention.kvHeads, 1, TransformerSpec::MAX_WIDTH);
    check.Require(attention.kvHeads != 0 && attention.heads % attention.kvHeads == 0,
                  "attention.kv_heads",
                  attention.kvHeads,
                  "divide attention.heads=" + std::to_string(attention.heads));
    check.Range("attention.head_dim", attention.headDim, 1, TransformerSpec::MAX_WIDTH);
    check.Range("attention.heads x attention.head_dim",
                uint64_t{attention.heads} * attention.headDim,
                1,
                TransformerSpec::MAX_WIDTH);
    const std::string reason = "where attention.kind is gqa";
    check.Absent("attention.query_rank", attention.queryRank, reason);
    check.Absent("attention.kv_rank", attention.kvRank, reason);
    check.Absent("attention.nope_dim", attention.nopeDim, reason);
    check.Absent("attention.rope_dim", attention.ropeDim, reason);
    check.Absent("attention.value_dim", attention.valueDim, reason);
}

void
CheckLatent(ModelCheck& check, const AttentionSpec& attention)
{
    check.Range("attention.query_rank", attention.queryRank, 0, TransformerSpec::MAX_WIDTH);
    check.Range("attention.kv_rank", attention.kvRank, 1, TransformerSpec::MAX_WIDTH);
    check.Range("attention.nope_dim", attention.nopeDim, 1, TransformerSpec::MAX_WIDTH);
    check.Range("attention.rope_dim", attention.ropeDim, 1, TransformerSpec::MAX_WIDTH);
    check.Range("attention.value_dim", attention.valueDim, 1, TransformerSpec::MAX_WIDTH);
    const uint64_t heads = attention.heads;
    check.Range("attention.heads x (attention.nope_dim + attention.rope_dim)",
                heads * (uint64_t{attention.nopeDim} + attention.ropeDim),
                1,
                TransformerSpec::MAX_WIDTH);
    check.Range("attention.heads x attention.value_dim",
                heads * attention.valueDim,
                1,
                TransformerSpec::MAX_WIDTH);
    const std::string reason = "where attention.kind is mla";
    check.Absent("attention.kv_heads", attention.kvHeads, reason);
    check.Absent("attention.head_dim", attention.headDim, reason);
}

void
CheckExperts(ModelCheck& check, const MoeSpec& moe, uint32_t layers)
{
    check.Range("moe.experts", moe.experts, 0, TransformerSpec::MAX_EXPERTS);
    if (moe.experts == 0)
    {
        const std::string reason = "where moe.experts is 0";
        check.Absent("moe.top_k", moe.topK, reason);
        check.Absent("moe.ffn", moe.ffn, reason);
        check.Absent("moe.shared_experts", moe.sharedExperts, reason);
        check.Absent("moe.first_dense", moe.firstDense, reason);
        return;
    }
    check.Require(moe.topK >= 1 && moe.topK <= moe.experts,
                  "moe.top_k",
                  moe.topK,
                  "be 1 to moe.experts=" + std::to_string(moe.experts));
    check.Range("moe.ffn", moe.ffn, 1, TransformerSpec::MAX_WIDTH);
    check.Range("moe.shared_experts", moe.sharedExperts, 0, TransformerSpec::MAX_EXPERTS);
    check.Range("moe.ffn x moe.shared_experts",
                uint64_t{moe.ffn} * moe.sharedExperts,
                0,
                TransformerSpec::MAX_WIDTH);
    check.Require(moe.firstDense <= layers,
                  "moe.first_dense",
                  moe.firstDense,
                  "be 0 to layers=" + std::to_string(layers));
}

/// Check the total. Each number must be in range: a layer then has fewer than 2^59 parameters.
void
CheckTotal(ModelCheck& check, const TransformerSpec& model)
{
    uint64_t total = CountParameters(model.GetEmbeddingTensors());
    total += CountParameters(model.GetOutputTensors());
    for (uint32_t layer = 0; layer < model.layers && total <= TransformerSpec::MAX_PARAMETERS;
         ++layer)
    {
        total += CountParameters(model.GetLayerTensors(layer));
    }
    check.Require(total <= TransformerSpec::MAX_PARAMETERS,
                  "layers",
                  model.layers,
                  "make at most " + std::to_string(TransformerSpec::MAX_PARAMETERS) +
                      " parameters with the widths of the model");
}

} // namespace

std::string
TransformerSpec::Validate() const
{
    if (!IsName(name))
    {
        return "name: must be 1 to 64 letters, digits, dots, underscores or hyphens";
    }
    ModelCheck check;
    check.Range("layers", layers, 1, MAX_LAYERS);
    check.Range("hidden", hidden, 1, TransformerSpec::MAX_WIDTH);
    check.Range("vocabulary", vocabulary, 1, TransformerSpec::MAX_WIDTH);
    check.Range("learned_positions", learnedPositions, 0, TransformerSpec::MAX_WIDTH);
    check.Range("attention.heads", attention.heads, 1, TransformerSpec::MAX_WIDTH);
    if (attention.kind == AttentionSpec::LATENT)
    {
        CheckLatent(check, attention);
    }
    else
    {
        CheckGroupedQuery(check, attention);
    }
    CheckExperts(check, moe, layers);
    const bool hasDense = moe.experts == 0 || moe.firstDense > 0;
    check.Range("ffn", ffn, hasDense ? 1 : 0, TransformerSpec::MAX_WIDTH);
    if (check.GetError().empty())
    {
        CheckTotal(check, *this);
    }
    return check.GetError();
}

} // namespace ns3
