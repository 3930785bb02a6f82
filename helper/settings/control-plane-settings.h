// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CONTROL_PLANE_SETTINGS_H
#define PHOTONIC_RAILS_CONTROL_PLANE_SETTINGS_H

#include "ns3/flag.h"
#include "ns3/opus-helper.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// Controllers and the networks to them, and what goes wrong there, as flags give it.
class ControlPlaneSettings
{
  public:
    ControlPlaneSettings();

    /// @param cmd gets a flag for each setting
    void AddFlags(CommandLine& cmd);

    /**
     * @brief Check all settings and work out what Apply needs.
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check();

    /// Set up what goes wrong, and the standby. @param opus before its Install
    void Apply(OpusHelper& opus) const;

    /// @return whether each rail has a controller of its own
    bool HasControllerPerRail() const;
    /// @return one-way latency between a host or an OCS and the controller
    Time GetControlLatency() const;
    /// @return one-way latency between a GPU and its host
    Time GetHostLatency() const;
    /// @return whether frames may be lost
    bool HasLoss() const;

    /// @return flags and values
    std::vector<std::pair<std::string, std::string>> GetList() const;

  private:
    /// @return an error if a crash is not a time, or not after the one before
    std::string CheckCrashes();

    ChoiceFlag m_controllers{"controllers", "one", {"one", "rails"}};
    TimeFlag m_controlLatency;
    TimeFlag m_hostLatency;
    NumberFlag m_loss;
    Flag m_crash{"controllerCrash", ""};
    bool m_standby{false};
    std::vector<std::pair<Time, Time>> m_crashes; //!< when, and how long until the restart
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CONTROL_PLANE_SETTINGS_H
