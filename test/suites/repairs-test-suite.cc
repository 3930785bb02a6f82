// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Small jobs on photonic rails of which something breaks and works again: switches that are off for
 * less than their detection, ports and switches that are used again, and faults at the start.
 *
 * Covers model/opus/fault
 */

#include "differential-case.h"
#include "fault-run.h"
#include "network-time.h"

#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <utility>

using namespace ns3;
using namespace ns3::test;

namespace
{

/// @return the time of the last iteration
Time
GetLastIteration(const RunSummary& summary)
{
    return summary.iterations.empty() ? Time::Max() : summary.iterations.back().duration;
}

/// A switch is off for a while, and commands on their way to it were made for lost circuits.
class LateCommandTestCase : public TestCase
{
  public:
    LateCommandTestCase()
        : TestCase("a switch is off for less time than its commands travel")
    {
    }

  private:
    void DoRun() override
    {
        auto random = MakeRandom(21);
        const uint64_t seeds = CountSeeds("repairs: outages shorter than commands travel", 60);
        uint32_t noticed = 0;
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            // Two outages of a switch may follow each other before the controller knows of one.
            const std::string ocs = "ocs:" + std::to_string(random->GetInteger(0, 3)) + "@";
            const uint32_t first = random->GetInteger(0, 8000);
            const uint32_t away = random->GetInteger(1, 190);
            const uint32_t second = first + away + random->GetInteger(1, 1500);
            std::string fault =
                "--fault=" + ocs + std::to_string(first) + "us+" + std::to_string(away) + "us";
            if (seed % 2 == 0)
            {
                fault += "," + ocs + std::to_string(second) + "us+" +
                         std::to_string(random->GetInteger(1, 190)) + "us";
            }
            const std::string latency =
                "--controlLatency=" + std::to_string(random->GetInteger(100, 1000)) + "us";
            const RunSummary summary = RunJob(FaultFlags({"--iterations=2", fault, latency}));
            NS_TEST_ASSERT_MSG_EQ(summary.failure, "", fault << " " << latency);
            NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), "", fault << " " << latency);
            // An outage after the end of the job is no fault of the run.
            const bool isNoticed =
                !summary.faults.empty() &&
                summary.faults[0].consequence.find("were made again") != std::string::npos;
            noticed += isNoticed ? 1 : 0;
        }
        NS_TEST_ASSERT_MSG_GT_OR_EQ(noticed, seeds / 2, "most outages are before the end");
    }
};

/// A port is given up, and used again when it works.
class RepairedPortTestCase : public TestCase
{
  public:
    RepairedPortTestCase()
        : TestCase("a repaired port is used again")
    {
    }

  private:
    void Expect(const std::vector<std::string>& flags, const std::string& fault)
    {
        const NetworkTimeOnly networkTime;
        std::vector<std::string> all = FaultFlags(flags);
        all.push_back("--fault=" + fault);
        const RunSummary summary = RunJob(all);
        NS_TEST_ASSERT_MSG_EQ(summary.failure, "", fault);
        NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), "", fault);
        const std::string& consequence = summary.faults.at(0).consequence;
        NS_TEST_ASSERT_MSG_NE(consequence.find("over the ports that are left"),
                              std::string::npos,
                              fault << ": " << consequence);
        NS_TEST_ASSERT_MSG_NE(consequence.find("its circuits are planned again"),
                              std::string::npos,
                              fault << ": " << consequence);
        all.back() = "--fault=nic-port:0/0@20s"; // after the job
        // Rails that are apart by less than a packet may meet in another order.
        NS_TEST_ASSERT_MSG_EQ_TOL(GetLastIteration(summary),
                                  GetLastIteration(RunJob(all)),
                                  MicroSeconds(1),
                                  fault << ": as if the port had never failed");
    }

    void DoRun() override
    {
        auto random = MakeRandom(22);
        const uint64_t seeds = CountSeeds("repairs: ports", 40);
        const std::vector<std::vector<std::string>> jobs{
            {"--iterations=8"},
            {"--iterations=8", "--nicPorts=4"},
            {"--iterations=8", "--nicPorts=4", "--pp=1", "--fsdp=4"},
            {"--iterations=8", "--policy=on-demand"},
            {"--iterations=8", "--policy=per-call", "--fidelity=packet"}};
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            const bool isNic = seed % 2 == 0;
            const std::string port = isNic ? std::to_string(random->GetInteger(0, 15)) + "/" +
                                                 std::to_string(random->GetInteger(0, 1))
                                           : std::to_string(random->GetInteger(0, 3)) + "/" +
                                                 std::to_string(random->GetInteger(0, 7));
            Expect(jobs[seed % jobs.size()],
                   (isNic ? "nic-port:" : "ocs-port:") + port + "@" +
                       std::to_string(random->GetInteger(0, 4000)) + "us+" +
                       std::to_string(random->GetInteger(1500, 8000)) + "us");
        }
        // The port and the switch port behind it: both must work again.
        Expect({"--iterations=10"}, "nic-port:4/1@1ms+9ms,ocs-port:0/3@2ms+2ms");
        // The shim is away when the port works again.
        Expect({"--iterations=10"}, "nic-port:5/1@900us+1ms,shim:5@1ms+5ms");
    }
};

