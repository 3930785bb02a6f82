// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Collectives over real circuits, against the closed form of their time.
 */

#include "../ring-time.h"

#include "ns3/collective-engine.h"
#include "ns3/connectivity-provider.h"
#include "ns3/data-rate.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/rdma-helper.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <sstream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/** The collectives and the network of a case. */
struct CollectiveScenario
{
    uint32_t size;            //!< number of ranks
    CollectiveKind kind;      //!< what they call
    uint64_t bytes;           //!< input of a rank
    uint32_t nicPorts{2};     //!< ports of a GPU
    uint32_t directions{2};   //!< ways round the ring
    uint32_t ackInterval{32}; //!< data packets per acknowledgement
};

/** One rail of GPUs whose circuits form a ring. */
class RingOfCircuits
{
  public:
    static constexpr int64_t FIBER_NS = 250; //!< delay of each of the two fibers of a circuit

    /** @param scenario collectives and network */
    explicit RingOfCircuits(const CollectiveScenario& scenario)
        : m_scenario(scenario)
    {
        RailClusterHelper helper;
        helper.SetDomains(scenario.size, 1);
        helper.SetNic(scenario.nicPorts, GetRate());
        helper.SetFiberAttribute("Delay", TimeValue(NanoSeconds(FIBER_NS)));
        helper.SetQueuePairAttribute("AckInterval", UintegerValue(scenario.ackInterval));
        m_cluster = helper.InstallPhotonic();
        JoinRanks();
    }

    /** Light the ring, then make the call on all ranks at once, and run to the end. */
    void Run()
    {
        const auto connectors = RdmaHelper::GetRingPorts(m_scenario.nicPorts);
        CircuitSet ring;
        for (uint32_t i = 0; i < m_scenario.size; ++i)
        {
            const auto& mine = m_cluster.GetOcsPorts(i);
            const auto& theirs = m_cluster.GetOcsPorts((i + 1) % m_scenario.size);
            for (std::size_t connector = 0; connector < connectors.next.size(); ++connector)
            {
                ring.push_back(
                    {mine[connectors.next[connector]], theirs[connectors.previous[connector]]});
            }
        }
        error =
            m_cluster.GetOcs(0)->Reconfigure({}, ring, MakeCallback(&RingOfCircuits::Lit, this));
        Simulator::Run();
    }

    /** @return the parameters of the closed form on this rail */
    CircuitTiming GetTiming() const
    {
        CircuitTiming timing;
        timing.portRate = GetRate();
        timing.portsPerConnector = m_scenario.nicPorts / 2;
        timing.latency = NanoSeconds(2 * FIBER_NS);
        timing.ackInterval = m_scenario.ackInterval;
        return timing;
    }

    /** @return the sums over all queue pairs */
    RdmaQueuePair::Statistics GetStatistics() const
    {
        RdmaQueuePair::Statistics sum;
        for (uint32_t i = 0; i < m_scenario.size; ++i)
        {
            const auto one = m_cluster.GetNic(i)->GetQueuePairStatistics();
            sum.bytesPosted += one.bytesPosted;
            sum.bytesDelivered += one.bytesDelivered;
            sum.retransmissions += one.retransmissions;
        }
        return sum;
    }

    std::string error;         //!< of the switch
    std::vector<Time> elapsed; //!< from the start to the end, of the ranks as they end

  private:
    static DataRate GetRate()
    {
        return DataRate("100Gbps");
    }

    void JoinRanks()
    {
        const uint32_t size = m_scenario.size;
        const auto ports = RdmaHelper::GetRingPorts(m_scenario.nicPorts);
        ProcessGroup group;
        std::vector<Ptr<RdmaConnection>> next(size);
        std::vector<Ptr<RdmaConnection>> previous(size);
        for (uint32_t i = 0; i < size; ++i)
        {
            group.ranks.push_back(i);
            const uint32_t j = (i + 1) % size;
            auto ends = RdmaHelper::Connect(m_cluster.GetNic(i),
                                            ports.next,
                                            m_cluster.GetNic(j),
                                            ports.previous);
            next[i] = ends.first;
            previous[j] = ends.second;
        }
        for (uint32_t i = 0; i < size; ++i)
        {
            auto engine = CreateObject<CollectiveEngine>();
            engine->SetAttribute("Directions", UintegerValue(m_scenario.directions));
            engine->SetRank(i);
            engine->SetConnectivityProvider(CreateObject<AlwaysConnected>());
            engine->Join(group, next[i], previous[i]);
            m_cluster.GetGpu(i)->AggregateObject(engine);
        }
    }

    void Lit()
    {
        // The ports at the far ends of the fibers see the light a little later.
        Simulator::Schedule(MicroSeconds(10), &RingOfCircuits::Start, this);
    }

