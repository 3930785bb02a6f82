// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Jobs that do not end, and the reports on them: each case builds a standstill of another kind and
 * compares every line.
 */

#include "lambda-call.h"
#include "picosecond-test-case.h"

#include "ns3/collective-helper.h"
#include "ns3/end-of-run.h"
#include "ns3/ethernet-port-net-device.h"
#include "ns3/opus-helper.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/simulator.h"
#include "ns3/stall-observer.h"
#include "ns3/training-application.h"
#include "ns3/training-job-helper.h"

#include <cstdint>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** Lends one circuit to the call that asks first, a Recv or not, until it ends. */
class OneCircuit : public ConnectivityProvider
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::test::OneCircuit").SetParent<ConnectivityProvider>();
        return tid;
    }

    /** @param rank that it serves @param holders ranks that hold the circuit, in all objects
     * @param speaks true if DescribeWait returns a reason */
    OneCircuit(uint32_t rank, std::shared_ptr<std::set<uint32_t>> holders, bool speaks)
        : m_rank(rank),
          m_holders(holders),
          m_speaks(speaks)
    {
    }

    void Request(const ProcessGroup&, const CollectiveCall&, Callback<void> granted) override
    {
        if (m_holders->empty())
        {
            m_holders->insert(m_rank);
            granted();
        }
    }

    Wait DescribeWait(const ProcessGroup&, const CollectiveCall&) const override
    {
        return m_speaks
                   ? Wait{"waits for the circuit held by", {m_holders->begin(), m_holders->end()}}
                   : Wait();
    }

    void Release(const ProcessGroup&, const CollectiveCall&) override
    {
        m_holders->erase(m_rank);
    }

  private:
    uint32_t m_rank;
    std::shared_ptr<std::set<uint32_t>> m_holders;
    bool m_speaks;
};

/** A case that compares the report on a standstill. */
class ReportTestCase : public PicosecondTestCase
{
  public:
    using PicosecondTestCase::PicosecondTestCase;

  protected:
    /** @param headline begins so @param lines that follow */
    void Expect(const std::string& headline, const std::vector<std::string>& lines)
    {
        const auto stall = StallObserver::Look();
        NS_TEST_ASSERT_MSG_EQ(stall.has_value(), true, "a standstill is not seen");
        NS_TEST_ASSERT_MSG_EQ(stall->headline.substr(0, headline.size()), headline, "headline");
        std::string expected;
        std::string found;
        for (const auto& line : lines)
        {
            expected += line + "\n";
        }
        for (const auto& line : stall->lines)
        {
            found += line + "\n";
        }
        NS_TEST_ASSERT_MSG_EQ(found, expected, "lines");
    }
};

/** GPUs on one electrical rail that form a group. */
class StalledCallsTestCase : public ReportTestCase
{
  public:
    using ReportTestCase::ReportTestCase;

  protected:
    /** @param gpus on the rail */
    void Build(uint32_t gpus)
    {
        RailClusterHelper helper;
        helper.SetDomains(gpus, 1);
        helper.SetNic(1, DataRate("100Gbps"));
        helper.SetQueuePairAttribute("InitialTimeout", TimeValue(MilliSeconds(4)));
        helper.SetQueuePairAttribute("MinTimeout", TimeValue(MicroSeconds(500)));
        m_cluster = helper.InstallElectrical();
        for (uint32_t rank = 0; rank < gpus; ++rank)
        {
            m_group.ranks.push_back(rank);
        }
    }

    /** @param holders of the circuit at first @param speaks see OneCircuit */
    void LendOneCircuit(const std::set<uint32_t>& holders, bool speaks)
    {
        const auto all = std::make_shared<std::set<uint32_t>>(holders);
        for (const uint32_t rank : m_group.ranks)
        {
            m_cluster.GetGpu(rank)->AggregateObject(CreateObject<OneCircuit>(rank, all, speaks));
        }
    }

    /** Let all join the group. */
    void Join()
    {
        CollectiveHelper::Install(m_cluster);
        CollectiveHelper::Join(m_cluster, m_group);
    }

    /** @param rank that calls @param kind of the call @param peer of a message */
    void Call(uint32_t rank, CollectiveKind kind, uint32_t peer = 0)
    {
        CollectiveCall call;
        call.kind = kind;
        call.bytes = 1 << 20;
        call.peer = peer;
        m_cluster.GetGpu(rank)->GetObject<CollectiveEngine>()->Run(call, Callback<void>());
    }

    RailCluster m_cluster; //!< the GPUs
    ProcessGroup m_group;  //!< all of them
};

/** A provider that never grants, and says nothing of it or does. */
class NeverGrantedTestCase : public StalledCallsTestCase
{
  public:
    /** @param speaks see OneCircuit */
    explicit NeverGrantedTestCase(bool speaks)
        : StalledCallsTestCase(std::string("a provider never grants and ") +
                               (speaks ? "tells why" : "is silent")),
          m_speaks(speaks)
    {
    }

