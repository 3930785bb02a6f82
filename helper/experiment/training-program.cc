// SPDX-License-Identifier: GPL-2.0-only

#include "training-program.h"

#include "training-experiment.h"

#include "ns3/command-line.h"
#include "ns3/distributed-run.h"
#include "ns3/job-description.h"
#include "ns3/nstime.h"
#include "ns3/program.h"
#include "ns3/training-settings.h"

#include <iostream>
#include <string>
#include <vector>

namespace ns3
{

namespace
{

/// Run the program. @param file of the program @param arguments given @return what is wrong
std::string
RunTraining(const std::string& file, const std::vector<std::string>& arguments)
{
    TrainingSettings settings;
    CommandLine cmd(file);
    if (auto error = ParseFlags(cmd, settings, arguments); !error.empty())
    {
        return error;
    }
    if (auto error = settings.Check(); !error.empty())
    {
        return error;
    }
    const uint32_t rails = settings.IsOneRail() ? 1 : settings.GetFabric().GetGpusPerDomain();
    if (auto error = DistributedRun::Join(rails); !error.empty())
    {
        return error;
    }
    const bool isFirst = DistributedRun::IsFirst();
    const bool speaks = isFirst && !settings.GetOutput().quiet.Get();
    if (speaks)
    {
        std::cout << settings.Describe() << std::endl;
    }
    if (isFirst && !settings.GetOutput().WriteOperations(settings.GetWorkload()))
    {
        return "--operations: the file could not be written";
    }
    const auto print = [speaks](const auto& result) {
        if (speaks)
        {
            result.WriteTable(std::cout);
        }
    };
    if (settings.IsDescribing())
    {
        if (!isFirst)
        {
            return "";
        }
        const JobDescription description = settings.MakeDescription();
        print(description);
        return WriteJsonFile(description, settings.GetOutput().json.GetText());
    }
    const RunSummary summary = TrainingExperiment(settings).Run(speaks ? &std::cerr : nullptr);
    print(summary);
    return isFirst ? Conclude(summary, settings.GetOutput().json.GetText()) : "";
}

} // namespace

int
RunTrainingProgram(int argc, char* argv[], const std::string& file)
{
    Time::SetResolution(Time::PS);
    const auto run = [&file](const std::vector<std::string>& arguments) {
        return RunTraining(file, arguments);
    };
    return RunProgram(argc, argv, run, ProgramProcesses::SEVERAL);
}

} // namespace ns3
