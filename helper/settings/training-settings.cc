// SPDX-License-Identifier: GPL-2.0-only

#include "training-settings.h"

#include "job-file.h"

#include "ns3/job-groups.h"
#include "ns3/rotor-helper.h"

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
    m_output.AddFlags(cmd);
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
    m_policy.AddTo(cmd, "when and for whom photonic rails make circuits: " + m_policy.GetChoices());
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
TrainingSettings::CheckCounts()
{
    if (auto error = m_iterations.Check(); !error.empty())
    {
        return error;
    }
    if (auto error = m_output.CheckNumbers(); !error.empty())
    {
        return error;
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
    const auto& parallelism = GetWorkload().parallelism;
    const uint64_t perRun = IsOneRail() ? parallelism.gpusPerDomain : 1;
    if (auto error = m_output.CheckRanks(parallelism.GetWorldSize(),
                                         parallelism.GetWorldSize() / perRun,
                                         m_fabric.IsPhotonic() && GetPolicy()->IsLending());
        !error.empty())
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
    return m_output.CheckFiles();
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
    GetPolicy()->Configure(helper);
    m_faults.Apply(helper);
    m_spares.Apply(helper);
    helper.SetPcapSnapLength(m_output.GetPcapSnapLength());
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
        text << " (" << m_fabric.GetOcs() << ", " << GetPolicy()->Describe() << ")";
    }
    if (m_fabric.GetHostNetwork().IsGiven())
    {
        text << ", hosts at " << m_fabric.GetHostNetwork().GetRateText();
    }
    return text.str();
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

const OutputSettings&
TrainingSettings::GetOutput() const
{
    return m_output;
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

Variant<CircuitPolicy>
TrainingSettings::GetPolicy() const
{
    return m_policy.GetText();
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

} // namespace ns3
