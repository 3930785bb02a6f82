// SPDX-License-Identifier: GPL-2.0-only

#include "training-timeline.h"

#include "ns3/collective-engine.h"
#include "ns3/option-group.h"
#include "ns3/opus-controller.h"
#include "ns3/opus-manager.h"
#include "ns3/program.h"
#include "ns3/rdma-nic.h"
#include "ns3/training-application.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

TrainingTimeline::TrainingTimeline(const TimelineSettings& settings,
                                   const RailCluster& cluster,
                                   const RankLayout& layout)
    : m_cluster(cluster)
{
    if (!settings.GetFile().empty())
    {
        m_file = std::make_unique<OutputFile>(settings.GetFile());
        m_recorder = std::make_unique<TimelineRecorder>(m_file->GetStream(),
                                                        settings.GetScope(layout),
                                                        layout);
    }
}

TimelineSwitches::Ports
TrainingTimeline::GetPorts(uint32_t rail) const
{
    const auto& ranks = m_recorder->sheet.GetScope().ranks;
    TimelineSwitches::Ports ports;
    for (uint32_t gpu = rail; gpu < m_cluster.GetNGpus(); gpu += m_cluster.GetGpusPerDomain())
    {
        const auto& cabled = m_cluster.GetOcsPorts(gpu);
        for (uint32_t nicPort = 0; nicPort < cabled.size(); ++nicPort)
        {
            ports.cables[cabled[nicPort]] = {gpu, nicPort, false};
            if (ranks.count(gpu) > 0)
            {
                ports.written.push_back(cabled[nicPort]);
            }
        }
    }
    if (!ports.written.empty())
    {
        AddSparePorts(rail, ports);
    }
    return ports;
}

void
TrainingTimeline::AddSparePorts(uint32_t rail, TimelineSwitches::Ports& ports) const
{
    for (uint32_t gpu = m_cluster.GetNGpus(); gpu < m_cluster.GetNAllGpus(); ++gpu)
    {
        const auto byRail = m_cluster.GetSparePorts(gpu);
        const auto cabled = byRail.find(rail);
        for (uint32_t nicPort = 0; cabled != byRail.end() && nicPort < cabled->second.size();
             ++nicPort)
        {
            const uint32_t port = cabled->second[nicPort].port;
            ports.cables[port] = {gpu, nicPort, true};
            ports.written.push_back(port);
        }
    }
}

void
TrainingTimeline::ObserveSwitches()
{
    if (!m_recorder || !m_cluster.IsPhotonic())
    {
        return;
    }
    std::set<uint32_t> written; // on any rail
    for (uint32_t rail = 0; rail < m_cluster.GetGpusPerDomain(); ++rail)
    {
        if (const auto ports = GetPorts(rail); !ports.written.empty())
        {
            m_recorder->switches.Observe(m_cluster.GetOcs(rail),
                                         "OCS of rail " + std::to_string(rail),
                                         ports);
            std::copy_if(ports.written.begin(),
                         ports.written.end(),
                         std::inserter(written, written.end()),
                         [&ports](uint32_t port) { return !ports.cables.at(port).isSpare; });
        }
    }
    for (uint32_t spare = 0; spare < m_cluster.GetNSpares(); ++spare)
    {
        // Fibres of any rail may be led to it, each to the port of the same number.
        m_recorder->switches.Observe(m_cluster.GetSpare(spare)->GetObject<OpticalCircuitSwitch>(),
                                     "spare OCS " + std::to_string(spare),
                                     {{}, {written.begin(), written.end()}});
    }
}

void
TrainingTimeline::ObserveNic(uint32_t rank, const std::string& name, Ptr<RdmaNic> nic)
{
    for (uint32_t port = 0; nic && port < nic->GetNPorts(); ++port)
    {
        m_recorder->counters.Observe(m_recorder->ranks.GetProcess(rank),
                                     name + " port " + std::to_string(port),
                                     nic->GetPort(port));
    }
}

