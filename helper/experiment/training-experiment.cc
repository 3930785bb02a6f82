// SPDX-License-Identifier: GPL-2.0-only

#include "training-experiment.h"

#include "training-report.h"

#include "ns3/attribute-flags.h"
#include "ns3/collective-engine.h"
#include "ns3/distributed-run.h"
#include "ns3/end-of-run.h"
#include "ns3/fabric-probe.h"
#include "ns3/fabric-rerouter.h"
#include "ns3/fault-injector.h"
#include "ns3/find-application.h"
#include "ns3/interruption.h"
#include "ns3/mfu-remark.h"
#include "ns3/ocs-port-log.h"
#include "ns3/opus-controller.h"
#include "ns3/opus-helper.h"
#include "ns3/opus-shim.h"
#include "ns3/program.h"
#include "ns3/progress-meter.h"
#include "ns3/recovery-agent.h"
#include "ns3/recovery-helper.h"
#include "ns3/simulator.h"
#include "ns3/stall-observer.h"
#include "ns3/step-interval.h"
#include "ns3/time-sum.h"
#include "ns3/training-application.h"
#include "ns3/training-job-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <chrono>
#include <iomanip>
#include <iostream>
#include <optional>
#include <sstream>
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

/// Give Opus the settings of the control plane and of the policy.
void
ConfigureOpus(const TrainingSettings& settings, OpusHelper& opus)
{
    opus.SetShimAttribute("HostThreshold",
                          UintegerValue(settings.fabric.hostNetwork.GetThreshold()));
    opus.SetControlLatency(settings.controlPlane.controlLatency.Get());
    opus.SetHostLinkLatency(settings.controlPlane.hostLatency.Get());
    opus.SetPolicy(settings.GetPolicy()->GetName());
    opus.SetControllers(settings.GetControllers());
    settings.controlPlane.Apply(opus);
    settings.faults.Apply(opus);
}

/// Give each GPU without a provider one that grants every call at once; calls of fewer bytes than a
/// threshold use the host network.
void
InstallAlwaysConnected(const RailCluster& cluster, uint64_t hostThreshold)
{
    for (uint32_t gpu = 0; gpu < cluster.GetNAllGpus(); ++gpu)
    {
        if (!cluster.GetGpu(gpu)->GetObject<ConnectivityProvider>())
        {
            auto provider = CreateObject<AlwaysConnected>();
            provider->SetAttribute("HostThreshold", UintegerValue(hostThreshold));
            cluster.GetGpu(gpu)->AggregateObject(provider);
        }
    }
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
    if (DistributedRun::GetProcesses() == 1)
    {
        return {mine}; // a settled log stays in its process
    }
    std::vector<RunShare> shares;
    for (const auto& text : DistributedRun::Gather(mine.ToText()))
    {
        shares.push_back(RunShare::FromText(text));
    }
    return shares.empty() ? std::vector<RunShare>{mine} : shares;
}

/**
 * @param cluster with a host network
 * @param ranks ranks of the job on it
 * @return a function that tells the recorder which operations take the rails
 */
RailPhases::OnRails
MakeOnRails(const RailCluster& cluster, const JobRanks& ranks)
{
    std::vector<RankBinding> bindings;
    for (uint32_t rank = 0; rank < ranks.GetWorldSize(); ++rank)
    {
        bindings.push_back(ranks.Bind(rank));
    }
    return [cluster, bindings](uint32_t rank, const RankOperation& operation) {
        const auto engine = cluster.GetGpu(rank)->GetObject<CollectiveEngine>();
        return engine->GetNetwork(bindings[rank].Bind(operation)) == CollectiveNetwork::RAILS;
    };
}

