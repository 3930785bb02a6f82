// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAULT_SETTINGS_H
#define PHOTONIC_RAILS_FAULT_SETTINGS_H

#include "ns3/fault-plan.h"
#include "ns3/option-group.h"

#include <string>
#include <vector>

namespace ns3
{

class OpusHelper;
class RailClusterHelper;

/// What breaks in a run, what stands by for that, and how soon it is noticed.
class FaultSettings : public OptionGroup
{
  public:
    /// @param parent the group that has this one as a member
    explicit FaultSettings(OptionGroup* parent);

    /**
     * @brief Read the faults, and draw those that are drawn, when each option has been checked.
     * @param scope what there is, but for spares
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check(FaultScope scope);

    /// @return true if something breaks, after Check
    bool IsGiven() const
    {
        return !m_faults.empty();
    }

    /// @return true if something breaks or stands by, after Check
    bool IsUsed() const
    {
        return m_fault.IsSet() || m_rate.IsSet() || HasSpares();
    }

    /// @return true if there are spare rails, after Check
    bool HasSpares() const
    {
        return m_spares.Get() > 0;
    }

    /// @return how long something is gone until it is missed, after Check
    Time GetDetectionTime() const
    {
        return m_detectionTime.Get();
    }

    /// @return what breaks, after Check
    const std::vector<Fault>& Get() const
    {
        return m_faults;
    }

    /// @param opus looks for faults, if there are any
    void Apply(OpusHelper& opus) const;

    /// @param cluster gets spares
    void Apply(RailClusterHelper& cluster) const;

  private:
    OptionHeading m_heading{this, "faults"};
    TextOption m_fault{
        this,
        "fault",
        "",
        "what breaks, KIND:TARGET@TIME or KIND:TARGET@TIME+DURATION in a row; kinds are "
        "ocs:SWITCH, ocs-port:SWITCH/PORT, nic-port:GPU/PORT, gpu:GPU, shim:GPU"};
    TextOption m_rate{
        this,
        "faultRate",
        "",
        "what breaks at random moments, KIND:RATE@END or KIND:RATE@END+DURATION in a row: "
        "faults per component and second, before END"};
    CountOption m_spares{this,
                         "spareRails",
                         0,
                         {0, 16},
                         "optical circuit switches that take the place of failed ones, 0 to 16"};
    TimeOption m_protectionTime{this,
                                "protectionTime",
                                "10ms",
                                {"0s", "10s", "10ms"},
                                OptionHelp("how long fibres are dark that are led to a spare")
                                    .Sets("ns3::ProtectionSwitch::ProtectionTime")};
    TimeOption m_detectionTime{
        this,
        "detectionTime",
        "30ms",
        {"1us", "10s", "30ms"},
        OptionHelp("how long something is gone until it is taken to be broken")
            .Sets("ns3::RecoveryHost::DetectionTime")};
    std::vector<Fault> m_faults;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAULT_SETTINGS_H