/// The port of a switch of a rail that returns to it.
class RepairedSwitchTestCase : public TestCase
{
  public:
    RepairedSwitchTestCase()
        : TestCase("a rail returns to its repaired switch when the spare fails")
    {
    }

  private:
    void DoRun() override
    {
        auto random = MakeRandom(23);
        const uint64_t seeds = CountSeeds("repairs: switches", 10);
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            const std::string rail = std::to_string(random->GetInteger(0, 3));
            const std::string fault =
                "--fault=ocs:" + rail + "@" + std::to_string(random->GetInteger(0, 3000)) +
                "us+1ms,ocs:4@" + std::to_string(random->GetInteger(4500, 9000)) + "us";
            for (const char* fidelity : {"burst", "packet"})
            {
                const RunSummary summary =
                    RunJob(FaultFlags({"--iterations=6",
                                       "--spareRails=1",
                                       fault,
                                       "--fidelity=" + std::string(fidelity)}));
                NS_TEST_ASSERT_MSG_EQ(summary.failure, "", fault);
                NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), "", fault);
                const std::string back = "rail " + rail + " was moved back to switch " + rail;
                NS_TEST_ASSERT_MSG_EQ(summary.faults.at(1).consequence.find(back),
                                      0u,
                                      fault << ": " << summary.faults.at(1).consequence);
            }
        }
    }
};

/// Components that are broken when the simulation starts.
class FaultAtStartTestCase : public TestCase
{
  public:
    FaultAtStartTestCase()
        : TestCase("what breaks at 0 s is noticed")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& [fault, consequence] : std::vector<std::pair<std::string, std::string>>{
                 {"nic-port:1/1@0s", "over the ports that are left"},
                 {"nic-port:1/1@0s+1ms", "its circuits are planned again"},
                 {"ocs-port:1/2@0s", "over the ports that are left"},
                 {"ocs:1@0s+50us", "circuits of rail 1 were made again"},
                 {"shim:1@0s+50us", "it asks again for"}})
        {
            const RunSummary summary = RunJob(FaultFlags({"--fault=" + fault}));
            NS_TEST_ASSERT_MSG_EQ(summary.failure, "", fault);
            NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), "", fault);
            NS_TEST_ASSERT_MSG_NE(summary.faults.at(0).consequence.find(consequence),
                                  std::string::npos,
                                  fault << ": " << summary.faults.at(0).consequence);
        }
    }
};

