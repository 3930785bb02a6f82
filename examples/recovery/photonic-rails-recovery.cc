// SPDX-License-Identifier: GPL-2.0-only

// A job loses GPUs and goes on: with a spare on a photonic rack (LUMION), with one behind an
// oversubscribed uplink of an electrical rack, and on an idle rack. Time to recover, work that is
// lost, and throughput before and after.

#include "recovery-study.h"

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
    RecoveryStudy study;
    if (auto error = ReadFlags(__FILE__, study, arguments); !error.empty())
    {
        return error;
    }
    const RecoveryReport report = study.Run(&std::cerr);
    report.WriteTable(std::cout);
    return Conclude(report, study.GetJsonFile());
}

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // in nanoseconds the times of packets would be rounded
    return RunProgram(argc, argv, Run);
}
