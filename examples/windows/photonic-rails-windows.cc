// SPDX-License-Identifier: GPL-2.0-only

// How long the rails of a training job are idle between its phases, and what follows: any flags of
// photonic-rails-training, tables for people and every window as CSV.

#include "window-settings.h"

#include "ns3/core-module.h"
#include "ns3/photonic-rails-module.h"

#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

/// Run the program. @return what is wrong
static std::string
Run(const std::vector<std::string>& arguments)
{
    WindowSettings settings;
    const TrainingSettings& job = settings.GetJob();
    CommandLine cmd(__FILE__);
    if (auto error = ParseFlags(cmd, settings, arguments); !error.empty())
    {
        return error;
    }
    if (auto error = settings.Check(); !error.empty())
    {
        return error;
    }
    if (!job.GetOutput().quiet.Get())
    {
        std::cout << job.Describe() << std::endl;
    }
    const RunSummary summary = settings.Run(job.GetOutput().quiet.Get() ? nullptr : &std::cerr);
    if (auto error = Conclude(summary, job.GetOutput().json.GetText()); !error.empty())
    {
        return error;
    }
    const WindowReport report = settings.MakeReport(summary);
    if (!job.GetOutput().quiet.Get())
    {
        report.WriteTable(std::cout);
    }
    const auto write = [&report](std::ostream& os) { report.WriteCsv(os); };
    return WriteFile("csv", settings.GetCsvFile(), write);
}

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // in nanoseconds the times of packets would be rounded
    return RunProgram(argc, argv, Run);
}
