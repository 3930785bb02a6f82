// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * One rank comes late to an AllReduce: times of StragglAR inside a scale-up domain, on an
 * electrical rail and on circuits that Opus lends pair by pair, against the alpha-beta model and
 * against a closed form; nothing is lost on the way; and algorithms that wait for the straggler are
 * not slower than on time.
 */

#include "../../examples/straggler/straggler-experiment.h"
#include "../ring-time.h"
#include "picosecond-test-case.h"

#include "ns3/abort.h"
#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/stragglar-plan.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** @return the results of AllReduces with these flags */
StragglerReport
RunFlags(const std::vector<std::string>& flags)
{
    std::vector<std::string> arguments{"test", "--algorithms=ring,stragglar"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    StragglerSettings settings;
    CommandLine cmd;
    settings.AddFlags(cmd);
    cmd.Parse(arguments);
    std::string error = settings.Check();
    NS_ABORT_MSG_UNLESS(error.empty(), error);
    StragglerReport report = settings.MakeReport();
    std::ostringstream table;
    error = StragglerExperiment(settings).Run(table, report);
    NS_ABORT_MSG_UNLESS(error.empty(), error);
    return report;
}

/** @return the rows of an algorithm, by delay */
std::vector<StragglerReport::Row>
GetRows(const StragglerReport& report, const std::string& algorithm)
{
    std::vector<StragglerReport::Row> rows;
    std::copy_if(report.rows.begin(),
                 report.rows.end(),
                 std::back_inserter(rows),
                 [&algorithm](const auto& row) { return row.algorithm == algorithm; });
    return rows;
}

/** @return the relative deviation of a time from another */
double
GetDifference(Time time, Time other)
{
    return std::abs(time.ToDouble(Time::S) / other.ToDouble(Time::S) - 1);
}

/** Times are those of the model for every late rank and delay. */
class ModelTestCase : public PicosecondTestCase
{
  public:
    /**
     * @param name of the fabric
     * @param flags that choose it
     */
    ModelTestCase(const std::string& name, std::vector<std::string> flags)
        : PicosecondTestCase("As the model says: " + name),
          m_flags(std::move(flags))
    {
    }

  private:
    void DoRun() override
    {
        auto flags = m_flags;
        flags.emplace_back("--stragglerDelay=0s,0.5x,1x,3x");
        const auto report = RunFlags(flags);
        NS_TEST_ASSERT_MSG_EQ(report.CheckInvariants(), "", "bytes or light");
        const auto rows = GetRows(report, "stragglar");
        const auto rings = GetRows(report, "ring");
        NS_TEST_ASSERT_MSG_EQ(rows.size(), rings.size(), "rows");
        NS_TEST_ASSERT_MSG_EQ(rows.empty(), false, "nothing was run");
        for (const auto& row : rows)
        {
            NS_TEST_EXPECT_MSG_LT(GetDifference(row.time, row.model),
                                  0.01,
                                  row.ranks << " ranks, " << row.delay << " late: " << row.time);
            NS_TEST_EXPECT_MSG_EQ(row.retransmissions, 0u, "packets sent again");
            NS_TEST_EXPECT_MSG_EQ(row.lostAtOcs, 0u, "frames without light");
            // Each of the others scatters all but its own chunk, and each rank ends with all
            // chunks.
            const uint64_t sent = row.bytes * (row.ranks - 2) + row.bytes * row.ranks;
            NS_TEST_EXPECT_MSG_EQ(row.bytesPosted, sent, "bytes");
        }
        for (std::size_t i = 0; i < rows.size(); i += 4)
        {
            // The chunks of the others come first, so an early straggler waits for them.
            NS_TEST_EXPECT_MSG_GT(rows[i].time, rings[i].time, "faster without a straggler");
            NS_TEST_EXPECT_MSG_LT(GetDifference(rows[i + 1].time, rows[i].time),
                                  0.01,
                                  "half the ReduceScatter late, or not at all");
        }
    }

    std::vector<std::string> m_flags;
};

/** Algorithms that wait for the straggler end as if all had called when it did. */
class WaitingTestCase : public PicosecondTestCase
{
  public:
    WaitingTestCase()
        : PicosecondTestCase("Who waits loses nothing else")
    {
    }

  private:
    void DoRun() override
    {
        const auto report = RunFlags({"--fabric=electrical",
                                      "--ranks=4,8,16",
                                      "--bytes=16M",
                                      "--algorithms=ring,halving-doubling,direct",
                                      "--stragglerDelay=0s,0.25x,0.5x,1x,3x"});
        NS_TEST_EXPECT_MSG_EQ(report.CheckInvariants(), "", "bytes or light");
        NS_TEST_ASSERT_MSG_EQ(report.rows.size(), 3u * 3 * 5, "rows");
        for (std::size_t i = 0; i < report.rows.size(); ++i)
        {
            const auto& row = report.rows[i];
            const auto& onTime = report.rows[i - i % 5];
            NS_TEST_EXPECT_MSG_LT(GetDifference(row.time, onTime.time + row.delay),
                                  0.01,
                                  row.algorithm << " of " << row.ranks << ", " << row.delay
                                                << " late: " << row.GetAfterArrival());
            NS_TEST_EXPECT_MSG_LT(GetDifference(row.time, row.model),
                                  0.02,
                                  row.algorithm << " of " << row.ranks << " and the model");
        }
    }
};

/**
 * If nobody waited for a call, a straggler would send the messages of all steps of halving and
 * doubling at once, on even shares of its ports: 2.5 and 3.5 times the tensor would pass one after
 * the other, not 1.5 and 1.75.
 */
class UncalledTestCase : public PicosecondTestCase
{
  public:
    UncalledTestCase()
        : PicosecondTestCase("Halving and doubling without calls")
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::CollectiveEngine::EagerBytes", UintegerValue(1 << 30));
        const auto report = RunFlags({"--fabric=electrical",
                                      "--ranks=4,8",
                                      "--bytes=64M",
                                      "--algorithms=halving-doubling",
                                      "--stragglerDelay=2x"});
        Config::Reset();
        const double packet = 4096 + 82;
        const double tensor = 8.0 * packet / 4096 * (64 << 20) / 400e9; // seconds
        NS_TEST_ASSERT_MSG_EQ(report.rows.size(), 2u, "rows");
        for (const auto& [row, times] :
             {std::make_pair(report.rows[0], 2.5), std::make_pair(report.rows[1], 3.5)})
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(row.GetAfterArrival().ToDouble(Time::S) / tensor,
                                      times,
                                      0.01 * times,
                                      row.ranks << " ranks");
        }
    }
};

