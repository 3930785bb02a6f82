// SPDX-License-Identifier: GPL-2.0-only

#include "parallelism-spec.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <numeric>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

/// Names of dimensions, in the order of the enumeration.
constexpr std::array<const char*, MeshOrder::DIMENSIONS> NAMES{"pp", "dp", "fsdp", "cp", "tp"};

} // namespace

MeshOrder::MeshOrder(const Dimensions& dimensions)
    : m_dimensions(dimensions)
{
}

std::optional<MeshOrder>
MeshOrder::Parse(const std::string& text)
{
    Dimensions dimensions{};
    std::array<bool, DIMENSIONS> isKnown{};
    std::istringstream words(text);
    std::string word;
    std::size_t count = 0;
    while (std::getline(words, word, '-'))
    {
        const auto name = std::find(NAMES.begin(), NAMES.end(), word);
        const auto index = static_cast<std::size_t>(name - NAMES.begin());
        if (count == DIMENSIONS || index == DIMENSIONS || isKnown[index])
        {
            return std::nullopt;
        }
        isKnown[index] = true;
        dimensions[count++] = static_cast<MeshDimension>(index);
    }
    return count == DIMENSIONS && text.back() != '-' ? std::optional(MeshOrder(dimensions))
                                                     : std::nullopt;
}

std::string
MeshOrder::ToString() const
{
    std::string text;
    for (const auto dimension : m_dimensions)
    {
        text += (text.empty() ? "" : "-");
        text += NAMES[static_cast<std::size_t>(dimension)];
    }
    return text;
}

uint64_t
ParallelismSpec::GetWorldSize() const
{
    return GetPlaneSize() * replicate * pp;
}

uint64_t
ParallelismSpec::GetPlaneSize() const
{
    return uint64_t{tp} * cp * fsdp;
}

uint64_t
ParallelismSpec::GetExpertShards() const
{
    return GetPlaneSize() / ep / expertTp;
}

bool
ParallelismSpec::HasDataParallelism() const
{
    return uint64_t{replicate} * fsdp * cp > 1 || ep > 1;
}

Precision
ParallelismSpec::GetPrecision(const FrameworkRules& rules) const
{
    const bool isMixed = rules.mixesAlways || HasDataParallelism() || (tp == 1 && pp == 1);
    const bool isWide =
        rules.products == ProductFormat::TF32 || rules.products == ProductFormat::FP32;
    return isMixed && !isWide ? Precision::BF16 : Precision::FP32;
}

ProductFormat
ParallelismSpec::GetProductFormat(const FrameworkRules& rules) const
{
    return GetPrecision(rules) == Precision::FP32 && rules.products != ProductFormat::TF32
               ? ProductFormat::FP32
               : rules.products;
}

uint64_t
ParallelismSpec::GetTokens() const
{
    return uint64_t{microBatchSize} * seqLen;
}

uint64_t
ParallelismSpec::GetContextTokens() const
{
    return GetTokens() / cp;
}

PipelineShape
ParallelismSpec::GetPipeline() const
{
    return {schedule, pp, virtualStages, microBatches};
}

std::vector<uint32_t>
ParallelismSpec::SplitLayers(uint32_t layers, uint32_t stages, const FrameworkRules& rules)
{
    if (const auto& given = rules.stageLayers; !given.empty())
    {
        const auto sum = std::accumulate(given.begin(), given.end(), uint64_t{0});
        const bool hasGap = given.size() > 2 &&
                            std::find(given.begin() + 1, given.end() - 1, 0U) != given.end() - 1;
        return given.size() == stages && sum == layers && !hasGap ? given : std::vector<uint32_t>{};
    }
    if (rules.split == StageSplit::EVEN || stages == 1)
    {
        return layers >= stages && layers % stages == 0
                   ? std::vector<uint32_t>(stages, layers / stages)
                   : std::vector<uint32_t>{};
    }
    const uint32_t weighted = layers + 2;
    if (stages > weighted)
    {
        return {};
    }
    std::vector<uint32_t> split(stages, weighted / stages);
    for (uint32_t stage = 0; stage < weighted % stages; ++stage)
    {
        ++split[stage];
    }
    --split.front();
    --split.back();
    return split;
}

