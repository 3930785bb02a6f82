// SPDX-License-Identifier: GPL-2.0-only

#include "opus-random-run.h"

#include "lambda-call.h"
#include "opus-random-job.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/collective-helper.h"
#include "ns3/command-line.h"
#include "ns3/double.h"
#include "ns3/enum.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"
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
     * @param scenario what runs
     * @param before what it has shown without trouble; null: without it
     * @param log gets a line for everything that is watched; null for none
     */
    OpusRun(const OpusScenario& scenario, const OpusOutcome* before, std::ostream* log)
        : m_scenario(scenario),
          m_trouble(scenario.trouble),
          m_before(before)
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
        for (const OpusFault& fault : m_trouble.faults)
        {
            if (m_before)
            {
                ScheduleCall(GetTime(fault), [this, &fault] { Strike(fault); });
            }
        }
        m_opus.StopHeartbeatsWhen(
            [this] { return CheckEnded().empty() || Simulator::Now() > Seconds(10); });
        Simulator::Run();
        OpusOutcome outcome;
        outcome.error = m_watch->GetError();
        for (const std::string& error : {CheckEnded(), CheckCounters(outcome)})
        {
            outcome.error = outcome.error.empty() ? error : outcome.error;
        }
        outcome.counts = m_watch->GetCounts();
        outcome.moments = m_watch->GetMoments();
        const auto lives = m_opus.GetLives();
        outcome.crashes = lives.crashes;
        outcome.takeovers = lives.takeovers;
        for (const auto& port : m_opus.GetManagementPorts())
        {
            outcome.retransmissions += port->GetChannelStats().repeated;
        }
        if (!m_drawn.empty())
        {
            outcome.iterations = m_drawn.front()->GetIterationEnds();
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
        helper.SetFibreAttribute("Delay", TimeValue(m_scenario.fibreDelay));
        helper.SetOcsAttribute("ReconfigurationDelay", TimeValue(m_scenario.reconfigurationDelay));
        helper.SetOcsAttribute("TransceiverLockTime", TimeValue(m_scenario.lockTime));
        if (m_scenario.threshold > 0)
        {
            helper.SetHostNetwork(DataRate("25Gbps"));
        }
        m_cluster = helper.InstallPhotonic();
        m_watch = std::make_unique<OpusWatch>(m_cluster);
        m_watch->SetThreshold(m_scenario.threshold);
        m_watch->SetWindow(m_scenario.commandWindow > 0);
        if (m_trouble.IsAny())
        {
            m_watch->KeepHistory();
        }
    }

    /// Say what the control network may do to frames.
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
    }

    void SetController(Ptr<OpusController> controller)
    {
        controller->SetAttribute("MessageTime", TimeValue(m_scenario.messageTime));
        controller->SetAttribute("CommandWindow", UintegerValue(m_scenario.commandWindow));
        controller->SetAttribute("Threads", UintegerValue(m_scenario.threads));
        controller->SetAttribute("LogWriteTime", TimeValue(m_trouble.writeTime));
        if (m_trouble.standby)
        {
            controller->SetAttribute("HeartbeatInterval", TimeValue(m_trouble.heartbeat));
        }
        else if (m_trouble.Has(OpusFault::CRASH))
        {
            controller->SetLog(Create<ControllerLog>());
        }
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
        m_opus.SetPolicy(FindCircuitPolicy(m_scenario.policy));
        m_opus.SetControllerPerRail(m_scenario.perRail);
        SetControlNetwork();
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

    /// Let all that a host says and hears take longer, so that it comes behind what others say.
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
        const OpusJob& job = m_scenario.jobs[number];
        if (job.flags.empty())
        {
            CollectiveHelper::Install(m_parts[number]);
            m_watch->AddJob(m_parts[number], m_opus, job.groups);
            m_drawn.push_back(std::make_unique<OpusJobRun>(job, number, m_parts[number], m_opus));
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
        const auto ranks = helper.Install(m_parts[number]);
        TrainingJobHelper::AssignStreams(ranks, 100 * number);
        m_watch->AddJob(m_parts[number], m_opus, helper.GetMesh(m_parts[number]).GetGroups());
        m_trained.Add(ranks);
    }

    /// @return when a fault strikes
    Time GetTime(const OpusFault& fault) const
    {
        const auto& moments = m_before->moments;
        const Time at = moments[fault.place * moments.size() / 1000] + fault.after;
        return Max(at, TimeStep(1)); // all have been started
    }

    /// Let something break.
    void Strike(const OpusFault& fault)
    {
        switch (fault.kind)
        {
        case OpusFault::CRASH:
        case OpusFault::DEATH:
            Crash(fault);
            break;
        case OpusFault::SHIM: {
            const auto job = static_cast<uint32_t>(fault.component % m_parts.size());
            const auto number = fault.component / m_parts.size() % m_parts[job].GetNGpus();
            const auto rank = static_cast<uint32_t>(number);
            const auto shim = m_opus.GetShim(rank, job);
            m_watch->LoseShim(job, rank);
            shim->Fail();
            ScheduleCall(fault.duration, [shim] { shim->Restart(); });
            break;
        }
        default:
            break;
        }
    }

    /// Let the controller that acts crash, and not come back if there is another one.
    void Crash(const OpusFault& fault)
    {
        const auto acting = m_opus.GetControllers();
        const std::size_t plane = fault.component % acting.size();
        const auto all = m_opus.GetAllControllers();
        const bool isFirst = all[plane * (all.size() / acting.size())] == acting[plane];
        if (fault.kind == OpusFault::DEATH && isFirst)
        {
            acting[plane]->Die();
        }
        else
        {
            acting[plane]->Crash(fault.duration);
        }
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

    std::string CheckCounters(OpusOutcome& outcome) const
    {
        for (const auto& controller : m_opus.GetControllers())
        {
            const auto stats = controller->GetStats();
            outcome.cacheHits += stats.cacheHits;
            outcome.recalls += stats.recalls;
            outcome.delayed += stats.delayed;
            if (stats.malformed + stats.foreign + stats.refusals > 0)
            {
                return "the controller cannot read a message, or refuses";
            }
        }
        for (uint32_t rail = 0; rail < m_scenario.rails; ++rail)
        {
            if (m_cluster.GetOcs(rail)->GetFramesLost() > 0)
            {
                return "frames are lost at a switch";
            }
        }
        if (const auto error = CheckBytes(outcome); !error.empty())
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

    std::string CheckBytes(OpusOutcome& outcome) const
    {
        RdmaQueuePair::Statistics sum;
        for (uint32_t gpu = 0; gpu < m_cluster.GetNGpus(); ++gpu)
        {
            const auto rails = m_cluster.GetNic(gpu)->GetQueuePairStatistics();
            sum.bytesPosted += rails.bytesPosted;
            sum.bytesDelivered += rails.bytesDelivered;
            if (rails.retransmissions + rails.timeouts + rails.naksSent + rails.bytesFailed > 0)
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
    RailCluster m_cluster;
    OpusHelper m_opus;
    std::vector<RailCluster> m_parts;
    std::unique_ptr<OpusWatch> m_watch;
    std::vector<std::unique_ptr<OpusJobRun>> m_drawn;
    ApplicationContainer m_trained;
};

} // namespace

OpusOutcome
RunOpus(const OpusScenario& scenario, std::ostream* log)
{
    const OpusOutcome quiet = OpusRun(scenario, nullptr, log).Run();
    if (!scenario.trouble.IsAny() || !quiet.error.empty())
    {
        return quiet;
    }
    return OpusRun(scenario, &quiet, log).Run();
}

} // namespace test
} // namespace ns3
