// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The Opus control plane from end to end: shims, managers, controller, agent and switch on packets.
 * The ranks' collectives are a model, so that every time can be computed by hand.
 */

#include "lambda-call.h"

#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/management-network-helper.h"
#include "ns3/management-port.h"
#include "ns3/node-container.h"
#include "ns3/ocs-agent.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/opus-controller.h"
#include "ns3/opus-manager.h"
#include "ns3/opus-shim.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** The sides of a square of four ranks, and all of them. */
enum Groups : uint32_t
{
    TOP,    //!< ranks 0 and 1
    BOTTOM, //!< ranks 2 and 3
    LEFT,   //!< ranks 0 and 2
    RIGHT,  //!< ranks 1 and 3
    WORLD,  //!< all ranks
};

/** A step of a rank's program. */
struct Step
{
    CollectiveCall call;        //!< what it calls
    Time think;                 //!< how long it computes before
    bool endOfIteration{false}; //!< whether the hook is called after it
};

/** Base of the cases: two hosts of two GPUs, one switch, one controller. */
class OpusTestCase : public TestCase
{
  public:
    /** @param name of the case */
    explicit OpusTestCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    static constexpr uint32_t RANKS = 4; //!< two on each host

    /** Build the nodes. @param provisioning whether shims predict */
    void Build(bool provisioning)
    {
        m_groups[TOP] = ProcessGroup{TOP, {0, 1}};
        m_groups[BOTTOM] = ProcessGroup{BOTTOM, {2, 3}};
        m_groups[LEFT] = ProcessGroup{LEFT, {0, 2}};
        m_groups[RIGHT] = ProcessGroup{RIGHT, {1, 3}};
        m_groups[WORLD] = ProcessGroup{WORLD, {0, 1, 2, 3}};
        m_programs.resize(RANKS);
        NodeContainer nodes(RANKS + 4);
        m_controller = CreateObject<OpusController>();
        nodes.Get(RANKS)->AddApplication(m_controller);
        m_ocs = CreateObject<OpticalCircuitSwitch>();
        m_ocs->SetAttribute("Radix", UintegerValue(2 * RANKS));
        m_ocs->SetAttribute("ReconfigurationDelay", TimeValue(SWITCHING));
        m_ocs->SetAttribute("TransceiverLockTime", TimeValue(Time(0)));
        nodes.Get(RANKS + 1)->AggregateObject(m_ocs);
        m_agent = CreateObject<OcsAgent>();
        nodes.Get(RANKS + 1)->AddApplication(m_agent);

        ManagementNetworkHelper network;
        network.SetRate(DataRate("100Gbps"));
        network.SetLatency(NETWORK);
        const Ipv4Address controller = network.Attach(nodes.Get(RANKS));
        m_controller->GetJobs().GetPlaces().AddSwitch(
            0,
            InetSocketAddress(network.Attach(nodes.Get(RANKS + 1)), 5811));
        for (uint32_t i = RANKS + 2; i < RANKS + 4; ++i)
        {
            network.Attach(nodes.Get(i));
            Ptr<OpusManager> manager = CreateObject<OpusManager>();
            manager->SetController(InetSocketAddress(controller, 5812));
            nodes.Get(i)->AddApplication(manager);
            m_managers.push_back(manager);
        }
        BuildRanks(nodes, provisioning);
    }