/// A run of a job, with all objects that are built and torn down for it.
class TrainingRun
{
  public:
    /**
     * @param settings of the run; must outlive this object
     * @param railsKept rails whose windows are kept
     */
    TrainingRun(const TrainingSettings& settings, uint32_t railsKept)
        : m_settings(settings),
          m_railsKept(railsKept),
          m_cluster(BuildCluster(settings)),
          m_job(settings.GetRanks()),
          m_layout(settings.GetRanks()->GetLayout()),
          m_report(settings),
          m_recorder(m_layout, m_report.GetRails(railsKept)),
          m_records(settings.output.records.MakeTables())
    {
        settings.Apply(m_job);
        if (const TimelineSettings& timeline = settings.output.timeline;
            !timeline.GetFile().empty())
        {
            m_timeline.emplace(timeline, m_cluster, m_layout);
        }
    }

    /// @return true if this process sees all ranks of a large model to the end, to say where MFU is
    /// lost
    bool MayExplainMfu() const
    {
        return !m_settings.workload.IsTrace() &&
               m_settings.GetWorkload().model.GetParameters() >= LEAST_PARAMETERS_OF_MFU &&
               !m_settings.faults.IsGiven() && !m_settings.spares.IsGiven() &&
               DistributedRun::GetProcesses() == 1;
    }

    /// Let the last step be split into its parts; before Install.
    void SplitStep()
    {
        m_split.emplace(m_layout, m_settings.iterations.Get(), m_cluster.IsPhotonic());
    }

    /// @return the parts of the last step, or none if it has not ended
    StepSplit GetSplit() const
    {
        const auto& ends = m_recorder.GetLog().ends;
        return ends.size() < m_settings.iterations.Get() ? StepSplit()
                                                         : m_split->GetSplit(ends.back());
    }

    /// Install circuits, ranks and faults. @param probe measures the fabric, or null
    void Install(FabricProbe* probe)
    {
        m_report.Observe(m_cluster);
        if (m_timeline)
        {
            m_timeline->ObserveSwitches();
        }
        for (const auto& ocs : GetCircuitSwitches(m_cluster))
        {
            m_light.Observe(ocs);
        }
        if (m_cluster.IsPhotonic())
        {
            m_light.log.ports += RunCounters::CountRailPorts(m_cluster);
        }
        if (DistributedRun::GetProcesses() == 1)
        {
            m_recorder.SetSettling([this](const Time& start, const Time& before) {
                m_light.log.Settle(start, before);
            });
        }
        InstallCircuits(m_settings, m_cluster, m_opus, m_recorder);
        if (m_cluster.HasHostNetwork())
        {
            m_recorder.SetOnRails(MakeOnRails(m_cluster, *m_settings.GetRanks()));
        }
        const ApplicationContainer ranks = m_job.Install(m_cluster);
        TrainingJobHelper::AssignStreams(ranks, 0);
        const ApplicationContainer spares = m_job.InstallSpares(m_cluster);
        TrainingJobHelper::AssignStreams(spares, ranks.GetN());
        Observe(ranks, spares);
        InstallFaults(ranks, spares);
        if (probe)
        {
            probe->Observe(m_cluster);
            probe->Start();
        }
        if (m_settings.output.qpStats.IsSet())
        {
            m_queuePairs.InstallAll();
        }
        ConfigStoreFlags::ApplyObjects();
        m_opus.StopHeartbeatsWhen([this, iterations = m_settings.iterations.Get()] {
            return m_recorder.GetLog().ends.size() >= iterations;
        });
    }

    /// Run the simulator. @param meter tells of it
    void Simulate(ProgressMeter& meter)
    {
        m_share.setupCpuSeconds = GetCpuTime();
        m_share.events = RunSimulator(meter);
        m_share.cpuSeconds = GetCpuTime() - m_share.setupCpuSeconds;
        m_end = Simulator::Now();
        m_failure = m_injector->GetFailure().empty() ? m_refusal : m_injector->GetFailure();
        const bool isOver = m_end >= GetTimeLimit(); // not a standstill
        const bool mayStall = m_failure.empty() && !isOver && Interruption::GetSignal() == 0;
        m_stall = mayStall ? StallObserver::Look() : std::nullopt;
        if (m_stall)
        {
            m_share.stall = m_stall->lines;
            m_failure = m_injector->DescribeStandstill();
        }
        EndOfRun::Remove(&StallObserver::Print); // the summary says it
    }

