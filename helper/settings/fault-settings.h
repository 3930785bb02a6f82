// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAULT_SETTINGS_H
#define PHOTONIC_RAILS_FAULT_SETTINGS_H

#include "ns3/command-line.h"
#include "ns3/fault-plan.h"
#include "ns3/flag.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class OpusHelper;
class RailClusterHelper;

/// What breaks in a run, what stands by for that, and how soon it is noticed, as flags give it.
class FaultSettings
{
  public:
    FaultSettings();

    /// @param cmd gets a flag for each setting
    void AddFlags(CommandLine& cmd);

    /**
     * @brief Check all settings, and draw the faults that are drawn.
     * @param scope what there is, but for spares
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check(FaultScope scope);

    /// @return true if something breaks, after Check
    bool IsGiven() const;
    /// @return true if something breaks or stands by, after Check
    bool IsUsed() const;
    /// @return true if there are spare rails, after Check
    bool HasSpares() const;
    /// @return how long something is gone until it is missed, after Check
    Time GetDetectionTime() const;
    /// @return what breaks, after Check
    const std::vector<Fault>& Get() const;

    /// @param opus looks for faults, if there are any
    void Apply(OpusHelper& opus) const;
    /// @param cluster gets spares
    void Apply(RailClusterHelper& cluster) const;

    /// @return flags and their values
    std::vector<std::pair<std::string, std::string>> GetList() const;

  private:
    Flag m_fault{"fault", ""};
    Flag m_rate{"faultRate", ""};
    CountFlag m_spares{"spareRails", 0, 0, 16};
    TimeFlag m_protectionTime;
    TimeFlag m_detectionTime;
    std::vector<Fault> m_faults;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAULT_SETTINGS_H
