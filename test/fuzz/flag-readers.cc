// SPDX-License-Identifier: GPL-2.0-only

#include "fuzz-reader.h"

#include "ns3/collectives-settings.h"
#include "ns3/config.h"
#include "ns3/fabric-comparison.h"
#include "ns3/fault-plan.h"
#include "ns3/flag-parser.h"
#include "ns3/job-file.h"
#include "ns3/job-mix.h"
#include "ns3/program.h"
#include "ns3/sweep.h"
#include "ns3/training-settings.h"

#include <algorithm>
#include <functional>

namespace ns3
{
namespace fuzz
{

namespace
{

/// Read flags as a program does, and check them.
template <typename Settings>
void
CheckFlags(Settings&& settings, const std::vector<std::string>& flags)
{
    std::vector<std::string> arguments{"program"};
    if (settings.Find("model"))
    {
        arguments.insert(arguments.end(), {"--model=debugmodel", "--seqLen=64"}); // soon checked
    }
    for (const auto& line : flags)
    {
        auto [name, value] = FlagParser::SplitFlag(line);
        const Option* option = settings.Find(name);
        if (!option)
        {
            // Any other name stands for one of the flags, so that each is found soon.
            const auto& options = settings.GetOptions();
            option = options[std::hash<std::string>()(name) % options.size()];
        }
        const std::string kind = option->GetDomain().kind;
        if (option->IsFlag() && kind != "file" && !option->GetTraits().holdsFlags)
        {
            arguments.push_back("--" + option->GetName() + "=" + value);
        }
    }
    CommandLine cmd;
    std::string error = ParseFlags(cmd, settings, arguments);
    error = error.empty() ? settings.Check() : error;
    Require(error.find('\n') == std::string::npos, "an error is one line: " + error);
    Config::Reset();
}

/// A line for each flag, `--NAME=VALUE`; the first line names the program.
void
ReadFlags(const std::string& text)
{
    std::vector<std::string> lines = FlagParser::Split(text, '\n');
    const std::string program = lines.front();
    lines.erase(lines.begin());
    lines.resize(std::min<std::size_t>(lines.size(), 8));
    if (program == "collectives")
    {
        CheckFlags(CollectivesSettings(), lines);
    }
    else if (program == "comparison")
    {
        CheckFlags(FabricComparison(lines), lines);
    }
    else
    {
        CheckFlags(TrainingSettings(), lines);
    }
}

/// Values of flags, which ns-3 does not see. An error repeats what the user has typed.
void
ReadValue(const std::string& text)
{
    if (!std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7f; }))
    {
        return;
    }
    const auto time = FlagParser::ParseTime(text, Seconds(1000));
    Require(!time || (*time >= Time(0) && *time <= Seconds(1000)), "a time is within its limits");
    const auto rate = FlagParser::ParseRate(text);
    Require(!rate || (rate->GetBitRate() >= 1e9 && rate->GetBitRate() <= 1e14),
            "a rate is within its limits");
    const auto bytes = FlagParser::ParseBytes(text);
    Require(!bytes || *bytes <= uint64_t{1} << 40, "a size is within its limits");
    const auto fraction = FlagParser::ParseFraction(text);
    Require(!fraction || *fraction >= 0, "a fraction is not negative");
    SweepPlan plan;
    RequireLine(plan.Read(text));
    for (std::size_t point = 0; point < std::min<std::size_t>(plan.GetSize(), 100); ++point)
    {
        plan.GetPoint(point);
    }
    std::vector<Fault> faults;
    const FaultScope scope{4, 64, 16, 2};
    RequireLine(FaultPlan::Parse(text, scope, faults));
    std::vector<FaultPlan::Rate> rates;
    RequireLine(FaultPlan::ParseRates(text, rates));
    MeshOrder::Parse(text);
}

void
ReadJobFile(const std::string& text)
{
    static const TrainingSettings settings;
    const JobFile job = JobFile::Parse(text, settings.GetJobSettings());
    RequireLine(job.error);
    for (const auto& [name, value] : job.settings)
    {
        Require(settings.Find(name) != nullptr, "a job has flags that exist");
        RequireLine(name);
    }
}

void
ReadJobMix(const std::string& text)
{
    JobMix mix;
    const std::vector<std::string> arguments{"program", "--mix=" + WriteInput("mix.json", text)};
    CommandLine cmd;
    std::string error = ParseFlags(cmd, mix, arguments);
    error = error.empty() ? mix.Check(arguments) : error;
    Require(error.find('\n') == std::string::npos, "an error is one line: " + error);
    Config::Reset();
}

/// The table of a sweep that is resumed.
void
ReadSweepTable(const std::string& text)
{
    Sweep sweep;
    const std::vector<std::string> arguments{"program",
                                             "--model=debugmodel",
                                             "--vary=reconfigDelay=1ms,15ms",
                                             "--csv=" + WriteInput("sweep.csv", text)};
    CommandLine cmd;
    std::string error = ParseFlags(cmd, sweep, arguments);
    error = error.empty() ? sweep.Check(arguments) : error;
    RequireLine(error);
}

} // namespace

std::vector<Reader>
GetFlagReaders()
{
    return {{"flags", ReadFlags},
            {"value", ReadValue},
            {"job", ReadJobFile},
            {"mix", ReadJobMix},
            {"sweep", ReadSweepTable}};
}

} // namespace fuzz
} // namespace ns3
