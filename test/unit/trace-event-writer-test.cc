// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/nstime.h"
#include "ns3/trace-event-writer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

using namespace ns3;

namespace
{

using Json = nlohmann::json;

/// Count picoseconds; a second call would abort.
void
CountPicoseconds()
{
    if (Time::GetResolution() != Time::PS)
    {
        Time::SetResolution(Time::PS);
    }
}

TEST(TraceArguments, TextIsEscaped)
{
    const std::string text = "a \"quoted\" \\ back\nslash\ttab \x01 \xc3\xa4";
    const std::string quoted = TraceArguments::Quote(text);
    EXPECT_EQ(Json::parse(quoted).get<std::string>(), text);
    for (const char c : quoted)
    {
        EXPECT_TRUE(c >= ' ' && c <= '~') << "a byte outside ASCII: " << int{c};
    }
    EXPECT_EQ(TraceArguments::Quote("plain"), "\"plain\"");
    EXPECT_EQ(TraceArguments::Quote(""), "\"\"");
}

TEST(TraceArguments, BytesThatAreNoTextAreReplaced)
{
    EXPECT_EQ(TraceArguments::Quote("a\xff"), "\"a\\ufffd\"");
}

TEST(TraceArguments, TimesAreExactToThePicosecond)
{
    CountPicoseconds();
    EXPECT_EQ(TraceArguments::ToMicroseconds(PicoSeconds(0)), "0");
    EXPECT_EQ(TraceArguments::ToMicroseconds(PicoSeconds(1)), "0.000001");
    EXPECT_EQ(TraceArguments::ToMicroseconds(PicoSeconds(999'999)), "0.999999");
    EXPECT_EQ(TraceArguments::ToMicroseconds(PicoSeconds(1'000'000)), "1");
    EXPECT_EQ(TraceArguments::ToMicroseconds(PicoSeconds(1'500'000)), "1.5");
    EXPECT_EQ(TraceArguments::ToMicroseconds(PicoSeconds(100'000'000)), "100");
    // 100 s and a picosecond: more digits than a float has, and as many as a double has.
    const auto text = TraceArguments::ToMicroseconds(PicoSeconds(100'000'000'000'001));
    EXPECT_EQ(text, "100000000.000001");
    EXPECT_EQ(Json::parse(text).get<double>(), 100000000.000001);
}

TEST(TraceArguments, MembersKeepTheirOrder)
{
    TraceArguments arguments;
    EXPECT_TRUE(arguments.IsEmpty());
    EXPECT_EQ(arguments.GetText(), "{}");
    arguments.Add("z", uint64_t{18446744073709551615U})
        .Add("text", std::string("\"x\""))
        .AddNumber("number", 0.1)
        .AddTime("time_us", NanoSeconds(1))
        .AddFlag("flag");
    EXPECT_EQ(arguments.GetText(),
              R"({"z":18446744073709551615,"text":"\"x\"","number":0.1,"time_us":0.001,)"
              R"("flag":true})");
}

/// A writer and what it has written.
class TraceEventWriterTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        CountPicoseconds();
    }

    /// End the file and read it.
    Json Close(TraceEventWriter& writer)
    {
        writer.Close(R"({"note":"end"})");
        return Json::parse(m_os.str());
    }

    std::ostringstream m_os;
};

TEST_F(TraceEventWriterTest, AnEmptyTraceIsAnObject)
{
    TraceEventWriter writer(m_os, 10);
    const Json trace = Close(writer);
    EXPECT_EQ(trace["displayTimeUnit"], "ns");
    EXPECT_TRUE(trace["traceEvents"].empty());
    EXPECT_EQ(trace["otherData"]["note"], "end");
}

TEST_F(TraceEventWriterTest, NumbersOfProcessesAndThreadsAreUnique)
{
    TraceEventWriter writer(m_os, 0); // names do not count
    const uint32_t first = writer.AddProcess("a");
    const auto thread = writer.AddThread(first, "x");
    const uint32_t second = writer.AddProcess("b \"c\"");
    const auto other = writer.AddThread(first, "y");
    EXPECT_EQ(first, 1U);
    EXPECT_EQ(thread.number, 2U);
    EXPECT_EQ(second, 3U);
    EXPECT_EQ(other.number, 4U);
    EXPECT_EQ(other.process, first);
    const Json trace = Close(writer);
    ASSERT_EQ(trace["traceEvents"].size(), 8U);
    EXPECT_EQ(trace["traceEvents"][4],
              Json::parse(R"({"ph":"M","pid":3,"tid":3,"name":"process_name",)"
                          R"("args":{"name":"b \"c\""}})"));
    EXPECT_EQ(trace["traceEvents"][7],
              Json::parse(R"({"ph":"M","pid":1,"tid":4,"name":"thread_sort_index",)"
                          R"("args":{"sort_index":4}})"));
}

