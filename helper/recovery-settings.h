// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECOVERY_SETTINGS_H
#define PHOTONIC_RAILS_RECOVERY_SETTINGS_H

#include "flag.h"
#include "opus-helper.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// What goes wrong on the management network and with the controller, as flags give it.
class RecoverySettings
{
  public:
    RecoverySettings();

    /// @param cmd gets a flag for each setting
    void AddFlags(CommandLine& cmd);

    /**
     * @brief Check all settings and work out what Apply needs.
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check();

    /// Set up what has been asked for. @param opus before its Install
    void Apply(OpusHelper& opus) const;

    /// @return whether frames may be lost
    bool HasLoss() const;
    /// @return whether controllers have a standby
    bool HasStandby() const;

    /// @return flags and values
    std::vector<std::pair<std::string, std::string>> GetList() const;

  private:
    /// @return an error if a crash is not a time, or not after the one before
    std::string CheckCrashes();

    NumberFlag m_loss;
    Flag m_crash{"controllerCrash", ""};
    bool m_standby{false};
    std::vector<std::pair<Time, Time>> m_crashes; //!< when, and how long until the restart
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RECOVERY_SETTINGS_H