namespace
{

// Far above any existing machine, and small enough that a product of two does not overflow.
constexpr uint32_t MAX_DEGREE = 1U << 17;
constexpr uint64_t MAX_WORLD = 1U << 20;
constexpr uint32_t MAX_VIRTUAL_STAGES = 1024;
constexpr uint32_t MAX_MICRO_BATCHES = 4096;
constexpr uint32_t MAX_RING = 4096; // every step of the ring is an operation of every layer
constexpr uint32_t MAX_SEQ_LEN = 1U << 24;
constexpr uint64_t MAX_TOKENS = 1ULL << 32;

/// Checks a specification and keeps the first error.
class SpecCheck
{
  public:
    /**
     * @param spec the degrees
     * @param model the model
     * @param rules rules of the framework
     */
    SpecCheck(const ParallelismSpec& spec,
              const TransformerSpec& model,
              const FrameworkRules& rules)
        : m_spec(spec),
          m_model(model),
          m_rules(rules)
    {
    }

    /// @return the first error, empty if there is none
    std::string Run()
    {
        // Each check may rely on the checks before it.
        using Check = void (SpecCheck::*)();
        for (const Check check : {&SpecCheck::CheckRanges,
                                  &SpecCheck::CheckSizes,
                                  &SpecCheck::CheckDataParallelism,
                                  &SpecCheck::CheckTensorParallelism,
                                  &SpecCheck::CheckExperts,
                                  &SpecCheck::CheckExpertShards,
                                  &SpecCheck::CheckSequence,
                                  &SpecCheck::CheckPipeline})
        {
            (this->*check)();
            if (!m_error.empty())
            {
                break;
            }
        }
        return m_error;
    }

  private:
    /// A number and its name in flags and files.
    using Named = std::pair<const char*, uint64_t>;

    /**
     * @brief Record an error for an input, unless an error has already been recorded.
     * @param input name of the input
     * @param value value of the input
     * @param allowed text of the allowed values
     */
    void Refuse(const std::string& input, const std::string& value, const std::string& allowed)
    {
        m_error = m_error.empty() ? input + "=" + value + ": " + allowed : m_error;
    }

    /// Refuse for a number.
    void Refuse(const std::string& input, uint64_t value, const std::string& allowed)
    {
        Refuse(input, std::to_string(value), allowed);
    }

    /// Check that a number is from 1 to @p last.
    void Range(const Named& input, uint64_t last)
    {
        if (input.second < 1 || input.second > last)
        {
            Refuse(input.first, input.second, "must be 1 to " + std::to_string(last));
        }
    }

    /**
     * @brief Check that a degree divides some numbers of the model.
     * @param degree the degree
     * @param parts names and numbers of the parts that the degree splits; 0 if the model has none
     */
    void Divides(const Named& degree, std::initializer_list<Named> parts)
    {
        for (const auto& [what, count] : parts)
        {
            if (count % degree.second != 0)
            {
                const uint64_t whole = count;
                Refuse(degree.first,
                       degree.second,
                       "must divide the " + std::to_string(whole) + " " + what + " of " +
                           m_model.name + "; allowed: " +
                           List(whole, [whole](uint64_t value) { return whole % value == 0; }));
            }
        }
    }

    /**
     * @param last the largest candidate
     * @param isAllowed the test
     * @return the candidates from 1 that pass the test, as in "1, 2, 4", truncated if there are
     * many
     */
    static std::string List(uint64_t last, const std::function<bool(uint64_t)>& isAllowed)
    {
        constexpr uint32_t MOST = 24;
        std::string list;
        uint32_t count = 0;
        for (uint64_t value = 1; value <= last; ++value)
        {
            if (isAllowed(value))
            {
                if (++count > MOST)
                {
                    return list + ", ...";
                }
                list += (list.empty() ? "" : ", ") + std::to_string(value);
            }
        }
        return list;
    }

    /// @return true if the restrictions of TorchTitan apply
    bool IsTorchTitan() const
    {
        return m_rules.tensorParallelism == TensorParallelStyle::DTENSOR;
    }

