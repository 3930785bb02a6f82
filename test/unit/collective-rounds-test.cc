// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Exchanges in rounds, for circuits that are lent to pairs: schedules, their checks, what a run
 * posts when, and which schedule is planned.
 */

#include "ns3/collective-run.h"
#include "ns3/schedule-check.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{
namespace
{

using RoundsAlgorithm = Variant<CollectiveAlgorithm>;

/// @return an AllToAll of a rank on circuits that are lent to pairs
RankContext
MakeLentPart(uint32_t size, uint32_t index, uint64_t bytes = 1 << 20, uint64_t sequence = 0)
{
    RankContext part;
    part.call.kind = CollectiveKind::ALL_TO_ALL;
    part.call.bytes = bytes;
    part.shape.size = size;
    part.index = index;
    part.sequence = sequence;
    part.terms.lendsPairs = true;
    return part;
}

/// @return who meets whom, by number of the round; fails unless rounds are matchings
std::map<uint32_t, std::set<std::pair<uint32_t, uint32_t>>>
FindMeetings(const std::string& name, uint32_t size, uint64_t sequence)
{
    std::map<uint32_t, std::set<std::pair<uint32_t, uint32_t>>> meetings;
    std::map<uint32_t, uint32_t> met; // ranks, by round
    for (uint32_t index = 0; index < size; ++index)
    {
        const auto schedule =
            RoundsAlgorithm(name)->MakeSchedule(MakeLentPart(size, index, 1 << 20, sequence));
        for (const auto& round : schedule.GetRounds())
        {
            meetings[round.number].insert(std::minmax(index, round.peer));
            ++met[round.number];
        }
    }
    for (const auto& [number, pairs] : meetings)
    {
        EXPECT_EQ(met[number], 2 * pairs.size()) << size << " ranks, round " << number;
    }
    return meetings;
}

TEST(CollectiveRoundsTest, AlgorithmsAreRightInGroupsOfUpTo16Ranks)
{
    for (const char* name : {"pairwise", "hypercube", "planned", "pxn"})
    {
        EXPECT_EQ(AlgorithmCheck(name, CollectiveKind::ALL_TO_ALL).Run(16), "") << name;
    }
}

TEST(CollectiveRoundsTest, EveryTwoRanksMeetOncePairwise)
{
    for (uint32_t size = 2; size <= 64; ++size)
    {
        const auto meetings = FindMeetings("pairwise", size, 0);
        EXPECT_EQ(meetings.size(), size % 2 == 0 ? size - 1 : size);
        std::set<std::pair<uint32_t, uint32_t>> all;
        std::size_t count = 0;
        for (const auto& [number, pairs] : meetings)
        {
            EXPECT_EQ(pairs.size(), size / 2) << "one rank rests if their number is odd";
            all.insert(pairs.begin(), pairs.end());
            count += pairs.size();
        }
        EXPECT_EQ(count, size * (size - 1) / 2);
        EXPECT_EQ(all.size(), count);
    }
}

TEST(CollectiveRoundsTest, AHypercubeHasARoundForEachDimension)
{
    for (uint32_t rounds = 1; rounds <= 6; ++rounds)
    {
        const uint32_t size = 1U << rounds;
        EXPECT_EQ(FindMeetings("hypercube", size, 0).size(), rounds);
        const auto part = MakeLentPart(size, 5 % size);
        const auto schedule = RoundsAlgorithm("hypercube")->MakeSchedule(part);
        EXPECT_EQ(schedule.GetBytesSent(), part.call.bytes / 2 * rounds);
        EXPECT_EQ(schedule.GetSends().size(), size - 1);
    }
    EXPECT_NE(RoundsAlgorithm("hypercube")->Check(CollectiveKind::ALL_TO_ALL, {6, 1}), "");
}

TEST(CollectiveRoundsTest, ACallBeginsWithThePairsOfTheOneBefore)
{
    for (const char* name : {"pairwise", "hypercube"})
    {
        for (const uint32_t size : {2, 4, 6, 7, 8, 16})
        {
            if (RoundsAlgorithm(name)->Check(CollectiveKind::ALL_TO_ALL, {size, 1}).empty())
            {
                const auto even = FindMeetings(name, size, 0);
                const auto odd = FindMeetings(name, size, 1);
                EXPECT_EQ(even.rbegin()->second, odd.begin()->second) << name << " " << size;
                EXPECT_EQ(odd.rbegin()->second, even.begin()->second) << name << " " << size;
            }
        }
    }
}

TEST(CollectiveRoundsTest, DomainsMeetInRoundsAfterThePairsInsideThem)
{
    for (uint32_t perDomain = 2; perDomain <= 5; ++perDomain)
    {
        for (uint32_t domains = 2; domains <= 5; ++domains)
        {
            std::map<uint32_t, std::set<std::pair<uint32_t, uint32_t>>> meetings;
            std::map<uint32_t, uint32_t> met; // ranks, by round
            for (uint32_t index = 0; index < perDomain * domains; ++index)
            {
                auto part = MakeLentPart(perDomain * domains, index);
                part.shape.perDomain = perDomain;
                const auto schedule = RoundsAlgorithm("pxn")->MakeSchedule(part);
                for (const auto& round : schedule.GetRounds())
                {
                    const bool isInside = round.peer / perDomain == index / perDomain;
                    EXPECT_EQ(isInside, round.number < perDomain - 1 + perDomain % 2);
                    EXPECT_TRUE(isInside || round.peer % perDomain == index % perDomain);
                    meetings[round.number].insert(std::minmax(index, round.peer));
                    ++met[round.number];
                }
            }
            EXPECT_EQ(meetings.size(), perDomain - 1 + perDomain % 2 + domains - 1 + domains % 2);
            for (const auto& [number, pairs] : meetings)
            {
                EXPECT_EQ(met[number], 2 * pairs.size()) << "a matching";
            }
        }
    }
}

TEST(CollectiveRoundsTest, WithoutLentCircuitsThereAreNone)
{
    for (const char* name : {"pairwise", "hypercube", "planned", "pxn"})
    {
        auto part = MakeLentPart(8, 3);
        part.terms = CircuitTerms();
        EXPECT_TRUE(RoundsAlgorithm(name)->MakeSchedule(part).GetRounds().empty()) << name;
        EXPECT_EQ(RoundsAlgorithm(name)->GetCost(part).switches, 0) << name;
    }
}

TEST(CollectiveRoundsTest, CostsAreThoseOfTheTable)
{
    const uint64_t bytes = 8 * 9 * 1024;
    const auto pairwise = RoundsAlgorithm("pairwise")->GetCost(MakeLentPart(8, 0, bytes));
    EXPECT_DOUBLE_EQ(pairwise.rounds, 7);
    EXPECT_DOUBLE_EQ(pairwise.switches, 7);
    EXPECT_DOUBLE_EQ(pairwise.bytes, bytes * 7.0 / 8);
    const auto odd = RoundsAlgorithm("pairwise")->GetCost(MakeLentPart(9, 0, bytes));
    EXPECT_DOUBLE_EQ(odd.rounds, 9);
    EXPECT_DOUBLE_EQ(odd.switches, 9);
    EXPECT_DOUBLE_EQ(odd.bytes, bytes);
    const auto hypercube = RoundsAlgorithm("hypercube")->GetCost(MakeLentPart(8, 0, bytes));
    EXPECT_DOUBLE_EQ(hypercube.rounds, 3);
    EXPECT_DOUBLE_EQ(hypercube.switches, 3);
    EXPECT_DOUBLE_EQ(hypercube.bytes, bytes * 1.5);
    EXPECT_DOUBLE_EQ(hypercube.GetSeconds({1e-6, 1e-9}, {}, 1e-3), 3e-6 + bytes * 1.5e-9 + 3e-3);
    EXPECT_DOUBLE_EQ(RoundsAlgorithm("ring")->GetCost(MakeLentPart(8, 0, bytes)).switches, 0);
}

/// @return the algorithm whose schedule is planned
std::string
GetPlan(RankContext part)
{
    const auto planned = RoundsAlgorithm("planned")->MakeSchedule(part);
    for (const char* name : {"ring", "pairwise", "hypercube", "direct"})
    {
        const RoundsAlgorithm algorithm(name);
        if (!algorithm->Check(part.call.kind, part.shape).empty())
        {
            continue;
        }
        const auto schedule = algorithm->MakeSchedule(part);
        const auto& rounds = schedule.GetRounds();
        const bool isAlike = planned.GetBytesSent() == schedule.GetBytesSent() &&
                             planned.GetSends().size() == schedule.GetSends().size() &&
                             planned.GetRounds().size() == rounds.size() &&
                             planned.GetSends()[0].peer == schedule.GetSends()[0].peer &&
                             planned.GetSends()[0].connector == schedule.GetSends()[0].connector;
        if (isAlike)
        {
            return name;
        }
    }
    return "none";
}

TEST(CollectiveRoundsTest, ThePlanFollowsTheTerms)
{
    // 8 ranks, 8 MB: 7 MB pairwise, 12 MB as a hypercube, 16 MB round the ring, at 1 GB/s.
    auto part = MakeLentPart(8, 3, 8000000);
    part.terms.byteSeconds = 1e-9;
    const auto plan = [&part](double milliseconds) {
        part.terms.switchSeconds = milliseconds / 1000;
        return GetPlan(part);
    };
    EXPECT_EQ(plan(0), "pairwise");
    EXPECT_EQ(plan(1.2), "pairwise") << "7 + 7 x 1.2 is less than 12 + 3 x 1.2";
    EXPECT_EQ(plan(1.3), "hypercube");
    EXPECT_EQ(plan(1.33), "hypercube") << "12 + 3 x 1.33 is less than 16";
    EXPECT_EQ(plan(1.34), "ring");
    EXPECT_EQ(plan(25), "ring");
    part.terms.hasRings = false;
    EXPECT_EQ(plan(25), "hypercube");
    part.shape.size = 6;
    EXPECT_EQ(plan(25), "pairwise");
    part.shape.size = 3;
    part.index = 0;
    EXPECT_EQ(plan(25), "pairwise");
    // Of two ranks a single port makes a ring, which takes no more time than a pairwise exchange
    // and keeps its circuit from call to call.
    part.shape.size = 2;
    EXPECT_EQ(plan(25), "ring");
    part.terms = CircuitTerms();
    part.shape.size = 8;
    part.index = 3;
    EXPECT_EQ(plan(0), "direct");
}

TEST(CollectiveRoundsTest, ThePlanOfUnlikePartsIsTheSameOnAllRanks)
{
    std::vector<uint64_t> bytes;
    for (uint32_t i = 0; i < 64; ++i)
    {
        bytes.push_back(i * 7919 % 1000 * 1000);
    }
    std::set<std::string> plans;
    for (const double milliseconds : {0.0, 0.3, 0.6, 30.0})
    {
        std::set<std::string> ofRanks;
        for (uint32_t index = 0; index < 8; ++index)
        {
            auto part = MakeLentPart(8, index);
            part.call.sizes = Create<AllToAllSizes>(8, bytes);
            part.terms.byteSeconds = 1e-9;
            part.terms.switchSeconds = milliseconds / 1000;
            ofRanks.insert(GetPlan(part));
        }
        EXPECT_EQ(ofRanks.size(), 1U) << milliseconds << " ms";
        plans.insert(ofRanks.begin(), ofRanks.end());
    }
    EXPECT_GE(plans.size(), 2U);
}

/// The schedules of two ranks that exchange a message in each of two rounds.
class FaultyRounds : public testing::Test
{
  protected:
    /// @param numbers of the rounds of rank 1 @return the error in the schedules
    std::string Check(uint32_t first, uint32_t second)
    {
        std::vector<CollectiveSchedule> schedules(2);
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            for (const uint32_t number :
                 rank == 0 ? std::vector<uint32_t>{0, 1} : std::vector<uint32_t>{first, second})
            {
                schedules[rank].BeginRound(number, 1 - rank);
                ScheduledSend send;
                send.data.bytes = 1;
                send.peer = 1 - rank;
                send.connector = CONNECTOR_DIRECT;
                send.transferId = schedules[rank].AddReceive(
                    {{0, 1}, 1 - rank, CONNECTOR_DIRECT, ScheduledReceive::Action::COPY});
                schedules[rank].AddSend(send);
            }
        }
        return CheckSchedulesFit(schedules, {1, 1});
    }
};

