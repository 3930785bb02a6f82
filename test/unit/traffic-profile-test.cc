// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/phase-predictor.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

constexpr uint32_t FSDP = 1;
constexpr uint32_t PIPELINE = 2;

CollectiveCall
Gather(uint64_t bytes)
{
    return CollectiveCall{CollectiveKind::ALL_GATHER, FSDP, bytes, 0};
}

CollectiveCall
Send(uint32_t peer)
{
    return CollectiveCall{CollectiveKind::SEND, PIPELINE, 64, peer};
}

CollectiveCall
Receive(uint32_t peer)
{
    return CollectiveCall{CollectiveKind::RECV, PIPELINE, 64, peer};
}

/// Two micro-batches of a first pipeline stage, then the optimizer.
std::vector<CollectiveCall>
MakeIteration()
{
    std::vector<CollectiveCall> calls;
    for (uint32_t microbatch = 0; microbatch < 2; ++microbatch)
    {
        for (uint64_t layer = 0; layer < 4; ++layer)
        {
            calls.push_back(Gather(100 + layer));
        }
        calls.push_back(Send(2));
    }
    calls.push_back(Receive(2));
    calls.push_back(CollectiveCall{CollectiveKind::REDUCE_SCATTER, FSDP, 999, 0});
    return calls;
}

/// @return how many calls were not predicted, with their group, before they were made
uint32_t
Play(TrafficProfile& profile, const std::vector<CollectiveCall>& calls)
{
    uint32_t misses = 0;
    for (const CollectiveCall& call : calls)
    {
        const auto predicted = profile.PredictNext();
        misses += predicted && predicted->groupId == call.groupId ? 0 : 1;
        profile.Record(call);
    }
    return misses;
}

TEST(TrafficProfile, PredictsInTheOrderInWhichTheHostIssuedCalls)
{
    TrafficProfile profile;
    profile.Record(Gather(1), MicroSeconds(1), 0);
    profile.Record(Send(2), MicroSeconds(2), 2); // another stream was faster
    profile.Record(Gather(3), MicroSeconds(3), 1);
    profile.EndIteration();
    profile.Record(Gather(1), MicroSeconds(1), 3);
    EXPECT_EQ(profile.PredictNext()->bytes, 3u);
    EXPECT_EQ(profile.PredictGap(), MicroSeconds(3));
    profile.Record(Send(2), MicroSeconds(2), 5);
    profile.Record(Gather(3), MicroSeconds(3), 4);
    EXPECT_EQ(profile.PredictNext()->bytes, 1u) << "the next iteration's first";
}

TEST(TrafficProfile, TheHookMakesTheSecondIterationKnown)
{
    TrafficProfile profile;
    const auto calls = MakeIteration();
    for (const CollectiveCall& call : calls)
    {
        EXPECT_FALSE(profile.PredictNext()) << "the first iteration is on demand";
        profile.Record(call);
    }
    for (uint32_t iteration = 1; iteration < 4; ++iteration)
    {
        profile.EndIteration();
        EXPECT_EQ(profile.GetIteration().size(), calls.size());
        EXPECT_EQ(Play(profile, calls), 0u);
        EXPECT_EQ(profile.PredictNext()->groupId, FSDP) << "the next iteration's first";
    }
}

TEST(TrafficProfile, WithoutAHookTheThirdIterationIsKnown)
{
    TrafficProfile profile;
    profile.SetDetection(true);
    const auto calls = MakeIteration();
    Play(profile, calls);
    Play(profile, calls);
    for (uint32_t iteration = 2; iteration < 6; ++iteration)
    {
        EXPECT_EQ(Play(profile, calls), 0u) << "iteration " << iteration;
    }
}

TEST(TrafficProfile, CallsMayChangePlaces)
{
    TrafficProfile profile;
    auto calls = MakeIteration();
    Play(profile, calls);
    profile.EndIteration();
    std::swap(calls[9], calls[10]); // the Recv overtakes the Send
    std::swap(calls[0], calls[1]);
    EXPECT_EQ(Play(profile, calls), 1u) << "after the Recv the next phase was expected";
    profile.EndIteration();
    std::swap(calls[4], calls[5]); // the first Gather of a micro-batch overtakes the Send
    EXPECT_EQ(Play(profile, calls), 2u) << "the two that changed places, no other";
    profile.EndIteration();
    EXPECT_EQ(Play(profile, calls), 0u) << "learned again";
}

TEST(TrafficProfile, AForeignCallIsForgiven)
{
    TrafficProfile profile;
    const auto calls = MakeIteration();
    Play(profile, calls);
    profile.EndIteration();
    profile.Record(calls[0]);
    profile.Record(Gather(12345)); // a checkpoint, say
    EXPECT_FALSE(profile.PredictNext()) << "lost: on demand";
    profile.Record(calls[1]);
    ASSERT_TRUE(profile.PredictNext());
    EXPECT_EQ(profile.PredictNext()->bytes, calls[2].bytes);
}

TEST(TrafficProfile, AnotherJobIsLearnedAfresh)
{
    for (bool detect : {false, true})
    {
        TrafficProfile profile;
        profile.SetDetection(detect);
        const auto play = [&](const std::vector<CollectiveCall>& calls) {
            const uint32_t misses = Play(profile, calls);
            if (!detect)
            {
                profile.EndIteration();
            }
            return misses;
        };
        auto calls = MakeIteration();
        play(calls);
        play(calls);
        play(calls);
        for (auto& call : calls)
        {
            call.bytes += 7;
        }
        for (uint32_t iteration = 0; iteration < 40; ++iteration)
        {
            play(calls);
        }
        EXPECT_EQ(play(calls), 0u) << "detect " << detect;
    }
}

TEST(TrafficProfile, OneGroupAloneIsNotAnIteration)
{
    TrafficProfile profile;
    profile.SetDetection(true);
    Play(profile, std::vector<CollectiveCall>(40, Gather(1)));
    EXPECT_EQ(profile.GetIteration().size(), 0u);
}

TEST(TrafficProfile, GapsAreLearnedWithTheCalls)
{
    TrafficProfile profile;
    profile.Record(Gather(1), MilliSeconds(3));
    profile.Record(Send(2), MilliSeconds(5));
    EXPECT_TRUE(profile.GetIteration().empty()) << "still learning";
    profile.EndIteration();
    EXPECT_EQ(profile.PredictGap(), MilliSeconds(3));
    profile.Record(Gather(1), MilliSeconds(4));
    EXPECT_EQ(profile.PredictGap(), MilliSeconds(5));
    profile.Record(Send(3), MilliSeconds(6)); // another peer
    EXPECT_FALSE(profile.PredictNext());
    profile.EndIteration();
    const auto calls = profile.GetIteration();
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0].gap, MilliSeconds(4)) << "as in the last iteration";
    EXPECT_EQ(calls[1].call.peer, 3u);
    EXPECT_EQ(calls[1].gap, MilliSeconds(6));
}

} // namespace
} // namespace ns3
