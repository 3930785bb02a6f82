// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Small jobs on photonic rails of which something breaks at random moments: they end with all bytes
 * delivered, and not much later, or say clearly why they cannot.
 *
 * Covers model/opus/fault
 * Covers helper/recovery
 */

#include "differential-case.h"
#include "fault-run.h"
#include "network-time.h"

#include "ns3/config.h"
#include "ns3/opus-message.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <functional>
#include <set>
#include <utility>

using namespace ns3;
using namespace ns3::test;

namespace
{

// The shape of the default job, with switches so fast that much of the time there is traffic: about
// 3 ms an iteration. A rail has 4 GPUs of 2 ports.
const Time SWITCHING = MicroSeconds(10);
const Time FAULT_DETECTION = MicroSeconds(300);
const Time PROTECTION = MicroSeconds(100);
const Time CONTROL = MicroSeconds(10); //!< one way
/// Messages wait for each other and take time on the links.
const Time FAULT_SLACK = MicroSeconds(10);
/// The consequence of a port that is broken for good.
constexpr const char* GO_ON = "on over the ports that are left";

/// @return the iterations, one by one, and the lost packets: equal for equal runs
std::string
FaultToText(const RunSummary& summary)
{
    std::string text = std::to_string(summary.packetsLostAtOcs) + " lost,";
    for (const auto& iteration : summary.iterations)
    {
        text += " " + std::to_string(iteration.duration.GetPicoSeconds());
    }
    return text + " " + summary.failure;
}

/// A switch fails, and a spare takes its rail over.
class SpareTestCase : public TestCase
{
  public:
    SpareTestCase()
        : TestCase("a switch fails at random moments and a spare takes over")
    {
    }

  private:
    void DoRun() override
    {
        const NetworkTimeOnly networkTime; // light is lost where there is data most of the time
        const std::string never = "--fault=ocs:4@11ms"; // the spare, which carries nothing
        const RunSummary undisturbed = RunJob(FaultFlags({"--spareRails=1", never}));
        NS_TEST_ASSERT_MSG_EQ(undisturbed.CheckInvariants(), "", "undisturbed");
        NS_TEST_ASSERT_MSG_EQ(undisturbed.faults.at(0).consequence.find("it carried no rail"),
                              0u,
                              undisturbed.faults.at(0).consequence);
        // Detection takes longest if a heartbeat has just been sent. Then the monitor tells the
        // controller, and the controller the spare, whose mirrors follow the fibers; lost packets
        // are sent again when the time-out has passed.
        const Time bound = FAULT_DETECTION + CONTROL * int64_t{3} + PROTECTION + SWITCHING +
                           MilliSeconds(1) + FAULT_SLACK;
        auto random = MakeRandom(1);
        uint32_t lossy = 0;
        const uint64_t seeds = CountSeeds("faults: spare switches", 60, SearchLimit::ALL_BUILDS);
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            const std::string fault = "--fault=ocs:" + std::to_string(random->GetInteger(0, 3)) +
                                      "@" + DrawFaultTime(random);
            const RunSummary summary = RunJob(FaultFlags({"--spareRails=1", fault}));
            NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), "", fault);
            NS_TEST_ASSERT_MSG_EQ(summary.iterations.size(), FAULT_ITERATIONS, fault);
            NS_TEST_ASSERT_MSG_LT_OR_EQ(GetFaultDuration(summary),
                                        GetFaultDuration(undisturbed) + bound,
                                        fault);
            lossy += summary.packetsLostAtOcs > 0 ? 1 : 0;
            if (seed % 4 == 0)
            {
                const RunSummary packets =
                    RunJob(FaultFlags({"--spareRails=1", fault, "--fidelity=packet"}));
                NS_TEST_ASSERT_MSG_EQ(FaultToText(summary), FaultToText(packets), fault);
            }
        }
        NS_TEST_ASSERT_MSG_GT_OR_EQ(lossy, seeds / 10, "light was seldom lost");
    }
};

/// After a spare has taken over, iterations are as they were.
class FaultAfterwardsTestCase : public TestCase
{
  public:
    FaultAfterwardsTestCase()
        : TestCase("iterations on a spare take as long as before")
    {
    }

