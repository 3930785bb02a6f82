// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The collective engine on connectors that are nothing but delays, and that fail when told to.
 */

#include "collective-test-connectors.h"

#include "ns3/boolean.h"
#include "ns3/collective-engine.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t GROUP = 3; //!< id of the one group

/** @return one way on a connector; not a global, which would not follow the resolution of Time */
Time
Delay()
{
    return MicroSeconds(1);
}

/** The ranks of one group, joined in a ring of delay connectors. */
class EngineTestCase : public TestCase
{
  public:
    /** @param name of the case */
    explicit EngineTestCase(std::string name)
        : TestCase(name)
    {
    }

  protected:
    /** @param size number of ranks, which are numbered 10, 11, ... @param algorithms of the group
     */
    void Build(uint32_t size,
               const CollectiveAlgorithms& algorithms = CollectiveAlgorithms::Rings())
    {
        // As in all suites of the module: it cannot be changed once a simulation has run.
        if (Time::GetResolution() != Time::PS)
        {
            Time::SetResolution(Time::PS);
        }
        ProcessGroup group{GROUP, {}};
        std::vector<std::unique_ptr<DelayConnector>> connectors[2];
        for (uint32_t i = 0; i < size; ++i)
        {
            group.ranks.push_back(10 + i);
            connectors[0].push_back(std::make_unique<DelayConnector>(Delay()));
            connectors[1].push_back(std::make_unique<DelayConnector>(Delay()));
        }
        m_next.clear();
        for (uint32_t i = 0; i < size; ++i)
        {
            DelayConnector* next = connectors[0][i].get();
            DelayConnector* back = connectors[1][(i + 1) % size].get();
            next->m_peer = back;
            back->m_peer = next;
            m_next.push_back(next);
        }
        for (uint32_t i = 0; i < size; ++i)
        {
            Ptr<CollectiveEngine> engine = AddEngine(i);
            std::vector<CollectiveConnectorPlace> ring;
            if (size > 1)
            {
                ring.push_back({{(i + 1) % size, CONNECTOR_NEXT}, std::move(connectors[0][i])});
                ring.push_back(
                    {{(i + size - 1) % size, CONNECTOR_PREVIOUS}, std::move(connectors[1][i])});
            }
            engine->JoinOver(group, 1, algorithms, std::move(ring));
        }
    }

    /** @param connectors per rank, which join over them without an algorithm for collectives */
    void BuildOver(std::vector<std::vector<CollectiveConnectorPlace>> connectors)
    {
        if (Time::GetResolution() != Time::PS)
        {
            Time::SetResolution(Time::PS);
        }
        ProcessGroup group{GROUP, {}};
        for (uint32_t i = 0; i < connectors.size(); ++i)
        {
            group.ranks.push_back(10 + i);
        }
        for (uint32_t i = 0; i < connectors.size(); ++i)
        {
            AddEngine(i)->JoinOver(group, 1, CollectiveAlgorithms(), std::move(connectors[i]));
        }
    }

    /** Make a call at a time. */
    void RunAt(Time at, uint32_t index, CollectiveKind kind, uint64_t bytes, uint32_t peer = 0)
    {
        const CollectiveCall call{kind, GROUP, bytes, 10 + peer};
        Simulator::Schedule(at, &EngineTestCase::RunNow, this, index, call);
    }

    void RunNow(uint32_t index, CollectiveCall call)
    {
        m_engines[index]->Run(call, MakeCallback(&EngineTestCase::Ended, this).Bind(index));
    }

    /** @return number of calls that reached a state on a rank */
    uint32_t Count(const std::string& source, uint32_t index)
    {
        return static_cast<uint32_t>(m_traced[source][10 + index].size());
    }

    void Destroy()
    {
        Simulator::Destroy();
        for (auto& engine : m_engines)
        {
            engine->Dispose();
        }
        m_engines.clear();
        m_providers.clear();
        m_traced.clear();
        m_ended.clear();
    }

    virtual void Ended(uint32_t index)
    {
        m_ended[index].push_back(Simulator::Now());
    }

    std::vector<Ptr<CollectiveEngine>> m_engines;
    std::vector<Ptr<TestProvider>> m_providers;
    std::vector<DelayConnector*> m_next;           //!< the connectors NEXT, owned by the engines
    std::map<uint32_t, std::vector<Time>> m_ended; //!< by index of the rank
    /** Kind and sequence by trace source and rank. */
    std::map<std::string, std::map<uint32_t, std::vector<std::pair<CollectiveKind, uint64_t>>>>
        m_traced;

