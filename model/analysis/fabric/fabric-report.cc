// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-report.h"

#include "ns3/electrical-fabric.h"
#include "ns3/texts-to-json.h"
#include "ns3/to-seconds.h"

#include <algorithm>
#include <functional>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3
{

namespace
{

using Json = nlohmann::ordered_json;

Time
FromSeconds(const Json& seconds)
{
    return PicoSeconds(static_cast<uint64_t>(seconds.get<double>() * 1e12 + 0.5));
}

Json
LatencyToJson(const LatencySummary& summary)
{
    return Json{{"count", summary.count},
                {"min_s", ToSeconds(summary.min)},
                {"median_s", ToSeconds(summary.median)},
                {"p99_s", ToSeconds(summary.p99)},
                {"p999_s", ToSeconds(summary.p999)},
                {"max_s", ToSeconds(summary.max)}};
}

LatencySummary
ReadSummary(const Json& json)
{
    LatencySummary summary;
    summary.count = json.at("count");
    summary.min = FromSeconds(json.at("min_s"));
    summary.median = FromSeconds(json.at("median_s"));
    summary.p99 = FromSeconds(json.at("p99_s"));
    summary.p999 = FromSeconds(json.at("p999_s"));
    summary.max = FromSeconds(json.at("max_s"));
    return summary;
}

/// The counts of a measurement and their names.
const std::vector<std::pair<const char*, uint64_t FabricMeasurement::*>> FABRIC_COUNTS = {
    {"data_packets", &FabricMeasurement::dataPackets},
    {"retransmissions", &FabricMeasurement::retransmissions},
    {"timeouts", &FabricMeasurement::timeouts},
    {"bytes_posted", &FabricMeasurement::bytesPosted},
    {"bytes_delivered", &FabricMeasurement::bytesDelivered},
    {"marks", &FabricMeasurement::marks},
    {"pauses", &FabricMeasurement::pauses},
    {"drops", &FabricMeasurement::drops},
    {"max_queue_bytes", &FabricMeasurement::maxQueueBytes},
    {"scale_up_max_queue_bytes", &FabricMeasurement::scaleUpMaxQueueBytes},
    {"lost_at_ocs", &FabricMeasurement::lostAtOcs},
    {"events", &FabricMeasurement::events},
};

Json
MakeJson(const FabricRun& run)
{
    if (!run.reason.empty())
    {
        return Json{{"fabric", run.fabric}, {"reason", run.reason}};
    }
    Json json{{"fabric", run.fabric},
              {"completion_s", ToSeconds(run.completion)},
              {"message_time", LatencyToJson(run.messageTimes)},
              {"rdma_write_time", LatencyToJson(run.measurement.writeTimes)},
              {"packet_latency", LatencyToJson(run.measurement.packetLatency)}};
    Json tiers = Json::array();
    for (const auto& tier : run.measurement.tiers)
    {
        tiers.push_back(Json{{"name", tier.name},
                             {"ports", tier.ports},
                             {"bytes", tier.bytes},
                             {"mean", tier.mean},
                             {"max", tier.max}});
    }
    json["link_utilisation"] = tiers;
    json["switches_by_tier"] = run.measurement.switches;
    for (const auto& [name, member] : FABRIC_COUNTS)
    {
        json[name] = run.measurement.*member;
    }
    json["setup_cpu_s"] = run.setupCpuSeconds;
    json["cpu_s"] = run.cpuSeconds;
    json["peak_rss_bytes"] = run.peakRssBytes;
    return json;
}

FabricRun
ReadRun(const Json& json)
{
    FabricRun run;
    run.fabric = json.at("fabric");
    if (json.contains("reason"))
    {
        run.reason = json.at("reason");
        return run;
    }
    run.completion = FromSeconds(json.at("completion_s"));
    run.messageTimes = ReadSummary(json.at("message_time"));
    run.measurement.writeTimes = ReadSummary(json.at("rdma_write_time"));
    run.measurement.packetLatency = ReadSummary(json.at("packet_latency"));
    for (const auto& tier : json.at("link_utilisation"))
    {
        run.measurement.tiers.push_back(LinkUtilisation::Tier{tier.at("name"),
                                                              tier.at("ports"),
                                                              tier.at("bytes"),
                                                              tier.at("mean"),
                                                              tier.at("max")});
    }
    run.measurement.switches = json.at("switches_by_tier").get<std::vector<uint32_t>>();
    for (const auto& [name, member] : FABRIC_COUNTS)
    {
        run.measurement.*member = json.at(name);
    }
    run.setupCpuSeconds = json.at("setup_cpu_s");
    run.cpuSeconds = json.at("cpu_s");
    run.peakRssBytes = json.at("peak_rss_bytes");
    return run;
}

/// @return a number with so many decimals
std::string
Fixed(double value, int decimals)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(decimals) << value;
    return text.str();
}

std::string
Microseconds(Time time)
{
    return Fixed(time.ToDouble(Time::US), 2);
}

/// @return a share in per cent, with one decimal or two significant digits
std::string
Percent(double share)
{
    const double value = 100 * share;
    if (value == 0 || value >= 1)
    {
        return Fixed(value, value == 0 ? 0 : 1);
    }
    std::ostringstream text;
    text << std::setprecision(2) << value;
    return text.str();
}

/// @return number of switches of each tier; "-" if there are none
std::string
Switches(const FabricRun& run)
{
    std::string text;
    for (const uint32_t switches : run.measurement.switches)
    {
        text += (text.empty() ? "" : " + ") + std::to_string(switches);
    }
    return text.empty() ? "-" : text;
}

/// @return share of a tier's time, mean and maximum, in per cent; "-" if there is no such tier
std::string
Busy(const FabricRun& run, const std::string& name)
{
    for (const auto& tier : run.measurement.tiers)
    {
        if (tier.name == name)
        {
            return Percent(tier.mean) + " / " + Percent(tier.max);
        }
    }
    return "-";
}

/// A table with a column for each run.
class Table
{
  public:
    explicit Table(const std::vector<FabricRun>& runs)
        : m_runs(runs)
    {
    }

    /// Add a line: a name, and for each run what a function makes of it.
    void Line(const std::string& name, const std::function<std::string(const FabricRun&)>& cell)
    {
        std::vector<std::string> line = {name};
        for (const auto& run : m_runs)
        {
            if (run.reason.empty())
            {
                line.push_back(cell(run));
            }
        }
        m_lines.push_back(std::move(line));
    }

    /// Write all lines, columns as wide as what is in them.
    void Write(std::ostream& os) const
    {
        std::size_t name = 0;
        std::size_t cell = 0;
        for (const auto& line : m_lines)
        {
            name = std::max(name, line[0].size());
            for (std::size_t i = 1; i < line.size(); ++i)
            {
                cell = std::max(cell, line[i].size());
            }
        }
        for (const auto& line : m_lines)
        {
            os << std::left << std::setw(static_cast<int>(name)) << line[0] << std::right;
            for (std::size_t i = 1; i < line.size(); ++i)
            {
                os << std::setw(static_cast<int>(cell) + 2) << line[i];
            }
            os << "\n";
        }
    }

    /// Add a line for each quantile.
    void Lines(const std::string& name, const std::function<LatencySummary(const FabricRun&)>& of)
    {
        Line(name + ", number", [&of](const auto& run) { return std::to_string(of(run).count); });
        for (const auto& [quantile, member] :
             {std::pair<const char*, Time LatencySummary::*>{"min", &LatencySummary::min},
              {"median", &LatencySummary::median},
              {"p99", &LatencySummary::p99},
              {"p99.9", &LatencySummary::p999},
              {"max", &LatencySummary::max}})
        {
            Line(std::string("  ") + quantile + ", us",
                 [&of, m = member](const auto& run) -> std::string {
                     return of(run).count > 0 ? Microseconds(of(run).*m) : "-";
                 });
        }
    }

  private:
    const std::vector<FabricRun>& m_runs;
    std::vector<std::vector<std::string>> m_lines;
};

/// @return the names of all tiers of all runs, each once
std::vector<std::string>
GetTierNames(const std::vector<FabricRun>& runs)
{
    std::vector<std::string> names;
    for (const auto& run : runs)
    {
        for (const auto& tier : run.measurement.tiers)
        {
            if (std::find(names.begin(), names.end(), tier.name) == names.end())
            {
                names.push_back(tier.name);
            }
        }
    }
    return names;
}

} // namespace

