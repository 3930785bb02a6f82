// SPDX-License-Identifier: GPL-2.0-only

// A collective in a range of sizes, alone on a fabric: the table that users of nccl-tests know.

#include "ns3/core-module.h"
#include "ns3/photonic-rails-module.h"

#include <chrono>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

/// Run the program. @return what is wrong
static std::string
Run(const std::vector<std::string>& arguments)
{
    const auto begin = std::chrono::steady_clock::now();
    CollectivesSettings settings;
    CommandLine cmd(__FILE__);
    if (auto error = ParseFlags(cmd, settings, arguments); !error.empty())
    {
        return error;
    }
    if (auto error = settings.Check(); !error.empty())
    {
        return error;
    }

    CollectiveReport report = settings.MakeReport();
    report.WriteHeader(std::cout);
    const CollectivesExperiment experiment(settings);
    for (const uint64_t bytes : report.GetSizes())
    {
        const auto row = experiment.Run(bytes);
        if (!row)
        {
            return std::to_string(bytes) + " bytes: the calls came to a standstill";
        }
        report.WriteRow(std::cout, *row);
        report.rows.push_back(*row);
    }
    report.WriteFooter(std::cout);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    report.wallSeconds = elapsed.count();
    report.peakRssBytes = GetPeakRss();
    return Conclude(report, settings.GetJsonFile());
}

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // in nanoseconds the times of packets would be rounded
    return RunProgram(argc, argv, Run);
}
