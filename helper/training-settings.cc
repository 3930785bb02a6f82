// SPDX-License-Identifier: GPL-2.0-only

#include "training-settings.h"

#include "flag-parser.h"

#include "ns3/circuit-planner.h"
#include "ns3/device-mesh.h"
#include "ns3/ocs-technology.h"

#include <algorithm>
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
    cmd.AddValue("tp", "degree of tensor parallelism", m_tp.text);
    cmd.AddValue("fsdp", "ranks over which FSDP shards parameters", m_fsdp.text);
    cmd.AddValue("pp", "pipeline stages", m_pp.text);
    cmd.AddValue("microBatchSize", "sequences in a micro-batch", m_microBatchSize.text);
    cmd.AddValue("microBatches", "micro-batches of a rank in an iteration", m_microBatches.text);
    cmd.AddValue("seqLen", "tokens in a sequence", m_seqLen.text);
    cmd.AddValue("iterations", "training iterations, 1 to 1000", m_iterations.text);
    cmd.AddValue("gpu", "GPU: " + gpus, m_gpu);
    cmd.AddValue("computeEfficiency",
                 "share of the GPU's peak FLOP/s while it computes",
                 m_computeEfficiency);
    cmd.AddValue("gpusPerDomain", "GPUs of a scale-up domain = rails", m_gpusPerDomain.text);
    cmd.AddValue("fabric", "photonic or electrical", m_fabric);
    cmd.AddValue("ocs", "OCS technology: " + OcsTechnology::GetNames(), m_ocs);
    cmd.AddValue("reconfigDelay",
                 "reconfiguration delay of the OCS; the technology's own if not given",
                 m_reconfigDelay);
    cmd.AddValue("provisioning",
                 "request circuits ahead of time once an iteration is known",
                 m_provisioning);
    cmd.AddValue("nicPorts", "ports of a GPU's NIC: 1, 2 or 4", m_nicPorts.text);
    cmd.AddValue("portRate", "line rate of a NIC port", m_portRate);
    cmd.AddValue("controlLatency",
                 "one-way latency between a host or an OCS and the controller",
                 m_controlLatency);
    cmd.AddValue("hostLatency", "one-way latency between a GPU and its host", m_hostLatency);
    cmd.AddValue("hopLatency", "latency of an electrical switch", m_hopLatency);
    cmd.AddValue("fibreDelay", "propagation delay between a GPU and its rail", m_fibreDelay);
    cmd.AddValue("json", "write a summary of the run to this file", m_json);
    cmd.AddValue("pcap",
                 "prefix of packet captures, one per NIC port (whole packets: as large as the "
                 "traffic)",
                 m_pcap);
    cmd.AddValue("pcapSnapLength", "bytes kept of each packet, 96 to 65535", m_pcapSnapLength.text);
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
    if (m_nicPorts.value != 1 && m_nicPorts.value != 2 && m_nicPorts.value != 4)
    {
        return Refuse("nicPorts", std::to_string(m_nicPorts.value), "1, 2 or 4");
    }
    const auto rate = FlagParser::ParseRate(m_portRate);
    if (!rate)
    {
        return Refuse("portRate", m_portRate, FlagParser::RATE_FORM);
    }
    m_portDataRate = *rate;
    if (!m_reconfigDelay.empty())
    {
        m_reconfigurationDelay = FlagParser::ParseTime(m_reconfigDelay, Seconds(1000));
        if (!m_reconfigurationDelay)
        {
            return Refuse("reconfigDelay", m_reconfigDelay, "a time from 0s to 1000s such as 25ms");
        }
    }

    struct TimeFlag
    {
        const char* flag;
        const std::string& text;
        Time& time;
        Time most;
        const char* allowed;
    };

    constexpr const char* second = "a time from 0s to 1s such as 10us";
    constexpr const char* millisecond = "a time from 0s to 1ms such as 500ns";
    for (const auto& flag :
         {TimeFlag{"controlLatency", m_controlLatency, m_controlLatencyTime, Seconds(1), second},
          TimeFlag{"hostLatency", m_hostLatency, m_hostLatencyTime, Seconds(1), second},
          TimeFlag{"hopLatency", m_hopLatency, m_hopLatencyTime, MilliSeconds(1), millisecond},
          TimeFlag{"fibreDelay", m_fibreDelay, m_fibreDelayTime, MilliSeconds(1), millisecond}})
    {
        const auto parsed = FlagParser::ParseTime(flag.text, flag.most);
        if (!parsed)
        {
            return Refuse(flag.flag, flag.text, flag.allowed);
        }
        flag.time = *parsed;
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
    const auto efficiency = FlagParser::ParseFraction(m_computeEfficiency);
    if (!efficiency || *efficiency < 0.001 || *efficiency > 1)
    {
        return Refuse("computeEfficiency", m_computeEfficiency, "a number from 0.001 to 1");
    }
    if (m_iterations.value < 1 || m_iterations.value > 1000)
    {
        return Refuse("iterations", std::to_string(m_iterations.value), "from 1 to 1000");
    }
    ParallelismSpec parallelism;
    parallelism.tp = m_tp.value;
    parallelism.fsdp = m_fsdp.value;
    parallelism.pp = m_pp.value;
    parallelism.microBatchSize = m_microBatchSize.value;
    parallelism.microBatches = m_microBatches.value;
    parallelism.seqLen = m_seqLen.value;
    parallelism.gpusPerDomain = m_gpusPerDomain.value;
    if (auto error = parallelism.Validate(*model); !error.empty())
    {
        return "--" + error; // it begins with the name of the setting
    }
    m_workload = WorkloadSpec{*model, parallelism, *gpu, *efficiency};
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
TrainingSettings::CheckCounts()
{
    struct CountFlag
    {
        const char* flag;
        Count& count;
    };

    for (const auto& [flag, count] : {CountFlag{"tp", m_tp},
                                      CountFlag{"fsdp", m_fsdp},
                                      CountFlag{"pp", m_pp},
                                      CountFlag{"microBatchSize", m_microBatchSize},
                                      CountFlag{"microBatches", m_microBatches},
                                      CountFlag{"seqLen", m_seqLen},
                                      CountFlag{"iterations", m_iterations},
                                      CountFlag{"gpusPerDomain", m_gpusPerDomain},
                                      CountFlag{"nicPorts", m_nicPorts},
                                      CountFlag{"pcapSnapLength", m_pcapSnapLength}})
    {
        const auto parsed = FlagParser::ParseCount(count.text);
        if (!parsed)
        {
            return Refuse(flag, count.text, "a whole number");
        }
        count.value = *parsed;
    }
    if (m_pcapSnapLength.value < 96 || m_pcapSnapLength.value > 65535)
    {
        return Refuse("pcapSnapLength", m_pcapSnapLength.text, "from 96 to 65535");
    }
    return "";
}

std::string
TrainingSettings::GetReconfigurationDelay() const
{
    const uint64_t own = OcsTechnology::Find(m_ocs)->reconfigurationPicoseconds;
    return m_reconfigurationDelay ? m_reconfigDelay
                                  : std::to_string(static_cast<double>(own) / 1e9) + "ms";
}

std::string
TrainingSettings::Check()
{
    if (auto error = CheckCounts(); !error.empty())
    {
        return error;
    }
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
            while (members.back().ports.size() < m_nicPorts.value)
            {
                members.back().ports.push_back(OcsPortId{0, port++});
            }
        }
        if (auto error = CircuitPlanner::PlanRing(members).error; !error.empty())
        {
            return "--nicPorts=" + std::to_string(m_nicPorts.value) + " is not enough: " + error;
        }
    }
    return "";
}