std::string
FabricRun::ToJson() const
{
    return MakeJson(*this).dump();
}

std::optional<FabricRun>
FabricRun::FromJson(const std::string& json)
{
    try
    {
        return ReadRun(Json::parse(json));
    }
    catch (const Json::exception&)
    {
        return std::nullopt;
    }
}

std::string
FabricReport::GetSameFabrics() const
{
    std::string names;
    for (const auto& run : runs)
    {
        const auto fabric = Variant<ElectricalFabric>::Find(run.fabric);
        if (run.reason.empty() && run.measurement.switches.size() == 1 && fabric &&
            (*fabric)->GetMostTiers() > 1)
        {
            names += (names.empty() ? "" : ", ") + run.fabric;
        }
    }
    return names.empty() ? "" : names + ": with so few hosts one switch per rail, as electrical";
}

std::string
FabricReport::CheckInvariants() const
{
    for (const auto& run : runs)
    {
        if (run.failed)
        {
            return run.fabric + ": " + run.reason;
        }
        const auto& seen = run.measurement;
        if (seen.bytesDelivered != seen.bytesPosted)
        {
            return run.fabric + ": " + std::to_string(seen.bytesPosted) +
                   " bytes were posted but " + std::to_string(seen.bytesDelivered) + " delivered";
        }
    }
    return "";
}

