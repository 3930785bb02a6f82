// SPDX-License-Identifier: GPL-2.0-only

// A collective in a range of sizes, alone on a fabric: the table that users of nccl-tests know.

#include "ns3/core-module.h"
#include "ns3/photonic-rails-module.h"

#include <chrono>
#include <fstream>
#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // in nanoseconds the times of packets would be rounded
    const auto begin = std::chrono::steady_clock::now();
    CollectivesSettings settings;
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

    CollectiveReport report = settings.MakeReport();
    report.WriteHeader(std::cout);
    const CollectivesExperiment experiment(settings);
    for (const uint64_t bytes : report.GetSizes())
    {
        const auto row = experiment.Run(bytes);
        if (!row)
        {
            std::cerr << bytes << " bytes: the calls came to a standstill" << std::endl;
            return 1;
        }
        report.WriteRow(std::cout, *row);
        report.rows.push_back(*row);
    }
    report.WriteFooter(std::cout);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
    report.wallSeconds = elapsed.count();
    report.peakRssBytes = GetPeakRss();
    if (!settings.GetJsonFile().empty())
    {
        std::ofstream json(settings.GetJsonFile());
        report.WriteJson(json);
        if (!json.flush())
        {
            std::cerr << "--json=" << settings.GetJsonFile() << " could not be written\n";
            return 1;
        }
    }
    if (const std::string error = report.CheckInvariants(); !error.empty())
    {
        std::cerr << error << std::endl;
        return 1;
    }
    return 0;
}
