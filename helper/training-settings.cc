// SPDX-License-Identifier: GPL-2.0-only

#include "training-settings.h"

#include "flag-parser.h"

#include "ns3/circuit-planner.h"
#include "ns3/device-mesh.h"
#include "ns3/ocs-technology.h"

#include <cstdio>
#include <fstream>
#include <sstream>

namespace ns3
{

namespace
{

/// @return "--flag: 'value' is not allowed; it must be ..."
std::string
Refuse(const std::string& flag, const std::string& value, const std::string& allowed)
{
    return "--" + flag + "=" + value + " is not allowed: it must be " + allowed;
}

/// @return an error if a file cannot be written; an existing one is left as it is
std::string
CheckWritable(const std::string& flag, const std::string& file)
{
    const bool existed = std::ifstream(file).good();
    const bool writable = std::ofstream(file, std::ios::app).good();
    if (!existed && writable)
    {
        std::remove(file.c_str());
    }
    return writable ? "" : Refuse(flag, file, "a file that can be written");
}

} // namespace

void
TrainingSettings::AddFlags(CommandLine& cmd)
{
    const std::string models = FlagParser::List(TransformerSpec::GetNames());
    const std::string gpus = FlagParser::List(GpuSpec::GetNames());
    cmd.AddValue("model", "model: " + models, m_model);
    cmd.AddValue("tp", "degree of tensor parallelism", m_tp);
    cmd.AddValue("fsdp", "ranks over which FSDP shards parameters", m_fsdp);
    cmd.AddValue("pp", "pipeline stages", m_pp);
    cmd.AddValue("microBatchSize", "sequences in a micro-batch", m_microBatchSize);
    cmd.AddValue("microBatches", "micro-batches of a rank in an iteration", m_microBatches);
    cmd.AddValue("seqLen", "tokens in a sequence", m_seqLen);
    cmd.AddValue("iterations", "training iterations, 1 to 1000", m_iterations);
    cmd.AddValue("gpu", "GPU: " + gpus, m_gpu);
    cmd.AddValue("computeEfficiency",
                 "share of the GPU's peak FLOP/s while it computes",
                 m_computeEfficiency);
    cmd.AddValue("gpusPerDomain", "GPUs of a scale-up domain = rails", m_gpusPerDomain);
    cmd.AddValue("fabric", "photonic or electrical", m_fabric);
    cmd.AddValue("ocs", "OCS technology: " + OcsTechnology::GetNames(), m_ocs);
    cmd.AddValue("reconfigDelay",
                 "reconfiguration delay of the OCS; empty for the technology's own",
                 m_reconfigDelay);
    cmd.AddValue("provisioning",
                 "request circuits ahead of time once an iteration is known",
                 m_provisioning);
    cmd.AddValue("nicPorts", "ports of a GPU's NIC: 1, 2 or 4", m_nicPorts);
    cmd.AddValue("portRate", "line rate of a NIC port", m_portRate);
    cmd.AddValue("controlLatency",
                 "one-way latency between a host or an OCS and the controller",
                 m_controlLatency);
    cmd.AddValue("hostLatency", "one-way latency between a GPU and its host", m_hostLatency);
    cmd.AddValue("hopLatency", "latency of an electrical switch", m_hopLatency);
    cmd.AddValue("fibreDelay", "propagation delay between a GPU and its rail", m_fibreDelay);
    cmd.AddValue("json", "write a summary of the run to this file", m_json);
    cmd.AddValue("pcap", "prefix of packet captures, one per NIC port", m_pcap);
    cmd.AddValue("quiet", "print nothing", m_quiet);
}

std::string
TrainingSettings::CheckFabric()
{
    if (m_fabric != "photonic" && m_fabric != "electrical")
    {
        return Refuse("fabric", m_fabric, "photonic or electrical");
    }
    if (!OcsTechnology::Find(m_ocs))
    {
        return Refuse("ocs", m_ocs, "one of " + OcsTechnology::GetNames());
    }
    if (m_nicPorts != 1 && m_nicPorts != 2 && m_nicPorts != 4)
    {
        return Refuse("nicPorts", std::to_string(m_nicPorts), "1, 2 or 4");
    }
    const auto rate = FlagParser::ParseRate(m_portRate);
    if (!rate)
    {
        return Refuse("portRate", m_portRate, FlagParser::RATE_FORM);
    }
    m_portDataRate = *rate;
    if (!m_reconfigDelay.empty())
    {
        m_reconfigurationDelay = FlagParser::ParseTime(m_reconfigDelay);
        if (!m_reconfigurationDelay)
        {
            return Refuse("reconfigDelay", m_reconfigDelay, FlagParser::TIME_FORM);
        }
    }
    struct TimeFlag
    {
        const char* flag;
        const std::string& text;
        Time& time;
    };

    for (const auto& [flag, text, time] :
         {TimeFlag{"controlLatency", m_controlLatency, m_controlLatencyTime},
          TimeFlag{"hostLatency", m_hostLatency, m_hostLatencyTime},
          TimeFlag{"hopLatency", m_hopLatency, m_hopLatencyTime},
          TimeFlag{"fibreDelay", m_fibreDelay, m_fibreDelayTime}})
    {
        const auto parsed = FlagParser::ParseTime(text);
        if (!parsed)
        {
            return Refuse(flag, text, FlagParser::TIME_FORM);
        }
        time = *parsed;
    }
    return "";
}

std::string
TrainingSettings::CheckWorkload()
{
    const auto model = TransformerSpec::Find(m_model);
    if (!model)
    {
        return Refuse("model", m_model, "one of " + FlagParser::List(TransformerSpec::GetNames()));
    }
    const auto gpu = GpuSpec::Find(m_gpu);
    if (!gpu)
    {
        return Refuse("gpu", m_gpu, "one of " + FlagParser::List(GpuSpec::GetNames()));
    }
    if (!(m_computeEfficiency > 0 && m_computeEfficiency <= 1))
    {
        return Refuse("computeEfficiency",
                      std::to_string(m_computeEfficiency),
                      "above 0 and at most 1");
    }
    if (m_iterations < 1 || m_iterations > 1000)
    {
        return Refuse("iterations", std::to_string(m_iterations), "from 1 to 1000");
    }
    ParallelismSpec parallelism;
    parallelism.tp = m_tp;
    parallelism.fsdp = m_fsdp;
    parallelism.pp = m_pp;
    parallelism.microBatchSize = m_microBatchSize;
    parallelism.microBatches = m_microBatches;
    parallelism.seqLen = m_seqLen;
    parallelism.gpusPerDomain = m_gpusPerDomain;
    if (auto error = parallelism.Validate(*model); !error.empty())
    {
        return "--" + error; // it begins with the name of the setting
    }
    m_workload = WorkloadSpec{*model, parallelism, *gpu, m_computeEfficiency};
    return "";
}

std::string
TrainingSettings::CheckFiles() const
{
    if (!m_json.empty())
    {
        if (auto error = CheckWritable("json", m_json); !error.empty())
        {
            return error;
        }
    }
    return m_pcap.empty() ? "" : CheckWritable("pcap", m_pcap + "-0-0.pcap");
}

std::string
TrainingSettings::Check()
{
    if (auto error = CheckFabric(); !error.empty())
    {
        return error;
    }
    if (auto error = CheckWorkload(); !error.empty())
    {
        return error;
    }
    if (auto error = MakeClusterHelper().Check(IsPhotonic()); !error.empty())
    {
        return error;
    }
    if (auto error = CheckCircuits(); !error.empty())
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
        if (!IsPhotonic() || mesh.GetReach(group) != DeviceMesh::SCALE_OUT)
        {
            continue;
        }
        // Any cabling will do to see whether there are enough ports.
        std::vector<CircuitPlanner::Member> members;
        uint32_t port = 0;
        for (uint32_t rank : group.ranks)
        {
            members.push_back({rank, {}});
            while (members.back().ports.size() < m_nicPorts)
            {
                members.back().ports.push_back(OcsPortId{0, port++});
            }
        }
        if (auto error = CircuitPlanner::PlanRing(members).error; !error.empty())
        {
            return "--nicPorts=" + std::to_string(m_nicPorts) + " is not enough: " + error;
        }
    }
    return "";
}