  private:
    /** @return a new engine whose calls are traced */
    Ptr<CollectiveEngine> AddEngine(uint32_t index)
    {
        auto engine = CreateObject<CollectiveEngine>();
        auto provider = CreateObject<TestProvider>();
        engine->SetRank(10 + index);
        engine->SetConnectivityProvider(provider);
        for (const std::string source : {"CallArrived", "CallStarted", "CallEnded", "CallFailed"})
        {
            engine->TraceConnectWithoutContext(
                source,
                MakeCallback(&EngineTestCase::Trace, this).Bind(source));
        }
        m_engines.push_back(engine);
        m_providers.push_back(provider);
        return engine;
    }

    void Trace(std::string source, uint32_t rank, const CollectiveCall& call, uint64_t sequence)
    {
        m_traced[source][rank].emplace_back(call.kind, sequence);
    }
};

/** Calls end in order, whenever their ranks start. */
class CollectivesCase : public EngineTestCase
{
  public:
    CollectivesCase()
        : EngineTestCase("Collectives end in order although ranks start at different times")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<CollectiveKind> kinds{CollectiveKind::ALL_GATHER,
                                                CollectiveKind::ALL_REDUCE,
                                                CollectiveKind::REDUCE_SCATTER,
                                                CollectiveKind::ALL_REDUCE};
        for (uint32_t size = 1; size <= 5; ++size)
        {
            for (const uint64_t bytes : {0, 1, 1000001})
            {
                Build(size);
                for (uint32_t i = 0; i < size; ++i)
                {
                    m_providers[i]->m_grantDelay = MicroSeconds(i % 2);
                    for (const auto kind : kinds)
                    {
                        // The first rank is so early that its first messages must be kept.
                        RunAt(MicroSeconds(10 * i), i, kind, bytes);
                    }
                }
                Simulator::Run();
                for (uint32_t i = 0; i < size; ++i)
                {
                    const auto& ended = m_traced["CallEnded"][10 + i];
                    NS_TEST_ASSERT_MSG_EQ(ended.size(), kinds.size(), "of " << size << " ranks");
                    for (uint32_t k = 0; k < kinds.size(); ++k)
                    {
                        NS_TEST_EXPECT_MSG_EQ((ended[k].first == kinds[k]), true, "wrong order");
                        NS_TEST_EXPECT_MSG_EQ(ended[k].second, k, "wrong sequence");
                    }
                    NS_TEST_EXPECT_MSG_EQ(m_ended[i].size(), kinds.size(), "the caller is told");
                    NS_TEST_EXPECT_MSG_EQ(Count("CallArrived", i), kinds.size(), "arrived");
                    NS_TEST_EXPECT_MSG_EQ(Count("CallStarted", i), kinds.size(), "started");
                    const uint32_t asked = size == 1 ? 0 : 4;
                    NS_TEST_EXPECT_MSG_EQ(m_providers[i]->m_requests, asked, "requests");
                    NS_TEST_EXPECT_MSG_EQ(m_providers[i]->m_releases, asked, "releases");
                }
                Destroy();
            }
        }
    }
};

/** The steps of a ring take one delay each, and the last acknowledgement one more. */
class TimeCase : public EngineTestCase
{
  public:
    TimeCase()
        : EngineTestCase("A ring takes its steps and one acknowledgement")
    {
    }

  private:
    void DoRun() override
    {
        Build(4);
        for (uint32_t i = 0; i < 4; ++i)
        {
            RunAt(Time(0), i, CollectiveKind::ALL_REDUCE, 4000);
        }
        Simulator::Run();
        for (uint32_t i = 0; i < 4; ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(m_ended[i].size(), 1, "rank " << i);
            NS_TEST_EXPECT_MSG_EQ(m_ended[i][0], 7 * Delay(), "rank " << i);
        }
        Destroy();
    }
};

