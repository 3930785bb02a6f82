// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/csv-row.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

TEST(CsvRow, FieldsAreWithoutQuotationMarks)
{
    std::istringstream in("plain,\"with \"\"quotes\"\", and a comma\",\"two\nlines\",\r\nlast");
    std::vector<std::string> fields;
    CsvPlace place;
    ASSERT_TRUE(ReadCsvRow(in, fields, place)) << place.error;
    EXPECT_EQ(
        fields,
        (std::vector<std::string>{"plain", "with \"quotes\", and a comma", "two\nlines", ""}));
    EXPECT_TRUE(place.isWhole);
    EXPECT_EQ(place.line, 2U);
    ASSERT_TRUE(ReadCsvRow(in, fields, place)) << place.error;
    EXPECT_EQ(fields, std::vector<std::string>{"last"});
    EXPECT_FALSE(place.isWhole);
    EXPECT_EQ(place.line, 3U);
    EXPECT_EQ(place.bytes, in.str().size());
    EXPECT_FALSE(ReadCsvRow(in, fields, place));
    EXPECT_EQ(place.error, "");
}

TEST(CsvRow, AByteOrderMarkIsNoPartOfAField)
{
    const std::string mark = "\xEF\xBB\xBF";
    for (const std::string first : {"rank", "\"rank\""})
    {
        std::istringstream in(mark + first + ",b\n" + mark + "1,2\n");
        std::vector<std::string> fields;
        CsvPlace place;
        ASSERT_TRUE(ReadCsvRow(in, fields, place)) << place.error;
        EXPECT_EQ(fields, (std::vector<std::string>{"rank", "b"}));
        ASSERT_TRUE(ReadCsvRow(in, fields, place)) << place.error;
        EXPECT_EQ(fields, (std::vector<std::string>{mark + "1", "2"})) << "only at the beginning";
        EXPECT_EQ(place.bytes, in.str().size());
    }
}

TEST(CsvRow, ErrorsNameTheLine)
{
    const auto read = [](const std::string& text, std::size_t maxBytes) {
        std::istringstream in(text);
        std::vector<std::string> fields;
        CsvPlace place;
        while (ReadCsvRow(in, fields, place, maxBytes))
        {
        }
        return place.error;
    };
    EXPECT_EQ(read("a,b\nc,d\"e\n", 100), "line 2 has a quote within a field");
    EXPECT_EQ(read("a,b\n\"c\"d\n", 100), "line 2 has a quote within a field");
    EXPECT_EQ(read("123456789\n", 10), "");
    EXPECT_EQ(read("1234567890\n", 10), "line 1 is too long");
}

TEST(CsvRow, WholeNumbersOfOtherTools)
{
    constexpr uint64_t MOST = uint64_t{1} << 40;
    const std::vector<std::pair<std::string, uint64_t>> numbers{{"0", 0},
                                                                {"007", 7},
                                                                {"2000000.0", 2000000},
                                                                {"5.", 5},
                                                                {"2e6", 2000000},
                                                                {"2.5E+1", 25},
                                                                {"250e-1", 25},
                                                                {"0.00e-9", 0},
                                                                {"1099511627776.0", MOST},
                                                                {std::string(60, '0') + "1.0", 1}};
    for (const auto& [text, number] : numbers)
    {
        EXPECT_EQ(ParseWholeNumber(text, MOST), number) << text;
    }
    for (const std::string text : {"",
                                   ".",
                                   ".5",
                                   "1.5",
                                   "25e-2",
                                   "1.00000000000000000001",
                                   "-1",
                                   "+1",
                                   "1e",
                                   "1e999",
                                   "1e99",
                                   "0x10",
                                   "1 2",
                                   "1099511627777",
                                   "1_000",
                                   "99999999999999999999",
                                   "1.0.0",
                                   "inf"})
    {
        EXPECT_FALSE(ParseWholeNumber(text, MOST)) << text;
    }
    EXPECT_EQ(TrimField(" \ta b "), "a b");
    EXPECT_EQ(TrimField("  "), "");
}
