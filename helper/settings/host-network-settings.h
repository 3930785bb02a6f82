// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_HOST_NETWORK_SETTINGS_H
#define PHOTONIC_RAILS_HOST_NETWORK_SETTINGS_H

#include "ns3/option-group.h"

namespace ns3
{

/// The settings of a network of the hosts.
class HostNetworkSettings : public OptionGroup
{
  public:
    /// @param parent the group that has this one as a member
    explicit HostNetworkSettings(OptionGroup* parent)
        : OptionGroup(parent)
    {
        threshold.Needs({rate.IsUsed()});
    }

    /// @return true if there is such a network, after Check
    bool IsGiven() const
    {
        return rate.Get().GetBitRate() > 0;
    }

    /// @return bytes from which on a call is bulk; 0 without such a network
    uint64_t GetThreshold() const
    {
        return IsGiven() ? threshold.Get() : 0;
    }

    /// Line rate of the NIC of a host; 0 without such a network.
    RateOption rate{this,
                    "hostNetwork",
                    "none",
                    {"none"},
                    "packet-switched network of the hosts beside the rails, for what is small or "
                    "across rails: the line rate of a host's NIC, or none"};
    /// Size from which on a call is bulk.
    BytesOption threshold{
        this,
        "hostThreshold",
        "1M",
        {0},
        OptionHelp("calls of fewer bytes take the host network, if there is one; 0: only what "
                   "the fabric cannot join")
            .Sets("ns3::OpusShim::HostThreshold")
            .Sets("ns3::AlwaysConnected::HostThreshold")};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_HOST_NETWORK_SETTINGS_H
