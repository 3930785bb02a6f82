// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * AllToAll in rounds on circuits that a controller lends to pairs: all bytes arrive, no light is
 * lost, and runs take as long as the formulas say by which schedules are planned.
 */

#include "../random-search.h"
#include "network-time.h"
#include "picosecond-test-case.h"

#include "ns3/collective-calls.h"
#include "ns3/collective-helper.h"
#include "ns3/opus-helper.h"
#include "ns3/rail-cluster-helper.h"
#include "ns3/rdma-nic.h"
#include "ns3/simulator.h"
#include "ns3/stall-observer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

/// A rail on which all GPUs call AllToAll.
struct ExchangeSetup
{
    uint32_t ranks{8};
    uint32_t nicPorts{2};
    Time delay;        //!< of the switch
    uint64_t bytes{0}; //!< input of a rank
    Ptr<const AllToAllSizes> sizes;
    bool withRing{false}; //!< a small AllGather round the ring before each AllToAll

    /// @return in words
    std::string ToText() const
    {
        return std::to_string(ranks) + " ranks, " + std::to_string(nicPorts) + " ports, " +
               std::to_string(delay.GetMicroSeconds()) + " us, " + std::to_string(bytes) + " B";
    }
};

/// The results of a run.
struct ExchangeResult
{
    bool hasEnded{false};
    double seconds{0};   //!< a round of calls in the mean of two, after one
    double formula{0};   //!< of an AllToAll
    double switching{0}; //!< from a request to a grant
    uint64_t posted{0};
    uint64_t delivered{0};
    uint64_t scheduled{0}; //!< bytes by the schedules of all calls
    uint64_t retransmissions{0};
    uint64_t lost{0}; //!< frames, at the switch
};

/// @return the results with one algorithm
ExchangeResult
RunExchange(const ExchangeSetup& setup, const std::string& name)
{
    constexpr uint32_t TIMES = 2;
    const NetworkTimeOnly networkTime;
    RailClusterHelper helper;
    helper.SetDomains(setup.ranks, 1);
    helper.SetNic(setup.nicPorts, DataRate("100Gbps"));
    helper.SetOcsAttribute("ReconfigurationDelay", TimeValue(setup.delay));
    const RailCluster cluster = helper.InstallPhotonic();
    OpusHelper opus;
    opus.SetPolicy("on-demand");
    opus.Install(cluster);
    CollectiveHelper::Install(cluster);
    ProcessGroup group{0, {}};
    for (uint32_t rank = 0; rank < setup.ranks; ++rank)
    {
        group.ranks.push_back(rank);
    }
    CollectiveAlgorithms algorithms;
    algorithms.Choose(CollectiveKind::ALL_GATHER, "ring");
    algorithms.Choose(CollectiveKind::ALL_TO_ALL, name);
    CollectiveHelper::Join(cluster, group, algorithms);

    ExchangeResult result;
    RankContext part;
    part.call.kind = CollectiveKind::ALL_TO_ALL;
    part.call.bytes = setup.bytes;
    part.call.sizes = setup.sizes;
    part.shape.size = setup.ranks;
    part.terms = CollectiveHelper::GetTerms(cluster);
    result.switching = part.terms.switchSeconds;
    result.formula =
        setup.sizes ? 0 : algorithms.Get(part.call.kind)->GetCost(part).GetSecondsOn(part.terms);
    CollectiveCall gather;
    gather.kind = CollectiveKind::ALL_GATHER;
    gather.bytes = 1024;
    CollectiveCalls calls;
    for (uint32_t rank = 0; rank < setup.ranks; ++rank)
    {
        std::vector<CollectiveCalls::Step> steps;
        if (setup.withRing)
        {
            steps.push_back({gather});
            result.scheduled += (1 + TIMES) * (setup.ranks - 1) * gather.bytes;
        }
        steps.push_back({part.call});
        calls.AddSteps(cluster, rank, steps);
        part.index = rank;
        for (uint32_t i = 0; i < 1 + TIMES; ++i)
        {
            part.sequence = (setup.withRing ? 2 : 1) * i + (setup.withRing ? 1 : 0);
            result.scheduled += algorithms.Get(part.call.kind)->MakeSchedule(part).GetBytesSent();
        }
    }
    const auto first = calls.Run(1);
    const auto time = first ? calls.Run(TIMES) : std::nullopt;
    result.hasEnded = time.has_value();
    result.seconds = time ? time->GetSeconds() / TIMES : 0;
    for (uint32_t rank = 0; rank < setup.ranks; ++rank)
    {
        const auto counted = cluster.GetNic(rank)->GetQueuePairStatistics();
        result.posted += counted.bytesPosted;
        result.delivered += counted.bytesDelivered;
        result.retransmissions += counted.retransmissions;
    }
    result.lost = cluster.GetOcs(0)->GetFramesLost();
    Simulator::Destroy();
    return result;
}

