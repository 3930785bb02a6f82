// SPDX-License-Identifier: GPL-2.0-only

#include "ns3/json-reader.h"
#include "ns3/transformer-spec.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

using namespace ns3;

namespace
{

/**
 * @param text any bytes
 * @return what is said of them
 */
std::string
ParseText(const std::string& text)
{
    nlohmann::json value;
    return JsonText::Parse(text, value);
}

/**
 * Read bytes as a model. Whatever they are, there is a valid model or one line of readable text.
 *
 * @param text any bytes
 * @return true if they are a model
 */
bool
IsModel(const std::string& text)
{
    TransformerSpec model;
    const std::string error = TransformerJson::Parse(text, model);
    if (error.empty())
    {
        EXPECT_EQ(model.Validate(), "") << text;
        TransformerSpec again;
        EXPECT_EQ(TransformerJson::Parse(TransformerJson::ToText(model), again), "") << text;
        EXPECT_EQ(TransformerJson::ToText(again), TransformerJson::ToText(model));
        return true;
    }
    EXPECT_TRUE(model.name.empty());
    EXPECT_LE(error.size(), 300U) << error;
    EXPECT_TRUE(std::all_of(error.begin(), error.end(), [](char c) {
        return c >= ' ' && c <= '~';
    })) << error;
    return false;
}

/**
 * @param depth how many arrays are inside each other
 * @return the text, with a number in the middle
 */
std::string
Nest(std::size_t depth)
{
    return std::string(depth, '[') + "1" + std::string(depth, ']');
}

} // namespace

TEST(JsonText, ErrorsSayWhere)
{
    EXPECT_EQ(ParseText("{\"a\": [1, 2.5, \"x\", null, true]}"), "");
    EXPECT_EQ(ParseText(""), "line 1, column 1: must be JSON");
    EXPECT_EQ(ParseText("}"), "line 1, column 1: must be JSON");
    EXPECT_EQ(ParseText("{\n  \"a\": x\n}"), "line 2, column 8: must be JSON");
    EXPECT_EQ(ParseText("{\"a\": 1"), "line 1, column 8: must be JSON");
    EXPECT_EQ(ParseText("{}\n{}"), "line 2, column 1: must be JSON");
    EXPECT_EQ(ParseText("{\"a\": 1,}"), "line 1, column 9: must be JSON");
    EXPECT_EQ(ParseText("// a\n{}"), "line 1, column 1: must be JSON");
    EXPECT_EQ(ParseText("\"\xff\""), "line 1, column 2: must be JSON");
    EXPECT_EQ(ParseText(std::string("{}\0", 3)), "line 1, column 3: must be JSON");
    EXPECT_EQ(ParseText("-1e999"), "numbers: must be at most 1e308");
}

TEST(JsonText, KeysAreInAnObjectOnce)
{
    EXPECT_EQ(ParseText(R"({"a": 1, "b": {"a": 1}, "c": [{"a": 1}, {"a": 2}]})"), "");
    EXPECT_EQ(ParseText(R"({"a": 1, "a": 1})"), "a: must be in an object once");
    EXPECT_EQ(ParseText(R"({"a": {"b": 1}, "a": 1})"), "a: must be in an object once");
    EXPECT_EQ(ParseText(R"([{"b": {"\u0061": [], "a": 1}}])"), "a: must be in an object once");
}

TEST(JsonText, SizeAndDepthAreLimited)
{
    EXPECT_EQ(ParseText(std::string(JsonText::MAX_BYTES - 1, ' ') + "1"), "");
    EXPECT_EQ(ParseText(std::string(JsonText::MAX_BYTES, ' ') + "1"),
              "size=65537 bytes: must be at most 65536");
    EXPECT_EQ(ParseText(Nest(16)), "");
    const std::string tooDeep = "objects and arrays inside each other: must be at most 16";
    EXPECT_EQ(ParseText(Nest(17)), tooDeep);
    EXPECT_EQ(ParseText(Nest(32767)), tooDeep);
    EXPECT_EQ(ParseText(std::string(65536, '[')), tooDeep);
    std::string objects;
    for (int i = 0; i < 10000; ++i)
    {
        objects += "{\"a\":";
    }
    EXPECT_EQ(ParseText(objects), tooDeep);
    EXPECT_EQ(ParseText(Nest(3) + std::string(100, ']')), "line 1, column 8: must be JSON");
}

TEST(JsonText, AnyBytesAreAModelOrOneLine)
{
    std::mt19937 random(4);
    const std::string signs = "{}[]:,\"\\-+.eE0123456789 \ntrufalsn\xc3\xa4\xff";
    for (int i = 0; i < 2000; ++i)
    {
        std::string bytes(random() % 200, ' ');
        std::string json = bytes;
        std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<char>(random()); });
        std::generate(json.begin(), json.end(), [&] { return signs[random() % signs.size()]; });
        EXPECT_FALSE(IsModel(bytes));
        EXPECT_FALSE(IsModel(json));
    }
}

TEST(JsonText, ChangedBytesAreAModelOrOneLine)
{
    std::mt19937 random(5);
    const auto names = TransformerSpec::GetNames();
    const std::vector<std::string> numbers{"0",
                                           "-1",
                                           "1.5",
                                           "4294967296",
                                           "18446744073709551615",
                                           "18446744073709551616",
                                           "1e308",
                                           "1e309",
                                           std::string(1000, '9')};
    int models = 0;
    for (int i = 0; i < 4000; ++i)
    {
        std::string text =
            TransformerJson::ToText(TransformerSpec::Find(names[random() % names.size()]).value());
        const auto changes = 1 + random() % 3;
        for (unsigned change = 0; change < changes; ++change)
        {
            const std::size_t at = random() % text.size();
            const std::size_t other = random() % text.size();
            switch (random() % 9)
            {
            case 0:
                text[at] = static_cast<char>(random());
                break;
            case 1:
                text.erase(at, 1 + random() % 20);
                break;
            case 2:
                text.insert(at, text.substr(other, random() % 40));
                break;
            case 3:
                text.insert(at, numbers[random() % numbers.size()]);
                break;
            default:
                if (const auto digit = text.find_first_of("0123456789", at);
                    digit != std::string::npos)
                {
                    text[digit] = static_cast<char>('0' + random() % 10);
                }
                break;
            }
            text += " "; // never empty
        }
        models += IsModel(text) ? 1 : 0;
    }
    // Both ways out are taken often.
    EXPECT_GT(models, 400);
    EXPECT_LT(models, 3600);
}
