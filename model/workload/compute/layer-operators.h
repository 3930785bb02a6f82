// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LAYER_OPERATORS_H
#define PHOTONIC_RAILS_LAYER_OPERATORS_H

#include "compute-model.h"

#include "ns3/framework.h"
#include "ns3/parallelism-spec.h"
#include "ns3/transformer-spec.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// A part of a training step on one block.
enum class ComputePass : uint8_t
{
    FORWARD,
    BACKWARD,        //!< BACKWARD_INPUT and BACKWARD_WEIGHT
    BACKWARD_INPUT,  //!< gradients of the inputs
    BACKWARD_WEIGHT, //!< gradients of the weights
};

/// An operator of a layer in every pass.
struct OperatorPass
{
    OperatorCost forward;
    OperatorCost input;  //!< gradient of the inputs
    OperatorCost weight; //!< gradient of the weights; zero for an operator without weights
    /// one of the products of which selective recomputation skips every second
    bool isCounted{false};
    bool isKept{false}; //!< selective recomputation keeps the result
};

/// Operators of a block, in forward order.
class OperatorPasses
{
  public:
    /**
     * @param valueBytes bytes of an activation, and of a parameter in a product
     * @param products format of the products of layers
     * @param fusion the operators that one kernel between products combines
     */
    OperatorPasses(uint64_t valueBytes, ProductFormat products, KernelFusion fusion);

    /**
     * @brief Add a product with a weight.
     * @param tensor the weight; a weight of experts holds several
     * @param tokens rows of the other factor, those of all experts together
     * @param parts ranks among which the weight is split, unless it is replicated
     * @param expertParts ranks among which the experts are distributed
     */
    void Product(const ParameterTensor& tensor,
                 double tokens,
                 uint32_t parts,
                 uint32_t expertParts = 1);

    /**
     * @brief Add a memory-bound operator.
     * @param name name for output
     * @param forward bytes of the forward
     * @param backward bytes of the backward
     */
    void Memory(const std::string& name, double forward, double backward);

    /**
     * @brief Add the norm of a vector per token. Forward reads and writes the vector.
     * Backward reads the vector and the gradient and writes a gradient. Without a kernel for all of
     * it, each operation of RMSNorm reads and writes the vector, in fp32 but for the last one.
     * @param name name for output
     * @param values tokens x width
     */
    void Norm(const std::string& name, double values);

    /**
     * @brief Add the rotation of queries and keys. Without a kernel for all of it, it converts them
     * to fp32 and back, as TorchTitan's apply_rotary_emb does.
     * @param values tokens x width
     */
    void Rotation(double values);

    /**
     * @brief Add the sum of a branch and the residual stream; backward adds gradients.
     * @param values tokens x width
     */
    void Residual(double values);

    /**
     * @brief Add the activation between the products of a feed-forward network.
     * @param values tokens x inner width
     * @param isGated true for SwiGLU of two inputs, false for GELU of one
     */
    void Activation(double values, bool isGated);

    /// @param pass an operator in every pass
    void Add(const OperatorPass& pass)
    {
        m_passes.push_back(pass);
    }

    /// @return the operators
    const std::vector<OperatorPass>& Get() const
    {
        return m_passes;
    }

    /**
     * @param pass a part of a step
     * @return the costs of the operators, without operators that do nothing in this pass
     */
    OperatorCosts GetCosts(ComputePass pass) const;

  private:
    uint64_t m_valueBytes;    //!< bytes of an activation
    ProductFormat m_products; //!< format of the products of layers
    KernelFusion m_fusion;    //!< what one kernel between them does
    std::vector<OperatorPass> m_passes;
};

/// A piece of a model between two communications of tensor, context or expert parallelism.
enum class ModelBlock : uint8_t
{
    EMBEDDING,  //!< look-up
    PROJECTION, //!< norm, and queries, keys and values (and the rotation)
    ATTENTION,  //!< scores and values
    CONTEXT,    //!< the output projection of attention, and the residual
    FFN,        //!< norm, dense feed-forward network, residual
    ROUTER,     //!< norm, and scores of experts
    SHARED,     //!< shared experts
    EXPERTS,    //!< routed experts on the received tokens
    COMBINE,    //!< weighted sum of the experts' results, and the residual
    OUTPUT,     //!< final norm, output projection
    LOSS,       //!< softmax and cross-entropy over the vocabulary
};