/** Sends and Recvs match by number and do not block each other. */
class PointToPointCase : public EngineTestCase
{
  public:
    PointToPointCase()
        : EngineTestCase("A pending Recv blocks nothing, messages match in order")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t size : {2U, 4U})
        {
            Build(size);
            // Both receive first. If messages matched wrongly, their sizes would not fit.
            for (const uint32_t i : {0U, 1U})
            {
                RunAt(Time(0), i, CollectiveKind::RECV, 100, 1 - i);
                RunAt(Time(0), i, CollectiveKind::SEND, 100, 1 - i);
                RunAt(Time(0), i, CollectiveKind::SEND, 7, 1 - i);
                RunAt(Time(0), i, CollectiveKind::SEND, 0, 1 - i);
                RunAt(MicroSeconds(50), i, CollectiveKind::RECV, 7, 1 - i);
                RunAt(MicroSeconds(50), i, CollectiveKind::RECV, 0, 1 - i);
                RunAt(MicroSeconds(60), i, CollectiveKind::RECV, 55, 1 - i);
            }
            // The last Recv is pending while all make a collective.
            for (uint32_t i = 0; i < size; ++i)
            {
                RunAt(MicroSeconds(70), i, CollectiveKind::ALL_GATHER, 10);
            }
            RunAt(MicroSeconds(200), 0, CollectiveKind::SEND, 55, 1);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(Count("CallEnded", 1), 8, "all calls of this rank end");
            NS_TEST_EXPECT_MSG_EQ(Count("CallEnded", 0), 8, "its last Recv has no Send");
            NS_TEST_EXPECT_MSG_EQ((m_traced["CallEnded"][10].back().first == CollectiveKind::SEND),
                                  true,
                                  "the last call to end is the Send");
            NS_TEST_EXPECT_MSG_EQ(m_ended[0].front(), Delay(), "a message takes one delay");
            Destroy();
        }
    }
};

/** A message that is not delivered fails all calls of the group, visibly. */
class FailureCase : public EngineTestCase
{
  public:
    FailureCase()
        : EngineTestCase("A message that is not delivered fails the calls of its group")
    {
    }

  private:
    void DoRun() override
    {
        Build(3);
        m_next[0]->m_toFail = 1;
        for (uint32_t i = 0; i < 3; ++i)
        {
            RunAt(Time(0), i, CollectiveKind::ALL_REDUCE, 3000);
            RunAt(Time(0), i, CollectiveKind::ALL_REDUCE, 3000);
        }
        RunAt(Time(0), 0, CollectiveKind::RECV, 10, 1);
        RunAt(MicroSeconds(100), 0, CollectiveKind::SEND, 10, 1);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Count("CallFailed", 0), 4, "made before and after the failure");
        NS_TEST_EXPECT_MSG_EQ(Count("CallStarted", 0), 2, "the first of each stream");
        NS_TEST_EXPECT_MSG_EQ(Count("CallEnded", 0), 0, "none ends");
        NS_TEST_EXPECT_MSG_EQ(m_ended[0].size(), 0, "and nobody is told that one did");
        NS_TEST_EXPECT_MSG_EQ(m_providers[0]->m_releases, 0, "packets may be on their way");
        NS_TEST_EXPECT_MSG_EQ(Count("CallEnded", 1), 0, "its data never came");
        Destroy();
    }
};

/** A provider takes connectivity back and returns it. */
class SuspensionCase : public EngineTestCase
{
  public:
    SuspensionCase()
        : EngineTestCase("A suspended group drains, waits and goes on")
    {
    }