/** On an electrical rail: rounds of two latencies and a stripe, by the attributes of NIC and
 * switch. */
class ClosedFormTestCase : public PicosecondTestCase
{
  public:
    /** @param ranks an even number of ranks */
    explicit ClosedFormTestCase(uint32_t ranks)
        : PicosecondTestCase("Closed form, " + std::to_string(ranks) + " ranks"),
          m_ranks(ranks)
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t chunk = 1 << 20;
        const auto report = RunFlags({"--fabric=electrical",
                                      "--ranks=" + std::to_string(m_ranks),
                                      "--bytes=" + std::to_string(chunk * (m_ranks - 1)),
                                      "--hopLatency=300ns",
                                      "--fiberDelay=100ns",
                                      "--stragglerDelay=10ms"});
        const auto row = GetRows(report, "stragglar").at(0);
        CircuitTiming timing;
        timing.portRate = DataRate("200Gbps");
        timing.portsPerConnector = 2;
        // A call is one small packet; a chunk is behind by the packet that the switch stores.
        const Time call =
            NanoSeconds(500) + 2 * timing.portRate.CalculateBytesTxTime(timing.packetOverhead);
        const Time stored =
            timing.portRate.CalculateBytesTxTime(timing.mtu + timing.packetOverhead);
        const Time round =
            2 * NanoSeconds(500) + GetStripeTime(chunk, timing) + stored + call - NanoSeconds(500);
        const auto rounds = static_cast<int64_t>(GetStragglarPlan(m_ranks)->rounds.size());
        NS_TEST_EXPECT_MSG_LT(GetDifference(row.GetAfterArrival(), round * rounds + call),
                              0.01,
                              row.GetAfterArrival() << " for " << rounds << " rounds of " << round);
    }

    uint32_t m_ranks;
};

