// SPDX-License-Identifier: GPL-2.0-only

#include "training-report.h"

#include "training-experiment.h"

#include "ns3/collective-engine.h"
#include "ns3/costed-run.h"
#include "ns3/lost-frames.h"
#include "ns3/management-port.h"
#include "ns3/option-group.h"
#include "ns3/opus-controller.h"
#include "ns3/opus-manager.h"
#include "ns3/program.h"
#include "ns3/rdma-nic.h"
#include "ns3/rdma-relay.h"
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
    : m_cluster(cluster),
      m_file(settings.GetFile()),
      m_recorder(m_file.GetStream(), settings.GetScope(layout), layout)
{
}

TimelineSwitches::Ports
TrainingTimeline::GetPorts(uint32_t rail) const
{
    const auto& ranks = m_recorder.sheet.GetScope().ranks;
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
    const uint32_t end = ports.written.empty() ? 0 : m_cluster.GetNAllGpus();
    for (uint32_t gpu = m_cluster.GetNGpus(); gpu < end; ++gpu)
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
    return ports;
}

void
TrainingTimeline::ObserveSwitches()
{
    if (!m_cluster.IsPhotonic())
    {
        return;
    }
    std::set<uint32_t> written; // on any rail
    for (uint32_t rail = 0; rail < m_cluster.GetGpusPerDomain(); ++rail)
    {
        if (const auto ports = GetPorts(rail); !ports.written.empty())
        {
            m_recorder.switches.Observe(m_cluster.GetOcs(rail),
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
        // Fibers of any rail may be led to it, each to the port of the same number.
        m_recorder.switches.Observe(m_cluster.GetSpare(spare)->GetObject<OpticalCircuitSwitch>(),
                                    "spare OCS " + std::to_string(spare),
                                    {{}, {written.begin(), written.end()}});
    }
}

void
TrainingTimeline::ObserveNic(uint32_t rank, const std::string& name, Ptr<RdmaNic> nic)
{
    for (uint32_t port = 0; nic && port < nic->GetNPorts(); ++port)
    {
        m_recorder.counters.Observe(m_recorder.ranks.GetProcess(rank),
                                    name + " port " + std::to_string(port),
                                    nic->GetPort(port));
    }
}

void
TrainingTimeline::ObserveRanks(const ApplicationContainer& ranks,
                               const ApplicationContainer& spares)
{
    for (const uint32_t rank : m_recorder.sheet.GetScope().ranks)
    {
        m_recorder.ranks.Observe(DynamicCast<TrainingApplication>(ranks.Get(rank)),
                                 m_cluster.GetGpu(rank)->GetObject<CollectiveEngine>());
        ObserveNic(rank, "NIC", m_cluster.GetNic(rank));
        ObserveNic(rank, "scale-up", m_cluster.GetScaleUpNic(rank));
        ObserveNic(rank, "host", m_cluster.GetHostNic(rank));
    }
    for (uint32_t spare = 0; spare < spares.GetN(); ++spare)
    {
        const auto application = DynamicCast<TrainingApplication>(spares.Get(spare));
        m_recorder.ranks.Observe(application,
                                 application->GetNode()->GetObject<CollectiveEngine>());
    }
}

void
TrainingTimeline::ObserveControl(const OpusHelper& opus)
{
    TimelineMessages& messages = m_recorder.messages;
    const auto controllers = opus.GetAllControllers();
    std::vector<Ptr<OpusManager>> managers; // that have been observed
    std::vector<std::string> names;         // of them
    for (const uint32_t rank : m_recorder.sheet.GetScope().ranks)
    {
        const uint32_t domain = m_cluster.GetDomain(rank);
        messages.Observe(opus.GetShim(rank), rank, m_recorder.ranks.GetProcess(rank));
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
    injector->TraceConnectWithoutContext("FaultBegin",
                                         MakeCallback(&TimelineFaults::Began, &m_recorder.faults));
    injector->TraceConnectWithoutContext("FaultEnd",
                                         MakeCallback(&TimelineFaults::Ended, &m_recorder.faults));
    injector->TraceConnectWithoutContext("Consequence",
                                         MakeCallback(&TimelineFaults::Served, &m_recorder.faults));
}

std::string
TrainingTimeline::Finish(const RunSummary& summary)
{
    m_recorder.recoveries.Write(summary.recoveries);
    auto facts = OptionGroup::WithDerived(summary.settings, summary.derived);
    facts.emplace_back("fabric", summary.fabric);
    facts.emplace_back("failure", summary.failure);
    m_recorder.Finish(facts);
    if (const std::string warning = m_recorder.GetWarning(); !warning.empty())
    {
        std::cerr << warning << std::endl;
    }
    return DescribeUnwritten("timeline", m_file.GetName(), m_file.Commit());
}

namespace
{

/// Add the counters of a NIC, unless it is null.
void
AddTraffic(Ptr<RdmaNic> nic, RunTraffic& traffic)
{
    if (!nic)
    {
        return;
    }
    const auto statistics = nic->GetQueuePairStatistics();
    traffic.Add({statistics.dataPacketsSent,
                 statistics.retransmissions,
                 statistics.bytesPosted,
                 statistics.bytesDelivered,
                 nic->GetStatistics().bursts,
                 nic->GetStatistics().burstPackets,
                 statistics.bytesFailed});
}

/// Add the counters of a controller, if this process simulates it.
void
AddController(Ptr<OpusController> controller, ControlShare& sum)
{
    if (!controller->GetNode())
    {
        return;
    }
    const auto stats = controller->GetStats();
    const auto& server = controller->GetServerStats();
    ControlShare share;
    share.requests = stats.requests;
    share.grants = stats.grants;
    share.cacheHits = stats.cacheHits;
    share.commands = stats.reconfigurations;
    share.plans = stats.plans;
    share.planHits = stats.planHits;
    share.messages = server.served;
    share.longestQueue = server.longest;
    share.queued = server.waited;
    share.waitedRanks = stats.waited.ranks;
    share.waitedPorts = stats.waited.ports;
    share.waitedLight = stats.waited.light;
    sum.Add(share);
}

} // namespace

uint64_t
RunCounters::CountPackets(const RailCluster& cluster)
{
    uint64_t sum = 0;
    for (uint32_t gpu = 0; gpu < cluster.GetNGpus(); ++gpu)
    {
        for (const auto& nic :
             {cluster.GetNic(gpu), cluster.GetScaleUpNic(gpu), cluster.GetHostNic(gpu)})
        {
            sum += nic ? nic->GetQueuePairStatistics().dataPacketsSent : 0;
        }
    }
    return sum;
}

uint64_t
RunCounters::CountRailPorts(const RailCluster& cluster)
{
    uint64_t ports = 0;
    for (uint32_t rail = 0; rail < cluster.GetGpusPerDomain(); ++rail)
    {
        if (RailPartition::IsHere(cluster.GetRail(rail)))
        {
            ports += cluster.GetNDomains() * cluster.GetNicPortCount();
        }
    }
    return ports;
}

void
RunCounters::Add(const RailCluster& cluster, RunShare& share)
{
    for (uint32_t gpu = 0; gpu < cluster.GetNAllGpus(); ++gpu)
    {
        AddTraffic(cluster.GetNic(gpu), share.rails);
        AddTraffic(cluster.GetScaleUpNic(gpu), share.scaleUp);
        AddTraffic(cluster.GetHostNic(gpu), share.hosts);
        if (const auto relay = cluster.GetGpu(gpu)->GetObject<RdmaRelay>())
        {
            share.bytesForwarded += relay->GetStatistics().bytes;
        }
        if (const auto engine = cluster.GetGpu(gpu)->GetObject<CollectiveEngine>())
        {
            share.bytesForwarded += engine->GetBytesForwarded();
        }
    }
    for (const auto& ocs : GetCircuitSwitches(cluster))
    {
        share.packetsLostAtOcs += ocs->GetFramesLost();
    }
    share.packetsLostAtSwitches += CountLostAtSwitches(cluster);
}

void
RunCounters::Add(const OpusHelper& opus, ControlShare& sum)
{
    for (const auto& controller : opus.GetAllControllers())
    {
        AddController(controller, sum);
    }
    for (const auto& port : opus.GetManagementPorts())
    {
        sum.retransmissions += port->GetChannelStats().repeated;
    }
    const ControllerCrashStats crashes = opus.GetCrashStats();
    sum.crashes += crashes.crashes;
    sum.takeovers += crashes.takeovers;
    sum.down += crashes.down;
}

TrainingReport::TrainingReport(const TrainingSettings& settings)
    : m_settings(settings)
{
    const ReportSettings& report = settings.output.report;
    if (report.file.IsSet() && report.latency.Get())
    {
        m_probe = std::make_unique<FabricProbe>();
    }
}

uint32_t
TrainingReport::GetRails(uint32_t kept) const
{
    const bool isAsked = m_settings.output.report.file.IsSet();
    const uint32_t rails = isAsked ? std::max(kept, m_settings.fabric.gpusPerDomain.Get()) : kept;
    const uint32_t sets = m_settings.IsOneSet() ? m_settings.GetRailSets() : 1;
    return (rails + sets - 1) / sets;
}

void
TrainingReport::Observe(const RailCluster& cluster)
{
    if (!m_settings.output.report.file.IsSet())
    {
        return;
    }
    if (cluster.IsPhotonic())
    {
        m_ports.Observe(cluster.GetOcs(0));
    }
    if (m_probe)
    {
        m_probe->Observe(cluster);
        m_probe->Start();
    }
}

void
TrainingReport::Take(const RailCluster& cluster,
                     const RankLayout& layout,
                     const TrainingRecorder& recorder)
{
    if (!m_settings.output.report.file.IsSet())
    {
        return;
    }
    if (m_probe)
    {
        m_probe->Stop();
        const auto& seen = m_probe->GetMeasurement();
        m_data.latencies = HtmlReport::Latencies{seen.packetLatency, seen.writeTimes};
    }
    m_data.communications = recorder.GetRails().front().GetCommunications();
    m_data.summary.start = recorder.GetLog().start;
    m_data.summary.iterations = recorder.GetIterations();
    for (uint32_t gpu = 0; cluster.IsPhotonic() && gpu < cluster.GetNGpus();
         gpu += cluster.GetGpusPerDomain())
    {
        const auto& cabled = cluster.GetOcsPorts(gpu);
        for (uint32_t nicPort = 0; nicPort < cabled.size(); ++nicPort)
        {
            m_data.ports.push_back(
                {cabled[nicPort],
                 gpu,
                 nicPort,
                 layout.GetPipelineRank(gpu),
                 m_ports.GetSpans(cabled[nicPort], m_data.GetBegin(), m_data.GetEnd())});
        }
    }
}

void
TrainingReport::FindCost()
{
    CostedRun run;
    std::string error = CostedRun::Take(m_data.summary, run);
    CostReport report;
    if (error.empty())
    {
        std::vector<NetworkKind> others;
        for (const char* name : {"electrical", "photonic"})
        {
            const auto kind = NetworkKind::Parse(name);
            if (kind && run.fabric != name)
            {
                others.push_back(*kind);
            }
        }
        const auto& catalogue = PartsCatalogue::GetDefault();
        error = run.MakeReport(catalogue, "ports", others, report);
        const uint32_t priced = catalogue.FindRate(run.gbps);
        if (error.empty() && priced != run.gbps)
        {
            m_data.costRemark = "A NIC has " + std::to_string(run.gbps) +
                                " Gbit/s, for which there are no prices: they are those of parts "
                                "of " +
                                std::to_string(priced) + " Gbit/s.";
        }
    }
    if (error.empty())
    {
        m_data.cost = report;
        return;
    }
    m_data.costRemark = "The cost of this network is not known: " + error;
}

std::string
TrainingReport::Write(const RunSummary& summary)
{
    const ReportSettings& settings = m_settings.output.report;
    if (!settings.file.IsSet())
    {
        return "";
    }
    m_data.sentence = m_settings.Describe() +
                      (summary.failure.empty() ? "" : ". No complete run: " + summary.failure);
    m_data.summary = summary;
    m_data.skip = summary.iterations.size() > 1 ? 1 : 0;
    m_data.library = settings.GetLibrary();
    m_data.libraryRemark = settings.GetLibraryRemark();
    if (m_data.library.empty())
    {
        std::cerr << "--report: " << m_data.libraryRemark << std::endl;
    }
    FindCost();
    return WriteFile("report", settings.file.GetText(), [this](std::ostream& os) {
        m_data.Write(os);
    });
}

} // namespace ns3
