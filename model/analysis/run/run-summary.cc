// SPDX-License-Identifier: GPL-2.0-only

#include "run-summary.h"

#include "ns3/abort.h"
#include "ns3/report-table.h"
#include "ns3/report-value.h"
#include "ns3/text-archive.h"
#include "ns3/time-unit.h"

#include <algorithm>
#include <ctime>
#include <iomanip>
#include <iostream>
#include <optional>
#include <sys/resource.h>

namespace ns3
{

std::vector<RunRecovery::Step>
RunRecovery::GetSteps() const
{
    return {{"detect", lost, detected},
            {"stop", detected, stopped},
            {"plan", stopped, replaced},
            {"build", replaced, ready},
            {"go", ready, resumed}};
}

std::string
RunRecovery::GetGpusText() const
{
    std::string text;
    for (const uint32_t gpu : gpus)
    {
        text += (text.empty() ? "" : ", ") + std::to_string(gpu);
    }
    return text;
}

std::string
RunRecovery::GetMovesText(std::size_t most) const
{
    std::string text;
    for (std::size_t i = 0; i < std::min(most, moves.size()); ++i)
    {
        text += (i == 0 ? "rank " : ", rank ") + std::to_string(moves[i].rank) + " from GPU " +
                std::to_string(moves[i].from) + " to " + std::to_string(moves[i].to);
    }
    return moves.size() <= most
               ? text
               : text + " and " + std::to_string(moves.size() - most) + " other ranks";
}

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

/// A window, and the stage of its rank.
struct StagedWindow : PhaseWindow
{
    std::size_t stage{0};
};

/// An iteration, and the windows in it.
struct SummarizedIteration : TrainingIteration
{
    std::vector<StagedWindow> windows;
    std::optional<Time> exposed; //!< see RunSummary::GetExposed
};

/// @return the iterations with the windows that begin in them
std::vector<SummarizedIteration>
FindIterations(const RunSummary& summary)
{
    std::vector<SummarizedIteration> iterations;
    for (const auto& iteration : summary.iterations)
    {
        iterations.push_back({iteration, {}, summary.GetExposed(iteration)});
        for (std::size_t stage = 0; stage < summary.windows.size(); ++stage)
        {
            for (const auto& window : summary.windows[stage])
            {
                if (window.iteration == iteration.index)
                {
                    iterations.back().windows.push_back({window, stage});
                }
            }
        }
    }
    return iterations;
}

const ReportTable<StagedWindow> STAGED_WINDOWS{
    {"stage", "", &StagedWindow::stage},
    {"from", "", [](const auto& window) { return ToString(window.from); }},
    {"to", "", [](const auto& window) { return ToString(window.to); }},
    {"window_s", "s", &PhaseWindow::duration},
    {"bytes_after", "bytes", &PhaseWindow::bytesAfter},
};

const ReportTable<SummarizedIteration> ITERATIONS{
    {"index", "", &TrainingIteration::index, {"iteration", 9}},
    {"time_s", "s", &TrainingIteration::duration, {"time {}", 12, ReportUnit::FITS}},
    {"reconfigurations",
     "commands",
     &TrainingIteration::reconfigurations,
     {"reconfigurations", 19}},
    {"exposed_reconfiguration_s",
     "s",
     &SummarizedIteration::exposed,
     {"exposed reconfiguration {}", 29, ReportUnit::FITS}},
    {"windows", "", ReportRows(&SummarizedIteration::windows, STAGED_WINDOWS)},
};

const ReportTable<ScaleOutPhase> PHASES{
    {"dimension", "", [](const auto& phase) { return ToString(phase.dimension); }},
    {"kind", "", [](const auto& phase) { return ToString(phase.kind); }},
    {"count", "operations", &ScaleOutPhase::count},
};

const ReportTable<RunTraffic> TRAFFIC{
    {"packets_sent", "packets", &RunTraffic::packetsSent},
    {"retransmissions", "packets", &RunTraffic::retransmissions},
    {"bytes_posted", "bytes", &RunTraffic::bytesPosted},
    {"bytes_delivered", "bytes", &RunTraffic::bytesDelivered},
    {"bytes_failed", "bytes", &RunTraffic::bytesFailed},
};

const ReportTable<RunFault> FAULTS{
    {"kind", "", &RunFault::kind},
    {"target", "", &RunFault::target},
    {"at_s", "s", &RunFault::at},
    {"until_s",
     "s",
     [](const RunFault& fault) {
         return fault.until == Time::Max() ? std::nullopt : std::optional(fault.until);
     }},
    {"consequence", "", &RunFault::consequence},
};

const ReportTable<RunRecovery::Move> MOVES{
    {"rank", "", &RunRecovery::Move::rank},
    {"from", "GPU", &RunRecovery::Move::from},
    {"to", "GPU", &RunRecovery::Move::to},
};

const ReportTable<RunRecovery> RECOVERIES{
    {"gpus", "GPU", &RunRecovery::gpus},
    {"moves", "", ReportRows(&RunRecovery::moves, MOVES)},
    {"lost_s", "s", &RunRecovery::lost},
    {"detected_s", "s", &RunRecovery::detected},
    {"stopped_s", "s", &RunRecovery::stopped},
    {"replaced_s", "s", &RunRecovery::replaced},
    {"ready_s", "s", &RunRecovery::ready},
    {"resumed_s", "s", &RunRecovery::resumed},
    {"attempts", "attempts", &RunRecovery::attempts},
    {"iteration", "", &RunRecovery::iteration},
    {"lost_work_s", "s", &RunRecovery::lostWork},
    {"spares_left", "GPUs", &RunRecovery::sparesLeft},
};

const ReportTable<RunSummary::Process> PROCESSES{
    {"events", "events", &RunSummary::Process::events},
    {"cpu_s", "s", &RunSummary::Process::cpuSeconds},
    {"peak_rss_bytes", "bytes", &RunSummary::Process::peakRssBytes},
};

/// @return a count of the NICs on the rails
template <uint64_t RunTraffic::*COUNT>
uint64_t
OnRails(const RunSummary& summary)
{
    return summary.rails.*COUNT;
}

/// @return a time for a sentence
std::string
ToText(const Time& time)
{
    return TimeUnit::Write(ToSeconds(time));
}

void
WriteRecovery(std::ostream& os, const RunRecovery& recovery)
{
    const auto& gpus = recovery.gpus;
    const bool isOne = gpus.size() == 1;
    os << "the job went on with iteration " << recovery.iteration << " "
       << ToText(recovery.resumed - recovery.lost) << " after GPU" << (isOne ? " " : "s ");
    for (std::size_t i = 0; i < gpus.size(); ++i)
    {
        os << (i == 0 ? "" : i + 1 < gpus.size() ? ", " : " and ") << gpus[i];
    }
    os << (isOne ? " was" : " were") << " lost (missed "
       << ToText(recovery.detected - recovery.lost) << ", stopped "
       << ToText(recovery.stopped - recovery.detected) << ", planned "
       << ToText(recovery.replaced - recovery.stopped) << ", ready "
       << ToText(recovery.ready - recovery.replaced) << ", going on "
       << ToText(recovery.resumed - recovery.ready) << "); " << ToText(recovery.lostWork)
       << " of work were lost, spares left " << recovery.sparesLeft << "\n";
}

/// @return the number of iterations that began before the last circuit got or lost light
uint32_t
CountUnmeasured(const IterationLog& log, const std::vector<RunShare>& shares)
{
    Time last;
    for (const RunShare& share : shares)
    {
        last = share.light.changes.empty() ? last : Max(last, share.light.changes.back().at);
    }
    const auto begun = std::lower_bound(log.ends.begin(), log.ends.end(), last) - log.ends.begin();
    return last.IsZero() ? 0 : static_cast<uint32_t>(begun) + 1;
}

/// @return the costs of several processes, such as " (5 + 4)"; an empty text for a single process
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

// The table is made at the first call: it uses tables of other files.
const ReportTable<RunSummary>&
RunSummary::GetTable()
{
    static const ReportTable<RunSummary> table{
        {"fabric", "", &RunSummary::fabric},
        {"symmetry",
         "",
         [](const auto& summary) {
             return summary.railsPerRun == 1   ? "none"
                    : summary.SharesHostNics() ? "estimate"
                                               : "rails";
         }},
        {"settings", "", &RunSummary::settings},
        {"derived", "", &RunSummary::derived},
        {"world_size", "ranks", &RunSummary::worldSize},
        {"tokens_per_s_per_gpu", "tokens/s", &RunSummary::GetTokenRate},
        {"mfu", "0 to 1", &RunSummary::GetMfu},
        {"mfu_remark", "", ReportIfSet(&RunSummary::mfuRemark)},
        {"step_least_s", "s", ReportIfSet([](const auto& summary) {
             return summary.interval.least;
         })},
        {"step_most_s", "s", ReportIfSet([](const auto& summary) {
             return summary.interval.most;
         })},
        {"iterations", "", ReportRows(FindIterations, ITERATIONS)},
        {"collectives",
         "",
         {[](const RunSummary& summary) { return ns3::MakeJson(summary.collectives); },
          ListVolumeKeys()}},
        {"phases", "", ReportRows(&RunSummary::phases, PHASES)},
        {"packets_sent", "packets", OnRails<&RunTraffic::packetsSent>},
        {"packets_lost_at_ocs", "packets", &RunSummary::packetsLostAtOcs},
        {"packets_lost_at_switches", "packets", &RunSummary::packetsLostAtSwitches},
        {"retransmissions", "packets", OnRails<&RunTraffic::retransmissions>},
        {"bytes_posted", "bytes", OnRails<&RunTraffic::bytesPosted>},
        {"bytes_delivered", "bytes", OnRails<&RunTraffic::bytesDelivered>},
        {"bytes_failed", "bytes", OnRails<&RunTraffic::bytesFailed>},
        {"scale_up", "", ReportObject(&RunSummary::scaleUp, TRAFFIC)},
        {"host_network", "", ReportObject(&RunSummary::hosts, TRAFFIC)},
        {"light_share",
         "0 to 1",
         [](const RunSummary& summary) { return summary.light.GetShare(); }},
        {"bytes_forwarded", "bytes", &RunSummary::bytesForwarded},
        {"control",
         "",
         ReportObject(
             [](const RunSummary& summary) {
                 return summary.hasControlPlane ? &summary.control : nullptr;
             },
             ControlShare::GetTable())},
        {"faults", "", ReportRows(&RunSummary::faults, FAULTS)},
        {"recoveries", "", ReportRows(&RunSummary::recoveries, RECOVERIES)},
        {"failure", "", &RunSummary::failure},
        {"interrupted", "", &RunSummary::interrupted},
        {"events", "events", &RunSummary::events},
        {"wall_s", "s", &RunSummary::wallSeconds},
        {"peak_rss_bytes", "bytes", &RunSummary::peakRssBytes},
        {"processes", "", ReportRows(&RunSummary::processes, PROCESSES)},
    };
    return table;
}

template struct JsonReport<RunSummary>;

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
    // A sum over grants would stand beside times of steps, and is many times as long.
    const auto mean = [this](const TimeSum& sum) {
        return TimeUnit::Write(sum.GetSeconds() / std::max<double>(1, grants));
    };
    os << "control plane: requests " << requests << ", grants " << grants << " (" << cacheHits
       << " without switching), commands to switches " << commands << "\n"
       << "mean of a grant: the group waited " << mean(waitedRanks) << " for ranks, "
       << mean(waitedPorts) << " for ports, " << mean(waitedLight) << " for light\n";
    if (crashes > 0 || takeovers > 0 || retransmissions > 0)
    {
        os << "controllers crashed " << crashes << " times (standbys took over " << takeovers
           << " times) and were away for " << TimeUnit::Write(down.GetSeconds())
           << " in sum; frames sent again " << retransmissions << "\n";
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
VisitFields(Archive& archive, ControlShare& share)
{
    for (const auto& [key, unit, member] : CONTROL_COUNTS)
    {
        archive(share.*member);
    }
    for (const auto& [key, unit, member] : CONTROL_TIMES)
    {
        archive(share.*member);
    }
    archive(share.longestQueue);
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
    archive(share.log.start,
            share.log.ends,
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

void
RunCounts::Add(const RunCounts& other)
{
    rails.Add(other.rails);
    scaleUp.Add(other.scaleUp);
    hosts.Add(other.hosts);
    packetsLostAtOcs += other.packetsLostAtOcs;
    packetsLostAtSwitches += other.packetsLostAtSwitches;
    bytesForwarded += other.bytesForwarded;
    control.Add(other.control);
    events += other.events;
    setupCpuSeconds += other.setupCpuSeconds;
    cpuSeconds += other.cpuSeconds;
    peakRssBytes += other.peakRssBytes;
    stall.insert(stall.end(), other.stall.begin(), other.stall.end());
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

void
RunSummary::CountForRails(uint32_t rails)
{
    railsPerRun = rails;
    worldSize *= rails;
    packetsLostAtOcs *= rails;
    packetsLostAtSwitches *= rails;
    bytesForwarded *= rails;
    control.CountForRails(rails);
    for (auto* traffic : {&this->rails, &scaleUp, &hosts})
    {
        traffic->CountForRails(rails);
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
        Add(share);
        processes.push_back({share.events, share.cpuSeconds, share.peakRssBytes});
    }
    start = log.start;
    iterations = log.GetIterations();
    unmeasured = hasControlPlane ? 0 : CountUnmeasured(log, shares);
    for (const RunShare& share : shares)
    {
        light.Add(log.ends.empty() ? LightLog::Sum()
                                   : share.light.GetSum(log.start, log.ends.back()));
    }
}

double
RunSummary::GetTokenRate() const
{
    const double seconds = iterations.empty() ? 0 : ToSeconds(iterations.back().duration);
    return seconds > 0 ? static_cast<double>(tokens) / seconds / worldSize : 0;
}

double
RunSummary::GetMfu() const
{
    const double seconds = iterations.empty() ? 0 : ToSeconds(iterations.back().duration);
    return seconds > 0 ? modelFlops / seconds / worldSize / peakFlops : 0;
}

std::optional<Time>
RunSummary::GetExposed(const TrainingIteration& iteration) const
{
    return iteration.index < unmeasured ? std::nullopt
                                        : std::optional(iteration.exposedReconfiguration);
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
        // Failed bytes may have been delivered before the acknowledgement was lost.
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
    return unwritten;
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
RunSummary::WriteTable(std::ostream& os) const
{
    os << "\n" << std::fixed;
    if (!interrupted.empty())
    {
        os << "INTERRUPTED by " << interrupted << ": these are the results until then\n";
    }
    ITERATIONS.WriteText(os, FindIterations(*this));
    if (unmeasured > 0)
    {
        os << "exposed reconfiguration is not measured where circuits move without leases\n";
    }
    if (!iterations.empty() && modelFlops > 0)
    {
        os << std::setprecision(1) << "\nlast iteration: ";
        if (tokens > 0) // unknown for a traced job
        {
            os << GetTokenRate() << " tokens/s per GPU, ";
        }
        os << "MFU " << 100 * GetMfu() << " % of the " << peakFlops / 1e12 << " TFLOP/s of a GPU\n";
        os << (mfuRemark.empty() ? "" : "remark: " + mfuRemark + "\n");
        os << (interval.IsKnown() ? interval.Describe() + "\n" : "");
    }
    os << "\n";
    WriteVolumes(os, "rank 0, last iteration", collectives);
    os << "\nphases on the rail, last iteration\n";
    for (std::size_t stage = 0; stage < phases.size(); ++stage)
    {
        os << "  stage " << stage << ": " << ScaleOutPhase::Fold(phases[stage]) << "\n";
    }
    os << "\non the rails: data packets " << rails.packetsSent << ", retransmissions "
       << rails.retransmissions << ", lost at circuit switches " << packetsLostAtOcs
       << (packetsLostAtSwitches > 0
               ? ", lost at electrical switches " + std::to_string(packetsLostAtSwitches)
               : "")
       << "\nbytes posted " << rails.bytesPosted << ", delivered " << rails.bytesDelivered << "\n";
    if (light.all > 0)
    {
        os << "ports of circuit switches had light for " << std::setprecision(1)
           << 100 * light.GetShare() << " % of the time\n";
    }
    if (bytesForwarded > 0)
    {
        os << "GPUs forwarded " << bytesForwarded << " bytes of other ranks\n";
    }
    if (control.requests > 0)
    {
        control.WriteTable(os);
    }
    for (const auto& [traffic, where] :
         {std::pair(scaleUp,
                    domainsByFormula ? "scale-up networks, without groups inside a domain, which "
                                       "take the time of a formula"
                                     : "scale-up networks"),
          std::pair(hosts, "the host network")})
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
           << " s: " << (fault.consequence.empty() ? "not detected" : fault.consequence) << "\n";
    }
    for (const auto& recovery : recoveries)
    {
        WriteRecovery(os, recovery);
    }
    if (railsPerRun > 1)
    {
        os << "one rail in " << railsPerRun << " was simulated; it is proved that all "
           << railsPerRun << " do the same"
           << (SharesHostNics() ? " but for turns on NICs of hosts" : "")
           << ": counts are those of all\n";
        if (SharesHostNics())
        {
            os << "each GPU had 1/" << railsPerRun
               << " of the NIC of its host: the times are an estimate\n";
        }
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
