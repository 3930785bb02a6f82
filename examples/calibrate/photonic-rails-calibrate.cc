// SPDX-License-Identifier: GPL-2.0-only

// Which compute efficiency, goodput of the network and launch time explain the steps that were
// measured on a cluster? The program runs each job at several values, prints the best ones with
// what is left, and says which of them the steps cannot tell apart.

#include "measured-steps.h"

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
    MeasuredSteps steps;
    if (auto error = ReadFlags(__FILE__, steps, arguments); !error.empty())
    {
        return error;
    }
    const bool isQuiet = steps.quiet.Get();
    if (auto error = steps.Fit(isQuiet ? nullptr : &std::cerr); !error.empty())
    {
        return error;
    }
    if (!isQuiet)
    {
        steps.WriteTable(std::cout);
    }
    return WriteJsonFile(steps, steps.json.GetText());
}

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // in nanoseconds the times of packets would be rounded
    return RunProgram(argc, argv, Run);
}