    /// @param rule divides traffic into phases @return the summary of this process; writes files
    RunSummary Finish(PhaseRule rule)
    {
        m_share.log = m_recorder.GetLog();
        m_share.light = m_light.log;
        RunCounters::Add(m_cluster, m_share);
        RunCounters::Add(m_opus, m_share.control);
        RunSummary summary;
        summary.fabric = m_settings.fabric.GetName();
        summary.settings = m_settings.GetList();
        summary.derived = m_settings.GetDerived();
        summary.worldSize = m_cluster.GetNGpus();
        summary.domainsByFormula = m_settings.fabric.HasDomainsByFormula();
        summary.mayLoseLight = m_cluster.IsPhotonic() && m_settings.GetPolicy()->MayLoseLight();
        summary.hasControlPlane = !m_opus.GetControllers().empty();
        summary.iterationsAsked = m_settings.iterations.Get();
        const StepWork work = m_settings.GetWork();
        summary.tokens = work.tokens;
        summary.modelFlops = work.modelFlops;
        summary.peakFlops = m_settings.GetWorkload().gpu.peakFlops;
        for (const RailPhases& rail : m_recorder.GetRails())
        {
            summary.windowsOfRails.push_back(rail.GetWindows(rule));
        }
        summary.windows = m_recorder.GetRails().front().GetWindows();
        summary.collectives = m_recorder.GetVolumes();
        summary.phases = m_recorder.GetRails().front().GetPhases();
        summary.faults = m_injector->GetRecords();
        summary.failure = DescribeEnd(m_recorder.GetLog().ends.size());
        summary.recoveries = m_recoveries->GetRecoveries(m_recorder.GetLog());
        summary.interrupted = Interruption::GetName();
        summary.unwritten = m_timeline ? m_timeline->Finish(summary) : "";
        summary.AddUnwritten(m_settings.output.records.Finish(m_records));
        m_report.Take(m_cluster, m_layout, m_recorder);
        m_injector->Dispose();
        m_recoveries->Dispose();
        const FileOption& qpStats = m_settings.output.qpStats;
        const auto writeCounts = [this](std::ostream& os) {
            m_queuePairs.GetMonitor().WriteXml(os);
        };
        summary.AddUnwritten(WriteProfile());
        summary.AddUnwritten(WriteFile(qpStats.GetName(), qpStats.GetText(), writeCounts));
        return summary;
    }

    /// Tear down, and add the results of other processes. @param summary gets them
    void Gather(RunSummary& summary)
    {
        Simulator::Destroy();
        m_share.peakRssBytes = GetPeakRss();
        summary.SetShares(GatherShares(m_share));
        summary.failure = DescribeEnd(summary.iterations.size());
        if (m_settings.IsOneSet())
        {
            if (!summary.stall.empty())
            {
                summary.stall.emplace_back(
                    "These are the ranks of the rails that were simulated; --symmetry=none shows "
                    "all.");
            }
            const uint32_t sets = m_settings.GetRailSets();
            summary.CountForRails(sets);
            const std::vector<RailWindows> simulated = summary.windowsOfRails;
            summary.windowsOfRails.clear();
            for (uint32_t rail = 0; rail < m_railsKept; ++rail)
            {
                summary.windowsOfRails.push_back(simulated.at(rail / sets));
            }
        }
    }

    /// Write the page about the run. @param summary complete
    void WriteReport(RunSummary& summary)
    {
        summary.AddUnwritten(m_report.Write(summary));
    }

  private:
    /// Fail the job, which a controller refuses circuits.
    void Refuse(uint32_t rank, uint64_t, const std::string& reason)
    {
        if (m_refusal.empty())
        {
            m_refusal = "job 0 failed at " + std::to_string(Simulator::Now().GetSeconds()) +
                        " s: rank " + std::to_string(rank) + " gets no circuits: " + reason;
            Simulator::Stop();
        }
    }

