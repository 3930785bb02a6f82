// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Opus from end to end on random jobs, under the eyes of a watch with books of its own.
 *
 * PHOTONIC_RAILS_DIFFERENTIAL=opus:1234 carries out one scenario and prints its steps,
 * opus:1234-5678 goes through a range.
 */

#include "differential-case.h"
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
    /** @param seeds the scenarios */
    explicit OpusRandomCase(SeedRange seeds)
        : PicosecondTestCase("Opus keeps its rules: scenarios " + std::to_string(seeds.first) +
                             " to " + std::to_string(seeds.last)),
          m_seeds(seeds)
    {
        if (SLOW_BUILD)
        {
            m_seeds.last = m_seeds.first + (m_seeds.last - m_seeds.first) / 10;
        }
    }

  private:
    static constexpr uint32_t FAILURES = 3; //!< that are looked at

    void DoRun() override
    {
        const SeedRange seeds = m_seeds.Restrict(OpusScenario::NAME);
        uint32_t failures = 0;
        OpusOutcome sum;
        for (uint64_t seed = seeds.first; seed <= seeds.last && failures < FAILURES; ++seed)
        {
            const auto scenario = OpusScenario::Make(seed);
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
                std::cout << "a rule is broken (opus:" << seed << "): " << outcome.error << "\n  "
                          << scenario.ToText() << std::endl;
            }
            Add(sum, outcome);
        }
        const auto& counts = sum.counts;
        std::cout << "opus scenarios " << seeds.first << " to " << seeds.last << ": "
                  << counts.calls << " calls, " << counts.grants << " grants, " << counts.commands
                  << " commands, " << counts.drops << " circuits dropped, " << counts.evictions
                  << " of them for light paths, " << sum.recalls << " recalls, " << counts.stopped
                  << " ends of circuits with collectives stopped, " << counts.turns << " turns, "
                  << counts.mispredicted << " mispredictions, " << sum.cacheHits << " cache hits, "
                  << sum.delayed << " commands delayed, " << sum.crashes << " crashes, "
                  << sum.takeovers << " takeovers, " << counts.replayed << " lines of logs again, "
                  << counts.remembered << " leases remembered, " << counts.rebuilds
                  << " rails rebuilt, " << sum.retransmissions << " control frames again, "
                  << sum.hostBytes << " B over hosts" << std::endl;
        NS_TEST_EXPECT_MSG_EQ(failures, 0u, "scenarios that break a rule");
        if (!SLOW_BUILD && seeds.last - seeds.first >= 500)
        {
            NS_TEST_EXPECT_MSG_GT(counts.stopped, 20u, "collectives have to be stopped");
            NS_TEST_EXPECT_MSG_GT(counts.mispredicted, 20u, "predictions have to be wrong");
            NS_TEST_EXPECT_MSG_GT(sum.recalls, 500u, "groups have to be recalled");
            NS_TEST_EXPECT_MSG_GT(counts.turns, 500u, "groups have to wait for others");
            NS_TEST_EXPECT_MSG_GT(counts.evictions, 100u, "light paths have to be in the way");
            NS_TEST_EXPECT_MSG_GT(sum.delayed, 20u, "commands have to be delayed");
            NS_TEST_EXPECT_MSG_GT(sum.hostBytes, 100000u, "hosts have to carry something");
        }
    }

    /** Add up what has been seen. */
    static void Add(OpusOutcome& sum, const OpusOutcome& outcome)
    {
        sum.counts.calls += outcome.counts.calls;
        sum.counts.grants += outcome.counts.grants;
        sum.counts.commands += outcome.counts.commands;
        sum.counts.drops += outcome.counts.drops;
        sum.counts.evictions += outcome.counts.evictions;
        sum.counts.stopped += outcome.counts.stopped;
        sum.counts.turns += outcome.counts.turns;
        sum.counts.mispredicted += outcome.counts.mispredicted;
        sum.counts.replayed += outcome.counts.replayed;
        sum.counts.remembered += outcome.counts.remembered;
        sum.counts.rebuilds += outcome.counts.rebuilds;
        sum.crashes += outcome.crashes;
        sum.takeovers += outcome.takeovers;
        sum.retransmissions += outcome.retransmissions;
        sum.recalls += outcome.recalls;
        sum.cacheHits += outcome.cacheHits;
        sum.delayed += outcome.delayed;
        sum.hostBytes += outcome.hostBytes;
    }

    SeedRange m_seeds;
};

constexpr uint64_t SCENARIOS = 1250; //!< of a suite

/**
 * @ingroup tests
 * Random jobs with Opus.
 */
class OpusRandomTestSuite : public TestSuite
{
  public:
    /** @param part which, from 0 */
    explicit OpusRandomTestSuite(uint32_t part)
        : TestSuite("photonic-rails-opus-random-" + std::to_string(part + 1), Type::SYSTEM)
    {
        AddTestCase(new OpusRandomCase(SeedRange{part * SCENARIOS + 1, (part + 1) * SCENARIOS}));
    }
};

OpusRandomTestSuite g_opusRandom1(0); //!< the first
OpusRandomTestSuite g_opusRandom2(1); //!< the second
OpusRandomTestSuite g_opusRandom3(2); //!< the third
OpusRandomTestSuite g_opusRandom4(3); //!< the fourth

} // namespace
