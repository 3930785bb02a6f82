// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_SETTINGS_H
#define PHOTONIC_RAILS_FABRIC_SETTINGS_H

#include "flag.h"
#include "rail-cluster-helper.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// The settings of hosts, NICs and fabric, as flags give them: the same for all programs.
class FabricSettings
{
  public:
    /**
     * @param gpusPerDomain the default of the flag
     * @param portRate the default of the flag
     */
    FabricSettings(uint32_t gpusPerDomain, const std::string& portRate);

    /// @param cmd gets a flag for each setting
    void AddFlags(CommandLine& cmd);

    /**
     * @brief Check all settings and work out what the getters below return.
     * @return an empty string, or one line that names the flag and the allowed values
     */
    std::string Check();

    /**
     * @brief Check that the NICs have enough ports for a ring.
     * @param ranks GPUs on one rail, in ring order
     * @return an empty string, or one line that names the flag; always empty if light is not lent
     */
    std::string CheckRing(const std::vector<uint32_t>& ranks) const;

    /// @return flags and values that matter for the result, but for the fabric
    std::vector<std::pair<std::string, std::string>> GetList() const;

    /**
     * @param domains scale-up domains
     * @return a helper that builds the cluster
     */
    RailClusterHelper MakeClusterHelper(uint32_t domains) const;

    /**
     * @brief Build the cluster on the fabric that was chosen.
     * @param helper from MakeClusterHelper
     * @return the cluster
     */
    RailCluster Install(const RailClusterHelper& helper) const;

    /// @return what connects the GPUs: "photonic" or "electrical"
    const std::string& GetName() const;
    /// @param fabric as if the flag had been given
    void SetName(const std::string& fabric);
    /// @return the names of all fabrics
    static std::vector<std::string> GetNames();
    /// @return true if the rails are optical circuit switches
    bool IsPhotonic() const;
    /// @return the OCS technology
    const std::string& GetOcs() const;
    /// @return the reconfiguration delay in force, as text
    std::string GetReconfigurationDelay() const;
    /// @return GPUs of a scale-up domain
    uint32_t GetGpusPerDomain() const;
    /// @return ports of a NIC
    uint32_t GetNicPorts() const;
    /// @return line rate of a NIC port, as text
    const std::string& GetPortRateText() const;
    /// @return line rate of a NIC port
    DataRate GetPortRate() const;

  private:
    CountFlag m_gpusPerDomain;
    ChoiceFlag m_fabric;
    Flag m_ocs{"ocs", "polatis"};
    TimeFlag m_reconfigDelay;
    CountFlag m_nicPorts{"nicPorts", 2};
    Flag m_portRate;
    TimeFlag m_hopLatency;
    TimeFlag m_fibreDelay;

    DataRate m_portDataRate; //!< what Check has made of the flag
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_SETTINGS_H
