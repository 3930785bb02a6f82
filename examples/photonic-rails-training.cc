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
    TrainingExperiment experiment;
    CommandLine cmd(__FILE__);
    experiment.AddFlags(cmd);
    cmd.Parse(argc, argv);
    if (const std::string error = experiment.Check(); !error.empty())
    {
        std::cerr << error << std::endl;
        return 1;
    }

    if (!experiment.IsQuiet())
    {
        std::cout << experiment.Describe() << std::endl;
    }
    const RunSummary summary = experiment.Run(experiment.IsQuiet() ? nullptr : &std::cerr);
    if (!experiment.IsQuiet())
    {
        summary.WriteTable(std::cout);
    }
    if (!experiment.GetJsonFile().empty())
    {
        std::ofstream json(experiment.GetJsonFile());
        summary.WriteJson(json);
        if (!json.flush())
        {
            std::cerr << "--json=" << experiment.GetJsonFile() << " could not be written\n";
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
