// SPDX-License-Identifier: GPL-2.0-only

#include "training-experiment.h"

#include "training-circuits.h"
#include "training-report.h"

#include "ns3/abort.h"
#include "ns3/collective-engine.h"
#include "ns3/config-store-flags.h"
#include "ns3/distributed-run.h"
#include "ns3/end-of-run.h"
#include "ns3/fabric-probe.h"
#include "ns3/fault-injector.h"
#include "ns3/light-log.h"
#include "ns3/opus-helper.h"
#include "ns3/progress-meter.h"
#include "ns3/recovery-recorder.h"
#include "ns3/simulator.h"
#include "ns3/stall-observer.h"
#include "ns3/training-application.h"
#include "ns3/training-job-helper.h"
#include "ns3/uinteger.h"

#include <chrono>
#include <fstream>
#include <iostream>
#include <unistd.h>

namespace ns3
{

namespace
{

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
    for (const auto& text : DistributedRun::Gather(mine.ToText()))
    {
        shares.push_back(RunShare::FromText(text));
    }
    return shares.empty() ? std::vector<RunShare>{mine} : shares;
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
        cluster.IsPhotonic() && m_settings.GetPolicy()->IsLending() ? &opus : nullptr;
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
        [&cluster] { return RunCounters::CountPackets(cluster); },
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
    const uint32_t rank = m_settings.GetOutput().profileRank.Get();
    if (m_settings.GetOutput().profile.IsSet() && RailPartition::IsHere(cluster.GetGpu(rank)))
    {
        std::ofstream file(m_settings.GetOutput().profile.GetText());
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
    if (m_settings.GetOutput().pcap.IsSet())
    {
        clusterHelper.EnablePcap(m_settings.GetOutput().pcap.GetText(), GetNicPortsHere(cluster));
    }
    if (m_settings.GetOutput().ascii.IsSet())
    {
        clusterHelper.EnableAscii(m_settings.GetOutput().ascii.GetText(), GetNicPortsHere(cluster));
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
    TrainingTimeline timeline(m_settings.GetOutput().timeline, cluster, mesh);
    timeline.ObserveSwitches();
    OpusHelper opus;
    LightMeter light;
    for (const auto& ocs : TrainingCircuits::GetSwitches(cluster))
    {
        if (RailPartition::IsHere(ocs->GetObject<Node>()))
        {
            light.Observe(ocs);
        }
    }
    if (cluster.IsPhotonic())
    {
        light.CountPorts(RunCounters::CountRailPorts(cluster));
    }
    TrainingCircuits(m_settings).Install(cluster, opus, recorder);
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
    if (cluster.IsPhotonic() && m_settings.GetPolicy()->IsLending())
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
    if (m_settings.GetOutput().qpStats.IsSet())
    {
        queuePairs.InstallAll();
    }
    ConfigStoreFlags::ApplyObjects();
    const uint32_t iterations = m_settings.GetIterations();
    opus.StopHeartbeatsWhen(
        [&recorder, iterations] { return recorder.GetLog().ends.size() >= iterations; });
    RunShare share;
    share.setupCpuSeconds = GetCpuTime();
    share.events = Simulate(cluster, recorder, timeline, progress);
    share.cpuSeconds = GetCpuTime() - share.setupCpuSeconds;
    const Time end = Simulator::Now();
    const std::string failure = injector->GetFailure();
    const auto stall = failure.empty() ? StallObserver::Look() : std::nullopt;
    if (stall)
    {
        share.stall = stall->lines;
    }
    EndOfRun::Remove(&StallObserver::Print); // the summary says it
    const auto describeEnd = [&](std::size_t ended) {
        return !failure.empty() || ended >= iterations
                   ? failure
                   : StallObserver::GetHeadline(stall && stall->isStopped, end, ended, iterations);
    };
    if (probe)
    {
        probe->Stop();
    }
    share.log = recorder.GetLog();
    share.light = light.GetLog();
    RunCounters::Add(cluster, share);
    RunCounters::Add(opus, share.control);
    RunSummary summary;
    summary.fabric = m_settings.GetFabric().GetName();
    summary.settings = m_settings.GetList();
    summary.derived = m_settings.GetDerived();
    summary.worldSize = cluster.GetNGpus();
    summary.mayLoseLight = cluster.IsPhotonic() && m_settings.GetPolicy()->MayLoseLight();
    summary.iterationsAsked = m_settings.GetIterations();
    const StepWork work = StepWork::Make(m_settings.GetWorkload());
    summary.tokens = work.tokens;
    summary.modelFlops = work.modelFlops;
    summary.peakFlops = m_settings.GetWorkload().gpu.peakFlops;
    for (const RailPhases& rail : recorder.GetRails())
    {
        summary.windowsOfRails.push_back(rail.GetWindows(m_phaseRule));
    }
    summary.windows = recorder.GetRails().front().GetWindows();
    summary.collectives = recorder.GetVolumes();
    summary.phases = recorder.GetRails().front().GetPhases();
    summary.faults = injector->GetRecords();
    summary.failure = describeEnd(recorder.GetLog().ends.size());
    summary.recoveries = recoveries->GetRecoveries(recorder.GetLog());
    timeline.Finish(summary);
    report.Take(cluster, mesh, recorder);
    injector->Dispose();
    recoveries->Dispose();
    WriteProfile(cluster, opus);
    NS_ABORT_MSG_UNLESS(!m_settings.GetOutput().qpStats.IsSet() ||
                            queuePairs.SerializeToXmlFile(m_settings.GetOutput().qpStats.GetText()),
                        "--qpStats: the file could not be written");
    Simulator::Destroy();
    share.peakRssBytes = GetPeakRss();
    summary.SetShares(GatherShares(share));
    summary.failure = describeEnd(summary.iterations.size());
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