  private:
    void DoRun() override
    {
        const RunSummary before =
            RunJob(FaultFlags({"--spareRails=1", "--iterations=8", "--fault=ocs:4@20ms"}));
        const RunSummary summary =
            RunJob(FaultFlags({"--spareRails=1", "--iterations=8", "--fault=ocs:2@4500us"}));
        NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), "", "the job goes on");
        NS_TEST_ASSERT_MSG_GT(summary.iterations[1].duration,
                              before.iterations[1].duration,
                              "the fault costs time");
        for (std::size_t i = 4; i < 8; ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(summary.iterations[i].duration,
                                  before.iterations[i].duration,
                                  "iteration " << i);
        }
        // Two ports of four domains are dark for a while: the spare has light in the switch's
        // place.
        const Time dark =
            FAULT_DETECTION + CONTROL * int64_t{3} + PROTECTION + SWITCHING + FAULT_SLACK;
        NS_TEST_ASSERT_MSG_GT(summary.light.light,
                              before.light.light - 8.0 * dark.GetPicoSeconds(),
                              "light of the spare counts");
    }
};

/// A spare takes over from a spare, and one that is mended is there for the next.
class ChainTestCase : public TestCase
{
  public:
    ChainTestCase()
        : TestCase("spares fail, too")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* ports : {"--nicPorts=2", "--nicPorts=4"})
        {
            const RunSummary summary =
                RunJob(FaultFlags({ports,
                                   "--portRate=50Gbps",
                                   "--spareRails=2",
                                   "--iterations=8",
                                   "--fault=ocs:3@3ms,ocs:4@5ms+500us,ocs:1@8ms,ocs:5@11ms"}));
            const std::vector<std::string> expected{"rail 3 was moved to spare switch 4",
                                                    "rail 3 was moved to spare switch 5",
                                                    "rail 1 was moved to spare switch 4",
                                                    "job 0 failed"};
            NS_TEST_ASSERT_MSG_EQ(summary.faults.size(), expected.size(), ports);
            for (std::size_t i = 0; i < expected.size(); ++i)
            {
                NS_TEST_ASSERT_MSG_EQ(summary.faults[i].consequence.find(expected[i]),
                                      0u,
                                      ports << ": " << summary.faults[i].consequence);
            }
            const std::string why = "switch 5 has failed and no spare is left for rail 3";
            NS_TEST_ASSERT_MSG_NE(summary.failure.find(why), std::string::npos, summary.failure);
        }
    }
};

/// Faults of one component that overlap, or of which one begins when the other ends.
class UnionOfFaultsTestCase : public TestCase
{
  public:
    UnionOfFaultsTestCase()
        : TestCase("a component is broken while any of its faults lasts")
    {
    }

  private:
    /// Two faults and the one that they amount to.
    struct Case
    {
        const char* two;
        const char* one;
        const char* note; //!< begin of the record of the second
        bool isLonger;    //!< the second decides when the component is repaired
    };

    void DoRun() override
    {
        // Heartbeats, every 100 us, are never at the instant of a repair.
        const char* already = "it was broken already";
        const char* until = "it was broken already and stays so until 0.003110 s";
        const char* forGood = "it was broken already and stays so for good";
        const Case cases[] = {
            {"nic-port:0/0@3010us+50us,nic-port:0/0@3060us+50us",
             "nic-port:0/0@3010us+100us",
             until,
             true},
            {"nic-port:0/0@3010us+100us,nic-port:0/0@3060us", "nic-port:0/0@3010us", forGood, true},
            {"ocs:0@3010us+50us,ocs:0@3060us+50us", "ocs:0@3010us+100us", until, true},
            {"ocs:0@3010us+100us,ocs:0@3060us+50us", "ocs:0@3010us+100us", already, false},
            {"ocs-port:1/2@3010us,ocs-port:1/2@3110us+1us", "ocs-port:1/2@3010us", already, false},
            {"shim:3@3010us+200us,shim:3@3110us", "shim:3@3010us+200us", already, false},
        };
        for (const Case& faults : cases)
        {
            const RunSummary two = RunJob(FaultFlags({std::string("--fault=") + faults.two}));
            const RunSummary one = RunJob(FaultFlags({std::string("--fault=") + faults.one}));
            NS_TEST_EXPECT_MSG_EQ(FaultToText(two), FaultToText(one), faults.two);
            NS_TEST_ASSERT_MSG_EQ(two.faults.size(), 2u, faults.two);
            const std::string served = one.faults.at(0).consequence;
            const std::string both = faults.note + (served.empty() ? "" : "; " + served);
            NS_TEST_EXPECT_MSG_EQ(two.faults[0].consequence,
                                  (faults.isLonger ? "" : served),
                                  faults.two);
            NS_TEST_EXPECT_MSG_EQ(two.faults[1].consequence,
                                  (faults.isLonger ? both : faults.note),
                                  faults.two);
            NS_TEST_EXPECT_MSG_EQ(two.faults[0].until, one.faults[0].until, faults.two);
            NS_TEST_EXPECT_MSG_EQ(two.faults[1].until, one.faults[0].until, faults.two);
        }
    }
};

