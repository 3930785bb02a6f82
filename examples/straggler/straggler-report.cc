// SPDX-License-Identifier: GPL-2.0-only

#include "straggler-report.h"

#include "ns3/report-table.h"

namespace ns3
{

namespace
{

using StragglerRow = StragglerReport::Row;

/// @return seconds or microseconds of a time of a row
template <Time StragglerRow::*MEMBER, Time::Unit UNIT>
double
GetTime(const StragglerRow& row)
{
    return (row.*MEMBER).ToDouble(UNIT);
}

/// @return the same of the time after the arrival
template <Time::Unit UNIT>
double
GetArrival(const StragglerRow& row)
{
    return row.GetAfterArrival().ToDouble(UNIT);
}

const ReportTable<StragglerReport::Plan> STRAGGLER_PLANS{
    {"ranks", "ranks", &StragglerReport::Plan::ranks, {"ranks", 6}},
    {"rounds", "rounds", &StragglerReport::Plan::rounds, {"rounds", 8}},
    {"least_rounds", "rounds", &StragglerReport::Plan::least, {"least", 8}},
    {"latencies", "messages", &StragglerReport::Plan::latencies, {"latencies", 11}},
    {"wall_s", "s", &StragglerReport::Plan::wallSeconds, {"plan {}", 13, ReportUnit::FITS}},
};

const ReportTable<StragglerRow> STRAGGLER_ROWS{
    {"ranks", "ranks", &StragglerRow::ranks, {"ranks", 6}},
    {"algorithm", "", &StragglerRow::algorithm, {"algorithm", 18}},
    {"rounds", "rounds", &StragglerRow::rounds, {"rounds", 8}},
    {"size_bytes", "bytes", &StragglerRow::bytes, {"bytes", 14}},
    {"scatter_s", "s", GetTime<&StragglerRow::scatter, Time::S>},
    {"delay_s",
     "s",
     GetTime<&StragglerRow::delay, Time::S>,
     {"delay (us)", 14, GetTime<&StragglerRow::delay, Time::US>, 2}},
    {"time_s",
     "s",
     GetTime<&StragglerRow::time, Time::S>,
     {"time (us)", 14, GetTime<&StragglerRow::time, Time::US>, 2}},
    {"after_arrival_s", "s", GetArrival<Time::S>, {"arrival (us)", 14, GetArrival<Time::US>, 2}},
    {"model_s",
     "s",
     GetTime<&StragglerRow::model, Time::S>,
     {"model (us)", 14, GetTime<&StragglerRow::model, Time::US>, 2}},
    {"",
     "",
     [](const auto& row) {
         return 100 * (row.time.ToDouble(Time::S) / row.model.ToDouble(Time::S) - 1);
     },
     {"off (%)", 9, 2}},
    {"packets_sent", "packets", &StragglerRow::packetsSent},
    {"retransmissions", "packets", &StragglerRow::retransmissions},
    {"bytes_posted", "bytes", &StragglerRow::bytesPosted},
    {"bytes_delivered", "bytes", &StragglerRow::bytesDelivered},
    {"lost_at_ocs", "frames", &StragglerRow::lostAtOcs},
    {"reconfigurations", "commands", &StragglerRow::reconfigurations},
    {"events", "events", &StragglerRow::events},
};

const ReportTable<StragglerReport> STRAGGLER_REPORT{
    {"fabric", "", &StragglerReport::fabric},
    {"settings", "", &StragglerReport::settings},
    {"remarks", "", &StragglerReport::remarks},
    {"plans", "", ReportRows(&StragglerReport::plans, STRAGGLER_PLANS)},
    {"rows", "", ReportRows(&StragglerReport::rows, STRAGGLER_ROWS)},
    {"wall_s", "s", &StragglerReport::wallSeconds},
    {"peak_rss_bytes", "bytes", &StragglerReport::peakRssBytes},
};

} // namespace

void
StragglerReport::WritePlans(std::ostream& os) const
{
    STRAGGLER_PLANS.WriteText(os, plans);
    os << std::flush;
}

void
StragglerReport::WriteHeader(std::ostream& os)
{
    STRAGGLER_ROWS.WriteHeadings(os);
    os << std::endl;
}

void
StragglerReport::WriteRow(std::ostream& os, const Row& row)
{
    STRAGGLER_ROWS.WriteRow(os, row);
    os << std::endl;
}

ReportKeys
StragglerReport::ListKeys()
{
    return STRAGGLER_REPORT.ListKeys();
}

void
StragglerReport::WriteJson(std::ostream& os) const
{
    STRAGGLER_REPORT.WriteJson(os, *this);
}

std::string
StragglerReport::CheckInvariants() const
{
    for (const auto& row : rows)
    {
        const std::string who = row.algorithm + " of " + std::to_string(row.ranks) + " ranks: ";
        if (row.bytesDelivered != row.bytesPosted)
        {
            return who + std::to_string(row.bytesPosted) + " bytes were posted but " +
                   std::to_string(row.bytesDelivered) + " delivered";
        }
        if (row.lostAtOcs > 0)
        {
            return who + std::to_string(row.lostAtOcs) + " frames lost their light";
        }
    }
    return "";
}

} // namespace ns3
