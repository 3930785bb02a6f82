// SPDX-License-Identifier: GPL-2.0-only

#include "layer-operators.h"

#include "compute-model.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Append a cost to a list unless the cost is zero.
void
AppendOperator(OperatorCosts& costs, const OperatorCost& cost)
{
    if (cost.flops > 0 || cost.bytes > 0)
    {
        costs.push_back(cost);
    }
}

} // namespace

OperatorPasses::OperatorPasses(uint64_t valueBytes, ProductFormat products, KernelFusion fusion)
    : m_valueBytes(valueBytes),
      m_products(products),
      m_fusion(fusion)
{
}

void
OperatorPasses::Product(const ParameterTensor& tensor,
                        double tokens,
                        uint32_t parts,
                        uint32_t expertParts)
{
    const double split = tensor.split == TensorSplit::REPLICATED ? 1 : parts;
    const bool isRow = tensor.split == TensorSplit::ROW;
    const auto inputs = static_cast<double>(tensor.inputs);
    const auto outputs = static_cast<double>(tensor.outputs);
    const double weights = inputs * outputs * tensor.experts / split / expertParts;
    const double read = tokens * (isRow ? inputs / split : inputs);
    const double written = tokens * (isRow ? outputs : outputs / split);
    // Recipes of FP8 leave out the gate and the output projection (TorchTitan's filter_fqns,
    // Transformer Engine).
    const bool isNarrow = m_products == ProductFormat::FP8 && tensor.part != ModelPart::ROUTER &&
                          tensor.part != ModelPart::OUTPUT;
    if (isNarrow)
    {
        // Inputs and weights are converted before the forward, gradients of results before the
        // backward: a value is read and written as one byte.
        Memory("conversion to fp8",
               (m_valueBytes + 1) * (weights + read),
               (m_valueBytes + 1) * written);
    }
    OperatorPass pass;
    pass.forward = {tensor.name,
                    tensor.experts > 1 ? OperatorKind::GROUPED_MATMUL : OperatorKind::MATMUL,
                    2 * tokens * inputs * outputs / split,
                    isNarrow ? weights + read + m_valueBytes * written
                             : m_valueBytes * (weights + read + written)};
    pass.forward.format =
        isNarrow || m_products != ProductFormat::FP8 ? m_products : ProductFormat::BF16;
    pass.input = pass.forward;
    pass.weight = pass.forward;
    pass.isCounted = tensor.part != ModelPart::ROUTER && tensor.part != ModelPart::EXPERT;
    Add(pass);
}

void
OperatorPasses::Memory(const std::string& name, double forward, double backward)
{
    OperatorPass pass;
    pass.forward = {name, OperatorKind::MEMORY, 0, forward};
    pass.input = {name, OperatorKind::MEMORY, 0, backward};
    pass.weight = {name, OperatorKind::MEMORY, 0, 0};
    Add(pass);
}

void
OperatorPasses::Norm(const std::string& name, double values)
{
    const double own = m_valueBytes * values;
    const double wide = FP32_BYTES * values;
    if (m_fusion != KernelFusion::NONE)
    {
        Memory(name, 2 * own, 3 * own);
        return;
    }
    const double conversion = m_valueBytes == FP32_BYTES ? 0 : own + wide;
    // Square, mean, product with its inverse root; product with the weight in the own format.
    const double forward = 2 * wide + wide + 2 * wide + 2 * own;
    // Gradients of the weight and of its product: four reads, a write each. Of the product with
    // the inverse root: the gradient by the vector (2), by the root (product 3, sum 1). Of the mean
    // and the square: 1 and 3. Sum of both gradients of the vector: 3.
    const double backward = 4 * own + 13 * wide;
    Memory(name, 2 * conversion + forward, 2 * conversion + backward);
}

void
OperatorPasses::Rotation(double values)
{
    const double own = m_valueBytes * values;
    const double wide = FP32_BYTES * values;
    const double conversions = m_valueBytes == FP32_BYTES ? 0 : 2 * (own + wide);
    const double bytes = m_fusion == KernelFusion::ALL ? 2 * own : conversions + 2 * wide;
    Memory("rotation", bytes, bytes);
}

void
OperatorPasses::Residual(double values)
{
    Memory("residual", 3 * m_valueBytes * values, 3 * m_valueBytes * values);
}

