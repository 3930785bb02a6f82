// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Opus from end to end on random jobs, under the eyes of a watch with books of its own.
 *
 * PHOTONIC_RAILS_DIFFERENTIAL=opus:1234 carries out one scenario and prints its steps,
 * opus:1234-5678 goes through a range; hold:12 and so on with leases that are held after use,
 * slice:12 and so on with collectives that are suspended soon after a recall, across:12 and so on
 * with groups that lease circuits on two or eight rails, ahead:12 and so on with hosts that run
 * ahead of the GPUs.
 *
 * Covers model/opus/scheduler
 * Covers model/opus/shim
 * Covers model/opus/controller
 */

#include "differential-case.h"
#include "network-time.h"
#include "opus-random-run.h"

#include <iostream>
#include <string>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** Scenarios of some seeds. */
class OpusRandomCase : public PicosecondTestCase
{
  public:
    /**
     * @param family name of the scenarios
     * @param count how many there are
     * @param make returns the scenario of a seed
     */
    OpusRandomCase(const std::string& family, uint64_t count, OpusScenario (*make)(uint64_t))
        : PicosecondTestCase("Opus keeps its rules in random scenarios: " + family),
          m_family(family),
          m_count(count),
          m_make(make)
    {
    }

  private:
    static constexpr uint32_t FAILURES = 3; //!< that are looked at

    void DoRun() override
    {
        const SeedRange seeds = SeedRange::Make(m_family, m_count);
        uint32_t failures = 0;
        OpusOutcome sum;
        for (uint64_t seed = seeds.first; seed <= seeds.last && failures < FAILURES; ++seed)
        {
            const auto scenario = m_make(seed);
            if (seeds.single)
            {
                std::cout << scenario.ToText() << std::endl;
                for (const auto& job : scenario.jobs)
                {
                    std::cout << OpusScenario::ToText(job) << std::flush;
                }
            }
            const auto outcome = RunOpus(scenario, seeds.single ? &std::cout : nullptr);
            if (!outcome.error.empty())
            {
                ++failures;
                std::cout << "a rule is broken (" << m_family << ":" << seed
                          << "): " << outcome.error << "\n  " << scenario.ToText() << std::endl;
            }
            Add(sum, outcome);
        }
        const auto& counts = sum.counts;
        std::cout << m_family << " scenarios " << seeds.first << " to " << seeds.last << ": "
                  << counts.calls << " calls, " << counts.grants << " grants, " << counts.spread
                  << " of them on several rails, " << counts.commands << " commands, "
                  << counts.drops << " circuits dropped, " << counts.evictions
                  << " of them for light paths, " << sum.speculative << " speculative requests, "
                  << sum.recalls << " recalls, " << counts.stopped
                  << " ends of circuits with collectives stopped, " << counts.turns << " turns, "
                  << counts.mispredicted << " mispredictions, " << sum.cacheHits << " cache hits, "
                  << sum.delayed << " commands delayed, " << sum.crashes << " crashes, "
                  << sum.takeovers << " takeovers, " << counts.learned << " leases learned again, "
                  << counts.remembered << " leases remembered, " << counts.rebuilds
                  << " rails rebuilt, " << sum.retransmissions << " control frames again, "
                  << sum.hostBytes << " B over hosts" << std::endl;
        NS_TEST_EXPECT_MSG_EQ(failures, 0u, "scenarios that break a rule");
        if (!seeds.wanted)
        {
            const uint64_t count = seeds.last - seeds.first + 1;
            const auto in500 = [count](uint64_t limit) { return limit * count / 500; };
            if (m_family == "ahead")
            {
                NS_TEST_EXPECT_MSG_GT(sum.speculative, in500(2000), "hosts have to run ahead");
                NS_TEST_EXPECT_MSG_GT(sum.recalls, in500(200), "groups have to be recalled");
                return;
            }
            if (m_family != OpusScenario::NAME)
            {
                NS_TEST_EXPECT_MSG_GT(counts.spread, in500(1500), "leases of several rails");
                NS_TEST_EXPECT_MSG_GT(sum.recalls, in500(200), "groups have to be recalled");
                return;
            }
            NS_TEST_EXPECT_MSG_GT_OR_EQ(counts.stopped, in500(8), "collectives have to be stopped");
            NS_TEST_EXPECT_MSG_GT_OR_EQ(counts.mispredicted,
                                        in500(8),
                                        "predictions have to be wrong");
            NS_TEST_EXPECT_MSG_GT(sum.recalls, in500(200), "groups have to be recalled");
            NS_TEST_EXPECT_MSG_GT(counts.turns, in500(200), "groups have to wait for others");
            NS_TEST_EXPECT_MSG_GT(counts.evictions, in500(40), "light paths have to be in the way");
            NS_TEST_EXPECT_MSG_GT_OR_EQ(sum.delayed, in500(8), "commands have to be delayed");
            NS_TEST_EXPECT_MSG_GT(sum.hostBytes, in500(40000), "hosts have to carry something");
        }
    }

