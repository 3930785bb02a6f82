// SPDX-License-Identifier: GPL-2.0-only

#include "json-mutations.h"

/**
 * @file
 * The catalogue of parts: what is built in, what users may write, one line for everything else.
 */

#include "ns3/json-reader.h"
#include "ns3/parts-catalogue.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace ns3;

namespace
{

/// @return what is said of a catalogue with one part, of which one key has another value
std::string
ReplacePart(const std::string& key, const nlohmann::json& value)
{
    nlohmann::json part{{"name", "x"},
                        {"kind", "switch"},
                        {"ports", 64},
                        {"gbps", 400},
                        {"price_usd", 1.5},
                        {"watts", 2},
                        {"source", "me"},
                        {"date", "2026-02"}};
    part[key] = value;
    PartsCatalogue catalogue;
    return PartsCatalogue::Parse(nlohmann::json{{"parts", {part}}}.dump(), catalogue);
}

/// @return what is said of a text
std::string
ParseCatalogue(const std::string& text)
{
    PartsCatalogue catalogue;
    return PartsCatalogue::Parse(text, catalogue);
}

/**
 * Read bytes. Whatever they are, there are valid parts or one line of readable text.
 *
 * @param text any bytes
 * @return true if they are a catalogue
 */
bool
IsCatalogue(const std::string& text)
{
    PartsCatalogue catalogue;
    const std::string error = PartsCatalogue::Parse(text, catalogue);
    if (error.empty())
    {
        PartsCatalogue again;
        EXPECT_EQ(PartsCatalogue::Parse(catalogue.ToText(), again), "") << text;
        EXPECT_EQ(again.ToText(), catalogue.ToText());
        for (const auto& part : catalogue.GetParts())
        {
            EXPECT_GE(part.ports, 1U);
            EXPECT_GE(part.usd / part.ports, 0);
            EXPECT_LE(part.watts / part.ports, PartsCatalogue::MAX_WATTS);
            EXPECT_EQ(part.gbps == 0, part.kind == NetworkPart::Kind::OCS);
        }
        return true;
    }
    EXPECT_TRUE(catalogue.GetParts().empty());
    EXPECT_LE(error.size(), 300U) << error;
    EXPECT_TRUE(std::all_of(error.begin(), error.end(), [](char c) {
        return c >= ' ' && c <= '~';
    })) << error;
    return false;
}

} // namespace

TEST(PartsCatalogue, HasTheFiguresOfThePublishedScriptWithTheirSources)
{
    NetworkParts parts;
    ASSERT_EQ(PartsCatalogue::GetDefault().Select(400, parts), "");
    EXPECT_EQ(parts.transceiver.usd, 879);
    EXPECT_EQ(parts.transceiver.watts, 10);
    EXPECT_EQ(parts.packetSwitch.usd, 37299);
    EXPECT_EQ(parts.packetSwitch.watts, 2524);
    EXPECT_EQ(parts.packetSwitch.ports, 64U);
    EXPECT_EQ(parts.ocs.usd / parts.ocs.ports, 520);
    EXPECT_EQ(parts.ocs.watts / parts.ocs.ports, 75.0 / 192);
    ASSERT_EQ(PartsCatalogue::GetDefault().Select(800, parts), "");
    EXPECT_EQ(parts.transceiver.usd, 879);
    EXPECT_EQ(parts.transceiver.watts, 16);
    EXPECT_EQ(parts.packetSwitch.usd, 149939);
    EXPECT_EQ(parts.packetSwitch.watts, 7000);
    EXPECT_EQ(parts.packetSwitch.ports, 144U);
    for (const auto& part : PartsCatalogue::GetDefault().GetParts())
    {
        EXPECT_NE(part.source.find("2602.12521"), std::string::npos) << part.name;
        EXPECT_EQ(part.date, "2026-02");
    }
    EXPECT_EQ(PartsCatalogue::GetDefault().Select(100, parts),
              "there is no transceiver of 100 Gbit/s among the parts: must be one of each kind");
    EXPECT_EQ(parts.packetSwitch.ports, 144U) << "left as it was";
}

TEST(PartsCatalogue, ReadsWhatItWrites)
{
    EXPECT_TRUE(IsCatalogue(PartsCatalogue::GetDefault().ToText()));
    PartsCatalogue catalogue;
    ASSERT_EQ(PartsCatalogue::Parse(PartsCatalogue::GetDefault().ToText(), catalogue), "");
    EXPECT_EQ(catalogue.GetParts().size(), 5U);
    EXPECT_EQ(catalogue.ToText(), PartsCatalogue::GetDefault().ToText());
}

