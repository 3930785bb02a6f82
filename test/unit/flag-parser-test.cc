// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/flag-parser.h"

#include <gtest/gtest.h>

using namespace ns3;

TEST(FlagParser, TimesWithUnits)
{
    EXPECT_EQ(FlagParser::ParseTime("25ms"), MilliSeconds(25));
    EXPECT_EQ(FlagParser::ParseTime("1.5us"), NanoSeconds(1500));
    EXPECT_EQ(FlagParser::ParseTime("2"), Seconds(2));
    EXPECT_EQ(FlagParser::ParseTime("2min"), Seconds(120));
    EXPECT_EQ(FlagParser::ParseTime("0"), Time(0));
    EXPECT_EQ(FlagParser::ParseTime("0s"), Time(0));
}

TEST(FlagParser, TimesThatAreNone)
{
    for (const char* text :
         {"", "ms", "soon", "-1ms", "25 ms", "25mss", "1e300s", "2e6s", "nan", "inf", "nans", "1,5s", "0x10s", "+1s"})
    {
        EXPECT_FALSE(FlagParser::ParseTime(text)) << text;
    }
}

TEST(FlagParser, Rates)
{
    EXPECT_EQ(FlagParser::ParseRate("100Gbps")->GetBitRate(), 100000000000u);
    EXPECT_EQ(FlagParser::ParseRate("1Mbps")->GetBitRate(), 1000000u);
    for (const char* text : {"", "fast", "0bps", "-5Gbps", "10", "1e30Gbps", "100 parsecs", "0x10Gbps"})
    {
        EXPECT_FALSE(FlagParser::ParseRate(text)) << text;
    }
}

TEST(FlagParser, Lists)
{
    EXPECT_EQ(FlagParser::List({}), "");
    EXPECT_EQ(FlagParser::List({"a", "b"}), "a, b");
}