/// Everything that is sent arrives once, whatever the group and the algorithm.
class ExchangeDeliveryTestCase : public PicosecondTestCase
{
  public:
    ExchangeDeliveryTestCase()
        : PicosecondTestCase("Exchanges in rounds deliver all bytes and lose no light")
    {
    }

  private:
    void Check(const ExchangeSetup& setup, const std::string& name)
    {
        const auto result = RunExchange(setup, name);
        const std::string what = name + ", " + setup.ToText();
        NS_TEST_ASSERT_MSG_EQ(result.hasEnded, true, what);
        NS_TEST_EXPECT_MSG_EQ(result.posted, result.scheduled, what);
        NS_TEST_EXPECT_MSG_EQ(result.delivered, result.posted, what);
        NS_TEST_EXPECT_MSG_EQ(result.retransmissions, 0, what);
        NS_TEST_EXPECT_MSG_EQ(result.lost, 0, what);
    }

    void DoRun() override
    {
        for (const uint32_t ranks : TakeSample(std::vector<uint32_t>{2, 3, 4, 5, 6, 7, 8, 16}, 2))
        {
            for (const char* name : {"pairwise", "hypercube", "planned"})
            {
                if (name == std::string("hypercube") && (ranks & (ranks - 1)) != 0)
                {
                    continue;
                }
                std::vector<uint64_t> bytes;
                for (uint32_t i = 0; i < ranks * ranks; ++i)
                {
                    bytes.push_back(i * 7919 % 5 * 30011);
                }
                for (const uint32_t ports : {1, 2, 4})
                {
                    ExchangeSetup setup{ranks, ports, MicroSeconds(10), 100003, nullptr, false};
                    setup.withRing = ports > 1 && ranks % 2 == 0;
                    Check(setup, name);
                    setup.sizes = Create<AllToAllSizes>(ranks, bytes);
                    Check(setup, name);
                }
            }
        }
    }
};

/**
 * Runs take the times of the formulas. In a row of calls, the first round of each has its circuits
 * from the call before. After a collective on the ring it has not, and the circuits of the ring
 * must be made again. So a call switches once less than in the formula, or once more.
 */
class ExchangeFormulaTestCase : public PicosecondTestCase
{
  public:
    ExchangeFormulaTestCase()
        : PicosecondTestCase("Exchanges on lent circuits take as long as their formulas say")
    {
    }

  private:
    /// Difference that formulas leave out: headers of packets, acknowledgements, frames.
    static constexpr double TOLERANCE = 0.10;

    void DoRun() override
    {
        std::vector<ExchangeSetup> setups;
        for (const uint32_t ranks : {4, 6, 8, 16})
        {
            for (const uint64_t microseconds : {10, 1000, 15000})
            {
                for (const uint64_t bytes : {1 << 20, 16 << 20})
                {
                    for (const bool withRing : {false, true})
                    {
                        const Time delay = MicroSeconds(microseconds);
                        setups.push_back({ranks, 2, delay, bytes * ranks, nullptr, withRing});
                    }
                }
            }
        }
        for (const auto& setup : TakeSample(setups))
        {
            CheckSetup(setup);
        }
    }

