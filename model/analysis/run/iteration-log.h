// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_ITERATION_LOG_H
#define PHOTONIC_RAILS_ITERATION_LOG_H

#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// One iteration of a training job.
struct TrainingIteration
{
    uint32_t index{0};
    Time duration;                //!< end to end of all ranks
    uint32_t reconfigurations{0}; //!< commands to switches
    Time exposedReconfiguration;  //!< of the rank that waited longest for light
};

/**
 * @brief When things happened that are reported by iteration: a plain record.
 *
 * An iteration ends when its last rank ends it and begins with the end of the one before it. Only
 * with the logs of all ranks and switches is it known to which iteration something belongs; so
 * parts of a job each keep a log, and the logs are added up. The order does not matter.
 */
struct IterationLog
{
    /// Calls of a rank have waited for light.
    struct Exposure
    {
        Time at;          //!< when the wait was over
        uint32_t rank{0}; //!< who waited
        Time exposed;     //!< for how long
    };

    std::vector<Time> ends;             //!< of iterations that all ranks of the part have ended
    std::vector<Time> reconfigurations; //!< when switches began to carry out commands
    std::vector<Exposure> exposures;    //!< waits for light

    /// @param other the log of other ranks and switches of the job
    void Add(const IterationLog& other);

    /// @return the iterations that have ended, in order; what happens at an end belongs to it
    std::vector<TrainingIteration> GetIterations() const;

  private:
    /// @return the index of the iteration in which a moment lies, or their number if in none
    std::size_t Find(Time moment) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_ITERATION_LOG_H
