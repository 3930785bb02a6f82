// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The injector of faults: the component that breaks is the one that is named, and the log has a
 * record of each fault with all that came of it.
 */

#include "lambda-call.h"
#include "picosecond-test-case.h"

#include "ns3/fault-injector.h"
#include "ns3/opus-helper.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

/// Faults of one component, one after the other and at once.
class FaultLogTestCase : public PicosecondTestCase
{
  public:
    FaultLogTestCase()
        : PicosecondTestCase("A consequence belongs to the longest fault of the last outage")
    {
    }

  private:
    void DoRun() override
    {
        const Fault port{FaultKind::NIC_PORT, 1, 0, {}, MilliSeconds(1), ""};
        const Fault moment{FaultKind::NIC_PORT, 1, 0, {}, PicoSeconds(1), ""};
        const Fault otherPort{FaultKind::NIC_PORT, 1, 1, {}, {}, ""};
        const Fault samePlace{FaultKind::OCS_PORT, 1, 0, {}, {}, ""};
        FaultLog log;
        ScheduleCall(MilliSeconds(1), [&] {
            NS_TEST_EXPECT_MSG_EQ(log.Begin(port), true, "the first record");
            NS_TEST_EXPECT_MSG_EQ(log.Begin(samePlace), true, "another kind");
            NS_TEST_EXPECT_MSG_EQ(log.Begin(moment), false, "broken already");
            NS_TEST_EXPECT_MSG_EQ(log.End(samePlace), false, "for good");
            log.Note(port, "seen");
        });
        ScheduleCall(MilliSeconds(2), [&] {
            NS_TEST_EXPECT_MSG_EQ(log.Begin(port), false, "not mended yet");
            NS_TEST_EXPECT_MSG_EQ(log.End(port), false, "the other lasts");
            log.Note(port, "seen again");
        });
        ScheduleCall(MilliSeconds(3), [&] {
            NS_TEST_EXPECT_MSG_EQ(log.End(port), true, "mended");
            NS_TEST_EXPECT_MSG_EQ(log.End(port), false, "nothing is broken");
            NS_TEST_EXPECT_MSG_EQ(log.Begin(port), true, "broken again");
            log.Note(port, "seen again");
            log.Note(otherPort, "never broken");
            log.NoteAll("the job failed");
        });
        Simulator::Run();
        const auto& records = log.GetRecords();
        NS_TEST_ASSERT_MSG_EQ(records.size(), 5u, "records");
        NS_TEST_EXPECT_MSG_EQ(records[0].consequence, "seen at 0.001000 s", "the longer one");
        NS_TEST_EXPECT_MSG_EQ(records[1].consequence, "the job failed at 0.003000 s", "still dark");
        NS_TEST_EXPECT_MSG_EQ(records[2].consequence, "it was broken already", "no fault");
        NS_TEST_EXPECT_MSG_EQ(records[3].consequence,
                              "it was broken already and stays so until 0.003000 s; "
                              "seen again at 0.002000 s",
                              "longer still");
        NS_TEST_EXPECT_MSG_EQ(records[4].consequence,
                              "seen again at 0.003000 s; the job failed at 0.003000 s",
                              "both");
        NS_TEST_EXPECT_MSG_EQ(records[4].kind + ":" + records[4].target, "nic-port:1/0", "name");
        NS_TEST_EXPECT_MSG_EQ(records[0].at, MilliSeconds(1), "beginning");
        NS_TEST_EXPECT_MSG_EQ(records[0].until, MilliSeconds(3), "the end of all three");
        NS_TEST_EXPECT_MSG_EQ(records[2].until, MilliSeconds(3), "the end of all three");
        NS_TEST_EXPECT_MSG_EQ(records[3].until, MilliSeconds(3), "the end of all three");
        NS_TEST_EXPECT_MSG_EQ(records[4].until, Time::Max(), "not mended again");
        NS_TEST_EXPECT_MSG_EQ(records[1].until, Time::Max(), "never mended");
    }
};

