// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/report-value.h"

#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <string>

using namespace ns3;

namespace
{

/// @return what Read says of a text
std::string
Read(const std::string& text, CsvTable& table)
{
    std::istringstream stream(text);
    return table.Read(stream);
}

} // namespace

TEST(CsvTable, IsReadAsItWasWritten)
{
    std::mt19937 random(1);
    const std::string letters = "ab,\"\n ;";
    for (int round = 0; round < 2000; ++round)
    {
        const auto draw = [&] {
            std::string field;
            for (uint32_t i = random() % 6; i > 0; --i)
            {
                field += letters[random() % letters.size()];
            }
            return field;
        };
        CsvTable table({draw() + "x", draw(), draw()});
        for (uint32_t rows = random() % 4; rows > 0; --rows)
        {
            table.Add({draw(), draw(), draw()});
        }
        std::ostringstream text;
        table.Write(text);
        CsvTable other;
        ASSERT_EQ(Read(text.str(), other), "") << text.str();
        ASSERT_EQ(other.GetColumns(), table.GetColumns()) << text.str();
        ASSERT_EQ(other.GetRows(), table.GetRows()) << text.str();
    }
}

TEST(CsvTable, ALineThatWasBeingWrittenIsLeftOut)
{
    CsvTable table;
    EXPECT_EQ(Read("a,b\r\n1,2\n3,", table), "");
    EXPECT_EQ(table.GetRows(), (std::vector<CsvTable::Row>{{"1", "2"}}));
    EXPECT_EQ(Read("a,b\n1,2\n3,\"4\n", table), "");
    EXPECT_EQ(table.GetRows().size(), 1u);
    EXPECT_EQ(table.Find("b"), 1u);
    EXPECT_EQ(table.Find("c"), 2u);
}

TEST(CsvTable, WhatIsNoTable)
{
    CsvTable table;
    EXPECT_EQ(Read("", table), "it has no line");
    EXPECT_EQ(Read("a,b", table), "it has no line");
    EXPECT_EQ(Read("a,b\n1\n", table), "line 2 has 1 fields, not 2");
    EXPECT_EQ(Read("a,b\n1,x\"y\"\n", table), "line 2 has a quote within a field");
    EXPECT_EQ(Read("a,b\n\"1\n\"z,2\n", table), "line 3 has a quote within a field");
}

TEST(CsvTable, AnyTextIsAnswered)
{
    std::mt19937 random(2);
    const std::string letters = "a,\"\n\r";
    for (int round = 0; round < 20000; ++round)
    {
        std::string text;
        for (uint32_t i = random() % 40; i > 0; --i)
        {
            text += letters[random() % letters.size()];
        }
        CsvTable table;
        if (Read(text, table).empty())
        {
            for (const auto& row : table.GetRows())
            {
                ASSERT_EQ(row.size(), table.GetColumns().size()) << text;
            }
        }
    }
}