/** On lent circuits the delay of switching is paid in every round: a ring that stands may be
 * faster. */
class SwitchingTestCase : public PicosecondTestCase
{
  public:
    SwitchingTestCase()
        : PicosecondTestCase("The delay of switching eats the gain")
    {
    }

  private:
    void DoRun() override
    {
        const auto fast = RunLent("1us");
        const auto slow = RunLent("1ms");
        NS_TEST_EXPECT_MSG_LT(fast, 1.0, "a microsecond");
        NS_TEST_EXPECT_MSG_GT(slow, 1.0, "a millisecond");
    }

    /** @return the time after the arrival beside that of a ring whose circuits stand */
    double RunLent(const std::string& delay)
    {
        const auto report = RunFlags({"--fabric=photonic",
                                      "--ranks=8",
                                      "--bytes=128M",
                                      "--stragglerDelay=2x",
                                      "--reconfigDelay=" + delay});
        const auto row = GetRows(report, "stragglar").at(0);
        const auto ring = GetRows(report, "ring").at(0);
        NS_TEST_EXPECT_MSG_EQ(report.CheckInvariants(), "", "bytes or light");
        // A ring for the others, and 4 pairs in a round when all have data to send.
        NS_TEST_EXPECT_MSG_GT(row.reconfigurations, 9u, "rounds with circuits of their own");
        return row.GetAfterArrival().ToDouble(Time::S) / ring.GetAfterArrival().ToDouble(Time::S);
    }
};

/** The suite. */
class StragglerTestSuite : public TestSuite
{
  public:
    StragglerTestSuite()
        : TestSuite("photonic-rails-straggler", Type::SYSTEM)
    {
        const std::vector<std::string> rail{"--fabric=electrical",
                                            "--ranks=4,6,8,10,16",
                                            "--bytes=16M"};
        AddTestCase(new ModelTestCase("an electrical rail", rail));
        auto packets = rail;
        packets[1] = "--ranks=4,6";
        packets.emplace_back("--fidelity=packet");
        AddTestCase(new ModelTestCase("an electrical rail, packet by packet", packets));
        auto first = rail;
        first[1] = "--ranks=6,8";
        first.emplace_back("--straggler=0");
        AddTestCase(new ModelTestCase("the first rank is late", first));
        // Chunks of 2.7 us, in rounds of 3.9 us.
        AddTestCase(
            new ModelTestCase("short chunks", {"--fabric=electrical", "--ranks=32", "--bytes=4M"}));
        AddTestCase(new ModelTestCase(
            "a scale-up domain",
            {"--fabric=electrical", "--scaleUp=h100", "--ranks=4,6,8", "--bytes=32M"}));
        AddTestCase(new ModelTestCase(
            "circuits that switch in 10 us",
            {"--fabric=photonic", "--ranks=4,6,8", "--bytes=64M", "--reconfigDelay=10us"}));
        AddTestCase(new ModelTestCase(
            "circuits that switch in 15 ms",
            {"--fabric=photonic", "--ranks=8", "--bytes=64M", "--reconfigDelay=15ms"}));
        for (const uint32_t ranks : {4, 6, 8, 12, 16})
        {
            AddTestCase(new ClosedFormTestCase(ranks));
        }
        AddTestCase(new WaitingTestCase);
        AddTestCase(new UncalledTestCase);
        AddTestCase(new SwitchingTestCase);
    }
};

StragglerTestSuite g_stragglerTestSuite; //!< registers itself

} // namespace