void
TrainingTimeline::ObserveRanks(const ApplicationContainer& ranks)
{
    if (!m_recorder)
    {
        return;
    }
    for (const uint32_t rank : m_recorder->sheet.GetScope().ranks)
    {
        m_recorder->ranks.Observe(DynamicCast<TrainingApplication>(ranks.Get(rank)),
                                  m_cluster.GetGpu(rank)->GetObject<CollectiveEngine>());
        ObserveNic(rank, "NIC", m_cluster.GetNic(rank));
        ObserveNic(rank, "scale-up", m_cluster.GetScaleUpNic(rank));
        ObserveNic(rank, "host", m_cluster.GetHostNic(rank));
    }
}

void
TrainingTimeline::ObserveSpares(const ApplicationContainer& spares)
{
    for (uint32_t spare = 0; m_recorder && spare < spares.GetN(); ++spare)
    {
        const auto application = DynamicCast<TrainingApplication>(spares.Get(spare));
        m_recorder->ranks.Observe(application,
                                  application->GetNode()->GetObject<CollectiveEngine>());
    }
}

void
TrainingTimeline::ObserveControl(const OpusHelper& opus)
{
    if (!m_recorder)
    {
        return;
    }
    TimelineMessages& messages = m_recorder->messages;
    const auto controllers = opus.GetAllControllers();
    std::vector<Ptr<OpusManager>> managers; // that have been observed
    std::vector<std::string> names;         // of them
    for (const uint32_t rank : m_recorder->sheet.GetScope().ranks)
    {
        const uint32_t domain = m_cluster.GetDomain(rank);
        messages.Observe(opus.GetShim(rank), rank, m_recorder->ranks.GetProcess(rank));
        const auto manager = opus.GetManager(domain, 0, m_cluster.GetRailOf(rank));
        if (std::find(managers.begin(), managers.end(), manager) == managers.end())
        {
            managers.push_back(manager);
            names.push_back("manager " + std::to_string(managers.size() - 1) + " in domain " +
                            std::to_string(domain));
        }
    }
    for (std::size_t i = 0; i < managers.size(); ++i)
    {
        messages.Observe(managers[i], names[i]);
    }
    for (std::size_t i = 0; i < controllers.size(); ++i)
    {
        messages.Observe(controllers[i], "controller " + std::to_string(i));
    }
}

void
TrainingTimeline::ObserveFaults(Ptr<FaultInjector> injector)
{
    if (!m_recorder)
    {
        return;
    }
    injector->TraceConnectWithoutContext("FaultBegin",
                                         MakeCallback(&TimelineFaults::Began, &m_recorder->faults));
    injector->TraceConnectWithoutContext("FaultEnd",
                                         MakeCallback(&TimelineFaults::Ended, &m_recorder->faults));
    injector->TraceConnectWithoutContext(
        "Consequence",
        MakeCallback(&TimelineFaults::Served, &m_recorder->faults));
}

void
TrainingTimeline::Start(std::function<bool()> isRunning, std::function<uint64_t()> countOthers)
{
    if (m_recorder)
    {
        m_recorder->counters.Start(std::move(isRunning), std::move(countOthers));
    }
}

uint64_t
TrainingTimeline::GetEvents() const
{
    return m_recorder ? m_recorder->counters.GetEvents() : 0;
}

std::string
TrainingTimeline::Finish(const RunSummary& summary)
{
    if (!m_recorder)
    {
        return "";
    }
    m_recorder->recoveries.Write(summary.recoveries);
    auto facts = OptionGroup::WithDerived(summary.settings, summary.derived);
    facts.emplace_back("fabric", summary.fabric);
    facts.emplace_back("failure", summary.failure);
    m_recorder->Finish(facts);
    if (const std::string warning = m_recorder->GetWarning(); !warning.empty())
    {
        std::cerr << warning << std::endl;
    }
    return DescribeUnwritten("timeline", m_file->GetName(), m_file->Commit());
}

} // namespace ns3
