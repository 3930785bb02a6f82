// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DISTRIBUTED_RUN_H
#define PHOTONIC_RAILS_DISTRIBUTED_RUN_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The processes that share a run, if mpirun has started several: the module's only use of
 * ns-3's MPI module, besides FiberCabling.
 *
 * All processes do the same: they read the same flags, build the same nodes and simulate those that
 * RailPartition gives them. Only the first one prints and writes. Without mpirun, or with one
 * process, MPI is not touched at all.
 */
class DistributedRun
{
  public:
    /**
     * @return number of processes that the launcher of this one has started, by their
     * environment: OMPI_COMM_WORLD_SIZE (Open MPI), PMI_SIZE (MPICH and its kin); 1 without a
     * launcher
     */
    static uint32_t GetLaunched();

    /// @return true if this ns-3 has its MPI module (configured with --enable-mpi)
    static bool IsPossible();

    /**
     * @brief Join the other processes, if there are any. After Time::SetResolution, and when no
     * simulator is there: before its first use, or after Simulator::Destroy. The next
     * Simulator::Destroy ends the shared simulation.
     * @param rails that are simulated: the largest number of processes that can share the run
     * @return an empty string, or one line with the reason why it is not possible
     */
    static std::string Join(uint32_t rails);

    /// @return processes that share the run: 1 before Join, or if there is only one
    static uint32_t GetProcesses();

    /// @return true for the process that prints and writes
    static bool IsFirst();

    /**
     * @brief Bring a text of every process to the first one. All processes have to call it.
     * @param text of this process
     * @return on the first process the texts of all in order, on others nothing
     */
    static std::vector<std::string> Gather(const std::string& text);

    /// Part from the other processes, when all have come here; nothing if there are none.
    static void Leave();

    /// End all processes, because this one cannot go on; nothing if there are none.
    static void Abort();
};

} // namespace ns3

#endif // PHOTONIC_RAILS_DISTRIBUTED_RUN_H
