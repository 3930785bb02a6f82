// SPDX-License-Identifier: GPL-2.0-only

#include "training-experiment.h"

#include "distributed-run.h"
#include "fault-injector.h"
#include "opus-helper.h"
#include "queue-pair-monitor-helper.h"
#include "recovery-recorder.h"
#include "rotor-helper.h"
#include "set-up-store.h"
#include "standing-topology.h"
#include "static-circuits-helper.h"
#include "training-job-helper.h"
#include "training-report.h"

#include "ns3/abort.h"
#include "ns3/collective-engine.h"
#include "ns3/light-meter.h"
#include "ns3/progress-meter.h"
#include "ns3/rdma-relay.h"
#include "ns3/rotor-scheduler.h"
#include "ns3/simulator.h"
#include "ns3/training-application.h"
#include "ns3/uinteger.h"

#include <chrono>
#include <fstream>
#include <iostream>
#include <unistd.h>

namespace ns3
{

namespace
{

/// A switch has begun to carry out a command.
void
CountReconfiguration(TrainingRecorder* recorder,
                     Ptr<const OpticalCircuitSwitch>,
                     const CircuitSet&,
                     const CircuitSet&)
{
    recorder->CountReconfiguration();
}

/// A shim was granted a group for which calls may have waited.
void
CountExposed(TrainingRecorder* recorder, uint32_t rank, uint64_t, Time, Time exposed, bool)
{
    recorder->CountExposed(rank, exposed);
}

/// @return data packets that all NICs have sent
uint64_t
CountPackets(const RailCluster& cluster)
{
    uint64_t sum = 0;
    for (uint32_t gpu = 0; gpu < cluster.GetNGpus(); ++gpu)
    {
        sum += cluster.GetNic(gpu)->GetQueuePairStatistics().dataPacketsSent;
        for (const auto& nic : {cluster.GetScaleUpNic(gpu), cluster.GetHostNic(gpu)})
        {
            sum += nic ? nic->GetQueuePairStatistics().dataPacketsSent : 0;
        }
    }
    return sum;
}

/// Add what a NIC has counted.
void
AddTraffic(Ptr<RdmaNic> nic, RunTraffic& traffic)
{
    const auto statistics = nic->GetQueuePairStatistics();
    traffic.Add({statistics.dataPacketsSent,
                 statistics.retransmissions,
                 statistics.bytesPosted,
                 statistics.bytesDelivered,
                 nic->GetStatistics().bursts,
                 nic->GetStatistics().burstPackets,
                 statistics.bytesFailed});
}

/// @return the optical circuit switches, spares last
std::vector<Ptr<OpticalCircuitSwitch>>
GetSwitches(const RailCluster& cluster)
{
    std::vector<Ptr<OpticalCircuitSwitch>> switches;
    for (uint32_t rail = 0; cluster.IsPhotonic() && rail < cluster.GetGpusPerDomain(); ++rail)
    {
        switches.push_back(cluster.GetOcs(rail));
    }
    for (uint32_t spare = 0; spare < cluster.GetNSpares(); ++spare)
    {
        switches.push_back(cluster.GetSpare(spare)->GetObject<OpticalCircuitSwitch>());
    }
    return switches;
}

/// @return ports with a fibre to a rail that is simulated here; a spare has those of a rail
uint64_t
CountRailPorts(const RailCluster& cluster)
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

/// Add what NICs and switches have counted. Those of other processes have counted nothing here.
void
AddCounters(const RailCluster& cluster, RunShare& share)
{
    for (uint32_t gpu = 0; gpu < cluster.GetNAllGpus(); ++gpu)
    {
        AddTraffic(cluster.GetNic(gpu), share.rails);
        if (auto scaleUp = cluster.GetScaleUpNic(gpu))
        {
            AddTraffic(scaleUp, share.scaleUp);
        }
        if (auto host = cluster.GetHostNic(gpu))
        {
            AddTraffic(host, share.hosts);
        }
        if (const auto relay = cluster.GetGpu(gpu)->GetObject<RdmaRelay>())
        {
            share.bytesForwarded += relay->GetStatistics().bytes;
        }
    }
    for (const auto& ocs : GetSwitches(cluster))
    {
        share.packetsLostAtOcs += ocs->GetFramesLost();
    }
}

/// Add what a controller has done, if it is simulated here.
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
    // Not until the simulator ends, whose last event may be one of the progress line.
    const double elapsed = controller->GetLastServed().GetSeconds();
    for (const auto& port : controller->GetPorts())
    {
        const double up = controller->GetUpTime(port).GetSeconds();
        share.upShares.push_back(elapsed > 0 ? up / elapsed : 0);
    }
    sum.Add(share);
}

/// Add what a control plane has done, as far as it is simulated here.
void
AddControl(const OpusHelper& opus, ControlShare& sum)
{
    for (const auto& controller : opus.GetControllers())
    {
        AddController(controller, sum);
    }
    for (const auto& port : opus.GetManagementPorts())
    {
        sum.retransmissions += port->GetChannelStats().repeated;
    }
    const OpusController::Lives lives = opus.GetLives();
    sum.crashes += lives.crashes;
    sum.takeovers += lives.takeovers;
    sum.down += lives.down;
}

/// @return the NIC ports that this process simulates
NetDeviceContainer
GetNicPortsHere(const RailCluster& cluster)
{
    NetDeviceContainer here;
    const NetDeviceContainer all = cluster.GetNicPorts();
    for (auto port = all.Begin(); port != all.End(); ++port)
    {
        if (RailPartition::IsHere((*port)->GetNode()))
        {
            here.Add(*port);
        }
    }
    return here;
}

/// @return the shares of all processes, on the first one; elsewhere that of this one
std::vector<RunShare>
GatherShares(const RunShare& mine)
{
    std::vector<RunShare> shares;
    for (const auto& text : DistributedRun::Gather(mine.ToJson()))
    {
        shares.push_back(RunShare::FromJson(text));
    }
    return shares.empty() ? std::vector<RunShare>{mine} : shares;
}

/// Let all calls go ahead, those of fewer bytes than a threshold over the host network.
void
InstallAlwaysConnected(const RailCluster& cluster, uint64_t hostThreshold)
{
    for (uint32_t gpu = 0; gpu < cluster.GetNAllGpus(); ++gpu)
    {
        auto provider = CreateObject<AlwaysConnected>();
        provider->SetAttribute("HostThreshold", UintegerValue(hostThreshold));
        cluster.GetGpu(gpu)->AggregateObject(provider);
    }
}

/**
 * @param cluster with a host network
 * @param mesh of the job on it
 * @return what tells the recorder which operations take the rails
 */
RailPhases::OnRails
MakeOnRails(const RailCluster& cluster, const DeviceMesh& mesh)
{
    std::vector<RankBinding> bindings;
    for (uint32_t rank = 0; rank < mesh.GetWorldSize(); ++rank)
    {
        bindings.emplace_back(mesh, rank);
    }
    return [cluster, bindings](uint32_t rank, const RankOperation& operation) {
        const auto engine = cluster.GetGpu(rank)->GetObject<CollectiveEngine>();
        return engine->GetNetwork(bindings[rank].Bind(operation)) == CollectiveNetwork::RAILS;
    };
}

} // namespace

