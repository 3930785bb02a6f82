// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/collective-report.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;

TEST(CollectiveReport, SizesAsNcclTestsCountThem)
{
    // What is not divided is rounded to elements.
    auto size = CollectiveSize::Make(CollectiveKind::ALL_REDUCE, 8, 1027);
    EXPECT_EQ(size.bytes, 1024u);
    EXPECT_EQ(size.count, 256u);
    EXPECT_EQ(size.callBytes, 1024u);
    // An AllGather is called with a rank's part of what it puts out.
    size = CollectiveSize::Make(CollectiveKind::ALL_GATHER, 8, 1055);
    EXPECT_EQ(size.bytes, 1024u);
    EXPECT_EQ(size.count, 32u);
    EXPECT_EQ(size.callBytes, 128u);
    // A ReduceScatter and an AllToAll with the whole tensor.
    for (auto kind : {CollectiveKind::REDUCE_SCATTER, CollectiveKind::ALL_TO_ALL})
    {
        size = CollectiveSize::Make(kind, 6, 100);
        EXPECT_EQ(size.bytes, 96u);
        EXPECT_EQ(size.count, 4u);
        EXPECT_EQ(size.callBytes, 96u);
        EXPECT_EQ(CollectiveSize::GetLeast(kind, 6), 24u);
    }
    EXPECT_EQ(CollectiveSize::GetLeast(CollectiveKind::BROADCAST, 6), 4u);
}

TEST(CollectiveReport, Bandwidths)
{
    CollectiveReport report;
    report.ranks = 4;
    const auto size = CollectiveSize::Make(report.kind, report.ranks, 4000);
    const auto row = report.MakeRow(size, NanoSeconds(1000));
    EXPECT_NEAR(row.algorithmBandwidth, 4e9, 1);
    EXPECT_NEAR(row.busBandwidth, 6e9, 1); // 2 (4 - 1) / 4
    report.rows = {row, report.MakeRow(size, NanoSeconds(2000))};
    EXPECT_NEAR(report.GetAverageBusBandwidth(), 4.5e9, 1);
}

TEST(CollectiveReport, StepsFromLeastToMost)
{
    CollectiveReport report;
    report.minBytes = 1000;
    report.maxBytes = 9000;
    report.stepFactor = 3;
    EXPECT_EQ(report.GetSizes(), (std::vector<uint64_t>{1000, 3000, 9000}));
    report.maxBytes = 8999;
    EXPECT_EQ(report.GetSizes(), (std::vector<uint64_t>{1000, 3000}));
}

TEST(CollectiveReport, FitFindsTheMultiplesOfTheTextbook)
{
    CollectiveReport report;
    EXPECT_EQ(report.GetFit().beta, 0);
    for (double bytes = 1e3; bytes < 1e8; bytes *= 10)
    {
        CollectiveReport::Row row;
        row.alphaSeconds = 14e-6;
        row.betaSeconds = bytes / 25e9;
        row.time = NanoSeconds(
            static_cast<uint64_t>(1e9 * (1.5 * row.alphaSeconds + 1.02 * row.betaSeconds) + 0.5));
        report.rows.push_back(row);
    }
    const auto fit = report.GetFit();
    EXPECT_NEAR(fit.alpha, 1.5, 1e-3); // times are rounded to nanoseconds
    EXPECT_NEAR(fit.beta, 1.02, 1e-3);
    EXPECT_LT(fit.worst, 1e-4);
    report.rows[2].time = 2 * report.rows[2].time;
    EXPECT_GT(report.GetFit().worst, 0.1);
}

TEST(CollectiveReport, BytesThatDidNotArrive)
{
    CollectiveReport report;
    report.rows.resize(1);
    report.rows[0].bytesPosted = report.rows[0].bytesDelivered = 5;
    EXPECT_EQ(report.CheckInvariants(), "");
    report.rows[0].bytesDelivered = 4;
    EXPECT_NE(report.CheckInvariants().find("5 bytes were posted but 4 delivered"),
              std::string::npos);
}