/// A switch that was off so shortly that nobody has missed it: a heartbeat, one every third of
/// FAULT_DETECTION, is as late as the outage is long and not yet given up when the next one is due.
class ShortOutageTestCase : public TestCase
{
  public:
    ShortOutageTestCase()
        : TestCase("a switch is off for a short while")
    {
    }

  private:
    void DoRun() override
    {
        auto random = MakeRandom(2);
        const uint64_t seeds = CountSeeds("faults: short outages", 20);
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            const std::string fault = "--fault=ocs:" + std::to_string(random->GetInteger(0, 3)) +
                                      "@" + DrawFaultTime(random) + "+" +
                                      std::to_string(random->GetInteger(1, 190)) + "us";
            const RunSummary summary = RunJob(FaultFlags({fault}));
            NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), "", fault);
        }
    }
};

/// Failures of components that a job needs.
class FaultFailureTestCase : public TestCase
{
  public:
    FaultFailureTestCase()
        : TestCase("a job that cannot go on says so")
    {
    }

  private:
    /// @return when the job has failed
    Time GetFailureTime(const RunSummary& summary) const
    {
        const std::string begin = "job 0 failed at ";
        return summary.failure.find(begin) == 0
                   ? Seconds(std::stod(summary.failure.substr(begin.size())))
                   : Time::Max();
    }

    void DoRun() override
    {
        auto random = MakeRandom(3);
        const uint64_t seeds = CountSeeds("faults: the end of a job", 30, SearchLimit::ALL_BUILDS);
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            const bool isGpu = seed % 2 == 0;
            const std::string number = std::to_string(random->GetInteger(0, isGpu ? 15 : 3));
            const std::string fault = "--fault=" + std::string(isGpu ? "gpu:" : "ocs:") + number +
                                      "@" + DrawFaultTime(random);
            const RunSummary summary = RunJob(FaultFlags({fault}));
            const std::string who =
                isGpu ? "GPU " + number + " has left"
                      : "optical circuit switch " + number + " has failed and no spare is left";
            NS_TEST_ASSERT_MSG_EQ((summary.CheckInvariants().find(who) != std::string::npos),
                                  true,
                                  fault << ": " << summary.failure);
            NS_TEST_ASSERT_MSG_LT_OR_EQ(GetFailureTime(summary),
                                        summary.faults.at(0).at + FAULT_DETECTION +
                                            CONTROL * int64_t{3} + FAULT_SLACK,
                                        fault);
            NS_TEST_ASSERT_MSG_LT(summary.iterations.size(), FAULT_ITERATIONS, fault);
        }
    }
};

/// A mirror sticks: its rail goes to the spare.
class StuckPortTestCase : public TestCase
{
  public:
    StuckPortTestCase()
        : TestCase("a port of a switch stays dark and the spare takes its rail over")
    {
    }

