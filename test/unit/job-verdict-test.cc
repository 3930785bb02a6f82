// SPDX-License-Identifier: GPL-2.0-only

// The words of a verdict; test/system/verdict-json-test.py looks at verdicts of runs.

#include "ns3/html-page.h"
#include "ns3/job-verdict.h"
#include "ns3/text-archive.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace ns3;

namespace
{

/// A run of a step that takes so long.
VerdictRun
MakeVerdictRun(const std::string& network, const std::string& efficiency, Time step)
{
    VerdictRun run;
    run.network = network;
    run.efficiency = efficiency;
    run.step = step;
    run.gpus = 16;
    run.tokens = 1000;
    run.watts = network == JobVerdict::ELECTRICAL ? 960 : 160;
    run.usd = network == JobVerdict::ELECTRICAL ? 16000 : 8000;
    run.reconfigurations = network == JobVerdict::ELECTRICAL ? 0 : 4;
    run.split.ranks = 16;
    run.split.sums[StepSplit::COMPUTATION] = Seconds(16);
    run.split.sums[StepSplit::CIRCUITS] = (step - Seconds(1)) * 16;
    return run;
}

/// A verdict with two efficiencies.
JobVerdict
MakeVerdict()
{
    JobVerdict verdict;
    verdict.jobName = "a model on 16 GPUs";
    verdict.circuits = "polatis";
    verdict.delay = MilliSeconds(25);
    verdict.efficiencies = {{"low", 0.4, "a"}, {"high", 0.8, "b"}};
    for (const char* efficiency : {"low", "high"})
    {
        const int64_t more = efficiency[0] == 'l' ? 10 : 20;
        verdict.runs.push_back(
            MakeVerdictRun(JobVerdict::ELECTRICAL, efficiency, MilliSeconds(1000)));
        verdict.runs.push_back(
            MakeVerdictRun(JobVerdict::ON_DEMAND, efficiency, MilliSeconds(1000 + 3 * more)));
        verdict.runs.push_back(
            MakeVerdictRun(JobVerdict::PROVISIONED, efficiency, MilliSeconds(1000 + more)));
        verdict.runs.back().breakEven = {{0.01, BreakEven::FOUND, MilliSeconds(2 * more)},
                                         {0.03, BreakEven::FOUND, MilliSeconds(50)},
                                         {0.05, BreakEven::ANY, Seconds(100)}};
    }
    return verdict;
}

} // namespace

TEST(JobVerdict, TheAnswerHasBothEndsAndTheWorseBreakEven)
{
    EXPECT_EQ(
        MakeVerdict().MakeAnswer(),
        "With a model on 16 GPUs and circuit switches that need 25 ms to switch (polatis), a "
        "step on photonic rails is 1.0 to 2.0 % longer than on electrical rails if circuits "
        "are provisioned, and 3.0 to 6.0 % longer than there if they are made on demand, for "
        "compute efficiencies from 0.4 to 0.8. Most of the difference is waiting for "
        "circuits. The network between domains draws 10.0 W per "
        "GPU instead of 60.0 W, and costs 500 USD per GPU instead of 1000 USD. With "
        "provisioned circuits and the less favourable efficiency a step is at most 1 % longer "
        "up to a switching time of 20 ms, 3 % up to 50 ms and 5 % with any switching time up "
        "to 100 s.");
}

TEST(JobVerdict, TheAnswerSaysWhatIsImpossible)
{
    JobVerdict verdict = MakeVerdict();
    for (auto& run : verdict.runs)
    {
        run.isRefused = run.network != JobVerdict::ELECTRICAL;
        run.reason = run.isRefused ? "rings need two ports" : "";
    }
    EXPECT_EQ(verdict.MakeAnswer(),
              "Photonic rails cannot carry a model on 16 GPUs: rings need two ports.");
    EXPECT_EQ(verdict.CheckInvariants(), "");
    for (auto& run : verdict.runs)
    {
        run.isRefused = true;
        run.reason = "there are no GPUs";
    }
    EXPECT_EQ(verdict.CheckInvariants(), "there are no GPUs");
    EXPECT_EQ(verdict.MakeAnswer(),
              "There is no answer, because electrical rails cannot carry a model on 16 GPUs: there "
              "are no GPUs.");
}