    /** Build the applications of the GPUs. @param nodes all nodes @param provisioning as for Build
     */
    void BuildRanks(const NodeContainer& nodes, bool provisioning)
    {
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue("100Gbps"));
        link.SetChannelAttribute("Delay", TimeValue(HOST_LINK));
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            const auto devices = link.Install(nodes.Get(rank), nodes.Get(RANKS + 2 + rank / 2));
            Ptr<OpusShim> shim = CreateObject<OpusShim>();
            shim->SetAttribute("Provisioning", BooleanValue(provisioning));
            shim->SetRank(0, rank);
            shim->SetHostLink(devices.Get(0));
            nodes.Get(rank)->AddApplication(shim);
            m_managers[rank / 2]->AddHostLink(devices.Get(1));
            m_controller->GetJobs().AddRank(0, rank, {{0, 2 * rank}, {0, 2 * rank + 1}});
            shim->GetProvider()->SetTraffic(
                {ToCallback<uint32_t, Callback<void>>([this](uint32_t, Callback<void> drained) {
                     ++m_suspended;
                     drained();
                 }),
                 ToCallback<uint32_t>([this](uint32_t) { ++m_resumed; })});
            m_shims.push_back(shim);
        }
    }

    /** Run all programs. @param end when to stop at the latest */
    void Run(Time end)
    {
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            ScheduleCall(START, [this, rank] { Next(rank); });
        }
        Simulator::Stop(end);
        Simulator::Run();
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            NS_TEST_EXPECT_MSG_EQ(m_programs[rank].size(), 0u, "rank " << rank << " is not done");
        }
        NS_TEST_EXPECT_MSG_EQ(m_controller->GetStats().malformed, 0u, "nothing is malformed");
        NS_TEST_EXPECT_MSG_EQ(m_agent->GetMalformed(), 0u, "nothing is malformed");
        for (const auto& manager : m_managers)
        {
            NS_TEST_EXPECT_MSG_EQ(manager->GetMalformed(), 0u, "nothing is malformed");
        }
    }

    /** Give every rank of a group a collective. @param id group @param think computing before
     * @param last whether an iteration ends with it */
    void AddCollective(uint32_t id, Time think, bool last = false)
    {
        const CollectiveCall call{CollectiveKind::ALL_REDUCE, id, 1000, 0};
        for (uint32_t rank : m_groups[id].ranks)
        {
            m_programs[rank].push_back(Step{call, think, last});
        }
    }

    /** Make the next call of a rank. @param rank the rank */
    void Next(uint32_t rank)
    {
        if (m_programs[rank].empty())
        {
            return;
        }
        ScheduleCall(m_programs[rank].front().think, [this, rank] {
            const CollectiveCall call = m_programs[rank].front().call;
            const Time asked = Simulator::Now();
            m_shims[rank]->GetProvider()->Request(
                m_groups[call.groupId],
                call,
                ToCallback([this, rank, asked] { Granted(rank, asked); }));
        });
    }

    /** A call may send. @param rank its rank @param asked when it was made */
    void Granted(uint32_t rank, Time asked)
    {
        const CollectiveCall call = m_programs[rank].front().call;
        m_waits[rank].push_back(Simulator::Now() - asked);
        NS_TEST_EXPECT_MSG_EQ(HasLight(call.groupId) || call.kind == CollectiveKind::RECV,
                              true,
                              "granted in the dark");
        auto& arrived = m_arrived[{call.groupId, m_calls[{rank, call.groupId}]++}];
        arrived.insert(rank);
        if (arrived.size() == m_groups[call.groupId].ranks.size())
        {
            for (uint32_t member : arrived)
            {
                ScheduleCall(DURATION, [this, member] { End(member); });
            }
        }
    }

    /** A call has ended. @param rank its rank */
    void End(uint32_t rank)
    {
        const Step step = m_programs[rank].front();
        m_programs[rank].pop_front();
        m_shims[rank]->GetProvider()->Release(m_groups[step.call.groupId], step.call);
        if (step.endOfIteration)
        {
            m_shims[rank]->NotifyIterationEnd();
        }
        Next(rank);
    }

    /** @param id a group of two @return true if its circuits carry light */
    bool HasLight(uint32_t id)
    {
        for (uint32_t rank : m_groups[id].ranks)
        {
            if (m_ocs->GetPortState(2 * rank) != OpticalCircuitSwitch::UP ||
                m_ocs->GetPortState(2 * rank + 1) != OpticalCircuitSwitch::UP)
            {
                return false;
            }
        }
        return true;
    }

    /** Check a time up to the transmission of some short frames. */
    void ExpectTime(Time actual, Time expected, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(actual.GetNanoSeconds(), expected.GetNanoSeconds(), 300, what);
    }

    void DoTeardown() override
    {
        Simulator::Destroy();
    }

    const Time START = MilliSeconds(1);       //!< of the programs
    const Time HOST_LINK = MicroSeconds(1);   //!< delay between GPU and host
    const Time NETWORK = MicroSeconds(10);    //!< delay of the management network
    const Time SWITCHING = MicroSeconds(500); //!< of the switch
    const Time DURATION = MicroSeconds(50);   //!< of a collective
    const Time THINK = MicroSeconds(5);       //!< between calls of a phase
    const Time PAUSE = MilliSeconds(2);       //!< between phases: longer than a switch takes

    Ptr<OpusController> m_controller;
    Ptr<OpticalCircuitSwitch> m_ocs;
    Ptr<OcsAgent> m_agent;
    std::vector<Ptr<OpusManager>> m_managers;
    std::vector<Ptr<OpusShim>> m_shims;
    std::map<uint32_t, ProcessGroup> m_groups;
    std::vector<std::deque<Step>> m_programs;
    std::map<uint32_t, std::vector<Time>> m_waits; //!< of every call, by rank
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_calls;
    std::map<std::pair<uint32_t, uint32_t>, std::set<uint32_t>> m_arrived;
    uint32_t m_suspended{0};
    uint32_t m_resumed{0};
};

