// SPDX-License-Identifier: GPL-2.0-only

// The same traffic on all fabrics side by side: a collective, a permutation of messages, or a
// training job. Latency of packets and messages, completion, links, switches, CPU time and memory.

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
    FabricComparison comparison(arguments);
    CommandLine cmd(__FILE__);
    if (auto error = ParseFlags(cmd, comparison, arguments); !error.empty())
    {
        return error;
    }
    if (auto error = comparison.Check(); !error.empty())
    {
        return error;
    }

    const FabricReport report = comparison.Run(&std::cerr);
    report.WriteTable(std::cout);
    return Conclude(report, comparison.GetJsonFile());
}

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // in nanoseconds the times of packets would be rounded
    return RunProgram(argc, argv, Run);
}
