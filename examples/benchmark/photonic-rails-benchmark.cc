// SPDX-License-Identifier: GPL-2.0-only

// How fast is the simulator, and how much memory does it need? Packets and bursts, one packet after
// the other against bursts, jobs of more and more GPUs, fabrics, schedulers of events, processes.

#include "benchmark.h"

#include "ns3/core-module.h"
#include "ns3/photonic-rails-module.h"

#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

/// Run the program. @return an empty string, or an error in one line
static std::string
Run(const std::vector<std::string>& arguments)
{
    Benchmark benchmark;
    if (auto error = ReadFlags(__FILE__, benchmark, arguments); !error.empty())
    {
        return error;
    }
    std::error_code ignored;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
    const BenchmarkReport report = benchmark.Run(ignored ? arguments[0] : self.string(), std::cout);
    std::cout << std::endl;
    report.WriteFigures(std::cout);
    return Conclude(report, benchmark.GetJsonFile());
}

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS); // in nanoseconds the times of packets would be rounded
    return RunProgram(argc, argv, Run);
}
