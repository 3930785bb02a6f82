// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/html-report-charts.h"
#include "ns3/html-report.h"
#include "ns3/html-text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace ns3;

namespace
{

constexpr const char* HOSTILE = "</script><img src=x onerror='alert(1)'>&\"";

/// A page from what has no run.
std::string
WriteReport(const HtmlReportData& data)
{
    std::ostringstream text;
    HtmlReport(data).Write(text);
    return text.str();
}

/// @return how often a text occurs in another
std::size_t
CountParts(const std::string& text, const std::string& part)
{
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    {
        ++count;
    }
    return count;
}

/// A communication in milliseconds.
Communication
Call(uint32_t group, int64_t start, int64_t end, uint32_t iteration = 0)
{
    Communication one;
    one.groupId = group;
    one.dimension = group == 1 ? Dimension::FSDP : Dimension::PP;
    one.kind = group == 1 ? CollectiveKind::ALL_GATHER : CollectiveKind::SEND;
    one.bytes = 1000;
    one.iteration = iteration;
    one.start = MilliSeconds(start);
    one.end = MilliSeconds(end);
    return one;
}

/// A run of one iteration of 100 ms.
HtmlReportData
MakeRun()
{
    HtmlReportData data;
    data.summary.fabric = "photonic";
    data.summary.iterationsAsked = 1;
    data.summary.iterations.push_back({0, MilliSeconds(100), 3, MilliSeconds(7)});
    data.communications = {{Call(1, 10, 20), Call(1, 20, 30), Call(2, 40, 41)}, {Call(2, 40, 41)}};
    data.library = "LIBRARY";
    return data;
}

/// @return the configuration of a chart
nlohmann::json
GetConfig(const HtmlReportData& data, const std::string& id)
{
    for (const auto& chart : HtmlReportCharts::Make(data))
    {
        if (chart.id == id)
        {
            return nlohmann::json::parse(chart.config);
        }
    }
    return {};
}

} // namespace

