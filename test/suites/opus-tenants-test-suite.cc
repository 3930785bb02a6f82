// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Two jobs on one cluster, and an adversary that owns a part of the first or a node of its own.
 *
 * PHOTONIC_RAILS_DIFFERENTIAL=tenants:12 runs one seed with all adversaries.
 *
 * Covers model/opus/controller
 * Covers model/opus/network
 * Covers model/opus/agent
 */

#include "../random-search.h"
#include "differential-case.h"
#include "lambda-call.h"
#include "opus-adversary.h"
#include "opus-random-job.h"
#include "opus-random-scenario.h"
#include "picosecond-test-case.h"

#include "ns3/collective-helper.h"
#include "ns3/management-port.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/opus-controller.h"
#include "ns3/opus-manager.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

/// The component that the adversary controls.
enum class Owned
{
    NOTHING,
    SHIM,    //!< of a rank of job 0
    MANAGER, //!< of a domain of job 0, on the management network
    HOST,    //!< of a domain of job 0, on the link to a GPU
    NODE,    //!< on the management network, of no job
};

const std::map<Owned, std::string> OWNED_NAMES{{Owned::SHIM, "shim"},
                                               {Owned::MANAGER, "manager"},
                                               {Owned::HOST, "host"},
                                               {Owned::NODE, "stranger"}};

/// The results of a run for job 1.
struct TenantOutcome
{
    std::string error;    //!< what went wrong first, or empty
    Time end;             //!< of the last iteration
    uint64_t inputs{0};   //!< messages of job 1 that the controller processed
    uint64_t frames{0};   //!< of the adversary
    uint64_t bytes{0};    //!< of the adversary
    uint64_t commands{0}; //!< to switches for job 0
    uint64_t refused{0};  //!< messages that the controller did not accept
};

/// Runs two jobs.
class TenantRun
{
  public:
    static constexpr uint32_t ATTACKED = 1; //!< job that must not notice anything

    /**
     * @param scenario two drawn jobs
     * @param owned component that the adversary controls
     * @param until time at which the adversary ends; the simulation ends ten times later
     */
    TenantRun(const OpusScenario& scenario, Owned owned, Time until)
        : m_scenario(scenario),
          m_until(until)
    {
        Build();
        if (owned != Owned::NOTHING)
        {
            InstallAdversary(owned);
        }
        Observe();
    }

    TenantOutcome Run()
    {
        for (const auto& job : m_jobs)
        {
            job->Start();
        }
        if (m_adversary)
        {
            constexpr uint32_t bursts = 150;
            m_adversary->Start(bursts, m_until * int64_t{2} / int64_t{bursts});
        }
        Simulator::Stop(m_until * int64_t{10} + Seconds(1));
        Simulator::Run();
        TenantOutcome& outcome = m_outcome;
        Fail(m_jobs[ATTACKED]->CheckEnded());
        for (const auto& controller : m_opus.GetAllControllers())
        {
            Fail(controller->GetScheduler().CheckInvariants());
            outcome.refused += controller->GetStats().foreign + controller->GetStats().malformed;
        }
        const auto& ends = m_jobs[ATTACKED]->GetIterationEnds();
        outcome.end = ends.back();
        if (m_adversary)
        {
            outcome.frames = m_adversary->GetFrames();
            outcome.bytes = m_adversary->GetBytes();
        }
        m_jobs.clear();
        m_adversary.reset();
        Simulator::Destroy();
        return outcome;
    }

  private:
    void Fail(const std::string& error)
    {
        m_outcome.error = m_outcome.error.empty() ? error : m_outcome.error;
    }

