// SPDX-License-Identifier: GPL-2.0-only

// A training job on photonic or electrical rails: iteration times, what is communicated when, and
// what reconfiguring the circuits inside the job costs.

#include "ns3/core-module.h"
#include "ns3/photonic-rails-module.h"

#include <fstream>
#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // in nanoseconds the times of packets would be rounded
    TrainingSettings settings;
    CommandLine cmd(__FILE__);
    settings.AddFlags(cmd);
    cmd.Parse(argc, argv);
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
    const RunSummary summary =
        TrainingExperiment(settings).Run(settings.IsQuiet() ? nullptr : &std::cerr);
    if (!settings.IsQuiet())
    {
        summary.WriteTable(std::cout);
    }
    if (!settings.GetJsonFile().empty())
    {
        std::ofstream json(settings.GetJsonFile());
        summary.WriteJson(json);
        if (!json.flush())
        {
            std::cerr << "--json=" << settings.GetJsonFile() << " could not be written\n";
            return 1;
        }
    }
    if (const std::string error = summary.CheckInvariants(); !error.empty())
    {
        std::cerr << error << std::endl;
        return 1;
    }
    return 0;
}