    void CheckSetup(const ExchangeSetup& setup)
    {
        std::vector<std::string> names{"ring", "pairwise"};
        if ((setup.ranks & (setup.ranks - 1)) == 0)
        {
            names.push_back("hypercube");
        }
        double least = std::numeric_limits<double>::infinity();
        for (const auto& name : names)
        {
            const auto result = RunExchange(setup, name);
            const std::string what = name + ", " + setup.ToText();
            NS_TEST_ASSERT_MSG_EQ(result.hasEnded, true, what);
            // The formula counts a switching for the first round. A ring stays up, or comes back.
            const bool isRing = name == "ring";
            const double more = isRing ? 0 : setup.withRing ? result.switching : -result.switching;
            NS_TEST_EXPECT_MSG_EQ_TOL(result.seconds / (result.formula + more),
                                      1,
                                      TOLERANCE,
                                      what << ", " << setup.withRing);
            least = std::min(least, result.seconds);
        }
        const auto planned = RunExchange(setup, "planned");
        NS_TEST_EXPECT_MSG_EQ((planned.seconds <= (1 + TOLERANCE) * least + planned.switching),
                              true,
                              setup.ToText()
                                  << " planned takes " << planned.seconds << " s, not " << least);
    }
};

/// The report on an exchange that comes to a standstill in its first round, or later.
class ExchangeStallTestCase : public PicosecondTestCase
{
  public:
    ExchangeStallTestCase()
        : PicosecondTestCase("Reports on exchanges that stand still name the round's peer")
    {
    }

  private:
    /// @param isDown the shim of rank 3 is down; otherwise rank 3 makes no call
    /// @return the lines of the report on four ranks
    static std::string Look(bool isDown)
    {
        RailClusterHelper helper;
        helper.SetDomains(4, 1);
        helper.SetNic(2, DataRate("100Gbps"));
        const RailCluster cluster = helper.InstallPhotonic();
        OpusHelper opus;
        opus.Install(cluster);
        CollectiveHelper::Install(cluster);
        CollectiveAlgorithms algorithms;
        algorithms.Choose(CollectiveKind::ALL_TO_ALL, "pairwise");
        CollectiveHelper::Join(cluster, {0, {0, 1, 2, 3}}, algorithms);
        CollectiveCall call;
        call.kind = CollectiveKind::ALL_TO_ALL;
        call.bytes = 4000;
        CollectiveCalls calls;
        for (uint32_t rank = 0; rank < (isDown ? 4 : 3); ++rank)
        {
            calls.AddSteps(cluster, rank, {{call}});
        }
        if (isDown)
        {
            opus.GetShim(3)->Fail();
        }
        calls.Run(1);
        std::string text;
        const auto stall = StallObserver::Look();
        for (const auto& line : stall ? stall->lines : std::vector<std::string>())
        {
            text += line + "\n";
        }
        Simulator::Destroy();
        return text;
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(Look(false),
                              "rank 3: no call under way\n"
                              "ranks 0-2: AllToAll of group 0 not called by rank 3\n",
                              "a rank makes no call");
        // Ranks 0 and 1 have had their round, and wait for 2 and 3.
        NS_TEST_EXPECT_MSG_EQ(
            Look(true),
            "rank 3: AllToAll of group 0 is not granted: the shim is down\n"
            "ranks 0-2: AllToAll of group 0 waits for circuits, not asked for by ranks 2, 3\n",
            "a shim is down");
    }
};

/// The test suite.
class AllToAllCircuitsTestSuite : public TestSuite
{
  public:
    AllToAllCircuitsTestSuite()
        : TestSuite("photonic-rails-all-to-all-circuits", Type::UNIT)
    {
        AddTestCase(new ExchangeDeliveryTestCase);
        AddTestCase(new ExchangeFormulaTestCase);
        AddTestCase(new ExchangeStallTestCase);
    }
};

AllToAllCircuitsTestSuite g_allToAllCircuitsTestSuite;

} // namespace