    /// Connect trace sinks to switches, ranks and spares.
    void Observe(const ApplicationContainer& ranks, const ApplicationContainer& spares)
    {
        for (uint32_t rank = 0; rank < ranks.GetN(); ++rank)
        {
            if (RailPartition::IsHere(m_cluster.GetGpu(rank)))
            {
                const auto application = DynamicCast<TrainingApplication>(ranks.Get(rank));
                m_recorder.Observe(application);
                m_records.Observe(application);
                m_ranks.push_back(application);
                if (m_split)
                {
                    m_split->Observe(application,
                                     m_cluster.GetGpu(rank)->GetObject<CollectiveEngine>());
                }
            }
        }
        for (uint32_t spare = 0; spare < spares.GetN(); ++spare)
        {
            m_ranks.push_back(DynamicCast<TrainingApplication>(spares.Get(spare)));
            m_recorder.ObserveSpare(m_ranks.back());
            m_records.Observe(m_ranks.back());
        }
        if (m_timeline)
        {
            m_timeline->ObserveRanks(ranks, spares);
            m_timeline->ObserveFaults(m_injector);
            if (m_settings.IsLending())
            {
                m_timeline->ObserveControl(m_opus);
            }
        }
        if (m_settings.IsLending())
        {
            for (const auto& rank : m_ranks)
            {
                FindApplication<OpusShim>(rank->GetNode())
                    ->TraceConnectWithoutContext("Refused",
                                                 MakeCallback(&TrainingRun::Refuse, this));
            }
        }
    }

    /// Install recovery on spares, and the faults.
    void InstallFaults(ApplicationContainer ranks, const ApplicationContainer& spares)
    {
        OpusHelper* const controls = m_settings.IsLending() ? &m_opus : nullptr;
        RecoveryHelper recovery;
        const bool hasSpares = m_settings.spares.IsGiven();
        if (hasSpares)
        {
            ranks.Add(spares);
            recovery.SetControlLatency(m_settings.controlPlane.controlLatency.Get());
            recovery.SetHostLinkLatency(m_settings.controlPlane.hostLatency.Get());
            m_settings.faults.SetAttributes("ns3::RecoveryHost",
                                            recovery,
                                            &RecoveryHelper::SetHostAttribute);
            recovery.SetAgentAttribute("StateBytes", UintegerValue(m_job.GetStateBytes(m_cluster)));
            m_settings.spares.Apply(recovery);
            recovery.Install(m_cluster, m_job.MakeRecoveryJob(m_cluster), ranks, controls);
            m_recoveries->Observe(recovery, m_injector, m_recorder);
        }
        if (m_cluster.GetRerouter() && m_settings.faults.detectionTime.IsGiven())
        {
            m_cluster.GetRerouter()->SetAttribute("DetectionTime",
                                                  TimeValue(m_settings.faults.detectionTime.Get()));
        }
        if (m_settings.faults.IsGiven() || m_settings.faults.linkLoss.Get() > 0)
        {
            m_injector->Install(m_settings.faults.Get(),
                                m_cluster,
                                controls,
                                hasSpares ? &recovery : nullptr,
                                ranks,
                                m_settings.iterations.Get());
        }
    }

    /// Run the simulator. @param meter tells of it @return the simulator's events
    uint64_t RunSimulator(ProgressMeter& meter)
    {
        const uint32_t iterations = m_settings.iterations.Get();
        const auto ended = [this] { return m_recorder.GetLog().ends.size(); };
        if (m_timeline)
        {
            m_timeline->GetCounters().Start([ended, iterations] { return ended() < iterations; },
                                            [&meter] { return meter.GetEvents(); });
        }
        meter.Watch({[this] { return RunCounters::CountPackets(m_cluster); },
                     [ended, iterations] {
                         const auto current = std::min<std::size_t>(ended() + 1, iterations);
                         return "iteration " + std::to_string(current) + " of " +
                                std::to_string(iterations);
                     },
                     [this] { return GetShareDone(); },
                     [] {
                         const auto stall = StallObserver::Look();
                         return stall ? stall->commonest : "";
                     }});
        Interruption::Defer(); // from now on there are results
        Interruption::RunSimulator();
        meter.Stop();
        return Simulator::GetEventCount() - meter.GetEvents() -
               (m_timeline ? m_timeline->GetCounters().GetEvents() : 0);
    }

