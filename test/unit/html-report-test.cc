// SPDX-License-Identifier: GPL-2.0-only

// What the page is drawn from; test/system/report-test.py looks at what a browser draws.

#include "ns3/html-page.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace ns3;

namespace
{

constexpr const char* HOSTILE = "</script><img src=x onerror='alert(1)'><!--&\"\xE2\x80\xA8\xFF";

/// A page from what has no run.
std::string
WriteReport(const HtmlReport& data)
{
    std::ostringstream text;
    data.Write(text);
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
HtmlReport
MakeRun()
{
    HtmlReport data;
    data.summary.fabric = "photonic";
    data.summary.iterationsAsked = 1;
    data.summary.iterations.push_back({0, MilliSeconds(100), 3, MilliSeconds(7)});
    data.communications = {{Call(1, 10, 20), Call(1, 20, 30), Call(2, 40, 41)}, {Call(2, 40, 41)}};
    data.library = "LIBRARY";
    return data;
}

/// @return the object that the page is drawn from
nlohmann::json
GetData(const HtmlReport& data)
{
    return nlohmann::json::parse(data.MakeData().ToText());
}

} // namespace

TEST(HtmlReport, EmbeddedJsonHasTheSameValuesAndNoTags)
{
    const ReportValue value(ReportValue::Object{{HOSTILE, HOSTILE}});
    const std::string embedded = HtmlPage::Embed(value);
    EXPECT_EQ(nlohmann::json::parse(embedded), nlohmann::json::parse(value.ToText()));
    EXPECT_EQ(embedded.find_first_of("<>&"), std::string::npos) << embedded;
    for (const char c : embedded)
    {
        EXPECT_GE(c, ' ') << embedded; // in ASCII: no separators of lines either
    }
}

TEST(HtmlReport, CurvesAreThinnedOutFromTheFirstToTheLastTime)
{
    EXPECT_TRUE(HtmlReport::MakeCurve({}).empty());
    EXPECT_TRUE(HtmlReport::MakeCurve({MilliSeconds(-1), Time()}).empty());
    using Points = std::vector<std::pair<Time, double>>;
    EXPECT_EQ(HtmlReport::MakeCurve({MilliSeconds(-1), MilliSeconds(2)}),
              (Points{{MilliSeconds(2), 50}, {MilliSeconds(2), 100}}));
    std::vector<Time> many;
    for (int64_t time = 1; time <= 10000; ++time)
    {
        many.push_back(MilliSeconds(time));
    }
    const auto points = HtmlReport::MakeCurve(many);
    ASSERT_EQ(points.size(), HtmlReport::MAX_POINTS);
    EXPECT_EQ(points.front(), std::pair(MilliSeconds(1), 0.0));
    EXPECT_EQ(points[1], std::pair(MilliSeconds(1), 0.01));
    EXPECT_EQ(points.back(), std::pair(MilliSeconds(10000), 100.0));
}

TEST(HtmlReport, PhasesAreRunsOfOneGroup)
{
    HtmlReport data = MakeRun();
    data.communications[0][1].start = MilliSeconds(5);
    const auto phases = GetData(data)["timeline"]["phases"];
    EXPECT_EQ(phases["all"], 3);
    ASSERT_EQ(phases["rows"].size(), 3u);
    const auto& first = phases["rows"][0];
    EXPECT_EQ(first["stage"], 0);
    EXPECT_EQ(first["dimension"], "fsdp");
    EXPECT_EQ(first["kinds"], "AllGather");
    EXPECT_EQ(first["count"], 2);
    EXPECT_EQ(first["bytes"], 2000);
    EXPECT_EQ(first["start_s"], 0.005);
    EXPECT_EQ(first["end_s"], 0.03);
    EXPECT_EQ(phases["rows"][1]["dimension"], "pp");
    EXPECT_EQ(phases["rows"][2]["stage"], 1);
}

TEST(HtmlReport, BarsThatTouchAreOne)
{
    const auto timeline = GetData(MakeRun())["timeline"];
    EXPECT_EQ(timeline["calls"], 4);
    EXPECT_EQ(timeline["end_s"], 0.1);
    const auto& chart = timeline["chart"];
    EXPECT_EQ(chart["lines"], (nlohmann::json{"stage 0 fsdp", "stage 0 pp", "stage 1 pp"}));
    ASSERT_EQ(chart["bars"].size(), 3u);
    const auto& bar = chart["bars"][0];
    EXPECT_EQ(bar["set"], "fsdp");
    EXPECT_EQ(bar["start_s"], 0.01);
    EXPECT_EQ(bar["end_s"], 0.03);
    EXPECT_EQ(bar["note"], "AllGather");
    EXPECT_EQ(bar["count"], 2);
    EXPECT_EQ(bar["bytes"], 2000);
    EXPECT_EQ(chart["bars"][2]["line"], 2);
}

TEST(HtmlReport, RowsAndBarsBeyondTheLimitAreCounted)
{
    HtmlReport data = MakeRun();
    HtmlReport::Port port;
    for (std::size_t span = 0; span < HtmlReport::MAX_BARS + 5; ++span)
    {
        port.spans.push_back({OpticalCircuitSwitch::UP, 0, Time(), MilliSeconds(1)});
    }
    data.ports.assign(HtmlReport::MAX_ROWS + 2, port);
    const auto page = GetData(data);
    EXPECT_EQ(page["circuits"]["lines"].size(), HtmlReport::MAX_LINES);
    EXPECT_EQ(page["circuits"]["all_lines"], HtmlReport::MAX_ROWS + 2);
    EXPECT_EQ(page["circuits"]["bars"].size(), HtmlReport::MAX_BARS);
    EXPECT_EQ(page["circuits"]["all_bars"], (HtmlReport::MAX_BARS + 5) * HtmlReport::MAX_LINES);
    EXPECT_EQ(page["ports"]["rows"].size(), HtmlReport::MAX_ROWS);
    EXPECT_EQ(page["ports"]["all"], HtmlReport::MAX_ROWS + 2);
    EXPECT_EQ(page["ports"]["rows"][0]["circuits"], HtmlReport::MAX_BARS + 5);
}

TEST(HtmlReport, RailsThatDoTheSameAreOneCurve)
{
    HtmlReport data = MakeRun();
    PhaseWindow window;
    window.duration = MilliSeconds(5);
    const RailWindows one{{window}};
    window.duration = MilliSeconds(6);
    data.summary.windowsOfRails = {one, {{window}}, one};
    const auto chart = GetData(data)["windows"]["chart"];
    EXPECT_EQ(chart["all"], 2);
    ASSERT_EQ(chart["curves"].size(), 2u);
    EXPECT_EQ(chart["curves"][0]["label"], "rails 0, 2");
    EXPECT_EQ(chart["curves"][1]["label"], "rail 1");
    EXPECT_EQ(chart["curves"][1]["points"][1], (nlohmann::json{0.006, 100.0}));
    EXPECT_EQ(GetData(data)["windows"]["tables"]["rails"].size(), 3u);
}

TEST(HtmlReport, ARankThatIsAheadMovesTheBeginOfCharts)
{
    HtmlReport data = MakeRun();
    data.communications[0][0].start = MilliSeconds(-20);
    EXPECT_EQ(GetData(data)["timeline"]["begin_s"], -0.02);
    data.communications[0][0].start = MicroSeconds(-20);
    EXPECT_EQ(GetData(data)["timeline"]["begin_s"], 0.0);
}

TEST(HtmlReport, ThePageHasTheLibraryTheDataAndTheSummary)
{
    HtmlReport data = MakeRun();
    const std::string page = WriteReport(data);
    EXPECT_EQ(page.find("<!DOCTYPE html>"), 0u);
    EXPECT_NE(page.find("</html>"), std::string::npos);
    EXPECT_EQ(CountParts(page, "<script id=\"library\">LIBRARY</script>"), 1u);
    EXPECT_EQ(CountParts(page, "@LIBRARY@") + CountParts(page, "@DATA@"), 0u);
    EXPECT_EQ(CountParts(page, "id=\"data\">" + HtmlPage::Embed(data.MakeData())), 1u);
    std::ostringstream summary;
    data.summary.WriteJson(summary);
    EXPECT_EQ(GetData(data)["run"], nlohmann::json::parse(summary.str()));
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
    HtmlReport data = MakeRun();
    const std::string before = WriteReport(data);
    data.sentence = data.costRemark = data.summary.fabric = data.summary.failure = HOSTILE;
    data.summary.settings = data.summary.derived = {{HOSTILE, HOSTILE}};
    data.summary.faults = {{HOSTILE, HOSTILE, Time(), Time::Max(), HOSTILE}};
    const std::string page = WriteReport(data);
    for (const char* tag : {"</script>", "<!--", "<img"})
    {
        EXPECT_EQ(CountParts(page, tag), CountParts(before, tag)) << tag;
    }
    EXPECT_GE(CountParts(page, "\\u003cimg src=x onerror='alert(1)'\\u003e"), 10u);
}

TEST(HtmlReport, ARunWithoutAnythingHasAPage)
{
    HtmlReport data;
    data.library = "LIBRARY";
    EXPECT_EQ(GetData(data)["run"]["iterations"].size(), 0u);
    EXPECT_NE(WriteReport(data).find("</html>"), std::string::npos);
}
