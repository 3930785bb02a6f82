// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Links and switches of electrical fabrics fail: when single messages arrive, what becomes of every
 * frame, and how jobs go on or end.
 *
 * Covers model/electrical
 * Covers helper/recovery
 */

#include "differential-case.h"
#include "fault-run.h"
#include "rdma-hosts.h"

#include "ns3/config.h"
#include "ns3/fabric-rerouter.h"
#include "ns3/fabric-topology.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/test.h"

#include <algorithm>
#include <cmath>

using namespace ns3;
using namespace ns3::test;

namespace
{

/// Eight hosts, on a switch or on four leaves (switches 0 to 3) and two spines (4 and 5), and a
/// connection from the first to the last.
class FabricUnderTest : public RdmaHosts
{
  public:
    /// @param fabric name of the fabric @param buffer memory of switches in bytes, 0 for the
    /// default
    explicit FabricUnderTest(const char* fabric, uint64_t buffer = 0)
        : RdmaHosts(LAST + 1)
    {
        UseShortTimeouts();
        helper.SetSwitchRadix(fabric == std::string("electrical") ? 64 : 4);
        helper.SetSwitchAttribute("BufferSize", UintegerValue(buffer));
        cluster = helper.Install(RailFabric(fabric));
        rerouter = cluster.GetRerouter();
        m_connections = Connect(0, LAST, {0});
    }

    /// Set the times of the rerouter.
    void SetTimes(Time detection, Time convergence)
    {
        rerouter->SetAttribute("DetectionTime", TimeValue(detection));
        rerouter->SetAttribute("ConvergenceTime", TimeValue(convergence));
    }

    /// Break a link for some time, or for good if the duration is zero.
    void BreakLink(const std::string& name, Time at, Time duration)
    {
        const uint32_t link = FabricNames(rerouter->GetTopology()).FindLink(name).value();
        ScheduleCall(at, [this, link] { rerouter->SetLinkFailed(link, true); });
        if (duration.IsStrictlyPositive())
        {
            ScheduleCall(at + duration, [this, link] { rerouter->SetLinkFailed(link, false); });
        }
    }

    /// @param at when a message is posted @param bytes its size @return when it arrives, or zero
    Time Run(Time at, uint64_t bytes = 1000)
    {
        ScheduleCall(at, [this, bytes] { m_connections.first->Post(bytes, 1); });
        Simulator::Run();
        return logs[LAST].received.empty() ? Time(0) : logs[LAST].received.back().at;
    }

    /// @return frames that switches, links and NICs have lost
    uint64_t CountLost() const
    {
        uint64_t lost = 0;
        for (const auto& one : cluster.GetSwitches())
        {
            for (const uint64_t frames : one.device->GetStatistics().dropped)
            {
                lost += frames;
            }
            for (uint32_t port = 0; port < one.device->GetNPorts(); ++port)
            {
                lost += one.device->GetPort(port)->GetFramesLost();
            }
        }
        for (uint32_t host = 0; host <= LAST; ++host)
        {
            lost += cluster.GetNic(host)->GetPort(0)->GetFramesLost();
        }
        return lost;
    }

    static constexpr uint32_t LAST = 7;
    Ptr<FabricRerouter> rerouter;

  private:
    RdmaHelper::ConnectionPair m_connections;
};

const Time FAULT_AT = MicroSeconds(100);
const Time POSTED_AT = MicroSeconds(600);
/// Retransmissions of an unacknowledged packet: after 4 ms and, with back-off, after 8 ms more.
const Time FIRST_RETRY = MilliSeconds(4);
const Time SECOND_RETRY = MilliSeconds(12);

/// @return when the message arrives on the intact fabric
Time
GetIntactArrival(const char* fabric)
{
    return FabricUnderTest(fabric).Run(POSTED_AT);
}

/// A switch of a rail is off for a while.
class RailSwitchOutageTestCase : public PicosecondTestCase
{
  public:
    RailSwitchOutageTestCase()
        : PicosecondTestCase("A rail switch is off: the message is sent when the light returns")
    {
    }

