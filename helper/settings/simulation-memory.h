// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SIMULATION_MEMORY_H
#define PHOTONIC_RAILS_SIMULATION_MEMORY_H

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @brief The memory that the simulation of a job takes at least: a bound, so that no job is refused
 * that would fit. Jobs take up to four times as much (doc/speed.rst).
 */
class SimulationMemory
{
  public:
    static constexpr double PROGRAM_BYTES = 20e6; //!< without any GPU
    static constexpr double GPU_BYTES = 50e3;     //!< of a GPU, its NIC and its queue pairs

    /// @param gpus number of simulated GPUs @return bytes that the process takes at least
    static double Estimate(uint64_t gpus);

    /// @return bytes that a process can have: the memory of the machine, or the limit of the
    /// process
    static double GetLimit();

    /**
     * @param gpus number of simulated GPUs
     * @param limit bytes that a process can have
     * @return an empty string, or one line with both figures if the GPUs do not fit
     */
    static std::string Check(uint64_t gpus, double limit = GetLimit());
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SIMULATION_MEMORY_H
