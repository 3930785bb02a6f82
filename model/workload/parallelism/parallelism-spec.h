// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PARALLELISM_SPEC_H
#define PHOTONIC_RAILS_PARALLELISM_SPEC_H

#include "framework.h"

#include "ns3/pipeline-schedule.h"
#include "ns3/transformer-spec.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// A dimension of the mesh of all ranks. Expert parallelism has none: it uses ranks of others.
enum class MeshDimension : uint8_t
{
    PP,        //!< pipeline ranks
    REPLICATE, //!< replicas of the parameters (HSDP, DDP)
    SHARD,     //!< shards of the parameters, over ranks with different data
    CP,        //!< parts of the same sequences
    TP,        //!< parts of the same layers
};

/**
 * @tparam T type with a member for each dimension: pp, replicate, fsdp, cp, tp
 * @param of degrees or coordinates
 * @param dimension a dimension of the mesh
 * @return the member for the dimension
 */
template <typename T>
auto&
SelectDimension(T& of, MeshDimension dimension)
{
    switch (dimension)
    {
    case MeshDimension::PP:
        return of.pp;
    case MeshDimension::REPLICATE:
        return of.replicate;
    case MeshDimension::SHARD:
        return of.fsdp;
    case MeshDimension::CP:
        return of.cp;
    case MeshDimension::TP:
        break;
    }
    return of.tp;
}

/// The order of the dimensions of the mesh, outermost first. The order decides which ranks are
/// neighbours.
class MeshOrder
{
  public:
    static constexpr std::size_t DIMENSIONS = 5; //!< number of dimensions

    using Dimensions = std::array<MeshDimension, DIMENSIONS>;

    /// TorchTitan's order (ParallelDims): pp, replicate, shard, cp, tp.
    MeshOrder() = default;

    /// @param dimensions all dimensions, outermost first
    explicit MeshOrder(const Dimensions& dimensions);

    /**
     * @param text such as "pp-dp-fsdp-cp-tp", outermost first; "dp" are the replicas
     * @return the order, or nothing unless each of the five dimensions occurs exactly once
     */
    static std::optional<MeshOrder> Parse(const std::string& text);

    /// @return the order in the format of Parse
    std::string ToString() const;

    /// @return the dimensions, outermost first
    const Dimensions& GetDimensions() const
    {
        return m_dimensions;
    }

  private:
    Dimensions m_dimensions{MeshDimension::PP,
                            MeshDimension::REPLICATE,
                            MeshDimension::SHARD,
                            MeshDimension::CP,
                            MeshDimension::TP};
};

/**
 * @brief The distribution of a training job over GPUs.
 *
 * Expert parallelism divides ranks a second time: the ranks of one pipeline rank and replica
 * (fsdp x cp x tp of them, in mesh order) are also arranged as (expert shards) x ep x expertTp,
 * with expertTp innermost. Expert parallelism can therefore use the ranks of FSDP, CP and, with
 * expertTp below tp, of TP.
 *
 * Megatron-LM has one kind of data-parallel ranks, which are fsdp or replicate here. For a dense
 * model the choice makes no difference: gradients are reduced and the distributed optimizer is
 * sharded over fsdp x cp x replicate. Ranks used by expert parallelism must be fsdp.
 */
struct ParallelismSpec
{
    uint32_t tp{1};        //!< degree of tensor parallelism
    uint32_t fsdp{1};      //!< ranks with different data over which parameters are sharded; without
                           //!< FSDP, data ranks that expert parallelism can use
    uint32_t pp{1};        //!< pipeline ranks
    uint32_t cp{1};        //!< degree of context parallelism
    uint32_t replicate{1}; //!< replicas of the parameters (HSDP, DDP, Megatron's DP)
    uint32_t ep{1};        //!< degree of expert parallelism
    uint32_t expertTp{1};  //!< degree of tensor parallelism inside an expert
    uint32_t virtualStages{1}; //!< model chunks of a pipeline rank
    Variant<PipelineSchedule> schedule{"1f1b"};
    uint32_t microBatchSize{1}; //!< sequences in a micro-batch
    uint32_t microBatches{1};   //!< micro-batches of one rank in a step
    uint32_t seqLen{8192};      //!< tokens in a sequence
    uint32_t gpusPerDomain{1};  //!< GPUs of a scale-up domain, which is also the number of rails
    MeshOrder order;

    /// @return pp x replicate x fsdp x cp x tp
    uint64_t GetWorldSize() const;

    /// @return ranks of one pipeline rank and replica: fsdp x cp x tp
    uint64_t GetPlaneSize() const;

    /// @return ranks over which the experts of a rank are sharded: plane / ep / expertTp
    uint64_t GetExpertShards() const;

    /// @return true if ranks differ in their data or in their experts, so that TorchTitan applies
    /// FSDP or DDP
    bool HasDataParallelism() const;

    /**
     * @param rules rules of the framework
     * @return format of activations, and of the data that TP ranks, CP ranks and stages exchange
     */
    Precision GetPrecision(const FrameworkRules& rules) const;

    /**
     * @param rules rules of the framework
     * @return format of matrix products: that of the rules, but fp32 where activations are fp32 and
     * the rules do not say tf32 (PyTorch multiplies fp32 without tensor cores unless it is told to,
     * torch.backends.cuda.matmul.allow_tf32)
     */
    ProductFormat GetProductFormat(const FrameworkRules& rules) const;

    /// @return tokens of a micro-batch
    uint64_t GetTokens() const;

    /// @return tokens of a micro-batch on one rank between operators, without TP: 1/cp
    uint64_t GetContextTokens() const;

    /// @return the pipeline of a replica
    PipelineShape GetPipeline() const;

    /**
     * @brief Layers of each stage.
     *
     * FrameworkRules::stageLayers if there are any, else by FrameworkRules::split. EVEN: equal
     * shares. WEIGHTED: the embedding and the output projection count as a layer each,
     * and the first stages have one more layer if the layers do not divide evenly (TorchTitan,
     * generate_llm_fqn_per_model_part; Llama 3 405B: 126 layers on 16 stages, arXiv 2407.21783,
     * section 3.3.2). Unless EVEN, the first stage may have only the embedding, and the last stage
     * only the output projection.
     * @param layers layers of the model
     * @param stages number of stages, at least 1
     * @param rules rules of the framework
     * @return layers of each stage, or an empty list if a stage would be empty, or if the layers of
     * the rules are not those of so many stages
     */
    static std::vector<uint32_t> SplitLayers(uint32_t layers,
                                             uint32_t stages,
                                             const FrameworkRules& rules);

    /**
     * @brief Check that a model can be trained with this distribution.
     *
     * A pipeline may have fewer micro-batches than stages if its schedule allows this. A
     * restriction of a single framework applies only with the TensorParallelStyle of this
     * framework. The check does not depend on the location of groups; the code that builds a fabric
     * checks which groups the fabric can connect.
     * @param model the model
     * @param rules rules of the framework
     * @return an empty string, or one line that begins with the name of the wrong input (dp is
     * replicate, as in a MeshOrder) and names the allowed values
     */
    std::string Validate(const TransformerSpec& model, const FrameworkRules& rules) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PARALLELISM_SPEC_H
