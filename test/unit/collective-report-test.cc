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
    EXPECT_FALSE(report.GetAverageBusBandwidth()) << "a run that was interrupted before a row";
    report.rows = {row, report.MakeRow(size, NanoSeconds(2000))};
    EXPECT_NEAR(report.GetAverageBusBandwidth().value(), 4.5e9, 1);
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
    EXPECT_FALSE(report.GetFit());
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
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->alpha, 1.5, 1e-3); // times are rounded to nanoseconds
    EXPECT_NEAR(fit->beta, 1.02, 1e-3);
    EXPECT_LT(fit->worst, 1e-4);
}

TEST(CollectiveReport, FitOfTimesThatDoNotFit)
{
    // Parts over times: (1, 0), (0, 1), (1, 1). Least squares: 2 p + q = 2 and p + 2 q = 2, so both
    // are 2/3, and the sums are 2/3, 2/3 and 4/3.
    CollectiveReport report;
    for (const auto& [alpha, beta] : {std::pair(1, 0), std::pair(0, 1), std::pair(1, 1)})
    {
        CollectiveReport::Row row;
        row.time = MicroSeconds(4 + 3 * report.rows.size());
        row.alphaSeconds = alpha * row.time.ToDouble(Time::S);
        row.betaSeconds = beta * row.time.ToDouble(Time::S);
        report.rows.push_back(row);
    }
    const auto fit = report.GetFit();
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->alpha, 2.0 / 3, 1e-12);
    EXPECT_NEAR(fit->beta, 2.0 / 3, 1e-12);
    EXPECT_NEAR(fit->worst, 1.0 / 3, 1e-12);
    std::ostringstream text;
    report.WriteFooter(text);
    EXPECT_NE(text.str().find("fit 0.667 alpha and 0.667 beta, within 33.3 %"), std::string::npos);
}

TEST(CollectiveReport, NoFitWithoutTwoParts)
{
    CollectiveReport report;
    report.rows.resize(3);
    for (auto& row : report.rows)
    {
        row.time = MicroSeconds(1 + (&row - report.rows.data()));
        row.betaSeconds = 0.3 * row.time.ToDouble(Time::S);
    }
    EXPECT_FALSE(report.GetFit()); // there is no alpha
    for (auto& row : report.rows)
    {
        row.alphaSeconds = 0.7 * row.betaSeconds;
    }
    EXPECT_FALSE(report.GetFit()); // alpha and beta are in proportion
    std::ostringstream text;
    report.WriteFooter(text);
    report.WriteJson(text);
    EXPECT_EQ(text.str().find("fit"), std::string::npos);
    report.rows.resize(1);
    report.rows[0].alphaSeconds *= 2;
    EXPECT_FALSE(report.GetFit());
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
