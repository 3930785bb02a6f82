// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The summary of a run as the input of the cost model.
 */

#include "ns3/costed-run.h"
#include "ns3/flag-parser.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

using namespace ns3;

namespace
{

/// @return a summary as photonic-rails-training writes it, as far as it matters
nlohmann::json
MakeSummary()
{
    return {
        {"fabric", "photonic"},
        {"world_size", 16},
        {"wall_s", 0.5},
        {"settings",
         {{"gpusPerDomain", "4"}, {"nicPorts", "2"}, {"portRate", "200Gbps"}, {"ocs", "polatis"}}},
        {"iterations", {{{"time_s", 3.5}}, {{"time_s", 2.5}}}}};
}

/// @return what is said of a summary with another value at a place
std::string
ReplaceInRun(const std::string& pointer, const nlohmann::json& value)
{
    auto json = MakeSummary();
    json[nlohmann::json::json_pointer(pointer)] = value;
    CostedRun run;
    return CostedRun::Parse(json.dump(), run);
}

} // namespace

TEST(CostedRun, TakesTheLastIteration)
{
    CostedRun run;
    ASSERT_EQ(CostedRun::Parse(MakeSummary().dump(), run), "");
    EXPECT_EQ(run.fabric, "photonic");
    EXPECT_EQ(run.gpus, 16U);
    EXPECT_EQ(run.gpusPerDomain, 4U);
    EXPECT_EQ(run.nicPorts, 2U);
    EXPECT_EQ(run.gbps, 400U) << "two ports of 200";
    EXPECT_EQ(run.ocsRadix, 576U);
    EXPECT_EQ(run.iterationSeconds, 2.5);
}

TEST(CostedRun, OfThisProgramIsThatOfItsFile)
{
    RunSummary summary;
    summary.fabric = "photonic";
    summary.worldSize = 16;
    summary.settings = {{"gpusPerDomain", "4"},
                        {"nicPorts", "2"},
                        {"portRate", "200Gbps"},
                        {"ocs", "polatis"}};
    CostedRun run;
    EXPECT_EQ(CostedRun::Take(summary, run), "iterations: must be at least one");
    summary.iterations.resize(1);
    summary.iterations[0].duration = Seconds(2.5);
    ASSERT_EQ(CostedRun::Take(summary, run), "");
    CostedRun other;
    ASSERT_EQ(CostedRun::Parse(MakeSummary().dump(), other), "");
    for (const auto& one : {run, other})
    {
        CostReport report;
        ASSERT_EQ(one.MakeReport(PartsCatalogue::GetDefault(),
                                 "ports",
                                 {*NetworkKind::Parse("leaf-spine:3")},
                                 report),
                  "");
        ASSERT_EQ(report.rows.size(), 2U);
        // 16 GPUs: a transceiver and two ports each, for two and a half seconds.
        EXPECT_EQ(report.rows[0].cost.GetTotal().watts, 16 * (10 + 2 * 75 / 192.0));
        EXPECT_EQ(report.rows[0].cost.GetJoules(report.iterationSeconds), 2.5 * 172.5);
        EXPECT_NEAR(report.rows[1].wattsShare, 23.855, 0.001);
    }
}

TEST(CostedRun, HasPartsOfTheNextHigherRate)
{
    CostedRun run;
    ASSERT_EQ(CostedRun::Parse(MakeSummary().dump(), run), "");
    for (const auto& [gbps, rate] : {std::pair(100U, 400U), {400U, 400U}, {401U, 800U}})
    {
        run.gbps = gbps;
        CostReport report;
        ASSERT_EQ(run.MakeReport(PartsCatalogue::GetDefault(), "ports", {}, report), "");
        EXPECT_EQ(report.parts.packetSwitch.gbps, rate);
        EXPECT_EQ(report.parts.transceiver.gbps, rate);
        EXPECT_EQ(
            report.run,
            "simulated on photonic with " + std::to_string(gbps) + " Gbit/s a GPU" +
                (gbps == rate ? "" : ", priced with parts of " + std::to_string(rate) + " Gbit/s"));
    }
    run.gbps = 200;
    run.partsGbps = 800;
    CostReport report;
    ASSERT_EQ(run.MakeReport(PartsCatalogue::GetDefault(), "ports", {}, report), "");
    EXPECT_EQ(report.run,
              "simulated on photonic with 200 Gbit/s a GPU, priced with parts of 800 Gbit/s");
    EXPECT_EQ(PartsCatalogue::GetDefault().FindRate(801), 0U);
    EXPECT_EQ(PartsCatalogue().FindRate(0), 0U);
}

