// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Policies of circuits beside each other: the same job, when switches make circuits for other
 * reasons.
 *
 * Covers model/opus/policy
 */

#include "picosecond-test-case.h"
#include "training-run.h"

#include "ns3/opus-controller.h"
#include "ns3/opus-helper.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/simulator.h"
#include "ns3/static-policy.h"
#include "ns3/test.h"
#include "ns3/training-job-helper.h"
#include "ns3/training-recorder.h"

#include <map>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** @return duration of the last iteration @param extra flags */
Time
GetTime(const std::vector<std::string>& extra)
{
    return RunJob(SmallJob(extra)).iterations.back().duration;
}

/** All bytes arrive with every policy of circuits, and nothing is lost. */
class PolicyTestCase : public TestCase
{
  public:
    PolicyTestCase()
        : TestCase("All bytes arrive with each policy, and waiting orders them")
    {
    }

  private:
    void DoRun() override
    {
        std::map<std::string, RunSummary> runs;
        for (const std::string policy :
             {"oracle", "provisioned", "on-demand", "per-call", "static-partition"})
        {
            runs[policy] = RunJob(SmallJob({"--reconfigDelay=1ms", "--policy=" + policy}));
            const auto& run = runs[policy];
            NS_TEST_EXPECT_MSG_EQ(run.iterations.size(), 3u, policy);
            NS_TEST_EXPECT_MSG_EQ(run.rails.bytesDelivered, run.rails.bytesPosted, policy);
            NS_TEST_EXPECT_MSG_EQ(run.packetsLostAtOcs, 0u, policy);
        }
        const auto& oracle = runs["oracle"].iterations.back();
        const auto& provisioned = runs["provisioned"].iterations.back();
        const auto& onDemand = runs["on-demand"].iterations.back();
        const auto& partition = runs["static-partition"];
        NS_TEST_EXPECT_MSG_LT(oracle.duration, provisioned.duration, "a lower bound");
        NS_TEST_EXPECT_MSG_LT(provisioned.duration, onDemand.duration, "ahead of time is better");
        NS_TEST_EXPECT_MSG_EQ(oracle.exposedReconfiguration.IsZero(), true, "no delays");
        NS_TEST_EXPECT_MSG_EQ(oracle.reconfigurations,
                              provisioned.reconfigurations,
                              "the same circuits");
        NS_TEST_EXPECT_MSG_EQ(partition.iterations[0].reconfigurations, 4u, "one for each rail");
        NS_TEST_EXPECT_MSG_EQ(partition.iterations[1].reconfigurations, 0u, "and no more");
        NS_TEST_EXPECT_MSG_EQ(partition.GetExposed(partition.iterations[0]).has_value(),
                              false,
                              "nothing measures the wait for the first light");
        NS_TEST_EXPECT_MSG_EQ((partition.GetExposed(partition.iterations[1]) == Time(0)),
                              true,
                              "then no circuit moves");
    }
};

/** Ranks that request circuits ahead of time do not take them from each other in circles. */
class CirclesTestCase : public TestCase
{
  public:
    CirclesTestCase()
        : TestCase("Circuits that cost no time change no more often ahead of time than on demand")
    {
    }

  private:
    void DoRun() override
    {
        const RunSummary run = RunJob(SmallJob({"--policy=oracle",
                                                "--gpusPerDomain=3",
                                                "--tp=2",
                                                "--pp=3",
                                                "--microBatches=2",
                                                "--seqLen=124",
                                                "--iterations=2",
                                                "--recomputation=selective"}));
        NS_TEST_ASSERT_MSG_EQ(run.iterations.size(), 2u, "the job ends");
        NS_TEST_EXPECT_MSG_LT(run.iterations[1].reconfigurations,
                              2 * run.iterations[0].reconfigurations,
                              "no rank yields circuits only to request them at once");
    }
};

/** Constraint C3: a dimension with half of the ports has half of the bandwidth. */
class PartitionTestCase : public TestCase
{
  public:
    PartitionTestCase()
        : TestCase("Divided ports halve the bandwidth of each dimension")
    {
    }

  private:
    void DoRun() override
    {
        // All time is communication: FSDP only, then with a pipeline that takes half of the ports.
        const std::vector<std::string> base{"--computeEfficiency=1",
                                            "--fiberDelay=0s",
                                            "--policy=static-partition"};
        const auto run = [&base](const std::string& ports, const std::string& rate) {
            auto flags = base;
            flags.push_back("--nicPorts=" + ports);
            flags.push_back("--portRate=" + rate);
            return GetTime(flags);
        };
        // Four ports of half the rate are divided as two of the whole rate are.
        const Time two = run("2", "100Gbps");
        const Time four = run("4", "50Gbps");
        const Time twice = run("4", "100Gbps");
        NS_TEST_EXPECT_MSG_EQ_TOL(four.GetDouble() / two.GetDouble(), 1, 0.02, "the same split");
        NS_TEST_EXPECT_MSG_LT(twice, two, "two ports for each dimension are better than one");
    }
};