/// A line that names a broken component.
class BrokenTextTestCase : public PicosecondTestCase
{
  public:
    BrokenTextTestCase()
        : PicosecondTestCase("Four components are named, the others counted")
    {
    }

  private:
    void DoRun() override
    {
        FaultLog log;
        NS_TEST_EXPECT_MSG_EQ(log.DescribeComponents(), "", "nothing yet");
        const std::string four = "; broken: ocs:0, ocs:1, ocs:2, ocs:3";
        const std::vector<std::string> expected{"; broken: ocs:0",
                                                "; broken: ocs:0, ocs:1",
                                                "; broken: ocs:0, ocs:1, ocs:2",
                                                four,
                                                four + " and 1 more",
                                                four + " and 2 more"};
        for (uint32_t i = 0; i < expected.size(); ++i)
        {
            log.Begin({FaultKind::OCS, i, 0, {}, {}, ""});
            NS_TEST_EXPECT_MSG_EQ(log.DescribeComponents(), expected[i], i + 1 << " components");
            NS_TEST_EXPECT_MSG_EQ(log.IsBroken(FaultKind::OCS, i), true, "switch " << i);
            NS_TEST_EXPECT_MSG_EQ(log.IsBroken(FaultKind::OCS, i + 1), false, "the next one");
        }
        NS_TEST_EXPECT_MSG_EQ(log.HasLostGpu(), false, "switches");
        log.Begin({FaultKind::GPU, 0, 0, {}, {}, ""});
        NS_TEST_EXPECT_MSG_EQ(log.HasLostGpu(), true, "a GPU");
    }
};

/// A line that names a repaired component.
class RepairedTextTestCase : public PicosecondTestCase
{
  public:
    RepairedTextTestCase()
        : PicosecondTestCase("What was repaired is named, the latest first")
    {
    }

  private:
    void DoRun() override
    {
        FaultLog log;
        for (uint32_t i = 0; i < 6; ++i)
        {
            const Fault fault{FaultKind::OCS, i, 0, {}, Seconds(i + 1), ""};
            log.Begin(fault);
            ScheduleCall(fault.duration, [&log, fault] { log.End(fault); });
        }
        log.Begin({FaultKind::GPU, 0, 0, {}, {}, ""});
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(log.DescribeComponents(),
                              "; broken: gpu:0; repaired: ocs:5 at 6.000000 s, ocs:4 at 5.000000 "
                              "s, ocs:3 at 4.000000 s, ocs:2 at 3.000000 s and 2 more",
                              "all are repaired but one");
        Simulator::Destroy();
    }
};

/// Ports of NICs and of switches, while nothing is sent.
class BrokenPortTestCase : public PicosecondTestCase
{
  public:
    BrokenPortTestCase()
        : PicosecondTestCase("The port that is named breaks, no other, until it is mended")
    {
    }

  private:
    void Began(const std::string& kind, const std::string& target)
    {
        m_events += "begin " + kind + ":" + target + ", ";
    }

    void Ended(const std::string& kind, const std::string& target)
    {
        m_events += "end " + kind + ":" + target + ", ";
    }

    /// @return the ports that are broken: "nic" or "ocs", component/port
    static std::string ListBroken(const RailCluster& cluster)
    {
        std::string text;
        for (uint32_t gpu = 0; gpu < cluster.GetNGpus(); ++gpu)
        {
            for (uint32_t port = 0; port < cluster.GetNicPortCount(); ++port)
            {
                text += cluster.GetNic(gpu)->GetPort(port)->HasFailed()
                            ? "nic" + std::to_string(gpu) + "/" + std::to_string(port) + " "
                            : "";
            }
        }
        for (uint32_t rail = 0; rail < cluster.GetGpusPerDomain(); ++rail)
        {
            for (uint32_t port = 0; port < cluster.GetNDomains() * cluster.GetNicPortCount();
                 ++port)
            {
                text += cluster.GetOcs(rail)->IsPortStuck(port)
                            ? "ocs" + std::to_string(rail) + "/" + std::to_string(port) + " "
                            : "";
            }
        }
        return text;
    }

