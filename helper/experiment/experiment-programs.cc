// SPDX-License-Identifier: GPL-2.0-only

#include "experiment-programs.h"

#include "collectives-experiment.h"
#include "fabric-comparison.h"
#include "job-comparison.h"
#include "job-mix.h"
#include "sweep.h"
#include "training-experiment.h"

#include "ns3/collectives-settings.h"
#include "ns3/distributed-run.h"
#include "ns3/html-page.h"
#include "ns3/interruption.h"
#include "ns3/job-description.h"
#include "ns3/nstime.h"
#include "ns3/program.h"
#include "ns3/run-summary.h"
#include "ns3/training-settings.h"

#include <chrono>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

/// Run the program. @param file of the program @param arguments given @return an error
std::string
RunTraining(const std::string& file, const std::vector<std::string>& arguments)
{
    TrainingSettings settings;
    if (auto error = ReadFlags(file, settings, arguments); !error.empty())
    {
        return error;
    }
    const uint32_t rails = settings.IsOneSet() ? 1 : settings.fabric.gpusPerDomain.Get();
    if (auto error = DistributedRun::Join(rails); !error.empty())
    {
        return error;
    }
    const bool isFirst = DistributedRun::IsFirst();
    const bool speaks = isFirst && !settings.output.quiet.Get();
    if (speaks)
    {
        std::cout << settings.Describe() << std::endl;
        if (!settings.describe.Get()) // a description has the remarks itself
        {
            for (const auto& remark : settings.GetRemarks())
            {
                std::cout << "remark: " << remark << std::endl;
            }
        }
    }
    if (isFirst)
    {
        const OutputSettings& output = settings.output;
        const JobRanks& ranks = settings.GetAllRanks();
        if (auto error = FindError([&] { return output.WriteOperations(ranks); },
                                   [&] { return output.WriteTraces(ranks); });
            !error.empty())
        {
            return error;
        }
    }
    const auto print = [speaks](const auto& result) {
        if (speaks)
        {
            result.WriteTable(std::cout);
        }
    };
    if (settings.describe.Get())
    {
        if (!isFirst)
        {
            return "";
        }
        const JobDescription description = settings.MakeDescription();
        print(description);
        return WriteJsonFile(description, settings.output.json.GetText());
    }
    const RunSummary summary = TrainingExperiment(settings).Run(speaks ? &std::cerr : nullptr);
    print(summary);
    return isFirst ? Conclude(summary, settings.output.json.GetText()) : "";
}

/// Run the program. @param file of the program @param arguments given @return an error
std::string
RunSweep(const std::string& file, const std::vector<std::string>& arguments)
{
    Sweep sweep;
    if (auto error = ReadFlags(file, sweep, arguments); !error.empty())
    {
        return error;
    }
    const std::string error = sweep.Run(&std::cerr);
    if (error.empty() || sweep.HasResults())
    {
        sweep.WriteTable(std::cout);
    }
    return error;
}

/// Run the program. @param file of the program @param arguments given @return an error
std::string
RunCollectives(const std::string& file, const std::vector<std::string>& arguments)
{
    const auto begin = std::chrono::steady_clock::now();
    CollectivesSettings settings;
    if (auto error = ReadFlags(file, settings, arguments); !error.empty())
    {
        return error;
    }
    if (settings.check.Get())
    {
        return settings.RunCheck(std::cout);
    }
    CollectiveReport report = settings.MakeReport();
    report.WriteHeader(std::cout);
    Interruption::Defer();
    const CollectivesExperiment experiment(settings);
    RecordTables records = settings.records.MakeTables();
    for (const uint64_t bytes : report.GetSizes())
    {
        const auto row = experiment.Run(bytes, nullptr, &records);
        if (Interruption::GetSignal() != 0)
        {
            break;
        }
        if (!row)
        {
            return std::to_string(bytes) + " bytes: the calls came to a standstill";
        }
        report.WriteRow(std::cout, *row);
        report.rows.push_back(*row);
    }
    report.interrupted = Interruption::GetName();
    report.WriteFooter(std::cout);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    report.wallSeconds = elapsed.count();
    report.peakRssBytes = GetPeakRss();
    const std::string unwritten = settings.records.Finish(records);
    const std::string error = Conclude(report, settings.json.GetText());
    return error.empty() ? unwritten : error;
}

