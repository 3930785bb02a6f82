// SPDX-License-Identifier: GPL-2.0-only

#include "json-mutations.h"

/**
 * @file
 * Fabrics in files: what they become, and what is said of wrong ones.
 */

#include "ns3/fabric-file.h"
#include "ns3/rail-fabric.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

using Json = nlohmann::json;

/// @return the fabric of examples in the pages: two leaves and two spines, one of them faster
Json
MakeLeafSpine()
{
    return Json::parse(R"({
        "domains": 2, "gpusPerDomain": 2, "nicPorts": 2,
        "switches": ["spine 0", "leaf 0", "spine 1", "leaf 1"],
        "nics": [
            {"switch": "leaf 0", "gpus": [0, 1], "delay_ns": 50},
            {"switch": "leaf 1", "gpus": [3, 2], "ports": [1]},
            {"switch": "leaf 1", "gpus": [2, 3], "ports": [0]}
        ],
        "links": [
            {"switches": ["leaf 0", "spine 0"], "rate_gbps": 400, "delay_ns": 500, "count": 2},
            {"switches": ["spine 0", "leaf 1"], "rate_gbps": 400, "delay_ns": 500, "count": 2},
            {"switches": ["leaf 0", "spine 1"], "rate_gbps": 800, "delay_ns": 0.5},
            {"switches": ["leaf 1", "spine 1"], "rate_gbps": 800, "delay_ns": 0.5}
        ]
    })");
}

/// @return a switch for each of two rails
Json
MakeRails()
{
    return Json::parse(R"({
        "domains": 3, "gpusPerDomain": 2, "nicPorts": 1,
        "switches": ["odd", "even"],
        "nics": [{"switch": "even", "gpus": [0, 2, 4]}, {"switch": "odd", "gpus": [1, 3, 5]}]
    })");
}

/// @return a circuit switch for each of two rails
Json
MakeCircuits()
{
    return Json::parse(R"({
        "domains": 2, "gpusPerDomain": 2, "nicPorts": 2,
        "circuitSwitches": ["even", "odd"],
        "nics": [{"switch": "even", "gpus": [0], "circuitPorts": [11, 3]},
                 {"switch": "even", "gpus": [2], "circuitPorts": [6, 7], "delay_ns": 250},
                 {"switch": "odd", "gpus": [3, 1]}]
    })");
}

FabricSpec
MakeSpec(const Json& json)
{
    FabricSpec spec;
    spec.domains = json["domains"];
    spec.gpusPerDomain = json["gpusPerDomain"];
    spec.nicPorts = json["nicPorts"];
    spec.portRate = DataRate("200Gbps");
    spec.hostDelay = NanoSeconds(100);
    return spec;
}

/// @return the fabric of electrical switches of a file
Ptr<FabricFile>
MakeFabric(const Json& json, const std::string& name)
{
    std::string error;
    const auto content = FabricContent::Parse(json.dump(), name, error);
    EXPECT_EQ(error, "");
    return CreateObject<FabricFile>(content.value());
}

/// @return what is said of a fabric
std::string
GetFabricError(const Json& json)
{
    std::string error;
    FabricContent::Parse(json.dump(), "test.json", error);
    return error;
}

/// @return true if a text is a fabric, of which a plan can be made; otherwise there is one line
bool
IsFabric(const std::string& text)
{
    std::string error;
    const auto content = FabricContent::Parse(text, "test.json", error);
    EXPECT_EQ(content.has_value(), error.empty()) << text;
    EXPECT_LE(error.size(), 300U) << error;
    EXPECT_TRUE(std::all_of(error.begin(), error.end(), [](char c) {
        return c >= ' ' && c <= '~';
    })) << error;
    if (content && text.size() < 5000)
    {
        const FabricPlan plan =
            CreateObject<FabricFile>(*content)->MakePlan(MakeSpec(Json::parse(text)));
        EXPECT_EQ(plan.error.find("the fabric test.json is wrong"), std::string::npos)
            << plan.error;
    }
    return content.has_value();
}

} // namespace

