// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Plans for a straggler: data is moved about as they say, and each contribution must end at each
 * rank once.
 */

#include "ns3/collective-algorithm.h"
#include "ns3/schedule-check.h"
#include "ns3/stragglar-algorithm.h"
#include "ns3/stragglar-calls.h"
#include "ns3/stragglar-plan.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/// An algorithm by its name.
using Algorithm = Variant<CollectiveAlgorithm>;

namespace
{

constexpr uint32_t NONE = StragglarMeeting::NONE;

/// Whose contributions each rank holds of each chunk, by how often each is counted.
class Contributions
{
  public:
    /// As it is after the ReduceScatter of the others.
    explicit Contributions(uint32_t ranks)
        : m_ranks(ranks),
          m_counts(ranks, std::vector<std::vector<uint32_t>>(ranks - 1))
    {
        for (uint32_t chunk = 0; chunk + 1 < ranks; ++chunk)
        {
            m_counts[chunk][chunk].assign(ranks, 1);
            m_counts[chunk][chunk].back() = 0;
            m_counts[ranks - 1][chunk].assign(ranks, 0);
            m_counts[ranks - 1][chunk].back() = 1;
        }
    }

    /// @return an empty string, or what is wrong with a round
    std::string Move(uint32_t round, const std::vector<StragglarMeeting>& meetings)
    {
        std::vector<Arrival> arrivals;
        std::set<uint32_t> busy;
        for (const auto& meeting : meetings)
        {
            if (meeting.a >= m_ranks || meeting.b >= m_ranks || !busy.insert(meeting.a).second ||
                !busy.insert(meeting.b).second)
            {
                return "the pairs are not disjoint";
            }
            if (meeting.fromA == NONE && meeting.fromB == NONE)
            {
                return "a pair has nothing to say";
            }
            Send(meeting.a, meeting.fromA, meeting.b, arrivals);
            Send(meeting.b, meeting.fromB, meeting.a, arrivals);
            if (round + 1 < m_ranks && (meeting.a + 1 == m_ranks || meeting.b + 1 == m_ranks))
            {
                m_met.push_back(std::min(meeting.a, meeting.b));
            }
        }
        Receive(round, arrivals);
        return m_error;
    }

    /// @return an empty string, or what is missing at the end
    std::string Check() const
    {
        const std::vector<uint32_t> once(m_ranks, 1);
        for (uint32_t rank = 0; rank < m_ranks; ++rank)
        {
            for (uint32_t chunk = 0; chunk + 1 < m_ranks; ++chunk)
            {
                if (m_counts[rank][chunk] != once)
                {
                    return "rank " + std::to_string(rank) + " lacks chunk " + std::to_string(chunk);
                }
            }
        }
        for (uint32_t round = 0; round + 1 < m_ranks; ++round)
        {
            if (round >= m_met.size() || m_met[round] != round)
            {
                return "the straggler does not meet " + std::to_string(round) + " in its round";
            }
        }
        return "";
    }

  private:
    using Counts = std::vector<uint32_t>;
    using Holdings = std::vector<Counts>;

    /// A chunk on its way.
    struct Arrival
    {
        uint32_t to;
        uint32_t chunk;
        Counts counts;
    };

    void Send(uint32_t from, uint32_t chunk, uint32_t to, std::vector<Arrival>& arrivals)
    {
        if (chunk == NONE)
        {
            return;
        }
        if (chunk + 1 >= m_ranks || m_counts[from][chunk].empty())
        {
            m_error = "what is sent is not there";
            return;
        }
        arrivals.push_back({to, chunk, m_counts[from][chunk]});
    }

    /// What two ranks send each other of one chunk is added; all else is a copy.
    void Receive(uint32_t round, const std::vector<Arrival>& arrivals)
    {
        for (const auto& arrival : arrivals)
        {
            auto& counts = m_counts[arrival.to][arrival.chunk];
            if (arrival.chunk != round)
            {
                counts = arrival.counts;
                continue;
            }
            counts.resize(m_ranks, 0);
            for (uint32_t rank = 0; rank < m_ranks; ++rank)
            {
                counts[rank] += arrival.counts[rank];
            }
        }
    }