  private:
    void DoRun() override
    {
        const RunSummary undisturbed = RunJob(FaultFlags({"--spareRails=1", "--fault=ocs:4@11ms"}));
        // As of a switch; a port that is stuck while it has no light is noticed when it should.
        const Time bound = FAULT_DETECTION + CONTROL * int64_t{3} + PROTECTION + SWITCHING +
                           MilliSeconds(1) + FAULT_SLACK;
        auto random = MakeRandom(4);
        uint32_t moved = 0;
        const uint64_t seeds = CountSeeds("faults: stuck ports", 30, SearchLimit::ALL_BUILDS);
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            const std::string target = std::to_string(random->GetInteger(0, 3)) + "/" +
                                       std::to_string(random->GetInteger(0, 7));
            const std::string fault = "--fault=ocs-port:" + target + "@" + DrawFaultTime(random);
            const RunSummary summary = RunJob(FaultFlags({"--spareRails=1", fault}));
            NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), "", fault);
            NS_TEST_ASSERT_MSG_LT_OR_EQ(GetFaultDuration(summary),
                                        GetFaultDuration(undisturbed) + bound,
                                        fault);
            const std::string& consequence = summary.faults.at(0).consequence;
            moved += consequence.find("spare switch 4") != std::string::npos ? 1 : 0;
            // Without a spare the ports that are left have to do.
            const RunSummary alone = RunJob(FaultFlags({fault}));
            NS_TEST_ASSERT_MSG_EQ(alone.CheckInvariants(), "", fault << ", without a spare");
            if (!consequence.empty())
            {
                const auto at = alone.faults.at(0).consequence.find(GO_ON);
                NS_TEST_ASSERT_MSG_NE(at, std::string::npos, alone.faults.at(0).consequence);
            }
            const RunSummary mended = RunJob(FaultFlags({fault + "+200us"}));
            NS_TEST_ASSERT_MSG_EQ(mended.CheckInvariants(), "", fault << ", mended in time");
        }
        NS_TEST_ASSERT_MSG_GT(moved, seeds * 20 / 30, "ports are used again and again");
    }
};

/// A transceiver of a NIC fails.
class NicPortTestCase : public TestCase
{
  public:
    NicPortTestCase()
        : TestCase("a port of a NIC fails for a short while")
    {
    }

  private:
    void DoRun() override
    {
        const RunSummary undisturbed = RunJob(FaultFlags({"--fault=ocs-port:0/0@12ms"}));
        auto random = MakeRandom(5);
        const uint64_t seeds = CountSeeds("faults: transceivers", 30, SearchLimit::ALL_BUILDS);
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            const std::string gpu = std::to_string(random->GetInteger(0, 15));
            const std::string port = std::to_string(random->GetInteger(0, 1));
            const std::string fault =
                "--fault=nic-port:" + gpu + "/" + port + "@" + DrawFaultTime(random);
            // Not longer than it takes to be noticed: queue pairs fall silent and go on.
            const auto away = MicroSeconds(random->GetInteger(1, 290));
            const std::string shortly = fault + "+" + std::to_string(away.GetMicroSeconds()) + "us";
            const RunSummary summary = RunJob(FaultFlags({shortly}));
            NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), "", shortly);
            NS_TEST_ASSERT_MSG_LT_OR_EQ(GetFaultDuration(summary),
                                        GetFaultDuration(undisturbed) + away + MilliSeconds(1) +
                                            FAULT_SLACK,
                                        shortly);
            if (seed % 4 == 0)
            {
                const RunSummary packets = RunJob(FaultFlags({shortly, "--fidelity=packet"}));
                NS_TEST_ASSERT_MSG_EQ(FaultToText(summary), FaultToText(packets), shortly);
            }
        }
    }
};

/// Ports break for good, and the job goes on with those that are left.
class PortsLeftTestCase : public TestCase
{
  public:
    PortsLeftTestCase()
        : TestCase("a job goes on over the ports that are left")
    {
    }

  private:
    /// Watch the controller of a job that is about to run.
    void Watch()
    {
        const std::string controller = "/NodeList/*/ApplicationList/*/$ns3::OpusController/";
        Config::ConnectWithoutContext(controller + "FaultServed",
                                      MakeCallback(&PortsLeftTestCase::Served, this));
        Config::ConnectWithoutContext(controller + "ReconfigurationBegin",
                                      MakeCallback(&PortsLeftTestCase::Begun, this));
    }

    void Served(const OpusFault& fault, const std::string& consequence)
    {
        const bool isOfNic = fault.kind == FaultKind::NIC_PORT;
        const uint32_t port = isOfNic ? m_ports * (fault.rank / 4) + fault.port : fault.port;
        if (consequence.find(GO_ON) != std::string::npos)
        {
            m_broken.insert({isOfNic ? fault.rank % 4 : fault.ocs, port});
        }
    }