void
OperatorPasses::Activation(double values, bool isGated)
{
    const double own = m_valueBytes * values;
    if (!isGated)
    {
        Memory("GELU", 2 * own, 3 * own);
        return;
    }
    // Forward reads two inputs and writes one result; backward also reads and writes gradients. If
    // not fused, SiLU is an operation of its own (2 and 3), the product the other (3, and twice 3).
    const bool isFused = m_fusion == KernelFusion::ALL;
    Memory("SwiGLU", (isFused ? 3 : 5) * own, (isFused ? 5 : 9) * own);
}

OperatorCosts
OperatorPasses::GetCosts(ComputePass pass) const
{
    OperatorCosts costs;
    const bool isBackward = pass == ComputePass::BACKWARD;
    for (const auto& own : m_passes)
    {
        if (pass == ComputePass::FORWARD)
        {
            AppendOperator(costs, own.forward);
        }
        else if (isBackward || pass == ComputePass::BACKWARD_INPUT)
        {
            AppendOperator(costs, own.input);
        }
    }
    if (isBackward || pass == ComputePass::BACKWARD_WEIGHT)
    {
        for (const auto& own : m_passes)
        {
            AppendOperator(costs, own.weight);
        }
    }
    return costs;
}

namespace
{

/**
 * @param tensors tensors of a layer
 * @param part a part of the layer
 * @return the matrices of the part in forward order: a matrix split over its inputs comes last
 */
ParameterTensors
GetMatrices(const ParameterTensors& tensors, ModelPart part)
{
    ParameterTensors matrices;
    for (const bool isLast : {false, true})
    {
        for (const auto& tensor : tensors)
        {
            if (tensor.part == part && tensor.inputs > 1 &&
                (tensor.split == TensorSplit::ROW) == isLast)
            {
                matrices.push_back(tensor);
            }
        }
    }
    return matrices;
}

/**
 * @brief Add the operators of a feed-forward network.
 * @param passes list to which the operators are added
 * @param matrices the result of GetMatrices
 * @param tokens rows
 * @param parts ranks among which each matrix is split
 * @param expertParts ranks among which the experts are distributed
 */
void
WriteNetwork(OperatorPasses& passes,
             const ParameterTensors& matrices,
             double tokens,
             uint32_t parts,
             uint32_t expertParts = 1)
{
    for (const auto& tensor : matrices)
    {
        if (tensor.split == TensorSplit::ROW)
        {
            passes.Activation(tokens * static_cast<double>(tensor.inputs) / parts,
                              matrices.size() == 3);
        }
        passes.Product(tensor, tokens, parts, expertParts);
    }
}

} // namespace

LayerOperators::LayerOperators(const TransformerSpec& model,
                               const ParallelismSpec& parallelism,
                               const FrameworkRules& rules)
    : m_model(model),
      m_parallelism(parallelism),
      m_rules(rules),
      m_valueBytes(GetBytes(parallelism.GetPrecision(rules))),
      m_tokens(static_cast<double>(parallelism.GetContextTokens())),
      m_streamTokens(rules.sequenceParallel ? m_tokens / parallelism.tp : m_tokens),
      m_latentTokens(m_tokens),
      m_gateTokens(m_tokens)
{
    const bool isMegatron = rules.tensorParallelism == TensorParallelStyle::MEGATRON;
    if (isMegatron)
    {
        m_latentTokens = m_gateTokens = m_streamTokens;
    }
    if (!model.IsMoeLayer(0))
    {
        m_denseLayer = model.GetLayerTensors(0);
    }
    if (model.GetMoeLayers() > 0)
    {
        m_moeLayer = model.GetLayerTensors(model.moe.firstDense);
    }
}

OperatorCosts
LayerOperators::Get(ModelBlock block, ComputePass pass) const
{
    return GetPasses(block, GetExpertRows()).GetCosts(pass);
}

OperatorCosts
LayerOperators::GetExperts(ComputePass pass, uint64_t rows) const
{
    return GetPasses(ModelBlock::EXPERTS, static_cast<double>(rows)).GetCosts(pass);
}

double
LayerOperators::GetExpertRows() const
{
    return m_tokens * m_model.moe.topK * m_parallelism.expertTp / m_parallelism.tp;
}