/** Two phases an iteration, on both pairs of sides. */
class OpusIterationsTestCase : public OpusTestCase
{
  public:
    /** @param provisioning whether shims predict */
    explicit OpusIterationsTestCase(bool provisioning)
        : OpusTestCase(provisioning ? "Provisioned: the second iteration waits for nothing"
                                    : "On demand: every phase waits for its circuits"),
          m_provisioning(provisioning)
    {
    }

  private:
    void DoRun() override
    {
        Build(m_provisioning);
        const uint32_t iterations = 3;
        for (uint32_t i = 0; i < iterations; ++i)
        {
            for (uint32_t id : {TOP, BOTTOM})
            {
                AddCollective(id, PAUSE);
                AddCollective(id, THINK);
                AddCollective(id, THINK);
            }
            for (uint32_t id : {LEFT, RIGHT})
            {
                AddCollective(id, PAUSE);
                AddCollective(id, THINK, true);
            }
        }
        Run(Seconds(1));

        // To the controller, to the switch and back, and to the rank.
        const Time cold = 2 * HOST_LINK + 4 * NETWORK + SWITCHING;
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            for (uint32_t i = 0; i < iterations; ++i)
            {
                const bool first = !m_provisioning || i == 0;
                const auto& waits = m_waits[rank];
                ExpectTime(waits[5 * i], first ? cold : Time(0), "first phase");
                ExpectTime(waits[5 * i + 3], first ? cold : Time(0), "second phase");
                for (uint32_t k : {1, 2, 4})
                {
                    NS_TEST_EXPECT_MSG_EQ(waits[5 * i + k], Time(0), "within a phase");
                }
            }
            const auto& stats = m_shims[rank]->GetStats();
            const uint32_t exposed = m_provisioning ? 2 : 2 * iterations;
            NS_TEST_EXPECT_MSG_EQ(stats.exposed, exposed * SWITCHING, "exposed switching time");
            NS_TEST_EXPECT_MSG_EQ(stats.mispredicted, 0u, "all predictions are right");
        }
        // The requests after the last iteration are one more phase.
        const uint32_t phases = 2 * iterations + (m_provisioning ? 1 : 0);
        const auto stats = m_controller->GetStats();
        NS_TEST_EXPECT_MSG_EQ(stats.reconfigurations, 2 * phases, "two groups a phase");
        NS_TEST_EXPECT_MSG_EQ(stats.requests, RANKS * phases, "one request a rank and phase");
        NS_TEST_EXPECT_MSG_EQ(stats.cacheHits, 0u, "every phase needs other circuits");
        NS_TEST_EXPECT_MSG_EQ(stats.circuitsMade, 4 * phases, "two circuits a group");
        NS_TEST_EXPECT_MSG_EQ(m_agent->GetCommands(), stats.reconfigurations, "as sent");
        NS_TEST_EXPECT_MSG_EQ(m_suspended, 0u, "nobody had to stop");
    }

    bool m_provisioning;
};

