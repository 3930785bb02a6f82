// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Several jobs on one set of switches, and clients that do what they should not.
 */

#include "../../examples/benchmark/control-rig.h"
#include "lambda-call.h"
#include "picosecond-test-case.h"

#include "ns3/boolean.h"
#include "ns3/host-link.h"
#include "ns3/opus-controller.h"
#include "ns3/opus-helper.h"
#include "ns3/opus-manager.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/training-application.h"
#include "ns3/training-job-helper.h"
#include "ns3/training-recorder.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** @return a message that releases the lease for which another message asks */
OpusMessage
MakeRelease(const OpusLease& lease)
{
    OpusRelease release;
    static_cast<OpusLease&>(release) = lease;
    return release;
}

/** Iterations of a job. */
using Times = std::vector<Time>;

/** Two jobs on eight domains of two GPUs; each has four of the domains. */
class TwoJobs
{
  public:
    /** @param provisioning whether shims predict @param service of the controller for a message */
    TwoJobs(bool provisioning, Time service)
    {
        RailClusterHelper helper;
        helper.SetDomains(8, 2);
        helper.SetNic(2, DataRate("100Gbps"));
        m_cluster = helper.InstallPhotonic();
        m_opus.SetShimAttribute("Provisioning", BooleanValue(provisioning));
        for (uint32_t job = 0; job < 2; ++job)
        {
            m_parts.push_back(m_cluster.GetPart(4 * job, 4));
            m_opus.Install(m_parts.back());
        }
        m_opus.GetController()->SetAttribute("MessageTime", TimeValue(service));
    }

    ~TwoJobs()
    {
        Simulator::Destroy();
    }

    /** Let a job train. @param job its number */
    void Train(uint32_t job)
    {
        TrainingJobHelper helper("debugmodel");
        helper.SetParallelism({2, 2, 2}); // TP, FSDP and PP
        helper.SetIterations(ITERATIONS);
        auto recorder = std::make_unique<TrainingRecorder>(helper.GetLayout(m_parts[job]));
        const auto ranks = helper.Install(m_parts[job]);
        for (uint32_t rank = 0; rank < ranks.GetN(); ++rank)
        {
            recorder->Observe(DynamicCast<TrainingApplication>(ranks.Get(rank)));
        }
        m_recorders[job] = std::move(recorder);
    }

    /** @return the controller */
    Ptr<OpusController> GetController() const
    {
        return m_opus.GetController();
    }

    /** @param rank a rank @param job its job @return its shim */
    Ptr<OpusShim> GetShim(uint32_t rank, uint32_t job) const
    {
        return m_opus.GetShim(rank, job);
    }

    /** Let managers put messages together. @param job whose @param retryPackets how long they wait
     */
    void Coalesce(uint32_t job, Time retryPackets)
    {
        for (uint32_t domain = 0; domain < m_parts[job].GetNDomains(); ++domain)
        {
            m_opus.GetManager(domain, job)->SetAttribute("CoalesceTime", TimeValue(retryPackets));
        }
    }

    /** @param domain of job 1 @return its manager */
    Ptr<OpusManager> GetManager(uint32_t domain) const
    {
        return m_opus.GetManager(domain, 1);
    }

    /** @param rank of job 1 @return its node */
    Ptr<Node> GetNode(uint32_t rank) const
    {
        return m_parts[1].GetGpu(rank);
    }

    /** @param job its number @return the iterations that have ended */
    Times GetTimes(uint32_t job) const
    {
        Times times;
        for (const auto& iteration : m_recorders.at(job)->GetIterations())
        {
            times.push_back(iteration.duration);
        }
        return times;
    }

    static constexpr uint32_t ITERATIONS = 3; //!< of a job

  private:
    RailCluster m_cluster;
    OpusHelper m_opus;
    std::vector<RailCluster> m_parts;
    std::map<uint32_t, std::unique_ptr<TrainingRecorder>> m_recorders;
};

/** @return the largest relative difference between iterations of two runs; 1 if one is missing */
double
Compare(const Times& times, const Times& wanted)
{
    if (times.size() != wanted.size() || times.size() != TwoJobs::ITERATIONS)
    {
        return 1;
    }
    double worst = 0;
    for (std::size_t i = 0; i < times.size(); ++i)
    {
        worst = std::max(worst, std::abs(times[i].GetSeconds() / wanted[i].GetSeconds() - 1));
    }
    return worst;
}

/** Both train. */
class TwoJobsTestCase : public PicosecondTestCase
{
  public:
    /** @param provisioning whether shims predict */
    explicit TwoJobsTestCase(bool provisioning)
        : PicosecondTestCase(std::string("Two jobs do not slow each other down, ") +
                             (provisioning ? "provisioned" : "on demand")),
          m_provisioning(provisioning)
    {
    }

