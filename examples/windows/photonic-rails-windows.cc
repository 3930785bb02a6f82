// SPDX-License-Identifier: GPL-2.0-only

// How long the rails of a training job are idle between two phases, and how many bytes the next
// phase sends. The program takes all flags of photonic-rails-training, prints tables, and writes
// every window as CSV.

#include "window-settings.h"

#include "ns3/core-module.h"
#include "ns3/photonic-rails-module.h"

#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

/// Run the program. @return an empty string, or an error in one line
static std::string
Run(const std::vector<std::string>& arguments)
{
    WindowSettings settings;
    const TrainingSettings& job = settings.job;
    if (auto error = ReadFlags(__FILE__, settings, arguments); !error.empty())
    {
        return error;
    }
    if (!job.output.quiet.Get())
    {
        std::cout << job.Describe() << std::endl;
    }
    const RunSummary summary = settings.Run(job.output.quiet.Get() ? nullptr : &std::cerr);
    if (auto error = Conclude(summary, job.output.json.GetText()); !error.empty())
    {
        return error;
    }
    const WindowReport report = settings.MakeReport(summary);
    if (!job.output.quiet.Get())
    {
        report.WriteTable(std::cout);
    }
    const auto write = [&report](std::ostream& os) { report.WriteCsv(os); };
    return WriteFile("csv", settings.csv.GetText(), write);
}

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // in nanoseconds the times of packets would be rounded
    return RunProgram(argc, argv, Run);
}