TEST(JobVerdict, NothingFollowsFromRunsThatHaveNotEnded)
{
    JobVerdict verdict = MakeVerdict();
    for (auto& run : verdict.runs)
    {
        run.reason = run.network == JobVerdict::ELECTRICAL ? "" : "it has not been simulated";
    }
    EXPECT_EQ(verdict.MakeAnswer(),
              "There is no answer yet, because a run that it needs has no result (photonic "
              "provisioned, low compute efficiency: it has not been simulated).");
    verdict.runs[1].reason.clear();
    verdict.runs[2].reason.clear();
    EXPECT_EQ(verdict.MakeAnswer(),
              "There is no answer yet, because a run that it needs has no result (photonic "
              "provisioned, high compute efficiency: it has not been simulated). Known so far: "
              "photonic on demand, low compute efficiency: a step is 3.0 % longer than on "
              "electrical rails; photonic provisioned, low compute efficiency: a step is 1.0 % "
              "longer than on electrical rails.");
    verdict.runs[3].reason = "interrupted by SIGTERM";
    EXPECT_EQ(verdict.MakeAnswer().find("There is no answer yet, because a run that it needs has "
                                        "no result (electrical rail, high compute efficiency: "
                                        "interrupted by SIGTERM). Known so far: photonic on"),
              0u);
    verdict = MakeVerdict();
    verdict.runs[4].reason = "interrupted by SIGTERM";
    std::string answer = verdict.MakeAnswer();
    EXPECT_NE(answer.find("1.0 to 2.0 % longer than on electrical rails if circuits are "
                          "provisioned, for"),
              std::string::npos)
        << answer;
    EXPECT_NE(answer.find("Not known: photonic on demand, high compute efficiency (interrupted"),
              std::string::npos)
        << answer;
    EXPECT_EQ(answer.find("on demand a"), std::string::npos) << answer;
}

TEST(JobVerdict, BreakEvensOfTheWorseEfficiencyNeedBothEfficiencies)
{
    JobVerdict verdict = MakeVerdict();
    verdict.runs[2].breakEven[0].outcome = BreakEven::UNKNOWN;
    std::string answer = verdict.MakeAnswer();
    EXPECT_EQ(answer.find("1 % longer up to"), std::string::npos) << answer;
    EXPECT_NE(answer.find("at most 3 % longer up to"), std::string::npos) << answer;
    verdict.runs[2].breakEven.clear();
    answer = verdict.MakeAnswer();
    EXPECT_EQ(answer.find("less favourable"), std::string::npos) << answer;
}

TEST(JobVerdict, CircuitsThatStayHaveNoBreakEven)
{
    JobVerdict verdict = MakeVerdict();
    for (auto& run : verdict.runs)
    {
        run.reconfigurations = 0;
        run.step = Seconds(1);
        for (auto& found : run.breakEven)
        {
            found.outcome = BreakEven::ANY;
        }
    }
    const std::string answer = verdict.MakeAnswer();
    EXPECT_NE(answer.find("is as long (within 0.05 %) as on electrical rails, whether circuits are "
                          "provisioned or made on demand"),
              std::string::npos)
        << answer;
    EXPECT_NE(answer.find("the switching time costs nothing."), std::string::npos) << answer;
    EXPECT_EQ(answer.find("up to a switching time"), std::string::npos) << answer;
}

TEST(JobVerdict, CircuitsThatFasterSwitchesWouldMoveHaveBreakEvens)
{
    JobVerdict verdict = MakeVerdict();
    for (auto& run : verdict.runs)
    {
        run.reconfigurations = 0;
        run.bytesOnRails = 1000;
        run.bytesForwarded = run.network == JobVerdict::ELECTRICAL ? 100 : 600;
    }
    std::string answer = verdict.MakeAnswer();
    EXPECT_NE(answer.find("With this switching time no circuit moves within a step. With "
                          "provisioned circuits and the less favourable efficiency a step is at "
                          "most 1 % longer up to a switching time of 20 ms"),
              std::string::npos)
        << answer;
    EXPECT_NE(answer.find("directly: 50.0 % of the bytes on the photonic rails."),
              std::string::npos)
        << answer;
    for (auto& run : verdict.runs)
    {
        run.breakEven.clear();
    }
    answer = verdict.MakeAnswer();
    EXPECT_EQ(answer.find("costs nothing"), std::string::npos) << answer;
}