  private:
    void DoRun() override
    {
        Build(2);
        for (uint32_t i = 0; i < 2; ++i)
        {
            RunAt(Time(0), i, CollectiveKind::ALL_REDUCE, 4000);
            auto provider = m_providers[i];
            Simulator::Schedule(NanoSeconds(1500), &TestProvider::Suspend, provider, GROUP);
            Simulator::Schedule(MicroSeconds(10), &TestProvider::Resume, provider, GROUP);
            // Nothing is outstanding: drained at once. The second is resumed before it has drained.
            Simulator::Schedule(MicroSeconds(50), &TestProvider::Suspend, provider, GROUP);
            Simulator::Schedule(MicroSeconds(51), &TestProvider::Resume, provider, GROUP);
            RunAt(MicroSeconds(60), i, CollectiveKind::ALL_REDUCE, 4000);
            Simulator::Schedule(NanoSeconds(60500), &TestProvider::Suspend, provider, GROUP);
            Simulator::Schedule(NanoSeconds(60600), &TestProvider::Resume, provider, GROUP);
        }
        Simulator::Run();
        for (uint32_t i = 0; i < 2; ++i)
        {
            const auto& drained = m_providers[i]->m_drained;
            NS_TEST_ASSERT_MSG_EQ(drained.size(), 2, "the third was resumed in time");
            NS_TEST_EXPECT_MSG_EQ(drained[0], MicroSeconds(3), "the second step was under way");
            NS_TEST_EXPECT_MSG_EQ(drained[1], MicroSeconds(50), "nothing was");
            NS_TEST_ASSERT_MSG_EQ(m_ended[i].size(), 2, "both calls end");
            NS_TEST_EXPECT_MSG_EQ(m_ended[i][0], MicroSeconds(3), "not held up by the pause");
            NS_TEST_EXPECT_MSG_EQ(m_ended[i][1], MicroSeconds(63), "not held up either");
        }
        Destroy();

        Build(3);
        for (uint32_t i = 0; i < 3; ++i)
        {
            RunAt(Time(0), i, CollectiveKind::ALL_GATHER, 4000);
            auto provider = m_providers[i];
            Simulator::Schedule(NanoSeconds(500), &TestProvider::Suspend, provider, GROUP);
            Simulator::Schedule(MicroSeconds(10), &TestProvider::Resume, provider, GROUP);
        }
        Simulator::Run();
        for (uint32_t i = 0; i < 3; ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(m_ended[i].size(), 1, "the call ends");
            NS_TEST_EXPECT_MSG_EQ(m_ended[i][0], MicroSeconds(12), "its second step had to wait");
        }
        Destroy();
    }
};

/** Connectors to ranks that are no neighbours, and connectors that never leave a scale-up domain.
 */
class DirectConnectorsCase : public EngineTestCase
{
  public:
    DirectConnectorsCase()
        : EngineTestCase("Messages take the direct connector; inside a domain nobody is asked")
    {
    }

  private:
    static constexpr uint32_t SIZE = 5;

    /** @param leavesDomain whether the direct connectors leave the scale-up domain */
    void BuildMesh(bool leavesDomain)
    {
        std::vector<std::vector<CollectiveConnectorPlace>> connectors(SIZE);
        for (uint32_t i = 0; i < SIZE; ++i)
        {
            for (uint32_t j = 0; j < i; ++j)
            {
                auto lower = std::make_unique<DelayConnector>(Delay());
                auto upper = std::make_unique<DelayConnector>(Delay());
                lower->m_peer = upper.get();
                upper->m_peer = lower.get();
                connectors[j].push_back({{i, CONNECTOR_DIRECT}, std::move(lower), leavesDomain});
                connectors[i].push_back({{j, CONNECTOR_DIRECT}, std::move(upper), leavesDomain});
            }
        }
        BuildOver(std::move(connectors));
    }

    /** Everyone sends to everyone. */
    void RunAll()
    {
        for (uint32_t i = 0; i < SIZE; ++i)
        {
            for (uint32_t j = 0; j < SIZE; ++j)
            {
                if (i != j)
                {
                    RunAt(Time(0), i, CollectiveKind::SEND, 100 * i + j, j);
                    RunAt(Time(0), i, CollectiveKind::RECV, 100 * j + i, j);
                }
            }
        }
        Simulator::Run();
        for (uint32_t i = 0; i < SIZE; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(Count("CallEnded", i), 2 * (SIZE - 1), "of rank " << i);
        }
    }

    void DoRun() override
    {
        BuildMesh(true);
        RunAll();
        NS_TEST_EXPECT_MSG_EQ(m_providers[0]->m_requests, 2 * (SIZE - 1), "asked for each call");
        Destroy();

        BuildMesh(false);
        // There is nothing that the provider could suspend.
        Simulator::Schedule(NanoSeconds(500), &TestProvider::Suspend, m_providers[0], GROUP);
        RunAll();
        NS_TEST_EXPECT_MSG_EQ(m_providers[0]->m_requests, 0, "nobody is asked");
        NS_TEST_EXPECT_MSG_EQ(m_providers[0]->m_releases, 0, "nor told");
        NS_TEST_ASSERT_MSG_EQ(m_providers[0]->m_drained.size(), 1, "drained");
        NS_TEST_EXPECT_MSG_EQ(m_providers[0]->m_drained[0], NanoSeconds(500), "at once");
        NS_TEST_EXPECT_MSG_EQ(m_ended[0].back(), 2 * Delay(), "not held up");
        Destroy();
    }
};