    void Begun(uint32_t, uint64_t, uint32_t ocs, const CircuitSet&, const CircuitSet& made)
    {
        for (const Circuit& circuit : made)
        {
            for (const uint32_t port : {circuit.a, circuit.b})
            {
                NS_TEST_EXPECT_MSG_EQ(m_broken.count({ocs, port}),
                                      0u,
                                      "port " << port << " of switch " << ocs << " is broken");
                ++m_joined;
            }
        }
    }

    uint32_t m_ports{0};                              //!< of a NIC
    std::set<std::pair<uint32_t, uint32_t>> m_broken; //!< switches and ports
    uint64_t m_joined{0};                             //!< ports, while they were watched

    void DoRun() override
    {
        auto random = MakeRandom(8);
        uint32_t hit = 0;
        const uint64_t seeds = CountSeeds("faults: ports left", 64, SearchLimit::ALL_BUILDS);
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            // Pairs of ranks with 2 or 4 ports, or rings of four ranks with 4 ports; one or two
            // GPUs of different rails lose a port each, so that there is a plan.
            const uint32_t ports = seed % 2 == 0 ? 2 : 4;
            std::vector<std::string> flags{"--nicPorts=" + std::to_string(ports)};
            if (seed % 4 == 3)
            {
                flags.insert(flags.end(), {"--pp=1", "--fsdp=4"});
            }
            std::string fault = "--fault=";
            const uint32_t rail = random->GetInteger(0, 3);
            for (uint32_t i = 0; i < 1 + seed % 3 / 2; ++i)
            {
                const uint32_t mine = (rail + i) % 4;
                const uint32_t domain = random->GetInteger(0, 3);
                const uint32_t port = random->GetInteger(0, ports - 1);
                const bool isOfNic = random->GetInteger(0, 2) > 0;
                fault += i == 0 ? "" : ",";
                fault += isOfNic ? "nic-port:" + std::to_string(4 * domain + mine) + "/" +
                                       std::to_string(port)
                                 : "ocs-port:" + std::to_string(mine) + "/" +
                                       std::to_string(domain * ports + port);
                fault += "@" + DrawFaultTime(random);
            }
            flags.push_back(fault);
            m_ports = ports;
            m_broken.clear();
            m_joined = 0;
            Simulator::Schedule(NanoSeconds(1), &PortsLeftTestCase::Watch, this);
            const RunSummary summary = RunJob(FaultFlags(flags));
            NS_TEST_ASSERT_MSG_GT_OR_EQ(m_joined, 64u, "commands were watched");
            NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), "", fault);
            NS_TEST_ASSERT_MSG_EQ(summary.iterations.size(), FAULT_ITERATIONS, fault);
            for (const auto& record : summary.faults)
            {
                // A port of a switch is only missed when it is used.
                const bool isLate = record.consequence.empty();
                const bool goesOn = record.consequence.find(GO_ON) != std::string::npos;
                NS_TEST_ASSERT_MSG_EQ((goesOn || isLate), true, fault << record.consequence);
                hit += goesOn ? 1 : 0;
            }
            if (seed % 8 == 0 || seed % 8 == 7)
            {
                flags.emplace_back("--fidelity=packet");
                NS_TEST_ASSERT_MSG_EQ(FaultToText(summary),
                                      FaultToText(RunJob(FaultFlags(flags))),
                                      fault);
            }
        }
        NS_TEST_ASSERT_MSG_GT(hit, seeds * 50 / 64, "ports are missed");
    }
};

/// The cost of a lost port: the same in each iteration, and at most twice the time.
class ReducedRateTestCase : public TestCase
{
  public:
    ReducedRateTestCase()
        : TestCase("iterations with a port less take longer, all alike")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string port : {"0/0", "0/1", "5/0", "10/1", "15/0"})
        {
            const std::string fault = "--fault=nic-port:" + port + "@";
            const RunSummary before = RunJob(FaultFlags({"--iterations=8", fault + "20s"}));
            const RunSummary summary = RunJob(FaultFlags({"--iterations=8", fault + "4500us"}));
            NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), "", port);
            const Time whole = before.iterations[7].duration;
            for (std::size_t i = 4; i < 8; ++i)
            {
                const Time reduced = summary.iterations[i].duration;
                // Two queue pairs share a port now: where they meet may differ by some packets.
                NS_TEST_ASSERT_MSG_EQ_TOL(reduced,
                                          summary.iterations[7].duration,
                                          MicroSeconds(1),
                                          "iteration " << i);
                NS_TEST_ASSERT_MSG_GT(reduced, whole, port);
                NS_TEST_ASSERT_MSG_LT(reduced, whole * int64_t{2}, port);
            }
        }
    }
};