/** Circuits in turn: everything arrives, and the share of light is that of the slots. */
class RotorTestCase : public TestCase
{
  public:
    RotorTestCase()
        : TestCase("Rotors serve a job that knows nothing of them")
    {
    }

  private:
    void DoRun() override
    {
        // 100 us of light and 10 us of darkness; four domains need two steps of two ports.
        const std::vector<std::string> flags{"--policy=rotor",
                                             "--reconfigDelay=10us",
                                             "--slotTime=100us"};
        const RunSummary rotor = RunJob(SmallJob(flags));
        NS_TEST_EXPECT_MSG_EQ(rotor.CheckInvariants(), "", "all bytes");
        NS_TEST_EXPECT_MSG_EQ_TOL(rotor.light.GetShare(), 100.0 / 110, 0.01, "slots");
        const RunSummary oracle = RunJob(SmallJob({"--policy=oracle"}));
        NS_TEST_EXPECT_MSG_EQ(rotor.rails.bytesPosted, oracle.rails.bytesPosted, "the same job");
        NS_TEST_EXPECT_MSG_GT(rotor.iterations.back().duration,
                              oracle.iterations.back().duration,
                              "messages wait for their turn");
        NS_TEST_EXPECT_MSG_EQ(rotor.GetExposed(rotor.iterations.back()).has_value(),
                              false,
                              "nothing measures the wait for slots");
        NS_TEST_EXPECT_MSG_EQ((oracle.GetExposed(oracle.iterations.back()) == Time(0)),
                              true,
                              "shims measure");
        // Each of the four rails changes once in a slot.
        Time all;
        uint32_t turns = 0;
        for (const auto& iteration : rotor.iterations)
        {
            all += iteration.duration;
            turns += iteration.reconfigurations;
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(turns, 4 * all.GetMicroSeconds() / 110, 4, "turns");

        auto packets = flags;
        packets.emplace_back("--fidelity=packet");
        NS_TEST_EXPECT_MSG_EQ(RunJob(SmallJob(packets)).iterations.back().duration,
                              rotor.iterations.back().duration,
                              "packet by packet");

        // Slots shorter than a message: the part that is cut off is sent again.
        auto shorter = flags;
        shorter.back() = "--slotTime=30us";
        const RunSummary cut = RunJob(SmallJob(shorter));
        NS_TEST_EXPECT_MSG_EQ(cut.CheckInvariants(), "", "all bytes");
        NS_TEST_EXPECT_MSG_GT(cut.packetsLostAtOcs, 0u, "light is lost");
        NS_TEST_EXPECT_MSG_GT(cut.rails.retransmissions, 0u, "and sent again");
        auto shortest = flags;
        shortest.back() = "--slotTime=5us";
        NS_TEST_EXPECT_MSG_NE(CheckJob(SmallJob(shortest)), "", "nothing would be acknowledged");
    }
};

/** Jobs that a policy cannot serve are refused before the run, in one line. */
class PolicyRefusalTestCase : public TestCase
{
  public:
    PolicyRefusalTestCase()
        : TestCase("Ports that cannot be divided are refused")
    {
    }

  private:
    void DoRun() override
    {
        const std::string error =
            CheckJob(SmallJob({"--policy=static-partition", "--fsdp=4", "--pp=2"}));
        NS_TEST_EXPECT_MSG_EQ(error,
                              "--policy=static-partition: 2 ports of a NIC cannot be divided "
                              "between fsdp (2), pp (1): 3 are needed",
                              "an error");
        NS_TEST_EXPECT_MSG_EQ(
            CheckJob(SmallJob({"--policy=static-partition", "--fsdp=4", "--nicPorts=4"})),
            "",
            "enough ports");
    }
};

/** Counts calls, and passes them on to the provider of a shim. */
class CountingProvider : public ConnectivityProvider
{
  public:
    static uint32_t g_requests; //!< of all providers

    /** @param inner provider that answers */
    explicit CountingProvider(Ptr<ConnectivityProvider> inner)
        : m_inner(inner)
    {
    }

    void Request(const ProcessGroup& group,
                 const CollectiveCall& call,
                 Callback<void> granted) override
    {
        ++g_requests;
        m_inner->Request(group, call, granted);
    }

    void Release(const ProcessGroup& group, const CollectiveCall& call) override
    {
        m_inner->Release(group, call);
    }

    void SetTraffic(const Traffic& traffic) override
    {
        m_inner->SetTraffic(traffic);
    }