/** Two networks: the connectors that a provider lends, and those of the hosts. */
class TwoNetworksCase : public EngineTestCase
{
  public:
    TwoNetworksCase()
        : EngineTestCase("Small calls take the host network, and ask for nothing")
    {
    }

  private:
    static constexpr uint32_t SIZE = 3;
    static constexpr uint64_t SMALL = 999;
    static constexpr uint64_t LARGE = 1000;

    /** Join a ring on the host network as well. @return a connector of it */
    DelayConnector* BuildBoth()
    {
        Build(SIZE);
        ProcessGroup group{GROUP, {}};
        std::vector<std::vector<CollectiveConnectorPlace>> connectors(SIZE);
        DelayConnector* first = nullptr;
        for (uint32_t i = 0; i < SIZE; ++i)
        {
            group.ranks.push_back(10 + i);
            auto next = std::make_unique<DelayConnector>(Delay());
            auto back = std::make_unique<DelayConnector>(Delay());
            next->m_peer = back.get();
            back->m_peer = next.get();
            first = first ? first : next.get();
            const uint32_t j = (i + 1) % SIZE;
            connectors[i].push_back({{j, CONNECTOR_NEXT}, std::move(next)});
            connectors[j].push_back({{i, CONNECTOR_PREVIOUS}, std::move(back)});
        }
        for (uint32_t i = 0; i < SIZE; ++i)
        {
            m_providers[i]->m_hostThreshold = LARGE;
            m_engines[i]->JoinHosts(group,
                                    1,
                                    CollectiveAlgorithms::Rings(),
                                    std::move(connectors[i]));
        }
        return first;
    }

    /** Everyone calls, one after the other. */
    void RunAll(const std::vector<uint64_t>& sizes)
    {
        for (uint32_t i = 0; i < SIZE; ++i)
        {
            for (const uint64_t bytes : sizes)
            {
                RunAt(Time(0), i, CollectiveKind::ALL_GATHER, bytes);
            }
        }
        Simulator::Run();
    }

    void CheckOrder()
    {
        BuildBoth();
        for (auto& provider : m_providers)
        {
            provider->m_grantDelay = MicroSeconds(10);
        }
        NS_TEST_EXPECT_MSG_EQ(
            (m_engines[0]->GetNetwork({CollectiveKind::ALL_GATHER, GROUP, SMALL, 0, nullptr}) ==
             CollectiveNetwork::HOSTS),
            true,
            "small");
        RunAll({LARGE, SMALL, SMALL, LARGE, SMALL});
        for (uint32_t i = 0; i < SIZE; ++i)
        {
            // Two steps and the last acknowledgement; one at a time on each network.
            const Time step = 3 * Delay();
            const Time grant = MicroSeconds(10);
            const std::vector<Time> ends{step,
                                         2 * step,
                                         3 * step,
                                         grant + step,
                                         2 * (grant + step)};
            NS_TEST_ASSERT_MSG_EQ(m_ended[i].size(), ends.size(), "all end");
            for (std::size_t call = 0; call < ends.size(); ++call)
            {
                NS_TEST_EXPECT_MSG_EQ(m_ended[i][call], ends[call], "call " << call);
            }
            NS_TEST_EXPECT_MSG_EQ(m_providers[i]->m_requests, 2, "asked for bulk only");
            NS_TEST_EXPECT_MSG_EQ(m_providers[i]->m_releases, 2, "told of bulk only");
            // Each call of a group has a number of its own, whatever its network.
            std::vector<uint64_t> sequences;
            for (const auto& [kind, sequence] : m_traced["CallEnded"][10 + i])
            {
                sequences.push_back(sequence);
            }
            const std::vector<uint64_t> wanted{1, 2, 4, 0, 3};
            NS_TEST_EXPECT_MSG_EQ((sequences == wanted), true, "sequence numbers");
        }
        Destroy();
    }

    void CheckSuspension()
    {
        BuildBoth();
        Simulator::Schedule(NanoSeconds(500), &TestProvider::Suspend, m_providers[0], GROUP);
        RunAll({LARGE, SMALL});
        NS_TEST_EXPECT_MSG_EQ(m_ended[0].size(), 1, "only the rails are held up");
        NS_TEST_EXPECT_MSG_EQ(m_providers[0]->m_drained.size(), 1, "they drain");
        Destroy();
    }

