// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_JOB_FIT_H
#define PHOTONIC_RAILS_JOB_FIT_H

#include "fabric-settings.h"

#include "ns3/circuit-policy.h"
#include "ns3/job-description.h"
#include "ns3/job-ranks.h"

#include <cstdint>
#include <string>
#include <vector>

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
    static double Estimate(uint64_t gpus)
    {
        return PROGRAM_BYTES + GPU_BYTES * static_cast<double>(gpus);
    }

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

/// Checks whether a job fits a fabric; job and fabric have passed their own checks.
struct JobFit
{
    const JobRanks& ranks;         //!< ranks of the job, whose parts of an AllToAll are equal
    const FabricSettings& fabric;  //!< hosts, NICs and fabric
    Variant<CircuitPolicy> policy; //!< circuit policy, used on photonic rails only
    Time slotTime;                 //!< time for which circuits of a rotor carry light; 0 if not set

    /// @return the number of scale-up domains of the job
    uint32_t GetDomains() const
    {
        return ranks.GetWorldSize() / fabric.gpusPerDomain.Get();
    }

    /// @return an empty string, or one line with the reason why the job does not fit
    std::string Check() const;

    /**
     * @brief List all reasons why a job that is only described does not fit. Builds nothing.
     * @param description of the job
     * @return one line for each reason
     */
    std::vector<std::string> MakeRemarks(const JobDescription& description) const;

  private:
    /// @return an error if the ranks do not fill whole domains
    std::string CheckWorld() const;
    /// @return an error if the cluster cannot be built
    std::string CheckCluster() const;
    /// @return an error if the circuits of the policy are not possible
    std::string CheckPolicy() const;
    /// @return an error if the fabric cannot join the ranks of a group
    std::string CheckGroups() const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_JOB_FIT_H