/// All GPUs at once.
class AllGpusTestCase : public TestCase
{
  public:
    AllGpusTestCase()
        : TestCase("a job that loses all GPUs says so")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* at : {"0s", "2ms"})
        {
            std::string fault = "--fault=";
            for (uint32_t gpu = 0; gpu < 16; ++gpu)
            {
                fault += (gpu > 0 ? ",gpu:" : "gpu:") + std::to_string(gpu) + "@" + at;
            }
            for (const char* spares : {"", "--spareGpus=1"})
            {
                std::vector<std::string> flags = FaultFlags({fault});
                if (*spares != '\0')
                {
                    flags.emplace_back(spares);
                }
                const RunSummary summary = RunJob(flags);
                NS_TEST_ASSERT_MSG_EQ(summary.failure.find("job 0 failed at "),
                                      0u,
                                      at << " " << spares << ": " << summary.failure);
                NS_TEST_ASSERT_MSG_NE(summary.failure.find("has left"),
                                      std::string::npos,
                                      at << " " << spares << ": " << summary.failure);
            }
        }
    }
};

/// Heartbeats that travel longer than a silence is borne.
class LateHeartbeatTestCase : public TestCase
{
  public:
    LateHeartbeatTestCase()
        : TestCase("no switch and no controller is given up before its first heartbeat can come")
    {
    }

  private:
    void DoRun() override
    {
        const std::string never = "--fault=nic-port:0/0@100s";
        for (const char* latency : {"299us", "300us", "1ms", "5ms"})
        {
            const RunSummary summary = RunJob(
                FaultFlags({"--iterations=1", never, "--controlLatency=" + std::string(latency)}));
            NS_TEST_ASSERT_MSG_EQ(summary.failure, "", latency);
        }
        for (const char* latency : {"29ms", "30ms", "100ms"})
        {
            const RunSummary summary = RunJob(FaultFlags(
                {"--iterations=1", "--standby", "--controlLatency=" + std::string(latency)}));
            NS_TEST_ASSERT_MSG_EQ(summary.failure, "", latency);
            NS_TEST_ASSERT_MSG_EQ(summary.control.takeovers, 0u, latency);
        }
    }
};

/// Pairs of faults that last about as long as queue pairs retry.
class RetryLimitTestCase : public TestCase
{
  public:
    RetryLimitTestCase()
        : TestCase("a job ends or says why not when faults last as long as queue pairs retry")
    {
    }

  private:
    /// @return why a job of two ranks has failed; an empty string if it has ended
    std::string RunPair(const std::vector<std::string>& faults, uint32_t spares)
    {
        std::string flag = "--fault=";
        for (const std::string& fault : faults)
        {
            flag += (flag.back() == '=' ? "" : ",") + fault;
        }
        const RunSummary summary = RunJob(SmallJob({"--seqLen=64",
                                                    "--tp=1",
                                                    "--fsdp=2",
                                                    "--pp=1",
                                                    "--gpusPerDomain=1",
                                                    "--nicPorts=2",
                                                    "--spareRails=" + std::to_string(spares),
                                                    "--ns3::RdmaQueuePair::MaxTimeout=1s",
                                                    flag}));
        const std::string& failure = summary.failure;
        const bool hasEnded = failure.empty();
        NS_TEST_EXPECT_MSG_EQ((hasEnded ? summary.CheckInvariants() : ""), "", flag);
        // The controller names missing components that it needs, the injector all broken ones.
        const auto isNamed = [&failure](const std::string& fault) {
            return failure.find(fault.substr(0, fault.find('@'))) != std::string::npos;
        };
        const bool isByController = failure.find(" has failed") != std::string::npos ||
                                    failure.find(" stays dark") != std::string::npos;
        const bool isClear = failure.find("job 0 failed at ") == 0 &&
                             (isByController || std::all_of(faults.begin(), faults.end(), isNamed));
        NS_TEST_EXPECT_MSG_EQ((hasEnded || isClear), true, flag << ": " << summary.failure);
        return failure;
    }

