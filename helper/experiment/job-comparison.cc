// SPDX-License-Identifier: GPL-2.0-only

#include "job-comparison.h"

#include "training-experiment.h"

#include "ns3/child-process.h"
#include "ns3/costed-run.h"
#include "ns3/flag-parser.h"
#include "ns3/interruption.h"
#include "ns3/memory-estimate.h"
#include "ns3/parts-catalogue.h"
#include "ns3/program.h"
#include "ns3/report-value.h"
#include "ns3/text-archive.h"
#include "ns3/time-unit.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <sstream>
#include <thread>
#include <tuple>
#include <utility>

namespace ns3
{

BreakEvenSearch::BreakEvenSearch(Cost cost)
    : m_cost(std::move(cost))
{
}

void
BreakEvenSearch::Add(const Time& delay, double cost)
{
    m_known.emplace(delay, cost);
}

std::optional<double>
BreakEvenSearch::Get(const Time& delay)
{
    const auto known = m_known.find(delay);
    return known != m_known.end() ? known->second
                                  : m_known.emplace(delay, m_cost(delay)).first->second;
}

std::vector<std::pair<Time, double>>
BreakEvenSearch::GetCosts() const
{
    std::vector<std::pair<Time, double>> costs;
    for (const auto& [delay, cost] : m_known)
    {
        if (cost)
        {
            costs.emplace_back(delay, *cost);
        }
    }
    return costs;
}

namespace
{

/// A switching time in ns and its cost.
struct KnownCost
{
    double nanoseconds;
    double cost;
};

/// The runs next to the wanted switching time, and estimates of it by lines through these runs.
struct CostBracket
{
    double share;                    //!< that is looked for
    std::optional<KnownCost> lower;  //!< the longest below low
    std::optional<KnownCost> low;    //!< the longest that costs at most the share
    std::optional<KnownCost> high;   //!< the shortest that costs more
    std::optional<KnownCost> higher; //!< the shortest above high

    /// Take a run into account; runs come by switching time.
    void Add(const KnownCost& run)
    {
        if (run.cost <= share && !high)
        {
            lower = std::exchange(low, run);
        }
        else if (!high)
        {
            high = run;
        }
        else if (!higher)
        {
            higher = run;
        }
    }

    /// @return the switching time at which a line through two runs reaches the share, if it rises
    std::optional<double> Extend(const std::optional<KnownCost>& first,
                                 const std::optional<KnownCost>& second) const
    {
        if (!first || !second || second->cost <= first->cost)
        {
            return std::nullopt;
        }
        return first->nanoseconds + (share - first->cost) / (second->cost - first->cost) *
                                        (second->nanoseconds - first->nanoseconds);
    }

    /**
     * @brief Tell where lines through runs reach the share.
     *
     * Costs are convex as long as events keep their order, so that a line through two runs on one
     * side of the switching time reaches the share too late.
     * @return the switching time in ns, or nothing if no line narrows the range of the runs
     */
    std::optional<double> FindLine() const
    {
        const auto between = Extend(low, high);
        std::optional<double> least;
        for (const auto& end : {Extend(lower, low), Extend(high, higher)})
        {
            const bool agrees = end && (!low || *end >= low->nanoseconds) &&
                                (!high || *end < high->nanoseconds) &&
                                (!between || *end >= 0.99 * *between); // else costs are not convex
            if (agrees && (!least || *end < *least))
            {
                least = end;
            }
        }
        return least;
    }

    /// @return true if both ends are as near as required
    bool IsNarrow() const
    {
        const auto line = FindLine();
        if (!low || (!high && !line))
        {
            return false;
        }
        const double end = line ? *line : high->nanoseconds;
        return end <= low->nanoseconds * (1 + BreakEvenSearch::TOLERANCE) ||
               end <= low->nanoseconds + 1;
    }