RailClusterHelper
TrainingSettings::MakeClusterHelper() const
{
    RailClusterHelper helper;
    const auto world = static_cast<uint32_t>(m_workload.parallelism.GetWorldSize());
    helper.SetDomains(world / m_gpusPerDomain.value, m_gpusPerDomain.value);
    helper.SetNic(m_nicPorts.value, m_portDataRate);
    helper.SetOcs(m_ocs);
    if (m_reconfigurationDelay)
    {
        helper.SetOcsAttribute("ReconfigurationDelay", TimeValue(*m_reconfigurationDelay));
    }
    helper.SetSwitchAttribute("HopLatency", TimeValue(m_hopLatencyTime));
    helper.SetFibreAttribute("Delay", TimeValue(m_fibreDelayTime));
    // The first time-out must outlast a round trip that is still to be measured: the way there and
    // back, and the packets up to the one that asks for an acknowledgement.
    const Time way = 4 * m_fibreDelayTime + 2 * m_hopLatencyTime;
    const Time packets = m_portDataRate.CalculateBytesTxTime(32 * 4200);
    const Time timeout = std::max(MilliSeconds(4), 4 * (way + packets));
    helper.SetQueuePairAttribute("InitialTimeout", TimeValue(timeout));
    helper.SetPcapSnapLength(m_pcapSnapLength.value);
    return helper;
}

std::string
TrainingSettings::Describe() const
{
    std::ostringstream text;
    text << m_model << " on " << m_workload.parallelism.GetWorldSize() << " " << m_gpu
         << " GPUs in domains of " << m_gpusPerDomain.value << " (tp " << m_tp.value << ", fsdp "
         << m_fsdp.value << ", pp " << m_pp.value << "), " << m_nicPorts.value << " x "
         << m_portRate << " a GPU, " << m_fabric << " rails";
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
    return {{"model", m_model},
            {"tp", std::to_string(m_tp.value)},
            {"fsdp", std::to_string(m_fsdp.value)},
            {"pp", std::to_string(m_pp.value)},
            {"microBatchSize", std::to_string(m_microBatchSize.value)},
            {"microBatches", std::to_string(m_microBatches.value)},
            {"seqLen", std::to_string(m_seqLen.value)},
            {"gpu", m_gpu},
            {"computeEfficiency", m_computeEfficiency},
            {"gpusPerDomain", std::to_string(m_gpusPerDomain.value)},
            {"ocs", m_ocs},
            {"reconfigDelay", GetReconfigurationDelay()},
            {"provisioning", m_provisioning ? "true" : "false"},
            {"nicPorts", std::to_string(m_nicPorts.value)},
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
    return m_iterations.value;
}

const std::string&
TrainingSettings::GetPcapPrefix() const
{
    return m_pcap;
}

} // namespace ns3