/** One group all the time. */
class OpusCacheTestCase : public OpusTestCase
{
  public:
    OpusCacheTestCase()
        : OpusTestCase("A group that keeps its circuits is asked for once")
    {
    }

  private:
    void DoRun() override
    {
        Build(false);
        for (uint32_t i = 0; i < 20; ++i)
        {
            AddCollective(TOP, PAUSE);
        }
        Run(Seconds(1));
        const auto stats = m_controller->GetStats();
        NS_TEST_EXPECT_MSG_EQ(stats.reconfigurations, 1u, "one command");
        NS_TEST_EXPECT_MSG_EQ(stats.requests, 2u, "one request a rank");
    }
};

/** A call that no iteration before had. */
class OpusMispredictionTestCase : public OpusTestCase
{
  public:
    OpusMispredictionTestCase()
        : OpusTestCase("A misprediction costs time and nothing else")
    {
    }

  private:
    void DoRun() override
    {
        Build(true);
        for (uint32_t i = 0; i < 4; ++i)
        {
            AddCollective(TOP, PAUSE);
            AddCollective(BOTTOM, PAUSE);
            // In the third iteration the second phase is another one.
            AddCollective(i == 2 ? uint32_t{WORLD} : uint32_t{LEFT}, PAUSE, true);
            if (i != 2)
            {
                AddCollective(RIGHT, PAUSE, true);
            }
        }
        Run(Seconds(1));
        const Time cold = 2 * HOST_LINK + 4 * NETWORK + SWITCHING;
        for (uint32_t rank = 0; rank < RANKS; ++rank)
        {
            NS_TEST_EXPECT_MSG_EQ(m_shims[rank]->GetStats().mispredicted,
                                  2u,
                                  "the third iteration, and the fourth that expects the third");
            const auto& waits = m_waits[rank];
            NS_TEST_ASSERT_MSG_EQ(waits.size(), 8u, "two calls an iteration");
            ExpectTime(waits[2], Time(0), "predicted");
            ExpectTime(waits[3], Time(0), "predicted");
            ExpectTime(waits[4], Time(0), "predicted");
            // LEFT and RIGHT were up and idle, so nothing but the usual is waited for.
            ExpectTime(waits[5], cold, "on demand");
            ExpectTime(waits[7], cold, "on demand");
        }
    }
};

/** A rank that holds a lease without using it. */
class OpusRecallTestCase : public OpusTestCase
{
  public:
    OpusRecallTestCase()
        : OpusTestCase("An idle holder is recalled")
    {
    }

  private:
    void DoRun() override
    {
        Build(false);
        AddCollective(TOP, Time(0));
        AddCollective(BOTTOM, Time(0));
        AddCollective(LEFT, PAUSE);
        Run(Seconds(1));
        // Ranks 1 and 3 hold TOP and BOTTOM: a round trip to them comes first.
        const Time expected = 4 * HOST_LINK + 6 * NETWORK + SWITCHING;
        for (uint32_t rank : {0, 2})
        {
            ExpectTime(m_waits[rank][1], expected, "with a recall");
            NS_TEST_EXPECT_MSG_EQ(m_shims[rank]->GetStats().recalled, 0u, "left by itself");
        }
        for (uint32_t rank : {1, 3})
        {
            NS_TEST_EXPECT_MSG_EQ(m_shims[rank]->GetStats().recalled, 1u, "recalled");
            NS_TEST_EXPECT_MSG_EQ(m_shims[rank]->GetStats().released, 1u, "and released");
        }
        NS_TEST_EXPECT_MSG_EQ(m_controller->GetStats().recalls, 2u, "two idle holders");
    }
};

/** A collective that cannot end because its other rank has left for another group. */
class OpusSuspensionTestCase : public OpusTestCase
{
  public:
    OpusSuspensionTestCase()
        : OpusTestCase("A collective that waits for a rank elsewhere is suspended and resumed")
    {
    }