/// If no circuits are left the job ends with a reason.
class NoPortsLeftTestCase : public TestCase
{
  public:
    NoPortsLeftTestCase()
        : TestCase("a job without enough ports says so")
    {
    }

  private:
    void Expect(const std::vector<std::string>& flags, const std::string& why)
    {
        const RunSummary summary = RunJob(FaultFlags(flags));
        NS_TEST_ASSERT_MSG_EQ(summary.failure.find("job 0 failed at "), 0u, summary.failure);
        NS_TEST_ASSERT_MSG_NE(summary.failure.find(why), std::string::npos, summary.failure);
        NS_TEST_ASSERT_MSG_NE(summary.CheckInvariants(), "", why);
        NS_TEST_ASSERT_MSG_LT(summary.iterations.size(), FAULT_ITERATIONS, why);
    }

    void DoRun() override
    {
        auto random = MakeRandom(9);
        const uint64_t seeds = CountSeeds("faults: too few ports", 10);
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            const std::string at = "@" + DrawFaultTime(random);
            const uint32_t gpu = random->GetInteger(0, 15);
            const std::string number = std::to_string(gpu);
            Expect({"--fault=nic-port:" + number + "/0" + at + ",nic-port:" + number + "/1" + at},
                   "of the NIC of GPU " + number + " has failed, and ranks ");
            const std::string port = std::to_string(random->GetInteger(0, 1));
            // A ring of more than two ranks needs both.
            Expect({"--pp=1", "--fsdp=4", "--fault=nic-port:" + number + "/" + port + at},
                   "port " + port + " of the NIC of GPU " + number + " has failed, and ranks ");
        }
        Expect({"--pp=1", "--fsdp=4", "--fault=ocs-port:1/2@1ms"},
               "port 2 of optical circuit switch 1 stays dark and no spare is left for rail 1, and "
               "ranks 5 and 9 have no ports left that lead to each other");
    }
};

/// Shims lose their state.
class ShimTestCase : public TestCase
{
  public:
    ShimTestCase()
        : TestCase("shims are started again at random moments")
    {
    }

  private:
    void DoRun() override
    {
        const RunSummary undisturbed = RunJob(FaultFlags({"--fault=ocs-port:0/0@12ms"}));
        // Until all shims have learned again, nothing is provisioned for the rank.
        const RunSummary onDemand = RunJob(FaultFlags({"--policy=on-demand"}));
        const Time slower = GetFaultDuration(onDemand) - GetFaultDuration(undisturbed);
        auto random = MakeRandom(6);
        const uint64_t seeds = CountSeeds("faults: shims", 60, SearchLimit::ALL_BUILDS);
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            const std::string gpu = std::to_string(random->GetInteger(0, 15));
            const auto away = MicroSeconds(seed % 3 == 0 ? 0 : random->GetInteger(1, 500));
            std::string fault = "--fault=shim:" + gpu + "@" + DrawFaultTime(random);
            if (away.IsStrictlyPositive())
            {
                fault += "+" + std::to_string(away.GetMicroSeconds()) + "us";
            }
            const RunSummary summary = RunJob(FaultFlags({fault}));
            NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), "", fault);
            NS_TEST_ASSERT_MSG_EQ(summary.packetsLostAtOcs, 0u, fault);
            NS_TEST_ASSERT_MSG_EQ(summary.faults.at(0).consequence.find("it asks again for"),
                                  0u,
                                  fault);
            NS_TEST_ASSERT_MSG_LT_OR_EQ(GetFaultDuration(summary),
                                        GetFaultDuration(undisturbed) + away + slower +
                                            MilliSeconds(1),
                                        fault);
        }
    }
};

