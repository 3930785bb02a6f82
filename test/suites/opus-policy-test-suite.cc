// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Policies of Opus beside each other on random jobs: what provisioning may cost and must gain.
 *
 * PHOTONIC_RAILS_DIFFERENTIAL=policy:12 compares on one job, policy:1-500 on a range; window:12 and
 * so on with the oracle.
 */

#include "differential-case.h"
#include "opus-random-run.h"

#include <algorithm>
#include <iostream>
#include <string>

using namespace ns3;
using namespace ns3::test;

namespace
{

/** @return how long a rank waits at most for a group that is to be switched for, if all its ranks
 * ask and nobody else does @param s a scenario */
Time
GetGrantTime(const OpusScenario& s)
{
    uint32_t ranks = 0;
    for (const auto& job : s.jobs)
    {
        ranks += job.domains * s.rails;
    }
    const Time service = s.messageTime + s.managerTime + s.agentTime;
    const Time host = MicroSeconds(1) + 2 * *std::max_element(s.more.begin(), s.more.end());
    return s.reconfigurationDelay + s.lockTime + 4 * s.controlLatency + 2 * host +
           s.commandLatency + s.coalesceTime + 4 * static_cast<int64_t>(ranks) * service +
           MicroSeconds(1); // frames
}

/** Let all iterations of a job be as the first one. */
void
MakeRegular(OpusScenario& s)
{
    s.detect = false;
    for (auto& job : s.jobs)
    {
        job.iterations = 3;
        if (job.flags.empty())
        {
            job.steps.assign(3, job.steps.front());
        }
    }
}

/** Provisioned beside on demand. */
class ProvisionedCase : public PicosecondTestCase
{
  public:
    ProvisionedCase()
        : PicosecondTestCase("Provisioned is faster than on demand, and seldom slower")
    {
    }

  private:
    void DoRun() override
    {
        const SeedRange seeds = SeedRange::Make("policy", 400);
        uint32_t faster = 0;
        uint32_t slower = 0;
        uint32_t beyond = 0;
        double ratios = 0;
        for (uint64_t seed = seeds.first; seed <= seeds.last; ++seed)
        {
            auto s = OpusScenario::MakeAny(seed, false);
            s.trouble = OpusTrouble();
            MakeRegular(s);
            std::ostream* const log = seeds.single ? &std::cout : nullptr;
            s.policy = "on-demand";
            const auto onDemand = RunOpus(s, log);
            s.policy = "provisioned";
            const auto provisioned = RunOpus(s, log);
            NS_TEST_EXPECT_MSG_EQ(onDemand.error + provisioned.error, "", "seed " << seed);
            const Time more = provisioned.counts.end - onDemand.counts.end;
            const auto faults = static_cast<int64_t>(provisioned.counts.mispredicted);
            faster += more < Time(0) ? 1 : 0;
            slower += more > Time(0) ? 1 : 0;
            ratios += provisioned.counts.end.GetDouble() / onDemand.counts.end.GetDouble();
            if (more > (faults + 1) * GetGrantTime(s))
            {
                ++beyond;
                std::cout << "policy:" << seed << ": provisioned takes "
                          << provisioned.counts.end.As(Time::US) << ", on demand "
                          << onDemand.counts.end.As(Time::US) << ", mispredictions " << faults
                          << ", a grant " << GetGrantTime(s).As(Time::US) << std::endl;
            }
        }
        const uint64_t jobs = seeds.last - seeds.first + 1;
        std::cout << jobs << " jobs: provisioned is faster in " << faster << ", slower in "
                  << slower << ", by more than a grant and one for each misprediction in " << beyond
                  << "; mean ratio of times " << ratios / static_cast<double>(jobs) << std::endl;
        if (jobs >= 30)
        {
            NS_TEST_EXPECT_MSG_LT(ratios, static_cast<double>(jobs), "faster on average");
            NS_TEST_EXPECT_MSG_LT_OR_EQ(beyond * 100, jobs, "one in a hundred at most");
        }
    }
};

/** Provisioned beside the oracle, when ranks compute longer than it takes to switch. */
class WindowCase : public PicosecondTestCase
{
  public:
    WindowCase()
        : PicosecondTestCase("Provisioned is as good as the oracle when windows exceed the delay")
    {
    }

