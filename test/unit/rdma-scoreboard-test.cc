// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * Which packets selective repeat repeats.
 */

#include "ns3/rdma-send-queue.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
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
    board.Sent(120);
    EXPECT_FALSE(board.HasRepeat());
    board.Advance(110);
    board.Arrived(112);
    EXPECT_EQ(PopAll(board), (Psns{110, 111}));
    board.Arrived(113);
    EXPECT_EQ(PopAll(board), Psns{}) << "once each";
    board.Arrived(116);
    board.Arrived(118);
    EXPECT_EQ(PopAll(board), (Psns{114, 115, 117}));
    board.Arrived(110);
    board.Arrived(119); // sent before any of the repeats
    board.Arrived(120); // never sent
    board.Advance(114);
    board.Advance(119);
    EXPECT_EQ(PopAll(board), Psns{});
}

TEST(RdmaScoreboard, RepeatsLostRepeats)
{
    RdmaScoreboard board;
    board.Reset(0);
    board.Sent(8);
    board.Arrived(3);
    EXPECT_EQ(PopAll(board), (Psns{0, 1, 2}));
    board.Arrived(4);
    EXPECT_EQ(PopAll(board), Psns{}) << "sent before the repeats";
    board.Arrived(1); // was sent again after packet 0, and after 5 to 7
    EXPECT_EQ(PopAll(board), (Psns{0, 5, 6, 7}));
    board.Sent(10);
    board.Arrived(9); // sent after all repeats
    EXPECT_EQ(PopAll(board), (Psns{0, 2, 5, 6, 7, 8}));
    board.Advance(8);
    EXPECT_EQ(PopAll(board), Psns{});
    board.Sent(11);
    board.Arrived(10);
    EXPECT_EQ(PopAll(board), Psns{8}) << "again";
}

TEST(RdmaScoreboard, LateIsNotLost)
{
    RdmaScoreboard board;
    board.Reset(0);
    board.Sent(6);
    board.Arrived(3);
    board.Arrived(1); // overtaken, and not repeated yet: it says nothing of packets 4 and 5
    EXPECT_EQ(PopAll(board), (Psns{0, 2}));
}

TEST(RdmaScoreboard, KnowsWhatAFastPathHasSent)
{
    RdmaScoreboard board;
    board.Reset(0);
    board.Sent(4);
    board.Advance(1000);
    board.Sent(1010);
    board.Arrived(1002);
    EXPECT_EQ(PopAll(board), (Psns{1000, 1001}));
}

TEST(RdmaScoreboard, ToleratesReordering)
{
    RdmaScoreboard board;
    board.SetReorderTolerance(3);
    board.Reset(0);
    board.Sent(10);
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
    board.Sent(10);
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

TEST(RdmaScoreboard, AgreesWithTheOrderOfAllTransmissions)
{
    std::mt19937 random(1);
    uint32_t again = 0;
    for (uint32_t run = 0; run < 200; ++run)
    {
        const uint64_t tolerance = random() % 4;
        RdmaScoreboard board;
        board.SetReorderTolerance(static_cast<uint32_t>(tolerance));
        board.Reset(0);
        std::vector<uint64_t> order;       // of all transmissions: PSNs
        std::map<uint64_t, uint64_t> last; // of each PSN: its place in the order
        std::set<uint64_t> arrived;
        std::set<uint64_t> lost;
        uint64_t unacked = 0;
        uint64_t next = 0;
        const auto send = [&](uint64_t psn) {
            last[psn] = order.size();
            order.push_back(psn);
        };
        for (uint32_t step = 0; step < 300; ++step)
        {
            switch (random() % 4)
            {
            case 0:
                unacked = std::min(next, unacked + random() % 3);
                board.Advance(unacked);
                lost.erase(lost.begin(), lost.lower_bound(unacked));
                break;
            case 1:
                for (const uint64_t end = next + random() % 8; next < end; ++next)
                {
                    send(next);
                }
                board.Sent(next);
                break;
            case 2:
                if (!lost.empty())
                {
                    const uint64_t psn = *lost.begin();
                    ASSERT_EQ(board.PopRepeat(), psn) << run << ", " << step;
                    again += last[psn] >= next ? 1 : 0;
                    lost.erase(psn);
                    send(psn);
                }
                break;
            default:
                if (next > unacked + 1)
                {
                    const uint64_t psn = unacked + 1 + random() % (next - unacked - 1);
                    board.Arrived(psn);
                    const bool isNews = arrived.insert(psn).second && lost.erase(psn) == 0;
                    for (uint64_t other = unacked; isNews && other < next; ++other)
                    {
                        if (arrived.count(other) == 0 && last[other] + tolerance < last[psn])
                        {
                            lost.insert(other);
                        }
                    }
                }
            }
            ASSERT_EQ(board.HasRepeat(), !lost.empty()) << run << ", " << step;
        }
    }
    EXPECT_GT(again, 100u) << "repeats of repeats";
}

} // namespace
