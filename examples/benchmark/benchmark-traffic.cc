// SPDX-License-Identifier: GPL-2.0-only

#include "benchmark-traffic.h"

#include "ns3/collectives-experiment.h"
#include "ns3/fabric-comparison.h"
#include "ns3/job-ranks.h"
#include "ns3/opus-controller.h"
#include "ns3/program.h"
#include "ns3/rdma-helper.h"
#include "ns3/simulator.h"
#include "ns3/training-experiment.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <unistd.h>

namespace ns3
{

namespace
{

/**
 * @param settings are options
 * @param flags with their values
 * @param row has a detail; gets a reason
 * @return true if the flags are those of the settings; they are not checked yet
 */
bool
Parse(OptionGroup& settings, const BenchmarkTraffic::Flags& flags, BenchmarkRow& row)
{
    CommandLine cmd;
    std::vector<std::string> arguments{"photonic-rails-benchmark"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    arguments.push_back("--fidelity=" + row.fidelity);
    row.reason = ParseFlags(cmd, settings, arguments);
    return row.reason.empty();
}

/**
 * @brief Count the calls of a job between domains: a collective once for all ranks, and each
 * message of a pipeline.
 */
uint64_t
CountCollectives(const JobRanks& ranks)
{
    std::map<uint32_t, uint64_t> sums; // by the size of the group
    for (uint32_t rank = 0; rank < ranks.GetWorldSize(); ++rank)
    {
        for (const auto& operation : ranks.GetProgram(rank)->GetOperations())
        {
            if (operation.place == RankOperation::SCALE_OUT)
            {
                ++sums[ranks.GetLayout().GetGroup(rank, operation.role).GetSize()];
            }
        }
    }
    uint64_t collectives = 0;
    for (const auto& [size, count] : sums)
    {
        collectives += count / size; // every rank of a group has counted it, also both of a pair
    }
    return collectives;
}

/// One message after the other to one GPU, at random times.
struct Stream
{
    Ptr<RdmaConnection> sender;
    Ptr<RdmaConnection> receiver;
    uint64_t bytes{0}; //!< of a message
    uint32_t messages{0};
    uint32_t* unfinished{nullptr}; //!< messages of all streams that are not acknowledged
    Time* last{nullptr};           //!< when the last byte of all streams arrived

    void Post() const
    {
        sender->Post(bytes, 1);
    }
};

void
StreamStripeArrived(Stream* stream, uint32_t /* immediate */, uint64_t /* bytes */)
{
    *stream->last = Simulator::Now();
}

void
StreamAcknowledged(Stream* stream, uint32_t /* immediate */, bool /* delivered */)
{
    if (--*stream->unfinished == 0)
    {
        Simulator::Stop(); // what is left to happen is of no interest: timers
    }
}

/// Post the messages of a stream at times that are exponentially distributed.
void
Schedule(const Stream& stream, double meanSeconds, uint32_t seed)
{
    std::mt19937 random(seed); // the same numbers everywhere, unlike distributions
    double seconds = 0;
    for (uint32_t message = 0; message < stream.messages; ++message)
    {
        seconds -= meanSeconds * std::log((random() + 0.5) / 4294967296.0);
        Simulator::Schedule(PicoSeconds(std::llround(seconds * 1e12)), &Stream::Post, &stream);
    }
}

/// Run the simulator, and measure it and the traffic of the NICs.
void
RunMeasured(const RailCluster& cluster, BenchmarkRow& row)
{
    row.setupCpuSeconds = GetCpuTime();
    Simulator::Run();
    row.cpuSeconds = GetCpuTime() - row.setupCpuSeconds;
    row.events = Simulator::GetEventCount();
    for (uint32_t gpu = 0; gpu < cluster.GetNGpus(); ++gpu)
    {
        row.dataPackets += cluster.GetNic(gpu)->GetQueuePairStatistics().dataPacketsSent;
        row.bursts += cluster.GetNic(gpu)->GetStatistics().bursts;
        row.burstPackets += cluster.GetNic(gpu)->GetStatistics().burstPackets;
    }
}

} // namespace

void
BenchmarkTraffic::MeasureJob(const Flags& flags, BenchmarkRow& row)
{
    TrainingSettings settings;
    if (!Parse(settings, flags, row))
    {
        return;
    }
    if (row.reason = settings.Check(); !row.reason.empty())
    {
        return;
    }
    const RunSummary summary = TrainingExperiment(settings).Run(nullptr);
    row.reason = ToOneLine(summary.CheckInvariants());
    for (const auto& iteration : summary.iterations)
    {
        row.simulated += iteration.duration;
    }
    row.gpus = summary.worldSize;
    row.events = summary.events;
    row.dataPackets = summary.rails.packetsSent + summary.scaleUp.packetsSent;
    row.bursts = summary.rails.bursts + summary.scaleUp.bursts;
    row.burstPackets = summary.rails.burstPackets + summary.scaleUp.burstPackets;
    // On rails one link leads to the switch and one from it.
    const bool rails = summary.fabric == "photonic" || summary.fabric == "electrical";
    row.dataHops = rails ? 2 * row.dataPackets : 0;
    row.setupCpuSeconds = summary.setupCpuSeconds;
    row.cpuSeconds = summary.cpuSeconds;
    row.peakRssBytes = summary.peakRssBytes;
    row.collectives = CountCollectives(settings.GetAllRanks()) * settings.iterations.Get();
}

void
BenchmarkTraffic::MeasureProgram(const std::string& command, BenchmarkRow& row)
{
    const auto file = std::filesystem::temp_directory_path() /
                      ("photonic-rails-benchmark-" + std::to_string(getpid()) + ".json");
    const auto errors = std::filesystem::path(file).replace_extension(".txt");
    const std::string line = command + " --quiet --fidelity=" + row.fidelity +
                             " --json=" + file.string() + " >/dev/null 2>" + errors.string();
    const int status = std::system(line.c_str());
    std::ifstream summary(file);
    const auto json = nlohmann::json::parse(summary, nullptr, false);
    if (status != 0 || json.is_discarded())
    {
        // The first line that says something: mpirun puts its own between lines of dashes.
        std::ifstream said(errors);
        for (std::string words; row.reason.empty() && std::getline(said, words);)
        {
            row.reason = words.find_first_not_of("- ") == std::string::npos ? "" : words;
        }
        row.reason = row.reason.empty() ? "there is no result of " + command : row.reason;
    }
    else
    {
        for (const auto& iteration : json.at("iterations"))
        {
            row.simulated += PicoSeconds(std::llround(iteration.at("time_s").get<double>() * 1e12));
        }
        row.gpus = json.at("world_size");
        row.events = json.at("events");
        row.dataPackets = json.at("packets_sent").get<uint64_t>() +
                          json.at("scale_up").at("packets_sent").get<uint64_t>();
        row.wallSeconds = json.at("wall_s");
        row.peakRssBytes = json.at("peak_rss_bytes");
    }
    std::filesystem::remove(file);
    std::filesystem::remove(errors);
}

void
BenchmarkTraffic::MeasureCollective(const Flags& flags, BenchmarkRow& row)
{
    const std::string bytes = std::to_string(row.bytes);
    Flags all = flags;
    for (const auto* flag : {"--minBytes=", "--maxBytes="})
    {
        all.push_back(flag + bytes);
    }
    all.emplace_back("--warmup=0");
    CollectivesSettings settings;
    if (!Parse(settings, all, row))
    {
        return;
    }
    if (row.reason = settings.Check(); !row.reason.empty())
    {
        return;
    }
    const CollectivesExperiment experiment(settings);
    row.setupCpuSeconds = GetCpuTime();
    FabricProbe probe(false);
    const auto result = experiment.Run(row.bytes, &probe);
    row.cpuSeconds = GetCpuTime() - row.setupCpuSeconds;
    if (!result)
    {
        row.reason = "the calls came to a standstill";
        return;
    }
    row.gpus = settings.GetGroups()[0].GetSize();
    row.collectives = settings.iterations.Get();
    row.simulated = result->time * row.collectives;
    row.events = result->events;
    row.bursts = probe.GetMeasurement().bursts;
    row.burstPackets = probe.GetMeasurement().burstPackets;
    row.dataPackets = result->packetsSent;
}

void
BenchmarkTraffic::MeasurePermutation(const Flags& flags, const Load& load, BenchmarkRow& row)
{
    FabricSettings settings(nullptr, 1, "400Gbps");
    if (!Parse(settings, flags, row))
    {
        return;
    }
    if (row.reason = settings.Check(); !row.reason.empty())
    {
        return;
    }
    const RailCluster cluster = settings.MakeClusterHelper(load.gpus).Install(settings.GetFabric());
    const auto pairs = PermutationTraffic::MakeCycle(load.gpus, 1);
    std::vector<uint32_t> ports(settings.nicPorts.Get());
    std::iota(ports.begin(), ports.end(), 0);
    const double nicRate = static_cast<double>(settings.portRate.Get().GetBitRate()) *
                           static_cast<double>(ports.size());
    const double mean = 8.0 * static_cast<double>(load.bytes) / nicRate / load.share;
    uint32_t unfinished = load.gpus * load.messages;
    std::vector<Stream> streams(load.gpus);
    for (uint32_t gpu = 0; gpu < load.gpus; ++gpu)
    {
        Stream& stream = streams[gpu];
        stream.bytes = load.bytes;
        stream.messages = load.messages;
        stream.unfinished = &unfinished;
        stream.last = &row.simulated;
        std::tie(stream.sender, stream.receiver) =
            RdmaHelper::Connect(cluster.GetNic(gpu), ports, cluster.GetNic(pairs[gpu]), ports);
        stream.sender->SetSentCallback(MakeBoundCallback(&StreamAcknowledged, &stream));
        stream.receiver->SetReceivedCallback(MakeBoundCallback(&StreamStripeArrived, &stream));
        Schedule(stream, mean, gpu + 1);
    }
    RunMeasured(cluster, row);
    row.gpus = load.gpus;
    row.bytes = load.bytes;
    row.reason = unfinished > 0 ? "the messages came to a standstill" : "";
    Simulator::Destroy();
}

void
BenchmarkTraffic::MeasureControl(const ControlRig::Settings& settings,
                                 const ControlLoad& load,
                                 BenchmarkRow& row)
{
    ControlRig rig(settings);
    rig.SetControllerAttribute("MessageTime", TimeValue(load.messageTime));
    rig.SetControllerAttribute("Threads", UintegerValue(load.threads));
    rig.SetManagerAttribute("CoalesceTime", TimeValue(load.coalesce));
    row.setupCpuSeconds = GetCpuTime();
    const ControlRig::Result result = rig.Run();
    row.cpuSeconds = GetCpuTime() - row.setupCpuSeconds;
    row.simulated = result.GetLast();
    row.events = result.events;
    row.requests = rig.GetController()->GetStats().requests;
    row.messages = rig.GetController()->GetServerStats().served;
    row.longestQueue = rig.GetController()->GetServerStats().longest;
    const bool isAll = result.admitted.size() == uint64_t{settings.groups} * settings.ranks;
    row.reason = isAll ? "" : "not all ranks were given circuits";
    Simulator::Destroy();
}

} // namespace ns3