    void Build()
    {
        RailClusterHelper helper;
        helper.SetDomains(m_scenario.jobs[0].domains + m_scenario.jobs[1].domains,
                          m_scenario.rails);
        helper.SetNic(m_scenario.nicPorts, m_scenario.portRate);
        helper.SetFiberAttribute("Delay", TimeValue(m_scenario.fiberDelay));
        helper.SetOcsAttribute("ReconfigurationDelay", TimeValue(m_scenario.reconfigurationDelay));
        m_cluster = helper.InstallPhotonic();
        m_opus.SetControlLatency(m_scenario.controlLatency);
        m_opus.SetPolicy(m_scenario.policy);
        m_opus.SetControllerAttribute("MessageTime", TimeValue(m_scenario.messageTime));
        if (m_scenario.seed % 2 == 0)
        {
            m_opus.SetControlLoss(0, 0); // a reliable network
        }
        if (m_scenario.seed % 4 == 0)
        {
            m_opus.SetStandby();
        }
        if (m_scenario.seed % 3 == 0)
        {
            m_opus.SetFaultDetection(MilliSeconds(10), {{Time(0), Max(m_until, MilliSeconds(1))}});
        }
        uint32_t first = 0;
        for (uint32_t job = 0; job < 2; ++job)
        {
            m_parts.push_back(m_cluster.GetPart(first, m_scenario.jobs[job].domains));
            first += m_scenario.jobs[job].domains;
            m_opus.Install(m_parts[job]);
            CollectiveHelper::Install(m_parts[job]);
            m_jobs.push_back(std::make_unique<OpusJobRun>(m_scenario.jobs[job],
                                                          job,
                                                          m_parts[job],
                                                          m_opus,
                                                          m_scenario.exchange));
        }
        for (uint32_t gpu = 0; gpu < m_parts[ATTACKED].GetNGpus(); ++gpu)
        {
            const uint32_t rail = m_parts[ATTACKED].GetRailOf(gpu);
            for (const uint32_t port : m_parts[ATTACKED].GetOcsPorts(gpu))
            {
                m_ports.insert({rail, port});
            }
        }
        m_opus.StopHeartbeatsWhen([this] { return m_jobs[ATTACKED]->CheckEnded().empty(); });
    }

    /// @return the device of the link between a GPU of job 0 and its host
    Ptr<NetDevice> GetHostLink() const
    {
        const auto node = m_parts[0].GetGpu(0);
        for (uint32_t i = 0; i < node->GetNDevices(); ++i)
        {
            if (DynamicCast<PointToPointNetDevice>(node->GetDevice(i)))
            {
                return node->GetDevice(i);
            }
        }
        return nullptr;
    }

    void InstallAdversary(Owned owned)
    {
        const auto host = m_opus.GetManager(0, 0)->GetNode();
        Ptr<Node> node = host;
        if (owned == Owned::NODE)
        {
            node = CreateObject<Node>();
            m_opus.AttachNode(node);
        }
        Ptr<NetDevice> device = node->GetDevice(node->GetNDevices() - 1);
        if (owned == Owned::SHIM || owned == Owned::HOST)
        {
            const auto link = GetHostLink();
            const auto channel = link->GetChannel();
            const uint32_t far = channel->GetDevice(0) == link ? 1 : 0;
            device = owned == Owned::SHIM ? link : channel->GetDevice(far);
        }
        m_adversary = std::make_unique<OpusAdversary>(m_scenario.seed, 2, device);
        if (owned == Owned::MANAGER || owned == Owned::NODE)
        {
            OpusAdversary::Victims victims;
            victims.reliable = m_scenario.seed % 2 == 0 || m_scenario.seed % 4 == 0;
            for (const auto& port : m_opus.GetManagementPorts())
            {
                // Most to those of Opus: agents, controllers and managers.
                for (const uint16_t udp : {5811,
                                           5811,
                                           5811,
                                           5812,
                                           5812,
                                           5812,
                                           5812,
                                           5812,
                                           5812,
                                           5813,
                                           5813,
                                           5813,
                                           5814,
                                           5815,
                                           5816,
                                           5817,
                                           5912})
                {
                    victims.receivers.emplace_back(port->GetAddress(), udp);
                }
            }
            for (uint32_t more = 0; more < 100; ++more)
            {
                const auto controller = m_opus.GetController()->GetNode();
                victims.receivers.emplace_back(
                    controller->GetObject<ManagementPort>()->GetAddress(),
                    5812);
            }
            const uint16_t own = GetApplicationPort(m_opus.GetManager(0, 0));
            m_adversary->SetNetwork(
                InetSocketAddress(node->GetObject<ManagementPort>()->GetAddress(), own),
                victims);
        }
    }

