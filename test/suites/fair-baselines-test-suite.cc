// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Fair baselines: a fabric without oversubscription and with balanced paths takes at most 5 % more
 * than a switch for each rail, and repeats nothing. Flags decide whether its switches send pauses
 * and mark frames.
 */

#include "network-time.h"
#include "picosecond-test-case.h"

#include "ns3/boolean.h"
#include "ns3/collectives-experiment.h"
#include "ns3/command-line.h"

#include <iostream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** Ring AllReduces of 16 MiB. */
class BalancedRingTestCase : public PicosecondTestCase
{
  public:
    /**
     * @param name of the case
     * @param shape flags that all fabrics have
     * @param flags flags of the fabric beside the rail
     */
    BalancedRingTestCase(const std::string& name,
                         std::vector<std::string> shape,
                         std::vector<std::string> flags)
        : PicosecondTestCase(name),
          m_shape(std::move(shape)),
          m_flags(std::move(flags))
    {
    }

  private:
    /// @return the time of the call on a fabric
    Time Measure(const std::vector<std::string>& flags)
    {
        constexpr uint64_t bytes = 16 << 20;
        const NetworkTimeOnly networkTime;
        std::vector<std::string> arguments{"test", "--warmup=0", "--maxBytes=16M"};
        arguments.insert(arguments.end(), m_shape.begin(), m_shape.end());
        arguments.insert(arguments.end(), flags.begin(), flags.end());
        CollectivesSettings settings;
        CommandLine cmd;
        settings.AddFlags(cmd);
        cmd.Parse(arguments);
        NS_TEST_EXPECT_MSG_EQ(settings.Check(), "", "settings");
        const auto row = CollectivesExperiment(settings).Run(bytes);
        NS_TEST_EXPECT_MSG_EQ(row.has_value(), true, "a standstill");
        NS_TEST_EXPECT_MSG_EQ(row->retransmissions, 0, "nothing is lost, nothing is repeated");
        return row->time;
    }

    void DoRun() override
    {
        const Time rail = Measure({"--fabric=electrical"});
        const Time fabric = Measure(m_flags);
        std::cout << "# " << GetName() << ": " << fabric.As(Time::US) << ", on a rail "
                  << rail.As(Time::US) << "\n";
        NS_TEST_EXPECT_MSG_GT(fabric, rail, "further switches take time");
        NS_TEST_EXPECT_MSG_LT(fabric.GetPicoSeconds(), rail.GetPicoSeconds() * 21 / 20, "5 %");
    }

    std::vector<std::string> m_shape;
    std::vector<std::string> m_flags;
};

/** Flags of electrical switches. */
class SwitchFlagsTestCase : public PicosecondTestCase
{
  public:
    SwitchFlagsTestCase()
        : PicosecondTestCase("Switches pause and mark frames unless a flag says otherwise")
    {
    }

  private:
    /// Build a fabric with a flag, and check the settings of all its switches.
    void Expect(const std::string& flag, bool pfc, bool ecn)
    {
        CollectivesSettings settings;
        CommandLine cmd;
        settings.AddFlags(cmd);
        cmd.Parse({"test", "--domains=4", "--fabric=leaf-spine", "--switchRadix=4", flag});
        NS_TEST_ASSERT_MSG_EQ(settings.Check(), "", flag);
        const auto cluster = settings.MakeClusterHelper().Install(settings.fabric.GetFabric());
        NS_TEST_ASSERT_MSG_GT(cluster.GetSwitches().size(), 1u, flag);
        for (const auto& one : cluster.GetSwitches())
        {
            BooleanValue value;
            one.device->GetAttribute("Pfc", value);
            NS_TEST_EXPECT_MSG_EQ(value.Get(), pfc, flag << ": pauses of " << one.name);
            one.device->GetAttribute("Ecn", value);
            NS_TEST_EXPECT_MSG_EQ(value.Get(), ecn, flag << ": marks of " << one.name);
        }
        Simulator::Destroy();
    }

    void DoRun() override
    {
        Expect("--pfc=true", true, true);
        Expect("--pfc=false", false, true);
        Expect("--ecn=true", true, true);
        Expect("--ecn=false", true, false);
    }
};

/** Suite of baselines. */
class FairBaselinesTestSuite : public TestSuite
{
  public:
    FairBaselinesTestSuite()
        : TestSuite("photonic-rails-fair-baselines", Type::SYSTEM)
    {
        AddTestCase(new SwitchFlagsTestCase);
        for (const std::string fabric : {"leaf-spine", "fat-tree"})
        {
            AddTestCase(new BalancedRingTestCase(fabric + " of switches with 64 ports, ECMP",
                                                 {"--domains=64"},
                                                 {"--fabric=" + fabric}));
            for (const std::string balancing : {"random", "round-robin", "adaptive"})
            {
                AddTestCase(
                    new BalancedRingTestCase(fabric + " of switches with 8 ports, " + balancing,
                                             {"--domains=8"},
                                             {"--fabric=" + fabric,
                                              "--switchRadix=8",
                                              "--lossRecovery=selective-repeat",
                                              "--loadBalancing=" + balancing}));
            }
        }
    }
};

FairBaselinesTestSuite g_fairBaselinesTestSuite; //!< the instance

} // namespace
