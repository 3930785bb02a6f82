// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_BENCHMARK_TRAFFIC_H
#define PHOTONIC_RAILS_BENCHMARK_TRAFFIC_H

#include "benchmark-row.h"
#include "control-rig.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Benchmarks that take the flags of the other programs. Each function runs a
 * simulation of its own in this process, so that for the peak memory it must be the only one.
 *
 * A row gets results, or a reason if the flags are refused. It has its detail before, which is one
 * more flag.
 */
class BenchmarkTraffic
{
  public:
    /// Flags with their values.
    using Flags = std::vector<std::string>;

    /**
     * @brief Run a training job.
     * @param flags of photonic-rails-training
     * @param row gets the results
     */
    static void MeasureJob(const Flags& flags, BenchmarkRow& row);

    /**
     * @brief Run a training job in processes that MPI starts.
     * @param command the program with its flags; the results are those of its summary
     * @param row gets the results; has the number of processes
     */
    static void MeasureProgram(const std::string& command, BenchmarkRow& row);

    /**
     * @brief Run one collective.
     * @param flags of photonic-rails-collectives
     * @param row gets the results; has the size
     */
    static void MeasureCollective(const Flags& flags, BenchmarkRow& row);

    /// The messages of GPUs in a permutation.
    struct Load
    {
        uint32_t gpus{128};
        double share{0.8};       //!< of the rate of a NIC
        uint64_t bytes{1 << 20}; //!< of a message
        uint32_t messages{16};   //!< of each GPU
    };

    /**
     * @brief Run a permutation at some load: every GPU sends messages to one other, at random times
     * (a Poisson process).
     * @param flags of hosts and fabrics
     * @param load the messages
     * @param row gets the results
     */
    static void MeasurePermutation(const Flags& flags, const Load& load, BenchmarkRow& row);

    /// How a controller serves messages.
    struct ControlLoad
    {
        Time messageTime;    //!< for each
        uint32_t threads{1}; //!< that share them by rail
        Time coalesce;       //!< how long managers wait to put messages together
    };

    /**
     * @brief Let all ranks of groups ask for circuits at once, with no data plane.
     * @param settings groups and ranks
     * @param load settings of the controller
     * @param row gets the results; the simulated time is that until the last rank is told
     */
    static void MeasureControl(const ControlRig::Settings& settings,
                               const ControlLoad& load,
                               BenchmarkRow& row);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_BENCHMARK_TRAFFIC_H
