// SPDX-License-Identifier: GPL-2.0-only

// A training job on photonic or electrical rails: iteration times, what is communicated when, and
// what reconfiguring the circuits inside the job costs. With --describe: what it is, without a run.
// Under mpirun -np N, N processes share the rails.

#include "ns3/core-module.h"
#include "ns3/photonic-rails-module.h"

#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

/// Run the program. @return what is wrong
static std::string
Run(const std::vector<std::string>& given)
{
    TrainingSettings settings;
    CommandLine cmd(__FILE__);
    settings.AddFlags(cmd);
    std::vector<std::string> arguments = given;
    if (auto error = settings.InsertJob(arguments); !error.empty())
    {
        return error;
    }
    if (auto error = ParseFlags(cmd, arguments); !error.empty())
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
    const bool speaks = isFirst && !settings.GetOutput().IsQuiet();
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
        return WriteJsonFile(description, settings.GetOutput().GetJsonFile());
    }
    const RunSummary summary = TrainingExperiment(settings).Run(speaks ? &std::cerr : nullptr);
    print(summary);
    return isFirst ? Conclude(summary, settings.GetOutput().GetJsonFile()) : "";
}

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // in nanoseconds the times of packets would be rounded
    return RunProgram(argc, argv, Run, ProgramProcesses::SEVERAL);
}
