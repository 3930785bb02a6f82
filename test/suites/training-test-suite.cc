// SPDX-License-Identifier: GPL-2.0-only

// The whole house at work: a small job on both fabrics, from the flags to the summary.

#include "network-time.h"
#include "training-run.h"

#include "ns3/collective-engine.h"
#include "ns3/ocs-port-log.h"
#include "ns3/opus-controller.h"
#include "ns3/opus-helper.h"
#include "ns3/simulator.h"
#include "ns3/step-split.h"
#include "ns3/test.h"
#include "ns3/training-application.h"
#include "ns3/training-job-helper.h"

#include <sstream>

using namespace ns3;
using namespace ns3::test;

namespace
{

/// @return a phase list as text
std::string
TrainingToText(const std::vector<ScaleOutPhase>& phases)
{
    std::string text;
    for (const auto& phase : phases)
    {
        text += (text.empty() ? "" : ", ") + phase.ToText();
    }
    return text;
}

/// Every run of the small job, whatever the fabric: the invariants and the recorded order.
class FabricTestCase : public TestCase
{
  public:
    FabricTestCase(const std::string& name, std::vector<std::string> flags, uint32_t perIteration)
        : TestCase("a job runs " + name),
          m_flags(std::move(flags)),
          m_reconfigurations(perIteration)
    {
    }

  private:
    void DoRun() override
    {
        const RunSummary summary = RunJob(SmallJob(m_flags));
        NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), "", "an invariant does not hold");
        NS_TEST_ASSERT_MSG_EQ(summary.iterations.size(), 3u, "iterations");
        NS_TEST_ASSERT_MSG_EQ(summary.rails.retransmissions,
                              0u,
                              "nothing is lost, nothing repeated");
        NS_TEST_ASSERT_MSG_GT(summary.rails.bytesPosted, 0u, "nothing was sent");
        // The order that the traced job shows, with the 3 layers and 1 more unit of this model.
        NS_TEST_ASSERT_MSG_EQ(
            TrainingToText(summary.phases[0]),
            "fsdp AllGather 4, pp Send 1, fsdp AllGather 4, pp Send 1, pp Recv 1, "
            "fsdp AllGather 4, pp Recv 1, fsdp ReduceScatter 4, fsdp AllReduce 1, "
            "pp AllReduce 1, dp AllReduce 3",
            "stage 0");
        NS_TEST_ASSERT_MSG_EQ(
            TrainingToText(summary.phases[1]),
            "pp Recv 1, fsdp AllGather 8, pp Send 1, pp Recv 1, fsdp AllGather 4, pp Send 1, "
            "fsdp ReduceScatter 4, fsdp AllReduce 1, pp AllReduce 1, dp AllReduce 3",
            "stage 1");
        for (std::size_t i = 1; i < summary.iterations.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(summary.iterations[i].reconfigurations,
                                  m_reconfigurations,
                                  "reconfigurations in iteration " << i);
        }
    }

    std::vector<std::string> m_flags;
    uint32_t m_reconfigurations;
};

/// With light at once and no latency to the controller, circuits are as good as a switch.
class NoDelayTestCase : public TestCase
{
  public:
    NoDelayTestCase(const std::string& name, std::vector<std::string> flags)
        : TestCase("without delays a photonic rail equals an electrical one: " + name),
          m_flags(std::move(flags))
    {
    }

  private:
    Time RunLastIteration(const std::vector<std::string>& fabric) const
    {
        std::vector<std::string> flags = m_flags;
        flags.insert(flags.end(), fabric.begin(), fabric.end());
        return RunJob(SmallJob(flags)).iterations.back().duration;
    }

    void DoRun() override
    {
        const Time circuits = RunLastIteration({"--reconfigDelay=0s",
                                                "--controlLatency=0s",
                                                "--hostLatency=0s",
                                                "--policy=on-demand"});
        const Time atOnce = RunLastIteration({"--fabric=electrical", "--hopLatency=0s"});
        const Time slow = RunLastIteration({"--fabric=electrical", "--hopLatency=10us"});
        // How often the critical path crosses the switch; each time it stores at most a whole
        // frame, of 4178 bytes at 100 Gbit/s.
        const double crossings = (slow - atOnce).GetDouble() / MicroSeconds(10).GetDouble();
        const double stored = crossings * NanoSeconds(335).GetDouble();
        NS_TEST_ASSERT_MSG_GT(crossings, 5, "hops on the critical path");
        NS_TEST_ASSERT_MSG_LT(circuits, atOnce, "light is not stored");
        NS_TEST_ASSERT_MSG_LT((atOnce - circuits).GetDouble(), stored, "and nothing else differs");
    }

    std::vector<std::string> m_flags;
};