    /// Check every number on its own.
    void CheckRanges()
    {
        for (const Named& degree : {Named{"tp", m_spec.tp},
                                    Named{"fsdp", m_spec.fsdp},
                                    Named{"pp", m_spec.pp},
                                    Named{"cp", m_spec.cp},
                                    Named{"dpReplicate", m_spec.replicate},
                                    Named{"ep", m_spec.ep},
                                    Named{"expertTp", m_spec.expertTp},
                                    Named{"gpusPerDomain", m_spec.gpusPerDomain},
                                    Named{"microBatchSize", m_spec.microBatchSize}})
        {
            Range(degree, MAX_DEGREE);
        }
        Range({"virtualStages", m_spec.virtualStages}, MAX_VIRTUAL_STAGES);
        Range({"microBatches", m_spec.microBatches}, MAX_MICRO_BATCHES);
        Range({"seqLen", m_spec.seqLen}, MAX_SEQ_LEN);
        if (m_rules.prefetch > MAX_DEGREE)
        {
            Refuse("prefetch", m_rules.prefetch, "must be 0 to " + std::to_string(MAX_DEGREE));
        }
        if (m_rules.bucketParameters == 0)
        {
            Refuse("bucketParameters", 0, "must be 1 or more");
        }
    }

    /// Check products of degrees.
    void CheckSizes()
    {
        uint64_t world = 1;
        std::string product;
        for (const uint32_t degree :
             {m_spec.pp, m_spec.replicate, m_spec.fsdp, m_spec.cp, m_spec.tp})
        {
            world = std::min(world * degree, MAX_WORLD + 1); // capped to avoid an overflow
            product += (product.empty() ? "" : " x ") + std::to_string(degree);
        }
        if (world > MAX_WORLD)
        {
            Refuse("pp x dp x fsdp x cp x tp",
                   product,
                   "must be 1 to " + std::to_string(MAX_WORLD) + " GPUs");
        }
        Range({"microBatchSize x seqLen", m_spec.GetTokens()}, MAX_TOKENS);
    }

    /// Check replicas and shards, and the rules for them.
    void CheckDataParallelism()
    {
        const uint64_t shards = uint64_t{m_spec.fsdp} * m_spec.cp;
        const bool isFsdp = m_rules.dataParallelism == DataParallelism::FSDP;
        if (!isFsdp && m_rules.reshard != ReshardPolicy::DEFAULT)
        {
            Refuse("reshard",
                   m_rules.reshard == ReshardPolicy::ALWAYS ? "always" : "never",
                   "must be default unless dataParallelism is fsdp");
        }
        // parallelize_llama: fully_shard if there are shards or distributed experts, else
        // replicate. TorchTitan rejects replicate together with any other parallelism.
        if (m_rules.dataParallelism == DataParallelism::DDP && IsTorchTitan() &&
            m_spec.GetWorldSize() != m_spec.replicate)
        {
            Refuse("dataParallelism",
                   "ddp",
                   "TorchTitan's DDP has replicas only; pp, fsdp, cp and tp must be 1");
        }
        if (isFsdp && IsTorchTitan() && m_spec.replicate > 1 && shards == 1 && m_spec.ep == 1)
        {
            Refuse("dpReplicate",
                   m_spec.replicate,
                   "must be 1 with fsdp x cp=1; TorchTitan then has nothing to shard, and "
                   "dataParallelism=ddp for replicas");
        }
    }

    /// Check the parts that TP splits.
    void CheckTensorParallelism()
    {
        const Named tp{"tp", m_spec.tp};
        const auto& attention = m_model.attention;
        // Attention in TorchTitan and in Megatron Core (transformer_config.py, up to v0.15) assigns
        // whole heads to every rank, also for keys and values. From v0.16 Megatron Core splits a
        // head over ranks if there is less than one head per rank, and gathers the head again: not
        // modelled.
        const bool isLatent = attention.kind == AttentionSpec::LATENT;
        const bool hasDense = m_model.GetMoeLayers() < m_model.layers;
        Divides(tp,
                {{"heads", attention.heads},
                 {"key and value heads", isLatent ? 0 : attention.kvHeads},
                 {"columns of the feed-forward network", hasDense ? m_model.ffn : 0},
                 {"columns of the shared experts",
                  uint64_t{m_model.moe.sharedExperts} * m_model.moe.ffn},
                 {"tokens of the vocabulary",
                  m_rules.vocabularyMultiple == 0 ? m_model.vocabulary : 0}});
        if (!m_rules.sequenceParallel && !IsTorchTitan() && m_spec.tp > 1 && m_spec.ep > 1)
        {
            Refuse("sequenceParallel",
                   "false",
                   "must be true with tp=" + std::to_string(m_spec.tp) +
                       " and ep=" + std::to_string(m_spec.ep) + " (Megatron-LM)");
        }
    }

