// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-report.h"

#include "ns3/ethernet-port-net-device.h"
#include "ns3/report-table.h"
#include "ns3/simulator.h"
#include "ns3/text-archive.h"

#include <algorithm>
#include <iomanip>
#include <iterator>
#include <map>
#include <sstream>
#include <utility>

namespace ns3
{

void
LinkUtilisation::Add(const std::string& tier, Ptr<EthernetPortNetDevice> port)
{
    auto place = std::find(m_tiers.begin(), m_tiers.end(), tier);
    if (place == m_tiers.end())
    {
        place = m_tiers.insert(place, tier);
    }
    m_ports.push_back(
        Port{static_cast<std::size_t>(place - m_tiers.begin()), port, port->GetBytesSent()});
}

void
LinkUtilisation::Start()
{
    m_start = Simulator::Now();
    for (auto& port : m_ports)
    {
        port.before = port.device->GetBytesSent();
    }
}

std::vector<LinkUtilisation::Tier>
LinkUtilisation::Measure() const
{
    std::vector<Tier> tiers;
    for (const auto& name : m_tiers)
    {
        tiers.push_back(Tier{name, 0, 0, 0, 0});
    }
    const double seconds = (Simulator::Now() - m_start).ToDouble(Time::S);
    for (const auto& port : m_ports)
    {
        Tier& tier = tiers[port.tier];
        const uint64_t bytes = port.device->GetBytesSent() - port.before;
        const double bits = seconds * static_cast<double>(port.device->GetDataRate().GetBitRate());
        const double busy = bits > 0 ? 8 * static_cast<double>(bytes) / bits : 0;
        ++tier.ports;
        tier.bytes += bytes;
        tier.mean += busy;
        tier.max = std::max(tier.max, busy);
    }
    for (auto& tier : tiers)
    {
        tier.mean = std::min(tier.mean / tier.ports, tier.max); // but for the last bit it is
    }
    return tiers;
}

namespace
{

const ReportTable<LatencySummary> LATENCY{
    {"count", "", &LatencySummary::count},
    {"min_s", "s", &LatencySummary::min},
    {"median_s", "s", &LatencySummary::median},
    {"p99_s", "s", &LatencySummary::p99},
    {"p999_s", "s", &LatencySummary::p999},
    {"max_s", "s", &LatencySummary::max},
};

const ReportTable<LinkUtilisation::Tier> TIERS{
    {"name", "", &LinkUtilisation::Tier::name},
    {"ports", "ports", &LinkUtilisation::Tier::ports},
    {"bytes", "bytes", &LinkUtilisation::Tier::bytes},
    {"mean", "", &LinkUtilisation::Tier::mean},
    {"max", "", &LinkUtilisation::Tier::max},
};

/// @return a share in per cent, with one decimal or two significant digits
std::string
Percent(double share)
{
    const double value = 100 * share;
    if (value == 0 || value >= 1)
    {
        return ReportValue::Fixed(value, value == 0 ? 0 : 1);
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

using FabricColumns = std::vector<ReportTable<FabricRun>::Column>;

/// Add a distribution: an object, and a line of the text table for each of its numbers.
template <typename Get>
void
AddLatency(FabricColumns& columns, const std::string& key, const std::string& heading, Get get)
{
    columns.push_back({key, "", ReportObject(get, LATENCY)});
    const auto count = [get](const FabricRun& run) { return get(run).count; };
    columns.push_back({"", "", count, {heading + ", number", 1}});
    ReportUnit unit = ReportUnit::FITS;
    for (const auto& [quantile, member] :
         {std::pair<const char*, Time LatencySummary::*>{"min", &LatencySummary::min},
          {"median", &LatencySummary::median},
          {"p99", &LatencySummary::p99},
          {"p99.9", &LatencySummary::p999},
          {"max", &LatencySummary::max}})
    {
        const auto time = [get, m = member](const FabricRun& run) {
            return get(run).count > 0 ? std::optional<Time>(get(run).*m) : std::nullopt;
        };
        columns.push_back({"", "", time, {std::string("  ") + quantile + ", {}", 1, unit}});
        unit = ReportUnit::SAME;
    }
}

using Seen = FabricMeasurement;

/// A count of a measurement: its key, its unit, and its line of the text table, if there is one.
struct FabricCounter
{
    const char* key;
    const char* unit;
    uint64_t Seen::*member;
    const char* heading;
};

constexpr FabricCounter FABRIC_COUNTERS[] = {
    {"marks", "frames", &Seen::marks, "ECN marks"},
    {"pauses", "", &Seen::pauses, "PFC pauses"},
    {"drops", "frames", &Seen::drops, "drops at switches"},
    {"lost_at_ocs", "frames", &Seen::lostAtOcs, "frames lost at OCSes"},
    {"retransmissions", "packets", &Seen::retransmissions, "data packets sent again"},
    {"timeouts", "", &Seen::timeouts, "time-outs"},
    {"max_queue_bytes", "bytes", &Seen::maxQueueBytes, "longest queue, bytes, with warm-up"},
    {"scale_up_max_queue_bytes", "bytes", &Seen::scaleUpMaxQueueBytes, "  in scale-up domains"},
    {"data_packets", "packets", &Seen::dataPackets, "data packets"},
    {"bytes_posted", "bytes", &Seen::bytesPosted, nullptr},
    {"bytes_delivered", "bytes", &Seen::bytesDelivered, nullptr},
};

/// @return the columns of a report, for all formats; the text table uses names of its own
FabricColumns
MakeFabricColumns(const FabricReport& report)
{
    using Run = FabricRun;
    using Text = ReportTable<Run>::Text;
    FabricColumns columns{
        {"fabric", "", &Run::fabric, {"", 1}},
        {"switches_by_tier",
         "switches",
         [](const Run& run) { return run.measurement.switches; },
         {"electrical switches, from tier 1 on", 1, Switches}},
        {"completion_s", "s", &Run::completion, {report.completion + ", {}", 1, ReportUnit::FITS}},
    };
    AddLatency(columns, "message_time", report.messages, [](const Run& run) {
        return run.messageTimes;
    });
    AddLatency(columns, "rdma_write_time", "RDMA write, post to ACK", [](const Run& run) {
        return run.measurement.writeTimes;
    });
    AddLatency(columns, "packet_latency", "data packet, NIC to NIC", [](const Run& run) {
        return run.measurement.packetLatency;
    });
    const auto getTiers = [](const Run& run) { return run.measurement.tiers; };
    columns.push_back({"link_utilisation", "", ReportRows(getTiers, TIERS)});
    for (const auto& name : GetTierNames(report.runs))
    {
        const auto busy = [name](const Run& run) { return Busy(run, name); };
        columns.push_back({"", "", busy, {name + " busy, mean / max, %", 1}});
    }
    for (const auto& [key, unit, member, heading] : FABRIC_COUNTERS)
    {
        const auto get = [count = member](const Run& run) { return run.measurement.*count; };
        const auto text = heading ? Text(heading, 1) : Text();
        columns.push_back({key, unit, get, text});
    }
    const auto events = [](const Run& run) { return run.measurement.events; };
    const auto perPacket = [](const Run& run) {
        return static_cast<double>(run.measurement.events) / run.measurement.dataPackets;
    };
    columns.push_back({"events", "events", events, {"events / data packet", 1, perPacket, 1}});
    columns.push_back({"setup_cpu_s", "s", &Run::setupCpuSeconds});
    const auto both = [](const Run& run) {
        return ReportValue::Fixed(run.setupCpuSeconds, 2) + " + " +
               ReportValue::Fixed(run.cpuSeconds, 2);
    };
    columns.push_back({"cpu_s", "s", &Run::cpuSeconds, {"CPU s, set up + run", 1, both}});
    const auto rate = [](const Run& run) {
        return run.measurement.dataPackets / run.cpuSeconds / 1e6;
    };
    columns.push_back({"", "", rate, {"M data packets / CPU s", 1, 3}});
    const auto mebibytes = [](const Run& run) {
        return static_cast<double>(run.peakRssBytes) / (1 << 20);
    };
    columns.push_back(
        {"peak_rss_bytes", "bytes", &Run::peakRssBytes, {"peak memory, MiB", 1, mebibytes, 1}});
    return columns;
}

/// @return runs that have carried the traffic in full, of others the reason only
ReportValue
MakeRuns(const FabricReport& report)
{
    const ReportTable<FabricRun> table(MakeFabricColumns(report));
    ReportValue::Array runs;
    for (const auto& run : report.runs)
    {
        runs.push_back(
            run.reason.empty()
                ? table.MakeObject(run)
                : ReportValue(ReportValue::Object{{"fabric", run.fabric}, {"reason", run.reason}}));
    }
    return runs;
}

/// @return the keys of runs
ReportKeys
ListRunKeys()
{
    auto keys = ReportTable<FabricRun>(MakeFabricColumns({})).ListKeys("array", "", "[].");
    keys.push_back({"[].reason", "string", ""});
    return keys;
}

} // namespace

const ReportTable<FabricReport>&
FabricReport::GetTable()
{
    static const ReportTable<FabricReport> table{
        {"traffic", "", &FabricReport::traffic},
        {"description", "", &FabricReport::description},
        {"remarks", "", &FabricReport::remarks},
        {"messages", "", &FabricReport::messages},
        {"completion", "", &FabricReport::completion},
        {"settings", "", &FabricReport::settings},
        {"runs", "", {MakeRuns, ListRunKeys()}},
        {"interrupted", "", &FabricReport::interrupted},
    };
    return table;
}

template struct JsonReport<FabricReport>;

// Runs go from one process to another.

template <typename Archive>
void
VisitFields(Archive& archive, LatencySummary& summary)
{
    archive(summary.count, summary.min, summary.median, summary.p99, summary.p999, summary.max);
}

template <typename Archive>
void
VisitFields(Archive& archive, LinkUtilisation::Tier& tier)
{
    archive(tier.name, tier.ports, tier.bytes, tier.mean, tier.max);
}

template <typename Archive>
void
VisitFields(Archive& archive, FabricMeasurement& seen)
{
    archive(seen.packetLatency, seen.writeTimes, seen.tiers, seen.switches);
    for (const auto& [key, unit, member, heading] : FABRIC_COUNTERS)
    {
        archive(seen.*member);
    }
    archive(seen.events, seen.bursts, seen.burstPackets);
}

template <typename Archive>
void
VisitFields(Archive& archive, FabricRun& run)
{
    archive(run.fabric,
            run.remark,
            run.reason,
            run.messageTimes,
            run.completion,
            run.measurement,
            run.setupCpuSeconds,
            run.cpuSeconds,
            run.peakRssBytes);
}

std::string
FabricRun::ToText() const
{
    return WriteText(*this);
}

std::optional<FabricRun>
FabricRun::FromText(const std::string& text)
{
    return ReadText<FabricRun>(text);
}

std::string
FabricReport::GetSameFabrics() const
{
    std::map<std::string, std::string> names; // by remark
    for (const auto& run : runs)
    {
        if (run.reason.empty() && !run.remark.empty())
        {
            names[run.remark] += (names[run.remark].empty() ? "" : ", ") + run.fabric;
        }
    }
    std::string line;
    for (const auto& [remark, fabrics] : names)
    {
        line += (line.empty() ? "" : "; ") + fabrics + ": " + remark;
    }
    return line;
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
    std::vector<FabricRun> carried;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(carried), [](const auto& run) {
        return run.reason.empty();
    });
    ReportTable<FabricRun>(MakeFabricColumns(*this)).WriteTransposed(os, carried);
    for (const auto& run : runs)
    {
        if (!run.reason.empty())
        {
            os << run.fabric << " is left out: " << run.reason << "\n";
        }
    }
}

} // namespace ns3
