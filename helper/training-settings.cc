// SPDX-License-Identifier: GPL-2.0-only

#include "training-settings.h"

#include "distributed-run.h"
#include "flag-parser.h"
#include "job-file.h"
#include "job-groups.h"
#include "rail-symmetry.h"
#include "rotor-helper.h"

#include "ns3/rank-program-builder.h"
#include "ns3/rank-program-csv.h"
#include "ns3/scale-up-generation.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace ns3
{

TrainingSettings::TrainingSettings()
    : m_slotTime("slotTime", "", 100, "a time from 0s to 100s such as 1ms")
{
}

void
TrainingSettings::AddFlags(CommandLine& cmd)
{
    AddJobFlags(cmd);
    m_job.AddTo(cmd, "a JSON file whose keys are flags; flags on the command line win over it");
    m_fabric.AddFabricFlag(cmd);
    m_symmetry.AddTo(cmd,
                     "simulate one rail and report all: rails, if they are proved to do the same; "
                     "none");
    cmd.AddValue("describe", "describe the job and run nothing", m_describe);
    m_json.AddTo(cmd, "write a summary of the run, or the description, to this file");
    m_operations.AddTo(cmd,
                       "write the operations of a rank to this file, as comma-separated values");
    m_operationsRank.AddTo(cmd, "whose");
    m_profile.AddTo(cmd,
                    "write what the Opus shim of a rank has learned of its traffic to this file, "
                    "as JSON");
    m_profileRank.AddTo(cmd, "whose");
    m_timeline.AddFlags(cmd);
    m_report.AddFlags(cmd);
    m_pcap.AddTo(cmd,
                 "prefix of packet captures, one per NIC port (whole packets: as large as the "
                 "traffic)");
    m_pcapSnapLength.AddTo(cmd, "bytes kept of each packet, 96 to 65535");
    m_ascii.AddTo(cmd,
                  "prefix of ascii traces, one per NIC port (a line for each event of a packet)");
    m_qpStats.AddTo(cmd, "write what each queue pair has counted to this file, as XML");
    cmd.AddValue("quiet", "print nothing", m_quiet);
}

void
TrainingSettings::AddJobFlags(CommandLine& cmd)
{
    m_workload.AddFlags(cmd);
    m_variation.AddFlags(cmd);
    m_iterations.AddTo(cmd, "training iterations, 1 to 1000");
    m_fabric.AddFlags(cmd);
    m_fabric.AddHostNetworkFlags(cmd);
    m_scaleUp.AddTo(cmd, FabricSettings::GetScaleUpHelp());
    m_policy.AddTo(cmd, "when and for whom photonic rails make circuits");
    m_slotTime.AddTo(
        cmd,
        "with --policy=rotor, for how long circuits carry light; if not given, nine times what "
        "it takes to switch");
    m_controlPlane.AddFlags(cmd);
    m_faults.AddFlags(cmd);
    m_spares.AddFlags(cmd);
}

std::string
TrainingSettings::InsertJob(std::vector<std::string>& arguments, bool hasFabric) const
{
    JobFile::Settings known = GetList();
    known.emplace_back(m_iterations.GetName(), m_iterations.GetText());
    if (hasFabric)
    {
        known.emplace_back("fabric", m_fabric.GetName());
        known.emplace_back(m_symmetry.GetName(), m_symmetry.GetText());
    }
    return JobFile::Insert(arguments, known);
}

std::string
TrainingSettings::CheckScaleUp()
{
    const std::string& text = m_scaleUp.GetText();
    const std::string network = text == "network" ? m_workload.GetGpu() : text;
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
TrainingSettings::CheckFiles()
{
    for (const auto* file : {&m_json, &m_operations, &m_profile, &m_qpStats})
    {
        if (auto error = CheckWritable(*file); !error.empty())
        {
            return error;
        }
    }
    if (!m_ascii.GetText().empty())
    {
        if (auto error = CheckWritable("ascii", m_ascii.GetText() + "-0-0.tr"); !error.empty())
        {
            return error;
        }
    }
    if (auto error = m_report.Check(); !error.empty())
    {
        return error;
    }
    const std::string& prefix = m_pcap.GetText();
    return prefix.empty() ? "" : CheckWritable("pcap", prefix + "-0-0.pcap");
}

std::string
TrainingSettings::CheckRecords()
{
    if (!m_profile.GetText().empty() && !(m_fabric.IsPhotonic() && IsLending(GetPolicy())))
    {
        return RefuseFlag(m_profile.GetName(),
                          m_profile.GetText(),
                          "empty, as without circuits that are lent nobody learns anything");
    }
    const auto& parallelism = GetWorkload().parallelism;
    const uint64_t ranks =
        parallelism.GetWorldSize() / (IsOneRail() ? parallelism.gpusPerDomain : 1);
    if (m_profileRank.Get() >= ranks)
    {
        return RefuseFlag(m_profileRank.GetName(),
                          m_profileRank.GetText(),
                          "a rank below " + std::to_string(ranks));
    }
    if (!m_qpStats.GetText().empty() && DistributedRun::GetLaunched() > 1)
    {
        return RefuseFlag(m_qpStats.GetName(),
                          m_qpStats.GetText(),
                          "empty, as several processes have a part of the queue pairs each");
    }
    return m_timeline.Check(ranks);
}

std::string
TrainingSettings::CheckCounts()
{
    for (auto* count : {&m_iterations, &m_pcapSnapLength, &m_operationsRank, &m_profileRank})
    {
        if (auto error = count->Check(); !error.empty())
        {
            return error;
        }
    }
    for (const auto* choice : {&m_policy, &m_symmetry})
    {
        if (auto error = choice->Check(); !error.empty())
        {
            return error;
        }
    }
    if (auto error = m_slotTime.Check(); !error.empty())
    {
        return error;
    }
    return m_controlPlane.Check();
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
    const Time leastSlot = RotorHelper::GetLeastSlotTime(m_fabric.GetPortRate());
    if (m_slotTime.IsGiven() && m_slotTime.Get() < leastSlot)
    {
        return RefuseFlag(m_slotTime.GetName(),
                          m_slotTime.GetText(),
                          "at least " + std::to_string(leastSlot.GetNanoSeconds() + 1) +
                              "ns, in which packets can be sent and acknowledged");
    }
    m_fabric.SetHostLatency(m_controlPlane.GetHostLatency());
    if (auto error = m_workload.Check(m_fabric.GetGpusPerDomain()); !error.empty())
    {
        return error;
    }
    if (auto error = m_variation.Check(GetWorkload().parallelism.GetWorldSize()); !error.empty())
    {
        return error;
    }
    if (m_operationsRank.Get() >= GetWorkload().parallelism.GetWorldSize())
    {
        return RefuseFlag(m_operationsRank.GetName(),
                          m_operationsRank.GetText(),
                          "a rank below " +
                              std::to_string(GetWorkload().parallelism.GetWorldSize()));
    }
    if (auto error = CheckRecords(); !error.empty())
    {
        return error;
    }
    if (auto error = CheckScaleUp(); !error.empty())
    {
        return error;
    }
    if (auto error = m_describe ? "" : GetFit().Check(); !error.empty())
    {
        return error;
    }
    if (auto error = CheckSymmetry(); !error.empty())
    {
        return "--symmetry=rails: " + error;
    }
    if (auto error = CheckFaults(); !error.empty())
    {
        return error;
    }
    return CheckFiles();
}

std::string
TrainingSettings::CheckFaults()
{
    if (auto error = m_spares.Check(); !error.empty())
    {
        return error;
    }
    const bool isLent = m_fabric.GetFabric() == RailCluster::PHOTONIC && IsLending(GetPolicy());
    const auto ranks = static_cast<uint32_t>(GetWorkload().parallelism.GetWorldSize());
    const uint32_t domains = ranks / std::max(1U, m_fabric.GetGpusPerDomain());
    FaultScope scope;
    scope.gpus = ranks + m_spares.Count(domains, m_fabric.GetGpusPerDomain());
    if (isLent || !m_spares.IsGiven())
    {
        scope.switches = m_fabric.GetGpusPerDomain();
        scope.nicPorts = m_fabric.GetNicPorts();
        scope.switchPorts = domains * scope.nicPorts;
    }
    if (auto error = m_faults.Check(scope); !error.empty())
    {
        return error;
    }
    if (m_spares.IsGiven())
    {
        return CheckSpares();
    }
    if (!m_faults.IsUsed())
    {
        return "";
    }
    const std::string flag = m_faults.HasSpares() ? "--spareRails: " : "--fault: ";
    if (!isLent)
    {
        return flag + "nobody would notice it; allowed with --fabric=photonic and a --policy that "
                      "lends circuits";
    }
    if (m_faults.HasSpares() && m_controlPlane.HasControllerPerRail())
    {
        return flag + "a spare may take over any rail; allowed with --controllers=one";
    }
    if (IsOneRail())
    {
        return flag + "what breaks tells rails apart; allowed with --symmetry=none";
    }
    if (DistributedRun::GetLaunched() > 1)
    {
        return flag + "allowed in a single process";
    }
    return "";
}

std::string
TrainingSettings::CheckSpares() const
{
    const std::string flag = "--spareGpus, --spareDomains: ";
    if (m_fabric.GetFabric() == RailCluster::PHOTONIC && !IsLending(GetPolicy()))
    {
        return flag + "circuits that stay do not follow a rank; allowed with a --policy that lends "
                      "circuits, or with electrical fabrics";
    }
    if (m_controlPlane.HasControllerPerRail())
    {
        return flag + "a spare may be led to any rail; allowed with --controllers=one";
    }
    if (IsOneRail())
    {
        return flag + "a spare tells rails apart; allowed with --symmetry=none";
    }
    if (DistributedRun::GetLaunched() > 1)
    {
        return flag + "allowed in a single process";
    }
    if (m_describe)
    {
        return "";
    }
    if (m_fabric.GetHostNetwork().IsGiven())
    {
        return flag + "spares have no ports on a host network; allowed with --hostNetwork=none";
    }
    const std::string error = MakeClusterHelper().Check(m_fabric.GetFabric());
    return error.empty() ? "" : flag + error;
}

std::string
TrainingSettings::CheckSymmetry() const
{
    if (!IsOneRail() || m_describe)
    {
        return "";
    }
    const RailCluster::Fabric fabric = m_fabric.GetFabric();
    if (fabric != RailCluster::PHOTONIC && fabric != RailCluster::ELECTRICAL_RAIL)
    {
        return "--fabric=" + m_fabric.GetName() + " joins rails; allowed: photonic, electrical";
    }
    if (fabric == RailCluster::PHOTONIC && !IsLending(GetPolicy()))
    {
        return "--policy=" + m_policy.GetText() + " plans all rails; allowed with those that lend";
    }
    if (fabric == RailCluster::PHOTONIC && !m_controlPlane.HasControllerPerRail())
    {
        return "one controller serves rails one after the other, so that they differ by some "
               "100 ns; allowed with --controllers=rails";
    }
    if (fabric == RailCluster::ELECTRICAL_RAIL && !m_fabric.GetCongestionControl().empty())
    {
        return "switches mark packets at random, on each rail others; allowed with --cc=none";
    }
    if (m_controlPlane.HasLoss())
    {
        return "frames are lost at random, on each rail others; allowed with --controlLoss=0";
    }
    if (m_fabric.HasScaleUpNetwork())
    {
        return "the network of a domain joins rails; allowed with --scaleUp=closed-form";
    }
    if (m_fabric.GetHostNetwork().IsGiven())
    {
        return "the GPUs of a domain share the NIC of their host; allowed with --hostNetwork=none";
    }
    if (!m_variation.IsEven())
    {
        return "--slowdown and --jitter tell rails apart; allowed without them";
    }
    if (!m_pcap.GetText().empty())
    {
        return "--pcap captures all rails; allowed without it";
    }
    if (!m_ascii.GetText().empty())
    {
        return "--ascii traces all rails; allowed without it";
    }
    if (!m_qpStats.GetText().empty())
    {
        return "--qpStats lists all rails; allowed without it";
    }
    return RailSymmetry(GetWorkload()).Check();
}

bool
TrainingSettings::WriteOperations() const
{
    if (m_operations.GetText().empty())
    {
        return true;
    }
    const DeviceMesh mesh(GetWorkload().parallelism);
    const uint32_t rank = m_operationsRank.Get();
    std::ofstream file(m_operations.GetText());
    RankProgramCsv::Write(*RankProgramBuilder::Build(GetWorkload(), mesh, rank), mesh, rank, file);
    return file.flush().good();
}

const std::string&
TrainingSettings::GetProfileFile() const
{
    return m_profile.GetText();
}

uint32_t
TrainingSettings::GetProfileRank() const
{
    return static_cast<uint32_t>(m_profileRank.Get());
}

bool
TrainingSettings::IsDescribing() const
{
    return m_describe;
}

JobDescription
TrainingSettings::MakeDescription() const
{
    JobNetwork network;
    network.nicRate =
        static_cast<double>(m_fabric.GetPortRate().GetBitRate()) * m_fabric.GetNicPorts();
    network.hasScaleUpNetwork = m_fabric.HasScaleUpNetwork();
    network.isRingOnly = m_fabric.IsPhotonic();
    network.hasHostNetwork = m_fabric.GetHostNetwork().IsGiven();
    network.hostThreshold = m_fabric.GetHostNetwork().GetThreshold();
    network.joinsAcross =
        JobGroups::CheckAcross(m_fabric.GetFabric(), network.hasScaleUpNetwork, false).empty();
    JobDescription description = JobDescription::Make(GetWorkload(), network);
    description.fabric = m_fabric.GetName();
    description.settings = GetList();
    description.derived = GetDerived();
    description.remarks = GetFit().MakeRemarks(description);
    return description;
}

RailClusterHelper
TrainingSettings::MakeClusterHelper() const
{
    RailClusterHelper helper = m_fabric.MakeClusterHelper(GetFit().GetDomains());
    if (IsOneRail())
    {
        helper.SetDomains(GetFit().GetDomains(), 1);
    }
    if (GetPolicy() == CircuitPolicy::ORACLE)
    {
        helper.SetOcsAttribute("ReconfigurationDelay", TimeValue(Time()));
        helper.SetOcsAttribute("TransceiverLockTime", TimeValue(Time()));
    }
    m_faults.Apply(helper);
    m_spares.Apply(helper);
    helper.SetPcapSnapLength(m_pcapSnapLength.Get());
    return helper;
}

std::string
TrainingSettings::DescribeJob() const
{
    std::ostringstream text;
    text << m_workload.Describe() << ", " << m_fabric.GetNicPorts() << " x "
         << m_fabric.GetPortRateText() << " a GPU";
    return text.str();
}

std::string
TrainingSettings::Describe() const
{
    std::ostringstream text;
    text << DescribeJob() << ", " << m_fabric.Describe();
    if (m_fabric.IsPhotonic())
    {
        text << " (" << m_fabric.GetOcs() << ", " << ns3::Describe(GetPolicy()) << ")";
    }
    if (m_fabric.GetHostNetwork().IsGiven())
    {
        text << ", hosts at " << m_fabric.GetHostNetwork().GetRateText();
    }
    return text.str();
}

const TimelineSettings&
TrainingSettings::GetTimeline() const
{
    return m_timeline;
}

const ReportSettings&
TrainingSettings::GetReport() const
{
    return m_report;
}

const std::string&
TrainingSettings::GetJsonFile() const
{
    return m_json.GetText();
}

bool
TrainingSettings::IsQuiet() const
{
    return m_quiet;
}

std::vector<std::pair<std::string, std::string>>
TrainingSettings::GetList() const
{
    std::vector<std::pair<std::string, std::string>> list = m_workload.GetList();
    for (auto& setting : m_variation.GetList())
    {
        list.push_back(std::move(setting));
    }
    for (auto& setting : m_fabric.GetList())
    {
        if (setting.first == m_scaleUp.GetName())
        {
            setting.second = m_scaleUp.GetText();
        }
        list.push_back(std::move(setting));
    }
    for (auto& setting : m_fabric.GetHostNetwork().GetList())
    {
        list.push_back(std::move(setting));
    }
    list.emplace_back(m_policy.GetName(), m_policy.GetText());
    list.emplace_back(m_slotTime.GetName(), m_slotTime.GetText());
    for (auto& setting : m_controlPlane.GetList())
    {
        list.push_back(std::move(setting));
    }
    for (auto& setting : m_faults.GetList())
    {
        list.push_back(std::move(setting));
    }
    for (auto& setting : m_spares.GetList())
    {
        list.push_back(std::move(setting));
    }
    return list;
}

std::vector<std::pair<std::string, std::string>>
TrainingSettings::GetDerived() const
{
    std::vector<std::pair<std::string, std::string>> derived = m_workload.GetDerived();
    for (auto& setting : m_fabric.GetDerived())
    {
        derived.push_back(std::move(setting));
    }
    return derived;
}

const WorkloadSpec&
TrainingSettings::GetWorkload() const
{
    return m_workload.Get();
}

void
TrainingSettings::SetFabric(const std::string& fabric)
{
    m_fabric.SetName(fabric);
}

const VariationSettings&
TrainingSettings::GetVariation() const
{
    return m_variation;
}

const SpareSettings&
TrainingSettings::GetSpares() const
{
    return m_spares;
}

const FaultSettings&
TrainingSettings::GetFaults() const
{
    return m_faults;
}

const FabricSettings&
TrainingSettings::GetFabric() const
{
    return m_fabric;
}

Time
TrainingSettings::GetSlotTime() const
{
    return m_slotTime.IsGiven() ? m_slotTime.Get() : Time();
}

CircuitPolicy
TrainingSettings::GetPolicy() const
{
    return FindCircuitPolicy(m_policy.GetText());
}

const ControlPlaneSettings&
TrainingSettings::GetControlPlane() const
{
    return m_controlPlane;
}

JobFit
TrainingSettings::GetFit() const
{
    return JobFit(GetWorkload(), m_fabric, GetPolicy());
}

bool
TrainingSettings::IsOneRail() const
{
    return m_symmetry.GetText() == "rails";
}

uint32_t
TrainingSettings::GetIterations() const
{
    return m_iterations.Get();
}

const std::string&
TrainingSettings::GetPcapPrefix() const
{
    return m_pcap.GetText();
}

const std::string&
TrainingSettings::GetQueuePairFile() const
{
    return m_qpStats.GetText();
}

const std::string&
TrainingSettings::GetAsciiPrefix() const
{
    return m_ascii.GetText();
}

} // namespace ns3