    /** Add the counts of an outcome. */
    static void Add(OpusOutcome& sum, const OpusOutcome& outcome)
    {
        sum.counts.calls += outcome.counts.calls;
        sum.counts.grants += outcome.counts.grants;
        sum.counts.spread += outcome.counts.spread;
        sum.counts.commands += outcome.counts.commands;
        sum.counts.drops += outcome.counts.drops;
        sum.counts.evictions += outcome.counts.evictions;
        sum.counts.stopped += outcome.counts.stopped;
        sum.counts.turns += outcome.counts.turns;
        sum.counts.mispredicted += outcome.counts.mispredicted;
        sum.counts.learned += outcome.counts.learned;
        sum.counts.remembered += outcome.counts.remembered;
        sum.counts.rebuilds += outcome.counts.rebuilds;
        sum.crashes += outcome.crashes;
        sum.takeovers += outcome.takeovers;
        sum.retransmissions += outcome.retransmissions;
        sum.speculative += outcome.speculative;
        sum.recalls += outcome.recalls;
        sum.cacheHits += outcome.cacheHits;
        sum.delayed += outcome.delayed;
        sum.hostBytes += outcome.hostBytes;
    }

    std::string m_family;
    uint64_t m_count;
    OpusScenario (*m_make)(uint64_t);
};

/** The same scenarios with leases that are held for a while after the last call. */
class OpusHoldCase : public PicosecondTestCase
{
  public:
    OpusHoldCase()
        : PicosecondTestCase("Opus keeps its rules with leases that are held for a time after use")
    {
    }

  private:
    void DoRun() override
    {
        const SeedRange seeds = SeedRange::Make("hold", 1000);
        uint64_t held = 0;
        uint64_t perCall = 0;
        uint64_t recalls = 0;
        for (uint64_t seed = seeds.first; seed <= seeds.last; ++seed)
        {
            auto scenario = OpusScenario::Make(seed);
            scenario.policy = "per-call";
            const auto before = RunOpus(scenario);
            scenario.holdTime = MicroSeconds(1 << seed % 12); // less than a gap, or more
            const auto outcome = RunOpus(scenario, seeds.single ? &std::cout : nullptr);
            NS_TEST_EXPECT_MSG_EQ(outcome.error, "", "hold:" << seed);
            held += outcome.counts.grants;
            perCall += before.counts.grants;
            recalls += outcome.recalls;
        }
        std::cout << "hold scenarios " << seeds.first << " to " << seeds.last << ": " << held
                  << " grants, " << perCall << " without hold times, " << recalls << " recalls"
                  << std::endl;
        if (!seeds.wanted)
        {
            NS_TEST_EXPECT_MSG_LT(held, perCall, "calls have to use leases that are held");
            NS_TEST_EXPECT_MSG_GT(recalls, 0u, "leases that are held have to be recalled");
        }
    }
};

/** Scenarios with an AllToAll whose other collectives are suspended soon after a recall. */
class OpusSliceCase : public PicosecondTestCase
{
  public:
    OpusSliceCase()
        : PicosecondTestCase("Opus keeps its rules with collectives that take turns")
    {
    }

  private:
    void DoRun() override
    {
        const SeedRange seeds = SeedRange::Make("slice", 1000);
        uint64_t stopped = 0;
        uint64_t uncut = 0;
        const NetworkTimeOnly networkTime; // collectives meet rounds of others more often
        for (uint64_t seed = seeds.first; seed <= seeds.last; ++seed)
        {
            auto scenario = OpusScenario::Make(seed);
            if (scenario.exchange.empty())
            {
                continue; // only ranks with an AllToAll in rounds suspend collectives
            }
            uncut += RunOpus(scenario).counts.stopped;
            scenario.sliceGrants = 1 + seed % 3;
            if (seed % 4 == 0) // light takes longer than a grant; the watch expects no loss so late
            {
                scenario.fiberDelay = MilliSeconds(2);
                scenario.reconfigurationDelay = MicroSeconds(10);
                scenario.trouble = {};
            }
            const auto outcome = RunOpus(scenario, seeds.single ? &std::cout : nullptr);
            NS_TEST_EXPECT_MSG_EQ(outcome.error, "", "slice:" << seed);
            stopped += outcome.counts.stopped;
        }
        std::cout << "slice scenarios " << seeds.first << " to " << seeds.last << ": " << stopped
                  << " ends of circuits with collectives stopped, " << uncut
                  << " if collectives are completed first" << std::endl;
        constexpr uint64_t enough = 100; // an exchange over rounds beside another group is rare
        if (!seeds.wanted && seeds.last >= enough)
        {
            NS_TEST_EXPECT_MSG_GT(stopped, uncut, "collectives have to be stopped");
        }
    }
};

/**
 * @ingroup tests
 * Random jobs with Opus.
 */
class OpusRandomTestSuite : public TestSuite
{
  public:
    OpusRandomTestSuite()
        : TestSuite("photonic-rails-opus-random", Type::SYSTEM)
    {
        AddTestCase(new OpusRandomCase(OpusScenario::NAME, 5000, &OpusScenario::Make));
        AddTestCase(new OpusRandomCase("across", 1000, &OpusScenario::MakeAcross));
        AddTestCase(new OpusRandomCase("ahead", 5000, &OpusScenario::MakeAhead));
        AddTestCase(new OpusHoldCase);
        AddTestCase(new OpusSliceCase);
    }
};

OpusRandomTestSuite g_opusRandomTestSuite; //!< the instance

} // namespace