OperatorCosts
LayerOperators::GetSelective(ModelBlock block) const
{
    if (m_rules.tensorParallelism == TensorParallelStyle::MEGATRON)
    {
        return block == ModelBlock::ATTENTION ? Get(block, ComputePass::FORWARD) : OperatorCosts();
    }
    OperatorCosts repeated;
    uint32_t products = 0;
    for (const auto own : GetLayer(block))
    {
        const OperatorPasses passes = GetPasses(own, GetExpertRows());
        for (const auto& pass : passes.Get())
        {
            products += pass.isCounted ? 1 : 0;
            const bool isKept = pass.isKept || (pass.isCounted && products % 2 == 1);
            if (own == block && !isKept && pass.forward.flops + pass.forward.bytes > 0)
            {
                repeated.push_back(pass.forward);
            }
        }
    }
    return repeated;
}

bool
LayerOperators::RepeatsGather(ModelBlock block) const
{
    return m_rules.tensorParallelism == TensorParallelStyle::DTENSOR &&
           (block == ModelBlock::PROJECTION || block == ModelBlock::FFN ||
            block == ModelBlock::ROUTER || block == ModelBlock::SHARED);
}

OperatorCosts
LayerOperators::GetNorm(uint64_t parameters)
{
    return {
        {"gradient norm", OperatorKind::MEMORY, 0, FP32_BYTES * static_cast<double>(parameters)}};
}

OperatorCosts
LayerOperators::GetOptimizer(uint64_t parameters)
{
    return {{"clip and Adam",
             OperatorKind::MEMORY,
             0,
             9 * FP32_BYTES * static_cast<double>(parameters)}};
}

std::vector<ModelBlock>
LayerOperators::GetLayer(ModelBlock block) const
{
    switch (block)
    {
    case ModelBlock::EMBEDDING:
    case ModelBlock::OUTPUT:
    case ModelBlock::LOSS:
        return {};
    case ModelBlock::ROUTER:
    case ModelBlock::SHARED:
    case ModelBlock::EXPERTS:
    case ModelBlock::COMBINE:
        return {ModelBlock::PROJECTION,
                ModelBlock::ATTENTION,
                ModelBlock::CONTEXT,
                ModelBlock::ROUTER,
                ModelBlock::SHARED,
                ModelBlock::EXPERTS,
                ModelBlock::COMBINE};
    default:
        return {ModelBlock::PROJECTION,
                ModelBlock::ATTENTION,
                ModelBlock::CONTEXT,
                ModelBlock::FFN};
    }
}

OperatorPasses
LayerOperators::MakePasses() const
{
    return {m_valueBytes, m_parallelism.GetProductFormat(m_rules), m_rules.fusion};
}

ProductFormat
LayerOperators::GetAttentionFormat() const
{
    const ProductFormat products = m_parallelism.GetProductFormat(m_rules);
    return products == ProductFormat::FP8 ? ProductFormat::BF16 : products;
}

OperatorPasses
LayerOperators::GetPasses(ModelBlock block, double rows) const
{
    switch (block)
    {
    case ModelBlock::EMBEDDING:
        return GetEmbedding();
    case ModelBlock::PROJECTION:
        return GetProjection();
    case ModelBlock::ATTENTION:
        return GetAttention();
    case ModelBlock::CONTEXT:
        return GetContext();
    case ModelBlock::FFN:
        return GetFeedForward();
    case ModelBlock::OUTPUT:
        return GetOutput();
    case ModelBlock::LOSS:
        return GetLoss();
    default:
        break;
    }
    if (m_moeLayer.empty())
    {
        return MakePasses();
    }
    switch (block)
    {
    case ModelBlock::ROUTER:
        return GetRouter(rows);
    case ModelBlock::SHARED:
        return GetShared();
    case ModelBlock::EXPERTS:
        return GetRoutedExperts(rows);
    default:
        return GetCombine(rows);
    }
}

OperatorPasses
LayerOperators::GetEmbedding() const
{
    // A TP rank finds 1/tp of the tokens in its part of the table, and writes zeros for the other
    // tokens. Backward writes a dense gradient of the table.
    const double width = m_valueBytes * m_model.hidden;
    const double tables = 1.0 * m_model.vocabulary / m_parallelism.tp;
    OperatorPass look;
    look.forward = {"tok_embeddings",
                    OperatorKind::MEMORY,
                    0,
                    width * m_tokens * (1 + 1.0 / m_parallelism.tp)};
    look.weight = {"tok_embeddings", OperatorKind::MEMORY, 0, width * (m_tokens + tables)};
    OperatorPasses passes = MakePasses();
    passes.Add(look);
    if (m_model.learnedPositions > 0)
    {
        passes.Memory("pos_embeddings",
                      3 * width * m_streamTokens,
                      width * (m_streamTokens + m_model.learnedPositions));
    }
    return passes;
}

