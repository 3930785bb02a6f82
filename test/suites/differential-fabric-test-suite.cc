// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Bursts against packets: networks of electrical switches.
 */

#include "differential-case.h"
#include "differential-draw.h"
#include "differential-fabric.h"

using namespace ns3;
using namespace ns3::test;

namespace
{

/**
 * All GPUs send to both neighbours at the same time, with windows of a few packets: frames arrive
 * at several NICs at the very time at which a fast path begins.
 */
class CoincidenceTestCase : public PicosecondTestCase
{
  public:
    CoincidenceTestCase()
        : PicosecondTestCase("a fast path begins while frames arrive")
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = 0; seed < 240; ++seed)
        {
            FabricScenario scenario;
            scenario.domains = 3 + seed % 4;
            scenario.rate = 200 * GBPS;
            scenario.fiber = 100 * NS;
            scenario.hop = 500 * NS;
            scenario.started = true;
            scenario.shared = true;
            scenario.window = (2 + seed / 4 % 4) * scenario.mtu;
            scenario.retryPackets = 1 + seed / 16;
            for (uint32_t gpu = 0; gpu < scenario.domains; ++gpu)
            {
                scenario.messages.push_back({gpu, (gpu + 1) % scenario.domains, 40000, 0});
                scenario.messages.push_back({(gpu + 1) % scenario.domains, gpu, 40000, 0});
            }
            const Record packets = scenario.Run({"Packet", false});
            const Record bursts = scenario.Run({"Burst", false});
            NS_TEST_EXPECT_MSG_EQ(packets.Compare("Packet", bursts, "Burst"),
                                  "",
                                  scenario.ToText());
        }
    }
};

/// An incast, in which the switch pauses the senders, and transfers without contention afterwards.
class AfterPausesTestCase : public PicosecondTestCase
{
  public:
    AfterPausesTestCase()
        : PicosecondTestCase("fast paths begin again after pauses")
    {
    }

  private:
    void DoRun() override
    {
        FabricScenario scenario;
        scenario.domains = 4;
        scenario.rate = 200 * GBPS;
        scenario.fiber = 100 * NS;
        scenario.hop = 500 * NS;
        scenario.buffer = 2'000'000;
        for (uint32_t gpu = 1; gpu < scenario.domains; ++gpu)
        {
            scenario.messages.push_back({gpu, 0, 2'000'000, 0});
        }
        const Record incast = scenario.Run({"Burst", false});
        NS_TEST_EXPECT_MSG_EQ(incast.ToText().find("pauses=0"),
                              std::string::npos,
                              "the switch pauses nobody");
        constexpr uint64_t LATER = 1'000'000 * NS;
        for (uint32_t gpu = 0; gpu < scenario.domains; ++gpu)
        {
            const uint32_t next = (gpu + 1) % scenario.domains;
            scenario.messages.push_back({gpu, next, 8'000'000, LATER});
        }
        const Record packets = scenario.Run({"Packet", false});
        const Record bursts = scenario.Run({"Burst", false});
        NS_TEST_EXPECT_MSG_EQ(packets.Compare("Packet", bursts, "Burst"), "", scenario.ToText());
        const uint64_t later = bursts.GetPackets() - incast.GetPackets();
        NS_TEST_EXPECT_MSG_GT(10 * (bursts.GetBurstPackets() - incast.GetBurstPackets()),
                              9 * later,
                              "few of the later packets travel in bursts");
    }
};

/// Counters are read again and again, as the progress of a run is shown.
class ReadCountersTestCase : public TestCase
{
  public:
    ReadCountersTestCase()
        : TestCase("fast paths begin as often when counters are read")
    {
    }

  private:
    void DoRun() override
    {
        uint64_t regions = 0;
        for (uint64_t seed = 1; seed <= 60; ++seed)
        {
            auto scenario = AnswerScenario::Make(seed);
            const Record unread = scenario.Run({"Burst", false});
            for (uint32_t i = 1; i <= 50; ++i)
            {
                scenario.actions.push_back({FabricScenario::READ, 1'500 * NS * i, 0, 0});
            }
            const Record read = scenario.Run({"Burst", false});
            NS_TEST_EXPECT_MSG_EQ(read.GetRegions(), unread.GetRegions(), scenario.ToText());
            NS_TEST_EXPECT_MSG_EQ(read.GetBurstPackets(), unread.GetBurstPackets(), "packets");
            regions += unread.GetRegions();
        }
        NS_TEST_EXPECT_MSG_GT(regions, 100u, "too few fast paths to prove anything");
    }
};

/// The scenarios.
class DifferentialFabricTestSuite : public TestSuite
{
  public:
    DifferentialFabricTestSuite()
        : TestSuite("photonic-rails-differential-fabric", Type::UNIT)
    {
        AddTestCase(new CoincidenceTestCase);
        AddTestCase(new AfterPausesTestCase);
        AddTestCase(new ReadCountersTestCase);
        AddTestCase(new DifferentialCase<FabricScenario>(400, 0));
        AddTestCase(new DifferentialCase<PairScenario>(1000, 30));
        AddTestCase(new DifferentialCase<CrowdScenario>(600, 30, 80));
        AddTestCase(new DifferentialCase<WideScenario>(1000, 30, 80));
        AddTestCase(new DifferentialCase<AnswerScenario>(1000, 60));
        AddTestCase(new DifferentialCase<NetworksScenario>(1000, 30));
    }
};

DifferentialFabricTestSuite g_differentialFabricTestSuite; //!< the instance

} // namespace
