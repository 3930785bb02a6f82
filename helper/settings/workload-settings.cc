// SPDX-License-Identifier: GPL-2.0-only

#include "workload-settings.h"

#include "job-file.h"
#include "popularity-file.h"

#include "ns3/flag-parser.h"
#include "ns3/transformer-json.h"

#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3
{

namespace
{

const std::string FILE_ENDING = ".json";

NumberFlag
MakeEfficiency(const char* name, const char* initial)
{
    return NumberFlag(name, initial, 0.001, 1);
}

} // namespace

WorkloadSettings::WorkloadSettings()
    : m_schedule("schedule", "1f1b", Variant<PipelineSchedule>::GetNames()),
      m_meshOrder("meshOrder", MeshOrder().ToString()),
      m_gpu("gpu", "a100", GpuSpec::GetNames()),
      m_computeEfficiency(MakeEfficiency("computeEfficiency", "0.29")),
      m_groupedMatmulEfficiency(MakeEfficiency("groupedMatmulEfficiency", "")),
      m_attentionEfficiency(MakeEfficiency("attentionEfficiency", "")),
      m_memoryEfficiency(MakeEfficiency("memoryEfficiency", "0.8"))
{
}

void
WorkloadSettings::AddFlags(CommandLine& cmd)
{
    m_model.AddTo(cmd,
                  "model: a JSON file, or one of " + FlagParser::List(TransformerSpec::GetNames()));
    m_tp.AddTo(cmd, "degree of tensor parallelism");
    m_cp.AddTo(cmd, "degree of context parallelism");
    m_fsdp.AddTo(cmd, "ranks with different data over which parameters are sharded");
    m_dp.AddTo(cmd, "replicas of the parameters: of HSDP, DDP, a distributed optimizer");
    m_pp.AddTo(cmd, "pipeline ranks");
    m_ep.AddTo(cmd, "degree of expert parallelism; borrows ranks of fsdp, cp and tp");
    m_expertTp.AddTo(cmd,
                     "degree of tensor parallelism inside an expert; if not given, 1 with "
                     "TorchTitan and ep above 1, else tp");
    m_virtualStages.AddTo(cmd, "model chunks of a pipeline rank");
    m_schedule.AddTo(cmd, "pipeline schedule: " + m_schedule.GetChoices());
    m_meshOrder.AddTo(cmd, "dimensions of the mesh, outermost first; dp are the replicas");
    m_microBatchSize.AddTo(cmd, "sequences in a micro-batch");
    m_microBatches.AddTo(cmd, "micro-batches of a rank in an iteration");
    m_seqLen.AddTo(cmd, "tokens in a sequence");
    m_rules.AddFlags(cmd);
    m_gpu.AddTo(cmd, "GPU: " + m_gpu.GetChoices());
    m_computeEfficiency.AddTo(cmd, "share of the GPU's peak FLOP/s while it computes");
    m_groupedMatmulEfficiency.AddTo(cmd, "the same of experts; computeEfficiency if not given");
    m_attentionEfficiency.AddTo(cmd, "the same of attention; computeEfficiency if not given");
    m_memoryEfficiency.AddTo(cmd, "share of the GPU's memory bandwidth while it is the limit");
    m_popularity.AddTo(cmd,
                       "how often tokens choose experts: uniform, zipf:EXPONENT, or a file with a "
                       "weight for each");
    m_popularitySeed.AddTo(cmd, "which experts are popular in which layer, with zipf");
}

std::vector<CountFlag*>
WorkloadSettings::GetCounts()
{
    return {&m_tp,
            &m_cp,
            &m_fsdp,
            &m_dp,
            &m_pp,
            &m_ep,
            &m_expertTp,
            &m_virtualStages,
            &m_microBatchSize,
            &m_microBatches,
            &m_seqLen,
            &m_popularitySeed};
}

std::string
WorkloadSettings::CheckFlags()
{
    for (auto* count : GetCounts())
    {
        if (auto error = count->Check(); !error.empty())
        {
            return error;
        }
    }
    for (auto* number : {&m_computeEfficiency,
                         &m_groupedMatmulEfficiency,
                         &m_attentionEfficiency,
                         &m_memoryEfficiency})
    {
        if (auto error = number->Check(); !error.empty())
        {
            return error;
        }
    }
    for (const auto* choice : {&m_schedule, &m_gpu})
    {
        if (auto error = choice->Check(); !error.empty())
        {
            return error;
        }
    }
    if (!MeshOrder::Parse(m_meshOrder.GetText()))
    {
        return RefuseFlag("meshOrder",
                          m_meshOrder.GetText(),
                          "all of pp, dp, fsdp, cp and tp with dashes between them, such as " +
                              MeshOrder().ToString());
    }
    return m_rules.Check();
}

std::string
WorkloadSettings::CheckModel()
{
    const std::string& model = m_model.GetText();
    const bool isFile =
        model.size() > FILE_ENDING.size() &&
        model.compare(model.size() - FILE_ENDING.size(), FILE_ENDING.size(), FILE_ENDING) == 0;
    m_isOwnModel = isFile || (!model.empty() && model[0] == '{');
    if (m_isOwnModel)
    {
        const auto text = isFile ? JobFile::ReadText(model) : std::optional(model);
        if (!text)
        {
            return RefuseFlag("model", model, "a file that can be read");
        }
        const std::string error = TransformerJson::Parse(*text, m_workload.model);
        return error.empty() ? "" : "--model" + (isFile ? "=" + model : "") + ": " + error;
    }
    const auto preset = TransformerSpec::Find(model);
    if (!preset)
    {
        return RefuseFlag("model",
                          model,
                          "a file that ends in " + FILE_ENDING + ", or one of " +
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
        return RefuseFlag("popularity", m_popularity.GetText(), allowed);
    }
    const uint32_t experts = m_workload.model.moe.experts;
    if (popularity.kind == ExpertPopularity::LISTED && popularity.weights.size() != experts)
    {
        return RefuseFlag("popularity",
                          m_popularity.GetText(),
                          "a file with " + std::to_string(experts) +
                              " weights, one for each expert of " + m_workload.model.name +
                              ", not " + std::to_string(popularity.weights.size()));
    }
    m_workload.popularity = popularity;
    m_workload.popularity.seed = m_popularitySeed.Get();
    return "";
}

std::string
WorkloadSettings::Check(uint32_t gpusPerDomain)
{
    for (auto check : {&WorkloadSettings::CheckFlags,
                       &WorkloadSettings::CheckModel,
                       &WorkloadSettings::CheckPopularity})
    {
        if (auto error = (this->*check)(); !error.empty())
        {
            return error;
        }
    }
    ParallelismSpec parallelism;
    parallelism.tp = m_tp.Get();
    parallelism.cp = m_cp.Get();
    parallelism.fsdp = m_fsdp.Get();
    parallelism.replicate = m_dp.Get();
    parallelism.pp = m_pp.Get();
    parallelism.ep = m_ep.Get();
    parallelism.expertTp = GetExpertTp();
    parallelism.virtualStages = m_virtualStages.Get();
    parallelism.schedule = m_schedule.GetText();
    parallelism.order = *MeshOrder::Parse(m_meshOrder.GetText());
    parallelism.microBatchSize = m_microBatchSize.Get();
    parallelism.microBatches = m_microBatches.Get();
    parallelism.seqLen = m_seqLen.Get();
    parallelism.gpusPerDomain = gpusPerDomain;
    m_workload.parallelism = parallelism;
    m_workload.rules = m_rules.Get();
    m_workload.gpu = *GpuSpec::Find(m_gpu.GetText());
    const auto first = [](const NumberFlag& flag, const NumberFlag& other) {
        return flag.IsGiven() ? flag.Get() : other.Get();
    };
    m_workload.efficiency = {m_computeEfficiency.Get(),
                             first(m_groupedMatmulEfficiency, m_computeEfficiency),
                             first(m_attentionEfficiency, m_computeEfficiency),
                             m_memoryEfficiency.Get()};
    const std::string error = m_workload.Validate();
    return error.empty() ? "" : "--" + error; // it begins with the name of the setting
}

uint32_t
WorkloadSettings::GetExpertTp() const
{
    if (m_expertTp.IsGiven())
    {
        return m_expertTp.Get();
    }
    const bool borrowsTp =
        m_ep.Get() > 1 && m_rules.Get().tensorParallelism == TensorParallelStyle::DTENSOR;
    return m_workload.model.moe.experts == 0 || borrowsTp ? 1 : m_tp.Get();
}

const WorkloadSpec&
WorkloadSettings::Get() const
{
    return m_workload;
}

const std::string&
WorkloadSettings::GetGpu() const
{
    return m_gpu.GetText();
}

std::vector<std::pair<std::string, std::string>>
WorkloadSettings::GetList() const
{
    const std::string model =
        m_isOwnModel ? TransformerJson::Write(m_workload.model).dump() : m_model.GetText();
    std::vector<std::pair<std::string, std::string>> list{{"model", model}};
    const auto add = [&list](const Flag& flag) {
        list.emplace_back(flag.GetName(), flag.GetText());
    };
    for (const auto* count : {&m_tp, &m_cp, &m_fsdp, &m_dp, &m_pp, &m_ep})
    {
        list.emplace_back(count->GetName(), std::to_string(count->Get()));
    }
    add(m_expertTp);
    list.emplace_back(m_virtualStages.GetName(), std::to_string(m_virtualStages.Get()));
    add(m_schedule);
    add(m_meshOrder);
    for (const auto* count : {&m_microBatchSize, &m_microBatches, &m_seqLen})
    {
        list.emplace_back(count->GetName(), std::to_string(count->Get()));
    }
    for (auto& rule : m_rules.GetList())
    {
        list.push_back(std::move(rule));
    }
    add(m_gpu);
    add(m_computeEfficiency);
    add(m_groupedMatmulEfficiency);
    add(m_attentionEfficiency);
    add(m_memoryEfficiency);
    add(m_popularity);
    add(m_popularitySeed);
    return list;
}

std::vector<std::pair<std::string, std::string>>
WorkloadSettings::GetDerived() const
{
    std::vector<std::pair<std::string, std::string>> derived = m_rules.GetDerived();
    const auto add = [&derived](const Flag& flag, const std::string& value) {
        if (flag.GetText().empty())
        {
            derived.emplace_back(flag.GetName(), value);
        }
    };
    add(m_expertTp, std::to_string(GetExpertTp()));
    add(m_groupedMatmulEfficiency, m_computeEfficiency.GetText());
    add(m_attentionEfficiency, m_computeEfficiency.GetText());
    return derived;
}

std::string
WorkloadSettings::Describe() const
{
    std::ostringstream text;
    const ParallelismSpec& parallelism = m_workload.parallelism;
    text << m_workload.model.name << " on " << parallelism.GetWorldSize() << " " << m_gpu.GetText()
         << " GPUs in domains of " << parallelism.gpusPerDomain << " (";
    text << "tp " << parallelism.tp;
    const auto add = [&text](const char* name, uint32_t degree) {
        if (degree > 1)
        {
            text << ", " << name << " " << degree;
        }
    };
    add("cp", parallelism.cp);
    text << ", fsdp " << parallelism.fsdp;
    add("dp", parallelism.replicate);
    text << ", pp " << parallelism.pp;
    add("ep", parallelism.ep);
    text << ")";
    return text.str();
}

} // namespace ns3