    /**
     * @brief Choose the switching time of the next run.
     *
     * It is next to where a line reaches the share. Where no line rises, a bracket is halved on a
     * logarithmic scale; every third time, too, since this relies on nothing. With a single run the
     * cost is taken to be proportional. With two runs of equal costs on one side, it is far away.
     * @param run number of the run
     * @return the switching time in ns
     */
    double Choose(int run) const
    {
        const double margin = 1 + 0.4 * BreakEvenSearch::TOLERANCE;
        const auto line = FindLine();
        if (low && high)
        {
            const double least = std::max(low->nanoseconds * margin, low->nanoseconds + 1);
            const double most = std::max(least, high->nanoseconds / margin);
            const bool halves = run % 3 == 2 || (!line && (lower || higher));
            const double next = halves ? std::sqrt(low->nanoseconds * high->nanoseconds)
                                : line ? *line / margin
                                       : *Extend(low, high);
            return std::clamp(next, least, most);
        }
        const double cost = low ? low->cost : high->cost;
        const double farthest = low ? low->nanoseconds * (lower ? FARTHEST : WIDENING)
                                    : (higher ? 0 : high->nanoseconds / FARTHEST);
        const bool isGuess = line || (cost > 0 && !lower && !higher);
        const double guess =
            line ? *line / margin : (low ? low->nanoseconds : high->nanoseconds) * share / cost;
        return !isGuess ? farthest
               : low    ? std::clamp(guess, low->nanoseconds + 1, farthest + 1)
                        : std::max(guess, line ? 0 : farthest);
    }