  private:
    Ptr<ConnectivityProvider> m_inner;
};

uint32_t CountingProvider::g_requests = 0;

/** A shim with a provider of its own. */
class CountingShim : public OpusShim
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::test::CountingShim").SetParent<OpusShim>().AddConstructor<CountingShim>();
        return tid;
    }

    Ptr<ConnectivityProvider> GetProvider() const override
    {
        return m_provider;
    }

  private:
    Ptr<ConnectivityProvider> m_provider{CreateObject<CountingProvider>(OpusShim::GetProvider())};
};

NS_OBJECT_ENSURE_REGISTERED(CountingShim);

/** Shims of another type, and attributes of controllers. */
class ShimTypeTestCase : public PicosecondTestCase
{
  public:
    ShimTypeTestCase()
        : PicosecondTestCase("A shim of another type may have a provider of its own")
    {
    }

  private:
    void DoRun() override
    {
        RailClusterHelper helper;
        helper.SetDomains(4, 2);
        RailCluster cluster = helper.InstallPhotonic();
        OpusHelper opus;
        opus.SetShimType("ns3::test::CountingShim");
        opus.SetControllerAttribute("MessageTime", TimeValue(MicroSeconds(3)));
        opus.Install(cluster);
        TimeValue time;
        opus.GetController()->GetAttribute("MessageTime", time);
        NS_TEST_EXPECT_MSG_EQ(time.Get(), MicroSeconds(3), "an attribute of the controller");
        TrainingJobHelper job("debugmodel");
        job.SetParallelism({2, 2, 2});
        job.SetIterations(1);
        const ApplicationContainer ranks = job.Install(cluster);
        TrainingRecorder recorder(job.GetLayout(cluster));
        for (uint32_t rank = 0; rank < ranks.GetN(); ++rank)
        {
            recorder.Observe(DynamicCast<TrainingApplication>(ranks.Get(rank)));
        }
        CountingProvider::g_requests = 0;
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(recorder.GetIterations().size(), 1u, "the job ends");
        NS_TEST_EXPECT_MSG_GT(CountingProvider::g_requests, 0u, "the provider was asked");
        NS_TEST_EXPECT_MSG_GT(opus.GetController()->GetStats().grants, 0u, "and asked Opus");
        Simulator::Destroy();
    }
};

/** A static policy that joins a port twice, or ports of two rails. */
class MistakenPolicy : public StaticPolicy
{
  public:
    /** @param joint the second circuit */
    explicit MistakenPolicy(const StaticCircuits::Joint& joint)
        : m_joint(joint)
    {
    }

    std::string GetName() const override
    {
        return "mistaken";
    }

    std::string Describe() const override
    {
        return "mistaken";
    }

    StaticTopology MakeCircuits(const RankLayout& layout,
                                const JobDemand& /* demand */,
                                uint32_t nicPorts) const override
    {
        StaticCircuits circuits(layout.GetWorldSize(), nicPorts);
        circuits.Join({0, 0, 2, 0});
        circuits.Join(m_joint);
        return {circuits, ""};
    }

  private:
    StaticCircuits::Joint m_joint;
};

/** Mistakes of a static policy are refused, not made. */
class MistakenPolicyTestCase : public TestCase
{
  public:
    MistakenPolicyTestCase()
        : TestCase("Ports that are joined twice or across rails are refused")
    {
    }

  private:
    void DoRun() override
    {
        TrainingSettings settings;
        ReadFlags(settings, SmallJob({"--tp=2", "--fsdp=2", "--pp=1", "--gpusPerDomain=2"}));
        NS_TEST_ASSERT_MSG_EQ(settings.Check(), "", "the job");
        const auto check = [&settings](const StaticCircuits::Joint& joint) {
            return MistakenPolicy(joint).MakeTopology(settings.GetPlannedRanks(), 2).error;
        };
        NS_TEST_EXPECT_MSG_EQ(check({0, 1, 2, 1}),
                              "no row of circuits joins ranks 1 and 3 of fsdp",
                              "rail 1 has no circuits");
        NS_TEST_EXPECT_MSG_EQ(check({0, 0, 2, 1}), "port 0 of GPU 0 is joined twice", "a port");
        NS_TEST_EXPECT_MSG_EQ(check({0, 1, 3, 0}),
                              "a circuit joins ranks 0 and 3, which are on different rails",
                              "rails");
    }
};

/**
 * @ingroup tests
 * Policies of circuits.
 */
class CircuitPolicyTestSuite : public TestSuite
{
  public:
    CircuitPolicyTestSuite()
        : TestSuite("photonic-rails-circuit-policy", Type::SYSTEM)
    {
        AddTestCase(new PolicyTestCase);
        AddTestCase(new CirclesTestCase);
        AddTestCase(new PartitionTestCase);
        AddTestCase(new RotorTestCase);
        AddTestCase(new PolicyRefusalTestCase);
        AddTestCase(new ShimTypeTestCase);
        AddTestCase(new MistakenPolicyTestCase);
    }
};

CircuitPolicyTestSuite g_circuitPolicyTestSuite; //!< the instance

} // namespace