/// Run the program. @param file of the program @param arguments given @return an error
std::string
RunComparison(const std::string& file, const std::vector<std::string>& arguments)
{
    FabricComparison comparison(arguments);
    if (auto error = ReadFlags(file, comparison, arguments); !error.empty())
    {
        return error;
    }
    Interruption::Defer();
    const FabricReport report = comparison.Run(&std::cerr);
    report.WriteTable(std::cout);
    return Conclude(report, comparison.GetJsonFile());
}

/// Run the program. @param file of the program @param arguments given @return an error
std::string
RunCompare(const std::string& file, const std::vector<std::string>& arguments)
{
    JobComparison comparison;
    if (auto error = ReadFlags(file, comparison, arguments); !error.empty())
    {
        return error;
    }
    Interruption::Defer();
    const JobVerdict verdict = comparison.Run(&std::cerr);
    if (auto error = verdict.CheckInvariants(); !error.empty())
    {
        return error;
    }
    verdict.WriteTable(std::cout);
    const ReportSettings& report = comparison.GetReport();
    if (report.file.IsSet() && report.GetLibrary().empty())
    {
        std::cerr << "--report: " << report.GetLibraryRemark() << std::endl;
    }
    const VerdictPage page{verdict, report.GetLibrary(), report.GetLibraryRemark()};
    return FindError([&] { return WriteJsonFile(verdict, comparison.GetJsonFile()); },
                     [&] {
                         return WriteFile("report",
                                          report.file.GetText(),
                                          [&page](std::ostream& os) { page.Write(os); });
                     });
}

/// Run the program. @param file of the program @param arguments given @return an error
std::string
RunJobs(const std::string& file, const std::vector<std::string>& arguments)
{
    const auto begin = std::chrono::steady_clock::now();
    JobMix mix;
    if (auto error = ReadFlags(file, mix, arguments); !error.empty())
    {
        return error;
    }
    Interruption::Defer();
    MixReport report;
    const std::string error = mix.Run(report);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    report.wallSeconds = elapsed.count();
    report.peakRssBytes = GetPeakRss();
    report.WriteTable(std::cout);
    const std::string unwritten = WriteJsonFile(report, mix.GetJsonFile());
    return error.empty() ? unwritten : error;
}

/// @return the exit code of a program that knows its file
int
RunWithFile(int argc,
            char* argv[],
            const std::string& file,
            std::string (*run)(const std::string&, const std::vector<std::string>&),
            ProgramProcesses processes = ProgramProcesses::ONE)
{
    Time::SetResolution(Time::PS);
    return RunProgram(
        argc,
        argv,
        [&file, run](const std::vector<std::string>& arguments) { return run(file, arguments); },
        processes);
}

} // namespace

int
RunTrainingProgram(int argc, char* argv[], const std::string& file)
{
    return RunWithFile(argc, argv, file, RunTraining, ProgramProcesses::SEVERAL);
}

int
RunSweepProgram(int argc, char* argv[], const std::string& file)
{
    return RunWithFile(argc, argv, file, RunSweep);
}

int
RunCollectivesProgram(int argc, char* argv[], const std::string& file)
{
    return RunWithFile(argc, argv, file, RunCollectives);
}

int
RunComparisonProgram(int argc, char* argv[], const std::string& file)
{
    return RunWithFile(argc, argv, file, RunComparison);
}

int
RunCompareProgram(int argc, char* argv[], const std::string& file)
{
    return RunWithFile(argc, argv, file, RunCompare);
}

int
RunJobsProgram(int argc, char* argv[], const std::string& file)
{
    return RunWithFile(argc, argv, file, RunJobs);
}

int
RunNamedProgram(int argc, char* argv[], const std::string& file)
{
    const std::string name = argc > 1 ? argv[1] : "--";
    if (name.compare(0, 2, "--") == 0)
    {
        return RunTrainingProgram(argc, argv, file);
    }
    const std::pair<const char*, int (*)(int, char*[], const std::string&)> programs[] = {
        {"training", RunTrainingProgram},
        {"sweep", RunSweepProgram},
        {"collectives", RunCollectivesProgram},
        {"comparison", RunComparisonProgram},
        {"compare", RunCompareProgram},
        {"jobs", RunJobsProgram}};
    for (const auto& [known, run] : programs)
    {
        if (name == known)
        {
            // The name of the program moves to where the name of the experiment was.
            std::swap(argv[0], argv[1]);
            return run(argc - 1, argv + 1, file);
        }
    }
    return RunProgram(argc, argv, [&name](const std::vector<std::string>& /* arguments */) {
        return name + " is no program: it must be training, sweep, collectives, comparison, "
                      "compare or jobs";
    });
}

} // namespace ns3