    void DoRun() override
    {
        RailClusterHelper helper;
        helper.SetDomains(3, 2);
        helper.SetNic(2, DataRate("100Gbps"));
        const RailCluster cluster = helper.InstallPhotonic();
        OpusHelper opus;
        opus.Install(cluster);
        const FaultScope scope = FaultInjector::GetScope(cluster);
        NS_TEST_EXPECT_MSG_EQ(scope.gpus, 6u, "GPUs");
        NS_TEST_EXPECT_MSG_EQ(scope.nicPorts, 2u, "ports of a NIC");
        NS_TEST_EXPECT_MSG_EQ(scope.switches, 2u, "switches");
        NS_TEST_EXPECT_MSG_EQ(scope.switchPorts, 6u, "ports of a switch");
        std::vector<Fault> faults;
        const std::string error =
            FaultPlan::Parse("nic-port:4/1@1ms+3ms,ocs-port:1/5@2ms+1ms,nic-port:4/1@2ms+1ms,"
                             "nic-port:4/1@4ms+1ms",
                             scope,
                             faults);
        NS_TEST_ASSERT_MSG_EQ(error, "", "the faults");
        auto injector = CreateObject<FaultInjector>();
        injector->TraceConnectWithoutContext("FaultBegin",
                                             MakeCallback(&BrokenPortTestCase::Began, this));
        injector->TraceConnectWithoutContext("FaultEnd",
                                             MakeCallback(&BrokenPortTestCase::Ended, this));
        injector->Install(faults, cluster, &opus, nullptr, {}, 1);
        const std::vector<std::string> expected{"",
                                                "nic4/1 ",
                                                "nic4/1 ocs1/5 ",
                                                "nic4/1 ",
                                                "nic4/1 ",
                                                ""};
        for (uint32_t i = 0; i < expected.size(); ++i)
        {
            ScheduleCall(MicroSeconds(1000 * i + 500), [this, &cluster, &expected, i] {
                NS_TEST_EXPECT_MSG_EQ(ListBroken(cluster), expected[i], i << ".5 ms");
            });
        }
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        // The second fault of the NIC port ends before the first, the third begins as that ends.
        NS_TEST_EXPECT_MSG_EQ(m_events,
                              "begin nic-port:4/1, begin ocs-port:1/5, end ocs-port:1/5, "
                              "end nic-port:4/1, ",
                              "events");
        const std::vector<RunFault>& records = injector->GetRecords();
        NS_TEST_ASSERT_MSG_EQ(records.size(), 4u, "records");
        NS_TEST_EXPECT_MSG_EQ(records[0].until, MilliSeconds(5), "the NIC port");
        NS_TEST_EXPECT_MSG_EQ(records[1].until, MilliSeconds(3), "the port of the switch");
        NS_TEST_EXPECT_MSG_EQ(records[2].consequence, "it was broken already", "the second");
        NS_TEST_EXPECT_MSG_EQ(records[3].consequence,
                              "it was broken already and stays so until 0.005000 s",
                              "the third");
    }

    std::string m_events; //!< of the trace sources
};

/**
 * @ingroup tests
 * The injector of faults.
 */
class FaultInjectorTestSuite : public TestSuite
{
  public:
    FaultInjectorTestSuite()
        : TestSuite("photonic-rails-fault-injector", Type::SYSTEM)
    {
        AddTestCase(new FaultLogTestCase);
        AddTestCase(new BrokenTextTestCase);
        AddTestCase(new RepairedTextTestCase);
        AddTestCase(new BrokenPortTestCase);
    }
};

FaultInjectorTestSuite g_faultInjectorTestSuite; //!< the instance

} // namespace
