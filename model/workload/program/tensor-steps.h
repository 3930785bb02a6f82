// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TENSOR_STEPS_H
#define PHOTONIC_RAILS_TENSOR_STEPS_H

#include "layer-step-writer.h"
#include "workload-spec.h"

#include "ns3/parameter-tensor.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief What tensor parallelism communicates around blocks of a layer.
 *
 * A block is entered by column-parallel products and left by a row-parallel one (Megatron-LM, arXiv
 * 1909.08053). With sequence parallelism (arXiv 2205.05198) tokens are gathered on the way in and
 * results scattered on the way out, backward with roles exchanged; without it, the result of a
 * forward and the gradient of the input take an AllReduce each. Derived classes add what their
 * framework does beside that.
 *
 * Collectives over a single rank may be described; they are left out when they are issued.
 */
class TensorSteps
{
  public:
    /**
     * @param spec the job, which must outlive the result
     * @return the steps of its TensorParallelStyle
     */
    static std::unique_ptr<TensorSteps> Create(const WorkloadSpec& spec);

    virtual ~TensorSteps() = default;

    /**
     * @brief A collective over the TP ranks.
     * @param kind which
     * @param bytes input bytes
     * @return it
     */
    static RankCollective Make(CollectiveKind kind, uint64_t bytes);

    /**
     * @brief All tokens for a column-parallel product.
     * @param writer takes the steps
     * @param width of a token, in elements
     */
    void Enter(LayerStepWriter& writer, uint64_t width) const;

    /**
     * @brief The sum of a row-parallel product's results.
     * @param writer takes the steps
     * @param width of a token, in elements
     */
    void Leave(LayerStepWriter& writer, uint64_t width) const;

    /**
     * @brief Undo Leave: the gradient of the result, for all tokens.
     * @param writer takes the steps
     * @param width of a token, in elements
     */
    void LeaveBackward(LayerStepWriter& writer, uint64_t width) const;

    /**
     * @brief Undo Enter: the sum of the gradients of the input.
     * @param writer takes the steps
     * @param width of a token, in elements
     */
    void EnterBackward(LayerStepWriter& writer, uint64_t width) const;

    /**
     * @brief Inputs of column-parallel products that their weight gradients need once more.
     * @param writer takes the steps
     * @param pass a backward
     * @param width of a token, in elements
     */
    virtual void BeforeWeights(LayerStepWriter& writer, ComputePass pass, uint64_t width) const = 0;

    /// @param writer takes what comes after a rank's part of the embedding
    virtual void LeaveEmbedding(LayerStepWriter& writer) const;

    /// @param writer takes what comes before the projections of attention
    virtual void EnterAttention(LayerStepWriter& writer) const = 0;

    /**
     * @param writer takes what comes before the projections' backward
     * @param pass a backward
     */
    virtual void BeforeAttentionWeights(LayerStepWriter& writer, ComputePass pass) const = 0;

    /**
     * @param writer takes what comes after the projections' backward
     * @param pass a backward
     */
    virtual void EnterAttentionBackward(LayerStepWriter& writer, ComputePass pass) const = 0;

    /**
     * @brief Gradients of the norm before a block, of which TP ranks have parts.
     * @param writer takes the steps
     * @param pass a backward
     * @param tensors of the unit
     * @param part which norm
     */
    virtual void FinishNorm(LayerStepWriter& writer,
                            ComputePass pass,
                            const ParameterTensors& tensors,
                            ModelPart part) const = 0;

    /// @return true if selective recomputation repeats the exchange of context parallelism
    virtual bool AttendsAgain() const = 0;

    /// @param writer takes the collectives of the loss over a split vocabulary
    void Loss(LayerStepWriter& writer) const;

  protected:
    /// @param spec the job
    explicit TensorSteps(const WorkloadSpec& spec);

    /// @return the job
    const WorkloadSpec& GetSpec() const;

    /// @return bytes of tokens of a width, of all TP ranks
    uint64_t GetBytes(uint64_t width) const;

  private:
    const WorkloadSpec& m_spec; //!< the job
};

/**
 * @param spec a job
 * @return tokens of the vocabulary that a TP rank has, padding included
 */
uint64_t GetVocabularyShare(const WorkloadSpec& spec);

} // namespace ns3

#endif // PHOTONIC_RAILS_TENSOR_STEPS_H