TEST(FabricFile, BecomesATopology)
{
    const Json json = MakeLeafSpine();
    const auto fabric = MakeFabric(json, "my.json");
    EXPECT_EQ(fabric->GetName(), "my.json");
    EXPECT_EQ(fabric->Describe(), "the fabric of my.json");
    EXPECT_TRUE(fabric->JoinsRails());
    FabricSpec spec = MakeSpec(json);
    spec.radix = fabric->GetDefaultRadix(spec);
    EXPECT_EQ(spec.radix, 7U); // a leaf: four NIC ports and three links
    const FabricPlan plan = fabric->MakePlan(spec);
    ASSERT_EQ(plan.error, "");
    const FabricTopology& topology = plan.topology;
    ASSERT_EQ(topology.switches.size(), 4U);
    const std::vector<std::string> names{"leaf 0", "leaf 1", "spine 0", "spine 1"};
    for (uint32_t i = 0; i < 4; ++i)
    {
        EXPECT_EQ(topology.switches[i].name, names[i]);
        EXPECT_EQ(topology.switches[i].tier, i < 2 ? 1U : 2U);
    }
    ASSERT_EQ(topology.hosts.size(), 8U);
    for (uint32_t host = 0; host < 8; ++host)
    {
        EXPECT_EQ(topology.hosts[host].gpu, host / 2) << "the hosts behind a leaf are a range";
        EXPECT_EQ(topology.hosts[host].port, host % 2);
        EXPECT_EQ(topology.links[host].rate, DataRate("200Gbps"));
        EXPECT_EQ(topology.links[host].delay, NanoSeconds(host < 4 ? 50 : 100));
    }
    ASSERT_EQ(topology.links.size(), 8U + 6U);
    EXPECT_EQ(topology.links[8].rate, DataRate("400Gbps"));
    EXPECT_EQ(topology.links[8].delay, NanoSeconds(500));
    EXPECT_EQ(topology.links[12].rate, DataRate("800Gbps"));
    EXPECT_EQ(topology.links[12].delay, PicoSeconds(500));
    const FabricRouting routing(topology);
    EXPECT_EQ(routing.Find(0, 7)->ports.size(), 3U) << "two links to a spine and one to the other";
}

TEST(FabricFile, MayHaveANetworkForEachRail)
{
    const Json json = MakeRails();
    const auto fabric = MakeFabric(json, "rails.json");
    EXPECT_FALSE(fabric->JoinsRails());
    FabricSpec spec = MakeSpec(json);
    const FabricPlan plan = fabric->MakePlan(spec);
    ASSERT_EQ(plan.error, "");
    EXPECT_EQ(plan.topology.switches[0].name, "even") << "switches are in the order of the rails";
    spec.domains = 4;
    EXPECT_EQ(fabric->MakePlan(spec).error,
              "rails.json is for 3 domains of 2 GPUs with 1 NIC ports each, not for 4 domains of 2 "
              "GPUs with 1 NIC ports each");
    spec.domains = 3;
    spec.radix = 2;
    EXPECT_NE(fabric->MakePlan(spec).error.find("has 3 ports, but its radix is 2"),
              std::string::npos);
}

