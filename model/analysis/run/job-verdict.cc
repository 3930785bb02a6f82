// SPDX-License-Identifier: GPL-2.0-only

#include "job-verdict.h"

#include "ns3/report-table.h"
#include "ns3/time-unit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <map>

namespace ns3
{

namespace
{

/// Costs below this share of a step are none.
constexpr double NO_COST = 0.0005;

/// @return a number with three digits that count, or all whole ones
std::string
ThreeDigits(double number)
{
    const double size = std::abs(number);
    const int whole = size < 1 ? 1 : static_cast<int>(std::floor(std::log10(size))) + 1;
    return ReportValue::Fixed(number, std::max(0, 3 - whole));
}

/// @return a share in percent
std::string
PercentText(double share)
{
    return ReportValue::Fixed(100 * share, 1);
}

/// @return a number with at most three digits that count, without zeros at its end
std::string
ShortNumber(double number)
{
    std::string text = ThreeDigits(number);
    if (text.find('.') != std::string::npos)
    {
        text.erase(text.find_last_not_of('0') + 1);
        text.erase(text.find_last_not_of('.') + 1);
    }
    return text;
}

/// @return a time with at most three digits that count
std::string
ToTimeText(const Time& time)
{
    return TimeUnit::Write(ToSeconds(time), 3);
}

/// A part of a step: its name, its column, and its key.
struct VerdictPart
{
    StepSplit::Part part;
    const char* heading;
    const char* key;
};

/// The parts of a step, in the order of tables.
constexpr std::array<VerdictPart, StepSplit::PARTS> VERDICT_PARTS{
    {{StepSplit::COMPUTATION, "computation", "computation_s"},
     {StepSplit::EXPOSED_TP, "TP", "exposed_tp_s"},
     {StepSplit::EXPOSED_CP, "CP", "exposed_cp_s"},
     {StepSplit::EXPOSED_EP, "EP", "exposed_ep_s"},
     {StepSplit::EXPOSED_FSDP, "FSDP", "exposed_fsdp_s"},
     {StepSplit::EXPOSED_PP, "PP", "exposed_pp_s"},
     {StepSplit::EXPOSED_DP, "DP", "exposed_dp_s"},
     {StepSplit::EXPOSED_OTHER, "other", "exposed_other_s"},
     {StepSplit::BUBBLE, "bubble", "bubble_s"},
     {StepSplit::SLOWER, "slower ranks", "slower_ranks_s"},
     {StepSplit::CIRCUITS, "circuits", "circuits_s"}}};

/// A run and its cost.
struct VerdictRow : VerdictRun
{
    std::optional<double> cost; //!< see JobVerdict::GetCost
};

/// @return a function that gives a member of a run with result, and no value of other runs
template <typename T>
auto
IfRan(T VerdictRun::*member)
{
    return [member](const VerdictRow& run) {
        return run.IsThere() ? std::optional<T>(run.*member) : std::nullopt;
    };
}

/// @return a function that gives an amount of a run whose network has a price
template <typename Get>
auto
IfPriced(Get get)
{
    return [get](const VerdictRow& run) {
        return run.IsThere() && run.watts > 0 ? std::optional<double>(get(run)) : std::nullopt;
    };
}

const ReportTable<BreakEven>&
GetBreakEvenTable()
{
    static const ReportTable<BreakEven> table{
        {"share", "0 to 1", &BreakEven::share},
        {"outcome",
         "",
         [](const BreakEven& found) {
             const std::array<const char*, 4> names{"found", "any", "none", "unknown"};
             return std::string(names.at(static_cast<std::size_t>(found.outcome)));
         }},
        {"delay_s",
         "s",
         [](const BreakEven& found) {
             return found.outcome == BreakEven::FOUND || found.outcome == BreakEven::ANY
                        ? std::optional(found.delay)
                        : std::nullopt;
         }},
    };
    return table;
}

const ReportTable<std::pair<Time, double>>&
GetDelayTable()
{
    static const ReportTable<std::pair<Time, double>> table{
        {"delay_s", "s", [](const auto& one) { return one.first; }},
        {"over_electrical", "", [](const auto& one) { return one.second; }},
    };
    return table;
}

const ReportTable<StepSplit>&
GetSplitTable()
{
    static const ReportTable<StepSplit> table = [] {
        std::vector<ReportTable<StepSplit>::Column> columns;
        for (const auto& [part, heading, key] : VERDICT_PARTS)
        {
            columns.push_back({key, "s", [part = part](const StepSplit& split) {
                                   return split.GetSeconds(part);
                               }});
        }
        return ReportTable<StepSplit>(columns);
    }();
    return table;
}

const ReportTable<VerdictEfficiency>&
GetEfficiencyTable()
{
    static const ReportTable<VerdictEfficiency> table{
        {"name", "", &VerdictEfficiency::name},
        {"compute_efficiency", "0 to 1", &VerdictEfficiency::share},
        {"source", "", &VerdictEfficiency::source},
    };
    return table;
}

const ReportTable<VerdictRow>&
GetRowTable()
{
    static const ReportTable<VerdictRow> table{
        {"efficiency", "", &VerdictRun::efficiency},
        {"network", "", &VerdictRun::network},
        {"reason", "", ReportIfSet(&VerdictRun::reason)},
        {"step_s", "s", IfRan(&VerdictRun::step)},
        {"over_electrical", "", &VerdictRow::cost},
        {"mfu", "0 to 1", IfRan(&VerdictRun::mfu)},
        {"mfu_remark", "", ReportIfSet(&VerdictRun::mfuRemark)},
        {"tokens_per_s_per_gpu", "tokens/s", IfRan(&VerdictRun::tokenRate)},
        {"reconfigurations", "commands", IfRan(&VerdictRun::reconfigurations)},
        {"bytes_on_rails", "bytes", IfRan(&VerdictRun::bytesOnRails)},
        {"bytes_on_host_network", "bytes", IfRan(&VerdictRun::bytesOnHosts)},
        {"bytes_forwarded", "bytes", IfRan(&VerdictRun::bytesForwarded)},
        {"split", "", ReportObject(IfRan(&VerdictRun::split), GetSplitTable())},
        {"usd_per_gpu", "USD", IfPriced([](const auto& run) { return run.usd / run.gpus; })},
        {"watts_per_gpu", "W", IfPriced([](const auto& run) { return run.watts / run.gpus; })},
        {"joules_per_million_tokens", "J", IfPriced([](const auto& run) {
             return run.GetEnergy();
         })},
        {"cost_remark", "", ReportIfSet(&VerdictRun::costRemark)},
        {"break_even", "", ReportRows(&VerdictRun::breakEven, GetBreakEvenTable())},
        {"by_delay", "", ReportRows(&VerdictRun::byDelay, GetDelayTable())},
    };
    return table;
}

/// @return all runs of a verdict as rows
std::vector<VerdictRow>
ListRows(const JobVerdict& verdict)
{
    std::vector<VerdictRow> rows;
    for (const auto& run : verdict.runs)
    {
        rows.push_back({run, verdict.GetCost(run)});
    }
    return rows;
}

/// Write lines of cells, the first aligned to the left, with two blanks between columns.
void
WriteCells(std::ostream& os, const std::vector<CsvTable::Row>& lines)
{
    std::vector<std::size_t> widths;
    for (const auto& line : lines)
    {
        widths.resize(std::max(widths.size(), line.size()));
        for (std::size_t i = 0; i < line.size(); ++i)
        {
            widths[i] = std::max(widths[i], line.size() == 2 && i == 1 ? 0 : line[i].size());
        }
    }
    for (const auto& line : lines)
    {
        os << "  ";
        for (std::size_t i = 0; i < line.size(); ++i)
        {
            os << (i == 0 ? "" : "  ") << (i == 0 ? std::left : std::right)
               << std::setw(static_cast<int>(widths[i])) << line[i];
        }
        os << "\n";
    }
    os << std::right;
}

/// @return a share, or two of them with "to" between if they differ, in percent
std::string
PercentRange(double least, double most)
{
    const std::string first = PercentText(least);
    const std::string last = PercentText(most);
    return (first == last ? first : first + " to " + last) + " %";
}

/// @return amounts of several runs, the smallest to the largest
std::string
AmountRange(const std::vector<double>& amounts)
{
    const auto [least, most] = std::minmax_element(amounts.begin(), amounts.end());
    const std::string first = ThreeDigits(*least);
    const std::string last = ThreeDigits(*most);
    return first == last ? first : first + " to " + last;
}

/// @return "0.4 to 0.7 % longer than", from the costs of several runs
std::string
CompareSteps(const std::vector<double>& costs)
{
    const auto [least, most] = std::minmax_element(costs.begin(), costs.end());
    if (*least > -NO_COST && *most < NO_COST)
    {
        return "as long (within " + ReportValue::Fixed(100 * NO_COST, 2) + " %) as";
    }
    if (*least > 1)
    {
        return AmountRange({1 + *least, 1 + *most}) + " times as long as";
    }
    if (*least > -NO_COST)
    {
        return PercentRange(std::max(0.0, *least), *most) + " longer than";
    }
    if (*most < NO_COST)
    {
        return PercentRange(std::max(0.0, -*most), -*least) + " shorter than";
    }
    return "between " + PercentText(-*least) + " % shorter and " + PercentText(*most) +
           " % longer than";
}

/// @return costs of the runs of a network, by efficiency; none unless all have results
std::vector<double>
ListCosts(const JobVerdict& verdict, const std::string& network)
{
    std::vector<double> costs;
    for (const auto& run : verdict.runs)
    {
        const auto cost = verdict.GetCost(run);
        if (run.network == network && !cost)
        {
            return {};
        }
        if (run.network == network)
        {
            costs.push_back(*cost);
        }
    }
    return costs;
}

/// @return the first run of a network that has neither a result nor a network that refuses the job;
/// or null
const VerdictRun*
FindOpenRun(const JobVerdict& verdict, const std::string& network)
{
    const auto run =
        std::find_if(verdict.runs.begin(), verdict.runs.end(), [&network](const auto& one) {
            return one.network == network && !one.IsThere() && !one.isRefused;
        });
    return run == verdict.runs.end() ? nullptr : &*run;
}

/// @return a text: no answer yet, the run that has no result, and the results of other runs
std::string
DescribeKnown(const JobVerdict& verdict, const VerdictRun& open)
{
    std::string known;
    for (const auto& run : verdict.runs)
    {
        if (verdict.GetCost(run) && run.network != JobVerdict::ELECTRICAL)
        {
            known += (known.empty() ? " Known so far: " : "; ") + verdict.DescribeCost(run);
        }
    }
    return "There is no answer yet, because a run that it needs has no result (" + open.GetName() +
           ": " + open.reason + ")." + (known.empty() ? "" : known + ".");
}

/// @return the first run of a network, or null
const VerdictRun*
FindFirst(const JobVerdict& verdict, const std::string& network)
{
    const auto run = std::find_if(verdict.runs.begin(),
                                  verdict.runs.end(),
                                  [&network](const auto& one) { return one.network == network; });
    return run == verdict.runs.end() ? nullptr : &*run;
}

/// @return which part of the step makes most of the difference, with the costliest run of a network
std::string
DescribeDifference(const JobVerdict& verdict, const std::string& network)
{
    const VerdictRun* costliest = nullptr;
    for (const auto& run : verdict.runs)
    {
        const auto cost = run.network == network ? verdict.GetCost(run) : std::nullopt;
        if (cost && (!costliest || *cost > *verdict.GetCost(*costliest)))
        {
            costliest = &run;
        }
    }
    if (!costliest || *verdict.GetCost(*costliest) < 10 * NO_COST)
    {
        return "";
    }
    const VerdictRun* electrical = verdict.Find(JobVerdict::ELECTRICAL, costliest->efficiency);
    std::string name;
    double most = 0;
    for (const auto& [part, heading, key] : VERDICT_PARTS)
    {
        const double more = costliest->split.GetSeconds(part) - electrical->split.GetSeconds(part);
        if (more > most)
        {
            most = more;
            name = part == StepSplit::CIRCUITS      ? "waiting for circuits"
                   : part == StepSplit::BUBBLE      ? "waiting for other pipeline stages"
                   : part == StepSplit::SLOWER      ? "waiting for slower ranks"
                   : part == StepSplit::COMPUTATION ? "computation"
                                                    : std::string(heading) + " communication";
        }
    }
    return name.empty() ? "" : " Most of the difference is " + name + ".";
}

/// @return the share of the traffic that GPUs forward for others but do not forward on electrical
/// rails
std::string
DescribeForwarding(const VerdictRun* photonic, const VerdictRun* electrical)
{
    if (!photonic || !electrical || photonic->bytesForwarded <= electrical->bytesForwarded ||
        photonic->bytesOnRails == 0)
    {
        return "";
    }
    const auto more = static_cast<double>(photonic->bytesForwarded - electrical->bytesForwarded);
    return " GPUs forward messages for others that no circuit carries directly: " +
           PercentText(more / static_cast<double>(photonic->bytesOnRails)) +
           " % of the bytes on the photonic rails.";
}

/// @return the share of the traffic on a network of hosts, if there is one
std::string
DescribeHosts(const VerdictRun* photonic)
{
    if (!photonic || photonic->bytesOnHosts == 0)
    {
        return "";
    }
    if (photonic->bytesOnRails == 0)
    {
        return " Nothing uses the photonic rails: the host network carries all bytes.";
    }
    const auto hosts = static_cast<double>(photonic->bytesOnHosts);
    return " The host network carries " +
           PercentText(hosts / (hosts + static_cast<double>(photonic->bytesOnRails))) +
           " % of the bytes between domains.";
}

/// @return a comparison of the prices and the power of photonic and electrical rails
std::string
CompareCosts(const VerdictRun* photonic, const VerdictRun* electrical)
{
    if (!photonic || !electrical || !photonic->IsThere() || !electrical->IsThere() ||
        photonic->watts <= 0 || electrical->watts <= 0)
    {
        return "";
    }
    return " The network between domains draws " + ThreeDigits(photonic->watts / photonic->gpus) +
           " W per GPU instead of " + ThreeDigits(electrical->watts / electrical->gpus) +
           " W, and costs " + ThreeDigits(photonic->usd / photonic->gpus) +
           " USD per GPU instead of " + ThreeDigits(electrical->usd / electrical->gpus) + " USD.";
}

/// @return up to which switching times a network costs the shares, with the worse efficiency
std::string
DescribeBreakEvens(const JobVerdict& verdict, const std::string& network)
{
    std::vector<BreakEven> worst;
    for (const auto& run : verdict.runs)
    {
        if (run.network == network && run.breakEven.empty())
        {
            return ""; // the other efficiency may be the worse one
        }
        for (std::size_t i = 0; run.network == network && i < run.breakEven.size(); ++i)
        {
            if (i >= worst.size())
            {
                worst.push_back(run.breakEven[i]);
            }
            else if (run.breakEven[i].IsWorse(worst[i]))
            {
                worst[i] = run.breakEven[i];
            }
        }
    }
    std::string least;              // share that every switching time costs more than
    std::vector<std::string> parts; // of the sentence
    for (const auto& found : worst)
    {
        const std::string share = ShortNumber(100 * found.share) + " %";
        const std::string most = parts.empty() ? "at most " + share + " longer" : share;
        if (found.outcome == BreakEven::NONE)
        {
            least = share;
        }
        else if (found.outcome == BreakEven::ANY)
        {
            parts.push_back(most + " with any switching time up to " + ToTimeText(found.delay));
            break; // larger shares all the more
        }
        else if (found.outcome == BreakEven::FOUND)
        {
            parts.push_back(most + (parts.empty() ? " up to a switching time of " : " up to ") +
                            ToTimeText(found.delay));
        }
    }
    if (!least.empty())
    {
        parts.insert(parts.begin(), "more than " + least + " longer whatever the switching time");
    }
    std::string list;
    for (std::size_t i = 0; i < parts.size(); ++i)
    {
        list += (i == 0 ? "" : i + 1 < parts.size() ? ", " : " and ") + parts[i];
    }
    std::string circuits =
        network == JobVerdict::PROVISIONED ? "provisioned circuits" : "circuits on demand";
    if (verdict.efficiencies.size() > 1)
    {
        circuits += " and the less favourable efficiency";
    }
    return list.empty() ? "" : " With " + circuits + " a step is " + list + ".";
}

/// Write step times and the parts of the steps with one efficiency.
void
WriteSteps(std::ostream& os, const JobVerdict& verdict, const std::string& efficiency)
{
    // All efficiencies and both tables have one unit: their times are compared.
    Time longest;
    for (const auto& run : verdict.runs)
    {
        longest = std::max(longest, run.step);
    }
    const TimeUnit fitting = TimeUnit::Find(ToSeconds(longest));
    const std::string unit = fitting.name;
    const double scale = 1 / fitting.seconds;
    std::vector<CsvTable::Row> steps{
        {"network", "step " + unit, "vs electrical", "MFU", "tokens/s/GPU", "reconfigurations"}};
    std::vector<CsvTable::Row> parts{{"network"}};
    std::vector<StepSplit::Part> shown;
    for (const auto& [part, heading, key] : VERDICT_PARTS)
    {
        const auto hasPart = [part = part, scale](const VerdictRun& run) {
            return run.IsThere() && scale * run.split.GetSeconds(part) >= 0.00005;
        };
        if (std::any_of(verdict.runs.begin(), verdict.runs.end(), hasPart))
        {
            shown.push_back(part);
            parts.front().emplace_back(heading);
        }
    }
    parts.front().emplace_back("= step");
    for (const auto& run : verdict.runs)
    {
        if (run.efficiency != efficiency)
        {
            continue;
        }
        if (!run.IsThere())
        {
            steps.push_back({run.network, "no result: " + run.reason});
            continue;
        }
        const auto cost = verdict.GetCost(run);
        const std::string share = cost ? PercentText(*cost) : "";
        const std::string sign = share == "0.0" || share == "-0.0" ? ""
                                 : share[0] == '-'                 ? ""
                                                                   : "+";
        steps.push_back({run.network,
                         ReportValue(run.step).ToText(TimeUnit::DIGITS, scale),
                         !cost || run.network == JobVerdict::ELECTRICAL
                             ? "-"
                             : sign + (share == "-0.0" ? "0.0" : share) + " %",
                         PercentText(run.mfu) + " %",
                         ReportValue::Fixed(run.tokenRate, 1),
                         std::to_string(run.reconfigurations)});
        parts.push_back({run.network});
        for (const auto part : shown)
        {
            parts.back().push_back(
                ReportValue(run.split.GetSeconds(part)).ToText(TimeUnit::DIGITS, scale));
        }
        parts.back().push_back(ReportValue(run.split.GetTotal()).ToText(TimeUnit::DIGITS, scale));
    }
    WriteCells(os, steps);
    if (parts.size() > 1)
    {
        os << "  where the step goes, in " << unit
           << ", mean over ranks: computation, communication that is not hidden behind it,\n"
              "  and waiting for others; columns without any time are left out\n";
        WriteCells(os, parts);
    }
    const VerdictRun* electrical = verdict.Find(JobVerdict::ELECTRICAL, efficiency);
    if (electrical && !electrical->mfuRemark.empty())
    {
        os << "  remark: " << electrical->network << ": " << electrical->mfuRemark << "\n";
    }
}

/// Write price, power and energy of all networks.
void
WriteCosts(std::ostream& os, const JobVerdict& verdict)
{
    std::vector<CsvTable::Row> lines{
        {"network", "USD per GPU", "W per GPU", "kJ per million tokens"}};
    std::map<std::string, std::vector<std::string>> remarks; // with networks to which they belong
    for (const auto& first : verdict.runs)
    {
        if (first.efficiency != verdict.efficiencies.front().name || !first.IsThere())
        {
            continue;
        }
        if (!first.costRemark.empty())
        {
            remarks[first.costRemark].push_back(first.network);
        }
        std::vector<double> energies;
        for (const auto& run : verdict.runs)
        {
            if (run.network == first.network && run.IsThere())
            {
                energies.push_back(run.GetEnergy() / 1000);
            }
        }
        const bool isKnown = first.watts > 0;
        const auto perGpu = [&first, isKnown](double amount) {
            return isKnown ? ThreeDigits(amount / first.gpus) : "-";
        };
        lines.push_back({first.network,
                         perGpu(first.usd),
                         perGpu(first.watts),
                         isKnown ? AmountRange(energies) : "-"});
    }
    if (lines.size() > 1)
    {
        os << "\nprice, power and energy of the network between domains alone, without GPUs\n";
        WriteCells(os, lines);
        for (const auto& [remark, networks] : remarks)
        {
            std::string names;
            for (const auto& network : networks)
            {
                names += (names.empty() ? "" : ", ") + network;
            }
            const bool isOfAll = networks.size() + 1 == lines.size(); // the first is the heading
            os << "  " << (isOfAll ? "all networks" : names) << ": " << remark << "\n";
        }
    }
}

/// Write the switching times at which photonic rails cost some shares.
void
WriteBreakEvens(std::ostream& os, const JobVerdict& verdict)
{
    std::vector<CsvTable::Row> lines;
    for (const auto& run : verdict.runs)
    {
        if (run.breakEven.empty())
        {
            continue;
        }
        if (lines.empty())
        {
            lines.push_back({"network", "efficiency"});
            for (const auto& found : run.breakEven)
            {
                lines.back().push_back(ShortNumber(100 * found.share) + " %");
            }
        }
        lines.push_back({run.network, run.efficiency});
        for (const auto& found : run.breakEven)
        {
            lines.back().push_back(found.ToText());
        }
    }
    if (!lines.empty())
    {
        os << "\nbreak-even: the longest switching time with which a step is at most this much "
              "longer than on electrical\nrails (found to within "
           << ReportValue::Fixed(100 * verdict.tolerance, 0)
           << " % of that time; none: even 1 ns is too long)\n";
        WriteCells(os, lines);
    }
}

} // namespace

const ReportTable<JobVerdict>&
JobVerdict::GetTable()
{
    static const ReportTable<JobVerdict> table{
        {"job", "", &JobVerdict::job},
        {"answer", "", &JobVerdict::MakeAnswer},
        {"circuits", "", &JobVerdict::circuits},
        {"reconfiguration_delay_s", "s", &JobVerdict::delay},
        {"break_even_tolerance", "0 to 1", &JobVerdict::tolerance},
        {"remarks", "", &JobVerdict::remarks},
        {"left_out", "", &JobVerdict::leftOut},
        {"settings", "", &JobVerdict::settings},
        {"efficiencies", "", ReportRows(&JobVerdict::efficiencies, GetEfficiencyTable())},
        {"rows", "", ReportRows(ListRows, GetRowTable())},
        {"simulations", "runs", &JobVerdict::simulations},
        {"interrupted", "", &JobVerdict::interrupted},
        {"wall_s", "s", &JobVerdict::wallSeconds},
    };
    return table;
}

template struct JsonReport<JobVerdict>;

std::string
BreakEven::ToText() const
{
    switch (outcome)
    {
    case FOUND:
        return ToTimeText(delay);
    case ANY:
        return "> " + ToTimeText(delay);
    case NONE:
        return "none";
    default:
        return "?";
    }
}

bool
BreakEven::IsWorse(const BreakEven& other) const
{
    if (outcome == UNKNOWN || other.outcome == UNKNOWN)
    {
        return outcome == UNKNOWN; // which may be the worst
    }
    return outcome == NONE || (other.outcome != NONE && delay < other.delay);
}

std::string
VerdictRun::GetName() const
{
    return network + ", " + efficiency + " compute efficiency";
}

double
VerdictRun::GetEnergy() const
{
    return tokens == 0 ? 0 : watts * ToSeconds(step) / static_cast<double>(tokens) * 1e6;
}

const VerdictRun*
JobVerdict::Find(const std::string& network, const std::string& efficiency) const
{
    const auto run = std::find_if(runs.begin(), runs.end(), [&](const VerdictRun& one) {
        return one.network == network && one.efficiency == efficiency && one.IsThere();
    });
    return run == runs.end() ? nullptr : &*run;
}

std::optional<double>
JobVerdict::GetCost(const VerdictRun& run) const
{
    const VerdictRun* electrical = Find(ELECTRICAL, run.efficiency);
    if (!electrical || !run.IsThere() || electrical->step.IsZero())
    {
        return std::nullopt;
    }
    return ToSeconds(run.step) / ToSeconds(electrical->step) - 1;
}

std::string
JobVerdict::DescribeCost(const VerdictRun& run) const
{
    return run.GetName() + ": a step is " + CompareSteps({GetCost(run).value_or(0)}) +
           " on electrical rails";
}

std::string
JobVerdict::MakeAnswer() const
{
    const VerdictRun* electrical = FindFirst(*this, ELECTRICAL);
    if (const auto* open = FindOpenRun(*this, ELECTRICAL))
    {
        return DescribeKnown(*this, *open);
    }
    if (!electrical || !electrical->IsThere())
    {
        return "There is no answer, because electrical rails cannot carry " + jobName + ": " +
               (electrical ? electrical->reason : "there is no run") + ".";
    }
    const auto provisioned = ListCosts(*this, PROVISIONED);
    const auto onDemand = ListCosts(*this, ON_DEMAND);
    const VerdictRun* open = FindOpenRun(*this, PROVISIONED);
    open = open ? open : FindOpenRun(*this, ON_DEMAND);
    if (provisioned.empty() && onDemand.empty())
    {
        const VerdictRun* run = FindFirst(*this, PROVISIONED);
        run = run ? run : FindFirst(*this, ON_DEMAND);
        return open  ? DescribeKnown(*this, *open)
               : run ? "Photonic rails cannot carry " + jobName + ": " + run->reason + "."
                     : "Photonic rails were not asked about.";
    }
    const std::string network = provisioned.empty() ? ON_DEMAND : PROVISIONED;
    const std::string first = CompareSteps(provisioned.empty() ? onDemand : provisioned);
    std::string answer = "With " + jobName + " and circuit switches that need " +
                         ToTimeText(delay) + " to switch (" + circuits +
                         "), a step on photonic rails is " + first + " on electrical rails";
    if (provisioned.empty() || onDemand.empty())
    {
        answer += provisioned.empty() ? " if circuits are made on demand"
                                      : " if circuits are provisioned";
    }
    else if (const auto second = CompareSteps(onDemand); second == first)
    {
        answer += ", whether circuits are provisioned or made on demand";
    }
    else
    {
        answer +=
            " if circuits are provisioned, and " + second + " there if they are made on demand";
    }
    if (efficiencies.size() > 1)
    {
        answer += ", for compute efficiencies from " + ShortNumber(efficiencies.front().share) +
                  " to " + ShortNumber(efficiencies.back().share);
    }
    answer += "." + DescribeDifference(*this, network);
    answer += open ? " Not known: " + open->GetName() + " (" + open->reason + ")." : "";
    if (const auto partition = ListCosts(*this, PARTITION); !partition.empty())
    {
        answer += " With circuits that never move (static partition) a step is " +
                  CompareSteps(partition) + " on electrical rails.";
    }
    answer += DescribeForwarding(FindFirst(*this, network), electrical) +
              DescribeHosts(FindFirst(*this, network)) +
              CompareCosts(FindFirst(*this, network), electrical);
    const auto isStill = [&network](const VerdictRun& run) {
        return run.network != network || !run.IsThere() || run.reconfigurations == 0;
    };
    if (!std::all_of(runs.begin(), runs.end(), isStill))
    {
        return answer + DescribeBreakEvens(*this, network);
    }
    // A job whose circuits stay with these switches may move them with faster ones.
    const auto isAny = [](const BreakEven& found) { return found.outcome == BreakEven::ANY; };
    const auto isIndependent = [&](const VerdictRun& run) {
        return run.network != network ||
               (!run.breakEven.empty() &&
                std::all_of(run.breakEven.begin(), run.breakEven.end(), isAny));
    };
    return answer + (std::all_of(runs.begin(), runs.end(), isIndependent)
                         ? " No circuit moves within a step, so that the switching time costs "
                           "nothing."
                         : " With this switching time no circuit moves within a step." +
                               DescribeBreakEvens(*this, network));
}

std::string
JobVerdict::CheckInvariants() const
{
    for (const auto& run : runs)
    {
        if (run.IsThere())
        {
            return "";
        }
    }
    return runs.empty() ? "no network was compared" : runs.front().reason;
}

void
JobVerdict::WriteTable(std::ostream& os) const
{
    os << "What photonic rails do to this job\n"
       << job << "\ncircuit switches: " << circuits << " (--ocs), switching time "
       << ToTimeText(delay)
       << "\ncircuits move when a call needs them (on demand), as soon as the traffic before has "
          "ended (provisioned),\nor never, so that dimensions of parallelism share the ports of a "
          "NIC (static partition)\n";
    for (const auto& remark : remarks)
    {
        os << "remark: " << remark << "\n";
    }
    for (const auto& efficiency : efficiencies)
    {
        os << "\ncompute efficiency " << efficiency.share << " of the peak (" << efficiency.name
           << ")\n";
        WriteSteps(os, *this, efficiency.name);
    }
    WriteCosts(os, *this);
    WriteBreakEvens(os, *this);
    os << "\nwhat the numbers mean and leave out\n";
    for (const auto& line : leftOut)
    {
        os << "  - " << line << "\n";
    }
    os << "  " << simulations << " simulations in " << std::fixed << std::setprecision(1)
       << wallSeconds << " s of real time\n\n"
       << MakeAnswer() << "\n";
}

} // namespace ns3