    void Start()
    {
        m_start = Simulator::Now();
        for (uint32_t i = 0; i < m_scenario.size; ++i)
        {
            CollectiveCall call{m_scenario.kind, 0, m_scenario.bytes, 0};
            if (call.kind == CollectiveKind::SEND && i > 0)
            {
                call.kind = CollectiveKind::RECV;
            }
            else if (call.kind == CollectiveKind::SEND)
            {
                call.peer = 1;
            }
            if (!call.IsPointToPoint() || i < 2)
            {
                m_cluster.GetGpu(i)->GetObject<CollectiveEngine>()->Run(
                    call,
                    MakeCallback(&RingOfCircuits::Ended, this));
            }
        }
    }

    void Ended()
    {
        elapsed.push_back(Simulator::Now() - m_start);
    }

    CollectiveScenario m_scenario;
    RailCluster m_cluster;
    Time m_start;
};

/** A collective ends at the time of the closed form. */
class ClosedFormCase : public TestCase
{
  public:
    /** @param scenario collectives and network */
    explicit ClosedFormCase(const CollectiveScenario& scenario)
        : TestCase(GetName(scenario)),
          m_scenario(scenario)
    {
    }

  private:
    static constexpr double TOLERANCE = 0.001;

    static std::string GetName(const CollectiveScenario& scenario)
    {
        std::ostringstream name;
        name << ToString(scenario.kind) << " of " << scenario.bytes << " bytes, " << scenario.size
             << " ranks, " << scenario.nicPorts << " ports, " << scenario.directions
             << " directions, an ACK per " << scenario.ackInterval;
        return name.str();
    }

    void ExpectTime(Time actual, Time expected)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(actual.GetSeconds() / expected.GetSeconds(),
                                  1,
                                  TOLERANCE,
                                  GetName(m_scenario) << ": " << actual.As(Time::NS)
                                                      << " instead of " << expected.As(Time::NS));
    }

    void DoRun() override
    {
        // As in all suites of the module: it cannot be changed once a simulation has run.
        if (Time::GetResolution() != Time::PS)
        {
            Time::SetResolution(Time::PS);
        }
        RingOfCircuits ring(m_scenario);
        ring.Run();
        NS_TEST_ASSERT_MSG_EQ(ring.error, "", "the ring is no matching");
        const auto timing = ring.GetTiming();
        if (m_scenario.kind == CollectiveKind::SEND)
        {
            NS_TEST_ASSERT_MSG_EQ(ring.elapsed.size(), 2, "both sides end");
            const auto expected =
                GetMessageTime(m_scenario.size, m_scenario.bytes, m_scenario.directions, timing);
            ExpectTime(ring.elapsed[0], expected.received);
            ExpectTime(ring.elapsed[1], expected.sent);
        }
        else
        {
            NS_TEST_ASSERT_MSG_EQ(ring.elapsed.size(), m_scenario.size, "all ranks end");
            const auto expected = GetRingTime(m_scenario.kind,
                                              m_scenario.size,
                                              m_scenario.bytes,
                                              m_scenario.directions,
                                              timing);
            ExpectTime(ring.elapsed.back(), expected);
            // All others at most two acknowledgements before it, see ring-time.h.
            const Time spread = 2 * timing.portRate.CalculateBytesTxTime(timing.ackBytes) +
                                Seconds(TOLERANCE * expected.GetSeconds());
            NS_TEST_EXPECT_MSG_LT_OR_EQ(ring.elapsed.back() - ring.elapsed.front(),
                                        spread,
                                        "ranks end at different times");
        }
        const auto statistics = ring.GetStatistics();
        NS_TEST_EXPECT_MSG_EQ(statistics.bytesDelivered, statistics.bytesPosted, "bytes missing");
        NS_TEST_EXPECT_MSG_EQ(statistics.retransmissions, 0, "nothing is lost");
        Simulator::Destroy();
    }

    CollectiveScenario m_scenario;
};

/**
 * @ingroup tests
 * Collectives over circuits.
 */
class CollectiveTestSuite : public TestSuite
{
  public:
    CollectiveTestSuite()
        : TestSuite("photonic-rails-collective", Type::SYSTEM)
    {
        const auto gather = CollectiveKind::ALL_GATHER;
        const auto scatter = CollectiveKind::REDUCE_SCATTER;
        const auto reduce = CollectiveKind::ALL_REDUCE;
        const auto send = CollectiveKind::SEND;
        for (const uint32_t size : {2U, 3U, 4U, 8U})
        {
            for (const uint64_t bytes : {64ULL, 1000ULL, 65536ULL, 1234567ULL, 16777216ULL})
            {
                Add({size, gather, bytes});
                Add({size, scatter, bytes});
                Add({size, reduce, bytes});
            }
            Add({size, send, 1});
            Add({size, send, 3000001});
            for (const uint32_t ackInterval : {1U, 4U})
            {
                Add({size, reduce, 5000000, 2, 2, ackInterval});
            }
            Add({size, reduce, 5000000, 2, 1});
            Add({size, reduce, 5000000, 4, 2});
        }
    }

  private:
    void Add(const CollectiveScenario& scenario)
    {
        AddTestCase(new ClosedFormCase(scenario));
    }
};

CollectiveTestSuite g_collectiveTestSuite; //!< the instance

} // namespace