  private:
    /** @return true if ranks send messages: a message is sent when the receiver's ports are free,
     * often long before its Recv, so the computation before that is no window @param job a job */
    static bool HasMessages(const RandomJob& job)
    {
        return std::any_of(job.steps.front().begin(), job.steps.front().end(), [](const auto& x) {
            return x.kind == CollectiveKind::SEND;
        });
    }

    /** @return duration of the last iteration @param s a scenario @param log as of RunOpus */
    Time Run(const OpusScenario& s, std::ostream* log)
    {
        const auto outcome = RunOpus(s, log);
        NS_TEST_EXPECT_MSG_EQ(outcome.error, "", "seed " << s.seed);
        return outcome.iterations[2] - outcome.iterations[1];
    }

    void DoRun() override
    {
        const SeedRange seeds = SeedRange::Make("window", 1200);
        uint32_t jobs = 0;
        uint32_t beyond = 0;
        Time worst;
        for (uint64_t seed = seeds.first; seed <= seeds.last; ++seed)
        {
            auto s = OpusScenario::MakeAny(seed, false);
            s.trouble = OpusTrouble();
            s.tracks = 0; // what is asked for ahead of time waits for light paths that others hold
            s.jobs.resize(1);
            RandomJob& job = s.jobs.front();
            if (!job.flags.empty() || HasMessages(job))
            {
                continue;
            }
            MakeRegular(s);
            s.threshold = 0;
            job.streams = 1;
            // Time to switch to another group and back, and to wait for a rank that does.
            const Time window = 3 * GetGrantTime(s);
            for (auto& steps : job.steps)
            {
                for (auto& step : steps)
                {
                    for (Time& think : step.think)
                    {
                        think += window;
                    }
                }
            }
            const Time latency = GetGrantTime(s) - s.reconfigurationDelay - s.lockTime;
            s.policy = "provisioned";
            const Time provisioned = Run(s, seeds.single ? &std::cout : nullptr);
            s.policy = "oracle";
            s.reconfigurationDelay = Time();
            s.lockTime = Time();
            s.more.assign(s.more.size(), Time());
            s.messageTime = s.managerTime = s.agentTime = s.commandLatency = s.coalesceTime =
                Time();
            const Time oracle = Run(s, nullptr);
            ++jobs;
            worst = std::max(worst, provisioned - oracle);
            if (provisioned - oracle > latency)
            {
                ++beyond;
                std::cout << "window:" << seed << ": provisioned " << provisioned.As(Time::US)
                          << ", oracle " << oracle.As(Time::US) << ", latency "
                          << latency.As(Time::US) << std::endl;
            }
        }
        std::cout << jobs << " jobs: the last iteration takes more than with the oracle and the "
                  << "latency of control in " << beyond << ", by " << worst.As(Time::US)
                  << " at most" << std::endl;
        if (jobs >= 30)
        {
            // A rank that has waited for others whenever it asked does not know how fast it can be.
            NS_TEST_EXPECT_MSG_LT_OR_EQ(beyond * 50, jobs, "two in a hundred at most");
        }
    }
};

/**
 * @ingroup tests
 * Policies on random jobs.
 */
class OpusPolicyTestSuite : public TestSuite
{
  public:
    OpusPolicyTestSuite()
        : TestSuite("photonic-rails-opus-policy", Type::SYSTEM)
    {
        AddTestCase(new ProvisionedCase);
        AddTestCase(new WindowCase);
    }
};

OpusPolicyTestSuite g_opusPolicyTestSuite; //!< the instance

} // namespace
