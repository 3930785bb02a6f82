// SPDX-License-Identifier: GPL-2.0-only

#include "opus-random-run.h"

#include "../track-fabric.h"
#include "lambda-call.h"
#include "opus-random-job.h"
#include "opus-random-strikes.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/collective-helper.h"
#include "ns3/command-line.h"
#include "ns3/controller-standby.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/management-port.h"
#include "ns3/ocs-agent.h"
#include "ns3/opus-controller.h"
#include "ns3/opus-manager.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/pointer.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/training-application.h"
#include "ns3/training-job-helper.h"
#include "ns3/training-settings.h"
#include "ns3/uinteger.h"

#include <memory>

namespace ns3
{
namespace test
{

namespace
{

/// Carries out an OpusScenario.
class OpusRun
{
  public:
    /**
     * @param scenario jobs, control plane and trouble
     * @param before results of the run without trouble; null: this is that run
     * @param log gets a line for everything that is watched; null for none
     * @param atEnd is called before the simulation is destroyed
     */
    OpusRun(const OpusScenario& scenario,
            const OpusOutcome* before,
            std::ostream* log,
            const OpusAtEnd& atEnd = nullptr)
        : m_scenario(scenario),
          m_trouble(scenario.trouble),
          m_before(before),
          m_atEnd(atEnd)
    {
        Build();
        m_watch->SetLog(log);
        InstallOpus();
        for (uint32_t job = 0; job < scenario.jobs.size(); ++job)
        {
            InstallJob(job);
        }
        m_watch->AddControllers(m_opus);
    }

    OpusOutcome Run()
    {
        for (auto& job : m_drawn)
        {
            job->Start();
        }
        OpusStrikes strikes(m_scenario, m_cluster, m_opus, m_parts, *m_watch);
        if (m_before)
        {
            strikes.Schedule(m_before->moments);
        }
        m_opus.StopHeartbeatsWhen(
            [this] { return CheckEnded().empty() || Simulator::Now() >= Seconds(10); });
        Simulator::Run();
        OpusOutcome outcome;
        outcome.error = m_watch->GetError();
        outcome.counts = m_watch->GetCounts();
        for (const std::string& error :
             {CheckEnded(), CheckTime(), CheckCounters(strikes, outcome)})
        {
            outcome.error = outcome.error.empty() ? error : outcome.error;
        }
        outcome.moments = m_watch->GetMoments();
        const auto crashes = m_opus.GetCrashStats();
        outcome.crashes = crashes.crashes;
        outcome.takeovers = crashes.takeovers;
        for (const auto& port : m_opus.GetManagementPorts())
        {
            outcome.retransmissions += port->GetChannelStats().repeated;
        }
        for (uint32_t job = 0; job < m_parts.size(); ++job)
        {
            for (uint32_t rank = 0; rank < m_parts[job].GetNGpus(); ++rank)
            {
                outcome.speculative += m_opus.GetShim(rank, job)->GetStats().speculative;
            }
        }
        if (!m_drawn.empty())
        {
            outcome.iterations = m_drawn.front()->GetIterationEnds();
        }
        if (m_atEnd)
        {
            m_atEnd(m_opus);
        }
        m_drawn.clear();
        Simulator::Destroy();
        return outcome;
    }

  private:
    void Build()
    {
        uint32_t domains = 0;
        for (const auto& job : m_scenario.jobs)
        {
            domains += job.domains;
        }
        RailClusterHelper helper;
        helper.SetDomains(domains, m_scenario.rails);
        helper.SetNic(m_scenario.nicPorts, m_scenario.portRate);
        helper.SetFiberAttribute("Delay", TimeValue(m_scenario.fiberDelay));
        helper.SetOcsAttribute("ReconfigurationDelay", TimeValue(m_scenario.reconfigurationDelay));
        helper.SetOcsAttribute("TransceiverLockTime", TimeValue(m_scenario.lockTime));
        if (m_scenario.tracks > 0)
        {
            const uint32_t ports = domains * m_scenario.nicPorts;
            const auto fabric = TrackFabric::Make(ports, m_scenario.tracks);
            helper.SetOcsAttribute("Fabric", PointerValue(fabric));
        }
        if (m_trouble.spares > 0)
        {
            helper.SetSpareRails(m_trouble.spares, m_trouble.protection);
        }
        if (m_scenario.across)
        {
            helper.SetScaleUp("nvlink4");
        }
        if (m_scenario.threshold > 0)
        {
            helper.SetHostNetwork(DataRate("25Gbps"));
        }
        m_cluster = helper.InstallPhotonic();
        m_watch = std::make_unique<OpusWatch>(m_cluster);
        m_watch->SetThreshold(m_scenario.threshold);
        m_watch->SetWindow(m_scenario.commandWindow > 0);
        m_watch->SetLatency(m_scenario.controlLatency);
    }

