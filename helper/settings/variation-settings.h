// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_VARIATION_SETTINGS_H
#define PHOTONIC_RAILS_VARIATION_SETTINGS_H

#include "ns3/option-group.h"
#include "ns3/training-job-helper.h"

#include <map>
#include <string>

namespace ns3
{

/// How ranks differ in the time that they compute.
class VariationSettings : public OptionGroup
{
  public:
    using OptionGroup::OptionGroup;

    /**
     * @brief Check what options say of ranks, when each has been checked.
     * @param ranks of the job
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check(uint64_t ranks);

    /// @param job gets slowdowns and jitter, after Check
    void Apply(TrainingJobHelper& job) const;

    /// @return true if all ranks compute alike, after Check
    bool IsEven() const
    {
        return m_slowdowns.empty() && m_jitter.Get() == 0;
    }

  private:
    OptionHeading m_heading{this, "variation"};
    TextOption m_slowdown{this,
                          "slowdown",
                          "",
                          "ranks that compute slower, RANK:FACTOR,RANK:FACTOR, with factors from "
                          "0.1 to 100"};
    NumberOption m_jitter{this,
                          "jitter",
                          "0",
                          {0, 10},
                          "how computations vary: standard deviation over mean, 0 to 10"};
    std::map<uint32_t, double> m_slowdowns; //!< by rank
};

} // namespace ns3

#endif // PHOTONIC_RAILS_VARIATION_SETTINGS_H
