// SPDX-License-Identifier: GPL-2.0-only

#include "benchmark-report.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace ns3
{

namespace
{

using Json = nlohmann::ordered_json;

/// How rows are compared: a time of the base over that of the row, so above 1 the row is faster.
struct Comparison
{
    const char* figure;
    /// Make of a row the one that it is compared with; nothing if it is not compared.
    std::function<std::optional<BenchmarkRow>(const BenchmarkRow&)> getBase;
    std::function<double(const BenchmarkRow&)> getTime;
};

/// @return true if both rows measure the same in the same way
bool
IsSame(const BenchmarkRow& a, const BenchmarkRow& b)
{
    return a.bench == b.bench && a.name == b.name && a.fidelity == b.fidelity &&
           a.scheduler == b.scheduler && a.processes == b.processes &&
           a.repetition == b.repetition && a.gpus == b.gpus && a.bytes == b.bytes;
}

std::optional<BenchmarkRow>
GetPacketBase(const BenchmarkRow& row)
{
    BenchmarkRow base = row;
    base.fidelity = "packet";
    return row.fidelity == "burst" ? std::optional<BenchmarkRow>(base) : std::nullopt;
}

std::optional<BenchmarkRow>
GetSchedulerBase(const BenchmarkRow& row)
{
    BenchmarkRow base = row;
    base.scheduler = "ns3::MapScheduler";
    const bool compared = row.bench == "scheduler" && row.scheduler != base.scheduler;
    return compared ? std::optional<BenchmarkRow>(base) : std::nullopt;
}

std::optional<BenchmarkRow>
GetOneProcessBase(const BenchmarkRow& row)
{
    BenchmarkRow base = row;
    base.processes = 1;
    return row.processes > 1 ? std::optional<BenchmarkRow>(base) : std::nullopt;
}

std::optional<BenchmarkRow>
GetPointToPointBase(const BenchmarkRow& row)
{
    BenchmarkRow base = row;
    base.name = "point-to-point";
    base.fidelity.clear();
    const bool compared = row.bench == "hops" && row.name != base.name;
    return compared ? std::optional<BenchmarkRow>(base) : std::nullopt;
}

const std::vector<Comparison> COMPARISONS = {
    {"burst_speed_up", GetPacketBase, [](const auto& row) { return row.GetTotalCpuSeconds(); }},
    {"point_to_point_speed_up",
     GetPointToPointBase,
     [](const auto& row) {
         return row.dataHops > 0 ? row.cpuSeconds / static_cast<double>(row.dataHops) : 0;
     }},
    {"scheduler_speed_up",
     GetSchedulerBase,
     [](const auto& row) { return row.GetTotalCpuSeconds(); }},
    {"process_speed_up", GetOneProcessBase, [](const auto& row) { return row.wallSeconds; }},
};

/// Quantities that grow with the number of GPUs.
const std::vector<std::pair<const char*, std::function<double(const BenchmarkRow&)>>> GROWING = {
    {"wall_s", [](const auto& row) { return row.wallSeconds; }},
    {"setup_cpu_s", [](const auto& row) { return row.setupCpuSeconds; }},
    {"cpu_s", [](const auto& row) { return row.cpuSeconds; }},
    {"events", [](const auto& row) { return static_cast<double>(row.events); }},
    {"peak_rss_bytes", [](const auto& row) { return static_cast<double>(row.peakRssBytes); }},
};

double
GetMedian(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return (values[values.size() / 2] + values[(values.size() - 1) / 2]) / 2;
}

/// Add a kind of ratios, in the order of rows.
void
AddRatios(const std::vector<BenchmarkRow>& rows,
          const Comparison& comparison,
          std::vector<BenchmarkFigure>& figures)
{
    std::vector<BenchmarkFigure> found;
    std::vector<std::vector<double>> values;
    for (const auto& row : rows)
    {
        const auto wanted = comparison.getBase(row);
        const auto base = std::find_if(rows.begin(), rows.end(), [&wanted](const auto& other) {
            return wanted && other.reason.empty() && IsSame(*wanted, other);
        });
        const double time = comparison.getTime(row);
        if (base == rows.end() || !row.reason.empty() || time <= 0)
        {
            continue;
        }
        const std::string of = row.Describe();
        const auto at = std::find_if(found.begin(), found.end(), [&](const auto& figure) {
            return figure.bench == row.bench && figure.of == of;
        });
        const auto index = static_cast<std::size_t>(at - found.begin());
        if (at == found.end())
        {
            found.push_back({row.bench, comparison.figure, of, 0});
            values.emplace_back();
        }
        values[index].push_back(comparison.getTime(*base) / time);
    }
    for (std::size_t i = 0; i < found.size(); ++i)
    {
        found[i].value = GetMedian(values[i]);
        figures.push_back(found[i]);
    }
}

/// Add how jobs of more and more GPUs grow.
void
AddGrowth(const std::vector<BenchmarkRow>& rows, std::vector<BenchmarkFigure>& figures)
{
    std::map<std::string, std::vector<const BenchmarkRow*>> series;
    for (const auto& row : rows)
    {
        if (row.bench == "scale" && row.reason.empty())
        {
            series[row.name + ", " + row.fidelity].push_back(&row);
        }
    }
    for (const auto& [name, members] : series)
    {
        for (const auto& [what, get] : GROWING)
        {
            std::vector<std::pair<double, double>> points;
            for (const auto* row : members)
            {
                points.emplace_back(row->gpus, get(*row));
            }
            if (const auto exponent = FitGrowthExponent(points))
            {
                figures.push_back({"scale", "growth_exponent", name + ": " + what, *exponent});
            }
        }
    }
}

} // namespace

std::optional<double>
FitGrowthExponent(const std::vector<std::pair<double, double>>& points)
{
    double n = 0;
    double sumX = 0;
    double sumY = 0;
    double sumXx = 0;
    double sumXy = 0;
    std::set<double> places;
    for (const auto& [x, y] : points)
    {
        if (x > 0 && y > 0)
        {
            places.insert(x);
            ++n;
            sumX += std::log(x);
            sumY += std::log(y);
            sumXx += std::log(x) * std::log(x);
            sumXy += std::log(x) * std::log(y);
        }
    }
    if (places.size() < 2)
    {
        return std::nullopt;
    }
    return (n * sumXy - sumX * sumY) / (n * sumXx - sumX * sumX);
}

std::vector<BenchmarkFigure>
BenchmarkReport::GetFigures() const
{
    std::vector<BenchmarkFigure> figures;
    for (const auto& comparison : COMPARISONS)
    {
        AddRatios(rows, comparison, figures);
    }
    AddGrowth(rows, figures);
    return figures;
}

std::string
BenchmarkReport::CheckInvariants() const
{
    for (const auto& row : rows)
    {
        const auto other = std::find_if(rows.begin(), rows.end(), [&row](const auto& candidate) {
            return candidate.reason.empty() && candidate.bench == row.bench &&
                   candidate.name == row.name && candidate.gpus == row.gpus &&
                   candidate.bytes == row.bytes &&
                   (candidate.simulated != row.simulated ||
                    candidate.dataPackets != row.dataPackets);
        });
        if (row.reason.empty() && other != rows.end())
        {
            return row.bench + ": " + row.Describe() + " and " + other->Describe() +
                   " are the same simulation, but took " +
                   std::to_string(row.simulated.GetPicoSeconds()) + " ps and " +
                   std::to_string(other->simulated.GetPicoSeconds()) + " ps, " +
                   std::to_string(row.dataPackets) + " and " + std::to_string(other->dataPackets) +
                   " data packets";
        }
    }
    return "";
}

void
BenchmarkReport::WriteHeader(std::ostream& os)
{
    os << std::setw(9) << "wall s" << std::setw(9) << "setup s" << std::setw(9) << "CPU s"
       << std::setw(12) << "events" << std::setw(12) << "packets" << std::setw(12) << "packets/s"
       << std::setw(12) << "hops/s" << std::setw(12) << "bursts/s" << std::setw(12) << "events/coll"
       << std::setw(8) << "MiB"
       << "  what" << std::endl;
}

void
BenchmarkReport::WriteRow(std::ostream& os, const BenchmarkRow& row)
{
    if (!row.reason.empty())
    {
        os << std::setw(10) << "-"
           << "  " << row.bench << ": " << row.Describe() << ": " << row.reason << std::endl;
        return;
    }
    const auto write = [&os](uint64_t count, double divisor) {
        os << std::setw(12)
           << (divisor > 0 ? std::llround(static_cast<double>(count) / divisor) : 0);
    };
    os << std::fixed << std::setprecision(3) << std::setw(9) << row.wallSeconds << std::setw(9)
       << row.setupCpuSeconds << std::setw(9) << row.cpuSeconds;
    write(row.events, 1);
    write(row.dataPackets, 1);
    write(row.dataPackets, row.cpuSeconds);
    write(row.dataHops, row.cpuSeconds);
    write(row.bursts, row.cpuSeconds);
    write(row.events, static_cast<double>(row.collectives));
    os << std::setw(8) << row.peakRssBytes / (1 << 20) << "  " << row.bench << ": "
       << row.Describe() << std::endl;
}

void
BenchmarkReport::WriteFigures(std::ostream& os) const
{
    for (const auto& figure : GetFigures())
    {
        os << std::left << std::setw(25) << figure.figure << std::right << std::fixed
           << std::setprecision(3) << std::setw(12) << figure.value << "  " << figure.bench << ": "
           << figure.of << std::endl;
    }
}

void
BenchmarkReport::WriteJson(std::ostream& os) const
{
    Json json;
    json["settings"] = Json::object();
    for (const auto& [name, text] : settings)
    {
        json["settings"][name] = text;
    }
    json["rows"] = Json::array();
    for (const auto& row : rows)
    {
        json["rows"].push_back(Json::parse(row.ToJson()));
    }
    json["figures"] = Json::array();
    for (const auto& figure : GetFigures())
    {
        json["figures"].push_back(Json{{"bench", figure.bench},
                                       {"figure", figure.figure},
                                       {"of", figure.of},
                                       {"value", figure.value}});
    }
    os << json.dump(2) << "\n";
}

} // namespace ns3