    void CheckFailure()
    {
        BuildBoth()->m_toFail = 1;
        RunAll({LARGE, SMALL, SMALL});
        NS_TEST_EXPECT_MSG_EQ(Count("CallFailed", 0), 2, "on the host network");
        NS_TEST_EXPECT_MSG_EQ(Count("CallEnded", 0), 1, "on the rails");
        Destroy();
    }

    void DoRun() override
    {
        CheckOrder();
        CheckSuspension();
        CheckFailure();
    }
};

/** Sequence numbers wrap, and a program of calls that follow each other does not recurse. */
class ManyCallsCase : public EngineTestCase
{
  public:
    ManyCallsCase()
        : EngineTestCase("Sequence numbers wrap around")
    {
    }

  private:
    static constexpr uint32_t CALLS = 40000; //!< more than 2^15

    void DoRun() override
    {
        for (const uint32_t size : {1U, 2U})
        {
            Build(size);
            m_left.assign(size, CALLS);
            for (uint32_t i = 0; i < size; ++i)
            {
                Ended(i);
            }
            Simulator::Run();
            for (uint32_t i = 0; i < size; ++i)
            {
                NS_TEST_EXPECT_MSG_EQ(Count("CallEnded", i), CALLS, "rank " << i);
            }
            Destroy();
        }
    }

    void Ended(uint32_t index) override
    {
        if (m_left[index] > 0)
        {
            --m_left[index];
            RunNow(index, {CollectiveKind::ALL_REDUCE, GROUP, 64, 0});
        }
    }

    std::vector<uint32_t> m_left;
};

/** A call takes a launch and a step for each message that another one waits for. */
class LibraryTimeCase : public EngineTestCase
{
  public:
    LibraryTimeCase()
        : EngineTestCase("A call takes the launch and the steps of its protocol")
    {
    }

  private:
    /// @return the time of a call with or without the time of the library
    Time Measure(bool takesTime, uint64_t bytes)
    {
        CollectiveAlgorithms rings = CollectiveAlgorithms::Rings();
        rings.SetRates({50e9, 0});
        Build(RANKS, rings);
        for (uint32_t i = 0; i < RANKS; ++i)
        {
            m_engines[i]->SetAttribute("LibraryTime", BooleanValue(takesTime));
            RunAt(Time(0), i, CollectiveKind::ALL_GATHER, bytes);
        }
        Simulator::Run();
        Time last;
        for (uint32_t i = 0; i < RANKS; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(m_ended[i].size(), 1, "ended");
            last = std::max(last, m_ended[i].at(0));
        }
        Destroy();
        return last;
    }

    void DoRun() override
    {
        // One GPU a domain: LL for a few bytes, 6.6 us and 5 us a step; Simple for many, 8.4
        // and 14. The last message is acknowledged in the time of the last step.
        for (const auto& [bytes, wanted] :
             {std::pair<uint64_t, double>{64, 6.6 + 3 * 5.0}, {64 << 20, 8.4 + 3 * 14.0}})
        {
            const Time more = Measure(true, bytes) - Measure(false, bytes);
            const Time expected = NanoSeconds(static_cast<int64_t>(wanted * 1e3)) - Delay();
            NS_TEST_EXPECT_MSG_EQ_TOL(more, expected, NanoSeconds(20), bytes << " bytes");
        }
    }

    static constexpr uint32_t RANKS = 4;
};

/**
 * @ingroup tests
 * The collective engine without a network.
 */
class CollectiveEngineTestSuite : public TestSuite
{
  public:
    CollectiveEngineTestSuite()
        : TestSuite("photonic-rails-collective-engine", Type::UNIT)
    {
        AddTestCase(new CollectivesCase);
        AddTestCase(new TimeCase);
        AddTestCase(new LibraryTimeCase);
        AddTestCase(new PointToPointCase);
        AddTestCase(new FailureCase);
        AddTestCase(new SuspensionCase);
        AddTestCase(new DirectConnectorsCase);
        AddTestCase(new TwoNetworksCase);
        AddTestCase(new ManyCallsCase);
    }
};

CollectiveEngineTestSuite g_collectiveEngineTestSuite; //!< the instance

} // namespace