void
FabricReport::WriteTable(std::ostream& os) const
{
    os << description << "\n";
    for (const auto& remark : remarks)
    {
        os << remark << "\n";
    }
    os << "\n";
    Table table(runs);
    table.Line("", [](const auto& run) { return run.fabric; });
    table.Line("electrical switches, from tier 1 on", Switches);
    table.Line(completion + ", us", [](const auto& run) { return Microseconds(run.completion); });
    table.Lines(messages, [](const auto& run) { return run.messageTimes; });
    table.Lines("RDMA write, post to ACK",
                [](const auto& run) { return run.measurement.writeTimes; });
    table.Lines("data packet, NIC to NIC",
                [](const auto& run) { return run.measurement.packetLatency; });
    for (const auto& name : GetTierNames(runs))
    {
        table.Line(name + " busy, mean / max, %",
                   [&name](const auto& run) { return Busy(run, name); });
    }
    for (const auto& [name, member] :
         {std::pair<const char*, uint64_t FabricMeasurement::*>{"ECN marks",
                                                                &FabricMeasurement::marks},
          {"PFC pauses", &FabricMeasurement::pauses},
          {"drops at switches", &FabricMeasurement::drops},
          {"frames lost at OCSes", &FabricMeasurement::lostAtOcs},
          {"data packets sent again", &FabricMeasurement::retransmissions},
          {"time-outs", &FabricMeasurement::timeouts},
          {"longest queue, bytes, with warm-up", &FabricMeasurement::maxQueueBytes},
          {"  in scale-up domains", &FabricMeasurement::scaleUpMaxQueueBytes},
          {"data packets", &FabricMeasurement::dataPackets}})
    {
        table.Line(name,
                   [m = member](const auto& run) { return std::to_string(run.measurement.*m); });
    }
    table.Line("events / data packet", [](const auto& run) {
        return Fixed(static_cast<double>(run.measurement.events) / run.measurement.dataPackets, 1);
    });
    table.Line("CPU s, set up + run", [](const auto& run) {
        return Fixed(run.setupCpuSeconds, 2) + " + " + Fixed(run.cpuSeconds, 2);
    });
    table.Line("M data packets / CPU s", [](const auto& run) {
        return Fixed(run.measurement.dataPackets / run.cpuSeconds / 1e6, 3);
    });
    table.Line("peak memory, MiB", [](const auto& run) {
        return Fixed(static_cast<double>(run.peakRssBytes) / (1 << 20), 1);
    });
    table.Write(os);
    for (const auto& run : runs)
    {
        if (!run.reason.empty())
        {
            os << run.fabric << " is left out: " << run.reason << "\n";
        }
    }
}

void
FabricReport::WriteJson(std::ostream& os) const
{
    Json runsJson = Json::array();
    for (const auto& run : runs)
    {
        runsJson.push_back(MakeJson(run));
    }
    const Json json{{"traffic", traffic},
                    {"description", description},
                    {"remarks", remarks},
                    {"messages", messages},
                    {"completion", completion},
                    {"settings", TextsToJson(settings)},
                    {"runs", runsJson}};
    os << json.dump(2) << "\n";
}

} // namespace ns3