    void Observe()
    {
        for (const auto& controller : m_opus.GetAllControllers())
        {
            const auto learn = [this](const OpusMessage& message) {
                if (m_adversary)
                {
                    m_adversary->GetMessages().Learn(message);
                }
            };
            controller->TraceConnectWithoutContext(
                "Rx",
                ToCallback<const OpusMessage&>([this, learn](const OpusMessage& message) {
                    learn(message);
                    m_outcome.inputs += message.GetRank()->job == ATTACKED ? 1 : 0;
                }));
            controller->TraceConnectWithoutContext("Tx", ToCallback<const OpusMessage&>(learn));
            controller->TraceConnectWithoutContext(
                "ReconfigurationBegin",
                ToCallback<uint32_t, uint64_t, uint32_t, const CircuitSet&, const CircuitSet&>(
                    [this, learn](uint32_t job,
                                  uint64_t,
                                  uint32_t rail,
                                  const CircuitSet& drop,
                                  const CircuitSet& make) {
                        OpusCommand command;
                        command.number = m_outcome.commands;
                        command.drop = drop;
                        command.make = make;
                        learn(command);
                        Commanded(job, rail, drop, make);
                    }));
        }
        for (uint32_t rail = 0; rail < m_scenario.rails; ++rail)
        {
            m_cluster.GetOcs(rail)->TraceConnectWithoutContext(
                "BitsLost",
                ToCallback<Ptr<const OpticalCircuitSwitch>,
                           uint32_t,
                           uint64_t,
                           OpticalCircuitSwitch::LossReason>(
                    [this, rail](Ptr<const OpticalCircuitSwitch>,
                                 uint32_t port,
                                 uint64_t,
                                 OpticalCircuitSwitch::LossReason) {
                        if (m_ports.count({rail, port}) > 0)
                        {
                            Fail("light of job 1 is lost");
                        }
                    }));
            m_cluster.GetOcs(rail)->TraceConnectWithoutContext(
                "ReconfigurationStart",
                ToCallback<Ptr<const OpticalCircuitSwitch>, const CircuitSet&, const CircuitSet&>(
                    [this, rail](Ptr<const OpticalCircuitSwitch>,
                                 const CircuitSet& drop,
                                 const CircuitSet& make) { Switched(rail, drop, make); }));
        }
    }

    /// The controller commands a switch.
    void Commanded(uint32_t job, uint32_t rail, const CircuitSet& drop, const CircuitSet& make)
    {
        m_outcome.commands += job != ATTACKED ? 1 : 0;
        for (const CircuitSet* circuits : {&drop, &make})
        {
            for (const Circuit& circuit : *circuits)
            {
                if (job != ATTACKED &&
                    (m_ports.count({rail, circuit.a}) > 0 || m_ports.count({rail, circuit.b}) > 0))
                {
                    Fail("job 0 moves circuits of job 1");
                }
                ++(circuits == &make ? m_commanded : m_dropped)[{rail, circuit.a}];
            }
        }
    }

    /// A switch changes circuits.
    void Switched(uint32_t rail, const CircuitSet& drop, const CircuitSet& make)
    {
        for (const CircuitSet* circuits : {&drop, &make})
        {
            for (const Circuit& circuit : *circuits)
            {
                auto& left = (circuits == &make ? m_commanded : m_dropped)[{rail, circuit.a}];
                if (m_ports.count({rail, circuit.a}) > 0 && left-- == 0)
                {
                    Fail("a switch moves circuits of job 1, and no controller has said so");
                }
            }
        }
    }

    const OpusScenario& m_scenario;
    Time m_until;
    RailCluster m_cluster;
    OpusHelper m_opus;
    std::vector<RailCluster> m_parts;
    std::vector<std::unique_ptr<OpusJobRun>> m_jobs;
    std::unique_ptr<OpusAdversary> m_adversary;
    std::set<std::pair<uint32_t, uint32_t>> m_ports; //!< of job 1: rail and port
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> m_commanded;
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> m_dropped;
    TenantOutcome m_outcome;
};

