// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/recovery-protocol.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace ns3;

namespace
{

constexpr uint32_t RECOVERY_RANKS = 4;

/// @return two domains of two GPUs, and so many spares in each
SparePool
MakePool(uint32_t spares)
{
    std::vector<SparePool::Place> places{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    for (uint32_t i = 0; i < 2 * spares; ++i)
    {
        places.push_back({i / spares, std::nullopt});
    }
    return SparePool(SparePool::IN_DOMAIN, places, RECOVERY_RANKS);
}

/// @return the controller's answer to a replacement
OpusReplaced
MakeReplaced(const OpusMessage& told)
{
    const auto* replace = told.Get<OpusReplace>();
    OpusReplaced answer;
    answer.job = replace->job;
    answer.generation = replace->generation;
    return answer;
}

/// @return the answer of a GPU that is to resume
OpusReady
MakeReady(const OpusMessage& told)
{
    const auto* resume = told.Get<OpusResume>();
    OpusReady answer;
    answer.gpu = resume->gpu;
    answer.generation = resume->generation;
    return answer;
}

/// @return the answer of a GPU that is to stop
OpusStopped
MakeStopped(const OpusMessage& told, uint32_t rank, uint32_t iterations)
{
    const auto* stop = told.Get<OpusStop>();
    OpusStopped answer;
    answer.gpu = stop->gpu;
    answer.generation = stop->generation;
    answer.rank = rank;
    answer.iterations = iterations;
    answer.next = {100 + stop->gpu, 200 + stop->gpu};
    return answer;
}

/// @return what is said when all to whom these letters go have stopped
RecoveryProtocol::Outputs
StopAll(RecoveryProtocol& protocol,
        const RecoveryProtocol::Outputs& outputs,
        const SparePool::Map& before,
        uint32_t iterations)
{
    RecoveryProtocol::Outputs last;
    for (const auto& output : outputs)
    {
        EXPECT_EQ(output.message.GetType(), OpusMessageType::STOP);
        EXPECT_TRUE(last.empty()) << "not all have answered";
        const auto place = std::find(before.begin(), before.end(), *output.gpu);
        const uint32_t rank = place == before.end() ? RecoveryProtocol::NO_RANK
                                                    : static_cast<uint32_t>(place - before.begin());
        last = protocol.Receive(MakeStopped(output.message, rank, iterations));
    }
    return last;
}

/// @return what is said when the controller and all ranks have answered
RecoveryProtocol::Outputs
ResumeAll(RecoveryProtocol& protocol, const RecoveryProtocol::Outputs& replace)
{
    EXPECT_EQ(replace.size(), 1U);
    EXPECT_FALSE(replace.at(0).gpu.has_value());
    const auto resume = protocol.Receive(MakeReplaced(replace.at(0).message));
    EXPECT_EQ(resume.size(), RECOVERY_RANKS);
    RecoveryProtocol::Outputs go;
    for (const auto& output : resume)
    {
        EXPECT_EQ(output.message.GetType(), OpusMessageType::RESUME);
        EXPECT_TRUE(go.empty()) << "not all are ready";
        go = protocol.Receive(MakeReady(output.message));
    }
    return go;
}

} // namespace

TEST(RecoveryProtocol, ASpareTakesTheRank)
{
    RecoveryProtocol protocol(0, MakePool(1), RECOVERY_RANKS, true);
    EXPECT_EQ(protocol.GetState(), RecoveryProtocol::RUNNING);
    const auto stop = protocol.Lose(3, 7);
    EXPECT_EQ(stop.size(), 5U) << "all that work, the spare too";
    EXPECT_EQ(protocol.GetState(), RecoveryProtocol::STOPPING);
    const auto replace = StopAll(protocol, stop, {0, 1, 2, 3}, 8);
    ASSERT_EQ(replace.size(), 1U);
    EXPECT_EQ(replace[0].message.Get<OpusReplace>()->gpus, (std::vector<uint64_t>{0, 1, 2, 5}));
    const auto resume = protocol.Receive(MakeReplaced(replace[0].message));
    ASSERT_EQ(resume.size(), RECOVERY_RANKS);
    EXPECT_EQ(resume[3].gpu, 5U);
    EXPECT_EQ(resume[3].message.Get<OpusResume>()->rank, 3U);
    EXPECT_EQ(resume[3].message.Get<OpusResume>()->iteration, 7U)
        << "the lost rank had ended one iteration less";
    const auto& places = resume[0].message.Get<OpusResume>()->places;
    ASSERT_EQ(places.size(), RECOVERY_RANKS);
    for (const auto& [rank, gpu] : {std::pair(0U, 0U), {1U, 1U}, {2U, 2U}, {3U, 5U}})
    {
        EXPECT_EQ(places[rank].gpu, gpu);
        EXPECT_EQ(places[rank].railNumber, 100 + gpu);
        EXPECT_EQ(places[rank].domainNumber, 200 + gpu);
    }
    RecoveryProtocol::Outputs go;
    for (const auto& output : resume)
    {
        EXPECT_TRUE(go.empty());
        const auto* told = output.message.Get<OpusResume>();
        OpusStopped late;
        late.gpu = told->gpu;
        late.rank = told->rank;
        late.generation = told->generation;
        late.iterations = told->iteration;
        EXPECT_TRUE(protocol.Receive(late).empty());
        go = protocol.Receive(MakeReady(output.message));
    }
    EXPECT_EQ(go.size(), RECOVERY_RANKS);
    EXPECT_EQ(go[0].message.GetType(), OpusMessageType::GO);
    EXPECT_EQ(protocol.GetState(), RecoveryProtocol::RUNNING);
    EXPECT_EQ(protocol.GetGeneration(), 1U);
    EXPECT_EQ(protocol.CountSpares(), 1U);
}

TEST(RecoveryProtocol, WithoutAControllerNobodyPlansCircuits)
{
    RecoveryProtocol protocol(0, MakePool(1), RECOVERY_RANKS, false);
    const auto resume = StopAll(protocol, protocol.Lose(0, 2), {0, 1, 2, 3}, 2);
    ASSERT_EQ(resume.size(), RECOVERY_RANKS);
    EXPECT_EQ(resume[0].message.GetType(), OpusMessageType::RESUME);
    EXPECT_EQ(resume[0].gpu, 4U);
}

TEST(RecoveryProtocol, AnIdleSpareIsNotMissed)
{
    RecoveryProtocol protocol(0, MakePool(1), RECOVERY_RANKS, true);
    EXPECT_TRUE(protocol.Lose(5, 0).empty());
    EXPECT_EQ(protocol.GetState(), RecoveryProtocol::RUNNING);
    const auto abort = protocol.Lose(2, 0);
    EXPECT_EQ(abort.size(), 4U);
    EXPECT_EQ(abort[0].message.GetType(), OpusMessageType::GIVE_UP);
    EXPECT_EQ(protocol.GetState(), RecoveryProtocol::FAILED);
    EXPECT_EQ(protocol.GetFailure(),
              "GPU 2 has left and no spare is left in scale-up domain 1 for rank 2");
    EXPECT_TRUE(protocol.Lose(0, 0).empty()) << "nothing follows any more";
}

TEST(RecoveryProtocol, AGpuIsLostWhileOthersStop)
{
    RecoveryProtocol protocol(0, MakePool(2), RECOVERY_RANKS, true);
    const auto first = protocol.Lose(0, 3);
    EXPECT_TRUE(protocol.Receive(MakeStopped(first[0].message, 1, 4)).empty());
    const auto second = protocol.Lose(1, 4);
    EXPECT_EQ(protocol.GetGeneration(), 2U);
    EXPECT_TRUE(protocol.Receive(MakeStopped(first[1].message, 2, 4)).empty()) << "of generation 1";
    const auto replace = StopAll(protocol, second, {0, 1, 2, 3}, 4);
    EXPECT_EQ(replace.at(0).message.Get<OpusReplace>()->gpus, (std::vector<uint64_t>{4, 5, 2, 3}));
    EXPECT_EQ(ResumeAll(protocol, replace).size(), RECOVERY_RANKS);
    EXPECT_EQ(protocol.GetIteration(), 3U);
}

TEST(RecoveryProtocol, TheChosenSpareIsLost)
{
    RecoveryProtocol protocol(0, MakePool(2), RECOVERY_RANKS, true);
    const auto replace = StopAll(protocol, protocol.Lose(3, 1), {0, 1, 2, 3}, 1);
    EXPECT_EQ(replace.at(0).message.Get<OpusReplace>()->gpus.at(3), 6U);
    const auto again = StopAll(protocol, protocol.Lose(6, 0), {0, 1, 2, 3}, 1);
    EXPECT_EQ(again.at(0).message.Get<OpusReplace>()->gpus.at(3), 7U);
    EXPECT_TRUE(protocol.Receive(MakeReplaced(replace[0].message)).empty()) << "of generation 1";
    EXPECT_EQ(ResumeAll(protocol, again).size(), RECOVERY_RANKS);
}

/// The iterations of a GPU are those of the rank that ran on it, whatever has been chosen since.
TEST(RecoveryProtocol, AChosenSpareHasEndedNothing)
{
    RecoveryProtocol protocol(0, MakePool(3), RECOVERY_RANKS, false);
    protocol.Lose(3, 7);
    auto resume = StopAll(protocol, protocol.Lose(7, 0), {0, 1, 2, 3}, 8);
    EXPECT_EQ(protocol.GetIteration(), 7U) << "GPU 7 never ran the rank";
    for (const auto& output : resume)
    {
        protocol.Receive(MakeReady(output.message));
    }
    resume = StopAll(protocol, protocol.Lose(1, 11), {0, 1, 2, 8}, 12);
    EXPECT_EQ(protocol.GetIteration(), 11U);
    for (const auto& output : resume)
    {
        protocol.Receive(MakeReady(output.message));
    }
    EXPECT_EQ(protocol.GetState(), RecoveryProtocol::RUNNING);
    EXPECT_EQ(protocol.GetMap(), (SparePool::Map{0, 4, 2, 8}));
    protocol.Lose(4, 15);
    StopAll(protocol, protocol.Lose(8, 14), {0, 4, 2, 8}, 16);
    EXPECT_EQ(protocol.GetIteration(), 14U) << "spares count once they run";
}

TEST(RecoveryProtocol, ARankThatHasMovedAwayHasEndedItsIterations)
{
    std::vector<SparePool::Place> places;
    for (uint32_t domain = 0; domain < 4; ++domain)
    {
        places.insert(places.end(), {{domain, 0}, {domain, 1}});
    }
    RecoveryProtocol protocol(0,
                              SparePool(SparePool::MIGRATION, places, RECOVERY_RANKS),
                              RECOVERY_RANKS,
                              false);
    protocol.Lose(0, 13);
    const auto resume = StopAll(protocol, protocol.Lose(2, 12), {0, 1, 2, 3}, 14);
    EXPECT_EQ(resume.at(2).gpu, 6U);
    EXPECT_EQ(protocol.GetIteration(), 12U) << "rank 2 was on GPU 2 until now";
}

TEST(RecoveryProtocol, TheControllerCannot)
{
    RecoveryProtocol protocol(0, MakePool(1), RECOVERY_RANKS, true);
    const auto replace = StopAll(protocol, protocol.Lose(3, 1), {0, 1, 2, 3}, 1);
    OpusReplaced reply = MakeReplaced(replace.at(0).message);
    reply.error = "no ports";
    EXPECT_EQ(protocol.Receive(reply).at(0).message.GetType(), OpusMessageType::GIVE_UP);
    EXPECT_EQ(protocol.GetFailure(), "no ports");
}

TEST(RecoveryProtocol, GenerationsAreBounded)
{
    std::vector<SparePool::Place> places{{0, 0}};
    places.resize(2 + RecoveryProtocol::MAX_GENERATIONS, {0, std::nullopt});
    const SparePool pool(SparePool::IN_DOMAIN, places, 1);
    RecoveryProtocol protocol(0, pool, 1, false);
    for (uint32_t gpu = 0; gpu < RecoveryProtocol::MAX_GENERATIONS; ++gpu)
    {
        EXPECT_FALSE(protocol.Lose(gpu, 0).empty());
    }
    EXPECT_EQ(protocol.GetState(), RecoveryProtocol::STOPPING);
    protocol.Lose(RecoveryProtocol::MAX_GENERATIONS, 0);
    EXPECT_EQ(protocol.GetState(), RecoveryProtocol::FAILED);
}

/// Losses at random moments, messages in random order: the job goes on or fails, and never hangs.
TEST(RecoveryProtocol, RandomHistoriesEnd)
{
    for (uint32_t seed = 0; seed < 2000; ++seed)
    {
        std::mt19937 random(seed);
        RecoveryProtocol protocol(0, MakePool(2), RECOVERY_RANKS, seed % 2 == 0);
        std::vector<RecoveryProtocol::Outputs> queues(
            9); // by GPU, the controller last: each in order
        std::vector<bool> works(8, true);
        const auto post = [&queues](const RecoveryProtocol::Outputs& outputs) {
            for (const auto& output : outputs)
            {
                queues[output.gpu.value_or(8)].push_back(output);
            }
        };
        uint32_t losses = 1 + random() % 4;
        bool isBusy = true;
        while (isBusy)
        {
            const uint32_t who = random() % 9;
            if (losses > 0 && random() % 12 == 0)
            {
                const uint32_t gpu = random() % 8;
                --losses;
                if (works[gpu])
                {
                    works[gpu] = false;
                    queues[gpu].clear();
                    post(protocol.Lose(gpu, 0));
                }
            }
            else if (!queues[who].empty())
            {
                const OpusMessage told = queues[who].front().message;
                queues[who].erase(queues[who].begin());
                if (told.Get<OpusStop>())
                {
                    post(protocol.Receive(MakeStopped(told, RecoveryProtocol::NO_RANK, 0)));
                }
                else if (told.Get<OpusReplace>())
                {
                    post(protocol.Receive(MakeReplaced(told)));
                }
                else if (told.Get<OpusResume>())
                {
                    post(protocol.Receive(MakeReady(told)));
                }
            }
            isBusy = losses > 0 || std::any_of(queues.begin(), queues.end(), [](const auto& one) {
                         return !one.empty();
                     });
        }
        const bool runs = protocol.GetState() == RecoveryProtocol::RUNNING;
        ASSERT_TRUE(runs || protocol.GetState() == RecoveryProtocol::FAILED)
            << "seed " << seed << " hangs while " << ToString(protocol.GetState());
        for (const uint32_t gpu : protocol.GetMap())
        {
            ASSERT_TRUE(!runs || works[gpu]) << "seed " << seed << ": a rank is on GPU " << gpu;
        }
    }
}
