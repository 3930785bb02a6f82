// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Hosts that issue operations before GPUs execute them: ranks without a network against closed
 * forms, and whole jobs beside those whose hosts do not run ahead.
 *
 * Covers model/workload/program
 */

#include "picosecond-test-case.h"
#include "training-run.h"

#include "ns3/config.h"
#include "ns3/node.h"
#include "ns3/pipeline-schedule.h"
#include "ns3/rank-program.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/training-application.h"
#include "ns3/uinteger.h"
#include "ns3/variant.h"

#include <memory>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

constexpr uint32_t CHAIN = 10;            //!< computations of a chain
const Time LAUNCH = MicroSeconds(5 * 40); //!< time of the host for a computation

/** A chain of computations on one rank. */
class HostChainCase : public PicosecondTestCase
{
  public:
    HostChainCase()
        : PicosecondTestCase("A GPU waits for a slow host, a fast host waits for room in the queue")
    {
    }

  private:
    /**
     * @param duration of a computation
     * @param depth of the queue, in kernels
     * @param isWatched true to have an event for each operation
     * @return duration of two iterations
     */
    static Time Run(Time duration, uint32_t depth, bool isWatched)
    {
        Config::SetDefault("ns3::HostThread::QueueDepth", UintegerValue(depth));
        RankOperation operation;
        operation.duration = duration;
        auto rank = CreateObject<TrainingApplication>();
        rank->SetAttribute("Iterations", UintegerValue(2));
        rank->SetAttribute("HostRunAhead", StringValue("ahead"));
        rank->SetProgram(
            std::make_shared<const RankProgram>(std::vector<RankOperation>(CHAIN, operation)),
            RankBinding());
        if (isWatched)
        {
            rank->TraceConnectWithoutContext("OperationBegin", MakeCallback(&Ignore));
        }
        CreateObject<Node>()->AddApplication(rank);
        Simulator::Run();
        const Time end = Simulator::Now();
        Simulator::Destroy();
        Config::Reset();
        return rank->IsFinished() ? end : Time();
    }

    static void Ignore(uint32_t, uint32_t, const RankOperation&)
    {
    }

    void DoRun() override
    {
        const Time slow = MicroSeconds(10);
        const Time fast = MilliSeconds(1);
        for (const bool isWatched : {false, true})
        {
            NS_TEST_EXPECT_MSG_EQ(Run(slow, 1024, isWatched),
                                  2 * (CHAIN * LAUNCH + slow),
                                  "the GPU waits for every launch");
            NS_TEST_EXPECT_MSG_EQ(Run(fast, 1024, isWatched),
                                  2 * (LAUNCH + CHAIN * fast),
                                  "the GPU waits for the first launch of an iteration");
            NS_TEST_EXPECT_MSG_EQ(Run(fast, 1, isWatched),
                                  2 * CHAIN * (LAUNCH + fast),
                                  "no launch is hidden");
        }
    }
};

/** Whole jobs with hosts that run ahead. */
class HostJobCase : public PicosecondTestCase
{
  public:
    HostJobCase()
        : PicosecondTestCase("Jobs with hosts that run ahead beside the same jobs without")
    {
    }

  private:
    /// @param flags of the job @param hosts how far they run ahead @return the results of the run
    RunSummary RunHosts(std::vector<std::string> flags, const std::string& hosts)
    {
        flags.push_back("--hostRunAhead=" + hosts);
        const RunSummary summary = RunJob(SmallJob(flags));
        NS_TEST_EXPECT_MSG_EQ(summary.CheckInvariants(), "", hosts);
        NS_TEST_EXPECT_MSG_EQ(summary.packetsLostAtOcs, 0u, hosts);
        NS_TEST_EXPECT_MSG_EQ(summary.iterations.size(), 3u, hosts);
        return summary;
    }