TrainingExperiment::TrainingExperiment(const TrainingSettings& settings)
    : m_settings(settings)
{
}

void
TrainingExperiment::KeepRails(uint32_t rails, PhaseRule rule)
{
    m_railsKept = rails;
    m_phaseRule = rule;
}

void
TrainingExperiment::InstallOpus(const RailCluster& cluster,
                                OpusHelper& opus,
                                TrainingRecorder& recorder) const
{
    opus.SetShimAttribute("HostThreshold",
                          UintegerValue(m_settings.GetFabric().GetHostNetwork().GetThreshold()));
    opus.SetControlLatency(m_settings.GetControlPlane().GetControlLatency());
    opus.SetHostLinkLatency(m_settings.GetControlPlane().GetHostLatency());
    opus.SetPolicy(m_settings.GetPolicy());
    opus.SetControllerPerRail(m_settings.GetControlPlane().HasControllerPerRail());
    m_settings.GetControlPlane().Apply(opus);
    m_settings.GetFaults().Apply(opus);
    opus.Install(cluster);
    for (uint32_t gpu = 0; gpu < cluster.GetNAllGpus(); ++gpu)
    {
        opus.GetShim(gpu)->TraceConnectWithoutContext("Granted",
                                                      MakeBoundCallback(&CountExposed, &recorder));
    }
}