    /// Check expert parallelism.
    void CheckExperts()
    {
        const uint64_t experts = m_model.moe.experts;
        if (experts == 0)
        {
            for (const Named& degree : {Named{"ep", m_spec.ep}, Named{"expertTp", m_spec.expertTp}})
            {
                if (degree.second > 1)
                {
                    Refuse(degree.first,
                           degree.second,
                           "must be 1, as " + m_model.name + " is dense");
                }
            }
            return;
        }
        const uint64_t tp = m_spec.tp;
        const auto isShareOfTp = [this, tp](uint64_t value) {
            // ParallelDims: "ETP=TP or ETP=1". With ep=1 experts are split like the rest of a
            // layer.
            return tp % value == 0 &&
                   (!IsTorchTitan() || value == tp || (value == 1 && m_spec.ep > 1));
        };
        if (!isShareOfTp(m_spec.expertTp))
        {
            Refuse("expertTp",
                   m_spec.expertTp,
                   "must divide tp=" + std::to_string(tp) +
                       (IsTorchTitan() ? " and be tp or, with ep above 1, 1 (TorchTitan)" : "") +
                       "; allowed: " + List(tp, isShareOfTp));
            return;
        }
        Divides({"expertTp", m_spec.expertTp}, {{"columns of an expert", m_model.moe.ffn}});
        const uint64_t plane = m_spec.GetPlaneSize();
        const auto fits = [this, experts, plane](uint64_t value) {
            return experts % value == 0 && plane % (value * m_spec.expertTp) == 0;
        };
        if (!fits(m_spec.ep))
        {
            Refuse("ep",
                   m_spec.ep,
                   "must divide the " + std::to_string(experts) + " experts of " + m_model.name +
                       ", and ep x expertTp must divide fsdp x cp x tp=" + std::to_string(plane) +
                       "; allowed: " + List(experts, fits));
        }
    }

    /// Check FSDP of experts.
    void CheckExpertShards()
    {
        const uint64_t experts = m_model.moe.experts;
        const uint64_t shards = m_spec.GetExpertShards();
        if (m_rules.dataParallelism != DataParallelism::FSDP || m_spec.ep == 1 ||
            shards * m_spec.ep <= experts)
        {
            return;
        }
        // In this case apply_fsdp shards rows instead of experts, and fully_shard pads only a first
        // dimension.
        for (const uint64_t rows :
             {uint64_t{m_model.hidden}, uint64_t{m_model.moe.ffn} / m_spec.expertTp})
        {
            if (rows % shards != 0)
            {
                Refuse("fsdp x cp x tp / ep / expertTp",
                       shards,
                       "there are more shards of experts than experts of a rank, so they must "
                       "divide " +
                           std::to_string(rows) + " rows of an expert of " + m_model.name);
            }
        }
    }

    /// Check the tokens of a sequence.
    void CheckSequence()
    {
        // TorchTitan (ParallelDims.seq_len_divisor) always requires this; Megatron-LM
        // (validate_args) requires two chunks per CP rank to balance causal attention.
        if (m_rules.context == ContextExchange::RING && m_spec.cp > MAX_RING)
        {
            Refuse("cp",
                   m_spec.cp,
                   "must be 1 to " + std::to_string(MAX_RING) + " with context=ring");
        }
        const bool isSplit = m_rules.sequenceParallel || IsTorchTitan();
        const uint64_t tp = isSplit ? m_spec.tp : 1;
        const uint64_t chunks = IsTorchTitan() || m_spec.cp > 1 ? uint64_t{2} * m_spec.cp : 1;
        if (m_spec.seqLen % (tp * chunks) != 0)
        {
            Refuse("seqLen",
                   m_spec.seqLen,
                   "must be a multiple of " + std::to_string(tp * chunks) +
                       (chunks > 1 ? " (2 x cp" : " (") + (chunks > 1 && tp > 1 ? " x " : "") +
                       (tp > 1 ? "tp" : "") + ")");
        }
        if (m_model.learnedPositions > 0)
        {
            Range({"seqLen", m_spec.seqLen}, m_model.learnedPositions);
        }
    }