TEST(FabricFile, WrongOnesAreRefusedInALine)
{
    using Change = std::pair<std::string, Json>; // a place and what stands there
    const std::vector<std::pair<Change, std::string>> cases{
        {{"/domains", 0}, "domains=0: must be a whole number, 1 to 1048576"},
        {{"/domains", 3}, "nics: 8 of 12 NIC ports have a link, port 0 of GPU 4 has none"},
        {{"/nicPorts", 5}, "nicPorts=5: must be a whole number, 1 to 4"},
        {{"/speed", 5}, "speed: unknown, must be one of domains, gpusPerDomain, nicPorts, "},
        {{"/switches", "leaf 0"}, "switches=\"leaf 0\": must be an array of 1 to 65536 entries"},
        {{"/switches/1", "spine 0"}, "switches[1]=\"spine 0\": must be the name of one switch"},
        {{"/switches/1", "leaf\n0"}, "switches[1]=\"leaf\\n0\": must be a name of 1 to 64"},
        {{"/switches/4", "alone"}, "links: switch alone is not connected with any NIC port"},
        {{"/nics/0/switch", "leaf 9"}, "nics[0].switch=\"leaf 9\": must be the name of one of"},
        {{"/nics/0/gpus", {0, 4}}, "nics[0].gpus=[...]: must be an array of whole numbers, 0 to 3"},
        {{"/nics/0/gpus", Json::array()}, "nics[0].gpus=[...]: must be an array of whole numbers,"},
        {{"/nics/0/gpus", {0, 0, 0, 0, 0}}, "nics[0].gpus=[...]: must be an array of whole"},
        {{"/nics/0/gpus", {{"0", 0}}}, "nics[0].gpus={...}: must be an array of whole numbers,"},
        {{"/nics/0/gpus", {0, 2}}, "nics[1]: port 1 of GPU 2 has a link already"},
        {{"/nics/0/ports", {0}}, "nics: 6 of 8 NIC ports have a link, port 1 of GPU 0 has none"},
        {{"/nics/0/delay_ns", -1}, "nics[0].delay_ns=-1: must be a number, 0 to 1000000"},
        {{"/nics/0/rate", 1},
         "nics[0].rate: unknown, must be one of switch, gpus, ports, delay_ns"},
        {{"/links/0/rate_gbps", 0}, "links[0].rate_gbps=0: must be a number, 1 to 100000"},
        {{"/links/0/count", 0}, "links[0].count=0: must be a whole number, 1 to 1024"},
        {{"/links/0/switches", {"leaf 0"}}, "links[0].switches=[...]: must be an array of the"},
        {{"/links/0/switches/1", "leaf 0"}, "links[0].switches: a link joins two different"},
        {{"/links/0", 7}, "links[0]=7: must be an object {...}"},
        {{"/links", Json::array()}, "links=[...]: must be an array of 1 to"},
    };
    for (const auto& [change, error] : cases)
    {
        Json json = MakeLeafSpine();
        json[Json::json_pointer(change.first)] = change.second;
        EXPECT_EQ(GetFabricError(json).substr(0, error.size()), error) << change.first;
    }
    Json json = MakeLeafSpine();
    json.erase("links");
    EXPECT_EQ(GetFabricError(json), "links: switch spine 0 is not connected with any NIC port");
    json["switches"] = {"leaf 0", "leaf 1"};
    EXPECT_EQ(GetFabricError(json),
              "links: port 0 of GPU 1 on switch leaf 0: NIC ports must all be connected, or those "
              "of each rail with each other only");
    EXPECT_EQ(GetFabricError(Json::array()), "the file must be an object {...}");
    std::string error;
    EXPECT_EQ(FabricContent::Read("/nowhere/x.json", error), std::nullopt);
    EXPECT_EQ(error, "the file cannot be read");
    EXPECT_EQ(FabricContent::Read("/", error), std::nullopt);
    EXPECT_NE(error, "");
}

TEST(FabricFile, MayHaveACircuitSwitchForEachRail)
{
    std::string error;
    const auto content = FabricContent::Parse(MakeCircuits().dump(), "ocs.json", error);
    ASSERT_EQ(error, "");
    EXPECT_TRUE(content->hasCircuits);
    const CircuitCabling cabling(*content);
    EXPECT_EQ(cabling.GetName(), "ocs.json");
    EXPECT_EQ(cabling.GetOcsPorts(), 12U) << "the largest number of a port is 11";
    EXPECT_EQ(cabling.GetFiber(0, 0).ocsPort, 11U);
    EXPECT_EQ(cabling.GetFiber(0, 1).ocsPort, 3U);
    EXPECT_EQ(cabling.GetFiber(2, 1).ocsPort, 7U);
    EXPECT_EQ(cabling.GetFiber(3, 0).ocsPort, 0U) << "in the order of the file";
    EXPECT_EQ(cabling.GetFiber(1, 1).ocsPort, 3U);
    EXPECT_EQ(cabling.GetFiber(2, 0).delay, NanoSeconds(250));
    EXPECT_FALSE(cabling.GetFiber(1, 0).delay);
    EXPECT_EQ(cabling.GetLongestDelay(NanoSeconds(500)), NanoSeconds(500));
    EXPECT_EQ(cabling.GetLongestDelay(NanoSeconds(5)), NanoSeconds(250));
    EXPECT_EQ(cabling.Check({2, 2, 2}), "");
    EXPECT_EQ(cabling.Check({4, 2, 2}),
              "ocs.json is for 2 domains of 2 GPUs with 2 NIC ports each, not for 4 domains of 2 "
              "GPUs with 2 NIC ports each");
    EXPECT_FALSE(FabricContent::Parse(MakeRails().dump(), "a.json", error)->hasCircuits);
}