void
TrainingExperiment::InstallCircuits(RailCluster& cluster,
                                    OpusHelper& opus,
                                    TrainingRecorder& recorder) const
{
    for (const auto& ocs : GetSwitches(cluster))
    {
        ocs->TraceConnectWithoutContext("ReconfigurationStart",
                                        MakeBoundCallback(&CountReconfiguration, &recorder));
    }
    const CircuitPolicy policy = m_settings.GetPolicy();
    if (IsLending(policy))
    {
        InstallOpus(cluster, opus, recorder);
        return;
    }
    if (policy == CircuitPolicy::ROTOR)
    {
        InstallRotors(cluster, recorder);
        return;
    }
    const auto topology =
        StandingTopology::Make(policy, m_settings.GetWorkload(), cluster.GetNicPortCount());
    NS_ABORT_MSG_UNLESS(topology.error.empty(), topology.error);
    cluster.SetStandingCircuits(std::make_shared<StandingCircuits>(topology.circuits));
    StaticCircuitsHelper::Light(cluster);
    InstallAlwaysConnected(cluster, m_settings.GetFabric().GetHostNetwork().GetThreshold());
}

void
TrainingExperiment::InstallRotors(RailCluster& cluster, TrainingRecorder& recorder) const
{
    RotorHelper helper;
    helper.SetSlotTime(m_settings.GetSlotTime());
    helper.SetPortRate(m_settings.GetFabric().GetPortRate());
    const ApplicationContainer rotors = helper.Install(cluster);
    InstallAlwaysConnected(cluster, m_settings.GetFabric().GetHostNetwork().GetThreshold());
    // They would go on for ever.
    recorder.SetEnded(m_settings.GetIterations(), [rotors] {
        for (uint32_t i = 0; i < rotors.GetN(); ++i)
        {
            DynamicCast<RotorScheduler>(rotors.Get(i))->Finish();
        }
    });
}

void
TrainingExperiment::InstallFaults(const RailCluster& cluster,
                                  const TrainingJobHelper& job,
                                  const ApplicationContainer& ranks,
                                  const ApplicationContainer& spares,
                                  OpusHelper& opus,
                                  Ptr<FaultInjector> injector,
                                  Ptr<RecoveryRecorder> recoveries,
                                  TrainingRecorder& recorder) const
{
    OpusHelper* const controls =
        cluster.IsPhotonic() && IsLending(m_settings.GetPolicy()) ? &opus : nullptr;
    ApplicationContainer all = ranks;
    RecoveryHelper recovery;
    const bool hasSpares = m_settings.GetSpares().IsGiven();
    if (hasSpares)
    {
        all.Add(spares);
        recovery.SetControlLatency(m_settings.GetControlPlane().GetControlLatency());
        recovery.SetHostLinkLatency(m_settings.GetControlPlane().GetHostLatency());
        recovery.SetHostAttribute("DetectionTime",
                                  TimeValue(m_settings.GetFaults().GetDetectionTime()));
        recovery.SetAgentAttribute("StateBytes", UintegerValue(job.GetStateBytes(cluster)));
        m_settings.GetSpares().Apply(recovery);
        recovery.Install(cluster, job.MakeRecoveryJob(cluster), all, controls);
        recoveries->Observe(recovery, injector, recorder);
    }
    if (m_settings.GetFaults().IsGiven())
    {
        injector->Install(m_settings.GetFaults().Get(),
                          cluster,
                          controls,
                          hasSpares ? &recovery : nullptr,
                          all,
                          m_settings.GetIterations());
    }
}