TEST(HtmlText, NothingGetsOutOfAText)
{
    EXPECT_EQ(HtmlText::Escape("<a href='x'>&\"\x01"), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;?");
    EXPECT_EQ(HtmlText::EscapeScript("\"</script>&\""), "\"\\u003c/script\\u003e\\u0026\"");
}

TEST(HtmlText, EscapedJsonHasTheSameValues)
{
    const nlohmann::json json{{HOSTILE, HOSTILE}};
    EXPECT_EQ(nlohmann::json::parse(HtmlText::EscapeScript(json.dump())), json);
}

TEST(HtmlText, NumbersHaveGroupsAndNoExponent)
{
    EXPECT_EQ(HtmlText::Number(uint64_t{0}), "0");
    EXPECT_EQ(HtmlText::Number(uint64_t{999}), "999");
    EXPECT_EQ(HtmlText::Number(uint64_t{1000}), "1,000");
    EXPECT_EQ(HtmlText::Number(uint64_t{1234567}), "1,234,567");
    EXPECT_EQ(HtmlText::Number(0.0), "0.0000");
    EXPECT_EQ(HtmlText::Number(1234567.8, 3), "1,234,568");
    EXPECT_EQ(HtmlText::Number(-1234.5, 6), "-1,234.50");
    EXPECT_EQ(HtmlText::Number(-123.0, 3), "-123");
    EXPECT_EQ(HtmlText::Number(0.000123456, 3), "0.000123");
    EXPECT_EQ(HtmlText::Fixed(37299, 2), "37,299.00");
    EXPECT_EQ(HtmlText::Seconds(MicroSeconds(1234567890)), "1,234.567890");
    EXPECT_EQ(HtmlText::Seconds(MicroSeconds(-5)), "-0.000005");
    EXPECT_EQ(HtmlText::Milliseconds(NanoSeconds(1234567)), "1.234567");
    EXPECT_EQ(HtmlText::Percent(0.12345), "12.35 %");
    EXPECT_EQ(HtmlText::Bytes(1023), "1,023 B");
    EXPECT_EQ(HtmlText::Bytes(3 << 19), "1.500 MiB");
}

TEST(HtmlTable, RowsBeyondTheLimitAreCounted)
{
    HtmlTable table("t", "<caption>", {"name", "value>"});
    for (std::size_t row = 0; row < HtmlTable::MAX_ROWS + 3; ++row)
    {
        table.Add({"<" + std::to_string(row) + ">", "1"});
    }
    std::ostringstream text;
    table.Write(text);
    EXPECT_EQ(CountParts(text.str(), "<tr>"), 1 + HtmlTable::MAX_ROWS);
    EXPECT_NE(text.str().find("3 of 203 rows are left out"), std::string::npos);
    EXPECT_NE(text.str().find("<th scope=\"row\">&lt;0&gt;</th><td class=\"n\">1</td>"),
              std::string::npos);
    EXPECT_EQ(text.str().find("<caption><caption>"), std::string::npos);
}

TEST(HtmlReport, CurvesAreThinnedOutFromTheFirstToTheLastTime)
{
    EXPECT_TRUE(HtmlReportCharts::MakeCurve({}).empty());
    EXPECT_TRUE(HtmlReportCharts::MakeCurve({MilliSeconds(-1), Time()}).empty());
    using Points = std::vector<std::pair<double, double>>;
    EXPECT_EQ(HtmlReportCharts::MakeCurve({MilliSeconds(-1), MilliSeconds(2)}),
              (Points{{2, 50}, {2, 100}}));
    std::vector<Time> many;
    for (int64_t time = 1; time <= 10000; ++time)
    {
        many.push_back(MilliSeconds(time));
    }
    const auto points = HtmlReportCharts::MakeCurve(many);
    ASSERT_EQ(points.size(), HtmlReportCharts::MAX_POINTS);
    EXPECT_EQ(points.front(), std::pair(1.0, 0.0));
    EXPECT_EQ(points[1], std::pair(1.0, 0.01));
    EXPECT_EQ(points.back(), std::pair(10000.0, 100.0));
}

TEST(HtmlReport, PhasesAreRunsOfOneGroup)
{
    const auto phases = HtmlReportPhase::Find({Call(1, 10, 20), Call(1, 5, 30), Call(2, 40, 41)});
    ASSERT_EQ(phases.size(), 2u);
    EXPECT_EQ(phases[0].count, 2u);
    EXPECT_EQ(phases[0].bytes, 2000u);
    EXPECT_EQ(phases[0].kinds, "AllGather");
    EXPECT_EQ(phases[0].start, MilliSeconds(5));
    EXPECT_EQ(phases[0].end, MilliSeconds(30));
    EXPECT_EQ(phases[1].dimension, Dimension::PP);
}

TEST(HtmlReport, BarsThatTouchAreOne)
{
    const auto config = GetConfig(MakeRun(), "chart-timeline");
    EXPECT_EQ(config["data"]["labels"],
              (nlohmann::json{"stage 0 fsdp", "stage 0 pp", "stage 1 pp"}));
    const auto& sets = config["data"]["datasets"];
    ASSERT_EQ(sets.size(), 2u);
    ASSERT_EQ(sets[0]["data"].size(), 1u);
    EXPECT_EQ(sets[0]["data"][0]["x"], (nlohmann::json{10.0, 30.0}));
    EXPECT_EQ(sets[0]["data"][0]["note"], "AllGather, 2 calls, 1.953 KiB");
    EXPECT_EQ(sets[1]["data"].size(), 2u);
    EXPECT_EQ(config["options"]["scales"]["x"]["max"], 100.0);
}

TEST(HtmlReport, BarsBeyondTheLimitAreCounted)
{
    HtmlReportData data = MakeRun();
    HtmlReportData::Port port;
    for (std::size_t span = 0; span < HtmlReportCharts::MAX_BARS + 5; ++span)
    {
        port.spans.push_back({OpticalCircuitSwitch::UP, 0, Time(), MilliSeconds(1)});
    }
    data.ports.assign(HtmlReportCharts::MAX_LINES + 2, port);
    for (const auto& chart : HtmlReportCharts::Make(data))
    {
        if (chart.section == "circuits")
        {
            EXPECT_EQ(chart.leftOut.find("2 of 66 ports are left out. "), 0u);
            const std::size_t all = (HtmlReportCharts::MAX_BARS + 5) * HtmlReportCharts::MAX_LINES;
            EXPECT_NE(chart.leftOut.find(
                          HtmlText::Number(uint64_t{all - HtmlReportCharts::MAX_BARS}) + " of "),
                      std::string::npos)
                << chart.leftOut;
        }
    }
}

TEST(HtmlReport, RailsThatDoTheSameAreOneCurve)
{
    HtmlReportData data = MakeRun();
    PhaseWindow window;
    window.duration = MilliSeconds(5);
    const RailWindows one{{window}};
    window.duration = MilliSeconds(6);
    data.summary.windowsOfRails = {one, {{window}}, one};
    const auto sets = GetConfig(data, "chart-windows")["data"]["datasets"];
    ASSERT_EQ(sets.size(), 2u);
    EXPECT_EQ(sets[0]["label"], "rails 0, 2");
    EXPECT_EQ(sets[1]["label"], "rail 1");
    EXPECT_EQ(sets[1]["data"][1], (nlohmann::json{{"x", 6.0}, {"y", 100.0}}));
}

TEST(HtmlReport, ARankThatIsAheadMovesTheBeginOfCharts)
{
    HtmlReportData data = MakeRun();
    data.communications[0][0].start = MilliSeconds(-20);
    EXPECT_EQ(GetConfig(data, "chart-timeline")["options"]["scales"]["x"]["min"], -20.0);
    data.communications[0][0].start = MicroSeconds(-20);
    EXPECT_EQ(GetConfig(data, "chart-timeline")["options"]["scales"]["x"]["min"], 0);
}

TEST(HtmlReport, WithoutALibraryThereAreTablesOnly)
{
    HtmlReportData data = MakeRun();
    data.library.clear();
    data.libraryRemark = "nobody draws";
    const std::string page = WriteReport(data);
    EXPECT_EQ(CountParts(page, "<canvas") + CountParts(page, "<script"), 0u);
    EXPECT_NE(page.find("nobody draws"), std::string::npos);
    EXPECT_NE(page.find("0.100000"), std::string::npos);
}

TEST(HtmlReport, EveryChartHasItsPlaceAndItsText)
{
    const HtmlReportData data = MakeRun();
    const std::string page = WriteReport(data);
    const auto charts = HtmlReportCharts::Make(data);
    EXPECT_EQ(charts.size(), 4u);
    for (const auto& chart : charts)
    {
        EXPECT_EQ(CountParts(page, "<canvas id=\"" + chart.id + "\" role=\"img\" aria-label=\""),
                  1u);
    }
}

TEST(HtmlReport, RecoveriesAreShownWhereThereAreSome)
{
    HtmlReportData data = MakeRun();
    EXPECT_EQ(CountParts(WriteReport(data), "id=\"recoveries\"") +
                  CountParts(WriteReport(data), "#recoveries"),
              0u);
    RunRecovery recovery;
    recovery.gpus = {5, 7};
    recovery.moves = {{5, 5, 17}, {7, 7, 18}};
    recovery.lost = MilliSeconds(20);
    recovery.detected = MilliSeconds(50);
    recovery.stopped = MilliSeconds(100);
    recovery.replaced = MilliSeconds(101);
    recovery.ready = MilliSeconds(600);
    recovery.resumed = MilliSeconds(602);
    recovery.lostWork = MilliSeconds(7);
    data.summary.recoveries.assign(HtmlReportCharts::MAX_LINES + 1, recovery);
    const std::string page = WriteReport(data);
    EXPECT_EQ(CountParts(page, "id=\"recoveries\""), 1u);
    EXPECT_EQ(CountParts(page, "#recoveries"), 1u);
    EXPECT_EQ(CountParts(page, "rank 5 from GPU 5 to 17, rank 7 from GPU 7 to 18"),
              HtmlReportCharts::MAX_LINES + 1);
    EXPECT_EQ(CountParts(page, "1 of 65 recoveries are left out. "), 1u);
    const auto sets = GetConfig(data, "chart-recoveries")["data"]["datasets"];
    ASSERT_EQ(sets.size(), 6u);
    const std::vector<double> times{30, 50, 1, 499, 2, 7};
    for (std::size_t i = 0; i < times.size(); ++i)
    {
        EXPECT_EQ(sets[i]["data"].size(), HtmlReportCharts::MAX_LINES);
        EXPECT_DOUBLE_EQ(sets[i]["data"][0].get<double>(), times[i]) << sets[i]["label"];
    }
}

TEST(RunRecovery, ManyMovesAreCounted)
{
    RunRecovery recovery;
    EXPECT_EQ(recovery.GetMovesText(2), "");
    recovery.moves = {{0, 0, 16}, {1, 1, 17}, {2, 2, 18}};
    EXPECT_EQ(recovery.GetMovesText(3),
              "rank 0 from GPU 0 to 16, rank 1 from GPU 1 to 17, rank 2 from GPU 2 to 18");
    EXPECT_EQ(recovery.GetMovesText(1), "rank 0 from GPU 0 to 16 and 2 other ranks");
}

TEST(HtmlReport, HostileTextsStayTexts)
{
    HtmlReportData data = MakeRun();
    const std::string before = WriteReport(data);
    data.sentence = data.costRemark = data.summary.fabric = data.summary.failure = HOSTILE;
    data.summary.settings = data.summary.derived = {{HOSTILE, HOSTILE}};
    data.summary.faults = {{HOSTILE, HOSTILE, Time(), Time::Max(), HOSTILE}};
    const std::string page = WriteReport(data);
    EXPECT_EQ(CountParts(page, "</script>"), CountParts(before, "</script>"));
    EXPECT_EQ(CountParts(page, "<img"), 0u);
    EXPECT_GE(CountParts(page, "&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&amp;&quot;"), 10u);
}

TEST(HtmlReport, ARunWithoutAnythingHasAPage)
{
    HtmlReportData data;
    data.library = "LIBRARY";
    const std::string page = WriteReport(data);
    EXPECT_EQ(page.find("nan"), std::string::npos);
    EXPECT_NE(page.find("</html>"), std::string::npos);
}