/// Where phases of two groups would overlap on a switch, circuits serve them one after the other.
class PhasesTestCase : public TestCase
{
  public:
    PhasesTestCase()
        : TestCase("without delays, phases that overlap on a switch take turns on circuits")
    {
    }

  private:
    void DoRun() override
    {
        const NetworkTimeOnly networkTime;
        const Time circuits = RunJob(SmallJob({"--reconfigDelay=0s",
                                               "--controlLatency=0s",
                                               "--hostLatency=0s",
                                               "--policy=on-demand"}))
                                  .iterations[2]
                                  .duration;
        const Time direct =
            RunJob(SmallJob({"--fabric=electrical", "--hopLatency=0s"})).iterations[2].duration;
        // At most the Send of 256 KiB at 200 Gbit/s that the switch overlaps with an AllGather.
        NS_TEST_ASSERT_MSG_EQ_TOL(circuits.GetMicroSeconds(),
                                  direct.GetMicroSeconds(),
                                  15,
                                  "circuits against a switch without latency");
    }
};

/// Each delay on the critical path costs itself, once; provisioning hides some of it.
class DelayTestCase : public TestCase
{
  public:
    DelayTestCase()
        : TestCase("reconfiguration delays are exposed phase by phase")
    {
    }

  private:
    void DoRun() override
    {
        const auto run = [](const std::string& delay, const std::string& policy) {
            return RunJob(SmallJob({"--reconfigDelay=" + delay, "--policy=" + policy}))
                .iterations[2];
        };
        const auto base = run("0s", "on-demand");
        const auto onDemand = run("10ms", "on-demand");
        const auto provisioned = run("10ms", "provisioned");
        // Eight changes between dp and pp in an iteration, each of them on the critical path: see
        // doc/validation.rst.
        NS_TEST_ASSERT_MSG_EQ_TOL((onDemand.duration - base.duration).GetSeconds(),
                                  8 * 10e-3,
                                  0.1e-3,
                                  "eight delays on demand");
        // No rank waits for all of them itself: while one stage waits for light, the other waits
        // for that stage.
        NS_TEST_ASSERT_MSG_EQ_TOL(onDemand.exposedReconfiguration.GetSeconds(),
                                  7 * 10e-3,
                                  0.1e-3,
                                  "seven of them at the shim of one rank");
        NS_TEST_ASSERT_MSG_LT(provisioned.duration, onDemand.duration, "provisioning helps");
        NS_TEST_ASSERT_MSG_LT(base.duration, provisioned.duration, "but not for free");
    }
};

/// The program that the model page shows.
class SentenceTestCase : public TestCase
{
  public:
    SentenceTestCase()
        : TestCase("a program that reads like the experiment")
    {
    }

  private:
    void DoRun() override
    {
        RailClusterHelper cluster;
        cluster.SetDomains(4, 4);
        cluster.SetNic(2, DataRate("100Gbps"));
        cluster.SetOcs("polatis");
        RailCluster rails = cluster.InstallPhotonic();

        OpusHelper opus;
        opus.Install(rails);

        TrainingJobHelper job("debugmodel");
        job.SetParallelism({4, 2, 2});
        job.SetIterations(3);
        ApplicationContainer ranks = job.Install(rails);

        TrainingRecorder recorder(job.GetLayout(rails));
        for (uint32_t rank = 0; rank < ranks.GetN(); ++rank)
        {
            recorder.Observe(DynamicCast<TrainingApplication>(ranks.Get(rank)));
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(recorder.GetIterations().size(), 3u, "iterations");
        NS_TEST_ASSERT_MSG_LT(recorder.GetIterations()[2].duration,
                              recorder.GetIterations()[0].duration,
                              "provisioning is the default");
        NS_TEST_ASSERT_MSG_GT(opus.GetController()->GetStats().reconfigurations, 0u, "circuits");
        NS_TEST_ASSERT_MSG_EQ(rails.GetOcs(0)->GetFramesLost(), 0u, "light");
        Simulator::Destroy();
    }
};

/// A job takes the same times whenever it starts.
class StartTestCase : public TestCase
{
  public:
    explicit StartTestCase(bool isPhotonic)
        : TestCase(std::string("a job is measured from its start on ") +
                   (isPhotonic ? "circuits" : "electrical rails")),
          m_isPhotonic(isPhotonic)
    {
    }

  private:
    /// Measurements of a job.
    struct Measured
    {
        std::vector<Time> durations; //!< of its iterations
        StepSplit split;             //!< of its last
        LightLog::Sum light;
    };