TEST(PartsCatalogue, ErrorsNameTheKeyAndWhatIsAllowed)
{
    EXPECT_EQ(ReplacePart("watts", 2), "");
    EXPECT_EQ(ReplacePart("watts", -1), "parts[0].watts=-1: must be a number, 0 to 1000000");
    EXPECT_EQ(ReplacePart("watts", "2"), "parts[0].watts=\"2\": must be a number, 0 to 1000000");
    EXPECT_EQ(ReplacePart("price_usd", 1e10),
              "parts[0].price_usd=10000000000.0: must be a number, 0 "
              "to 1000000000");
    EXPECT_EQ(ReplacePart("ports", 0), "parts[0].ports=0: must be a whole number, 1 to 65536");
    EXPECT_EQ(ReplacePart("ports", 1.5), "parts[0].ports=1.5: must be a whole number, 1 to 65536");
    EXPECT_EQ(ReplacePart("gbps", 0), "parts[0].gbps=0: must be a whole number, 1 to 100000");
    EXPECT_EQ(ReplacePart("kind", "nic"),
              "parts[0].kind=\"nic\": must be \"transceiver\", \"switch\" or \"ocs\"");
    EXPECT_EQ(ReplacePart("kind", "ocs"),
              "parts[0].gbps: unknown, must be one of name, kind, ports, price_usd, watts, source, "
              "date");
    EXPECT_EQ(ReplacePart("name", "a b"),
              "parts[0].name=\"a b\": must be 1 to 64 letters, digits, dots, underscores or "
              "hyphens");
    EXPECT_EQ(ReplacePart("source", "a\nb"),
              "parts[0].source=\"a\\nb\": must be 1 to 400 characters on one line");
    EXPECT_EQ(ReplacePart("source", std::string(401, 'x')).substr(0, 16), "parts[0].source=");
    for (const auto* date : {"2026", "2026-02", "2026-02-13"})
    {
        EXPECT_EQ(ReplacePart("date", date), "");
    }
    for (const auto* date : {"", "26", "2026-", "2026-2", "2026-02-1", "2026/02", "2026-02-13T"})
    {
        EXPECT_EQ(ReplacePart("date", date),
                  "parts[0].date=\"" + std::string(date) +
                      "\": must be a date such as 2026, 2026-02 or 2026-02-13");
    }
    EXPECT_EQ(ReplacePart("colour", 1),
              "parts[0].colour: unknown, must be one of name, kind, ports, gbps, price_usd, watts, "
              "source, date");
}

TEST(PartsCatalogue, ErrorsNameWhatIsNoCatalogue)
{
    EXPECT_EQ(ParseCatalogue("[]"), "catalogue=[...]: must be an object {\"parts\": [...]}");
    EXPECT_EQ(ParseCatalogue("{}"), "parts is missing: must be an array of 1 to 256 objects");
    EXPECT_EQ(ParseCatalogue("{\"parts\": []}"),
              "parts=[...]: must be an array of 1 to 256 objects");
    EXPECT_EQ(ParseCatalogue("{\"parts\": 3}"), "parts=3: must be an array of 1 to 256 objects");
    EXPECT_EQ(ParseCatalogue("{\"part\": 3}"), "part: unknown, must be one of parts");
    EXPECT_EQ(ParseCatalogue("{\"parts\": [3]}"), "parts[0]=3: must be an object {...}");
    EXPECT_EQ(ParseCatalogue("{\"parts\": [{}]}"),
              "parts[0].name is missing: must be a text in quotation "
              "marks");
    EXPECT_EQ(ParseCatalogue("{\"parts\": [{\"name\": \"a\"}]}"),
              "parts[0].kind is missing: must be \"transceiver\", \"switch\" or \"ocs\"");
    EXPECT_EQ(ParseCatalogue("{"), "line 1, column 2: must be JSON");
    EXPECT_EQ(ParseCatalogue(std::string(JsonText::MAX_BYTES + 1, ' ')),
              "size=65537 bytes: must be at most 65536");
    auto json = nlohmann::json::parse(PartsCatalogue::GetDefault().ToText());
    json["parts"].push_back(json["parts"][1]);
    EXPECT_EQ(ParseCatalogue(json.dump()),
              "parts[5].name=\"switch-400g\": must be the name of one part only");
}

TEST(PartsCatalogue, AnyBytesAreAnsweredInOneLine)
{
    const std::string good = PartsCatalogue::GetDefault().ToText();
    for (std::size_t length = 0; length < good.size() - 2; length += 7)
    {
        EXPECT_FALSE(IsCatalogue(good.substr(0, length))) << length;
    }
    JsonMutations mutations(good, 20260213);
    uint32_t accepted = 0;
    for (uint32_t round = 0; round < 4000; ++round)
    {
        accepted += IsCatalogue(mutations.Next()) ? 1 : 0;
    }
    EXPECT_GT(accepted, 100U) << "changes of texts and digits";
    EXPECT_LT(accepted, 3500U);
}

TEST(PartsCatalogue, AnyValueMayStandAnywhere)
{
    const std::vector<nlohmann::json> values{nullptr,
                                             true,
                                             0,
                                             -1,
                                             1e300,
                                             4294967296,
                                             "",
                                             "x",
                                             nlohmann::json::array(),
                                             nlohmann::json::object(),
                                             nlohmann::json::array({1}),
                                             "\x7f",
                                             "2026"};
    for (const auto* key :
         {"name", "kind", "ports", "gbps", "price_usd", "watts", "source", "date"})
    {
        for (const auto& value : values)
        {
            auto json = nlohmann::json::parse(PartsCatalogue::GetDefault().ToText());
            json["parts"][4][key] = value;
            IsCatalogue(json.dump());
        }
        auto json = nlohmann::json::parse(PartsCatalogue::GetDefault().ToText());
        json["parts"][0].erase(key);
        EXPECT_EQ(IsCatalogue(json.dump()), std::string(key) == "ports") << key;
    }
}
