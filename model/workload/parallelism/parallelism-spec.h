// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PARALLELISM_SPEC_H
#define PHOTONIC_RAILS_PARALLELISM_SPEC_H

#include "ns3/transformer-spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// What a backward pass finds in memory.
enum class Recomputation : uint8_t
{
    NONE, //!< every activation
    FULL, //!< the input of each layer: the layer's forward is run again first
};

/// Which FSDP units give up their gathered parameters after a forward pass.
enum class ReshardPolicy : uint8_t
{
    ALWAYS,      //!< every unit
    EXCEPT_LAST, //!< every unit but (norm, output): it is needed again at once
    NEVER,       //!< none: a backward pass needs no gathering
};

/**
 * @brief How a training job is spread over GPUs.
 *
 * Ranks are numbered with tensor parallelism (TP) innermost, then FSDP, and the pipeline (PP)
 * outermost. TP uses sequence parallelism: between its operators every rank holds 1/tp of the
 * tokens.
 */
struct ParallelismSpec
{
    uint32_t tp{1};             //!< degree of tensor parallelism
    uint32_t fsdp{1};           //!< ranks over which parameters are sharded
    uint32_t pp{1};             //!< pipeline stages
    uint32_t microBatchSize{1}; //!< sequences in a micro-batch
    uint32_t microBatches{1};   //!< micro-batches of one rank in a step
    uint32_t seqLen{8192};      //!< tokens in a sequence
    uint32_t gpusPerDomain{1};  //!< GPUs of a scale-up domain, which is also the number of rails
    Recomputation recomputation{Recomputation::FULL};
    ReshardPolicy reshard{ReshardPolicy::ALWAYS};

    /// @return tp x fsdp x pp
    uint64_t GetWorldSize() const;

    /// @return tokens of a micro-batch
    uint64_t GetTokens() const;

    /**
     * @brief Whether gradients are reduced in every backward pass, unit by unit while it runs, and
     * parameters resharded with them.
     *
     * This is what FSDP2 does by itself, so it holds without a pipeline (micro-batches are then
     * TorchTitan's gradient accumulation steps). A PyTorch pipeline stage switches it off, keeps
     * parameters gathered after a backward, and reduces once after its last one.
     * @return true without a pipeline
     */
    bool ReducesInEveryBackward() const;

    /**
     * @brief Layers of each stage.
     *
     * Equal shares where pp divides the layers. Otherwise the embedding and the output projection
     * count as a layer each, so that the first and the last stage have one layer fewer (Llama 3
     * 405B: 126 layers on 16 stages, arXiv 2407.21783, section 3.3.2).
     * @param layers layers of the model
     * @param stages number of stages, at least 1
     * @return layers of each stage, or an empty list if neither rule fits
     */
    static std::vector<uint32_t> SplitLayers(uint32_t layers, uint32_t stages);

    /**
     * @brief Check that a model can be trained this way.
     *
     * Every group must lie inside one scale-up domain or along one rail, since that is all the
     * connectivity there is. A pipeline may have fewer micro-batches than stages: 1F1B is valid
     * then, although PyTorch's implementation refuses it.
     * @param model the model
     * @return an empty string, or one line that names the bad input and the allowed values
     */
    std::string Validate(const TransformerSpec& model) const;

  private:
    std::string ValidateRanges() const;                            //!< values by themselves
    std::string ValidateModel(const TransformerSpec& model) const; //!< against the architecture
    std::string ValidatePlacement() const;                         //!< against domains and rails
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PARALLELISM_SPEC_H