TEST(CostedRun, ErrorsNameTheKeyAndWhatIsAllowed)
{
    EXPECT_EQ(ReplaceInRun("/fabric", "copper"),
              "fabric=\"copper\": must be one of " + FlagParser::List(RailFabric::GetNames()));
    EXPECT_EQ(ReplaceInRun("/fabric", 3), "fabric=3: must be a text in quotation marks");
    EXPECT_EQ(ReplaceInRun("/world_size", 0),
              "world_size=0: must be a whole number, 1 to 16777216");
    EXPECT_EQ(ReplaceInRun("/world_size", 18),
              "world_size=18: must be a multiple of 4, the GPUs per domain");
    EXPECT_EQ(ReplaceInRun("/settings", 1), "settings: must be an object of flags");
    EXPECT_EQ(ReplaceInRun("/settings/gpusPerDomain", "0"),
              "settings.gpusPerDomain=\"0\": must be a whole number, 1 to 65536");
    EXPECT_EQ(ReplaceInRun("/settings/nicPorts", 2),
              "settings.nicPorts=\"\": must be a whole number, 1 to 65536");
    EXPECT_EQ(ReplaceInRun("/settings/portRate", "fast"),
              "settings.portRate=\"fast\": must be a rate from 1Gbps to 100Tbps such as 100Gbps");
    EXPECT_EQ(ReplaceInRun("/settings/ocs", "abacus").substr(0, 47),
              "settings.ocs=\"abacus\": must be one of 3d-mems, ");
    EXPECT_EQ(ReplaceInRun("/iterations", nlohmann::json::array()),
              "iterations: must be an array of at least one object");
    EXPECT_EQ(ReplaceInRun("/iterations/1/time_s", -1),
              "iterations[1].time_s=-1: must be a number, 1e-12 to 1000000000");
    CostedRun run;
    EXPECT_EQ(CostedRun::Parse("[]", run), "run=[...]: must be an object {...}");
    run.gbps = 1000;
    CostReport report;
    EXPECT_EQ(run.MakeReport(PartsCatalogue::GetDefault(), "ports", {}, report),
              "there is no transceiver of 1000 Gbit/s among the parts: must be one of each kind");
}

TEST(CostedRun, AnyBytesAreAnsweredInOneLine)
{
    const std::string good = MakeSummary().dump(1);
    std::mt19937 random(41);
    uint32_t accepted = 0;
    for (uint32_t round = 0; round < 3000; ++round)
    {
        std::string text = good;
        for (uint32_t change = 0; change <= random() % 3; ++change)
        {
            const std::size_t place = random() % text.size();
            if (random() % 2 == 0)
            {
                text[place] = static_cast<char>(random());
            }
            else
            {
                text.erase(place, 1 + random() % 12);
            }
        }
        CostedRun run;
        const std::string error = CostedRun::Parse(text, run);
        accepted += error.empty() ? 1 : 0;
        EXPECT_EQ(error.empty(), run.gpus > 0) << text;
        EXPECT_LE(error.size(), 300U);
        EXPECT_TRUE(std::all_of(error.begin(), error.end(), [](char c) {
            return c >= ' ' && c <= '~';
        })) << error;
        if (error.empty())
        {
            CostReport report;
            run.gbps = 400;
            EXPECT_EQ(run.MakeReport(PartsCatalogue::GetDefault(), "devices", {}, report), "");
            EXPECT_EQ(report.rows.size(), 1U);
        }
    }
    EXPECT_GT(accepted, 20U);
    EXPECT_LT(accepted, 2000U);
}