    // Factors between switching times that are tried before there are two ends.
    static constexpr double WIDENING = 8;  //!< upwards from a single run
    static constexpr double FARTHEST = 64; //!< otherwise
};

/// @return a time in ns
double
ToNanoseconds(const Time& time)
{
    return std::round(ToSeconds(time) * 1e9);
}

/// Runs of a search, as a rule.
constexpr uint32_t RUNS_OF_A_SEARCH = 5;

/// Shares of a step for which break-even switching times are searched.
const double BREAK_EVEN_SHARES[] = {0.01, 0.03, 0.05};

/// Add price and power of the network to a result.
void
AddCost(const RunSummary& summary, VerdictRun& run)
{
    CostedRun costed;
    CostReport report;
    std::string error = CostedRun::Take(summary, costed);
    error = error.empty() ? costed.MakeReport(PartsCatalogue::GetDefault(), "ports", {}, report)
                          : error;
    if (error.empty() && !report.rows.front().inventory.error.empty())
    {
        error = report.rows.front().inventory.error;
    }
    if (!error.empty())
    {
        run.costRemark = "no price: " + error;
        return;
    }
    const auto total = report.rows.front().cost.GetTotal();
    run.usd = total.usd;
    run.watts = total.watts;
    const uint32_t priced = PartsCatalogue::GetDefault().FindRate(costed.gbps);
    if (priced != costed.gbps)
    {
        run.costRemark = "priced with parts of " + std::to_string(priced) +
                         " Gbit/s, though a NIC has " + std::to_string(costed.gbps) + " Gbit/s";
    }
}

/**
 * @param settings of the job
 * @param isGiven the user has given an efficiency
 * @return the compute efficiencies with which the job is run
 */
std::vector<VerdictEfficiency>
ListEfficiencies(const TrainingSettings& settings, bool isGiven)
{
    if (isGiven)
    {
        const double share = settings.GetWorkload().efficiency.matmul;
        return {{"given", share, "--computeEfficiency"}};
    }
    const KernelEfficiency& published = settings.GetWorkload().published;
    return {{"low", published.low, published.source}, {"high", published.high, published.source}};
}

/// @return explanations of the numbers of a verdict and their limits, a line each
std::vector<std::string>
ExplainNumbers(const TrainingSettings& settings, const std::vector<VerdictEfficiency>& efficiencies)
{
    std::vector<std::string> lines;
    if (efficiencies.size() > 1)
    {
        lines.push_back(
            "compute efficiency: an input, the share of the peak that matrix products reach. Low "
            "and high are the range that published steps of this GPU and framework imply, here " +
            efficiencies.front().source + ". Set your own with --computeEfficiency");
    }
    lines.emplace_back("step: the last iteration; kernel launches, loading of data and checkpoints "
                       "take no time");
    if (!settings.fabric.HasScaleUpNetwork())
    {
        lines.emplace_back("collectives inside a scale-up domain take their time from a formula, "
                           "without contention (--scaleUp simulates the network)");
    }
    lines.emplace_back("parts of a step: communication beside computation counts as computation; a "
                       "delay on one stage of a pipeline is bubble on the others; circuits: until "
                       "circuits are up and the controller has granted them");
    lines.emplace_back("reconfigurations: commands to all switches in a step, many of them at the "
                       "same time and beside computation");
    lines.emplace_back("MFU: FLOPs of the model over the dense bf16 peak; those of recomputation "
                       "do not count");
    if (!settings.workload.IsTrace())
    {
        lines.push_back("recomputation: " + settings.workload.DescribeRecomputation());
    }
    lines.emplace_back("price and power: switch ports in use and their transceivers, at "
                       "rated power at all times; no NICs, cables, GPUs, hosts or cooling");
    lines.emplace_back("fat-tree: as few tiers of switches as connect all NICs, a single switch if "
                       "it has the ports; leaf-spine: two tiers always, at the price of both");
    if (settings.fabric.hostNetwork.IsGiven())
    {
        lines.emplace_back("price and power are without the host network, which carries a part of "
                           "the bytes");
    }
    lines.emplace_back("break-even: a longer switching time is assumed never to make a step "
                       "shorter; everything but the switching time stays the same");
    return lines;
}

} // namespace

BreakEven
BreakEvenSearch::Find(double share, const Time& start)
{
    const double shortest = ToNanoseconds(GetShortest());
    const double longest = ToNanoseconds(GetLongest());
    for (int run = 0; run < MOST_RUNS; ++run)
    {
        CostBracket bracket{share, {}, {}, {}, {}};
        for (const auto& [delay, cost] : GetCosts())
        {
            bracket.Add({ToNanoseconds(delay), cost});
        }
        const auto& low = bracket.low;
        const auto& high = bracket.high;
        if (bracket.IsNarrow())
        {
            return {share, BreakEven::FOUND, NanoSeconds(std::llround(low->nanoseconds))};
        }
        if (!high && low && low->nanoseconds >= longest)
        {
            return {share, BreakEven::ANY, GetLongest()};
        }
        if (!low && high && high->nanoseconds <= shortest)
        {
            return {share, BreakEven::NONE, Time()};
        }
        const double next = low || high ? bracket.Choose(run) : ToNanoseconds(start);
        const double delay = std::round(std::clamp(next, shortest, longest));
        if (!Get(NanoSeconds(std::llround(delay))))
        {
            break;
        }
    }
    return {share, BreakEven::UNKNOWN, Time()};
}

const std::vector<JobComparison::Network>&
JobComparison::GetNetworks()
{
    constexpr int last = Network::LAST;
    static const std::vector<Network> networks{
        {"electrical", JobVerdict::ELECTRICAL, "electrical", nullptr, false, false, 0},
        {"leaf-spine", JobVerdict::LEAF_SPINE, "leaf-spine", nullptr, false, false, last},
        {"fat-tree", JobVerdict::FAT_TREE, "fat-tree", nullptr, false, false, last},
        {"on-demand", JobVerdict::ON_DEMAND, "photonic", "on-demand", true, false, 1},
        {"provisioned", JobVerdict::PROVISIONED, "photonic", "provisioned", true, true, 0},
        {"static-partition",
         JobVerdict::PARTITION,
         "photonic",
         "static-partition",
         false,
         false,
         last}};
    return networks;
}

std::vector<std::string>
JobComparison::GetNames()
{
    std::vector<std::string> names;
    for (const auto& network : GetNetworks())
    {
        names.emplace_back(network.flag);
    }
    return names;
}

JobComparison::JobComparison()
{
    m_job.OmitSingleRun({"fabric", "policy", "slotTime", "job"}); // set by the comparison
    m_report.Find("reportLatency")->Omit();
}

std::string
JobComparison::CheckNetworks()
{
    const auto& text = m_networks.GetText();
    const auto names = text == "all" ? GetNames() : FlagParser::Split(text);
    const auto known = GetNames();
    for (const auto& name : names)
    {
        if (std::find(known.begin(), known.end(), name) == known.end() ||
            std::count(names.begin(), names.end(), name) > 1)
        {
            return m_networks.Refuse("all, or some of " + FlagParser::List(known) + ", each once");
        }
    }
    m_wanted.clear();
    for (const auto& network : GetNetworks())
    {
        if (network.name == std::string(JobVerdict::ELECTRICAL) ||
            std::find(names.begin(), names.end(), network.flag) != names.end())
        {
            m_wanted.push_back(network);
        }
    }
    return "";
}

std::string
JobComparison::ReadJob(const Flags& flags, TrainingSettings& settings, bool learns) const
{
    std::vector<std::string> arguments = m_arguments;
    for (const auto& [flag, value] : flags)
    {
        arguments.push_back("--" + flag + "=" + value);
    }
    settings.Vary({"fabric", "policy", "reconfigDelay", "computeEfficiency"});
    CommandLine cmd;
    if (auto error = ParseFlags(cmd, settings, arguments); !error.empty())
    {
        return error;
    }
    auto* iterations = settings.Find("iterations");
    if (!learns && !iterations->IsGiven())
    {
        iterations->SetText("2"); // the first may wait until the circuits are there
    }
    if (auto error = settings.Check(); !error.empty())
    {
        return error;
    }
    return settings.faults.IsGiven() || settings.spares.IsGiven()
               ? "--fault, --spareGpus, --spareDomains: a comparison is without faults and spares"
               : "";
}

std::string
JobComparison::Describe() const
{
    TrainingSettings settings;
    JobVerdict verdict;
    std::string error = ReadJob({{"describe", "true"}}, settings);
    if (error.empty())
    {
        const auto& fabric = settings.fabric;
        const WorkloadSpec& workload = settings.GetWorkload();
        const Time delay = settings.MakeClusterHelper().MakeOcs()->GetReconfigurationDelay();
        verdict.job = settings.DescribeJob() + ", " + std::to_string(settings.iterations.Get()) +
                      " iterations";
        verdict.jobName = settings.workload.GetName() + " on " +
                          std::to_string(settings.GetAllRanks().GetWorldSize()) + " " +
                          workload.gpu.name + " GPUs";
        verdict.circuits = fabric.ocs.GetText();
        verdict.delay = delay;
        verdict.settings = settings.GetInForce();
        // A job file of settings has the default, too, which is no choice of the user.
        const std::string name = "computeEfficiency";
        const bool isOnLine =
            std::any_of(m_arguments.begin(), m_arguments.end(), [&name](const auto& argument) {
                return FlagParser::SplitFlag(argument).first == name;
            });
        const auto initial = TrainingSettings().Find(name)->GetText();
        verdict.efficiencies =
            ListEfficiencies(settings, isOnLine || settings.Find(name)->GetText() != initial);
        verdict.leftOut = ExplainNumbers(settings, verdict.efficiencies);
        if (const auto remark = MemoryEstimate::Check(workload); !remark.empty())
        {
            verdict.remarks.push_back(remark);
        }
        for (const auto& network : m_wanted)
        {
            settings.fabric.fabric.SetText(network.fabric);
            if (const auto remark = settings.DescribeTiers(); !remark.empty())
            {
                verdict.remarks.push_back(std::string(network.name) + ": " + remark);
            }
        }
    }
    std::string reason; // why the first network that cannot carry the job cannot
    std::vector<SimulationWork> works;
    for (auto network = m_wanted.begin(); error.empty() && network != m_wanted.end(); ++network)
    {
        TrainingSettings row;
        const std::string refused = ReadJob(GetFlags(*network), row, network->learns);
        works.push_back(refused.empty() ? SimulationWork::Estimate(row) : SimulationWork());
        reason = reason.empty() ? refused : reason;
    }
    const bool isCarried =
        std::any_of(works.begin(), works.end(), [](const auto& work) { return work.ranks > 0; });
    error = error.empty() && !isCarried ? reason : error;
    Description description{error, {verdict, works}};
    return WriteText(description);
}

std::string
JobComparison::Check(const std::vector<std::string>& arguments)
{
    const auto readReport = [this] {
        return FindError([this] { return m_report.CheckOptions(); },
                         [this] { return m_report.CheckNeeds(); },
                         [this] { return m_report.Check(); });
    };
    if (auto error = FindError([this] { return m_breakEven.Check(); },
                               [this] { return m_processes.Check(); },
                               [this] { return CheckNetworks(); },
                               readReport);
        !error.empty())
    {
        return error;
    }
    m_arguments = SelectArguments(arguments, m_job);
    if (m_jobFile.IsGiven())
    {
        m_arguments.push_back("--job=" + m_jobFile.GetText());
    }
    const auto text = RunInChild([this] { return Describe(); });
    const auto described = text ? ReadText<Description>(*text) : std::nullopt;
    if (!described)
    {
        return "the job could not be described";
    }
    std::tie(m_verdict, m_works) = described->second;
    return described->first.empty() ? CheckFiles() : described->first;
}

JobComparison::Flags
JobComparison::GetFlags(const Network& network) const
{
    Flags flags{{"fabric", network.fabric}};
    if (network.policy)
    {
        flags.emplace_back("policy", network.policy);
    }
    return flags;
}

const JobComparison::Network&
JobComparison::FindNetwork(const VerdictRun& run) const
{
    const auto isSame = [&run](const Network& one) { return one.name == run.network; };
    return *std::find_if(m_wanted.begin(), m_wanted.end(), isSame);
}

JobComparison::Flags
JobComparison::GetFlags(const VerdictRun& run) const
{
    Flags flags = GetFlags(FindNetwork(run));
    for (const auto& efficiency : m_verdict.efficiencies)
    {
        if (efficiency.name == run.efficiency)
        {
            flags.emplace_back("computeEfficiency", FlagParser::ToText(efficiency.share));
        }
    }
    return flags;
}

VerdictRun
JobComparison::RunOne(const VerdictRun& run, const std::optional<Time>& delay) const
{
    VerdictRun result = run;
    Flags flags = GetFlags(run);
    std::string name = run.GetName();
    if (delay)
    {
        flags.emplace_back("reconfigDelay", std::to_string(delay->GetNanoSeconds()) + "ns");
        name += ", --" + flags.back().first + "=" + flags.back().second;
    }
    TrainingSettings settings;
    result.reason = ReadJob(flags, settings, FindNetwork(run).learns);
    result.isRefused = !result.reason.empty();
    if (result.isRefused)
    {
        return result;
    }
    TrainingExperiment experiment(settings);
    experiment.SetName(name);
    const RunSummary summary = experiment.Run(m_progress, nullptr, &result.split);
    const std::string error = summary.CheckInvariants();
    result.reason = error.substr(0, error.find('\n'));
    if (!result.reason.empty())
    {
        return result;
    }
    result.step = summary.iterations.back().duration;
    result.reconfigurations = summary.iterations.back().reconfigurations;
    result.mfu = summary.GetMfu();
    result.mfuRemark = summary.mfuRemark;
    result.tokenRate = summary.GetTokenRate();
    result.tokens = summary.tokens;
    result.gpus = summary.worldSize;
    result.bytesOnRails = summary.rails.bytesPosted;
    result.bytesOnHosts = summary.hosts.bytesPosted;
    result.bytesForwarded = summary.bytesForwarded;
    AddCost(summary, result);
    return result;
}

VerdictRun
JobComparison::Search(const VerdictRun& run, const Time& electrical) const
{
    VerdictRun found = run;
    BreakEvenSearch search([&](const Time& delay) -> std::optional<double> {
        const auto text = RunInChild([&] { return WriteText(RunOne(run, delay)); });
        const auto result = text ? ReadText<VerdictRun>(*text) : std::nullopt;
        return result && result->IsThere()
                   ? std::optional(ToSeconds(result->step) / ToSeconds(electrical) - 1)
                   : std::nullopt;
    });
    search.Add(m_verdict.delay, ToSeconds(run.step) / ToSeconds(electrical) - 1);
    for (const double share : BREAK_EVEN_SHARES)
    {
        found.breakEven.push_back(search.Find(share, m_verdict.delay));
        if (m_progress)
        {
            *m_progress << "so far: " + run.GetName() + ": a step is at most " +
                               ReportValue::Fixed(100 * share, 0) +
                               " % longer up to a switching time of: " +
                               found.breakEven.back().ToText() + "\n"
                        << std::flush;
        }
    }
    found.byDelay = search.GetCosts();
    return found;
}

std::size_t
JobComparison::GetSearches() const
{
    const auto switches = [this](const VerdictRun& run) { return FindNetwork(run).switches; };
    return m_breakEven.Get()
               ? static_cast<std::size_t>(
                     std::count_if(m_verdict.runs.begin(), m_verdict.runs.end(), switches))
               : 0;
}

void
JobComparison::TellWork() const
{
    if (!m_progress)
    {
        return;
    }
    std::ostringstream lines;
    uint64_t events = 0;
    std::size_t simulations = 0;
    for (std::size_t i = 0; i < m_wanted.size(); ++i)
    {
        const bool isSearched = m_breakEven.Get() && m_wanted[i].switches;
        const std::size_t runs =
            m_verdict.efficiencies.size() * (isSearched ? 1 + RUNS_OF_A_SEARCH : 1);
        const SimulationWork& work = m_works[i];
        if (work.ranks > 0)
        {
            lines << "  " << m_wanted[i].name << ": " << runs << " x " << work.Describe()
                  << (work.packetEvents > 0 ? " (--networks leaves it out)\n" : "\n");
            events += runs * work.events;
            simulations += runs;
        }
    }
    *m_progress << "about " << simulations << " simulations, " << RUNS_OF_A_SEARCH * GetSearches()
                << " of them for break-even times, " << GetProcesses() << " at once: about "
                << SimulationWork::ToText(events) << " of computing if packets travel in bursts\n"
                << lines.str() << std::flush;
}

void
JobComparison::Tell(const Piece& piece) const
{
    if (!m_progress)
    {
        return;
    }
    const VerdictRun& ended = m_verdict.runs[piece.run];
    *m_progress << m_done << " of " << m_all << ": " << ended.GetName() << ": "
                << (piece.isSearch    ? "break-even switching times"
                    : ended.IsThere() ? TimeUnit::Write(ToSeconds(ended.step), 6) + " a step"
                                      : ended.reason)
                << std::endl;
    for (const auto& run : m_verdict.runs)
    {
        const bool isElectrical = run.network == JobVerdict::ELECTRICAL;
        const bool isNew = &run == &ended || (ended.network == JobVerdict::ELECTRICAL &&
                                              run.efficiency == ended.efficiency);
        if (!piece.isSearch && isNew && !isElectrical && m_verdict.GetCost(run))
        {
            *m_progress << "so far: " << m_verdict.DescribeCost(run) << std::endl;
        }
    }
}

void
JobComparison::RunPieces(const std::vector<Piece>& pieces)
{
    const auto work = [this, &pieces](std::size_t number) {
        const Piece& piece = pieces[number];
        const VerdictRun& run = m_verdict.runs[piece.run];
        if (!piece.isSearch)
        {
            return WriteText(RunOne(run, std::nullopt));
        }
        const auto* electrical = m_verdict.Find(JobVerdict::ELECTRICAL, run.efficiency);
        return WriteText(Search(run, electrical->step));
    };
    const auto ended = [&](std::size_t number, const std::optional<std::string>& text) {
        const Piece& piece = pieces[number];
        VerdictRun& run = m_verdict.runs[piece.run];
        const auto result = text ? ReadText<VerdictRun>(*text) : std::nullopt;
        if (piece.isSearch)
        {
            run = result.value_or(run);
            m_verdict.simulations += run.byDelay.empty() ? 0 : run.byDelay.size() - 1; // the row
        }
        else
        {
            run.reason = Interruption::GetSignal() == 0
                             ? "its process ended without a result"
                             : "interrupted by " + Interruption::GetName();
            run = result.value_or(run);
            m_verdict.simulations += run.IsThere() ? 1 : 0;
        }
        ++m_done;
        Tell(piece);
    };
    std::vector<std::size_t> numbers(pieces.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    ChildPool::Run(numbers, GetProcesses(), work, ended);
}

uint32_t
JobComparison::GetProcesses() const
{
    const uint32_t cores = std::max(1U, std::thread::hardware_concurrency());
    return m_processes.Get() > 0 ? m_processes.Get() : cores;
}

JobVerdict
JobComparison::Run(std::ostream* progress)
{
    const auto begin = std::chrono::steady_clock::now();
    m_progress = progress;
    m_verdict.tolerance = BreakEvenSearch::TOLERANCE;
    std::vector<Piece> first; // what the answer begins with
    std::vector<Piece> rest;
    for (const auto& efficiency : m_verdict.efficiencies)
    {
        for (const auto& network : m_wanted)
        {
            const std::size_t index = m_verdict.runs.size();
            m_verdict.runs.emplace_back();
            m_verdict.runs.back().network = network.name;
            m_verdict.runs.back().efficiency = efficiency.name;
            m_verdict.runs.back().reason = "it has not been simulated";
            (network.turn < Network::LAST ? first : rest).push_back({index, false});
        }
    }
    const auto isEarlier = [this](const Piece& one, const Piece& other) {
        return FindNetwork(m_verdict.runs[one.run]).turn <
               FindNetwork(m_verdict.runs[other.run]).turn;
    };
    std::stable_sort(first.begin(), first.end(), isEarlier);
    m_all = first.size() + rest.size() + GetSearches();
    TellWork();
    RunPieces(first);
    if (m_progress && Interruption::GetSignal() == 0)
    {
        *m_progress << "the answer so far: " << m_verdict.MakeAnswer() << std::endl;
    }
    for (std::size_t index = 0; m_breakEven.Get() && index < m_verdict.runs.size(); ++index)
    {
        const VerdictRun& run = m_verdict.runs[index];
        if (FindNetwork(run).switches && m_verdict.GetCost(run))
        {
            rest.push_back({index, true});
        }
    }
    m_all = first.size() + rest.size();
    RunPieces(rest);
    m_verdict.interrupted = Interruption::GetName();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    m_verdict.wallSeconds = elapsed.count();
    return m_verdict;
}

} // namespace ns3