  private:
    void DoRun() override
    {
        Build(3);
        LendOneCircuit({7}, m_speaks); // to somebody else
        Join();
        for (const uint32_t rank : m_group.ranks)
        {
            Call(rank, CollectiveKind::ALL_REDUCE);
            Call(rank, CollectiveKind::ALL_REDUCE);
        }
        Simulator::Run();
        Expect("the calls came to a standstill at 0.000014 s: 6 calls have not ended",
               {std::string("ranks 0-2: AllReduce of group 0 waits for ") +
                (m_speaks ? "the circuit held by rank 7" : "its connectivity provider")});
    }

    bool m_speaks;
};

/** One rank's program lacks a call. */
class MissingCallTestCase : public StalledCallsTestCase
{
  public:
    MissingCallTestCase()
        : StalledCallsTestCase("a rank does not make a call")
    {
    }

  private:
    void DoRun() override
    {
        Build(4);
        Join();
        for (const uint32_t rank : {0, 1, 3})
        {
            Call(rank, CollectiveKind::ALL_REDUCE);
        }
        Call(0, CollectiveKind::RECV, 1);
        Simulator::Run();
        Expect("the calls came to a standstill at 0.000556 s: 4 calls have not ended",
               {"rank 2: no call under way",
                "ranks 0, 1, 3: AllReduce of group 0 not called by rank 2",
                "rank 0: Recv from rank 1 of group 0 not called by rank 1"});
    }
};

/** A Recv that was granted holds the circuit that its sender needs. */
class GrantedRecvTestCase : public StalledCallsTestCase
{
  public:
    GrantedRecvTestCase()
        : StalledCallsTestCase("a granted Recv holds what its sender needs")
    {
    }

  private:
    void DoRun() override
    {
        Build(2);
        LendOneCircuit({}, true);
        Join();
        Call(0, CollectiveKind::RECV, 1);
        Call(1, CollectiveKind::SEND, 0);
        Simulator::Run();
        Expect("the calls came to a standstill at 0.000008 s: 2 calls have not ended",
               {"a circle: rank 0 waits for rank 1, which waits for rank 0",
                "rank 0: Recv from rank 1 of group 0 waits for data of rank 1",
                "rank 1: Send to rank 0 of group 0 waits for the circuit held by rank 0"});
    }
};

/** A port fails for good, in the middle of a call. */
class StalledPortTestCase : public StalledCallsTestCase
{
  public:
    StalledPortTestCase()
        : StalledCallsTestCase("a port fails for good")
    {
    }

  private:
    void DoRun() override
    {
        Build(3);
        Join();
        for (const uint32_t rank : m_group.ranks)
        {
            Call(rank, CollectiveKind::ALL_GATHER);
        }
        Simulator::Schedule(MicroSeconds(50),
                            &EthernetPortNetDevice::SetFailed,
                            m_cluster.GetNic(1)->GetPort(0),
                            true);
        Simulator::Run();
        Expect("the calls came to a standstill at 0.127623 s: 3 calls have not ended",
               {"ranks 0, 2: AllGather of group 0 failed: a message to rank 1 was not delivered",
                "rank 1: AllGather of group 0 cannot send to rank 0: NIC port 0 has failed"});
    }
};

/** A job on photonic rails. */
class StalledJobTestCase : public ReportTestCase
{
  public:
    using ReportTestCase::ReportTestCase;

  protected:
    /** @param opus control plane @param iterations of a small job @return the ranks */
    ApplicationContainer Install(OpusHelper& opus, uint32_t iterations)
    {
        RailClusterHelper helper;
        helper.SetDomains(4, 1);
        helper.SetNic(2, DataRate("100Gbps"));
        helper.SetOcs("polatis");
        const RailCluster cluster = helper.InstallPhotonic();
        opus.Install(cluster);
        TrainingJobHelper job("debugmodel");
        ParallelismSpec parallelism;
        parallelism.tp = 1;
        parallelism.fsdp = 2;
        parallelism.pp = 2;
        parallelism.seqLen = 64;
        job.SetParallelism(parallelism);
        job.SetIterations(iterations);
        return job.Install(cluster);
    }
};

/** The controller crashes and does not come back. */
class NoControllerTestCase : public StalledJobTestCase
{
  public:
    NoControllerTestCase()
        : StalledJobTestCase("the controller stays away")
    {
    }

  private:
    void DoRun() override
    {
        OpusHelper opus;
        opus.AddControllerCrash(MilliSeconds(1), Seconds(-1));
        Install(opus, 2);
        Simulator::Run();
        Expect("the job came to a standstill at 1.036030 s: 0 of 2 iterations ended",
               {"the controller is down since 0.001000 s",
                "ranks 0, 1: AllGather (forward 0 embedding parameters, iteration 0) waits for the "
                "controller, which is down",
                "ranks 2, 3: Recv (receive activation 0, iteration 0) not called by ranks 0, 1"});
    }
};