  private:
    void DoRun() override
    {
        const Time intact = GetIntactArrival("electrical") - POSTED_AT;
        for (const Time& outage : {MicroSeconds(700), MilliSeconds(9), MilliSeconds(400)})
        {
            FabricUnderTest fabric("electrical");
            ScheduleCall(FAULT_AT, [&] { fabric.rerouter->SetSwitchFailed(0, true); });
            ScheduleCall(FAULT_AT + outage, [&] { fabric.rerouter->SetSwitchFailed(0, false); });
            const Time fiber = NanoSeconds(100);
            const Time arrival = fabric.Run(POSTED_AT);
            NS_TEST_EXPECT_MSG_EQ(arrival,
                                  FAULT_AT + outage + fiber + intact,
                                  "the NIC sees the light a fiber later");
            NS_TEST_EXPECT_MSG_EQ(fabric.CountLost(), 0u, "a dark NIC sends nothing");
        }
    }
};

/// Links of a leaf are dark for a while, and nobody notices.
class LinkOutageTestCase : public PicosecondTestCase
{
  public:
    LinkOutageTestCase()
        : PicosecondTestCase("Uplinks are dark: the message arrives with the first time-out after")
    {
    }

  private:
    void DoRun() override
    {
        const Time intact = GetIntactArrival("leaf-spine");
        const std::vector<std::pair<Time, Time>> cases{{MilliSeconds(1), FIRST_RETRY},
                                                       {MilliSeconds(4), FIRST_RETRY},
                                                       {MilliSeconds(5), SECOND_RETRY},
                                                       {MilliSeconds(12), SECOND_RETRY},
                                                       {MilliSeconds(13), MilliSeconds(28)}};
        for (const auto& [outage, delay] : cases)
        {
            FabricUnderTest fabric("leaf-spine");
            fabric.SetTimes(MilliSeconds(1), Seconds(1));
            fabric.BreakLink("0/4", FAULT_AT, outage);
            fabric.BreakLink("0/5", FAULT_AT, outage);
            const Time arrival = fabric.Run(POSTED_AT);
            NS_TEST_EXPECT_MSG_EQ(arrival, intact + delay, outage);
            const auto sender = fabric.GetStatistics(0);
            NS_TEST_EXPECT_MSG_EQ(fabric.CountLost(),
                                  sender.retransmissions,
                                  "one frame is lost for each retransmission");
        }
    }
};

/// One of two ways breaks for good.
class RerouteTestCase : public PicosecondTestCase
{
  public:
    RerouteTestCase()
        : PicosecondTestCase("Switches beside a dark link avoid it first, and then all switches")
    {
    }

  private:
    void DoRun() override
    {
        // The message is lost once if it passes the link, which one of the spines has.
        CheckDelays("0", MilliSeconds(1), Seconds(1), FIRST_RETRY);
        CheckDelays("0", MilliSeconds(7), Seconds(1), SECOND_RETRY);
        CheckDelays("3", MilliSeconds(1), MilliSeconds(2), FIRST_RETRY);
        CheckDelays("3", MilliSeconds(1), MilliSeconds(5), SECOND_RETRY);
        CheckDelays("3", MilliSeconds(5), MilliSeconds(5), SECOND_RETRY);
    }

    /// Break the link of a leaf to each of the spines in turn.
    void CheckDelays(const std::string& leaf, Time detection, Time convergence, Time expected)
    {
        const Time intact = GetIntactArrival("leaf-spine");
        std::vector<Time> delays;
        for (const char* spine : {"/4", "/5"})
        {
            FabricUnderTest fabric("leaf-spine");
            fabric.SetTimes(detection, convergence);
            fabric.BreakLink(leaf + spine, FAULT_AT, Time(0));
            delays.push_back(fabric.Run(POSTED_AT) - intact);
        }
        std::sort(delays.begin(), delays.end());
        NS_TEST_EXPECT_MSG_EQ(delays[0], Time(0), "the other spine is intact");
        NS_TEST_EXPECT_MSG_EQ(delays[1], expected, detection << " " << convergence);
    }
};

/// Every frame of a long message arrives or is counted.
class FrameCountTestCase : public PicosecondTestCase
{
  public:
    FrameCountTestCase()
        : PicosecondTestCase("Every frame arrives or is counted as lost, in packets and bursts")
    {
    }

  private:
    void DoRun() override
    {
        uint64_t lost = 0;
        for (uint32_t round = 0; round < 12; ++round)
        {
            const auto outage = RunOne(round, "Packet");
            const auto bursts = RunOne(round, "Burst");
            NS_TEST_EXPECT_MSG_EQ(bursts.first, outage.first, "bursts, round " << round);
            NS_TEST_EXPECT_MSG_EQ(bursts.second, outage.second, "bursts, round " << round);
            lost += outage.second;
        }
        NS_TEST_EXPECT_MSG_GT(lost, 100u, "frames are lost");
    }

