// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/run-summary.h"
#include "ns3/stall-observer.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <vector>

namespace ns3
{
namespace
{

using Lines = std::vector<std::string>;

TEST(StallReport, WritesRanksAsRanges)
{
    EXPECT_EQ(StallReport::ToText({3}), "rank 3");
    EXPECT_EQ(StallReport::ToText({3, 4}), "ranks 3, 4");
    EXPECT_EQ(StallReport::ToText({0, 1, 2, 3, 8}), "ranks 0-3, 8");
    std::set<uint32_t> many;
    for (uint32_t rank = 0; rank < 64; rank += 4)
    {
        many.insert(rank);
    }
    EXPECT_EQ(StallReport::ToText(many), "ranks 0, 4, 8, 12, 16, 20 and 10 more");
}

TEST(StallReport, GroupsEqualWaitsBehindTheirCause)
{
    StallReport report;
    for (const uint32_t rank : {8, 2, 1, 0, 3})
    {
        report.AddWait(rank, "AllGather not called by", {5});
    }
    EXPECT_EQ(report.GetRanksNotWaiting(), std::vector<uint32_t>{5});
    report.AddWait(5, "computation of iteration 0", {});
    EXPECT_TRUE(report.GetRanksNotWaiting().empty());
    EXPECT_EQ(report.GetLines(),
              (Lines{"rank 5: computation of iteration 0",
                     "ranks 0-3, 8: AllGather not called by rank 5"}));
    EXPECT_EQ(report.GetCommonest(), "ranks 0-3, 8: AllGather not called by rank 5");
    EXPECT_EQ(StallReport().GetCommonest(), "");
}

TEST(StallReport, PutsFactsFirst)
{
    StallReport report;
    report.AddWait(0, "Send waits for the controller", {});
    report.AddFact("the controller is down");
    EXPECT_EQ(report.GetLines(),
              (Lines{"the controller is down", "rank 0: Send waits for the controller"}));
}

TEST(StallReport, NamesACircle)
{
    StallReport report;
    report.AddWait(7, "Recv waits for data of", {1});
    report.AddWait(8, "Recv waits for data of", {7});
    report.AddWait(1, "Send waits for ports held by", {3});
    report.AddWait(3, "AllReduce waits for ports held by", {5});
    report.AddWait(5, "Recv waits for data of", {1});
    EXPECT_EQ(report.GetLines(),
              (Lines{"a circle: rank 1 waits for rank 3, which waits for rank 5, which waits for "
                     "rank 1",
                     "rank 1: Send waits for ports held by rank 3",
                     "rank 3: AllReduce waits for ports held by rank 5",
                     "ranks 5, 7, 8: Recv waits for data of ranks 1, 7"}));
}

TEST(StallReport, NamesNoCircleThatMayGoOn)
{
    StallReport report;
    report.AddWait(0, "AllGather waits for data of", {1});
    report.AddWait(1, "AllGather waits for data of", {0});
    EXPECT_EQ(report.GetLines().size(), 2u) << "at a standstill";
    report.SetStopped();
    EXPECT_EQ(report.GetLines(), (Lines{"ranks 0, 1: AllGather waits for data of ranks 0, 1"}));
}

TEST(StallReport, NamesTheShortestCircleOfARank)
{
    StallReport report;
    report.AddWait(0, "a", {1, 3});
    report.AddWait(1, "b", {2});
    report.AddWait(2, "c", {0});
    report.AddWait(3, "d", {0});
    EXPECT_EQ(report.GetLines().front(),
              "a circle: rank 0 waits for rank 3, which waits for rank 0");
}

TEST(StallReport, NamesNoCircleThatHasACause)
{
    StallReport report;
    report.AddWait(1, "waits for data of", {2});
    report.AddWait(2, "waits for data of", {1, 3});
    report.AddWait(3, "cannot send", {});
    EXPECT_EQ(report.GetLines(),
              (Lines{"rank 3: cannot send", "ranks 1, 2: waits for data of ranks 1-3"}));
    StallReport missing;
    missing.AddWait(1, "waits for data of", {2});
    missing.AddWait(2, "waits for data of", {1, 4}); // of which nothing is known
    EXPECT_EQ(missing.GetLines(), (Lines{"ranks 1, 2: waits for data of ranks 1, 2, 4"}));
}

TEST(StallReport, CutsALongCircle)
{
    StallReport report;
    for (uint32_t rank = 0; rank < 10; ++rank)
    {
        report.AddWait(rank, "waits for data of", {(rank + 1) % 10});
    }
    const std::string next = ", which waits for rank ";
    EXPECT_EQ(report.GetLines(),
              (Lines{"a circle: rank 0 waits for rank 1" + next + "2" + next + "3" + next + "4" +
                         next + "5" + next + "... rank 0",
                     "ranks 0-9: waits for data of ranks 0-9"}));
}

TEST(StallReport, HasAtMostSoManyLines)
{
    StallReport report;
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        report.AddWait(rank, "reason " + std::to_string(rank), {});
    }
    EXPECT_EQ(report.GetLines().size(), StallReport::MAX_LINES);
    EXPECT_EQ(report.GetLines().back(), "rank 7: reason 7");
    report.AddWait(8, "reason 8", {});
    EXPECT_EQ(report.GetLines().size(), StallReport::MAX_LINES);
    EXPECT_EQ(report.GetLines().back(), "and ranks 7, 8");
    EXPECT_EQ(report.GetLines(2), (Lines{"rank 0: reason 0", "and ranks 1-8"}));
    StallReport one;
    for (uint32_t reason = 0; reason < 3; ++reason)
    {
        one.AddWait(0, "reason " + std::to_string(reason), {});
    }
    EXPECT_EQ(one.GetLines(2), (Lines{"rank 0: reason 0", "and more of these ranks"}));
}

TEST(StallReport, IsPartOfASummary)
{
    RunSummary summary;
    summary.failure = "the job came to a standstill";
    RunShare share;
    share.stall = {"rank 0: not begun"};
    summary.SetShares({RunShare::FromText(share.ToText()), RunShare()});
    EXPECT_EQ(summary.CheckInvariants(), "the job came to a standstill\n  rank 0: not begun");
    EXPECT_EQ(ToOneLine(summary.CheckInvariants()), "the job came to a standstill");
    EXPECT_EQ(ToOneLine("one line"), "one line");
}

} // namespace
} // namespace ns3
