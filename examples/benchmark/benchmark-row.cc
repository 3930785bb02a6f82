// SPDX-License-Identifier: GPL-2.0-only

#include "benchmark-row.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

using Json = nlohmann::ordered_json;

/// The texts of a row and their names.
const std::vector<std::pair<const char*, std::string BenchmarkRow::*>> TEXTS = {
    {"bench", &BenchmarkRow::bench},
    {"name", &BenchmarkRow::name},
    {"fidelity", &BenchmarkRow::fidelity},
    {"scheduler", &BenchmarkRow::scheduler},
};

/// The numbers that identify a measurement.
const std::vector<std::pair<const char*, uint32_t BenchmarkRow::*>> NUMBERS = {
    {"processes", &BenchmarkRow::processes},
    {"repetition", &BenchmarkRow::repetition},
    {"gpus", &BenchmarkRow::gpus},
};

/// The counts of a simulation.
const std::vector<std::pair<const char*, uint64_t BenchmarkRow::*>> BENCHMARK_COUNTS = {
    {"events", &BenchmarkRow::events},
    {"data_packets", &BenchmarkRow::dataPackets},
    {"data_hops", &BenchmarkRow::dataHops},
    {"bursts", &BenchmarkRow::bursts},
    {"burst_packets", &BenchmarkRow::burstPackets},
    {"collectives", &BenchmarkRow::collectives},
    {"requests", &BenchmarkRow::requests},
    {"messages", &BenchmarkRow::messages},
    {"longest_queue", &BenchmarkRow::longestQueue},
    {"peak_rss_bytes", &BenchmarkRow::peakRssBytes},
};

/// Real time and CPU time of a measurement.
const std::vector<std::pair<const char*, double BenchmarkRow::*>> BENCHMARK_TIMES = {
    {"wall_s", &BenchmarkRow::wallSeconds},
    {"setup_cpu_s", &BenchmarkRow::setupCpuSeconds},
    {"cpu_s", &BenchmarkRow::cpuSeconds},
};

/// Add a quotient, if there is one.
void
AddQuotient(Json& json, const char* name, uint64_t dividend, double divisor)
{
    if (dividend > 0 && divisor > 0)
    {
        json[name] = static_cast<double>(dividend) / divisor;
    }
}

} // namespace

double
BenchmarkRow::GetTotalCpuSeconds() const
{
    return setupCpuSeconds + cpuSeconds;
}

std::string
BenchmarkRow::Describe() const
{
    std::string text = name;
    text += gpus > 0 ? ", " + std::to_string(gpus) + " GPUs" : "";
    text += bytes > 0 ? ", " + std::to_string(bytes) + " bytes" : "";
    text += fidelity.empty() ? "" : ", " + fidelity;
    text += bench == "scheduler" ? ", " + scheduler : "";
    return text + (processes > 1 ? ", " + std::to_string(processes) + " processes" : "");
}

std::string
BenchmarkRow::ToJson() const
{
    Json json = Json::object();
    for (const auto& [key, member] : TEXTS)
    {
        json[key] = this->*member;
    }
    for (const auto& [key, member] : NUMBERS)
    {
        json[key] = this->*member;
    }
    json["bytes"] = bytes;
    if (!reason.empty())
    {
        json["reason"] = reason;
        return json.dump();
    }
    json["simulated_s"] = static_cast<double>(simulated.GetPicoSeconds()) / 1e12;
    for (const auto& [key, member] : BENCHMARK_COUNTS)
    {
        json[key] = this->*member;
    }
    for (const auto& [key, member] : BENCHMARK_TIMES)
    {
        json[key] = this->*member;
    }
    AddQuotient(json, "data_packets_per_s", dataPackets, cpuSeconds);
    AddQuotient(json, "data_hops_per_s", dataHops, cpuSeconds);
    AddQuotient(json, "bursts_per_s", bursts, cpuSeconds);
    AddQuotient(json, "requests_per_s", requests, cpuSeconds);
    AddQuotient(json, "events_per_packet", events, static_cast<double>(dataPackets));
    AddQuotient(json, "events_per_collective", events, static_cast<double>(collectives));
    return json.dump();
}

std::optional<BenchmarkRow>
BenchmarkRow::FromJson(const std::string& text)
{
    try
    {
        const Json json = Json::parse(text);
        BenchmarkRow row;
        for (const auto& [key, member] : TEXTS)
        {
            row.*member = json.at(key);
        }
        for (const auto& [key, member] : NUMBERS)
        {
            row.*member = json.at(key);
        }
        row.bytes = json.at("bytes");
        if (json.contains("reason"))
        {
            row.reason = json.at("reason");
            return row;
        }
        row.simulated = PicoSeconds(std::llround(json.at("simulated_s").get<double>() * 1e12));
        for (const auto& [key, member] : BENCHMARK_COUNTS)
        {
            row.*member = json.at(key);
        }
        for (const auto& [key, member] : BENCHMARK_TIMES)
        {
            row.*member = json.at(key);
        }
        return row;
    }
    catch (const Json::exception&)
    {
        return std::nullopt;
    }
}

} // namespace ns3
