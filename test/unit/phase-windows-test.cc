// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/rail-phases.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// A communication of a group between two moments in milliseconds.
Communication
Comm(uint32_t group, Dimension dimension, int64_t start, int64_t end, uint64_t bytes)
{
    Communication comm;
    comm.groupId = group;
    comm.dimension = dimension;
    comm.bytes = bytes;
    comm.start = MilliSeconds(start);
    comm.end = MilliSeconds(end);
    return comm;
}

constexpr Dimension DP = Dimension::FSDP;
constexpr Dimension PP = Dimension::PP;

} // namespace

TEST(ScaleOutPhase, RepeatsAreFolded)
{
    const ScaleOutPhase a{DP, CollectiveKind::ALL_GATHER, 17};
    const ScaleOutPhase b{PP, CollectiveKind::SEND, 1};
    const ScaleOutPhase c{DP, CollectiveKind::REDUCE_SCATTER, 2};
    EXPECT_EQ(ScaleOutPhase::Fold({}), "");
    EXPECT_EQ(ScaleOutPhase::Fold({a}), "fsdp AllGather 17");
    EXPECT_EQ(ScaleOutPhase::Fold({a, b, c}),
              "fsdp AllGather 17 | pp Send 1 | fsdp ReduceScatter 2");
    EXPECT_EQ(ScaleOutPhase::Fold({b, b, b}), "(pp Send 1) x 3");
    EXPECT_EQ(ScaleOutPhase::Fold({c, a, b, a, b, a, b, a}),
              "fsdp ReduceScatter 2 | (fsdp AllGather 17 | pp Send 1) x 3 | fsdp AllGather 17");
    EXPECT_EQ(ScaleOutPhase::Fold({a, a, b, a, a, b}),
              "((fsdp AllGather 17) x 2 | pp Send 1) x 2");
    EXPECT_EQ(ScaleOutPhase::Fold({c, a, b, a, b, a, b, c, a, b, a, b, a, b}),
              "(fsdp ReduceScatter 2 | (fsdp AllGather 17 | pp Send 1) x 3) x 2");
}

TEST(PhaseWindows, NothingOrOnePhaseHasNone)
{
    EXPECT_TRUE(FindPhaseWindows({}).empty());
    EXPECT_TRUE(FindPhaseWindows({Comm(1, DP, 0, 5, 10), Comm(1, DP, 7, 9, 10)}).empty());
}

TEST(PhaseWindows, LastEndOfTheFirstToFirstStartOfTheSecond)
{
    // The first phase ends with its first communication, the second begins with its second.
    const auto windows = FindPhaseWindows({Comm(1, DP, 0, 20, 10),
                                           Comm(1, DP, 5, 15, 10),
                                           Comm(2, PP, 40, 50, 3),
                                           Comm(2, PP, 35, 55, 4)});
    ASSERT_EQ(windows.size(), 1u);
    EXPECT_EQ(windows[0].duration, MilliSeconds(15));
    EXPECT_EQ(windows[0].bytesAfter, 7u);
    EXPECT_EQ(windows[0].from, DP);
    EXPECT_EQ(windows[0].to, PP);
}

TEST(PhaseWindows, OverlapIsNegative)
{
    const auto windows = FindPhaseWindows({Comm(1, DP, 0, 20, 1), Comm(2, PP, 12, 30, 1)});
    ASSERT_EQ(windows.size(), 1u);
    EXPECT_EQ(windows[0].duration, MilliSeconds(-8));
}

TEST(PhaseWindows, GroupsMakePhasesNotDimensions)
{
    // Loss statistics go over the ranks of the FSDP group: no window between them.
    auto loss = Comm(1, Dimension::DP, 30, 31, 4);
    loss.iteration = 0;
    auto next = Comm(1, DP, 40, 50, 100);
    next.iteration = 1;
    auto send = Comm(2, PP, 60, 61, 64);
    send.iteration = 1;
    const auto windows = FindPhaseWindows({Comm(2, PP, 10, 20, 4), loss, next, send});
    ASSERT_EQ(windows.size(), 2u);
    EXPECT_EQ(windows[0].to, Dimension::DP);
    EXPECT_EQ(windows[0].iteration, 0u);
    EXPECT_EQ(windows[0].bytesAfter, 104u);
    EXPECT_EQ(windows[1].from, DP);
    EXPECT_EQ(windows[1].iteration, 1u);
    EXPECT_EQ(windows[1].duration, MilliSeconds(10));
}

TEST(PhaseWindows, ParallelismsMakePhasesIfAsked)
{
    // A stage in the middle sends to the next and receives from the one before.
    auto send = Comm(2, PP, 10, 20, 64);
    send.kind = CollectiveKind::SEND;
    auto receive = Comm(3, PP, 30, 40, 64);
    receive.kind = CollectiveKind::RECV;
    const auto gather = Comm(1, DP, 50, 60, 100);
    EXPECT_EQ(FindPhaseWindows({send, receive, gather}).size(), 2u);
    const auto windows =
        FindPhaseWindows({gather, send, receive, send, gather}, PhaseRule::PARALLELISM);
    ASSERT_EQ(windows.size(), 2u);
    EXPECT_EQ(windows[0].bytesAfter, 192u);
    EXPECT_EQ(windows[0].kinds, (std::vector{CollectiveKind::SEND, CollectiveKind::RECV}));
    EXPECT_EQ(windows[1].duration, MilliSeconds(10));
    EXPECT_EQ(windows[1].kinds, std::vector{CollectiveKind::ALL_GATHER});
    // A group goes on although it serves another parallelism.
    const auto loss = Comm(1, Dimension::DP, 70, 71, 4);
    EXPECT_TRUE(FindPhaseWindows({gather, loss}, PhaseRule::PARALLELISM).empty());
}