    /// @return when the last message arrives, and the frames lost
    std::pair<Time, uint64_t> RunOne(uint32_t round, const std::string& fidelity)
    {
        Config::SetDefault("ns3::RdmaNic::Fidelity", StringValue(fidelity));
        FabricUnderTest fabric("leaf-spine");
        Config::Reset();
        fabric.SetTimes(MicroSeconds(50), MicroSeconds(20));
        const Time at = MicroSeconds(40 + 3 * round);
        const Time duration = MicroSeconds(7 * (round % 4) * round);
        fabric.BreakLink(round % 2 ? "0/4" : "3/5", at, duration);
        fabric.BreakLink(round % 3 ? "3/4" : "0/5", at + MicroSeconds(200), MicroSeconds(90));
        uint64_t arrived = 0;
        for (const uint32_t host : {0u, FabricUnderTest::LAST})
        {
            if (fidelity == "Packet") // a trace ends bursts
            {
                fabric.cluster.GetNic(host)->GetPort(0)->TraceConnectWithoutContext(
                    "MacRx",
                    ToCallback<Ptr<const Packet>>([&](Ptr<const Packet>) { ++arrived; }));
            }
        }
        const Time end = fabric.Run(Time(0), 20000000);
        const auto sender = fabric.GetStatistics(0);
        const auto receiver = fabric.GetStatistics(FabricUnderTest::LAST);
        NS_TEST_EXPECT_MSG_EQ(receiver.bytesDelivered, 20000000u, "round " << round);
        const uint64_t sent = sender.dataPacketsSent + receiver.acksSent + receiver.naksSent;
        if (fidelity == "Packet")
        {
            NS_TEST_EXPECT_MSG_EQ(sent, arrived + fabric.CountLost(), "round " << round);
        }
        return {end, fabric.CountLost()};
    }
};

/// Hosts that are paused lose their switches.
class PausedFaultTestCase : public PicosecondTestCase
{
  public:
    PausedFaultTestCase()
        : PicosecondTestCase("No port stays paused and no memory stays in use after a fault")
    {
    }

  private:
    static constexpr uint64_t BYTES = 2000000;

    void DoRun() override
    {
        for (uint32_t number = 0; number < 6; ++number) // leaves, and spines
        {
            FabricUnderTest fabric("leaf-spine", 1000000);
            for (uint32_t host = 1; host < FabricUnderTest::LAST; ++host)
            {
                const auto pair = fabric.Connect(host, FabricUnderTest::LAST, {0});
                ScheduleCall(Time(0), [pair] { pair.first->Post(BYTES, 1); });
            }
            uint64_t pausesBefore = 0;
            ScheduleCall(FAULT_AT, [&] {
                pausesBefore = CountPauses(fabric);
                fabric.rerouter->SetSwitchFailed(number, true);
            });
            ScheduleCall(FAULT_AT + MicroSeconds(250),
                         [&] { fabric.rerouter->SetSwitchFailed(number, false); });
            fabric.Run(Time(0), BYTES);
            NS_TEST_EXPECT_MSG_GT(pausesBefore, 0u, "switch " << number);
            NS_TEST_EXPECT_MSG_EQ(fabric.GetStatistics(FabricUnderTest::LAST).bytesDelivered,
                                  BYTES * FabricUnderTest::LAST,
                                  "switch " << number);
            CheckIdle(fabric, number);
        }
    }

    /// @return pauses that all switches have asked for
    static uint64_t CountPauses(const FabricUnderTest& fabric)
    {
        uint64_t pauses = 0;
        for (const auto& one : fabric.cluster.GetSwitches())
        {
            pauses += one.device->GetStatistics().pausesSent;
        }
        return pauses;
    }

