// SPDX-License-Identifier: GPL-2.0-only

#include "control-share.h"

#include "ns3/to-seconds.h"

#include <algorithm>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

namespace ns3
{

namespace
{

using Json = nlohmann::ordered_json;

/// Counts that add up.
const std::vector<std::pair<const char*, uint64_t ControlShare::*>> CONTROL_COUNTS = {
    {"requests", &ControlShare::requests},
    {"grants", &ControlShare::grants},
    {"cache_hits", &ControlShare::cacheHits},
    {"commands", &ControlShare::commands},
    {"plans", &ControlShare::plans},
    {"plan_hits", &ControlShare::planHits},
    {"messages", &ControlShare::messages},
    {"retransmissions", &ControlShare::retransmissions},
    {"crashes", &ControlShare::crashes},
    {"takeovers", &ControlShare::takeovers},
};

/// Times that add up.
const std::vector<std::pair<const char*, Time ControlShare::*>> CONTROL_TIMES = {
    {"queued_s", &ControlShare::queued},
    {"wait_for_ranks_s", &ControlShare::waitedRanks},
    {"wait_for_ports_s", &ControlShare::waitedPorts},
    {"wait_for_light_s", &ControlShare::waitedLight},
    {"down_s", &ControlShare::down},
};

/// @return mean; 0 without ports
double
GetMean(const std::vector<double>& shares)
{
    const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    return shares.empty() ? 0 : sum / static_cast<double>(shares.size());
}

} // namespace

void
ControlShare::Add(const ControlShare& other)
{
    for (const auto& [key, member] : CONTROL_COUNTS)
    {
        this->*member += other.*member;
    }
    for (const auto& [key, member] : CONTROL_TIMES)
    {
        this->*member += other.*member;
    }
    longestQueue = std::max(longestQueue, other.longestQueue);
    upShares.insert(upShares.end(), other.upShares.begin(), other.upShares.end());
    std::sort(upShares.begin(), upShares.end()); // so that sums do not depend on processes
}

void
ControlShare::CountForRails(uint32_t rails)
{
    for (const auto& [key, member] : CONTROL_COUNTS)
    {
        this->*member *= rails;
    }
    for (const auto& [key, member] : CONTROL_TIMES)
    {
        this->*member = this->*member * static_cast<int64_t>(rails);
    }
    const std::vector<double> one = upShares;
    for (uint32_t rail = 1; rail < rails; ++rail)
    {
        upShares.insert(upShares.end(), one.begin(), one.end());
    }
    std::sort(upShares.begin(), upShares.end());
}

std::string
ControlShare::ToText() const
{
    Json json = Json::object();
    for (const auto& [key, member] : CONTROL_COUNTS)
    {
        json[key] = this->*member;
    }
    for (const auto& [key, member] : CONTROL_TIMES)
    {
        json[key] = (this->*member).GetPicoSeconds();
    }
    json["longest_queue"] = longestQueue;
    json["up"] = upShares;
    return json.dump();
}

ControlShare
ControlShare::FromText(const std::string& text)
{
    const Json json = Json::parse(text);
    ControlShare share;
    for (const auto& [key, member] : CONTROL_COUNTS)
    {
        share.*member = json.at(key);
    }
    for (const auto& [key, member] : CONTROL_TIMES)
    {
        share.*member = PicoSeconds(json.at(key).get<int64_t>());
    }
    share.longestQueue = json.at("longest_queue");
    share.upShares = json.at("up").get<std::vector<double>>();
    return share;
}

std::string
ControlShare::ToJson() const
{
    Json json = Json::object();
    for (const auto& [key, member] : CONTROL_COUNTS)
    {
        json[key] = this->*member;
    }
    json["longest_queue"] = longestQueue;
    for (const auto& [key, member] : CONTROL_TIMES)
    {
        json[key] = ToSeconds(this->*member);
    }
    const auto [least, most] = std::minmax_element(upShares.begin(), upShares.end());
    json["light_share"] = GetMean(upShares);
    json["light_share_least"] = upShares.empty() ? 0 : *least;
    json["light_share_most"] = upShares.empty() ? 0 : *most;
    return json.dump();
}

void
ControlShare::WriteTable(std::ostream& os) const
{
    os << "control plane: requests " << requests << ", grants " << grants << " (" << cacheHits
       << " without switching), commands to switches " << commands << "\n"
       << "groups waited " << std::fixed << std::setprecision(4) << ToSeconds(waitedRanks)
       << " s for ranks, " << ToSeconds(waitedPorts) << " s for ports, " << ToSeconds(waitedLight)
       << " s for light; ports had light for " << std::setprecision(1) << 100 * GetMean(upShares)
       << " % of the time\n";
    if (crashes > 0 || takeovers > 0 || retransmissions > 0)
    {
        os << "controllers crashed " << crashes << " times (standbys took over " << takeovers
           << " times) and were away for " << std::setprecision(4) << ToSeconds(down)
           << " s; frames sent again " << retransmissions << "\n";
    }
}

} // namespace ns3
