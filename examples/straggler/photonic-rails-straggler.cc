// SPDX-License-Identifier: GPL-2.0-only

// One rank comes late to an AllReduce: StragglAR beside algorithms that wait for it.

#include "straggler-experiment.h"

#include "ns3/core-module.h"
#include "ns3/photonic-rails-module.h"

#include <chrono>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

/// Run the program. @return an empty string, or an error in one line
static std::string
Run(const std::vector<std::string>& arguments)
{
    const auto begin = std::chrono::steady_clock::now();
    StragglerSettings settings;
    if (auto error = ReadFlags(__FILE__, settings, arguments); !error.empty())
    {
        return error;
    }
    StragglerReport report = settings.MakeReport();
    if (auto error = StragglerExperiment(settings).Run(std::cout, report); !error.empty())
    {
        return error;
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    report.wallSeconds = elapsed.count();
    report.peakRssBytes = GetPeakRss();
    return Conclude(report, settings.json.GetText());
}

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // in nanoseconds the times of packets would be rounded
    return RunProgram(argc, argv, Run);
}
