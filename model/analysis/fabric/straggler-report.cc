// SPDX-License-Identifier: GPL-2.0-only

#include "straggler-report.h"

#include "ns3/texts-to-json.h"

#include <iomanip>
#include <nlohmann/json.hpp>

namespace ns3
{

namespace
{

using Json = nlohmann::ordered_json;

} // namespace

void
StragglerReport::WritePlans(std::ostream& os) const
{
    os << std::setw(6) << "ranks" << std::setw(8) << "rounds" << std::setw(8) << "least"
       << std::setw(11) << "latencies" << std::setw(11) << "plan (s)"
       << "\n";
    for (const auto& plan : plans)
    {
        os << std::fixed << std::setw(6) << plan.ranks << std::setw(8) << plan.rounds
           << std::setw(8) << plan.least << std::setw(11) << plan.latencies << std::setw(11)
           << std::setprecision(3) << plan.wallSeconds << "\n";
    }
    os << std::flush;
}

void
StragglerReport::WriteHeader(std::ostream& os)
{
    os << std::setw(6) << "ranks" << std::setw(18) << "algorithm" << std::setw(8) << "rounds"
       << std::setw(14) << "bytes" << std::setw(14) << "delay (us)" << std::setw(14) << "time (us)"
       << std::setw(14) << "arrival (us)" << std::setw(14) << "model (us)" << std::setw(9)
       << "off (%)" << std::endl;
}

void
StragglerReport::WriteRow(std::ostream& os, const Row& row)
{
    os << std::fixed << std::setprecision(2) << std::setw(6) << row.ranks << std::setw(18)
       << row.algorithm << std::setw(8) << row.rounds << std::setw(14) << row.bytes << std::setw(14)
       << row.delay.ToDouble(Time::US) << std::setw(14) << row.time.ToDouble(Time::US)
       << std::setw(14) << row.GetAfterArrival().ToDouble(Time::US) << std::setw(14)
       << row.model.ToDouble(Time::US) << std::setw(9)
       << 100 * (row.time.ToDouble(Time::S) / row.model.ToDouble(Time::S) - 1) << std::endl;
}

void
StragglerReport::WriteJson(std::ostream& os) const
{
    Json plansJson = Json::array();
    for (const auto& plan : plans)
    {
        plansJson.push_back(Json{{"ranks", plan.ranks},
                                 {"rounds", plan.rounds},
                                 {"least_rounds", plan.least},
                                 {"latencies", plan.latencies},
                                 {"wall_s", plan.wallSeconds}});
    }
    Json rowsJson = Json::array();
    for (const auto& row : rows)
    {
        rowsJson.push_back(Json{{"ranks", row.ranks},
                                {"algorithm", row.algorithm},
                                {"size_bytes", row.bytes},
                                {"rounds", row.rounds},
                                {"scatter_s", row.scatter.ToDouble(Time::S)},
                                {"delay_s", row.delay.ToDouble(Time::S)},
                                {"time_s", row.time.ToDouble(Time::S)},
                                {"after_arrival_s", row.GetAfterArrival().ToDouble(Time::S)},
                                {"model_s", row.model.ToDouble(Time::S)},
                                {"packets_sent", row.packetsSent},
                                {"retransmissions", row.retransmissions},
                                {"bytes_posted", row.bytesPosted},
                                {"bytes_delivered", row.bytesDelivered},
                                {"lost_at_ocs", row.lostAtOcs},
                                {"reconfigurations", row.reconfigurations},
                                {"events", row.events}});
    }
    const Json json{{"fabric", fabric},
                    {"settings", TextsToJson(settings)},
                    {"remarks", remarks},
                    {"plans", plansJson},
                    {"rows", rowsJson},
                    {"wall_s", wallSeconds},
                    {"peak_rss_bytes", peakRssBytes}};
    os << json.dump(2) << "\n";
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