    /// Check that nothing is left of traffic.
    void CheckIdle(const FabricUnderTest& fabric, uint32_t number)
    {
        for (const auto& one : fabric.cluster.GetSwitches())
        {
            const auto statistics = one.device->GetStatistics();
            NS_TEST_EXPECT_MSG_EQ(statistics.pausesSent, statistics.resumesSent, number);
            NS_TEST_EXPECT_MSG_EQ(one.device->GetBuffer().GetSharedUsed(), 0u, number);
            for (uint32_t port = 0; port < one.device->GetNPorts(); ++port)
            {
                NS_TEST_EXPECT_MSG_EQ(+one.device->GetPort(port)->GetPausedPriorities(), 0, number);
            }
        }
        for (uint32_t host = 0; host <= FabricUnderTest::LAST; ++host)
        {
            NS_TEST_EXPECT_MSG_EQ(+fabric.cluster.GetNic(host)->GetPort(0)->GetPausedPriorities(),
                                  0,
                                  number);
        }
    }
};

/// Links lose frames at a rate.
class LossRateTestCase : public PicosecondTestCase
{
  public:
    LossRateTestCase()
        : PicosecondTestCase("Links lose frames at the rate that is set, and all bytes arrive")
    {
    }

  private:
    void DoRun() override
    {
        for (const double rate : {0.0, 0.002, 0.02})
        {
            FabricUnderTest fabric("leaf-spine");
            fabric.rerouter->SetLossRate(rate);
            fabric.Run(Time(0), 40000000);
            const double sent = static_cast<double>(fabric.GetStatistics(0).dataPacketsSent);
            // The first port of a leaf is that of a host.
            const auto first = fabric.cluster.GetSwitches()[0].device->GetPort(0);
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(first->GetFramesCorrupted()),
                                      sent * rate,
                                      5 * std::sqrt(sent * rate * (1 - rate)),
                                      rate);
            NS_TEST_EXPECT_MSG_EQ(fabric.GetStatistics(FabricUnderTest::LAST).bytesDelivered,
                                  40000000u,
                                  rate);
            NS_TEST_EXPECT_MSG_EQ((fabric.GetStatistics(0).retransmissions > 0), (rate > 0), rate);
        }
    }
};

/// @return flags of a small job on an electrical fabric @param extra further flags
std::vector<std::string>
ElectricalFlags(const std::vector<std::string>& extra)
{
    std::vector<std::string> flags = SmallJob({"--iterations=3",
                                               "--ns3::RdmaQueuePair::InitialTimeout=2ms",
                                               "--ns3::RdmaQueuePair::MinTimeout=500us"});
    flags.insert(flags.end(), extra.begin(), extra.end());
    return flags;
}

/// @return iterations, losses and end of a run: equal for equal runs
std::string
ElectricalToText(const RunSummary& summary)
{
    std::string text = std::to_string(summary.packetsLostAtSwitches) + " lost,";
    for (const auto& iteration : summary.iterations)
    {
        text += " " + std::to_string(iteration.duration.GetPicoSeconds());
    }
    for (const auto& fault : summary.faults)
    {
        text += "; " + fault.target + ": " + fault.consequence;
    }
    return text + " " + summary.failure;
}

/// Jobs with random faults.
class RandomElectricalFaultsTestCase : public TestCase
{
  public:
    RandomElectricalFaultsTestCase()
        : TestCase("A job with random faults ends, or says why not; bursts and packets are equal")
    {
    }