/// Many faults at random moments, of all kinds that a job survives.
class RandomFaultsTestCase : public TestCase
{
  public:
    RandomFaultsTestCase()
        : TestCase("faults are drawn, and the job ends or says why not")
    {
    }

  private:
    void DoRun() override
    {
        uint32_t ended = 0;
        uint64_t faults = 0;
        const uint64_t seeds = CountSeeds("faults: all kinds", 60, SearchLimit::ALL_BUILDS);
        for (uint32_t seed = 1; seed <= seeds; ++seed)
        {
            RngSeedManager::SetRun(seed);
            const RunSummary summary = RunJob(
                FaultFlags({"--spareRails=2",
                            "--faultRate=ocs:10@12ms+200us,ocs-port:2@12ms+100us,nic-port:3@12ms+"
                            "250us,shim:10@12ms+50us,gpu:1@12ms"}));
            const bool hasEnded = summary.failure.empty();
            faults += summary.faults.size();
            ended += hasEnded ? 1 : 0;
            const bool isClear = summary.failure.find("job 0 failed at") == 0;
            NS_TEST_ASSERT_MSG_EQ((hasEnded ? summary.CheckInvariants() : ""), "", seed);
            NS_TEST_ASSERT_MSG_EQ((hasEnded || isClear), true, seed << ": " << summary.failure);
        }
        RngSeedManager::SetRun(1);
        NS_TEST_ASSERT_MSG_GT(faults, seeds * 10 / 3, "faults are rare");
        NS_TEST_ASSERT_MSG_GT(ended, seeds / 3, "most jobs survive");
    }
};

/// A switch or a GPU fails while the controller is away, or a standby takes over.
class FaultCrashTestCase : public TestCase
{
  public:
    FaultCrashTestCase()
        : TestCase("things break while there is no controller")
    {
    }

  private:
    void DoRun() override
    {
        auto random = MakeRandom(7);
        const uint64_t seeds = CountSeeds("faults: without a controller", 12);
        for (uint32_t seed = 0; seed < seeds; ++seed)
        {
            const int64_t at = random->GetInteger(1000, 9000);
            const std::string fault = "--fault=ocs:" + std::to_string(random->GetInteger(0, 3)) +
                                      "@" + std::to_string(at + random->GetInteger(0, 1000)) +
                                      "us,shim:" + std::to_string(random->GetInteger(0, 15)) + "@" +
                                      std::to_string(at + 500) + "us";
            const std::string crash = "--controllerCrash=" + std::to_string(at) + "us,1ms";
            std::vector<std::string> flags{"--spareRails=1", fault, crash};
            if (seed % 3 == 0)
            {
                flags.emplace_back("--standby");
            }
            const RunSummary summary = RunJob(FaultFlags(flags));
            NS_TEST_ASSERT_MSG_EQ(summary.CheckInvariants(), "", fault << " " << crash);
            const bool isFirst = summary.faults.at(0).kind == "ocs";
            const std::string& consequence = summary.faults.at(isFirst ? 0 : 1).consequence;
            NS_TEST_ASSERT_MSG_EQ(consequence.find(" was moved to spare switch 4"),
                                  6u,
                                  fault << " " << crash << ": " << consequence);
        }
    }
};

/// The suite.
class FaultsTestSuite : public TestSuite
{
  public:
    FaultsTestSuite()
        : TestSuite("photonic-rails-faults", Type::SYSTEM)
    {
        AddTestCase(new SpareTestCase);
        AddTestCase(new FaultAfterwardsTestCase);
        AddTestCase(new ChainTestCase);
        AddTestCase(new UnionOfFaultsTestCase);
        AddTestCase(new ShortOutageTestCase);
        AddTestCase(new FaultFailureTestCase);
        AddTestCase(new StuckPortTestCase);
        AddTestCase(new NicPortTestCase);
        AddTestCase(new PortsLeftTestCase);
        AddTestCase(new ReducedRateTestCase);
        AddTestCase(new NoPortsLeftTestCase);
        AddTestCase(new ShimTestCase);
        AddTestCase(new RandomFaultsTestCase);
        AddTestCase(new FaultCrashTestCase);
    }
};

FaultsTestSuite g_faultsTestSuite; //!< registers itself

} // namespace
