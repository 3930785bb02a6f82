// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Which packets selective repeat repeats.
 */

#include "ns3/rdma-send-queue.h"

#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

using namespace ns3;

namespace
{

using Psns = std::vector<uint64_t>;

/// @return all packets that are to be repeated now
Psns
PopAll(RdmaScoreboard& board)
{
    Psns psns;
    while (board.HasRepeat())
    {
        psns.push_back(board.PopRepeat());
    }
    return psns;
}

TEST(RdmaScoreboard, RepeatsWhatLaterArrivalsProveMissing)
{
    RdmaScoreboard board;
    board.Reset(100);
    EXPECT_FALSE(board.HasRepeat());
    board.Advance(110);
    board.Arrived(112);
    EXPECT_EQ(PopAll(board), (Psns{110, 111}));
    board.Arrived(113);
    EXPECT_EQ(PopAll(board), Psns{}) << "once each";
    board.Arrived(116);
    board.Arrived(118);
    EXPECT_EQ(board.GetRanges(), 3u);
    EXPECT_EQ(PopAll(board), (Psns{114, 115, 117}));
    board.Arrived(117);
    EXPECT_EQ(board.GetRanges(), 2u) << "ranges grow together";
    board.Advance(114);
    EXPECT_EQ(board.GetRanges(), 1u);
    board.Advance(119);
    EXPECT_EQ(board.GetRanges(), 0u);
    EXPECT_EQ(PopAll(board), Psns{});
}

TEST(RdmaScoreboard, ToleratesReordering)
{
    RdmaScoreboard board;
    board.SetReorderTolerance(3);
    board.Reset(0);
    board.Arrived(1);
    board.Arrived(2);
    board.Arrived(3);
    EXPECT_FALSE(board.HasRepeat());
    board.Arrived(4);
    EXPECT_EQ(PopAll(board), Psns{0});
}

TEST(RdmaScoreboard, ProbesAfterATimeOut)
{
    RdmaScoreboard board;
    board.Reset(0);
    board.Arrived(3);
    EXPECT_EQ(PopAll(board), (Psns{0, 1, 2}));
    board.Probe(8);
    EXPECT_EQ(PopAll(board), Psns{0});
    board.Advance(1);
    EXPECT_EQ(PopAll(board), (Psns{1, 2, 4, 5, 6, 7})) << "what was sent before the probe";
    board.Probe(8);
    EXPECT_EQ(PopAll(board), Psns{1});
    board.Advance(8);
    EXPECT_EQ(PopAll(board), Psns{}) << "only the acknowledgement was lost";
    board.AllLost(10);
    EXPECT_EQ(PopAll(board), (Psns{8, 9}));
}

TEST(RdmaScoreboard, AgreesWithAPlainSet)
{
    std::mt19937 random(1);
    for (uint32_t run = 0; run < 200; ++run)
    {
        const uint64_t tolerance = random() % 4;
        RdmaScoreboard board;
        board.SetReorderTolerance(static_cast<uint32_t>(tolerance));
        board.Reset(0);
        std::set<uint64_t> arrived;
        std::set<uint64_t> judged; // repeated, or passed over as they had arrived
        uint64_t unacked = 0;
        uint64_t lostEnd = 0;
        for (uint32_t step = 0; step < 200; ++step)
        {
            if (random() % 4 == 0)
            {
                unacked += random() % 5;
                board.Advance(unacked);
            }
            else
            {
                const uint64_t psn = unacked + 1 + random() % 30;
                arrived.insert(psn);
                board.Arrived(psn);
                lostEnd = std::max(lostEnd, psn < tolerance ? 0 : psn - tolerance);
            }
            Psns expected;
            for (uint64_t psn = 0; psn < lostEnd; ++psn)
            {
                if (judged.insert(psn).second && psn >= unacked && arrived.count(psn) == 0)
                {
                    expected.push_back(psn);
                }
            }
            ASSERT_EQ(PopAll(board), expected) << run << ", " << step;
        }
    }
}

} // namespace
