// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DIFFERENTIAL_JOB_H
#define PHOTONIC_RAILS_DIFFERENTIAL_JOB_H

#include "differential-record.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace test
{

/// A small training job, from flags to the end of its last operation.
struct JobScenario
{
    static constexpr const char* NAME = "job"; //!< of the family

    uint64_t seed{0};
    std::vector<std::string> flags; //!< of the program that trains

    /**
     * @param seed any number
     * @return the scenario of that seed
     */
    static JobScenario Make(uint64_t seed);
    /// @return all of it, in a line
    std::string ToText() const;
    /// @return scenarios with less in them
    std::vector<JobScenario> Simplify() const;
    /// @return the record of the run
    Record Run(const RunMode& mode) const;
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_DIFFERENTIAL_JOB_H
