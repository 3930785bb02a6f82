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
            scenario.fibre = 100 * NS;
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

/// The scenarios.
class DifferentialFabricTestSuite : public TestSuite
{
  public:
    DifferentialFabricTestSuite()
        : TestSuite("photonic-rails-differential-fabric", Type::UNIT)
    {
        AddTestCase(new CoincidenceTestCase);
        AddTestCase(new DifferentialCase<FabricScenario>(400, 0));
        AddTestCase(new DifferentialCase<PairScenario>(1000, 30));
        AddTestCase(new DifferentialCase<CrowdScenario>(600, 30, 80));
        AddTestCase(new DifferentialCase<WideScenario>(1000, 30, 80));
    }
};

DifferentialFabricTestSuite g_differentialFabricTestSuite; //!< the instance

} // namespace