    /// Set the losses and delays of the control network, the standby and the fault detection.
    void SetControlNetwork()
    {
        const auto stream = static_cast<int64_t>(1000 * m_scenario.seed);
        if (m_trouble.IsReliable())
        {
            m_opus.SetControlLoss(m_before ? m_trouble.loss : 0, stream);
        }
        if (m_before && !m_trouble.delay.IsZero())
        {
            auto delay = CreateObject<UniformRandomVariable>();
            delay->SetAttribute("Max", DoubleValue(m_trouble.delay.GetSeconds()));
            delay->SetStream(stream + 999);
            m_opus.SetControlExtraDelay(delay);
        }
        if (m_trouble.standby)
        {
            m_opus.SetStandby();
        }
        if (m_trouble.LosesSwitches())
        {
            Time end = TimeStep(1);
            for (const OpusFault& fault : m_trouble.faults)
            {
                end = m_before ? Max(end, fault.GetTime(m_before->moments) + fault.duration) : end;
            }
            m_opus.SetFaultDetection(m_trouble.detection,
                                     {{Time(0), end + 10 * m_trouble.detection}});
        }
    }

    void SetController(Ptr<OpusController> controller)
    {
        controller->SetAttribute("MessageTime", TimeValue(m_scenario.messageTime));
        controller->SetAttribute("CommandWindow", UintegerValue(m_scenario.commandWindow));
        controller->SetAttribute("Threads", UintegerValue(m_scenario.threads));
        const auto node = controller->GetNode();
        for (uint32_t i = 0; i < node->GetNApplications(); ++i)
        {
            if (auto standby = DynamicCast<ControllerStandby>(node->GetApplication(i)))
            {
                standby->SetAttribute("HeartbeatInterval", TimeValue(m_trouble.heartbeat));
            }
        }
    }

    void InstallOpus()
    {
        m_opus.SetControlLatency(m_scenario.controlLatency);
        m_opus.SetPolicy(m_scenario.policy);
        m_opus.SetControllers(m_scenario.perRail ? m_scenario.rails : 1);
        SetControlNetwork();
        m_opus.SetShimAttribute("HoldTime", TimeValue(m_scenario.holdTime));
        m_opus.SetShimAttribute("SliceGrants", UintegerValue(m_scenario.sliceGrants));
        m_opus.SetShimAttribute("DetectIterations", BooleanValue(m_scenario.detect));
        m_opus.SetShimAttribute("HostThreshold", UintegerValue(m_scenario.threshold));
        uint32_t first = 0;
        for (uint32_t job = 0; job < m_scenario.jobs.size(); ++job)
        {
            const uint32_t domains = m_scenario.jobs[job].domains;
            m_parts.push_back(m_cluster.GetPart(first, domains));
            first += domains;
            m_opus.Install(m_parts[job]);
            for (uint32_t domain = 0; domain < domains; ++domain)
            {
                for (uint32_t rail = 0; rail < m_scenario.rails; ++rail)
                {
                    const auto manager = m_opus.GetManager(domain, job, rail);
                    manager->SetAttribute("CoalesceTime", TimeValue(m_scenario.coalesceTime));
                    manager->SetAttribute("MessageTime", TimeValue(m_scenario.managerTime));
                }
                Delay(m_opus.GetManager(domain, job, 0)->GetNode(),
                      m_scenario.more[(3 * job + domain) % m_scenario.more.size()]);
            }
        }
        for (const auto& controller : m_opus.GetAllControllers())
        {
            SetController(controller);
        }
        for (uint32_t rail = 0; rail < m_scenario.rails; ++rail)
        {
            const auto agent = m_opus.GetAgent(rail);
            agent->SetAttribute("MessageTime", TimeValue(m_scenario.agentTime));
            agent->SetAttribute("CommandLatency", TimeValue(m_scenario.commandLatency));
        }
    }

