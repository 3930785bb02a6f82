// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_VARIATION_SETTINGS_H
#define PHOTONIC_RAILS_VARIATION_SETTINGS_H

#include "ns3/flag.h"
#include "ns3/training-job-helper.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// How ranks differ in the time that they compute, as flags give it.
class VariationSettings
{
  public:
    VariationSettings();

    /// @param cmd gets a flag for each setting
    void AddFlags(CommandLine& cmd);

    /**
     * @brief Check all settings.
     * @param ranks of the job
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check(uint64_t ranks);

    /// @param job gets slowdowns and jitter, after Check
    void Apply(TrainingJobHelper& job) const;

    /// @return true if all ranks compute alike, after Check
    bool IsEven() const;

    /// @return flags and their values
    std::vector<std::pair<std::string, std::string>> GetList() const;

  private:
    Flag m_slowdown{"slowdown", ""};
    NumberFlag m_jitter;
    std::map<uint32_t, double> m_slowdowns; //!< by rank
};

} // namespace ns3

#endif // PHOTONIC_RAILS_VARIATION_SETTINGS_H
