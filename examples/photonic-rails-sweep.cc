// SPDX-License-Identifier: GPL-2.0-only

// A training job at many points: any flags of photonic-rails-training take several values each, in
// processes of their own. One table, which a sweep that was stopped goes on with.

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
    Sweep sweep;
    CommandLine cmd(__FILE__);
    if (auto error = ParseFlags(cmd, sweep, arguments); !error.empty())
    {
        return error;
    }
    if (auto error = sweep.Check(arguments); !error.empty())
    {
        return error;
    }
    const std::string error = sweep.Run(&std::cerr);
    if (error.empty())
    {
        sweep.WriteTable(std::cout);
    }
    return error;
}

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // in nanoseconds the times of packets would be rounded
    return RunProgram(argc, argv, Run);
}