TEST_F(FaultyRounds, AreNamed)
{
    EXPECT_EQ(Check(0, 1), "");
    EXPECT_EQ(Check(0, 2), "rank 0 in round 1 sends a message to rank 1 in round 2");
    CollectiveSchedule schedule;
    schedule.BeginRound(0, 1);
    ScheduledSend send;
    send.peer = 1;
    schedule.AddSend(send);
    CollectiveSchedule other;
    other.AddReceive({{0, 0}, 0, CONNECTOR_PREVIOUS, ScheduledReceive::Action::COPY});
    EXPECT_EQ(CheckSchedulesFit({schedule, other}, {1, 1}),
              "rank 0 in round 0 sends a message to rank 1 in no round");
}

/// Rank 0 of a hypercube of 4: a block to rank 1 and one for rank 3, then two to rank 2.
class HypercubeRun : public testing::Test
{
  protected:
    HypercubeRun()
        : m_run(RoundsAlgorithm("hypercube")->MakeSchedule(MakeLentPart(4, 0, 400)),
                [this](const ScheduledSend& send, bool last) {
                    m_posted.push_back(send.peer);
                    m_last.push_back(last);
                })
    {
    }

    std::vector<uint32_t> m_posted;
    std::vector<bool> m_last; // of what has been posted, in its round
    CollectiveRun m_run;
};