  private:
    void DoRun() override
    {
        std::vector<Times> alone(2);
        for (uint32_t job = 0; job < 2; ++job)
        {
            TwoJobs jobs(m_provisioning, MicroSeconds(10));
            jobs.Train(job);
            Simulator::Run();
            alone[job] = jobs.GetTimes(job);
            NS_TEST_ASSERT_MSG_EQ(alone[job].size(), TwoJobs::ITERATIONS, "it ends");
        }
        TwoJobs jobs(m_provisioning, MicroSeconds(10));
        jobs.Train(0);
        jobs.Train(1);
        Simulator::Run();
        for (uint32_t job = 0; job < 2; ++job)
        {
            NS_TEST_EXPECT_MSG_LT(Compare(jobs.GetTimes(job), alone[job]), 0.01, "within 1 %");
        }
        const auto stats = jobs.GetController()->GetStats();
        NS_TEST_EXPECT_MSG_EQ(stats.foreign + stats.refusals + stats.malformed, 0u, "no quarrel");
        NS_TEST_EXPECT_MSG_GT(stats.reconfigurations, 0u, "circuits are changed");
    }

    bool m_provisioning;
};

/** Managers combine the messages of ranks. */
class CoalescedJobTestCase : public PicosecondTestCase
{
  public:
    /** @param provisioning whether shims predict */
    explicit CoalescedJobTestCase(bool provisioning)
        : PicosecondTestCase(std::string("Messages put together change no more than latency, ") +
                             (provisioning ? "provisioned" : "on demand")),
          m_provisioning(provisioning)
    {
    }

  private:
    void DoRun() override
    {
        Times times;
        uint64_t served = 0;
        {
            TwoJobs jobs(m_provisioning, MicroSeconds(1));
            jobs.Train(0);
            Simulator::Run();
            times = jobs.GetTimes(0);
            served = jobs.GetController()->GetServerStats().served;
        }
        TwoJobs jobs(m_provisioning, MicroSeconds(1));
        jobs.Coalesce(0, MicroSeconds(5));
        jobs.Train(0);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_LT(Compare(jobs.GetTimes(0), times), 0.01, "iterations within 1 %");
        NS_TEST_EXPECT_MSG_LT(jobs.GetController()->GetServerStats().served, served, "fewer");
        NS_TEST_EXPECT_MSG_EQ(jobs.GetController()->GetStats().malformed, 0u, "all can be read");
    }

    bool m_provisioning;
};

/** The misbehaviour of the second job. */
enum Misdeed
{
    KEEP,  //!< it takes circuits and never gives them back
    STEAL, //!< it asks for ranks of the other job
    FLOOD, //!< it asks and asks
    LIE,   //!< it names ranks that do not exist, and groups without end
};

/** One trains, the other misbehaves. */
class HostileJobTestCase : public PicosecondTestCase
{
  public:
    /** @param misdeed of the other job @param name in words */
    HostileJobTestCase(Misdeed misdeed, const std::string& name)
        : PicosecondTestCase("The other job " + name),
          m_misdeed(misdeed)
    {
    }

  private:
    /** Send as a GPU of job 1. */
    void Say(uint32_t rank, const OpusMessage& message)
    {
        m_links[rank]->Send({message});
    }

    void Misbehave(TwoJobs& jobs, uint32_t turn)
    {
        const ProcessGroup group{5, {0, 2, 4, 6}};
        OpusRequest message;
        message.job = 1;
        message.lease = turn + 1;
        switch (m_misdeed)
        {
        case KEEP:
            if (turn == 0)
            {
                for (uint32_t rank : group.ranks)
                {
                    jobs.GetShim(rank, 1)->GetProvider()->Request(
                        group,
                        {CollectiveKind::ALL_REDUCE, 5, 100, 0, nullptr},
                        ToCallback([this] { ++m_granted; }));
                }
            }
            break;
        case STEAL:
            message.job = 0;
            message.group = turn % 8;
            message.ranks = {0, 2, 4, 6};
            for (uint32_t rank : message.ranks)
            {
                message.rank = rank;
                Say(rank, turn % 2 ? OpusMessage(message) : MakeRelease(message));
            }
            break;
        case FLOOD:
            message.group = 7;
            message.ranks = group.ranks;
            for (uint32_t i = 0; i < 20; ++i)
            {
                for (uint32_t rank : group.ranks)
                {
                    message.rank = rank;
                    Say(rank, message);
                }
            }
            break;
        case LIE:
            message.rank = 0;
            message.group = turn;
            message.ranks = {0, turn + 1000};
            Say(0, message);
            message.group = 100000 + turn;
            message.ranks = {0, 2};
            Say(0, message);
            break;
        }
        if (turn < 200)
        {
            ScheduleCall(MicroSeconds(137), [this, &jobs, turn] { Misbehave(jobs, turn + 1); });
        }
    }