    /// @return share of the operations of all ranks that has ended
    double GetShareDone() const
    {
        uint64_t ended = 0;
        uint64_t all = 0;
        for (const auto& rank : m_ranks)
        {
            // A rank that has left stands still: another one has its operations.
            const bool counts = rank->IsRunning() || rank->IsFinished();
            ended += rank->GetOperationsEnded();
            all += counts ? rank->GetOperations() : 0;
        }
        return all > 0 ? static_cast<double>(ended) / static_cast<double>(all) : 0;
    }

    /// Write the profile of a shim, if it is asked for and the shim is simulated here.
    /// @return an empty string, or the reason why that was not possible
    std::string WriteProfile() const
    {
        const OutputSettings& output = m_settings.output;
        const uint32_t rank = output.profileRank.Get();
        if (!output.profile.IsSet() || !RailPartition::IsHere(m_cluster.GetGpu(rank)))
        {
            return "";
        }
        return WriteFile(output.profile.GetName(), output.profile.GetText(), [&](std::ostream& os) {
            m_opus.GetShim(rank)->WriteProfile(os);
        });
    }

    /// @param ended iterations @return an empty string, or why the job has failed or not ended
    std::string DescribeEnd(std::size_t ended) const
    {
        const uint32_t iterations = m_settings.iterations.Get();
        if (m_failure.empty() && ended < iterations && Interruption::GetSignal() != 0)
        {
            std::ostringstream text;
            text << "interrupted by " << Interruption::GetName() << " after " << std::fixed
                 << std::setprecision(6) << ToSeconds(m_end) << " s of simulated time: " << ended
                 << " of " << iterations << " iterations ended";
            return text.str();
        }
        if (m_failure.empty() && ended < iterations && m_end >= GetTimeLimit())
        {
            return "the simulated time has reached its limit of " +
                   std::to_string(GetTimeLimit().GetMilliSeconds() / 1000) + " s, with " +
                   std::to_string(ended) + " of " + std::to_string(iterations) +
                   " iterations ended";
        }
        return !m_failure.empty() || ended >= iterations
                   ? m_failure
                   : StallObserver::GetHeadline(m_stall && m_stall->isStopped,
                                                m_end,
                                                ended,
                                                iterations);
    }

    /// @return the cluster, with traces of its ports
    static RailCluster BuildCluster(const TrainingSettings& settings)
    {
        RailClusterHelper helper = settings.MakeClusterHelper();
        helper.SetProcesses(DistributedRun::GetProcesses());
        RailCluster cluster = helper.Install(settings.fabric.GetFabric());
        if (const double loss = settings.faults.linkLoss.Get(); loss > 0)
        {
            cluster.GetRerouter()->SetLossRate(loss);
        }
        cluster.StartSwitches();
        if (settings.output.pcap.IsSet())
        {
            helper.EnablePcap(settings.output.pcap.GetText(), GetNicPortsHere(cluster));
        }
        if (settings.output.ascii.IsSet())
        {
            helper.EnableAscii(settings.output.ascii.GetText(), GetNicPortsHere(cluster));
        }
        return cluster;
    }