/** All adversaries, in all seeds. */
class TenantsTestCase : public PicosecondTestCase
{
  public:
    TenantsTestCase()
        : PicosecondTestCase("An adversary in one job does not disturb another job")
    {
    }

  private:
    /// @return the first scenario from a seed on with two drawn jobs on switches that block nothing
    static OpusScenario MakeScenario(uint64_t seed)
    {
        for (uint64_t number = 1000 * seed;; ++number)
        {
            OpusScenario scenario = OpusScenario::Make(number);
            const auto& jobs = scenario.jobs;
            if (jobs.size() == 2 && jobs[0].flags.empty() && jobs[1].flags.empty() &&
                scenario.tracks == 0 && jobs[1].steps.size() > 0)
            {
                scenario.seed = seed;
                return scenario;
            }
        }
    }

    void DoRun() override
    {
        const SeedRange seeds = SeedRange::Make("tenants", 200);
        std::map<std::string, uint64_t> failures;
        uint64_t runs = 0;
        uint64_t frames = 0;
        uint64_t refused = 0;
        double worst = 0;
        for (uint64_t seed = seeds.first; seed <= seeds.last; ++seed)
        {
            const OpusScenario scenario = MakeScenario(seed);
            const auto quiet = TenantRun(scenario, Owned::NOTHING, Seconds(1)).Run();
            NS_TEST_EXPECT_MSG_EQ(quiet.error, "", "seed " << seed);
            for (const auto& [owned, name] : OWNED_NAMES)
            {
                const auto outcome = TenantRun(scenario, owned, quiet.end).Run();
                ++runs;
                frames += outcome.frames;
                refused += outcome.refused;
                std::string error = outcome.error;
                const Time bound = GetBound(scenario, quiet, outcome);
                if (error.empty() && outcome.end > bound)
                {
                    error = "job 1 takes too long";
                }
                worst = std::max(worst,
                                 Max(outcome.end - quiet.end, Time()).GetSeconds() /
                                     (bound - quiet.end).GetSeconds());
                if (!error.empty())
                {
                    ++failures[name + ": " + error.substr(0, 70)];
                    std::cout << "tenants:" << seed << ", " << name << ": " << error << "; "
                              << quiet.end.As(Time::US) << " quiet, " << outcome.end.As(Time::US)
                              << " attacked, bound " << bound.As(Time::US) << std::endl;
                }
            }
        }
        std::cout << runs << " runs, " << frames << " frames of adversaries, " << refused
                  << " messages refused, largest delay " << 100 * worst << " % of the bound"
                  << std::endl;
        for (const auto& [what, count] : failures)
        {
            std::cout << "  " << count << " runs: " << what << std::endl;
        }
        NS_TEST_EXPECT_MSG_EQ(failures.size(), 0u, "job 1 is disturbed");
        NS_TEST_EXPECT_MSG_GT(frames, 100 * runs, "adversaries send frames");
    }

    /**
     * @return the latest end of job 1: each of its messages waits for the service of one message of
     * every other sender in turn, and for the frames of the adversary on the network; requests in
     * another order may cost other phases.
     */
    static Time GetBound(const OpusScenario& scenario,
                         const TenantOutcome& quiet,
                         const TenantOutcome& outcome)
    {
        constexpr int64_t others = 3; // job 0, the infrastructure, and senders that nobody knows
        const Time service = scenario.messageTime * others;
        const Time frames = PicoSeconds(800 * (outcome.bytes + 92 * outcome.frames));
        return quiet.end * int64_t{3} / int64_t{2} +
               service * static_cast<int64_t>(outcome.inputs + quiet.inputs) + frames +
               MicroSeconds(1);
    }
};

/** The test suite. */
class OpusTenantsTestSuite : public TestSuite
{
  public:
    OpusTenantsTestSuite()
        : TestSuite("photonic-rails-opus-tenants", Type::SYSTEM)
    {
        AddTestCase(new TenantsTestCase);
    }
};

OpusTenantsTestSuite g_opusTenantsTestSuite; //!< static registration

} // namespace