TEST_F(HypercubeRun, RoundsBeginOneByOne)
{
    m_run.Start();
    EXPECT_TRUE(m_posted.empty());
    EXPECT_FALSE(m_run.GetRound());
    ASSERT_TRUE(m_run.GetNextRound());
    EXPECT_EQ(m_run.GetRoundSent(*m_run.GetNextRound()), 200U);
    m_run.StartRound();
    EXPECT_EQ(m_posted, (std::vector<uint32_t>{1}));
    EXPECT_EQ(m_last, (std::vector<bool>{true}));
    EXPECT_FALSE(m_run.HasSent());
    EXPECT_EQ(m_run.GetMissingPeers(), (std::vector<uint32_t>{1})) << "the round's, not later ones";
    m_run.StripeArrived(1, 100);
    EXPECT_FALSE(m_run.HasReceived()) << "that was for the next round, which is kept";
    m_run.StripeArrived(0, 200);
    EXPECT_TRUE(m_run.HasReceived());
    EXPECT_EQ(m_posted.size(), 1U) << "the next round has not begun";
    m_run.SendAcknowledged();
    EXPECT_TRUE(m_run.HasSent());
    EXPECT_FALSE(m_run.HasEnded());
    m_run.StartRound();
    EXPECT_EQ(m_posted, (std::vector<uint32_t>{1, 2, 2}));
    EXPECT_EQ(m_last, (std::vector<bool>{true, false, true}));
    EXPECT_FALSE(m_run.GetNextRound());
    m_run.StripeArrived(2, 100);
    m_run.SendAcknowledged();
    EXPECT_TRUE(m_run.HasEnded());
}

} // namespace
} // namespace ns3