OperatorPasses
LayerOperators::GetProjection() const
{
    const AttentionSpec& attention = m_model.attention;
    const auto& layer = m_denseLayer.empty() ? m_moeLayer : m_denseLayer;
    OperatorPasses passes = MakePasses();
    passes.Norm("attention_norm", m_streamTokens * m_model.hidden);
    for (const auto& tensor : GetMatrices(layer, ModelPart::ATTENTION))
    {
        const bool isReplicated = tensor.split == TensorSplit::REPLICATED;
        if (tensor.split != TensorSplit::ROW)
        {
            passes.Product(tensor, isReplicated ? m_latentTokens : m_tokens, m_parallelism.tp);
        }
    }
    if (attention.kind == AttentionSpec::LATENT)
    {
        passes.Norm("latent norms", m_latentTokens * (attention.queryRank + attention.kvRank));
    }
    if (m_model.learnedPositions > 0)
    {
        return passes;
    }
    // The rotation reads and writes queries and keys. MLA concatenates the parts of its queries and
    // keys in the same operator, with the same rotated part of the key in every head.
    const double heads = 1.0 * attention.heads / m_parallelism.tp;
    const double values =
        attention.kind == AttentionSpec::LATENT
            ? (heads * (3 * attention.GetQueryDim() + attention.nopeDim) + attention.ropeDim) / 2
            : (heads + 1.0 * attention.kvHeads / m_parallelism.tp) * attention.headDim;
    passes.Rotation(m_tokens * values);
    return passes;
}

OperatorPasses
LayerOperators::GetUnfusedAttention() const
{
    const AttentionSpec& attention = m_model.attention;
    const double queryDim = attention.GetQueryDim();
    const double valueDim = attention.GetValueDim();
    const double rows = m_tokens * attention.heads / m_parallelism.tp;
    const double scores = rows * m_parallelism.seqLen;
    OperatorPasses passes = MakePasses();
    const auto multiply = [&](const std::string& name, double width, double values) {
        OperatorPass pass;
        pass.forward = {name,
                        OperatorKind::ATTENTION,
                        2 * scores * width,
                        m_valueBytes * (scores + values)};
        pass.forward.format = GetAttentionFormat();
        pass.input = pass.forward;
        pass.input.flops *= 2; // the gradients of both factors
        pass.input.bytes *= 2;
        pass.isKept = true;
        passes.Add(pass);
    };
    multiply("scores of attention", queryDim, 2 * rows * queryDim);
    passes.Memory("softmax", 2 * m_valueBytes * scores, 3 * m_valueBytes * scores);
    multiply("values of attention", valueDim, 2 * rows * valueDim);
    return passes;
}

OperatorPasses
LayerOperators::GetAttention() const
{
    if (!m_rules.fusesAttention)
    {
        return GetUnfusedAttention();
    }
    const AttentionSpec& attention = m_model.attention;
    const bool isLatent = attention.kind == AttentionSpec::LATENT;
    const double queryDim = attention.GetQueryDim();
    const double valueDim = attention.GetValueDim();
    const double heads = 1.0 * attention.heads / m_parallelism.tp;
    const double kvHeads =
        isLatent ? heads : std::max(1.0, 1.0 * attention.kvHeads / m_parallelism.tp);
    // Half of the keys of the whole sequence, 2 FLOPs per key.
    const double pairs = m_tokens * heads * m_parallelism.seqLen;
    // Queries and results of this rank, keys and values of the whole sequence.
    const double values =
        (queryDim + valueDim) * (m_tokens * heads + m_tokens * m_parallelism.cp * kvHeads);
    OperatorPass pass;
    pass.forward = {"attention",
                    OperatorKind::ATTENTION,
                    pairs * (queryDim + valueDim),
                    m_valueBytes * values};
    // Backward computes the scores again, the gradients of queries and keys, and the gradients of
    // scores and values. It reads or writes all four tensors and their gradients.
    pass.input = {"attention",
                  OperatorKind::ATTENTION,
                  pairs * (3 * queryDim + 2 * valueDim),
                  2 * m_valueBytes * values};
    pass.forward.format = GetAttentionFormat();
    pass.input.format = pass.forward.format;
    pass.isKept = true;
    OperatorPasses passes = MakePasses();
    passes.Add(pass);
    return passes;
}