    /// Delay all frames from and to a host, so that they arrive after those of others.
    static void Delay(Ptr<Node> host, Time more)
    {
        for (uint32_t i = 0; i < host->GetNDevices(); ++i)
        {
            const auto channel = host->GetDevice(i)->GetChannel();
            TimeValue delay;
            channel->GetAttribute("Delay", delay);
            channel->SetAttribute("Delay", TimeValue(delay.Get() + more));
        }
    }

    void InstallJob(uint32_t number)
    {
        const RandomJob& job = m_scenario.jobs[number];
        if (job.flags.empty())
        {
            CollectiveHelper::Install(m_parts[number]);
            m_watch->AddJob(m_parts[number],
                            m_opus,
                            job.groups,
                            m_scenario.exchange,
                            OpusJobRun::FindExchanging(job));
            m_drawn.push_back(std::make_unique<OpusJobRun>(job,
                                                           number,
                                                           m_parts[number],
                                                           m_opus,
                                                           m_scenario.exchange));
            m_drawn.back()->SetHosts(m_scenario);
            return;
        }
        TrainingSettings settings;
        CommandLine cmd;
        settings.AddFlags(cmd);
        cmd.Parse(job.flags);
        const std::string error = settings.Check();
        NS_ABORT_MSG_UNLESS(error.empty(), m_scenario.ToText() << ": " << error);
        TrainingJobHelper helper(settings.GetWorkload());
        helper.SetIterations(job.iterations);
        helper.SetJitter(0.1);
        helper.SetHostRunAhead(m_scenario.hosts);
        const auto ranks = helper.Install(m_parts[number]);
        TrainingJobHelper::AssignStreams(ranks, 100 * number);
        m_watch->AddJob(m_parts[number], m_opus, helper.GetLayout(m_parts[number]).GetGroups());
        m_trained.Add(ranks);
    }

    /**
     * @brief Check that trouble costs no more than its duration, reordered and wasted work, and
     * time-outs: of control frames, and of the last packet of a message that lost light.
     * @return an empty string, or the time that was too long
     */
    std::string CheckTime() const
    {
        if (!m_before)
        {
            return "";
        }
        const Time timeout = Max(MilliSeconds(1), 4 * m_scenario.controlLatency);
        Time bound = 3 * m_before->counts.end;
        for (const OpusFault& fault : m_trouble.faults)
        {
            bound += fault.duration + 4 * timeout + m_trouble.detection + m_trouble.protection;
            bound += (m_trouble.standby ? 8 : 0) * m_trouble.heartbeat;
        }
        uint64_t repeated = 0;
        for (const auto& port : m_opus.GetManagementPorts())
        {
            repeated += port->GetChannelStats().timeouts;
        }
        bound += static_cast<int64_t>(repeated) * 20 * timeout;
        const Time rdma = 2 * NanoSeconds(67108864); // RdmaQueuePair::MinTimeout, and a back-off
        bound += static_cast<int64_t>(CountRdmaTimeouts()) * rdma;
        const Time end = m_watch->GetCounts().end;
        return end > bound ? "the last call ends at " + std::to_string(end.GetPicoSeconds()) +
                                 " ps, after " + std::to_string(bound.GetPicoSeconds()) + " ps"
                           : "";
    }

    /// @return number of time-outs of queue pairs
    uint64_t CountRdmaTimeouts() const
    {
        uint64_t timeouts = 0;
        for (uint32_t gpu = 0; gpu < m_cluster.GetNGpus(); ++gpu)
        {
            timeouts += m_cluster.GetNic(gpu)->GetQueuePairStatistics().timeouts;
        }
        return timeouts;
    }

