// SPDX-License-Identifier: GPL-2.0-only

// How many matchings a switch of programmable photonics needs to join all pairs of its ports, how
// large its mesh has to be, and what light meets on its way. Nothing is simulated here.

#include "pip-settings.h"

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
    PipSettings settings;
    if (auto error = ReadFlags(__FILE__, settings, arguments); !error.empty())
    {
        return error;
    }
    if (auto error = settings.Run(std::cout); !error.empty())
    {
        return error;
    }
    return settings.WriteFiles();
}

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // light passes a cell in some picoseconds
    return RunProgram(argc, argv, Run);
}