    void DoRun() override
    {
        Config::SetDefault("ns3::HostThread::KernelTime", TimeValue(Time(0)));
        const auto last = [](const RunSummary& summary) {
            return summary.iterations.empty() ? Time() : summary.iterations.back().duration;
        };
        const Time electrical = last(RunHosts({"--fabric=electrical"}, "none"));
        for (const std::string hosts : {"ahead", "blocking"})
        {
            NS_TEST_EXPECT_MSG_EQ(last(RunHosts({"--fabric=electrical"}, hosts)),
                                  electrical,
                                  "hosts without costs change nothing where all ranks are joined");
            for (const std::string policy : {"on-demand", "provisioned", "per-call"})
            {
                const std::vector<std::string> flags{"--policy=" + policy, "--reconfigDelay=1ms"};
                const Time waits = last(RunHosts(flags, "none"));
                const Time ahead = last(RunHosts(flags, hosts));
                NS_TEST_EXPECT_MSG_GT(ahead, electrical, "delays are not all hidden");
                // A call that is known ahead is requested no later than when the GPU comes to it,
                // and at most one round trip to the controller (11 us each way) is lost otherwise.
                NS_TEST_EXPECT_MSG_LT_OR_EQ(ahead, waits + MicroSeconds(22), hosts << policy);
                if (policy == "on-demand")
                {
                    NS_TEST_EXPECT_MSG_LT(ahead, waits - MilliSeconds(1), "delays are hidden");
                }
            }
            const RunSummary moved = RunHosts({"--reconfigDelay=10us",
                                               "--spareGpus=1",
                                               "--detectionTime=300us",
                                               "--fault=gpu:5@4ms"},
                                              hosts);
            NS_TEST_EXPECT_MSG_EQ(moved.recoveries.size(), 1u, "a spare has taken the rank");
        }
        Config::Reset();
    }
};

/** Hosts that wait for the device after messages, as those of Megatron-LM, under all schedules. */
class HostMessagesCase : public PicosecondTestCase
{
  public:
    HostMessagesCase()
        : PicosecondTestCase("Hosts that wait for messages are slower, and stop no schedule")
    {
    }

  private:
    /// @param flags of the job @return duration of its last iteration
    Time RunFlags(const std::vector<std::string>& flags)
    {
        const RunSummary summary = RunJob(SmallJob(flags));
        NS_TEST_EXPECT_MSG_EQ(summary.CheckInvariants(), "", flags.front());
        return summary.iterations.empty() ? Time() : summary.iterations.back().duration;
    }

    void DoRun() override
    {
        for (const auto& name : Variant<PipelineSchedule>::GetNames())
        {
            const bool hasChunks = name == "interleaved" || name == "dualpipev";
            const std::vector<std::string> flags{"--schedule=" + name,
                                                 hasChunks ? "--virtualStages=2"
                                                           : "--virtualStages=1",
                                                 "--pp=3",
                                                 "--microBatches=6",
                                                 "--framework=megatron-lm",
                                                 "--hostRunAhead=ahead",
                                                 "--reconfigDelay=1ms"};
            auto free = flags;
            free.emplace_back("--waitsForMessages=false");
            auto waiting = flags;
            waiting.emplace_back("--waitsForMessages=true");
            const Time duration = RunFlags(flags);
            NS_TEST_EXPECT_MSG_EQ(duration, RunFlags(waiting), "the framework waits, " << name);
            NS_TEST_EXPECT_MSG_GT(duration, RunFlags(free), "waits cost time, " << name);
        }
    }
};

/** The suite. */
class HostRunAheadTestSuite : public TestSuite
{
  public:
    HostRunAheadTestSuite()
        : TestSuite("photonic-rails-host-run-ahead", Type::SYSTEM)
    {
        AddTestCase(new HostChainCase);
        AddTestCase(new HostJobCase);
        AddTestCase(new HostMessagesCase);
    }
};

const HostRunAheadTestSuite g_hostRunAheadTestSuite; //!< registers itself

} // namespace
