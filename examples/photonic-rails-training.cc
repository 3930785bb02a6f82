// SPDX-License-Identifier: GPL-2.0-only

// A training job on photonic or electrical rails: iteration times, what is communicated when, and
// what reconfiguring the circuits inside the job costs. With --describe: what it is, without a run.

#include "ns3/core-module.h"
#include "ns3/photonic-rails-module.h"

#include <fstream>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

/// Print a result unless that is not wanted, and write its JSON if that is. @return true if it was
template <typename Result>
static bool
Report(const Result& result, const TrainingSettings& settings)
{
    if (!settings.IsQuiet())
    {
        result.WriteTable(std::cout);
    }
    if (!settings.GetJsonFile().empty())
    {
        std::ofstream json(settings.GetJsonFile());
        result.WriteJson(json);
        if (!json.flush())
        {
            std::cerr << "--json=" << settings.GetJsonFile() << " could not be written\n";
            return false;
        }
    }
    return true;
}

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // in nanoseconds the times of packets would be rounded
    TrainingSettings settings;
    CommandLine cmd(__FILE__);
    settings.AddFlags(cmd);
    std::vector<std::string> arguments(argv, argv + argc);
    if (const std::string error = settings.InsertJob(arguments); !error.empty())
    {
        std::cerr << error << std::endl;
        return 1;
    }
    cmd.Parse(arguments);
    if (cmd.GetNExtraNonOptions() > 0)
    {
        std::cerr << cmd.GetExtraNonOption(0) << " is no flag: flags begin with --" << std::endl;
        return 1;
    }
    if (const std::string error = settings.Check(); !error.empty())
    {
        std::cerr << error << std::endl;
        return 1;
    }

    if (!settings.IsQuiet())
    {
        std::cout << settings.Describe() << std::endl;
    }
    if (!settings.WriteOperations())
    {
        std::cerr << "--operations: the file could not be written\n";
        return 1;
    }
    if (settings.IsDescribing())
    {
        return Report(settings.MakeDescription(), settings) ? 0 : 1;
    }
    const RunSummary summary =
        TrainingExperiment(settings).Run(settings.IsQuiet() ? nullptr : &std::cerr);
    if (!Report(summary, settings))
    {
        return 1;
    }
    if (const std::string error = summary.CheckInvariants(); !error.empty())
    {
        std::cerr << error << std::endl;
        return 1;
    }
    return 0;
}