/** The output of a program that does not ask for reports. */
class OwnProgramTestCase : public StalledJobTestCase
{
  public:
    /** The end of the job. */
    enum Fate
    {
        ENDS,
        ENDS_BESIDE_OTHERS,
        STANDS_STILL,
        IS_STOPPED,
    };

    /** @param fate the end of the job @param hasNodes there are nodes before the cluster */
    OwnProgramTestCase(Fate fate, bool hasNodes)
        : StalledJobTestCase("a program whose job " +
                             std::string(fate == ENDS                 ? "ends"
                                         : fate == ENDS_BESIDE_OTHERS ? "ends beside what does not"
                                         : fate == STANDS_STILL       ? "stands still"
                                                                      : "is stopped") +
                             (hasNodes ? ", beside other nodes" : "")),
          m_fate(fate),
          m_hasNodes(hasNodes)
    {
    }

  private:
    /** Something of a program that never ends, such as the checks of FlowMonitor. */
    static void Repeat()
    {
        Simulator::Schedule(MilliSeconds(1), &OwnProgramTestCase::Repeat);
    }

    void DoRun() override
    {
        if (m_hasNodes)
        {
            EndOfRun::Open();
            NodeContainer().Create(1);
        }
        OpusHelper opus;
        if (m_fate == STANDS_STILL)
        {
            opus.AddControllerCrash(MilliSeconds(1), Seconds(-1));
        }
        const ApplicationContainer ranks = Install(opus, 1);
        if (m_fate == ENDS_BESIDE_OTHERS)
        {
            Repeat();
            TrainingJobHelper::StopWhenFinished(ranks);
            Simulator::Stop(Seconds(10)); // in case that nothing else does
        }
        if (m_fate == IS_STOPPED)
        {
            Simulator::Stop(MilliSeconds(1));
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_LT(Simulator::Now(), Seconds(10), "it has gone on without need");
        std::ostringstream text;
        std::streambuf* const before = std::cerr.rdbuf(text.rdbuf());
        Simulator::Destroy();
        std::cerr.rdbuf(before);
        const bool hasEnded = m_fate == ENDS || m_fate == ENDS_BESIDE_OTHERS;
        const std::string begin = hasEnded ? ""
                                  : m_fate == STANDS_STILL
                                      ? "the job came to a standstill at "
                                      : "the run was stopped at 0.001000 s: 0 of 1 iterations "
                                        "ended\n  ";
        NS_TEST_ASSERT_MSG_EQ(text.str().substr(0, begin.size()), begin, "first line");
        NS_TEST_ASSERT_MSG_EQ(text.str().empty(), hasEnded, "is silent if it has ended");
    }

    Fate m_fate;
    bool m_hasNodes;
};

/** Counting events changes nothing. */
class CountEventsTestCase : public PicosecondTestCase
{
  public:
    CountEventsTestCase()
        : PicosecondTestCase("events that are left are counted")
    {
    }

  private:
    void DoRun() override
    {
        uint32_t happened = 0;
        const auto happen = [&happened] { ++happened; };
        ScheduleCall(Seconds(1), happen);
        ScheduleCall(Seconds(2), happen);
        Simulator::Cancel(
            Simulator::Schedule(Seconds(3), &CallScheduled, std::function<void()>(happen)));
        NS_TEST_ASSERT_MSG_EQ(EndOfRun::CountEvents(), 2, "two are left, and one is cancelled");
        NS_TEST_ASSERT_MSG_EQ(EndOfRun::CountEvents(), 2, "nothing has changed");
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(happened, 2, "all happen");
        NS_TEST_ASSERT_MSG_EQ(EndOfRun::CountEvents(), 0, "none is left");
    }
};

/** The suite. */
class StallTestSuite : public TestSuite
{
  public:
    StallTestSuite()
        : TestSuite("photonic-rails-stall", Type::UNIT)
    {
        AddTestCase(new NeverGrantedTestCase(false));
        AddTestCase(new NeverGrantedTestCase(true));
        AddTestCase(new MissingCallTestCase);
        AddTestCase(new GrantedRecvTestCase);
        AddTestCase(new StalledPortTestCase);
        AddTestCase(new NoControllerTestCase);
        for (const auto fate : {OwnProgramTestCase::ENDS,
                                OwnProgramTestCase::ENDS_BESIDE_OTHERS,
                                OwnProgramTestCase::STANDS_STILL,
                                OwnProgramTestCase::IS_STOPPED})
        {
            AddTestCase(new OwnProgramTestCase(fate, false));
        }
        AddTestCase(new OwnProgramTestCase(OwnProgramTestCase::STANDS_STILL, true));
        AddTestCase(new CountEventsTestCase);
    }
};

StallTestSuite g_stallTestSuite; //!< registers itself

} // namespace