    void DoRun() override
    {
        Times alone;
        {
            TwoJobs jobs(true, Time(0));
            jobs.Train(0);
            Simulator::Run();
            alone = jobs.GetTimes(0);
        }
        TwoJobs jobs(true, Time(0));
        jobs.GetController()->SetAttribute("MaxGroups", UintegerValue(100));
        for (uint32_t rank = 0; rank < 8; ++rank)
        {
            Ptr<Node> node = jobs.GetNode(rank);
            m_links.push_back(std::make_unique<HostLink>(
                node->GetDevice(node->GetNDevices() - 1),
                0,
                ToCallback<uint32_t, const OpusMessage&>([](uint32_t, const OpusMessage&) {})));
        }
        jobs.Train(0);
        ScheduleCall(MicroSeconds(50), [this, &jobs] { Misbehave(jobs, 0); });
        Simulator::Stop(Seconds(100));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_LT(Compare(jobs.GetTimes(0), alone),
                              1e-4,
                              "the first job hardly sees it");
        const auto stats = jobs.GetController()->GetStats();
        uint64_t stopped = 0;
        for (uint32_t domain = 0; domain < 4; ++domain)
        {
            stopped += jobs.GetManager(domain)->GetMalformed();
        }
        switch (m_misdeed)
        {
        case KEEP:
            NS_TEST_EXPECT_MSG_EQ(m_granted, 4u, "it has its circuits");
            break;
        case STEAL:
            NS_TEST_EXPECT_MSG_EQ(stopped, 201u * 4, "its own manager stops all");
            break;
        case FLOOD:
            NS_TEST_EXPECT_MSG_GT(stats.requests, 10000u, "all are heard");
            break;
        case LIE:
            NS_TEST_EXPECT_MSG_EQ(stats.refusals, 201u + 101u, "no ranks, and too many groups");
            break;
        }
        m_links.clear();
    }

    Misdeed m_misdeed;
    std::vector<std::unique_ptr<HostLink>> m_links;
    uint32_t m_granted{0};
};

/** A node on the management network that is no host. */
class IntruderTestCase : public PicosecondTestCase
{
  public:
    IntruderTestCase()
        : PicosecondTestCase("What is said in another's name changes nothing")
    {
    }

  private:
    ControlRig::Result RunRig(bool isDisturbed)
    {
        ControlRig::Settings settings;
        settings.groups = 4;
        settings.ranks = 8;
        ControlRig rig(settings);
        for (uint32_t i = 0; isDisturbed && i < 50; ++i)
        {
            ScheduleCall(MicroSeconds(100 * i + 50), [&rig, i] {
                OpusRequest message;
                message.rank = i % 32;
                message.group = i % 4;
                message.lease = 1 + i % 2;
                rig.Intrude(-1, message);
                rig.Intrude(-1, MakeRelease(message));
                OpusReport report;
                report.command = 1 + i % 4;
                rig.Intrude(-1, report);
                OpusCommand command;
                command.number = 1000 + i;
                command.make = {{0, 1}};
                rig.Intrude(static_cast<int>(i % 4), command);
            });
        }
        const auto result = rig.Run();
        const auto stats = rig.GetController()->GetStats();
        uint64_t ignored = 0;
        for (const auto& agent : rig.GetAgents())
        {
            ignored += agent->GetForeign();
        }
        NS_TEST_EXPECT_MSG_EQ(ignored, (isDisturbed ? 50u : 0u), "commands to switches");
        NS_TEST_EXPECT_MSG_EQ(stats.foreign, (isDisturbed ? 150u : 0u), "requests and the like");
        NS_TEST_EXPECT_MSG_EQ(stats.reconfigurations, 4u, "a command for each group");
        Simulator::Destroy();
        return result;
    }

    void DoRun() override
    {
        const auto quiet = RunRig(false);
        const auto disturbed = RunRig(true);
        NS_TEST_EXPECT_MSG_EQ(quiet.admitted.size(), 32u, "all ranks");
        NS_TEST_EXPECT_MSG_EQ((quiet.admitted == disturbed.admitted), true, "to the picosecond");
    }
};

/** The test suite. */
class OpusJobsTestSuite : public TestSuite
{
  public:
    OpusJobsTestSuite()
        : TestSuite("photonic-rails-opus-jobs", Type::UNIT)
    {
        AddTestCase(new TwoJobsTestCase(true));
        AddTestCase(new TwoJobsTestCase(false));
        AddTestCase(new CoalescedJobTestCase(true));
        AddTestCase(new CoalescedJobTestCase(false));
        AddTestCase(new HostileJobTestCase(KEEP, "keeps its circuits for ever"));
        AddTestCase(new HostileJobTestCase(STEAL, "asks for ranks that are not its own"));
        AddTestCase(new HostileJobTestCase(FLOOD, "asks without end"));
        AddTestCase(new HostileJobTestCase(LIE, "makes up ranks and groups"));
        AddTestCase(new IntruderTestCase());
    }
};

OpusJobsTestSuite g_opusJobsTestSuite; //!< static registration

} // namespace
