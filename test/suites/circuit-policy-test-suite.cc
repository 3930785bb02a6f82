// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Policies of circuits beside each other: the same job, when switches make circuits for other
 * reasons.
 */

#include "training-run.h"

#include "ns3/test.h"

#include <map>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** @return how long the last iteration takes @param extra flags */
Time
GetTime(const std::vector<std::string>& extra)
{
    return RunJob(SmallJob(extra)).iterations.back().duration;
}

/** All bytes arrive, whoever makes circuits, and nothing is lost. */
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
                                            "--fibreDelay=0s",
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

/** What cannot be served is refused before the run, in one line. */
class RefusalTestCase : public TestCase
{
  public:
    RefusalTestCase()
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
        AddTestCase(new PartitionTestCase);
        AddTestCase(new RefusalTestCase);
    }
};

CircuitPolicyTestSuite g_circuitPolicyTestSuite; //!< the instance

} // namespace
