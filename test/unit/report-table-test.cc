// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/report-table.h"
#include "ns3/text-archive.h"

#include <gtest/gtest.h>
#include <sstream>

namespace ns3
{

/// A part of a row.
struct ReportedPart
{
    std::string name;
    uint32_t count{0};
};

/// A row of every sort of values.
struct ReportedRow
{
    int32_t number{0};
    double share{0};
    bool isGood{false};
    Time time;
    std::vector<uint32_t> list;
    std::vector<ReportedPart> parts;
    std::vector<std::vector<ReportedPart>> lists;
    std::optional<double> extra;
};

template <typename Archive>
void
VisitFields(Archive& archive, ReportedPart& part)
{
    archive(part.name, part.count);
}

template <typename Archive>
void
VisitFields(Archive& archive, ReportedRow& row)
{
    archive(row.number, row.share, row.isGood, row.time, row.list, row.parts);
}

namespace
{

const ReportTable<ReportedPart> PARTS{{"name", "", &ReportedPart::name},
                                      {"count", "pieces", &ReportedPart::count}};

const ReportTable<ReportedRow> ROWS{
    {"number", "", &ReportedRow::number, {"number", -8}},
    {"share", "", &ReportedRow::share, {"share %", 9, 1, 100}},
    {"good", "", &ReportedRow::isGood},
    {"time_s", "s", &ReportedRow::time, {"time s", 8, 3}},
    {"list", "GPU", &ReportedRow::list},
    {"parts", "", ReportRows(&ReportedRow::parts, PARTS)},
    {"lists", "", ReportRows(&ReportedRow::lists, PARTS)},
    {"", "", [](const ReportedRow& row) { return row.isGood ? "yes" : "no"; }, {"good", 5}},
    {"extra", "USD", &ReportedRow::extra, {"extra", 8, 2}},
};

ReportedRow
MakeReportedRow()
{
    return {-7, 0.125, true, MilliSeconds(1500), {3, 4}, {{"a, b", 2}}, {{{"c", 1}}, {}}, {}};
}

} // namespace

TEST(ReportTable, JsonHasTheKeysInOrderAndNothingThatIsMissing)
{
    ReportedRow row = MakeReportedRow();
    const std::string common =
        R"({"number":-7,"share":0.125,"good":true,"time_s":1.5,"list":[3,4],)"
        R"("parts":[{"name":"a, b","count":2}],"lists":[[{"name":"c","count":1}],[]])";
    EXPECT_EQ(ROWS.MakeObject(row).ToText(), common + "}");
    row.extra = 0.5;
    EXPECT_EQ(ROWS.Make(std::vector<ReportedRow>{row}).ToText(),
              "[" + common + R"(,"extra":0.5}])");
}

TEST(ReportTable, TextHasTheColumnsWithHeadings)
{
    std::ostringstream text;
    ROWS.WriteText(text, std::vector<ReportedRow>{MakeReportedRow()});
    EXPECT_EQ(text.str(),
              "number    share %  time s good   extra\n"
              "-7           12.5   1.500  yes        \n");
    std::ostringstream transposed;
    ROWS.WriteTransposed(transposed, std::vector<ReportedRow>(2, MakeReportedRow()));
    EXPECT_EQ(transposed.str(),
              "number      -7     -7\n"
              "share %   12.5   12.5\n"
              "time s   1.500  1.500\n"
              "good       yes    yes\n"
              "extra                \n");
}

TEST(ReportTable, TimesHaveTheUnitThatFitsTheLongestOfAColumn)
{
    struct Times
    {
        Time step;
        std::optional<double> exposed;
        Time alone;
        Time together;
    };

    const ReportTable<Times> table{
        {"step_s", "s", &Times::step, {"step {}", 12, ReportUnit::FITS}},
        {"exposed_s", "s", &Times::exposed, {"exposed {}", 12, ReportUnit::FITS}},
        {"", "", [](const Times& /* row */) { return "x"; }, {"", 2}},
        {"alone_s", "s", &Times::alone, {"alone {}", 12, ReportUnit::FITS}},
        {"together_s", "s", &Times::together, {"together", 12, ReportUnit::SAME}},
    };
    const std::vector<Times> rows{
        {NanoSeconds(4118298), 2.5e-7, MilliSeconds(900), MilliSeconds(1200)},
        {NanoSeconds(123), std::nullopt, Time(), MilliSeconds(1)}};
    std::ostringstream text;
    table.WriteText(text, rows);
    EXPECT_EQ(text.str(),
              "     step ms  exposed ns       alone s    together\n"
              "      4.1183    250.0000 x      0.9000      1.2000\n"
              "    0.000123           - x      0.0000       0.001\n");
    std::ostringstream csv;
    table.MakeCsv(rows).Write(csv); // as ever, seconds
    EXPECT_EQ(csv.str(),
              "step_s,exposed_s,alone_s,together_s\n0.004118298,2.5e-07,0.9,1.2\n"
              "1.23e-07,,0.0,0.001\n");
    std::ostringstream none;
    table.WriteText(none, std::vector<Times>());
    EXPECT_EQ(none.str(), "      step s   exposed s       alone s    together\n");
}

TEST(TimeUnit, IsTheLargestOfWhichThereIsOne)
{
    EXPECT_EQ(TimeUnit::Write(10.178661), "10.18 s");
    EXPECT_EQ(TimeUnit::Write(0.114), "114 ms");
    EXPECT_EQ(TimeUnit::Write(0.0041182984), "4.118 ms");
    EXPECT_EQ(TimeUnit::Write(-0.0041182984, 7), "-4.118298 ms");
    EXPECT_EQ(TimeUnit::Write(5.63e-5, 3), "56.3 us");
    EXPECT_EQ(TimeUnit::Write(1e-9), "1 ns");
    EXPECT_EQ(TimeUnit::Write(2.5e-12), "0.0025 ns");
    EXPECT_EQ(TimeUnit::Write(0), "0 s");
    EXPECT_EQ(TimeUnit::Write(86400.4), "86400 s");
    EXPECT_EQ(TimeUnit::Write(0.99996), "1 s");
    EXPECT_EQ(TimeUnit::Write(0.9999), "999.9 ms");
    EXPECT_EQ(TimeUnit::Write(0.9996, 3), "1 s");
}

TEST(ReportTable, CsvHasTheSameKeysAndValues)
{
    std::ostringstream csv;
    PARTS.MakeCsv(MakeReportedRow().parts).Write(csv);
    EXPECT_EQ(csv.str(), "name,count\n\"a, b\",2\n");
}

TEST(ReportTable, KeysHaveTheTypesOfTheirValues)
{
    std::string keys;
    for (const auto& key : ROWS.ListKeys())
    {
        keys += key.path + " " + key.type + " " + key.unit + "\n";
    }
    EXPECT_EQ(
        keys,
        "number integer \nshare number \ngood boolean \ntime_s number s\nlist array \n"
        "list[] integer GPU\nparts array \nparts[].name string \nparts[].count integer pieces\n"
        "lists array \nlists[][].name string \nlists[][].count integer pieces\n"
        "extra number USD\n");
}

TEST(ReportValue, TextsOfAnyBytesAreWritten)
{
    std::ostringstream json;
    ReportValue("\xFF\"\xC2\xB5").WriteJson(json);
    EXPECT_EQ(json.str(), R"("\ufffd\"\u00b5")");
    EXPECT_EQ(ReportValue().ToText(), "");
    EXPECT_EQ(ReportValue(uint64_t{18446744073709551615U}).ToText(), "18446744073709551615");
    EXPECT_EQ(ReportValue(0.1).ToText(), "0.1");
    EXPECT_EQ(ReportValue(1234.5678).ToText(2), "1234.57");
}

TEST(ReportValue, SmallNumbersKeepFourDigits)
{
    EXPECT_EQ(ReportValue(10.17866).ToText(4), "10.1787");
    EXPECT_EQ(ReportValue(0.17977).ToText(4), "0.1798");
    EXPECT_EQ(ReportValue(0.0041182984).ToText(4), "0.004118");
    EXPECT_EQ(ReportValue(-0.0041182984).ToText(4), "-0.004118");
    EXPECT_EQ(ReportValue(4.1182984e-7).ToText(4), "4.118e-07");
    EXPECT_EQ(ReportValue(0.0041182984).ToText(6), "0.004118");
    EXPECT_EQ(ReportValue(0.00041182984).ToText(6), "0.0004118");
    EXPECT_EQ(ReportValue(0.0).ToText(4), "0.0000");
    EXPECT_EQ(ReportValue(0.0041182984).ToText(2), "0.00");
}

TEST(TextArchive, WhatIsWrittenIsRead)
{
    ReportedRow row = MakeReportedRow();
    row.share = 1.0 / 3;
    row.time = Time(int64_t{-9007199254740993}); // in steps
    row.parts = {{"two words\n7 ", 1}, {"", 4294967295U}};
    const auto copy = ReadText<ReportedRow>(WriteText(row));
    ASSERT_TRUE(copy);
    EXPECT_EQ(copy->number, -7);
    EXPECT_EQ(copy->share, 1.0 / 3);
    EXPECT_TRUE(copy->isGood);
    EXPECT_EQ(copy->time, row.time);
    EXPECT_EQ(copy->list, row.list);
    ASSERT_EQ(copy->parts.size(), 2u);
    EXPECT_EQ(copy->parts[0].name, row.parts[0].name);
    EXPECT_EQ(copy->parts[1].name, "");
    EXPECT_EQ(copy->parts[1].count, 4294967295U);
}

TEST(TextArchive, OtherTextsAreNotRead)
{
    const std::string text = WriteText(MakeReportedRow());
    for (std::size_t length = 0; length + 1 < text.size(); ++length)
    {
        EXPECT_FALSE(ReadText<ReportedRow>(text.substr(0, length))) << length;
    }
    EXPECT_TRUE(ReadText<ReportedRow>(text));
    EXPECT_FALSE(ReadText<ReportedRow>(text + "1"));
    EXPECT_FALSE(ReadText<ReportedRow>("{}"));
    EXPECT_FALSE(ReadText<ReportedPart>("99999999999999999999 a 1"));
    EXPECT_FALSE(ReadText<ReportedPart>("5 a 1"));
}

} // namespace ns3
