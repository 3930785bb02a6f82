// SPDX-License-Identifier: GPL-2.0-only

#include "distributed-run.h"

#include <algorithm>
#include <cstdlib>

#ifdef NS3_MPI
#include "ns3/global-value.h"
#include "ns3/mpi-interface.h"
#include "ns3/string.h"
#endif

namespace ns3
{

namespace
{

/// @return a number that a launcher has put into the environment, or the number for none
uint32_t
GetNumber(const std::vector<const char*>& names, uint32_t none)
{
    for (const char* name : names)
    {
        if (const char* text = std::getenv(name))
        {
            return static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
        }
    }
    return none;
}

} // namespace

uint32_t
DistributedRun::GetLaunched()
{
    return std::max(1U, GetNumber({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}, 1));
}

std::string
DistributedRun::Join(uint32_t rails)
{
    const uint32_t launched = GetLaunched();
    const std::string processes = "mpirun: " + std::to_string(launched) + " processes ";
    if (launched > 1 && !IsPossible())
    {
        return processes + "have been started, but this ns-3 has no MPI: build the module in an "
                           "ns-3 tree that is configured with --enable-mpi, or start one process";
    }
    if (launched > rails)
    {
        return processes + "cannot share " + std::to_string(rails) +
               (rails == 1 ? " rail" : " rails") + ", each of which stays in one process";
    }
#ifdef NS3_MPI
    if (launched > 1)
    {
        GlobalValue::Bind("SimulatorImplementationType",
                          StringValue("ns3::DistributedSimulatorImpl"));
        MpiInterface::Enable(nullptr, nullptr);
    }
#endif
    return "";
}

bool
DistributedRun::IsFirst()
{
    return GetLaunched() == 1 || GetNumber({"OMPI_COMM_WORLD_RANK", "PMI_RANK"}, 0) == 0;
}

#ifdef NS3_MPI

bool
DistributedRun::IsPossible()
{
    return true;
}

uint32_t
DistributedRun::GetProcesses()
{
    return MpiInterface::IsEnabled() ? MpiInterface::GetSize() : 1;
}

std::vector<std::string>
DistributedRun::Gather(const std::string& text)
{
    const uint32_t processes = GetProcesses();
    if (processes == 1)
    {
        return {text};
    }
    const bool isFirst = MpiInterface::GetSystemId() == 0;
    const int size = static_cast<int>(text.size());
    std::vector<int> sizes(processes);
    MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
    std::vector<int> places(processes, 0);
    for (uint32_t i = 1; i < processes; ++i)
    {
        places[i] = places[i - 1] + sizes[i - 1];
    }
    std::string all(isFirst ? places.back() + sizes.back() : 0, ' ');
    MPI_Gatherv(text.data(),
                size,
                MPI_CHAR,
                all.data(),
                sizes.data(),
                places.data(),
                MPI_CHAR,
                0,
                MPI_COMM_WORLD);
    std::vector<std::string> texts;
    for (uint32_t i = 0; isFirst && i < processes; ++i)
    {
        texts.push_back(all.substr(places[i], sizes[i]));
    }
    return texts;
}

void
DistributedRun::Leave()
{
    if (MpiInterface::IsEnabled())
    {
        MpiInterface::Disable();
    }
}

void
DistributedRun::Abort()
{
    if (MpiInterface::IsEnabled())
    {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

#else // this ns-3 has no MPI module

bool
DistributedRun::IsPossible()
{
    return false;
}

uint32_t
DistributedRun::GetProcesses()
{
    return 1;
}

std::vector<std::string>
DistributedRun::Gather(const std::string& text)
{
    return {text};
}

void
DistributedRun::Leave()
{
}

void
DistributedRun::Abort()
{
}

#endif

} // namespace ns3
