// SPDX-License-Identifier: GPL-2.0-only

#include "workload-settings.h"

#include "ns3/flag-parser.h"
#include "ns3/job-file.h"
#include "ns3/operations-file.h"
#include "ns3/output-file.h"
#include "ns3/recomputation-choice.h"
#include "ns3/trace-job.h"
#include "ns3/traffic-file.h"
#include "ns3/transformer-spec.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <vector>

namespace ns3
{

namespace
{

/// @return the algorithms of a kind that the calls of a job can use
std::vector<std::string>
ListForJobs(CollectiveKind kind)
{
    std::vector<std::string> names;
    for (const auto& algorithm : CollectiveAlgorithm::GetAll(kind))
    {
        if (!algorithm->NeedsRoot())
        {
            names.push_back(algorithm->GetName());
        }
    }
    return names;
}

} // namespace

std::string
AlgorithmLimits::Read(const std::string& text, CollectiveAlgorithms& value) const
{
    const auto& kinds = CollectiveAlgorithms::GetKinds();
    std::vector<std::string> kindNames;
    for (const CollectiveKind kind : kinds)
    {
        kindNames.push_back(ToString(kind));
    }
    std::string list = text;
    std::replace(list.begin(), list.end(), '+', ',');
    CollectiveAlgorithms chosen;
    for (const auto& piece : FlagParser::Split(list))
    {
        const std::size_t equals = std::min(piece.find('='), piece.size());
        const auto name = std::find(kindNames.begin(), kindNames.end(), piece.substr(0, equals));
        const CollectiveKind kind =
            name == kindNames.end() ? CollectiveKind::SEND : kinds[name - kindNames.begin()];
        if (equals == piece.size() || name == kindNames.end() || chosen.IsChosen(kind))
        {
            return "KIND=NAME,KIND=NAME, with kinds from " + FlagParser::List(kindNames) +
                   ", each once";
        }
        const auto names = ListForJobs(kind);
        const std::string wanted = piece.substr(equals + 1);
        if (std::find(names.begin(), names.end(), wanted) == names.end())
        {
            return *name + "=NAME with one of " + FlagParser::List(names);
        }
        chosen.Choose(kind, wanted);
    }
    value = chosen;
    return "";
}

std::string
StageSplitLimits::Read(const std::string& text, Value& value) const
{
    Value read;
    read.rule = ParseRule<StageSplit>(text);
    std::string list = text;
    std::replace(list.begin(), list.end(), '+', ',');
    for (const auto& piece : read.rule ? std::vector<std::string>() : FlagParser::Split(list))
    {
        const auto layers = FlagParser::ParseCount(piece);
        if (!layers)
        {
            return "one of " + FlagParser::List(GetRuleNames<StageSplit>()) +
                   ", or the layers of each stage, such as 8,8,8,7";
        }
        read.layers.push_back(*layers);
    }
    value = read;
    return "";
}

namespace
{

/// The framework of the recorded job.
constexpr const char* RECORDED = "torchtitan-0.1.0";

/// The model of the recorded job.
constexpr const char* RECORDED_MODEL = "llama3-8b";

/// The GPU of the recorded job, to which the default efficiency was fitted.
constexpr const char* RECORDED_GPU = "a100";

constexpr std::size_t MAX_FILE_BYTES = 1U << 20;
constexpr const char* FORM =
    "uniform, zipf:EXPONENT or initial:EXPONENT with an exponent from 0 to "
    "10, or a file of weights";
constexpr const char* FILE_FORM =
    "a file of at most 1 MiB of weights: numbers from 0 to 1e9, not all of them 0, between blanks "
    "or commas";

const std::string FILE_ENDING = ".json";

} // namespace

template <typename Rule>
Option*
RuleSettings::Add(const std::string& name, Rule FrameworkRules::*rule, const std::string& help)
{
    m_ofRules.push_back(
        std::make_unique<ChoiceOption>(this, name, "", GetRuleNames<Rule>(), help + ": {}"));
    Option* const option = m_ofRules.back().get();
    m_changes.push_back([option, rule](FrameworkRules& rules) {
        rules.*rule = ParseRule<Rule>(option->GetText()).value_or(rules.*rule);
        option->SetDerived(ToString(rules.*rule));
    });
    return option;
}

void
RuleSettings::Add(const std::string& name, bool FrameworkRules::*rule, const std::string& help)
{
    const std::vector<std::string> choices{"true", "false"};
    m_ofRules.push_back(std::make_unique<ChoiceOption>(this, name, "", choices, help + ": {}"));
    Option* const option = m_ofRules.back().get();
    m_changes.push_back([option, rule](FrameworkRules& rules) {
        rules.*rule = option->IsSet() ? option->GetText() == "true" : rules.*rule;
        option->SetDerived(rules.*rule ? "true" : "false");
    });
}

template <typename Rule>
void
RuleSettings::AddNumber(const std::string& name,
                        Rule FrameworkRules::*rule,
                        uint32_t least,
                        const std::string& help)
{
    auto added = std::make_unique<CountOption>(this, name, "", CountLimits{least}, help);
    m_changes.push_back([option = added.get(), rule](FrameworkRules& rules) {
        rules.*rule = option->IsSet() ? option->Get() : rules.*rule;
        option->SetDerived(std::to_string(rules.*rule));
    });
    m_ofRules.push_back(std::move(added));
}

void
RuleSettings::AddSplit()
{
    auto added = std::make_unique<ValueOption<StageSplitLimits>>(
        this,
        "split",
        "",
        StageSplitLimits(),
        "how layers are dealt out to stages: " + FlagParser::List(GetRuleNames<StageSplit>()) +
            ", or the layers of each of the pp x virtualStages stages in the order of the model, "
            "such as 8,8,8,7");
    m_changes.push_back([option = added.get()](FrameworkRules& rules) {
        if (option->IsSet())
        {
            const auto split = option->Get();
            rules.split = split.rule.value_or(rules.split);
            rules.stageLayers = split.layers;
        }
        option->SetDerived(ToString(rules.split));
    });
    m_ofRules.push_back(std::move(added));
}

RuleSettings::RuleSettings(OptionGroup* parent)
    : OptionGroup(parent)
{
    using F = FrameworkRules;
    m_dataParallelism = Add("dataParallelism", &F::dataParallelism, "what replicas share");
    Add("reshard", &F::reshard, "FSDP units that give up parameters after a forward");
    AddNumber("prefetch", &F::prefetch, 0, "FSDP units gathered ahead");
    Add("gradients", &F::gradients, "number format in which gradients are reduced");
    Add("mixesAlways",
        &F::mixesAlways,
        "activations are bf16 without data parallelism, too; else fp32");
    Add("precision",
        &F::products,
        "number format of matrix products; activations are fp32 with tf32 and fp32");
    Add("fusion",
        &F::fusion,
        "what one kernel between matrix products does: an operation of PyTorch, a whole norm too, "
        "or all that is compiled or written by hand together");
    Add("fusesAttention",
        &F::fusesAttention,
        "attention is one kernel that keeps no scores; else products and a softmax");
    Add("overlapsReduction",
        &F::overlapsReduction,
        "buckets of gradients are reduced beside the last backward");
    Add("accumulatesGradients",
        &F::accumulatesGradients,
        "DDP reduces after the last micro-batch instead of each");
    AddNumber("bucketParameters",
              &F::bucketParameters,
              1,
              "parameters of a bucket of gradients, without FSDP");
    AddNumber("bucketParametersPerRank",
              &F::bucketParametersPerRank,
              0,
              "and at least so many for each data rank");
    m_recomputation =
        Add("recomputation",
            &F::recomputation,
            "activations that are computed again; if not given, as few as the memory of the GPU "
            "allows, with TorchTitan selective at least; full in the recorded job, llama3-8b on "
            "a100 without a framework");
    Add("tensorParallelism",
        &F::tensorParallelism,
        "who decides what tensor parallelism communicates");
    Add("multipliesPartialSums",
        &F::multipliesPartialSums,
        "products of DTensor take partial sums as they are");
    AddNumber("gradientReductions",
              &F::gradientReductions,
              0,
              "reductions of a partial gradient in a step without FSDP");
    AddNumber("vocabularyMultiple",
              &F::vocabularyMultiple,
              0,
              "the vocabulary is padded to a multiple of this x tp; 0: not");
    Add("sequenceParallel", &F::sequenceParallel, "TP ranks share tokens between operators");
    Add("lossParallel", &F::lossParallel, "TP ranks share the vocabulary in the loss");
    Add("context", &F::context, "how CP ranks see each other's keys and values");
    Add("repeatsKeys", &F::repeatsKeys, "CP exchanges keys and values of every query head");
    AddSplit();
    Add("norms", &F::norms, "how the norm of gradients is reduced");
    Add("statistics", &F::statistics, "scalars that are reduced in every step");
    Add("balancesExperts",
        &F::balancesExperts,
        "tokens of each expert are reduced for its routing bias");
    Add("waitsForMessages",
        &F::waitsForMessages,
        "hosts that run ahead wait for the device after Sends and Recvs");
}

void
RuleSettings::Finish(bool isRecorded)
{
    m_isRecorded = isRecorded && !m_framework.IsSet();
    const std::string name = m_framework.IsSet() ? m_framework.GetText() : RECORDED;
    m_rules = Variant<Framework>(name)->MakeRules();
    m_framework.SetDerived(name);
    if (!m_framework.IsSet())
    {
        const auto replicas = ParseRule<DataParallelism>(m_dataParallelism->GetText());
        const bool isSharded = replicas.value_or(DataParallelism::FSDP) == DataParallelism::FSDP;
        m_rules.reshard = isSharded ? ReshardPolicy::ALWAYS : ReshardPolicy::DEFAULT;
        m_rules.recomputation = Recomputation::NONE;
    }
    if (m_isRecorded)
    {
        m_rules.fusion = KernelFusion::ALL;
    }
    for (const auto& change : m_changes)
    {
        change(m_rules);
    }
}

void
RuleSettings::ChooseRecomputation(const WorkloadSpec& job)
{
    if (m_recomputation->IsSet())
    {
        m_reason = "as given";
        return;
    }
    const Recomputation least = m_rules.recomputation;
    if (m_isRecorded)
    {
        m_rules.recomputation = Recomputation::FULL;
        m_reason = "as recorded";
    }
    else
    {
        m_rules.recomputation = RecomputationChoice::Make(job, least).recomputation;
        m_reason = least == Recomputation::NONE
                       ? "the least that fits"
                       : "the least of " + m_framework.GetText() + " that fits";
    }
    m_recomputation->SetDerived(ToString(m_rules.recomputation));
}

std::pair<ExpertPopularity, std::string>
ReadPopularity(const std::string& text)
{
    ExpertPopularity popularity;
    if (text == "uniform")
    {
        return {popularity, ""};
    }
    for (const auto& [kind, name] : {std::pair(ExpertPopularity::ZIPF, std::string("zipf")),
                                     std::pair(ExpertPopularity::INITIAL, std::string("initial"))})
    {
        if (text != name && text.compare(0, name.size() + 1, name + ":") != 0)
        {
            continue;
        }
        popularity.kind = kind;
        const auto exponent = text == name
                                  ? std::optional(1.0)
                                  : FlagParser::ParseFraction(text.substr(name.size() + 1));
        popularity.exponent = exponent.value_or(-1);
        return {popularity, popularity.exponent >= 0 && popularity.exponent <= 10 ? "" : FORM};
    }
    std::ifstream file(text);
    return file ? ReadPopularity(file) : std::pair(popularity, std::string(FORM));
}

std::pair<ExpertPopularity, std::string>
ReadPopularity(std::istream& file)
{
    ExpertPopularity popularity;
    popularity.kind = ExpertPopularity::LISTED;
    std::string text;
    for (std::array<char, 4096> part; file && text.size() <= MAX_FILE_BYTES;)
    {
        file.read(part.data(), part.size());
        text.append(part.data(), static_cast<std::size_t>(file.gcount()));
    }
    bool isGood = text.size() <= MAX_FILE_BYTES;
    std::replace(text.begin(), text.end(), ',', ' ');
    std::istringstream words(text);
    double sum = 0;
    for (std::string word; isGood && words >> word;)
    {
        const auto weight = FlagParser::ParseFraction(word);
        isGood = weight && *weight <= 1e9;
        popularity.weights.push_back(weight.value_or(0));
        sum += popularity.weights.back();
    }
    return {popularity, isGood && sum > 0 ? "" : FILE_FORM};
}

WorkloadSettings::WorkloadSettings(OptionGroup* parent)
    : OptionGroup(parent)
{
    const std::set<const Option*> ofTraces{&m_trace,
                                           &m_traceRanks,
                                           &m_algorithms,
                                           &m_gpu,
                                           &m_computeEfficiency,
                                           &m_memoryEfficiency};
    for (Option* option : GetOptions())
    {
        if (ofTraces.count(option) == 0)
        {
            option->Needs({NeedsModel()});
        }
    }
    m_traceRanks.Needs({m_trace.IsUsed()});
    m_popularitySeed.Needs({m_popularity.Fits(
        [this] { return ReadPopularity(m_popularity.GetText()).first.IsDrawn(); },
        "--popularity=zipf:EXPONENT or initial:EXPONENT")});
}

OptionNeed
WorkloadSettings::NeedsModel() const
{
    return m_trace.Fits([this] { return !IsTrace(); }, "a model instead of --trace");
}

std::string
WorkloadSettings::PlanRanks(std::shared_ptr<const JobRanks>& ranks) const
{
    if (!IsTrace())
    {
        WorkloadSpec workload = m_workload;
        workload.popularity = ExpertPopularity(); // does not change who communicates
        ranks = std::make_shared<const JobRanks>(workload);
        return "";
    }
    TraceSource source;
    source.prefix = m_trace.GetText();
    source.replicas = m_traceRanks.Get();
    source.gpusPerDomain = m_workload.parallelism.gpusPerDomain;
    source.gpu = m_workload.gpu;
    source.efficiency = m_workload.efficiency;
    source.algorithms = m_workload.algorithms;
    try
    {
        ranks = std::make_shared<const JobRanks>(TraceJob::Read(source));
        return "";
    }
    catch (const TraceError& error)
    {
        return std::string("--trace: ") + error.what();
    }
}

std::string
WorkloadSettings::GetTraceRemark() const
{
    const std::string& file = m_trace.GetText();
    return OperationsFile::IsName(file) && TrafficFile::IsTraffic(file)
               ? TrafficFile(file).GetRemark()
               : "";
}

std::string
WorkloadSettings::GetName() const
{
    return IsTrace() ? m_trace.GetText() : m_workload.model.name;
}

std::string
WorkloadSettings::CheckModel()
{
    const std::string& model = m_model.GetText();
    const bool isFile = HasEnding(model, FILE_ENDING);
    const bool isOwn = isFile || (!model.empty() && model[0] == '{');
    if (isOwn)
    {
        const auto text = isFile ? JobFile::ReadText(model) : std::optional(model);
        if (!text)
        {
            return m_model.Refuse("a file that can be read");
        }
        if (auto error = TransformerJson::Parse(*text, m_workload.model); !error.empty())
        {
            return "--model" + (isFile ? "=" + model : "") + ": " + error;
        }
        m_model.SetText(TransformerJson::Write(m_workload.model).dump()); // for lists of settings
        return "";
    }
    const auto preset = TransformerSpec::Find(model);
    if (!preset)
    {
        return m_model.Refuse("a file that ends in " + FILE_ENDING + ", or one of " +
                              FlagParser::List(TransformerSpec::GetNames()));
    }
    m_workload.model = *preset;
    return "";
}

std::string
WorkloadSettings::CheckPopularity()
{
    const auto [popularity, allowed] = ReadPopularity(m_popularity.GetText());
    if (!allowed.empty())
    {
        return m_popularity.Refuse(allowed);
    }
    const uint32_t experts = m_workload.model.moe.experts;
    if (popularity.kind == ExpertPopularity::LISTED && popularity.weights.size() != experts)
    {
        return m_popularity.Refuse("a file with " + std::to_string(experts) +
                                   " weights, one for each expert of " + m_workload.model.name +
                                   ", not " + std::to_string(popularity.weights.size()));
    }
    m_workload.popularity = popularity;
    m_workload.popularity.seed = m_popularitySeed.Get();
    m_workload.popularity.vocabulary = m_workload.model.vocabulary;
    return "";
}

std::string
WorkloadSettings::Check(uint32_t gpusPerDomain)
{
    const auto order = MeshOrder::Parse(m_meshOrder.GetText());
    if (!order)
    {
        return m_meshOrder.Refuse("all of pp, dp, fsdp, cp and tp with dashes between them, such "
                                  "as " +
                                  MeshOrder().ToString());
    }
    m_rules.Finish(m_model.GetText() == RECORDED_MODEL && m_gpu.GetText() == RECORDED_GPU);
    if (auto error =
            FindError([this] { return CheckModel(); }, [this] { return CheckPopularity(); });
        !error.empty())
    {
        return error;
    }
    m_expertTp.SetDerived(std::to_string(GetExpertTp()));
    ParallelismSpec parallelism;
    parallelism.tp = m_tp.Get();
    parallelism.cp = m_cp.Get();
    parallelism.fsdp = m_fsdp.Get();
    parallelism.replicate = m_replicate.Get();
    parallelism.pp = m_pp.Get();
    parallelism.ep = m_ep.Get();
    parallelism.expertTp = GetExpertTp();
    parallelism.virtualStages = m_virtualStages.Get();
    parallelism.schedule = m_schedule.GetText();
    parallelism.order = *order;
    parallelism.microBatchSize = m_microBatchSize.Get();
    parallelism.microBatches = m_microBatches.Get();
    parallelism.seqLen = m_seqLen.Get();
    parallelism.gpusPerDomain = gpusPerDomain;
    m_workload.parallelism = parallelism;
    m_workload.rules = m_rules.Get();
    m_workload.algorithms = m_algorithms.Get();
    m_workload.gpu = *GpuSpec::Find(m_gpu.GetText());
    FindEfficiency();
    const std::string error = IsTrace() ? "" : m_workload.Validate();
    if (!error.empty())
    {
        return "--" + error; // it begins with the name of the setting
    }
    if (!IsTrace())
    {
        m_rules.ChooseRecomputation(m_workload);
        m_workload.rules = m_rules.Get();
    }
    return "";
}

uint32_t
WorkloadSettings::GetExpertTp() const
{
    if (m_expertTp.IsSet())
    {
        return m_expertTp.Get();
    }
    const bool borrowsTp =
        m_ep.Get() > 1 && m_rules.Get().tensorParallelism == TensorParallelStyle::DTENSOR;
    return m_workload.model.moe.experts == 0 || borrowsTp ? 1 : m_tp.Get();
}

std::string
WorkloadSettings::Describe(uint32_t worldSize) const
{
    std::ostringstream text;
    const ParallelismSpec& parallelism = m_workload.parallelism;
    text << (IsTrace() ? "traces " : "") << GetName() << " on " << worldSize << " "
         << m_gpu.GetText() << " GPUs in domains of " << parallelism.gpusPerDomain;
    if (IsTrace())
    {
        text << (m_algorithms.IsSet() ? ", " : "") << m_algorithms.GetText();
        return text.str();
    }
    text << " (tp " << parallelism.tp;
    const auto add = [&text](const char* name, uint32_t degree) {
        if (degree > 1)
        {
            text << ", " << name << " " << degree;
        }
    };
    add("cp", parallelism.cp);
    text << ", fsdp " << parallelism.fsdp;
    add("dpReplicate", parallelism.replicate);
    text << ", pp " << parallelism.pp;
    add("ep", parallelism.ep);
    text << ")";
    text << (m_algorithms.IsSet() ? ", " : "") << m_algorithms.GetText();
    return text.str();
}

std::string
WorkloadSettings::DescribeRecomputation() const
{
    return RecomputationChoice::Describe(m_workload, m_rules.GetReason());
}

std::vector<std::string>
WorkloadSettings::GetRemarks() const
{
    std::vector<std::string> remarks;
    for (const auto& remark : {GetTensorRemark(), GetEfficiencyRemark()})
    {
        if (!IsTrace() && !remark.empty())
        {
            remarks.push_back(remark);
        }
    }
    return remarks;
}

std::string
WorkloadSettings::GetTensorRemark() const
{
    const ParallelismSpec& parallelism = m_workload.parallelism;
    const std::string domain = std::to_string(parallelism.gpusPerDomain);
    return parallelism.tp <= parallelism.gpusPerDomain
               ? ""
               : "--tp=" + m_tp.GetText() + " is more than the " + domain +
                     " GPUs of a scale-up domain: tensor parallelism communicates between domains "
                     "in every layer; not so with --tp=" +
                     domain + " or --gpusPerDomain=" + m_tp.GetText();
}

void
WorkloadSettings::FindEfficiency()
{
    const std::string framework = IsTrace() ? "" : m_rules.GetFramework();
    const auto find = [&](ProductFormat format) {
        return KernelEfficiency::Find(m_gpu.GetText(), framework, format);
    };
    const auto format = m_workload.parallelism.GetProductFormat(m_workload.rules);
    const bool isNarrow = format == ProductFormat::FP8;
    m_workload.published = find(format);
    const double share = find(isNarrow ? ProductFormat::BF16 : format).typical;
    const bool isRecorded = !IsTrace() && m_rules.IsRecorded() && format == ProductFormat::BF16;
    m_computeEfficiency.Derive(isRecorded ? RECORDED_EFFICIENCY : FlagParser::ToText(share));
    m_groupedMatmulEfficiency.DeriveFrom(m_computeEfficiency);
    m_attentionEfficiency.DeriveFrom(m_computeEfficiency);
    m_workload.efficiency = {m_computeEfficiency.Get(),
                             m_groupedMatmulEfficiency.Get(),
                             m_attentionEfficiency.Get(),
                             m_memoryEfficiency.Get(),
                             isNarrow && !m_computeEfficiency.IsSet() ? m_workload.published.typical
                                                                      : m_computeEfficiency.Get()};
}

std::string
WorkloadSettings::GetEfficiencyRemark() const
{
    const KernelEfficiency& published = m_workload.published;
    const ComputeEfficiency& own = m_workload.efficiency;
    const double share = published.format == ProductFormat::FP8 ? own.fp8 : own.matmul;
    if (share >= published.low && share <= published.high)
    {
        return "";
    }
    std::ostringstream text;
    text << "--computeEfficiency=" << m_computeEfficiency.GetInForce()
         << (m_rules.IsRecorded() && !m_computeEfficiency.IsSet()
                 ? ", fitted to the recorded job, whose network was slow, is "
                 : " is ")
         << (share < published.low ? "below" : "above") << " the " << published.low << " to "
         << published.high << " that published steps of " << m_gpu.GetText()
         << " imply: " << published.source;
    return text.str();
}

} // namespace ns3
