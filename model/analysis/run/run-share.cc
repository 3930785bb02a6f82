// SPDX-License-Identifier: GPL-2.0-only

#include "run-share.h"

#include "ns3/abort.h"
#include "ns3/report-table.h"
#include "ns3/report-value.h"
#include "ns3/text-archive.h"

#include <algorithm>
#include <iomanip>

namespace ns3
{

namespace
{

/// A counter that is summed over processes: key in the summary, unit and member.
template <typename T>
struct ControlSum
{
    const char* key;
    const char* unit;
    T ControlShare::*member;
};

const std::vector<ControlSum<uint64_t>> CONTROL_COUNTS = {
    {"requests", "messages", &ControlShare::requests},
    {"grants", "grants", &ControlShare::grants},
    {"cache_hits", "grants", &ControlShare::cacheHits},
    {"commands", "commands", &ControlShare::commands},
    {"plans", "plans", &ControlShare::plans},
    {"plan_hits", "plans", &ControlShare::planHits},
    {"messages", "messages", &ControlShare::messages},
    {"retransmissions", "frames", &ControlShare::retransmissions},
    {"crashes", "crashes", &ControlShare::crashes},
    {"takeovers", "controllers", &ControlShare::takeovers},
    {"standbys_lost", "standbys", &ControlShare::standbysLost},
    {"standbys_joined", "standbys", &ControlShare::standbysJoined},
};

const std::vector<ControlSum<TimeSum>> CONTROL_TIMES = {
    {"queued_sum_s", "s", &ControlShare::queued},
    {"wait_for_ranks_sum_s", "s", &ControlShare::waitedRanks},
    {"wait_for_ports_sum_s", "s", &ControlShare::waitedPorts},
    {"wait_for_light_sum_s", "s", &ControlShare::waitedLight},
    {"down_sum_s", "s", &ControlShare::down},
};

/// The counters of RunTraffic.
constexpr uint64_t RunTraffic::*TRAFFIC_COUNTS[] = {&RunTraffic::packetsSent,
                                                    &RunTraffic::retransmissions,
                                                    &RunTraffic::bytesPosted,
                                                    &RunTraffic::bytesDelivered,
                                                    &RunTraffic::bursts,
                                                    &RunTraffic::burstPackets,
                                                    &RunTraffic::bytesFailed};

/// @return the table of the summary
ReportTable<ControlShare>
MakeControlTable()
{
    std::vector<ReportTable<ControlShare>::Column> columns;
    for (const auto& [key, unit, member] : CONTROL_COUNTS)
    {
        columns.push_back({key, unit, member});
    }
    columns.push_back({"longest_queue", "messages", &ControlShare::longestQueue});
    for (const auto& [key, unit, member] : CONTROL_TIMES)
    {
        columns.push_back({key, unit, [sum = member](const ControlShare& share) {
                               return (share.*sum).GetSeconds();
                           }});
    }
    return columns;
}

} // namespace

void
ControlShare::Add(const ControlShare& other)
{
    for (const auto& [key, unit, member] : CONTROL_COUNTS)
    {
        this->*member += other.*member;
    }
    for (const auto& [key, unit, member] : CONTROL_TIMES)
    {
        this->*member += other.*member;
    }
    longestQueue = std::max(longestQueue, other.longestQueue);
}

void
ControlShare::CountForRails(uint32_t rails)
{
    for (const auto& [key, unit, member] : CONTROL_COUNTS)
    {
        this->*member *= rails;
    }
    for (const auto& [key, unit, member] : CONTROL_TIMES)
    {
        this->*member *= rails;
    }
}

const ReportTable<ControlShare>&
ControlShare::GetTable()
{
    static const ReportTable<ControlShare> table = MakeControlTable();
    return table;
}

void
ControlShare::WriteTable(std::ostream& os) const
{
    os << "control plane: requests " << requests << ", grants " << grants << " (" << cacheHits
       << " without switching), commands to switches " << commands << "\n"
       << "summed over all grants, groups waited " << std::fixed << std::setprecision(4)
       << waitedRanks.GetSeconds() << " s for ranks, " << waitedPorts.GetSeconds()
       << " s for ports, " << waitedLight.GetSeconds() << " s for light\n";
    if (crashes > 0 || takeovers > 0 || retransmissions > 0)
    {
        os << "controllers crashed " << crashes << " times (standbys took over " << takeovers
           << " times) and were away for " << std::setprecision(4) << down.GetSeconds()
           << " s in sum; frames sent again " << retransmissions << "\n";
    }
    if (standbysLost > 0 || standbysJoined > 0)
    {
        os << "controllers went on " << standbysLost
           << " times without their standby; nodes joined " << standbysJoined
           << " times as a standby\n";
    }
}

template <typename Archive>
void
VisitFields(Archive& archive, IterationLog::Exposure& exposure)
{
    archive(exposure.at, exposure.rank, exposure.exposed);
}

template <typename Archive>
void
VisitFields(Archive& archive, LightLog::Change& change)
{
    archive(change.at, change.ports);
}

template <typename Archive>
void
VisitFields(Archive& archive, RunTraffic& traffic)
{
    for (const auto member : TRAFFIC_COUNTS)
    {
        archive(traffic.*member);
    }
}

template <typename Archive>
void
VisitFields(Archive& archive, RunShare& share)
{
    archive(share.log.ends,
            share.log.reconfigurations,
            share.log.exposures,
            share.rails,
            share.scaleUp,
            share.hosts,
            share.packetsLostAtOcs,
            share.packetsLostAtSwitches,
            share.light.ports,
            share.light.changes,
            share.bytesForwarded,
            share.control,
            share.events,
            share.setupCpuSeconds,
            share.cpuSeconds,
            share.peakRssBytes,
            share.stall);
}

void
RunTraffic::Add(const RunTraffic& other)
{
    for (const auto member : TRAFFIC_COUNTS)
    {
        this->*member += other.*member;
    }
}

void
RunTraffic::CountForRails(uint32_t rails)
{
    for (const auto member : TRAFFIC_COUNTS)
    {
        this->*member *= rails;
    }
}

std::string
RunShare::ToText() const
{
    return WriteText(*this);
}

RunShare
RunShare::FromText(const std::string& text)
{
    const auto share = ReadText<RunShare>(text);
    NS_ABORT_MSG_UNLESS(share, "another process has sent what is no share of a run");
    return *share;
}

} // namespace ns3