TEST(JobVerdict, ShorterStepsAreNotLonger)
{
    JobVerdict verdict = MakeVerdict();
    for (auto& run : verdict.runs)
    {
        run.step = run.network == JobVerdict::ELECTRICAL  ? Seconds(1)
                   : run.network == JobVerdict::ON_DEMAND ? MilliSeconds(990)
                   : run.efficiency == "low"              ? MilliSeconds(980)
                                                          : MilliSeconds(1030);
    }
    const std::string answer = verdict.MakeAnswer();
    EXPECT_NE(answer.find("between 2.0 % shorter and 3.0 % longer than on"), std::string::npos);
    EXPECT_NE(answer.find("1.0 % shorter than there"), std::string::npos) << answer;
}

TEST(JobVerdict, StepsOfSeveralTimesTheLengthHaveNoPercents)
{
    JobVerdict verdict = MakeVerdict();
    for (auto& run : verdict.runs)
    {
        run.step = run.network == JobVerdict::ELECTRICAL ? Seconds(1)
                   : run.efficiency == "low"             ? Seconds(3)
                                                         : Seconds(5);
    }
    const std::string answer = verdict.MakeAnswer();
    EXPECT_NE(answer.find("is 3.00 to 5.00 times as long as on electrical rails, whether"),
              std::string::npos)
        << answer;
}

TEST(JobVerdict, TheAnswerSaysWhatTheHostNetworkCarries)
{
    JobVerdict verdict = MakeVerdict();
    for (auto& run : verdict.runs)
    {
        run.bytesOnHosts = 300;
        run.bytesOnRails = 700;
    }
    std::string answer = verdict.MakeAnswer();
    EXPECT_NE(answer.find("The host network carries 30.0 % of the bytes"), std::string::npos);
    for (auto& run : verdict.runs)
    {
        run.bytesOnRails = 0;
    }
    answer = verdict.MakeAnswer();
    EXPECT_NE(answer.find("Nothing uses the photonic rails"), std::string::npos) << answer;
}

TEST(JobVerdict, ARunGoesThroughAText)
{
    const JobVerdict verdict = MakeVerdict();
    const auto run = ReadText<VerdictRun>(WriteText(verdict.runs.back()));
    ASSERT_TRUE(run);
    EXPECT_EQ(run->network, JobVerdict::PROVISIONED);
    EXPECT_EQ(run->step, MilliSeconds(1020));
    EXPECT_EQ(run->breakEven.size(), 3u);
    EXPECT_EQ(run->breakEven[1].delay, MilliSeconds(50));
    EXPECT_EQ(run->split.GetSeconds(StepSplit::COMPUTATION), 1);
    EXPECT_DOUBLE_EQ(run->split.GetSeconds(StepSplit::CIRCUITS), 0.02);
    EXPECT_DOUBLE_EQ(run->split.GetTotal(), 1.02);
    EXPECT_DOUBLE_EQ(run->GetEnergy(), 160 * 1.02 * 1000);
}

TEST(JobVerdict, ThePageHasTheVerdictOnce)
{
    JobVerdict verdict = MakeVerdict();
    verdict.remarks = {"</script><b>"};
    std::ostringstream os;
    VerdictPage{verdict, "LIBRARY", ""}.Write(os);
    const std::string page = os.str();
    EXPECT_NE(page.find(HtmlPage::Embed(verdict.MakeJson())), std::string::npos);
    EXPECT_EQ(page.find("</script><b>"), std::string::npos);
    EXPECT_NE(page.find(">LIBRARY<"), std::string::npos);
    EXPECT_NE(page.find("Where a step goes"), std::string::npos);
    const auto data = nlohmann::json::parse(VerdictPage{verdict, "", "none"}.MakeData().ToText());
    EXPECT_EQ(data["verdict"]["rows"].size(), 6u);
    EXPECT_EQ(data["library_remark"], "none");
}
