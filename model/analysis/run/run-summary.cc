// SPDX-License-Identifier: GPL-2.0-only

#include "run-summary.h"

#include "ns3/texts-to-json.h"
#include "ns3/to-seconds.h"

#include <ctime>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

namespace ns3
{

namespace
{

using Json = nlohmann::ordered_json;

Json
WindowToJson(const PhaseWindow& window, std::size_t stage)
{
    return Json{{"stage", stage},
                {"from", ToString(window.from)},
                {"to", ToString(window.to)},
                {"window_s", ToSeconds(window.duration)},
                {"bytes_after", window.bytesAfter}};
}

Json
IterationsToJson(const RunSummary& summary)
{
    Json list = Json::array();
    for (const auto& iteration : summary.iterations)
    {
        Json windows = Json::array();
        for (std::size_t stage = 0; stage < summary.windows.size(); ++stage)
        {
            for (const auto& window : summary.windows[stage])
            {
                if (window.iteration == iteration.index)
                {
                    windows.push_back(WindowToJson(window, stage));
                }
            }
        }
        list.push_back(
            Json{{"index", iteration.index},
                 {"time_s", ToSeconds(iteration.duration)},
                 {"reconfigurations", iteration.reconfigurations},
                 {"exposed_reconfiguration_s", ToSeconds(iteration.exposedReconfiguration)},
                 {"windows", windows}});
    }
    return list;
}

Json
PhasesToJson(const RunSummary& summary)
{
    Json stages = Json::array();
    for (const auto& phases : summary.phases)
    {
        Json list = Json::array();
        for (const auto& phase : phases)
        {
            list.push_back(Json{{"dimension", ToString(phase.dimension)},
                                {"kind", ToString(phase.kind)},
                                {"count", phase.count}});
        }
        stages.push_back(list);
    }
    return stages;
}

Json
TrafficToJson(const RunSummary::Traffic& traffic)
{
    return Json{{"packets_sent", traffic.packetsSent},
                {"retransmissions", traffic.retransmissions},
                {"bytes_posted", traffic.bytesPosted},
                {"bytes_delivered", traffic.bytesDelivered},
                {"bytes_failed", traffic.bytesFailed}};
}

Json
RecoveriesToJson(const RunSummary& summary)
{
    Json list = Json::array();
    for (const auto& recovery : summary.recoveries)
    {
        Json moves = Json::array();
        for (const auto& move : recovery.moves)
        {
            moves.push_back(Json{{"rank", move.rank}, {"from", move.from}, {"to", move.to}});
        }
        list.push_back(Json{{"gpus", recovery.gpus},
                            {"moves", moves},
                            {"lost_s", ToSeconds(recovery.lost)},
                            {"detected_s", ToSeconds(recovery.detected)},
                            {"stopped_s", ToSeconds(recovery.stopped)},
                            {"replaced_s", ToSeconds(recovery.replaced)},
                            {"ready_s", ToSeconds(recovery.ready)},
                            {"resumed_s", ToSeconds(recovery.resumed)},
                            {"attempts", recovery.attempts},
                            {"iteration", recovery.iteration},
                            {"lost_work_s", ToSeconds(recovery.lostWork)},
                            {"spares_left", recovery.sparesLeft}});
    }
    return list;
}

void
WriteRecovery(std::ostream& os, const RunRecovery& recovery)
{
    os << "the job went on with iteration " << recovery.iteration << std::setprecision(4) << " "
       << ToSeconds(recovery.resumed - recovery.lost) << " s after GPU";
    for (const uint32_t gpu : recovery.gpus)
    {
        os << " " << gpu;
    }
    os << " was lost (missed " << ToSeconds(recovery.detected - recovery.lost) << ", stopped "
       << ToSeconds(recovery.stopped - recovery.detected) << ", planned "
       << ToSeconds(recovery.replaced - recovery.stopped) << ", ready "
       << ToSeconds(recovery.ready - recovery.replaced) << ", going on "
       << ToSeconds(recovery.resumed - recovery.ready) << " s); " << ToSeconds(recovery.lostWork)
       << " s of work were lost, spares left " << recovery.sparesLeft << "\n";
}

Json
FaultsToJson(const RunSummary& summary)
{
    Json list = Json::array();
    for (const auto& fault : summary.faults)
    {
        list.push_back(Json{{"kind", fault.kind},
                            {"target", fault.target},
                            {"at_s", ToSeconds(fault.at)},
                            {"consequence", fault.consequence}});
        if (fault.until != Time::Max())
        {
            list.back()["until_s"] = ToSeconds(fault.until);
        }
    }
    return list;
}

Json
ProcessesToJson(const RunSummary& summary)
{
    Json list = Json::array();
    for (const auto& process : summary.processes)
    {
        list.push_back(Json{{"events", process.events},
                            {"cpu_s", process.cpuSeconds},
                            {"peak_rss_bytes", process.peakRssBytes}});
    }
    return list;
}

/// @return what each of several processes took, such as " (5 + 4)"; nothing of a single one
template <typename Get>
std::string
ListProcesses(const std::vector<RunSummary::Process>& processes, Get get)
{
    std::string list;
    for (const auto& process : processes)
    {
        list += (list.empty() ? " (" : " + ") + std::to_string(get(process));
    }
    return processes.size() < 2 ? "" : list + ")";
}

} // namespace

void
RunSummary::CountForRails(uint32_t rails)
{
    railsPerRun = rails;
    worldSize *= rails;
    packetsLostAtOcs *= rails;
    bytesForwarded *= rails;
    control.CountForRails(rails);
    for (auto* traffic : {&this->rails, &scaleUp, &hosts})
    {
        traffic->packetsSent *= rails;
        traffic->retransmissions *= rails;
        traffic->bytesPosted *= rails;
        traffic->bytesDelivered *= rails;
    }
    for (auto& iteration : iterations)
    {
        iteration.reconfigurations *= rails;
    }
}

void
RunSummary::SetShares(const std::vector<RunShare>& shares)
{
    IterationLog log = shares.at(0).log;
    for (const RunShare& share : shares)
    {
        if (&share != &shares[0])
        {
            log.Add(share.log);
        }
        rails.Add(share.rails);
        scaleUp.Add(share.scaleUp);
        hosts.Add(share.hosts);
        packetsLostAtOcs += share.packetsLostAtOcs;
        bytesForwarded += share.bytesForwarded;
        control.Add(share.control);
        events += share.events;
        setupCpuSeconds += share.setupCpuSeconds;
        cpuSeconds += share.cpuSeconds;
        peakRssBytes += share.peakRssBytes;
        processes.push_back({share.events, share.cpuSeconds, share.peakRssBytes});
        stall.insert(stall.end(), share.stall.begin(), share.stall.end());
    }
    iterations = log.GetIterations();
    for (const RunShare& share : shares)
    {
        light.Add(share.light.GetSum(log.ends.empty() ? Time() : log.ends.back()));
    }
}

std::string
RunSummary::CheckInvariants() const
{
    if (!failure.empty())
    {
        std::string error = failure;
        for (const auto& line : stall)
        {
            error += "\n  " + line;
        }
        return error;
    }
    if (iterations.size() != iterationsAsked)
    {
        return "the job came to a standstill: " + std::to_string(iterations.size()) + " of " +
               std::to_string(iterationsAsked) + " iterations ended";
    }
    for (const auto& [traffic, where] : {std::pair(rails, ""),
                                         std::pair(scaleUp, " to scale-up"),
                                         std::pair(hosts, " to the host network")})
    {
        // What was given up may have arrived all the same, if its acknowledgement had not.
        if (traffic.bytesDelivered > traffic.bytesPosted ||
            traffic.bytesDelivered + traffic.bytesFailed < traffic.bytesPosted ||
            (traffic.bytesFailed > 0 && recoveries.empty()))
        {
            return std::to_string(traffic.bytesPosted) + " bytes were posted" + where + " but " +
                   std::to_string(traffic.bytesDelivered) + " delivered";
        }
    }
    if (packetsLostAtOcs != 0 && !mayLoseLight && faults.empty())
    {
        return std::to_string(packetsLostAtOcs) + " packets were lost at circuit switches";
    }
    return "";
}

std::string
ToOneLine(const std::string& error)
{
    const std::size_t end = error.find('\n');
    if (end != std::string::npos)
    {
        std::cerr << error << std::endl;
    }
    return error.substr(0, end);
}

void
RunSummary::WriteJson(std::ostream& os) const
{
    const Json json{{"fabric", fabric},
                    {"symmetry", railsPerRun > 1 ? "rails" : "none"},
                    {"settings", TextsToJson(settings)},
                    {"derived", TextsToJson(derived)},
                    {"world_size", worldSize},
                    {"iterations", IterationsToJson(*this)},
                    {"collectives", Json::parse(ToJson(collectives))},
                    {"phases", PhasesToJson(*this)},
                    {"packets_sent", rails.packetsSent},
                    {"packets_lost_at_ocs", packetsLostAtOcs},
                    {"retransmissions", rails.retransmissions},
                    {"bytes_posted", rails.bytesPosted},
                    {"bytes_delivered", rails.bytesDelivered},
                    {"bytes_failed", rails.bytesFailed},
                    {"scale_up", TrafficToJson(scaleUp)},
                    {"host_network", TrafficToJson(hosts)},
                    {"light_share", light.GetShare()},
                    {"bytes_forwarded", bytesForwarded},
                    {"control", Json::parse(control.ToJson())},
                    {"faults", FaultsToJson(*this)},
                    {"recoveries", RecoveriesToJson(*this)},
                    {"failure", failure},
                    {"events", events},
                    {"wall_s", wallSeconds},
                    {"peak_rss_bytes", peakRssBytes},
                    {"processes", ProcessesToJson(*this)}};
    os << json.dump(2) << "\n";
}

void
RunSummary::WriteTable(std::ostream& os) const
{
    os << "\niteration      time s   reconfigurations   exposed reconfiguration s\n" << std::fixed;
    for (const auto& iteration : iterations)
    {
        os << std::setw(9) << iteration.index << std::setw(12) << std::setprecision(4)
           << ToSeconds(iteration.duration) << std::setw(19) << iteration.reconfigurations
           << std::setw(28) << ToSeconds(iteration.exposedReconfiguration) << "\n";
    }
    os << "\n";
    WriteVolumes(os, "rank 0, last iteration", collectives);
    os << "\nphases on the rail, last iteration\n";
    for (std::size_t stage = 0; stage < phases.size(); ++stage)
    {
        os << "  stage " << stage << ":";
        for (const auto& phase : phases[stage])
        {
            os << (&phase == phases[stage].data() ? " " : " | ") << phase.ToText();
        }
        os << "\n";
    }
    os << "\non the rails: data packets " << rails.packetsSent << ", retransmissions "
       << rails.retransmissions << ", lost at circuit switches " << packetsLostAtOcs
       << "\nbytes posted " << rails.bytesPosted << ", delivered " << rails.bytesDelivered << "\n";
    if (light.all > 0)
    {
        os << "ports of circuit switches had light for " << std::setprecision(1)
           << 100 * light.GetShare() << " % of the time, GPUs passed on " << bytesForwarded
           << " bytes for others\n";
    }
    if (control.requests > 0)
    {
        control.WriteTable(os);
    }
    for (const auto& [traffic, where] :
         {std::pair(scaleUp, "scale-up networks"), std::pair(hosts, "the host network")})
    {
        if (traffic.packetsSent > 0)
        {
            os << "on " << where << ": data packets " << traffic.packetsSent << ", retransmissions "
               << traffic.retransmissions << "\nbytes posted " << traffic.bytesPosted
               << ", delivered " << traffic.bytesDelivered << "\n";
        }
    }
    for (const auto& fault : faults)
    {
        os << fault.kind << " " << fault.target << " broke at " << std::setprecision(6)
           << ToSeconds(fault.at)
           << " s: " << (fault.consequence.empty() ? "nobody has noticed" : fault.consequence)
           << "\n";
    }
    for (const auto& recovery : recoveries)
    {
        WriteRecovery(os, recovery);
    }
    if (railsPerRun > 1)
    {
        os << "one rail was simulated, which stands for " << railsPerRun
           << " of which it is proved that they do the same: counts are those of all\n";
    }
    const auto getEvents = [](const Process& process) { return process.events; };
    const auto getMebibytes = [](const Process& process) {
        return process.peakRssBytes / (1 << 20);
    };
    os << "events " << events << ListProcesses(processes, getEvents) << ", wall time "
       << std::setprecision(1) << wallSeconds << " s, " << std::setprecision(2)
       << static_cast<double>(rails.packetsSent + scaleUp.packetsSent + hosts.packetsSent) /
              wallSeconds / 1e6
       << " M data packets/s, peak memory " << peakRssBytes / (1 << 20) << " MiB"
       << ListProcesses(processes, getMebibytes) << "\n";
}

uint64_t
GetPeakRss()
{
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<uint64_t>(usage.ru_maxrss) * 1024; // Linux counts KiB
}

double
GetCpuTime()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

} // namespace ns3
