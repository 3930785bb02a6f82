// SPDX-License-Identifier: GPL-2.0-only

// The same traffic on all fabrics side by side: a collective, a permutation of messages, or a
// training job. Latency of packets and messages, completion, links, switches, CPU time and memory.

#include "ns3/core-module.h"
#include "ns3/photonic-rails-module.h"

#include <fstream>
#include <iostream>

using namespace ns3;

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // in nanoseconds the times of packets would be rounded
    FabricComparison comparison(std::vector<std::string>(argv, argv + argc));
    CommandLine cmd(__FILE__);
    comparison.AddFlags(cmd);
    cmd.Parse(argc, argv);
    if (cmd.GetNExtraNonOptions() > 0)
    {
        std::cerr << cmd.GetExtraNonOption(0) << " is no flag: flags begin with --" << std::endl;
        return 1;
    }
    if (const std::string error = comparison.Check(); !error.empty())
    {
        std::cerr << error << std::endl;
        return 1;
    }

    const FabricReport report = comparison.Run(&std::cerr);
    report.WriteTable(std::cout);
    if (!comparison.GetJsonFile().empty())
    {
        std::ofstream json(comparison.GetJsonFile());
        report.WriteJson(json);
        if (!json.flush())
        {
            std::cerr << "--json=" << comparison.GetJsonFile() << " could not be written\n";
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
