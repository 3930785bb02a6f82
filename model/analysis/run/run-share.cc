// SPDX-License-Identifier: GPL-2.0-only

#include "run-share.h"

#include <nlohmann/json.hpp>

namespace ns3
{

namespace
{

using Json = nlohmann::ordered_json;

Json
ShareToJson(const std::vector<Time>& moments)
{
    Json json = Json::array();
    for (const Time& moment : moments)
    {
        json.push_back(moment.GetPicoSeconds());
    }
    return json;
}

std::vector<Time>
ToTimes(const Json& json)
{
    std::vector<Time> moments;
    for (const auto& moment : json)
    {
        moments.push_back(PicoSeconds(moment.get<int64_t>()));
    }
    return moments;
}

Json
ShareToJson(const std::vector<IterationLog::Exposure>& exposures)
{
    Json json = Json::array();
    for (const auto& one : exposures)
    {
        json.push_back({one.at.GetPicoSeconds(), one.rank, one.exposed.GetPicoSeconds()});
    }
    return json;
}

std::vector<IterationLog::Exposure>
ToExposures(const Json& json)
{
    std::vector<IterationLog::Exposure> exposures;
    for (const auto& one : json)
    {
        exposures.push_back({PicoSeconds(one.at(0).get<int64_t>()),
                             one.at(1).get<uint32_t>(),
                             PicoSeconds(one.at(2).get<int64_t>())});
    }
    return exposures;
}

Json
ShareToJson(const std::vector<LightLog::Change>& changes)
{
    Json json = Json::array();
    for (const auto& change : changes)
    {
        json.push_back({change.at.GetPicoSeconds(), change.ports});
    }
    return json;
}

std::vector<LightLog::Change>
ToChanges(const Json& json)
{
    std::vector<LightLog::Change> changes;
    for (const auto& change : json)
    {
        changes.push_back({PicoSeconds(change.at(0).get<int64_t>()), change.at(1).get<int64_t>()});
    }
    return changes;
}

Json
ShareToJson(const RunTraffic& traffic)
{
    return {traffic.packetsSent,
            traffic.retransmissions,
            traffic.bytesPosted,
            traffic.bytesDelivered,
            traffic.bursts,
            traffic.burstPackets,
            traffic.bytesFailed};
}

RunTraffic
ToTraffic(const Json& json)
{
    return {json.at(0).get<uint64_t>(),
            json.at(1).get<uint64_t>(),
            json.at(2).get<uint64_t>(),
            json.at(3).get<uint64_t>(),
            json.at(4).get<uint64_t>(),
            json.at(5).get<uint64_t>(),
            json.at(6).get<uint64_t>()};
}

} // namespace

void
RunTraffic::Add(const RunTraffic& other)
{
    packetsSent += other.packetsSent;
    retransmissions += other.retransmissions;
    bytesPosted += other.bytesPosted;
    bytesDelivered += other.bytesDelivered;
    bursts += other.bursts;
    burstPackets += other.burstPackets;
    bytesFailed += other.bytesFailed;
}

std::string
RunShare::ToJson() const
{
    return Json{{"ends", ShareToJson(log.ends)},
                {"reconfigurations", ShareToJson(log.reconfigurations)},
                {"exposures", ShareToJson(log.exposures)},
                {"rails", ShareToJson(rails)},
                {"scale_up", ShareToJson(scaleUp)},
                {"host_network", ShareToJson(hosts)},
                {"lost", packetsLostAtOcs},
                {"ports", light.ports},
                {"light", ShareToJson(light.changes)},
                {"forwarded", bytesForwarded},
                {"control", control.ToText()},
                {"events", events},
                {"setup_cpu_s", setupCpuSeconds},
                {"cpu_s", cpuSeconds},
                {"peak_rss_bytes", peakRssBytes},
                {"stall", stall}}
        .dump();
}

RunShare
RunShare::FromJson(const std::string& text)
{
    const Json json = Json::parse(text);
    RunShare share;
    share.log.ends = ToTimes(json.at("ends"));
    share.log.reconfigurations = ToTimes(json.at("reconfigurations"));
    share.log.exposures = ToExposures(json.at("exposures"));
    share.rails = ToTraffic(json.at("rails"));
    share.scaleUp = ToTraffic(json.at("scale_up"));
    share.hosts = ToTraffic(json.at("host_network"));
    share.packetsLostAtOcs = json.at("lost").get<uint64_t>();
    share.light = {json.at("ports").get<uint64_t>(), ToChanges(json.at("light"))};
    share.bytesForwarded = json.at("forwarded").get<uint64_t>();
    share.control = ControlShare::FromText(json.at("control").get<std::string>());
    share.events = json.at("events").get<uint64_t>();
    share.setupCpuSeconds = json.at("setup_cpu_s").get<double>();
    share.cpuSeconds = json.at("cpu_s").get<double>();
    share.peakRssBytes = json.at("peak_rss_bytes").get<uint64_t>();
    share.stall = json.at("stall").get<std::vector<std::string>>();
    return share;
}

} // namespace ns3