/**
 * @brief FLOPs and bytes of the operators of a block, on one rank and for one micro-batch.
 *
 * A pure function of model, degrees and rules. Counts the executed operations, not the useful ones.
 *
 * **Products with weights** take 2 FLOPs per parameter and token in each of forward, input gradient
 * and weight gradient, and move weights, inputs and results once in bf16. A split tensor takes 1/tp
 * of this cost. A replicated tensor (MLA's down projections to the latents, the gate of experts) is
 * the same on every TP rank and is multiplied with all tokens, unless the framework keeps the
 * tokens split: Megatron-LM with sequence parallelism does (TELinear "duplicated"); TorchTitan does
 * not (NoParallel, models/llama4/infra/parallelize.py).
 *
 * **Attention** is fused and causal: a query meets half of the keys. With context parallelism a
 * rank has 1/cp of the queries and, balanced, 1/cp of the work. Forward has two products; backward
 * has five, since the scores are computed again (FlashAttention-2, arXiv 2307.08691, section 4.1:
 * 2.5 times the FLOPs of the forward). The whole backward of attention belongs to BACKWARD_INPUT.
 * If it is not fused, there are two products and a softmax between them, on all pairs of queries
 * and keys, whose scores pass through the memory; their backward has two products for each of them.
 *
 * **Memory-bound operators** have no FLOPs. Each reads its inputs and writes its results once, as
 * fused kernels do; with less fusion, norms, rotation and SwiGLU do so once for each operation of
 * PyTorch (KernelFusion). Norms and residual additions (on all tokens, or 1/tp with sequence
 * parallelism), rotation, activation and permutation of the tokens of experts are in bf16; scores
 * of experts and loss are in fp32. Their backward belongs to BACKWARD_INPUT, weights of norms
 * included.
 *
 * A block that the model does not have (FFN without dense layers, EXPERTS without experts) is
 * empty.
 */
class LayerOperators
{
  public:
    /**
     * @param model the architecture
     * @param parallelism degrees that passed validation for this model
     * @param rules rules of the framework
     */
    LayerOperators(const TransformerSpec& model,
                   const ParallelismSpec& parallelism,
                   const FrameworkRules& rules);

    /**
     * @param block a block
     * @param pass a part of a step
     * @return the operators of the block; BACKWARD lists those of BACKWARD_INPUT, then those of
     * BACKWARD_WEIGHT
     */
    OperatorCosts Get(ModelBlock block, ComputePass pass) const;

    /**
     * @brief Operators of EXPERTS for a given load.
     * @param pass a part of a step
     * @param rows tokens received by the experts of this rank, counted once for each expert
     * @return the operators
     */
    OperatorCosts GetExperts(ComputePass pass, uint64_t rows) const;

    /**
     * @brief Rows that a rank sends to experts, and receives if all experts are equally popular.
     *
     * tokens x topK x expertTp / tp: the TP ranks share the tokens, and every rank with a part of
     * an expert receives all rows of that expert.
     * @return rows for one micro-batch and layer
     */
    double GetExpertRows() const;

    /**
     * @brief Operators that selective recomputation repeats before a backward.
     *
     * Megatron-LM repeats the core of attention (arXiv 2205.05198, section 5; recompute_modules of
     * its transformer config). TorchTitan (distributed/activation_checkpoint.py) repeats a whole
     * layer except attention, ReduceScatters, AllToAlls and every second product with a weight, the
     * first of a layer among those kept. Products of experts and of the gate are repeated.
     * @param block a block
     * @return the repeated operators; none if the block keeps everything that its backward needs
     */
    OperatorCosts GetSelective(ModelBlock block) const;

    /**
     * @param block a block
     * @return true if selective recomputation repeats the AllGather of the block's input over TP
     */
    bool RepeatsGather(ModelBlock block) const;

    /**
     * @param parameters fp32 parameters that the rank owns
     * @return one read of the gradients for their norm
     */
    static OperatorCosts GetNorm(uint64_t parameters);

    /**
     * @brief Operators of gradient clipping and Adam.
     *
     * Clipping reads and writes the gradient. Adam reads parameter, gradient and two moments, and
     * writes parameter and moments. Together nine fp32 values, 36 B per parameter.
     * @param parameters fp32 parameters that the rank owns
     * @return the operators
     */
    static OperatorCosts GetOptimizer(uint64_t parameters);

  private:
    /// @return the blocks of the layer that contains a block, in forward order
    std::vector<ModelBlock> GetLayer(ModelBlock block) const;

    /// @return an empty list of operators
    OperatorPasses MakePasses() const;

    /// @return format of the products of attention: FP8 is for products with weights
    ProductFormat GetAttentionFormat() const;

    /// @return operators of a block, with a number of rows for the experts
    OperatorPasses GetPasses(ModelBlock block, double rows) const;

    OperatorPasses GetEmbedding() const;
    OperatorPasses GetProjection() const;
    OperatorPasses GetAttention() const;
    OperatorPasses GetUnfusedAttention() const;
    OperatorPasses GetContext() const;
    OperatorPasses GetFeedForward() const;
    OperatorPasses GetRouter(double rows) const;
    OperatorPasses GetShared() const;
    OperatorPasses GetRoutedExperts(double rows) const;
    OperatorPasses GetCombine(double rows) const;
    OperatorPasses GetOutput() const;
    OperatorPasses GetLoss() const;

    TransformerSpec m_model;
    ParallelismSpec m_parallelism;
    FrameworkRules m_rules;
    uint64_t m_valueBytes; //!< bytes of an activation
    ParameterTensors
        m_denseLayer; //!< tensors of a layer with a dense network; empty if there is none
    ParameterTensors m_moeLayer; //!< tensors of a layer with experts; empty if there is none
    double m_tokens;             //!< tokens of a micro-batch between gather and scatter
    double m_streamTokens;       //!< tokens of the residual stream on one TP rank
    double m_latentTokens;       //!< tokens that replicated projections of attention process
    double m_gateTokens;         //!< tokens that the gate of experts processes
};

} // namespace ns3

#endif // PHOTONIC_RAILS_LAYER_OPERATORS_H