    Measured Run(uint32_t iterations, const Time& start) const
    {
        RailClusterHelper cluster;
        cluster.SetDomains(4, 4);
        RailCluster rails = m_isPhotonic ? cluster.InstallPhotonic() : cluster.InstallElectrical();
        OpusHelper opus;
        LightMeter light;
        if (m_isPhotonic)
        {
            light.log.ports = 1;
            light.Observe(rails.GetOcs(0));
            opus.Install(rails);
        }
        TrainingJobHelper job("debugmodel");
        job.SetParallelism({4, 2, 2});
        job.SetIterations(iterations);
        ApplicationContainer ranks = job.Install(rails);
        ranks.Start(start);
        TrainingRecorder recorder(job.GetLayout(rails));
        StepSplitRecorder split(job.GetLayout(rails), iterations, m_isPhotonic);
        for (uint32_t rank = 0; rank < ranks.GetN(); ++rank)
        {
            const auto application = DynamicCast<TrainingApplication>(ranks.Get(rank));
            recorder.Observe(application);
            split.Observe(application, application->GetNode()->GetObject<CollectiveEngine>());
        }
        Simulator::Run();
        const Time end = recorder.GetLog().ends.back();
        Measured measured{{}, split.GetSplit(end), light.log.GetSum(start, end)};
        for (const auto& iteration : recorder.GetIterations())
        {
            measured.durations.push_back(iteration.duration);
        }
        Simulator::Destroy();
        return measured;
    }

    void DoRun() override
    {
        for (const uint32_t iterations : {1U, 2U})
        {
            const Measured atOnce = Run(iterations, Time());
            for (const Time& start : {MicroSeconds(7), Seconds(1)})
            {
                const Measured later = Run(iterations, start);
                NS_TEST_ASSERT_MSG_EQ(later.durations.size(), iterations, "iterations");
                for (uint32_t i = 0; i < iterations; ++i)
                {
                    NS_TEST_EXPECT_MSG_EQ(later.durations[i],
                                          atOnce.durations[i],
                                          "iteration " << i << " of a start at " << start);
                }
                for (std::size_t part = 0; part < StepSplit::PARTS; ++part)
                {
                    NS_TEST_EXPECT_MSG_EQ(later.split.sums[part],
                                          atOnce.split.sums[part],
                                          "part " << part << " of a start at " << start);
                }
                NS_TEST_EXPECT_MSG_EQ(later.light.all, atOnce.light.all, "time with ports");
                NS_TEST_EXPECT_MSG_EQ(later.light.light, atOnce.light.light, "time with light");
            }
        }
    }

    bool m_isPhotonic;
};

/// The same flags give the same summary, byte for byte.
class TrainingDeterminismTestCase : public TestCase
{
  public:
    TrainingDeterminismTestCase()
        : TestCase("equal flags give equal summaries")
    {
    }

  private:
    static std::string Summarize()
    {
        RunSummary summary = RunJob(SmallJob({"--reconfigDelay=1ms"}));
        summary.wallSeconds = 0;
        summary.peakRssBytes = 0;
        summary.processes.clear();
        std::ostringstream json;
        summary.WriteJson(json);
        return json.str();
    }

    void DoRun() override
    {
        NS_TEST_ASSERT_MSG_EQ(Summarize(), Summarize(), "two runs differ");
    }
};

class TrainingTestSuite : public TestSuite
{
  public:
    TrainingTestSuite()
        : TestSuite("photonic-rails-training", Type::UNIT)
    {
        // 8 changes of phase x 2 groups on a rail x 4 rails.
        constexpr uint32_t changes = 8 * 2 * 4;
        AddTestCase(new FabricTestCase("on electrical rails", {"--fabric=electrical"}, 0));
        AddTestCase(new FabricTestCase("on demand", {"--policy=on-demand"}, changes));
        AddTestCase(new FabricTestCase("provisioned", {"--policy=provisioned"}, changes));
        AddTestCase(new FabricTestCase("with four ports", {"--nicPorts=4"}, changes));
        AddTestCase(new FabricTestCase("with one port", {"--nicPorts=1"}, changes));
        AddTestCase(new FabricTestCase("on the fastest switch", {"--ocs=plzt"}, changes));
        AddTestCase(new FabricTestCase("on silicon photonics", {"--ocs=sip"}, changes));
        AddTestCase(new FabricTestCase("over long fibers", {"--fiberDelay=1ms"}, changes));
        AddTestCase(new FabricTestCase("over slow ports", {"--portRate=1Gbps"}, changes));
        AddTestCase(new SentenceTestCase());
        AddTestCase(new StartTestCase(false));
        AddTestCase(new StartTestCase(true));
        AddTestCase(new NoDelayTestCase("FSDP", {"--fsdp=4", "--pp=1", "--microBatches=1"}));
        AddTestCase(new NoDelayTestCase("pipeline", {"--fsdp=1", "--pp=2"}));
        AddTestCase(new PhasesTestCase());
        AddTestCase(new DelayTestCase());
        AddTestCase(new TrainingDeterminismTestCase());
    }
};

TrainingTestSuite g_trainingTestSuite;

} // namespace