uint64_t
TrainingExperiment::Simulate(const RailCluster& cluster,
                             const TrainingRecorder& recorder,
                             TrainingTimeline& timeline,
                             std::ostream* progress) const
{
    const uint32_t iterations = m_settings.GetIterations();
    const auto ended = [&recorder] { return recorder.GetLog().ends.size(); };
    ProgressMeter meter(
        progress ? *progress : std::cerr,
        isatty(STDERR_FILENO) != 0,
        [&cluster] { return CountPackets(cluster); },
        [ended, iterations] {
            return "iteration " + std::to_string(ended() + 1) + " of " + std::to_string(iterations);
        },
        [ended, iterations] { return ended() < iterations; });
    // Of several processes, one does not see when nothing is left to happen.
    if (progress && DistributedRun::GetProcesses() == 1)
    {
        meter.Start();
    }
    timeline.Start([ended, iterations] { return ended() < iterations; },
                   [&meter] { return meter.GetEvents(); });
    Simulator::Run();
    meter.Clear();
    return Simulator::GetEventCount() - meter.GetEvents() - timeline.GetEvents();
}

void
TrainingExperiment::WriteProfile(const RailCluster& cluster, const OpusHelper& opus) const
{
    const uint32_t rank = m_settings.GetProfileRank();
    if (!m_settings.GetProfileFile().empty() && RailPartition::IsHere(cluster.GetGpu(rank)))
    {
        std::ofstream file(m_settings.GetProfileFile());
        opus.GetShim(rank)->WriteProfile(file);
        NS_ABORT_MSG_UNLESS(file.flush(), "--profile: the file could not be written");
    }
}

