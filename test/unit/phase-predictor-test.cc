// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/phase-predictor.h"

#include <gtest/gtest.h>

namespace ns3
{
namespace
{

/// A rank that gathers, and 100 us after that sends to a neighbour.
class PhasePredictorTest : public testing::Test
{
  protected:
    static constexpr uint64_t GATHER_GROUP = 1;
    static constexpr uint64_t SEND_GROUP = 2;

    /// A call is made and ends at once, after a gap.
    void Call(const CollectiveCall& call, Time gap)
    {
        m_now += gap;
        m_predictor.Begin(call, 0, m_now, false);
        m_predictor.End(m_now);
    }

    void RunIteration()
    {
        Call(m_gather, MicroSeconds(500));
        Call(m_send, MicroSeconds(100));
        m_predictor.EndIteration();
    }

    const CollectiveCall m_gather{CollectiveKind::ALL_GATHER, GATHER_GROUP, 1000, 0};
    const CollectiveCall m_send{CollectiveKind::SEND, SEND_GROUP, 64, 3};
    const CollectiveCall m_recv{CollectiveKind::RECV, SEND_GROUP, 64, 3};
    PhasePredictor m_predictor;
    Time m_now;
};

TEST_F(PhasePredictorTest, WishesOnceForWhatComesNext)
{
    Call(m_gather, Time());
    EXPECT_FALSE(m_predictor.TakePrefetch(true, Time())) << "nothing has been learned";
    m_predictor.EndIteration();
    const auto wish = m_predictor.TakePrefetch(true, MilliSeconds(1));
    ASSERT_FALSE(wish) << "its gap was none, so that nothing would be hidden";
    m_predictor.Reset();
    RunIteration();
    const auto gather = m_predictor.TakePrefetch(true, MilliSeconds(1));
    ASSERT_TRUE(gather);
    EXPECT_EQ(gather->groupId, GATHER_GROUP);
    EXPECT_FALSE(m_predictor.TakePrefetch(true, MilliSeconds(1))) << "no phase has ended since";
    m_predictor.EndPhase();
    EXPECT_TRUE(m_predictor.TakePrefetch(true, MilliSeconds(1)));
}

TEST_F(PhasePredictorTest, WishesForNothingWhileSomethingIsUnderWay)
{
    RunIteration();
    EXPECT_FALSE(m_predictor.TakePrefetch(false, Time()));
    EXPECT_FALSE(m_predictor.TakePrefetch(true, Time())) << "that phase is over";
}

TEST_F(PhasePredictorTest, WishesIfThatHidesEnoughOfTheSwitching)
{
    RunIteration(); // 500 us before the gather
    EXPECT_FALSE(m_predictor.TakePrefetch(true, MicroSeconds(500 * 60 + 1)));
    m_predictor.EndPhase();
    EXPECT_TRUE(m_predictor.TakePrefetch(true, MicroSeconds(500 * 60)));
}

TEST_F(PhasePredictorTest, AnotherCallThanTheExpectedOneIsAMisprediction)
{
    m_predictor.Expect(SEND_GROUP);
    EXPECT_FALSE(m_predictor.TakeMisprediction(GATHER_GROUP, m_recv)) << "takes nothing away";
    EXPECT_EQ(m_predictor.TakeMisprediction(GATHER_GROUP, m_gather), SEND_GROUP);
    EXPECT_FALSE(m_predictor.TakeMisprediction(GATHER_GROUP, m_gather)) << "once";
    EXPECT_FALSE(m_predictor.TakeExpected(SEND_GROUP)) << "its grant is for nobody";
    m_predictor.Expect(SEND_GROUP);
    EXPECT_FALSE(m_predictor.TakeMisprediction(SEND_GROUP, m_send));
    EXPECT_TRUE(m_predictor.TakeExpected(SEND_GROUP));
    EXPECT_FALSE(m_predictor.TakeExpected(SEND_GROUP)) << "once";
}

TEST_F(PhasePredictorTest, CircuitsAreKeptForWhatSendsBeforeTheyCouldComeBack)
{
    EXPECT_FALSE(m_predictor.PredictNext(m_now, Time()));
    RunIteration();
    m_predictor.Begin(m_gather, 0, m_now, false);
    m_predictor.End(m_now);
    const auto late = m_predictor.PredictNext(m_now, MicroSeconds(50));
    ASSERT_TRUE(late);
    EXPECT_EQ(late->call.groupId, SEND_GROUP);
    EXPECT_FALSE(m_predictor.PredictNext(m_now, MicroSeconds(49))->sendsSoon);
    EXPECT_TRUE(late->sendsSoon) << "100 us are there and back";
}

TEST_F(PhasePredictorTest, CircuitsThatWereYieldedAreRequestedAgainWhenTheyAreNeededSoon)
{
    RunIteration();
    m_predictor.Begin(m_gather, 0, m_now, false);
    m_predictor.End(m_now);
    const auto next = [this](Time passed, Time fastest) {
        return *m_predictor.PredictNext(m_now + passed, fastest);
    };
    EXPECT_EQ(next(Time(), MicroSeconds(20)).spare, MicroSeconds(60));
    EXPECT_EQ(next(MicroSeconds(50), MicroSeconds(20)).spare, MicroSeconds(10));
    EXPECT_TRUE(next(MicroSeconds(60), MicroSeconds(20)).sendsSoon) << "then they are kept";
    EXPECT_TRUE(next(MicroSeconds(100), Time()).sendsSoon) << "also if circuits cost no time";
    EXPECT_EQ(next(MicroSeconds(70), MicroSeconds(20)).spare, Time());
}

TEST_F(PhasePredictorTest, GapsAreCountedFromTheStartOfARankAndNotWhileCallsAreUnderWay)
{
    m_predictor.Start(MicroSeconds(40));
    m_predictor.Begin(m_gather, 0, MicroSeconds(70), false);
    m_predictor.Begin(m_send, 0, MicroSeconds(80), false);
    m_predictor.EndIteration();
    const auto calls = m_predictor.GetProfile().GetIteration();
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0].gap, MicroSeconds(30));
    EXPECT_EQ(calls[1].gap, Time());
    m_predictor.Reset();
    EXPECT_TRUE(m_predictor.GetProfile().GetIteration().empty());
    m_predictor.Halt(); // both calls are gone
    m_predictor.Start(MicroSeconds(100));
    m_predictor.Begin(m_gather, 0, MicroSeconds(105), false);
    m_predictor.EndIteration();
    EXPECT_EQ(m_predictor.GetProfile().GetIteration().at(0).gap, MicroSeconds(5));
}

} // namespace
} // namespace ns3
