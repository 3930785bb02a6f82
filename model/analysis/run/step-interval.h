// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_STEP_INTERVAL_H
#define PHOTONIC_RAILS_STEP_INTERVAL_H

#include <string>

namespace ns3
{

struct StepSplit;
struct WorkloadSpec;

/**
 * @brief The shortest and longest time expected for a step, by the efficiency of kernels.
 *
 * A step at another efficiency is longer or shorter by the time of its FLOPs, and its pipeline
 * bubble in the same proportion as its computation. The times of the network, the host and memory
 * are taken to stay the same, so that the interval does not contain their errors.
 */
struct StepInterval
{
    double least{0};    //!< s, with the highest efficiency
    double most{0};     //!< s, with the lowest efficiency
    std::string source; //!< efficiencies, and where they are from

    /// @return true if there is an interval
    bool IsKnown() const
    {
        return most > 0;
    }

    /// @return the interval in a line
    std::string Describe() const;

    /**
     * @param job that ran
     * @param split of the step
     * @return the interval, or none if the user chose the efficiency, or the step has not ended
     */
    static StepInterval Make(const WorkloadSpec& job, const StepSplit& split);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_STEP_INTERVAL_H