RailClusterHelper
TrainingSettings::MakeClusterHelper() const
{
    RailClusterHelper helper;
    const auto world = static_cast<uint32_t>(m_workload.parallelism.GetWorldSize());
    helper.SetDomains(world / m_gpusPerDomain, m_gpusPerDomain);
    helper.SetNic(m_nicPorts, m_portDataRate);
    helper.SetOcs(m_ocs);
    if (m_reconfigurationDelay)
    {
        helper.SetOcsAttribute("ReconfigurationDelay", TimeValue(*m_reconfigurationDelay));
    }
    helper.SetSwitchAttribute("HopLatency", TimeValue(m_hopLatencyTime));
    helper.SetFibreAttribute("Delay", TimeValue(m_fibreDelayTime));
    return helper;
}

std::string
TrainingSettings::Describe() const
{
    std::ostringstream text;
    text << m_model << " on " << m_workload.parallelism.GetWorldSize() << " " << m_gpu
         << " GPUs in domains of " << m_gpusPerDomain << " (tp " << m_tp << ", fsdp " << m_fsdp
         << ", pp " << m_pp << "), " << m_nicPorts << " x " << m_portRate << " a GPU, " << m_fabric
         << " rails";
    if (IsPhotonic())
    {
        text << " (" << m_ocs << ", " << (m_provisioning ? "provisioned" : "on demand") << ")";
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
    std::ostringstream efficiency;
    efficiency << m_computeEfficiency;
    return {{"model", m_model},
            {"tp", std::to_string(m_tp)},
            {"fsdp", std::to_string(m_fsdp)},
            {"pp", std::to_string(m_pp)},
            {"microBatchSize", std::to_string(m_microBatchSize)},
            {"microBatches", std::to_string(m_microBatches)},
            {"seqLen", std::to_string(m_seqLen)},
            {"gpu", m_gpu},
            {"computeEfficiency", efficiency.str()},
            {"gpusPerDomain", std::to_string(m_gpusPerDomain)},
            {"ocs", m_ocs},
            {"reconfigDelay", m_reconfigDelay},
            {"provisioning", m_provisioning ? "true" : "false"},
            {"nicPorts", std::to_string(m_nicPorts)},
            {"portRate", m_portRate},
            {"controlLatency", m_controlLatency},
            {"hostLatency", m_hostLatency},
            {"hopLatency", m_hopLatency},
            {"fibreDelay", m_fibreDelay}};
}

const WorkloadSpec&
TrainingSettings::GetWorkload() const
{
    return m_workload;
}

const std::string&
TrainingSettings::GetFabric() const
{
    return m_fabric;
}

bool
TrainingSettings::IsPhotonic() const
{
    return m_fabric == "photonic";
}

bool
TrainingSettings::IsProvisioning() const
{
    return m_provisioning;
}

Time
TrainingSettings::GetControlLatency() const
{
    return m_controlLatencyTime;
}

Time
TrainingSettings::GetHostLatency() const
{
    return m_hostLatencyTime;
}

uint32_t
TrainingSettings::GetIterations() const
{
    return m_iterations;
}

const std::string&
TrainingSettings::GetPcapPrefix() const
{
    return m_pcap;
}

} // namespace ns3
