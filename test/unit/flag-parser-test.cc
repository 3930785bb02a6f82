// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/flag-parser.h"

#include <gtest/gtest.h>

using namespace ns3;

TEST(FlagParser, TimesWithUnits)
{
    EXPECT_EQ(FlagParser::ParseTime("25ms", Seconds(1000)), MilliSeconds(25));
    EXPECT_EQ(FlagParser::ParseTime("1.5us", Seconds(1000)), NanoSeconds(1500));
    EXPECT_EQ(FlagParser::ParseTime("2min", Seconds(1000)), Seconds(120));
    EXPECT_EQ(FlagParser::ParseTime("0", Seconds(1000)), Time(0));
    EXPECT_EQ(FlagParser::ParseTime("0s", Seconds(1000)), Time(0));
}

TEST(FlagParser, TimesThatAreNone)
{
    for (const char* text : {"",
                             "ms",
                             "soon",
                             "-1ms",
                             "25 ms",
                             "25mss",
                             "1e300s",
                             "2e3s",
                             "nan",
                             "inf",
                             "nans",
                             "1,5s",
                             "0x10s",
                             "2",
                             "1.5",
                             "+1s"})
    {
        EXPECT_FALSE(FlagParser::ParseTime(text, Seconds(1000))) << text;
    }
}

TEST(FlagParser, Rates)
{
    EXPECT_EQ(FlagParser::ParseRate("100Gbps")->GetBitRate(), 100000000000u);
    EXPECT_EQ(FlagParser::ParseRate("1Gbps")->GetBitRate(), 1000000000u);
    for (const char* text :
         {"", "fast", "0bps", "1Mbps", "-5Gbps", "10", "1e30Gbps", "100 parsecs", "0x10Gbps"})
    {
        EXPECT_FALSE(FlagParser::ParseRate(text)) << text;
    }
}

TEST(FlagParser, Counts)
{
    EXPECT_EQ(FlagParser::ParseCount("0"), 0u);
    EXPECT_EQ(FlagParser::ParseCount("4294967295"), 4294967295u);
    for (const char* text : {"", "-1", "+1", "4.9", "2x", " 3", "4294967296", "0x10", "two"})
    {
        EXPECT_FALSE(FlagParser::ParseCount(text)) << text;
    }
}

TEST(FlagParser, Fractions)
{
    EXPECT_EQ(FlagParser::ParseFraction("0.28"), 0.28);
    EXPECT_EQ(FlagParser::ParseFraction("1"), 1.0);
    for (const char* text : {"", "-0.1", "0.5x", "nan", "inf", "half"})
    {
        EXPECT_FALSE(FlagParser::ParseFraction(text)) << text;
    }
}

TEST(FlagParser, Bytes)
{
    EXPECT_EQ(FlagParser::ParseBytes("0"), 0u);
    EXPECT_EQ(FlagParser::ParseBytes("4096"), 4096u);
    EXPECT_EQ(FlagParser::ParseBytes("3K"), 3072u);
    EXPECT_EQ(FlagParser::ParseBytes("1MiB"), 1048576u);
    EXPECT_EQ(FlagParser::ParseBytes("2G"), uint64_t{2} << 30);
    EXPECT_EQ(FlagParser::ParseBytes("1T"), uint64_t{1} << 40);
    for (const char* text :
         {"", "K", "-1", "+1", "1.5M", "1MB", "1 M", "0x10", "1025G", "1099511627777", "2T"})
    {
        EXPECT_FALSE(FlagParser::ParseBytes(text)) << text;
    }
}

TEST(FlagParser, Lists)
{
    EXPECT_EQ(FlagParser::List({}), "");
    EXPECT_EQ(FlagParser::List({"a", "b"}), "a, b");
}