TEST(FabricFile, WrongCablingIsRefusedInALine)
{
    const auto refuse = [](const std::string& place, const Json& value) {
        Json json = MakeCircuits();
        json[Json::json_pointer(place)] = value;
        return GetFabricError(json);
    };
    EXPECT_EQ(refuse("/nics/0/circuitPorts/1", 11),
              "nics[0]: port 11 of switch even has a fiber already");
    EXPECT_EQ(refuse("/nics/0/circuitPorts", Json::array({1})),
              "nics[0].circuitPorts=[...]: must have a number for each NIC port, 2");
    EXPECT_EQ(refuse("/nics/0/circuitPorts/0", 65536),
              "nics[0].circuitPorts=[...]: must be an array of whole numbers, 0 to 65535");
    EXPECT_EQ(refuse("/nics/2/switch", "even"),
              "nics[2]: port 6 of switch even has a fiber already");
    EXPECT_EQ(refuse("/nics/0/gpus/0", 1), "nics[2]: port 0 of GPU 1 has a link already");
    EXPECT_EQ(refuse("/links", Json::array({1})),
              "links: a file has circuitSwitches, one for each rail, or electrical switches");
    EXPECT_EQ(refuse("/switches", Json::array({"s"})),
              "switches: a file has circuitSwitches, one for each rail, or electrical switches");
    Json crossed = MakeCircuits();
    crossed["nics"][2]["gpus"] = {3, 0};
    crossed["nics"][0]["gpus"] = {1};
    EXPECT_EQ(GetFabricError(crossed),
              "links: port 0 of GPU 2 on switch even: all NIC ports of a rail lead to one circuit "
              "switch, and no others do");
    Json planes = MakeCircuits();
    planes["nics"] = {{{"switch", "even"}, {"gpus", {0, 1, 2, 3}}, {"ports", {0}}},
                      {{"switch", "odd"}, {"gpus", {0, 1, 2, 3}}, {"ports", {1}}}};
    EXPECT_EQ(GetFabricError(planes),
              "links: port 0 of GPU 1 on switch even: all NIC ports of a rail lead to one circuit "
              "switch, and no others do")
        << "a switch for each NIC port";
    Json electrical = MakeRails();
    electrical["nics"][0]["circuitPorts"] = {1, 2, 3};
    EXPECT_NE(GetFabricError(electrical).find("circuitPorts"), std::string::npos);
}

TEST(FabricFile, AnyBytesAreAnsweredInOneLine)
{
    const std::string good = MakeLeafSpine().dump(1);
    ASSERT_TRUE(IsFabric(good));
    for (std::size_t length = 0; length < good.size() - 2; length += 3)
    {
        EXPECT_FALSE(IsFabric(good.substr(0, length))) << length;
    }
    JsonMutations mutations(good, 20260305);
    JsonMutations circuits(MakeCircuits().dump(), 20261123);
    uint32_t accepted = 0;
    for (uint32_t round = 0; round < 6000; ++round)
    {
        accepted += IsFabric(mutations.Next()) ? 1 : 0;
        IsFabric(circuits.Next());
    }
    EXPECT_GT(accepted, 20U) << "changes of numbers";
    EXPECT_LT(accepted, 5000U);
}

TEST(FabricFile, AnyValueMayStandAnywhere)
{
    const std::vector<Json> values{nullptr,
                                   true,
                                   0,
                                   -1,
                                   1e300,
                                   4294967296,
                                   18446744073709551615u,
                                   "",
                                   "leaf 0",
                                   Json::array(),
                                   Json::object(),
                                   Json::array({1}),
                                   Json::array({"leaf 0", "leaf 1"}),
                                   "\x7f"};
    const Json good = MakeLeafSpine();
    const Json places = good.flatten();
    for (const auto& [place, old] : places.items())
    {
        for (const auto& value : values)
        {
            Json json = good;
            json[Json::json_pointer(place)] = value;
            IsFabric(json.dump());
        }
    }
}

TEST(FabricFile, AFabricIsFoundByTheNameOfItsFile)
{
    EXPECT_TRUE(FabricContent::IsFile("a.json"));
    EXPECT_FALSE(FabricContent::IsFile(".json"));
    EXPECT_FALSE(FabricContent::IsFile("fat-tree"));
    std::string error;
    EXPECT_FALSE(RailFabric::Find("/nowhere/x.json", error));
    EXPECT_EQ(error, "a file with a fabric; the file cannot be read");
    EXPECT_FALSE(RailFabric::Find("copper", error));
    EXPECT_NE(error.find("leaf-spine"), std::string::npos);
    const auto one = MakeFabric(MakeRails(), "a.json");
    const auto other = MakeFabric(MakeRails(), "b.json");
    const Variant<ElectricalFabric> a{Ptr<const ElectricalFabric>(one)};
    const Variant<ElectricalFabric> b{Ptr<const ElectricalFabric>(other)};
    EXPECT_TRUE(a == a);
    EXPECT_TRUE(a != b);
    EXPECT_TRUE(RailFabric(a) == RailFabric(a));
}
