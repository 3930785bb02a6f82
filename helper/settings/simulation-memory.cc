// SPDX-License-Identifier: GPL-2.0-only

#include "simulation-memory.h"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

namespace ns3
{

double
SimulationMemory::Estimate(uint64_t gpus)
{
    return PROGRAM_BYTES + GPU_BYTES * static_cast<double>(gpus);
}

double
SimulationMemory::GetLimit()
{
    double limit =
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    rlimit ofProcess{};
    if (getrlimit(RLIMIT_AS, &ofProcess) == 0 && ofProcess.rlim_cur != RLIM_INFINITY)
    {
        limit = std::min(limit, static_cast<double>(ofProcess.rlim_cur));
    }
    return limit;
}

std::string
SimulationMemory::Check(uint64_t gpus, double limit)
{
    if (Estimate(gpus) <= limit)
    {
        return "";
    }
    std::ostringstream error;
    error << std::fixed << std::setprecision(1) << "the simulation of " << gpus
          << " GPUs takes at least " << Estimate(gpus) / 1e9 << " GB of memory, and there are "
          << limit / 1e9 << " GB; allowed are fewer GPUs, and --describe";
    return error.str();
}

} // namespace ns3
