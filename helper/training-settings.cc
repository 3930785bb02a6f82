// SPDX-License-Identifier: GPL-2.0-only

#include "training-settings.h"

#include "flag-parser.h"

#include "ns3/device-mesh.h"
#include "ns3/scale-up-generation.h"

#include <sstream>

namespace ns3
{

namespace
{

constexpr const char* SECOND = "a time from 0s to 1s such as 10us";

} // namespace

TrainingSettings::TrainingSettings()
    : m_controlLatency("controlLatency", "10us", 1, SECOND),
      m_hostLatency("hostLatency", "1us", 1, SECOND)
{
}

void
TrainingSettings::AddFlags(CommandLine& cmd)
{
    AddJobFlags(cmd);
    m_fabric.AddFabricFlag(cmd);
    cmd.AddValue("json", "write a summary of the run to this file", m_json);
    cmd.AddValue("pcap",
                 "prefix of packet captures, one per NIC port (whole packets: as large as the "
                 "traffic)",
                 m_pcap);
    m_pcapSnapLength.AddTo(cmd, "bytes kept of each packet, 96 to 65535");
    cmd.AddValue("quiet", "print nothing", m_quiet);
}

void
TrainingSettings::AddJobFlags(CommandLine& cmd)
{
    const std::string models = FlagParser::List(TransformerSpec::GetNames());
    const std::string gpus = FlagParser::List(GpuSpec::GetNames());
    cmd.AddValue("model", "model: " + models, m_model);
    m_tp.AddTo(cmd, "degree of tensor parallelism");
    m_fsdp.AddTo(cmd, "ranks over which FSDP shards parameters");
    m_pp.AddTo(cmd, "pipeline stages");
    m_microBatchSize.AddTo(cmd, "sequences in a micro-batch");
    m_microBatches.AddTo(cmd, "micro-batches of a rank in an iteration");
    m_seqLen.AddTo(cmd, "tokens in a sequence");
    m_iterations.AddTo(cmd, "training iterations, 1 to 1000");
    cmd.AddValue("gpu", "GPU: " + gpus, m_gpu);
    cmd.AddValue("computeEfficiency",
                 "share of the GPU's peak FLOP/s while it computes",
                 m_computeEfficiency);
    m_fabric.AddFlags(cmd);
    m_scaleUp.AddTo(cmd, FabricSettings::GetScaleUpHelp());
    cmd.AddValue("provisioning",
                 "request circuits ahead of time once an iteration is known",
                 m_provisioning);
    m_controlLatency.AddTo(cmd, "one-way latency between a host or an OCS and the controller");
    m_hostLatency.AddTo(cmd, "one-way latency between a GPU and its host");
}

std::string
TrainingSettings::CheckWorkload()
{
    const auto model = TransformerSpec::Find(m_model);
    if (!model)
    {
        return RefuseFlag("model",
                          m_model,
                          "one of " + FlagParser::List(TransformerSpec::GetNames()));
    }
    const auto gpu = GpuSpec::Find(m_gpu);
    if (!gpu)
    {
        return RefuseFlag("gpu", m_gpu, "one of " + FlagParser::List(GpuSpec::GetNames()));
    }
    const auto efficiency = FlagParser::ParseFraction(m_computeEfficiency);
    if (!efficiency || *efficiency < 0.001 || *efficiency > 1)
    {
        return RefuseFlag("computeEfficiency", m_computeEfficiency, "a number from 0.001 to 1");
    }
    ParallelismSpec parallelism;
    parallelism.tp = m_tp.Get();
    parallelism.fsdp = m_fsdp.Get();
    parallelism.pp = m_pp.Get();
    parallelism.microBatchSize = m_microBatchSize.Get();
    parallelism.microBatches = m_microBatches.Get();
    parallelism.seqLen = m_seqLen.Get();
    parallelism.gpusPerDomain = m_fabric.GetGpusPerDomain();
    m_workload.model = *model;
    m_workload.parallelism = parallelism;
    m_workload.rules = *FrameworkRules::Find("torchtitan-0.1.0");
    m_workload.rules.reshard = ReshardPolicy::ALWAYS;
    m_workload.rules.recomputation = Recomputation::FULL;
    m_workload.gpu = *gpu;
    m_workload.efficiency = {*efficiency, *efficiency, *efficiency, 1.0};
    if (auto error = m_workload.Validate(); !error.empty())
    {
        return "--" + error; // it begins with the name of the setting
    }
    if (parallelism.GetWorldSize() % parallelism.gpusPerDomain != 0)
    {
        return "the job has " + std::to_string(parallelism.GetWorldSize()) +
               " ranks, which must fill whole scale-up domains of --gpusPerDomain=" +
               std::to_string(parallelism.gpusPerDomain);
    }
    return "";
}

std::string
TrainingSettings::CheckScaleUp()
{
    const std::string& text = m_scaleUp.GetText();
    const std::string network = text == "network" ? m_gpu : text;
    if (text == "closed-form" || text == "none")
    {
        m_fabric.SetScaleUp("none");
        return "";
    }
    if (!ScaleUpGeneration::Find(network))
    {
        return RefuseFlag("scaleUp",
                          text,
                          "closed-form, network, " + FabricSettings::GetScaleUpChoices());
    }
    m_fabric.SetScaleUp(network);
    return "";
}

std::string
TrainingSettings::CheckFiles() const
{
    if (auto error = m_json.empty() ? "" : CheckWritable("json", m_json); !error.empty())
    {
        return error;
    }
    return m_pcap.empty() ? "" : CheckWritable("pcap", m_pcap + "-0-0.pcap");
}

std::string
TrainingSettings::CheckCounts()
{
    for (auto* count : {&m_tp,
                        &m_fsdp,
                        &m_pp,
                        &m_microBatchSize,
                        &m_microBatches,
                        &m_seqLen,
                        &m_iterations,
                        &m_pcapSnapLength})
    {
        if (auto error = count->Check(); !error.empty())
        {
            return error;
        }
    }
    for (auto* time : {&m_controlLatency, &m_hostLatency})
    {
        if (auto error = time->Check(); !error.empty())
        {
            return error;
        }
    }
    return "";
}

std::string
TrainingSettings::Check()
{
    if (auto error = CheckCounts(); !error.empty())
    {
        return error;
    }
    if (auto error = m_fabric.Check(); !error.empty())
    {
        return error;
    }
    for (auto check : {&TrainingSettings::CheckWorkload, &TrainingSettings::CheckScaleUp})
    {
        if (auto error = (this->*check)(); !error.empty())
        {
            return error;
        }
    }
    if (auto error = MakeClusterHelper().Check(m_fabric.GetFabric()); !error.empty())
    {
        return error;
    }
    if (auto error = CheckCircuits(); !error.empty())
    {
        return error;
    }
    if (auto error = m_fabric.CheckSwitches(GetDomains()); !error.empty())
    {
        return error;
    }
    return CheckFiles();
}

std::string
TrainingSettings::CheckCircuits() const
{
    const DeviceMesh mesh(m_workload.parallelism);
    for (const auto& group : mesh.GetGroups())
    {
        if (mesh.GetReach(group) == DeviceMesh::SCALE_OUT)
        {
            if (auto error = m_fabric.CheckRing(group.ranks); !error.empty())
            {
                return error;
            }
        }
    }
    return "";
}

uint32_t
TrainingSettings::GetDomains() const
{
    const auto world = static_cast<uint32_t>(m_workload.parallelism.GetWorldSize());
    return world / m_fabric.GetGpusPerDomain();
}

RailClusterHelper
TrainingSettings::MakeClusterHelper() const
{
    RailClusterHelper helper = m_fabric.MakeClusterHelper(GetDomains());
    helper.SetPcapSnapLength(m_pcapSnapLength.Get());
    return helper;
}

std::string
TrainingSettings::DescribeJob() const
{
    std::ostringstream text;
    text << m_model << " on " << m_workload.parallelism.GetWorldSize() << " " << m_gpu
         << " GPUs in domains of " << m_fabric.GetGpusPerDomain() << " (tp " << m_tp.Get()
         << ", fsdp " << m_fsdp.Get() << ", pp " << m_pp.Get() << "), " << m_fabric.GetNicPorts()
         << " x " << m_fabric.GetPortRateText() << " a GPU";
    return text.str();
}

std::string
TrainingSettings::Describe() const
{
    std::ostringstream text;
    text << DescribeJob() << ", " << m_fabric.Describe();
    if (m_fabric.IsPhotonic())
    {
        text << " (" << m_fabric.GetOcs() << ", " << (m_provisioning ? "provisioned" : "on demand")
             << ")";
    }
    return text.str();
}

const std::string&
TrainingSettings::GetJsonFile() const
{
    return m_json;
}

bool
TrainingSettings::IsQuiet() const
{
    return m_quiet;
}

std::vector<std::pair<std::string, std::string>>
TrainingSettings::GetList() const
{
    std::vector<std::pair<std::string, std::string>> list = {
        {"model", m_model},
        {"tp", std::to_string(m_tp.Get())},
        {"fsdp", std::to_string(m_fsdp.Get())},
        {"pp", std::to_string(m_pp.Get())},
        {"microBatchSize", std::to_string(m_microBatchSize.Get())},
        {"microBatches", std::to_string(m_microBatches.Get())},
        {"seqLen", std::to_string(m_seqLen.Get())},
        {"gpu", m_gpu},
        {"computeEfficiency", m_computeEfficiency}};
    for (auto& setting : m_fabric.GetList())
    {
        if (setting.first == m_scaleUp.GetName())
        {
            setting.second = m_scaleUp.GetText();
        }
        list.push_back(std::move(setting));
    }
    list.emplace_back("provisioning", m_provisioning ? "true" : "false");
    list.emplace_back("controlLatency", m_controlLatency.GetText());
    list.emplace_back("hostLatency", m_hostLatency.GetText());
    return list;
}

const WorkloadSpec&
TrainingSettings::GetWorkload() const
{
    return m_workload;
}

void
TrainingSettings::SetFabric(const std::string& fabric)
{
    m_fabric.SetName(fabric);
}

const FabricSettings&
TrainingSettings::GetFabric() const
{
    return m_fabric;
}

bool
TrainingSettings::IsProvisioning() const
{
    return m_provisioning;
}

Time
TrainingSettings::GetControlLatency() const
{
    return m_controlLatency.Get();
}

Time
TrainingSettings::GetHostLatency() const
{
    return m_hostLatency.Get();
}

uint32_t
TrainingSettings::GetIterations() const
{
    return m_iterations.Get();
}

const std::string&
TrainingSettings::GetPcapPrefix() const
{
    return m_pcap;
}

} // namespace ns3
