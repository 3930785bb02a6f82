// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/collective-report.h"

#include <gtest/gtest.h>
#include <sstream>

using namespace ns3;

TEST(CollectiveReport, SizesAsNcclTestsCountThem)
{
    // What is not divided is rounded to elements.
    auto size = NcclTest::Get("AllReduce").GetSize(8, 1027);
    EXPECT_EQ(size.bytes, 1024u);
    EXPECT_EQ(size.count, 256u);
    EXPECT_EQ(size.callBytes, 1024u);
    // An AllGather is called with a rank's part of what it puts out.
    size = NcclTest::Get("AllGather").GetSize(8, 1055);
    EXPECT_EQ(size.bytes, 1024u);
    EXPECT_EQ(size.count, 32u);
    EXPECT_EQ(size.callBytes, 128u);
    // Others that are divided with the whole tensor.
    for (const char* name : {"ReduceScatter", "AllToAll", "Gather", "Scatter"})
    {
        const NcclTest& test = NcclTest::Get(name);
        size = test.GetSize(6, 100);
        EXPECT_EQ(size.bytes, 96u);
        EXPECT_EQ(size.count, 4u);
        EXPECT_EQ(size.callBytes, 96u);
        EXPECT_EQ(test.GetLeast(6), 24u);
        EXPECT_EQ(test.GetSize(6, 23).bytes, 0u);
    }
    EXPECT_EQ(NcclTest::Get("Broadcast").GetLeast(6), 4u);
    EXPECT_EQ(NcclTest::Get("SendRecv").GetSize(6, 103).count, 25u);
}

/// Expect the bytes of a call from each rank to each.
void
ExpectParts(const char* name, uint64_t bytes, const std::vector<std::vector<uint64_t>>& parts)
{
    const NcclTest& test = NcclTest::Get(name);
    const auto ranks = static_cast<uint32_t>(parts.size());
    const auto call = test.MakeCall(ranks, test.GetSize(ranks, bytes));
    ASSERT_EQ(call.kind, CollectiveKind::ALL_TO_ALL);
    for (uint32_t from = 0; from < ranks; ++from)
    {
        for (uint32_t to = 0; to < ranks; ++to)
        {
            EXPECT_EQ(call.sizes->GetBytes(from, to), parts[from][to]) << from << " to " << to;
        }
    }
}

TEST(CollectiveReport, CallsThatAreGroupsOfSendsInNccl)
{
    ExpectParts("SendRecv", 14, {{0, 12, 0}, {0, 0, 12}, {12, 0, 0}});
    ExpectParts("SendRecv", 8, {{0, 8}, {8, 0}});
    ExpectParts("Gather", 26, {{8, 0, 0}, {8, 0, 0}, {8, 0, 0}});
    ExpectParts("Scatter", 26, {{8, 8, 8}, {0, 0, 0}, {0, 0, 0}});
    EXPECT_FALSE(NcclTest::Get("AllToAll").MakeCall(3, {24, 2, 24}).sizes);
}

TEST(CollectiveReport, NothingIsSentWithoutAnElementForEachRank)
{
    CollectiveReport report;
    report.test = &NcclTest::Get("AllGather");
    report.ranks = 3;
    report.rows = {report.MakeRow(report.test->GetSize(3, 8), Time(0))};
    EXPECT_EQ(report.rows[0].busBandwidth, 0);
    EXPECT_EQ(report.GetAverageBusBandwidth().value(), 0);
    EXPECT_FALSE(report.GetFit());
}

TEST(CollectiveReport, Bandwidths)
{
    CollectiveReport report;
    report.ranks = 4;
    const auto size = report.test->GetSize(report.ranks, 4000);
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
            static_cast<uint64_t>(1e9 * (1.5 * *row.alphaSeconds + 1.02 * *row.betaSeconds) + 0.5));
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
        row.alphaSeconds = 0;
        row.time = MicroSeconds(1 + (&row - report.rows.data()));
        row.betaSeconds = 0.3 * row.time.ToDouble(Time::S);
    }
    EXPECT_FALSE(report.GetFit()); // there is no alpha
    for (auto& row : report.rows)
    {
        row.alphaSeconds = 0.7 * *row.betaSeconds;
    }
    EXPECT_FALSE(report.GetFit()); // alpha and beta are in proportion
    std::ostringstream text;
    report.WriteFooter(text);
    report.WriteJson(text);
    EXPECT_EQ(text.str().find("fit"), std::string::npos);
    report.rows.resize(1);
    *report.rows[0].alphaSeconds *= 2;
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