    uint32_t m_ranks;
    std::vector<Holdings> m_counts; //!< by rank, chunk and rank that has contributed
    std::vector<uint32_t> m_met;    //!< by the straggler, in the first N - 1 rounds
    std::string m_error;
};

/// @return an empty string, or what is wrong with a plan
std::string
CheckPlan(const StragglarPlan& plan)
{
    Contributions contributions(plan.ranks);
    for (uint32_t round = 0; round < plan.rounds.size(); ++round)
    {
        if (auto error = contributions.Move(round, plan.rounds[round]); !error.empty())
        {
            return "round " + std::to_string(round) + ": " + error;
        }
    }
    return contributions.Check();
}

/// @return m of the smallest power of two that is not below a number
uint32_t
GetLogUp(uint32_t number)
{
    uint32_t log = 0;
    while ((1U << log) < number)
    {
        ++log;
    }
    return log;
}

/// The parameter is the number of ranks.
class StragglarPlanTest : public testing::TestWithParam<uint32_t>
{
};

TEST_P(StragglarPlanTest, EachContributionIsCountedOnceAtEachRank)
{
    const auto plan = GetStragglarPlan(GetParam());
    EXPECT_EQ(plan->ranks, GetParam());
    EXPECT_EQ(CheckPlan(*plan), "");
    const auto rounds = static_cast<uint32_t>(plan->rounds.size());
    const uint32_t least = GetLeastStragglarRounds(GetParam());
    EXPECT_GE(rounds, least);
    const bool isPower = (GetParam() & (GetParam() - 1)) == 0;
    EXPECT_LE(rounds, isPower ? least : least + 1);
    RecordProperty("rounds", static_cast<int>(rounds));
}

TEST_P(StragglarPlanTest, ARoundHasACallAndAChunkAndAFewHaveAReply)
{
    RankContext part;
    part.shape = {GetParam(), 1};
    const auto rounds = static_cast<uint32_t>(GetStragglarPlan(GetParam())->rounds.size());
    const auto cost = GetStragglarCost(part);
    // The slowest chain has all the chunks whose bytes the formula counts.
    EXPECT_DOUBLE_EQ(cost.rounds.rounds, rounds);
    const auto chain = cost.rounds.rounds + cost.calls;
    // Whoever has nothing to do in the last but one round is a little ahead in the last one.
    EXPECT_GE(chain, 2 * rounds - 1);
    // Replies are needed at the beginning, until all have something to send, and at the end.
    EXPECT_LE(chain, 2 * rounds + 3 * GetLogUp(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(EvenNumbers, StragglarPlanTest, testing::Range(2U, 65U, 2U));
INSTANTIATE_TEST_SUITE_P(LargeNumbers, StragglarPlanTest, testing::Values(96U, 128U, 192U, 256U));

TEST(StragglarRoundsTest, RoundsAreThoseThatWerePublishedOrFewer)
{
    for (const auto& [ranks, published] : std::vector<std::pair<uint32_t, std::size_t>>{{2, 1},
                                                                                        {4, 4},
                                                                                        {8, 9},
                                                                                        {16, 18},
                                                                                        {32, 35},
                                                                                        {64, 68},
                                                                                        {128, 133},
                                                                                        {256, 262},
                                                                                        {512, 519},
                                                                                        {6, 7},
                                                                                        {12, 15},
                                                                                        {24, 27},
                                                                                        {48, 57},
                                                                                        {96, 108},
                                                                                        {192, 208}})
    {
        EXPECT_LE(GetStragglarPlan(ranks)->rounds.size(), published) << ranks;
    }
}

TEST(StragglarRoundsTest, TheSearchAlwaysFindsTheSame)
{
    const auto one = SearchStragglarPlan(14);
    const auto two = SearchStragglarPlan(14);
    ASSERT_EQ(one.rounds.size(), two.rounds.size());
    for (std::size_t round = 0; round < one.rounds.size(); ++round)
    {
        ASSERT_EQ(one.rounds[round].size(), two.rounds[round].size());
        for (std::size_t i = 0; i < one.rounds[round].size(); ++i)
        {
            EXPECT_EQ(one.rounds[round][i].a, two.rounds[round][i].a);
            EXPECT_EQ(one.rounds[round][i].b, two.rounds[round][i].b);
            EXPECT_EQ(one.rounds[round][i].fromA, two.rounds[round][i].fromA);
            EXPECT_EQ(one.rounds[round][i].fromB, two.rounds[round][i].fromB);
        }
    }
}

TEST(StragglarRoundsTest, TheSearchServesPowersOfTwoToo)
{
    for (uint32_t ranks = 4; ranks <= 64; ranks *= 2)
    {
        EXPECT_EQ(CheckPlan(SearchStragglarPlan(ranks)), "") << ranks;
    }
}

TEST(StragglarRoundsTest, TheCheckFindsWhatIsWrong)
{
    const auto good = *GetStragglarPlan(8);
    auto bad = good;
    bad.rounds.pop_back();
    EXPECT_NE(CheckPlan(bad), "");
    bad = good;
    bad.rounds[0][0].fromA = NONE;
    EXPECT_NE(CheckPlan(bad), "");
    bad = good;
    std::swap(bad.rounds[2], bad.rounds[3]);
    EXPECT_NE(CheckPlan(bad), "");
    bad = good;
    bad.rounds[5].push_back(bad.rounds[5].front());
    EXPECT_EQ(CheckPlan(bad), "round 5: the pairs are not disjoint");
}

TEST(StragglarRoundsTest, OddNumbersAreRefused)
{
    EXPECT_EQ(CheckStragglarRanks(7), "needs an even number of ranks from 2 to 1024, not 7");
    EXPECT_NE(CheckStragglarRanks(0), "");
    EXPECT_DEATH(GetStragglarPlan(7), "a plan for a straggler needs an even number");
    EXPECT_DEATH(MakeStragglarPlanOfPower(12), "12 is no power of two");
}

/// @return the messages of all ranks in the longest chain, from a replay
uint32_t
ReplayChain(RankContext part)
{
    ScheduleCheck check("stragglar", part);
    EXPECT_EQ(check.Run({}), "") << part.shape.size;
    return check.GetRounds();
}

TEST(StragglarScheduleTest, BytesAndRoundsAreThoseOfTheFormula)
{
    for (uint32_t size = 2; size <= 32; size += 2)
    {
        RankContext part;
        part.shape = {size, 1};
        part.call.bytes = 3 * (size - 1);
        for (part.root = 0; part.root < size; part.root += 5)
        {
            const auto cost = Algorithm("stragglar")->GetCost(part);
            const auto plan = GetStragglarPlan(size);
            const auto rounds = static_cast<double>(plan->rounds.size());
            EXPECT_DOUBLE_EQ(cost.bytes, 3.0 * (size - 2 + rounds));
            EXPECT_DOUBLE_EQ(GetStragglarCost(part).rounds.bytes, 3.0 * rounds);
            EXPECT_DOUBLE_EQ(ReplayChain(part), cost.rounds) << size;
            uint64_t sent = 0;
            for (part.index = 0; part.index < size; ++part.index)
            {
                const auto schedule = Algorithm("stragglar")->MakeSchedule(part);
                sent += schedule.GetBytesSent();
                const uint64_t scattered = part.index == part.root ? 0 : size - 2;
                EXPECT_EQ(schedule.GetBytesReceived(), 3 * (scattered + size - 1));
            }
            part.index = 0;
            EXPECT_EQ(sent, 3 * (uint64_t{size - 1} * (size - 2) + uint64_t{size} * (size - 1)));
        }
    }
}

TEST(StragglarScheduleTest, TheBandwidthTermIsThePublishedPartOfARing)
{
    const auto getSpeedUp = [](uint32_t size) {
        RankContext part;
        part.shape = {size, 1};
        part.call.bytes = 1 << 30;
        return Algorithm("ring")->GetCost(part).bytes / GetStragglarCost(part).rounds.bytes;
    };
    EXPECT_NEAR(getSpeedUp(8), 1.36, 0.005);
    EXPECT_NEAR(getSpeedUp(256), 1.94, 0.005);
    EXPECT_NEAR(getSpeedUp(1024), 2, 0.025);
}

TEST(StragglarScheduleTest, RoundsBeginWhenChunksAndStragglerAreThere)
{
    RankContext part;
    part.shape = {8, 1};
    part.call.bytes = 7000;
    const auto cost = GetStragglarCost(part);
    const AlphaBeta network{0, 1};
    EXPECT_DOUBLE_EQ(cost.GetSeconds(network, 0, 0), 6000 + 9000);
    EXPECT_DOUBLE_EQ(cost.GetSeconds(network, 0, 6000), 6000 + 9000);
    EXPECT_DOUBLE_EQ(cost.GetSeconds(network, 0, 8000), 8000 + 9000);
}

TEST(StragglarScheduleTest, CallsHaveALatencyOfTheirOwn)
{
    RankContext part;
    part.shape = {8, 1};
    const auto cost = GetStragglarCost(part);
    // Six steps of the ReduceScatter, and nine rounds of a call and a chunk.
    EXPECT_DOUBLE_EQ(cost.GetSeconds({100, 0}, 0, 0), 600 + 900);
    EXPECT_DOUBLE_EQ(cost.GetSeconds({100, 0}, 1, 0), 600 + 900 + 9);
    EXPECT_DOUBLE_EQ(cost.GetSeconds({0, 0}, 1, 5), 5 + 9);
}

/// @return an empty string, or why the calls of all ranks do not carry out the AllReduce
std::string
RunCalls(uint32_t size, uint32_t straggler, uint64_t bytes)
{
    ProcessGroup group{7, {}};
    for (uint32_t rank = 0; rank < size; ++rank)
    {
        group.ranks.push_back(10 + rank);
    }
    const StragglarCalls calls(group, straggler, bytes, 100);
    for (uint32_t i = 0; i < calls.GetGroups().size(); ++i)
    {
        if (calls.GetGroups()[i].id != 100 + i || calls.GetGroups()[i].GetSize() < 2)
        {
            return "groups are numbered wrongly";
        }
    }
    // Every rank is at a step; a message passes when both sides have come to it.
    std::vector<std::size_t> step(size, 0);
    uint64_t sent = 0;
    for (bool moved = true; moved;)
    {
        moved = false;
        std::vector<bool> ready(size, false);
        for (uint32_t index = 0; index < size; ++index)
        {
            const auto& steps = calls.GetSteps(index);
            if (step[index] == steps.size())
            {
                continue;
            }
            bool passes = true;
            for (const auto& call : steps[step[index]])
            {
                if (call.kind == CollectiveKind::REDUCE_SCATTER)
                {
                    continue;
                }
                const uint32_t peer = call.peer - 10;
                auto other = call;
                other.kind =
                    call.kind == CollectiveKind::SEND ? CollectiveKind::RECV : CollectiveKind::SEND;
                other.peer = group.ranks[index];
                const auto& theirs = calls.GetSteps(peer);
                passes = passes && step[peer] < theirs.size() &&
                         std::any_of(theirs[step[peer]].begin(),
                                     theirs[step[peer]].end(),
                                     [&other](const CollectiveCall& call) {
                                         return call.kind == other.kind &&
                                                call.peer == other.peer &&
                                                call.bytes == other.bytes &&
                                                call.groupId == other.groupId;
                                     });
            }
            ready[index] = passes;
        }
        for (uint32_t index = 0; index < size; ++index)
        {
            if (ready[index])
            {
                for (const auto& call : calls.GetSteps(index)[step[index]])
                {
                    sent += call.kind == CollectiveKind::SEND ? call.bytes : 0;
                }
                ++step[index];
                moved = true;
            }
        }
    }
    for (uint32_t index = 0; index < size; ++index)
    {
        if (step[index] != calls.GetSteps(index).size())
        {
            return "rank " + std::to_string(index) + " waits for ever";
        }
    }
    // N - 1 chunks to each other but its own half of a swap, and N - 1 partial ones.
    return sent == bytes * size ? "" : std::to_string(sent) + " bytes are sent";
}

TEST(StragglarCallsTest, RanksMeetInOrderAndSendEachOtherWhatIsExpected)
{
    for (uint32_t size = 2; size <= 40; size += 2)
    {
        for (uint32_t straggler = 0; straggler < size; straggler += 7)
        {
            EXPECT_EQ(RunCalls(size, straggler, 5 * (size - 1) + 3), "") << size;
        }
    }
}

} // namespace
} // namespace ns3