TEST_F(TraceEventWriterTest, EachSortOfEvent)
{
    TraceEventWriter writer(m_os, 100);
    const auto thread = writer.AddThread(writer.AddProcess("p"), "t");
    const Time begin = PicoSeconds(1'000'001);
    const Time end = PicoSeconds(2'500'000);
    ASSERT_TRUE(writer.Admit(8, end));
    writer.Slice(thread, "s", "c", begin, end, TraceArguments().Add("n", uint64_t{1}));
    writer.AsyncSlice(thread.process, "a", "c", begin, end, {});
    writer.Instant(thread, "i", "c", begin, {});
    writer.Counter(thread.process, "k", "value", begin, 0.25);
    const uint64_t flow = writer.AddFlow();
    writer.FlowPoint(flow, TraceEventWriter::Flow::START, thread, "f", "c", begin);
    writer.FlowPoint(flow, TraceEventWriter::Flow::STEP, thread, "f", "c", begin);
    writer.FlowPoint(flow, TraceEventWriter::Flow::END, thread, "f", "c", end);
    EXPECT_EQ(writer.AddFlow(), flow + 1);
    EXPECT_EQ(writer.GetEvents(), 8U);
    Json events = Close(writer)["traceEvents"];
    events.erase(events.begin(), events.begin() + 4); // names
    const char* expected[] = {
        R"({"ph":"X","pid":1,"tid":2,"name":"s","cat":"c","ts":1.000001,"dur":1.499999,)"
        R"("args":{"n":1}})",
        R"({"ph":"b","pid":1,"tid":1,"name":"a","cat":"c","id2":{"local":"1"},"ts":1.000001})",
        R"({"ph":"e","pid":1,"tid":1,"name":"a","cat":"c","id2":{"local":"1"},"ts":2.5})",
        R"({"ph":"i","pid":1,"tid":2,"name":"i","cat":"c","s":"t","ts":1.000001})",
        R"({"ph":"C","pid":1,"tid":1,"name":"k","ts":1.000001,"args":{"value":0.25}})",
        R"({"ph":"s","pid":1,"tid":2,"name":"f","cat":"c","id":1,"ts":1.000001})",
        R"({"ph":"t","pid":1,"tid":2,"name":"f","cat":"c","id":1,"ts":1.000001})",
        R"({"ph":"f","pid":1,"tid":2,"name":"f","cat":"c","id":1,"ts":2.5,"bp":"e"})"};
    ASSERT_EQ(events.size(), std::size(expected));
    for (std::size_t i = 0; i < std::size(expected); ++i)
    {
        EXPECT_EQ(events[i], Json::parse(expected[i]));
    }
}

TEST_F(TraceEventWriterTest, OneEventALine)
{
    TraceEventWriter writer(m_os, 1);
    const auto thread = writer.AddThread(writer.AddProcess("p\n"), "t");
    ASSERT_TRUE(writer.Admit(1, Time()));
    writer.Instant(thread, "i", "c", Time(), {});
    Close(writer);
    std::istringstream lines(m_os.str());
    std::string line;
    std::getline(lines, line);
    for (int event = 0; event < 5; ++event)
    {
        ASSERT_TRUE(std::getline(lines, line));
        line.erase(line.find_last_not_of(',') + 1);
        EXPECT_TRUE(Json::parse(line).is_object()) << line;
    }
}

TEST_F(TraceEventWriterTest, WhatBelongsTogetherIsWrittenInFullOrNotAtAll)
{
    TraceEventWriter writer(m_os, 3);
    const uint32_t process = writer.AddProcess("p");
    const auto thread = writer.AddThread(process, "t");
    ASSERT_TRUE(writer.Admit(2, MicroSeconds(1)));
    writer.AsyncSlice(process, "a", "c", Time(), MicroSeconds(1), {});
    EXPECT_FALSE(writer.GetLeftOutFrom());
    EXPECT_FALSE(writer.Admit(2, MicroSeconds(7)));
    // There is room for one, but then something between would be missing.
    EXPECT_FALSE(writer.Admit(1, MicroSeconds(5)));
    EXPECT_FALSE(writer.Admit(1, MicroSeconds(9)));
    EXPECT_EQ(writer.GetEvents(), 2U);
    EXPECT_EQ(writer.GetLeftOut(), 4U);
    EXPECT_EQ(*writer.GetLeftOutFrom(), MicroSeconds(5));
    const Json events = Close(writer)["traceEvents"];
    ASSERT_EQ(events.size(), 7U);
    EXPECT_EQ(events.back(),
              Json::parse(R"({"ph":"i","pid":0,"tid":0,"s":"g","ts":5,"args":{"events":4},)"
                          R"("name":"the file is full: events are missing from here on"})"));
    EXPECT_EQ(thread.number, 2U);
}

TEST_F(TraceEventWriterTest, TheBoundItselfIsAllowed)
{
    TraceEventWriter writer(m_os, 1);
    const auto thread = writer.AddThread(writer.AddProcess("p"), "t");
    ASSERT_TRUE(writer.Admit(1, Time()));
    writer.Instant(thread, "i", "c", Time(), {});
    EXPECT_EQ(writer.GetLeftOut(), 0U);
    EXPECT_EQ(Close(writer)["traceEvents"].size(), 5U);
}

} // namespace
