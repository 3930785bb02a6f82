// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAULT_SETTINGS_H
#define PHOTONIC_RAILS_FAULT_SETTINGS_H

#include "ns3/fault-plan.h"
#include "ns3/option-group.h"
#include "ns3/opus-helper.h"
#include "ns3/recovery-protocol.h"

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
     * @param needsOne a feature that needs one controller for all rails
     */
    void DeriveControllers(bool needsOne);

    /// Set up crashes, losses and the standby. @param opus before its Install
    void Apply(OpusHelper& opus) const;

    /// @return true if each rail, or set of rails, has a controller of its own, after
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
                     "when controllers crash, and how long until their processes are back: "
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

class OpusHelper;
class RailClusterHelper;

/// The faults of a run, spare switches, and detection times.
class FaultSettings : public OptionGroup
{
  public:
    /// @param parent the group that has this one as a member
    explicit FaultSettings(OptionGroup* parent);

    /**
     * @brief Read the given faults and draw random faults, when each option has been checked.
     * @param scope components of the run, without spares
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check(FaultScope scope);

    /// @return true if something breaks, after Check
    bool IsGiven() const
    {
        return !m_faults.empty();
    }

    /// @return true if a fault or a rate of faults is given
    bool IsAsked() const
    {
        return fault.IsSet() || rate.IsSet();
    }

    /// @return true if something breaks or stands by, after Check
    bool IsUsed() const
    {
        return IsAsked() || HasSpares();
    }

    /// @return true if there are spare rails, after Check
    bool HasSpares() const
    {
        return spares.Get() > 0;
    }

    /// @return the faults, after Check
    const std::vector<Fault>& Get() const
    {
        return m_faults;
    }

    /// @param opus looks for faults, if there are any
    void Apply(OpusHelper& opus) const;

    /// @param cluster gets spares
    void Apply(RailClusterHelper& cluster) const;

    OptionHeading heading{this, "faults"};
    TextOption fault{
        this,
        "fault",
        "",
        "what breaks, KIND:TARGET@TIME or KIND:TARGET@TIME+DURATION in a row; kinds are " +
            FaultPlan::GetForms()};
    TextOption rate{
        this,
        "faultRate",
        "",
        "what breaks at random moments, KIND:RATE@END or KIND:RATE@END+DURATION in a row: "
        "faults per component and second, before END"};
    NumberOption linkLoss{
        this,
        "linkLoss",
        "0",
        {0, 0.5},
        OptionHelp("share of the frames that is lost on each link of an electrical fabric")
            .Decides("ns3::FabricRerouter::LossRate")};
    CountOption spares{this,
                       "spareRails",
                       0,
                       {0, 16},
                       "optical circuit switches that take the place of failed ones, 0 to 16"};
    TimeOption protectionTime{this,
                              "protectionTime",
                              "",
                              {"0s", "10s", "10ms"},
                              OptionHelp("how long fibers are dark that are led to a spare")
                                  .SetsWithDefault("ns3::ProtectionSwitch::ProtectionTime")};
    TimeOption detectionTime{this,
                             "detectionTime",
                             "",
                             {"1us", "10s", "30ms"},
                             OptionHelp("how long something is gone until it is taken to be broken")
                                 .SetsWithDefault("ns3::RecoveryHost::DetectionTime")};

  private:
    std::vector<Fault> m_faults;
};

class RailClusterHelper;
class RecoveryHelper;

/// Spare GPUs, and the durations of the steps of a recovery.
class SpareSettings : public OptionGroup
{
  public:
    /// @param parent the group that has this one as a member
    explicit SpareSettings(OptionGroup* parent);

    /// @return the condition that there are spare domains
    OptionNeed NeedsSpareDomains() const
    {
        return m_domains.IsUsed();
    }

    /// @return an empty string, or one line that names the flag and the allowed values
    std::string Check();

    /// @return true if there are spare GPUs, after Check
    bool IsGiven() const
    {
        return m_gpus.Get() > 0 || m_domains.Get() > 0;
    }

    /// @return spare GPUs among so many domains of so many GPUs, after Check
    uint32_t Count(uint32_t domains, uint32_t gpusPerDomain) const
    {
        return domains * m_gpus.Get() + gpusPerDomain * m_domains.Get();
    }

    /// @return the rule by which GPUs are replaced, after Check
    SparePool::Policy GetPolicy() const;

    /// @param cluster gets spares
    void Apply(RailClusterHelper& cluster) const;
    /// @param recovery gets times and policy
    void Apply(RecoveryHelper& recovery) const;

  private:
    /// Limits of the duration of a step of a recovery.
    static constexpr TimeLimits STEP{"0s", "3600s", "50ms"};

    OptionHeading m_heading{this, "spares"};
    CountOption m_gpus{this,
                       "spareGpus",
                       0,
                       {0, 16},
                       "spare GPUs in each scale-up domain, on photonic rails, 0 to 16"};
    CountOption m_domains{this,
                          "spareDomains",
                          0,
                          {0, 4096},
                          "further scale-up domains all of whose GPUs are spares, 0 to 4096"};
    ChoiceOption m_recovery{
        this,
        "recovery",
        "",
        {"spare", "rail", "migration"},
        "what takes the place of a lost GPU: a spare of its domain (default with --spareGpus), "
        "rail: one on the same rail in another domain (default with --spareDomains), or migration "
        "of all ranks to idle domains"};
    TimeOption m_selectionTime{
        this,
        "selectionTime",
        "",
        STEP,
        OptionHelp("how long the fibers of a spare are dark that are led to a rail")
            .SetsWithDefault("ns3::FiberSelector::SelectionTime")};
    TimeOption m_abortTime{this,
                           "abortTime",
                           "",
                           STEP,
                           OptionHelp("what it takes a GPU to leave the groups of the job")
                               .SetsWithDefault("ns3::RecoveryAgent::AbortTime")};
    TimeOption m_processTime{this,
                             "processTime",
                             "",
                             STEP,
                             OptionHelp("what it takes the framework to begin a rank anew")
                                 .SetsWithDefault("ns3::RecoveryAgent::ProcessTime")};
    TimeOption m_communicatorTime{
        this,
        "communicatorTime",
        "",
        STEP,
        OptionHelp("what it takes a rank to make the communicator of a group")
            .SetsWithDefault("ns3::RecoveryAgent::CommunicatorTime")};
    RateOption m_stateRate{this,
                           "stateRate",
                           "",
                           {},
                           OptionHelp("rate at which a rank loads its weights and optimizer state")
                               .SetsWithDefault("ns3::RecoveryAgent::StateRate")};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAULT_SETTINGS_H
