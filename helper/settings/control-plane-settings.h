// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CONTROL_PLANE_SETTINGS_H
#define PHOTONIC_RAILS_CONTROL_PLANE_SETTINGS_H

#include "ns3/option-group.h"
#include "ns3/opus-helper.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// Controllers, the management network, and failures of both.
class ControlPlaneSettings : public OptionGroup
{
  public:
    using OptionGroup::OptionGroup;

    /**
     * @brief Set the conditions under which options have an effect.
     * @param photonic the condition that rails are photonic
     * @param lending the condition that controllers lend circuits
     * @param orForLatencies conditions, one of which suffices in place of both for latencies to
     * have an effect
     */
    void Needs(const OptionNeed& photonic,
               const OptionNeed& lending,
               const std::vector<OptionNeed>& orForLatencies);

    /**
     * @brief Read the times of crashes, after each option has passed its own check.
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check();

    /**
     * @brief Choose the controllers if the flag is not given: one for each set of rails, or one for
     * all if something goes wrong in the control plane.
     * @param needsOne something that one controller for all rails must serve
     */
    void DeriveControllers(bool needsOne);

    /// Set up crashes, losses and the standby. @param opus before its Install
    void Apply(OpusHelper& opus) const;

    /// @return whether each rail, or set of rails, has a controller of its own, after
    /// DeriveControllers
    bool HasControllerPerRail() const
    {
        return controllers.GetInForce() == "rails";
    }

    OptionHeading heading{this, "opus"};
    ChoiceOption controllers{this,
                             "controllers",
                             "",
                             {"one", "rails"},
                             "who lends circuits: one controller, or one for each of the rails, or "
                             "sets of rails that groups join; if empty, rails, or one where groups "
                             "join all rails, where something breaks or where control frames are "
                             "lost"};
    TimeOption controlLatency{this,
                              "controlLatency",
                              "10us",
                              {"0s", "1s", "10us"},
                              "one-way latency between a host or an OCS and the controller"};
    TimeOption hostLatency{this,
                           "hostLatency",
                           "1us",
                           {"0s", "1s", "10us"},
                           "one-way latency between a GPU and its host"};
    NumberOption loss{this,
                      "controlLoss",
                      "0",
                      {0, 0.5},
                      "share of the frames between hosts, OCSes and controller that is lost"};
    TextOption crash{this,
                     "controllerCrash",
                     "",
                     "when controllers crash, and how long until they begin to read their logs: "
                     "TIME[,RESTART], and further pairs; 100ms if no RESTART is given"};
    BoolOption standby{this,
                       "standby",
                       false,
                       "keep a second controller that takes over when the first is silent"};
    TextOption standbyCrash{this,
                            "standbyCrash",
                            "",
                            "when the nodes of standbys crash, whether their controllers are "
                            "active or not, and how long until they return: "
                            "TIME[,RESTART], and further pairs; 100ms if no RESTART is given"};

  private:
    using Crashes = std::vector<std::pair<Time, Time>>; //!< when, and how long until the restart

    /// @return an error if a crash is not a time, or not after the one before
    static std::string ReadCrashes(const TextOption& option, Crashes& crashes);

    Crashes m_crashes;        //!< of controllers
    Crashes m_standbyCrashes; //!< of standbys
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CONTROL_PLANE_SETTINGS_H