    std::string CheckEnded() const
    {
        for (std::size_t job = 0; job < m_drawn.size(); ++job)
        {
            if (const auto error = m_drawn[job]->CheckEnded(); !error.empty())
            {
                return "deadlock: job " + std::to_string(job) + ": " + error;
            }
        }
        for (uint32_t i = 0; i < m_trained.GetN(); ++i)
        {
            if (!DynamicCast<TrainingApplication>(m_trained.Get(i))->IsFinished())
            {
                return "deadlock: rank " + std::to_string(i) + " of a training job has not ended";
            }
        }
        return "";
    }

    std::string CheckCounters(const OpusStrikes& strikes, OpusOutcome& outcome) const
    {
        for (const auto& controller : m_opus.GetControllers())
        {
            const auto stats = controller->GetStats();
            outcome.cacheHits += stats.cacheHits;
            outcome.recalls += stats.recalls;
            outcome.delayed += stats.delayed;
            // Commands to a rail that has been rebuilt meanwhile are reported in vain.
            const bool isKnown = m_watch->GetCounts().rebuilds == 0;
            if ((isKnown && stats.malformed + stats.foreign > 0) || stats.refusals > 0)
            {
                return "the controller has " + std::to_string(stats.malformed) + " malformed and " +
                       std::to_string(stats.foreign) + " foreign messages, and refuses " +
                       std::to_string(stats.refusals);
            }
        }
        for (uint32_t rail = 0; rail < m_scenario.rails; ++rail)
        {
            if (m_cluster.GetOcs(rail)->GetFramesLost() > 0 && !m_watch->HasLostLight(rail))
            {
                return "frames are lost at a switch";
            }
        }
        if (const auto error = CheckBytes(strikes, outcome); !error.empty())
        {
            return error;
        }
        for (const auto& job : m_drawn)
        {
            if (const auto error = job->CheckVolumes(m_scenario.threshold); !error.empty())
            {
                return error;
            }
        }
        return "";
    }

    std::string CheckBytes(const OpusStrikes& strikes, OpusOutcome& outcome) const
    {
        RdmaQueuePair::Statistics sum;
        for (uint32_t gpu = 0; gpu < m_cluster.GetNGpus(); ++gpu)
        {
            const auto rails = m_cluster.GetNic(gpu)->GetQueuePairStatistics();
            sum.bytesPosted += rails.bytesPosted;
            sum.bytesDelivered += rails.bytesDelivered;
            const uint32_t rail = m_cluster.GetRailOf(gpu);
            const bool isHurt = m_watch->HasLostLight(rail) || strikes.HasFlapped(rail);
            const uint64_t again = rails.retransmissions + rails.timeouts + rails.naksSent;
            if ((again > 0 && !isHurt) || rails.bytesFailed > 0)
            {
                return "rank " + std::to_string(gpu) + " has sent something twice";
            }
            if (const auto host = m_cluster.GetHostNic(gpu))
            {
                const auto hosts = host->GetQueuePairStatistics();
                outcome.hostBytes += hosts.bytesPosted;
                sum.bytesPosted += hosts.bytesPosted;
                sum.bytesDelivered += hosts.bytesDelivered;
            }
        }
        if (sum.bytesPosted != sum.bytesDelivered)
        {
            return std::to_string(sum.bytesPosted) + " B are posted and " +
                   std::to_string(sum.bytesDelivered) + " B delivered";
        }
        return "";
    }

    const OpusScenario& m_scenario;
    const OpusTrouble& m_trouble;
    const OpusOutcome* m_before;
    OpusAtEnd m_atEnd;
    RailCluster m_cluster;
    OpusHelper m_opus;
    std::vector<RailCluster> m_parts;
    std::unique_ptr<OpusWatch> m_watch;
    std::vector<std::unique_ptr<OpusJobRun>> m_drawn;
    ApplicationContainer m_trained;
};

} // namespace

OpusOutcome
RunOpus(const OpusScenario& scenario, std::ostream* log, const OpusAtEnd& atEnd)
{
    const OpusOutcome quiet = OpusRun(scenario, nullptr, log).Run();
    if (!scenario.trouble.IsAny() || !quiet.error.empty())
    {
        return quiet;
    }
    return OpusRun(scenario, &quiet, log, atEnd).Run();
}

} // namespace test
} // namespace ns3
