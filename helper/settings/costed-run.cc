// SPDX-License-Identifier: GPL-2.0-only

#include "costed-run.h"

#include "ns3/flag-parser.h"
#include "ns3/json-reader.h"
#include "ns3/ocs-technology.h"
#include "ns3/option.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

namespace ns3
{

namespace
{

/// @return the value of a flag, or an empty string
using FindSetting = std::function<std::string(const std::string&)>;

/// @return an error of a setting
std::string
RefuseSetting(const std::string& name, const std::string& value, const std::string& allowed)
{
    return "settings." + name + "=" + JsonText::Quote(value) + ": must be " + allowed;
}

/// Read the settings of a run. @return an empty string, or the error
std::string
TakeSettings(const FindSetting& find, CostedRun& run)
{
    for (auto [name, place] :
         {std::pair("gpusPerDomain", &run.gpusPerDomain), std::pair("nicPorts", &run.nicPorts)})
    {
        const auto number = FlagParser::ParseCount(find(name));
        if (!number || *number == 0 || *number > PartsCatalogue::MAX_PORTS)
        {
            return RefuseSetting(name,
                                 find(name),
                                 "a whole number, 1 to " +
                                     std::to_string(PartsCatalogue::MAX_PORTS));
        }
        *place = *number;
    }
    const auto rate = FlagParser::ParseRate(find("portRate"));
    if (!rate)
    {
        return RefuseSetting("portRate", find("portRate"), FlagParser::RATE_FORM);
    }
    const uint64_t gbps = rate->GetBitRate() / 1000000000 * run.nicPorts;
    run.gbps = static_cast<uint32_t>(std::min<uint64_t>(gbps, PartsCatalogue::MAX_GBPS));
    const auto technology = Variant<OcsTechnology>::Find(find("ocs"));
    if (!technology)
    {
        return RefuseSetting("ocs",
                             find("ocs"),
                             "one of " + FlagParser::List(Variant<OcsTechnology>::GetNames()));
    }
    run.ocsRadix = (*technology)->GetRadix();
    return "";
}

/**
 * @brief Read the settings of a run, and check the run.
 * @param find finds settings
 * @param read the run without settings
 * @param run gets the run, unless there is an error
 * @return an empty string, or the error
 */
std::string
CompleteRun(const FindSetting& find, CostedRun read, CostedRun& run)
{
    std::string error = TakeSettings(find, read);
    if (error.empty())
    {
        error =
            FindObjection({{!RailFabric::Find(read.fabric),
                            "fabric=" + JsonText::Quote(read.fabric) + ": must be one of " +
                                FlagParser::List(RailFabric::GetNames())},
                           {read.gpus % read.gpusPerDomain != 0,
                            "world_size=" + std::to_string(read.gpus) + ": must be a multiple of " +
                                std::to_string(read.gpusPerDomain) + ", the GPUs per domain"}});
    }
    run = error.empty() ? read : run;
    return error;
}

} // namespace

std::string
CostedRun::Parse(const std::string& text, CostedRun& run)
{
    nlohmann::json json;
    if (const auto error = JsonText::Parse(text, json, MAX_BYTES); !error.empty())
    {
        return error;
    }
    if (!json.is_object())
    {
        return "run=" + JsonText::Quote(json) + ": must be an object {...}";
    }
    CostedRun read;
    JsonObjectReader reader(json, "");
    reader.Read("fabric", read.fabric);
    reader.Read("world_size", 1, 1U << 24, read.gpus);
    const auto* settings = reader.Find("settings");
    const auto* iterations = reader.Find("iterations");
    const std::string complaint = reader.GetComplaint();
    if (auto error = FindObjection(
            {{!complaint.empty(), complaint},
             {!settings || !settings->is_object(), "settings: must be an object of flags"},
             {!iterations || !iterations->is_array() || iterations->empty(),
              "iterations: must be an array of at least one object"}});
        !error.empty())
    {
        return error;
    }
    JsonObjectReader last(iterations->back(),
                          "iterations[" + std::to_string(iterations->size() - 1) + "]");
    last.Read("time_s", 1e-12, 1e9, read.iterationSeconds);
    const auto find = [settings](const std::string& name) {
        const auto value = settings->find(name);
        return value != settings->end() && value->is_string() ? value->get<std::string>()
                                                              : std::string();
    };
    const std::string error = last.GetComplaint();
    return error.empty() ? CompleteRun(find, read, run) : error;
}

std::string
CostedRun::Take(const RunSummary& summary, CostedRun& run)
{
    if (summary.iterations.empty())
    {
        return "iterations: must be at least one";
    }
    CostedRun read;
    read.fabric = summary.fabric;
    read.gpus = summary.worldSize;
    read.iterationSeconds = summary.iterations.back().duration.GetSeconds();
    const auto find = [&summary](const std::string& name) {
        const auto setting = std::find_if(summary.settings.begin(),
                                          summary.settings.end(),
                                          [&name](const auto& one) { return one.first == name; });
        return setting == summary.settings.end() ? std::string() : setting->second;
    };
    return CompleteRun(find, read, run);
}

std::string
CostedRun::MakeReport(const PartsCatalogue& catalogue,
                      const std::string& counting,
                      const std::vector<NetworkKind>& others,
                      CostReport& report) const
{
    CostReport made;
    const uint32_t rate = partsGbps > 0 ? partsGbps : catalogue.FindRate(gbps);
    if (const auto error = catalogue.Select(rate == 0 ? gbps : rate, made.parts); !error.empty())
    {
        return error;
    }
    made.counting = counting;
    made.spec.gpusPerDomain = gpusPerDomain;
    made.spec.nicPorts = nicPorts;
    made.spec.ocsRadix = ocsRadix;
    made.gpus = {gpus};
    const auto kind = NetworkKind::Parse(fabric);
    made.kinds = {kind.value_or(NetworkKind())};
    made.kinds.insert(made.kinds.end(), others.begin(), others.end());
    made.iterationSeconds = iterationSeconds;
    made.run = "simulated on " + fabric + " with " + std::to_string(gbps) + " Gbit/s a GPU";
    made.run += rate == gbps ? "" : ", priced with parts of " + std::to_string(rate) + " Gbit/s";
    made.Fill();
    report = std::move(made);
    return "";
}

} // namespace ns3