OperatorPasses
LayerOperators::GetContext() const
{
    const auto& layer = m_denseLayer.empty() ? m_moeLayer : m_denseLayer;
    OperatorPasses passes = MakePasses();
    passes.Product(GetMatrices(layer, ModelPart::ATTENTION).back(), m_tokens, m_parallelism.tp);
    passes.Residual(m_streamTokens * m_model.hidden);
    return passes;
}

OperatorPasses
LayerOperators::GetFeedForward() const
{
    OperatorPasses passes = MakePasses();
    if (m_denseLayer.empty())
    {
        return passes;
    }
    passes.Norm("ffn_norm", m_streamTokens * m_model.hidden);
    WriteNetwork(passes, GetMatrices(m_denseLayer, ModelPart::FFN), m_tokens, m_parallelism.tp);
    passes.Residual(m_streamTokens * m_model.hidden);
    return passes;
}

OperatorPasses
LayerOperators::GetRouter(double rows) const
{
    OperatorPasses passes = MakePasses();
    passes.Norm("ffn_norm", m_streamTokens * m_model.hidden);
    for (const auto& tensor : GetMatrices(m_moeLayer, ModelPart::ROUTER))
    {
        passes.Product(tensor, m_gateTokens, m_parallelism.tp);
    }
    const double scores = FP32_BYTES * m_gateTokens * m_model.moe.experts;
    passes.Memory("scores", 2 * scores, 3 * scores);
    // Each token is copied once for each of its experts; backward sums the copies' gradients.
    const double copies = m_valueBytes * rows * m_model.hidden;
    passes.Memory("permutation", 2 * copies, copies + copies / m_model.moe.topK);
    return passes;
}

OperatorPasses
LayerOperators::GetShared() const
{
    OperatorPasses passes = MakePasses();
    const auto matrices = GetMatrices(m_moeLayer, ModelPart::SHARED_EXPERT);
    WriteNetwork(passes, matrices, m_tokens, m_parallelism.tp);
    return passes;
}

OperatorPasses
LayerOperators::GetRoutedExperts(double rows) const
{
    OperatorPasses passes = MakePasses();
    // Received rows are in the order of their senders; experts need rows sorted by expert. Sorting
    // takes place on arrival and before the way back.
    const double sorting = m_parallelism.ep > 1 ? 2 * 2 * m_valueBytes * rows * m_model.hidden : 0;
    passes.Memory("permutation", sorting, sorting);
    WriteNetwork(passes,
                 GetMatrices(m_moeLayer, ModelPart::EXPERT),
                 rows,
                 m_parallelism.expertTp,
                 m_parallelism.ep);
    return passes;
}

OperatorPasses
LayerOperators::GetCombine(double rows) const
{
    // Forward sums topK rows for each token and the result of the shared experts. Backward reads
    // the gradient of the sum and, for the gradients of the scores, the rows, and writes gradients
    // of rows.
    const double copies = m_valueBytes * rows * m_model.hidden;
    const double sums = copies / m_model.moe.topK;
    const double shared = m_model.moe.sharedExperts > 0 ? sums : 0;
    OperatorPasses passes = MakePasses();
    passes.Memory("weighted sum", copies + sums + shared, 2 * copies + sums);
    passes.Residual(m_streamTokens * m_model.hidden);
    return passes;
}

OperatorPasses
LayerOperators::GetOutput() const
{
    OperatorPasses passes = MakePasses();
    passes.Norm("norm", m_streamTokens * m_model.hidden);
    // Tied embeddings save the parameters, not the product.
    passes.Product({"output",
                    ModelPart::OUTPUT,
                    TensorSplit::VOCABULARY,
                    m_model.vocabulary,
                    m_model.hidden,
                    1},
                   m_tokens,
                   m_parallelism.tp);
    return passes;
}

OperatorPasses
LayerOperators::GetLoss() const
{
    // Conversion from bf16 to fp32, and log-softmax in fp32. Backward has the same cost in the
    // opposite direction.
    const double scores =
        m_tokens * m_model.vocabulary / (m_rules.lossParallel ? m_parallelism.tp : 1);
    const double bytes = scores * (m_valueBytes + 3 * FP32_BYTES);
    OperatorPasses passes = MakePasses();
    passes.Memory("loss", bytes, bytes);
    return passes;
}

} // namespace ns3