    void DoRun() override
    {
        // The shim of rank 1 does not learn that its peer sends to another port.
        const std::string port = "nic-port:1/0@500us+500ms";
        const std::string failed = "job 0 failed at 5.037238 s: rank 0: AllGather on group 2 "
                                   "failed, as nothing is acknowledged; ";
        NS_TEST_EXPECT_MSG_EQ(RunPair({"shim:1@1ms+10s", port}, 0),
                              failed + "broken: shim:1; repaired: nic-port:1/0 at 0.500500 s",
                              "it is still away");
        NS_TEST_EXPECT_MSG_EQ(RunPair({"shim:1@1ms+4500ms", port}, 0),
                              failed + "repaired: shim:1 at 4.501000 s, nic-port:1/0 at 0.500500 s",
                              "it is back after the last retry");
        NS_TEST_EXPECT_MSG_EQ(RunPair({"shim:1@1ms+4s", port}, 0), "", "it is back in time");
        auto random = MakeRandom(24);
        const uint64_t seeds = CountSeeds("repairs: faults as long as retries", 200);
        const std::vector<std::string> components{"shim:0",
                                                  "shim:1",
                                                  "nic-port:0/0",
                                                  "nic-port:0/1",
                                                  "nic-port:1/0",
                                                  "nic-port:1/1",
                                                  "ocs-port:0/0",
                                                  "ocs-port:0/3",
                                                  "ocs:0"};
        const auto draw = [&random, &components] {
            // Short outages, some as long as all retries, and longer ones.
            const int64_t shortest = std::vector<int64_t>{1, 4000, 5000}[random->GetInteger(0, 2)];
            return components[random->GetInteger(0, components.size() - 1)] + "@" +
                   std::to_string(random->GetInteger(0, 40000)) + "us+" +
                   std::to_string(shortest + random->GetInteger(0, 1500)) + "ms";
        };
        uint32_t failures = 0;
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            const std::string first = draw();
            failures += RunPair({first, draw()}, random->GetInteger(0, 1)).empty() ? 0 : 1;
        }
        NS_TEST_EXPECT_MSG_LT(failures, seeds, "some jobs survive");
    }
};

/// Heartbeats of switches are sent around their failures and repairs only.
class LongOutageTestCase : public TestCase
{
  public:
    LongOutageTestCase()
        : TestCase("a long outage of something else takes few events, and switches are still heard")
    {
    }

  private:
    /// Both switches send heartbeats for five detection times around a fault: 73 in each, so that
    /// with half of the frames lost on both links all are lost once in 10^9 times (0.75^73). A
    /// heartbeat has four events at most.
    static constexpr uint64_t EVENTS_OF_A_FAULT = 2 * 5 * 73 * 4;

    void DoRun() override
    {
        const std::vector<std::string> job = SmallJob({"--seqLen=64",
                                                       "--tp=1",
                                                       "--fsdp=2",
                                                       "--pp=1",
                                                       "--gpusPerDomain=1",
                                                       "--spareRails=1",
                                                       "--detectionTime=1ms",
                                                       "--controlLoss=0.5"});
        const uint64_t quiet = RunJob(job).events;
        for (const std::string faults :
             {"shim:1@1ms+2s", "shim:1@1ms+200s", "shim:1@1ms+2s,ocs:0@1900ms"})
        {
            std::vector<std::string> flags = job;
            flags.push_back("--fault=" + faults);
            const RunSummary summary = RunJob(flags);
            NS_TEST_ASSERT_MSG_EQ(summary.failure, "", faults);
            NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), "", faults);
            NS_TEST_ASSERT_MSG_LT(summary.events,
                                  2 * quiet + summary.faults.size() * EVENTS_OF_A_FAULT,
                                  faults);
            NS_TEST_ASSERT_MSG_EQ((summary.faults.back().consequence.find(
                                       "was moved to spare switch 1 at 1.9") != std::string::npos),
                                  (summary.faults.size() > 1),
                                  faults << ": " << summary.faults.back().consequence);
        }
    }
};

/// The suite.
class RepairsTestSuite : public TestSuite
{
  public:
    RepairsTestSuite()
        : TestSuite("photonic-rails-repairs", Type::SYSTEM)
    {
        AddTestCase(new LateCommandTestCase);
        AddTestCase(new RepairedPortTestCase);
        AddTestCase(new RepairedSwitchTestCase);
        AddTestCase(new FaultAtStartTestCase);
        AddTestCase(new AllGpusTestCase);
        AddTestCase(new LateHeartbeatTestCase);
        AddTestCase(new RetryLimitTestCase);
        AddTestCase(new LongOutageTestCase);
    }
};

RepairsTestSuite g_repairsTestSuite; //!< registers itself

} // namespace
