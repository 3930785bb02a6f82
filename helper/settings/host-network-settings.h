// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_HOST_NETWORK_SETTINGS_H
#define PHOTONIC_RAILS_HOST_NETWORK_SETTINGS_H

#include "ns3/data-rate.h"
#include "ns3/flag.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// The settings of a network of the hosts, as flags give them.
class HostNetworkSettings
{
  public:
    HostNetworkSettings();

    /// @param cmd gets a flag for each setting
    void AddFlags(CommandLine& cmd);

    /**
     * @brief Check all settings and work out what the getters below return.
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check();

    /// @return flags and values
    std::vector<std::pair<std::string, std::string>> GetList() const;

    /// @return true if there is such a network
    bool IsGiven() const;
    /// @return line rate of the NIC of a host, as text
    const std::string& GetRateText() const;
    /// @return line rate of the NIC of a host
    DataRate GetRate() const;
    /// @return bytes from which on a call is bulk; 0 without such a network
    uint64_t GetThreshold() const;

  private:
    Flag m_network{"hostNetwork", "none"};
    BytesFlag m_threshold;
    DataRate m_rate{0}; //!< what Check has made of it; 0 if there is no network
};

} // namespace ns3

#endif // PHOTONIC_RAILS_HOST_NETWORK_SETTINGS_H