    const TrainingSettings& m_settings;
    uint32_t m_railsKept; //!< rails whose windows are in the summary
    RailCluster m_cluster;
    TrainingJobHelper m_job;
    const RankLayout& m_layout;
    TrainingReport m_report;
    TrainingRecorder m_recorder;
    std::optional<TrainingTimeline> m_timeline; //!< if one is wanted
    RecordTables m_records;
    std::optional<StepSplitRecorder> m_split; //!< if the last step is to be split
    OpusHelper m_opus;
    LightMeter m_light;
    Ptr<FaultInjector> m_injector{CreateObject<FaultInjector>()};
    Ptr<RecoveryRecorder> m_recoveries{CreateObject<RecoveryRecorder>()};
    QueuePairMonitorHelper m_queuePairs;
    RunShare m_share;
    std::optional<StallObserver::Stall> m_stall;
    std::string m_failure;                         //!< why the job has failed; or empty
    std::string m_refusal;                         //!< of circuits, the first one; or empty
    Time m_end;                                    //!< of the simulation
    std::vector<Ptr<TrainingApplication>> m_ranks; //!< here, spares included
};

} // namespace

std::vector<Ptr<OpticalCircuitSwitch>>
GetCircuitSwitches(const RailCluster& cluster)
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
    // A policy without leases sets the circuits of all switches in every process.
    switches.erase(std::remove_if(switches.begin(),
                                  switches.end(),
                                  [](const Ptr<OpticalCircuitSwitch>& ocs) {
                                      return !RailPartition::IsHere(ocs->GetObject<Node>());
                                  }),
                   switches.end());
    return switches;
}

void
InstallCircuits(const TrainingSettings& settings,
                RailCluster& cluster,
                OpusHelper& opus,
                TrainingRecorder& recorder)
{
    if (cluster.IsPhotonic())
    {
        for (const auto& ocs : GetCircuitSwitches(cluster))
        {
            ocs->TraceConnectWithoutContext("ReconfigurationStart",
                                            MakeBoundCallback(&CountReconfiguration, &recorder));
        }
        const Variant<CircuitPolicy> policy = settings.GetPolicy();
        if (policy->IsLending())
        {
            ConfigureOpus(settings, opus);
        }
        const auto finish = policy->Install(cluster,
                                            opus,
                                            {settings.GetPlannedRanks(),
                                             cluster.GetNDomains(),
                                             cluster.GetNicPortCount(),
                                             settings.fabric.GetPortRate(),
                                             settings.GetSlotTime()});
        if (finish)
        {
            recorder.SetEnded(settings.iterations.Get(), finish);
        }
    }
    InstallAlwaysConnected(cluster, settings.fabric.hostNetwork.GetThreshold());
    const bool hasShims = !opus.GetControllers().empty();
    for (uint32_t gpu = 0; hasShims && gpu < cluster.GetNAllGpus(); ++gpu)
    {
        opus.GetShim(gpu)->TraceConnectWithoutContext("Granted",
                                                      MakeBoundCallback(&CountExposed, &recorder));
    }
}

RunSummary
TrainingExperiment::Run(std::ostream* progress, FabricProbe* probe, StepSplit* split) const
{
    const auto begin = std::chrono::steady_clock::now();
    ProgressMeter meter(progress ? *progress : std::cerr,
                        isatty(STDERR_FILENO) != 0,
                        m_settings.GetSpeedRemark(),
                        m_name);
    // The simulator of several processes takes no events from other threads.
    if (progress && DistributedRun::GetProcesses() == 1)
    {
        meter.Start();
    }
    TrainingRun run(m_settings, m_railsKept);
    const bool explainsMfu = run.MayExplainMfu();
    if (split || explainsMfu)
    {
        run.SplitStep();
    }
    run.Install(probe);
    run.Simulate(meter);
    if (probe)
    {
        probe->Stop();
    }
    RunSummary summary = run.Finish(m_phaseRule);
    if (split)
    {
        *split = run.GetSplit();
    }
    run.Gather(summary);
    if (explainsMfu)
    {
        const StepSplit last = run.GetSplit();
        summary.mfuRemark = MakeMfuRemark(m_settings.GetWorkload(), last, summary.GetMfu());
        summary.interval = StepInterval::Make(m_settings.GetWorkload(), last);
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    summary.wallSeconds = elapsed.count();
    run.WriteReport(summary);
    return summary;
}

} // namespace ns3