    /// Check schedule and layers.
    void CheckPipeline()
    {
        const PipelineShape pipeline = m_spec.GetPipeline();
        if (pipeline.schedule == "interleaved" && pipeline.chunks > 1 && !IsTorchTitan())
        {
            CheckInterleaving();
            if (!m_error.empty())
            {
                return;
            }
        }
        if (auto error = pipeline.Validate(); !error.empty())
        {
            m_error = error;
            return;
        }
        if (m_model.tiedEmbeddings && m_spec.pp > 1 && IsTorchTitan())
        {
            Refuse("pp",
                   m_spec.pp,
                   "must be 1 for the tied embeddings of " + m_model.name + " (TorchTitan)");
        }
        const bool isEven = m_rules.split == StageSplit::EVEN;
        const auto fits = [this](uint64_t stages) {
            return !ParallelismSpec::SplitLayers(m_model.layers, stages, m_rules).empty();
        };
        const uint64_t stages = pipeline.GetStages();
        if (!fits(stages))
        {
            if (!m_rules.stageLayers.empty())
            {
                RefuseStageLayers(stages);
                return;
            }
            Refuse(m_spec.virtualStages > 1 ? "pp x virtualStages" : "pp",
                   stages,
                   std::to_string(m_model.layers) + " layers of " + m_model.name +
                       " cannot be split into so many stages; allowed: " +
                       (isEven ? List(m_model.layers, fits) + FindOtherSplit(stages)
                               : "1 to " + std::to_string(m_model.layers + 2)));
            return;
        }
        m_error = m_error.empty() ? pipeline.CheckOrders() : m_error;
    }

    /// @return that stages which are not even can be weighted, if they can
    std::string FindOtherSplit(uint64_t stages) const
    {
        FrameworkRules other;
        other.split = StageSplit::WEIGHTED;
        const auto layers = ParallelismSpec::SplitLayers(m_model.layers, stages, other);
        const auto [least, most] = std::minmax_element(layers.begin(), layers.end());
        return layers.empty() ? ""
                              : "; or with split=" + ToString(other.split) + ": stages of " +
                                    std::to_string(*least) + " to " + std::to_string(*most) +
                                    " layers, or the layers of each stage";
    }

    /// Refuse layers of stages that are not those of the model and the pipeline.
    void RefuseStageLayers(uint64_t stages)
    {
        const auto& given = m_rules.stageLayers;
        std::string list;
        for (const uint32_t layers : given)
        {
            list += (list.empty() ? "" : ",") + std::to_string(layers);
        }
        const auto sum = std::accumulate(given.begin(), given.end(), uint64_t{0});
        Refuse("split",
               list,
               "must be " + std::to_string(stages) +
                   " numbers, one for each stage, that add up to " + "the " +
                   std::to_string(m_model.layers) + " layers of " + m_model.name + ", not " +
                   std::to_string(given.size()) + " that add up to " + std::to_string(sum) +
                   "; only the first and the last may be 0");
    }

    /// Check chunks and micro-batches of an interleaved schedule, with Megatron-LM.
    void CheckInterleaving()
    {
        // arguments.py, validate_args, with overlapped transfers, which are the default.
        if (m_spec.pp == 1)
        {
            Refuse("pp", 1, "must be 2 or more with interleaved (Megatron-LM)");
        }
        // Megatron Core, schedules.py: micro-batches run in groups, of pp by default; a remainder
        // must not be smaller than pp.
        if (m_spec.microBatches % m_spec.pp != 0)
        {
            Refuse("microBatches",
                   m_spec.microBatches,
                   "must be a multiple of pp=" + std::to_string(m_spec.pp) +
                       " with interleaved (Megatron-LM)");
        }
    }

    const ParallelismSpec& m_spec;
    const TransformerSpec& m_model;
    const FrameworkRules& m_rules;
    std::string m_error;
};

} // namespace

std::string
ParallelismSpec::Validate(const TransformerSpec& model, const FrameworkRules& rules) const
{
    return SpecCheck(*this, model, rules).Run();
}

} // namespace ns3