  private:
    void DoRun() override
    {
        uint32_t ended = 0;
        uint32_t lossy = 0;
        uint64_t faults = 0;
        const uint64_t seeds = CountSeeds("electrical faults", 40);
        const std::vector<std::string> fabrics{"electrical", "leaf-spine", "fat-tree", "rail-only"};
        for (uint32_t seed = 1; seed <= seeds; ++seed)
        {
            const std::string& fabric = fabrics[seed % fabrics.size()];
            const std::string links = fabric == "electrical" ? "" : "link:3@30ms+1ms,";
            const std::string repair = seed % 3 ? "3ms" : "4s";
            const std::vector<std::string> flags = ElectricalFlags(
                {"--fabric=" + fabric,
                 fabric == "rail-only" ? "--switchRadix=6" : "--switchRadix=8",
                 "--faultRate=" + links + "switch:1@30ms+2ms,nic-port:1@30ms+" + repair,
                 seed % 5 ? "--linkLoss=0" : "--linkLoss=0.0001"});
            const RunSummary summary = RunWith(seed, flags);
            const bool hasEnded = summary.failure.empty();
            ended += hasEnded ? 1 : 0;
            lossy += summary.packetsLostAtSwitches > 0 ? 1 : 0;
            faults += summary.faults.size();
            const bool isClear = summary.failure.find("job 0 failed") == 0 &&
                                 summary.failure.find('\n') == std::string::npos;
            NS_TEST_ASSERT_MSG_EQ((hasEnded ? summary.CheckInvariants() : ""), "", seed);
            NS_TEST_ASSERT_MSG_EQ((hasEnded || isClear), true, seed << ": " << summary.failure);
            const bool isNoticed =
                std::any_of(summary.faults.begin(), summary.faults.end(), [](const auto& fault) {
                    return !fault.consequence.empty();
                });
            const bool hasLost = seed % 5 != 0 && summary.packetsLostAtSwitches > 0;
            NS_TEST_ASSERT_MSG_EQ((isNoticed || !hasLost), true, "lost by nothing, seed " << seed);
            std::vector<std::string> packets = flags;
            packets.emplace_back("--fidelity=packet");
            NS_TEST_ASSERT_MSG_EQ(ElectricalToText(RunWith(seed, packets)),
                                  ElectricalToText(summary),
                                  "packets, seed " << seed);
            if (seed % 4 == 0)
            {
                NS_TEST_ASSERT_MSG_EQ(ElectricalToText(RunWith(seed, flags)),
                                      ElectricalToText(summary),
                                      "again, seed " << seed);
            }
        }
        NS_TEST_ASSERT_MSG_GT(faults, seeds, "faults are rare");
        NS_TEST_ASSERT_MSG_GT(lossy, seeds / 4, "frames are seldom lost");
        NS_TEST_ASSERT_MSG_GT(ended, seeds / 3, "most jobs survive");
    }

    /// @return a run with a seed
    static RunSummary RunWith(uint32_t seed, const std::vector<std::string>& flags)
    {
        RngSeedManager::SetRun(seed);
        const RunSummary summary = RunJob(flags);
        RngSeedManager::SetRun(1);
        return summary;
    }
};

/// A fault that costs a job time without a lost packet has a record of it.
class WaitRecordTestCase : public TestCase
{
  public:
    WaitRecordTestCase()
        : TestCase("An outage that was not detected and has lost nothing says who has waited")
    {
    }

  private:
    void DoRun() override
    {
        const auto flags = ElectricalFlags({"--fabric=electrical", "--iterations=2"});
        const Time intact = RunJob(flags).iterations.front().duration;
        std::vector<std::string> outage = flags;
        outage.emplace_back("--fault=switch:0@1ms+500us");
        const RunSummary summary = RunJob(outage);
        NS_TEST_ASSERT_MSG_GT(summary.iterations.front().duration, intact, "the job has waited");
        NS_TEST_ASSERT_MSG_EQ(summary.packetsLostAtSwitches, 0u, "nothing is lost");
        NS_TEST_ASSERT_MSG_EQ(summary.faults.size(), 1u, "one fault");
        const std::string& record = summary.faults.front().consequence;
        NS_TEST_ASSERT_MSG_NE(record.find(" had waited for light at 0.001500 s"),
                              std::string::npos,
                              record);
        // For a microsecond in which nothing is sent.
        auto idle = ElectricalFlags({"--fabric=leaf-spine", "--switchRadix=8", "--iterations=2"});
        const Time undisturbed = RunJob(idle).iterations.front().duration;
        idle.emplace_back("--fault=switch:0@1ms+1us");
        const RunSummary early = RunJob(idle);
        NS_TEST_ASSERT_MSG_EQ(early.faults.front().consequence, "", "nothing has waited");
        NS_TEST_ASSERT_MSG_EQ(early.iterations.front().duration, undisturbed, "nor lost time");
    }
};

/// The suite.
class ElectricalFaultsTestSuite : public TestSuite
{
  public:
    ElectricalFaultsTestSuite()
        : TestSuite("photonic-rails-electrical-faults", Type::SYSTEM)
    {
        AddTestCase(new RailSwitchOutageTestCase);
        AddTestCase(new LinkOutageTestCase);
        AddTestCase(new RerouteTestCase);
        AddTestCase(new FrameCountTestCase);
        AddTestCase(new PausedFaultTestCase);
        AddTestCase(new LossRateTestCase);
        AddTestCase(new WaitRecordTestCase);
        AddTestCase(new RandomElectricalFaultsTestCase);
    }
};

ElectricalFaultsTestSuite g_electricalFaultsTestSuite; //!< registers itself

} // namespace