  private:
    void DoRun() override
    {
        Build(false);
        AddCollective(TOP, Time(0));
        AddCollective(LEFT, PAUSE);
        // Rank 1 is early for the second TOP: rank 0 goes through LEFT first.
        AddCollective(TOP, PAUSE / 4);
        Run(Seconds(1));
        NS_TEST_EXPECT_MSG_EQ(m_suspended, 1u, "rank 1");
        NS_TEST_EXPECT_MSG_EQ(m_resumed, 1u, "rank 1");
        NS_TEST_EXPECT_MSG_EQ(m_shims[1]->GetStats().suspended, 1u, "rank 1");
        NS_TEST_EXPECT_MSG_EQ(m_controller->GetStats().reconfigurations, 3u, "TOP, LEFT, TOP");
    }
};

/** A group that the cabling does not allow. */
class OpusRefusalTestCase : public OpusTestCase
{
  public:
    OpusRefusalTestCase()
        : OpusTestCase("A group that cannot be served is refused with a reason")
    {
    }

  private:
    void DoRun() override
    {
        Build(false);
        m_controller->GetJobs().AddRank(0, 3, {{9, 0}, {9, 1}});
        NS_TEST_EXPECT_MSG_EQ(m_controller->GetJobs().Plan(0, {0, 1}).error, "", "possible");
        const std::string error = m_controller->GetJobs().Plan(0, {2, 3}).error;
        NS_TEST_EXPECT_MSG_NE(error.find("rank 3 is cabled to switch 9"),
                              std::string::npos,
                              "the reason: " << error);
        std::string told;
        m_shims[2]->TraceConnectWithoutContext(
            "Refused",
            ToCallback<uint32_t, uint64_t, const std::string&>(
                [&told](uint32_t, uint64_t, const std::string& reason) { told = reason; }));
        m_shims[2]->GetProvider()->Request(m_groups[BOTTOM],
                                           {CollectiveKind::ALL_GATHER, BOTTOM, 1, 0},
                                           ToCallback([] {}));
        Run(Seconds(1));
        NS_TEST_EXPECT_MSG_EQ(told, error, "the rank is told what the helper was told");
    }
};

/** A Send within a group of four. */
class OpusPairTestCase : public OpusTestCase
{
  public:
    OpusPairTestCase()
        : OpusTestCase("A Send within a larger group needs the circuits of the pair alone")
    {
    }

  private:
    void DoRun() override
    {
        Build(false);
        bool sends = false;
        bool receives = false;
        const CollectiveCall send{CollectiveKind::SEND, WORLD, 1000, 2};
        const CollectiveCall receive{CollectiveKind::RECV, WORLD, 1000, 1};
        ScheduleCall(START, [&, this] {
            m_shims[2]->GetProvider()->Request(m_groups[WORLD], receive, ToCallback([&receives] {
                                                   receives = true;
                                               }));
            NS_TEST_EXPECT_MSG_EQ(receives, true, "a Recv sends nothing");
        });
        ScheduleCall(2 * START, [&, this] {
            NS_TEST_EXPECT_MSG_EQ(m_controller->GetStats().reconfigurations,
                                  0u,
                                  "and switches nothing");
            m_shims[1]->GetProvider()->Request(m_groups[WORLD], send, ToCallback([&sends] {
                                                   sends = true;
                                               }));
        });
        Run(Seconds(1));
        NS_TEST_EXPECT_MSG_EQ(sends, true, "granted");
        const CircuitSet circuits = m_ocs->GetCircuits();
        NS_TEST_EXPECT_MSG_EQ((circuits == CircuitSet{{2, 5}, {3, 4}}), true, "both circuits");
    }
};

/**
 * @ingroup tests
 * The Opus control plane.
 */
class OpusTestSuite : public TestSuite
{
  public:
    OpusTestSuite()
        : TestSuite("photonic-rails-opus", Type::UNIT)
    {
        AddTestCase(new OpusIterationsTestCase(false));
        AddTestCase(new OpusIterationsTestCase(true));
        AddTestCase(new OpusCacheTestCase);
        AddTestCase(new OpusMispredictionTestCase);
        AddTestCase(new OpusRecallTestCase);
        AddTestCase(new OpusSuspensionTestCase);
        AddTestCase(new OpusRefusalTestCase);
        AddTestCase(new OpusPairTestCase);
    }
};

OpusTestSuite g_opusTestSuite; //!< the instance

} // namespace