RunSummary
TrainingExperiment::Run(std::ostream* progress, FabricProbe* probe) const
{
    const auto begin = std::chrono::steady_clock::now();
    RailClusterHelper clusterHelper = m_settings.MakeClusterHelper();
    clusterHelper.SetProcesses(DistributedRun::GetProcesses());
    RailCluster cluster = clusterHelper.Install(m_settings.GetFabric().GetFabric());
    cluster.StartSwitches();
    if (!m_settings.GetPcapPrefix().empty())
    {
        clusterHelper.EnablePcap(m_settings.GetPcapPrefix(), GetNicPortsHere(cluster));
    }
    if (!m_settings.GetAsciiPrefix().empty())
    {
        clusterHelper.EnableAscii(m_settings.GetAsciiPrefix(), GetNicPortsHere(cluster));
    }
    TrainingJobHelper job(m_settings.GetWorkload());
    job.SetIterations(m_settings.GetIterations());
    if (m_settings.IsOneRail())
    {
        job.SetOneRail();
    }
    m_settings.GetVariation().Apply(job);
    const DeviceMesh mesh = job.GetMesh(cluster);
    TrainingReport report(m_settings);
    TrainingRecorder recorder(mesh, report.GetRails(m_railsKept));
    report.Observe(cluster);
    TrainingTimeline timeline(m_settings.GetTimeline(), cluster, mesh);
    timeline.ObserveSwitches();
    OpusHelper opus;
    LightMeter light;
    for (const auto& ocs : GetSwitches(cluster))
    {
        if (RailPartition::IsHere(ocs->GetObject<Node>()))
        {
            light.Observe(ocs);
        }
    }
    if (cluster.IsPhotonic())
    {
        light.CountPorts(CountRailPorts(cluster));
        InstallCircuits(cluster, opus, recorder);
    }
    else
    {
        InstallAlwaysConnected(cluster, m_settings.GetFabric().GetHostNetwork().GetThreshold());
    }
    if (cluster.HasHostNetwork())
    {
        recorder.SetOnRails(MakeOnRails(cluster, mesh));
    }
    const ApplicationContainer ranks = job.Install(cluster);
    TrainingJobHelper::AssignStreams(ranks, 0);
    for (uint32_t rank = 0; rank < ranks.GetN(); ++rank)
    {
        if (RailPartition::IsHere(cluster.GetGpu(rank)))
        {
            recorder.Observe(DynamicCast<TrainingApplication>(ranks.Get(rank)));
        }
    }

    const ApplicationContainer spares = job.InstallSpares(cluster);
    TrainingJobHelper::AssignStreams(spares, ranks.GetN());
    for (uint32_t spare = 0; spare < spares.GetN(); ++spare)
    {
        recorder.ObserveSpare(DynamicCast<TrainingApplication>(spares.Get(spare)));
    }
    timeline.ObserveRanks(ranks);
    timeline.ObserveSpares(spares);
    if (cluster.IsPhotonic() && IsLending(m_settings.GetPolicy()))
    {
        timeline.ObserveControl(opus);
    }
    auto injector = CreateObject<FaultInjector>();
    timeline.ObserveFaults(injector);
    auto recoveries = CreateObject<RecoveryRecorder>();
    InstallFaults(cluster, job, ranks, spares, opus, injector, recoveries, recorder);
    if (probe)
    {
        probe->Observe(cluster);
        probe->Start();
    }
    QueuePairMonitorHelper queuePairs;
    if (!m_settings.GetQueuePairFile().empty())
    {
        queuePairs.InstallAll();
    }
    SetUpStore::ApplyObjects();
    const uint32_t iterations = m_settings.GetIterations();
    opus.StopHeartbeatsWhen(
        [&recorder, iterations] { return recorder.GetLog().ends.size() >= iterations; });
    RunShare share;
    share.setupCpuSeconds = GetCpuTime();
    share.events = Simulate(cluster, recorder, timeline, progress);
    share.cpuSeconds = GetCpuTime() - share.setupCpuSeconds;
    if (probe)
    {
        probe->Stop();
    }
    share.log = recorder.GetLog();
    share.light = light.GetLog();
    AddCounters(cluster, share);
    AddControl(opus, share.control);
    RunSummary summary;
    summary.fabric = m_settings.GetFabric().GetName();
    summary.settings = m_settings.GetList();
    summary.derived = m_settings.GetDerived();
    summary.worldSize = cluster.GetNGpus();
    summary.mayLoseLight = cluster.IsPhotonic() && m_settings.GetPolicy() == CircuitPolicy::ROTOR;
    summary.iterationsAsked = m_settings.GetIterations();
    for (const RailPhases& rail : recorder.GetRails())
    {
        summary.windowsOfRails.push_back(rail.GetWindows(m_phaseRule));
    }
    summary.windows = recorder.GetRails().front().GetWindows();
    summary.collectives = recorder.GetVolumes();
    summary.phases = recorder.GetRails().front().GetPhases();
    summary.faults = injector->GetRecords();
    summary.failure = injector->GetFailure();
    summary.recoveries = recoveries->GetRecoveries(recorder.GetLog());
    timeline.Finish(summary);
    report.Take(cluster, mesh, recorder);
    injector->Dispose();
    recoveries->Dispose();
    WriteProfile(cluster, opus);
    NS_ABORT_MSG_UNLESS(m_settings.GetQueuePairFile().empty() ||
                            queuePairs.SerializeToXmlFile(m_settings.GetQueuePairFile()),
                        "--qpStats: the file could not be written");
    Simulator::Destroy();
    share.peakRssBytes = GetPeakRss();
    summary.SetShares(GatherShares(share));
    if (m_settings.IsOneRail())
    {
        summary.CountForRails(m_settings.GetWorkload().parallelism.gpusPerDomain);
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    summary.wallSeconds = elapsed.count();
    report.Write(summary);
    return summary;
}

} // namespace ns3
