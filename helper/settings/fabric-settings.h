// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_SETTINGS_H
#define PHOTONIC_RAILS_FABRIC_SETTINGS_H

#include "host-network-settings.h"

#include "ns3/flag.h"
#include "ns3/light-path-check.h"
#include "ns3/rail-cluster-helper.h"

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

    /// @param cmd gets a flag for each setting but those below
    void AddFlags(CommandLine& cmd);
    /// @param cmd gets the flag for the fabric
    void AddFabricFlag(CommandLine& cmd);

    /// @param cmd gets the flags for a network of the hosts
    void AddHostNetworkFlags(CommandLine& cmd);
    /// @param latency between a GPU and its host, if there is such a network; 1 us by default
    void SetHostLatency(Time latency);

    /// @param cmd gets the flag for networks in scale-up domains
    void AddScaleUpFlag(CommandLine& cmd);
    /// @return what the flag for networks in scale-up domains is, the same in all programs
    static std::string GetScaleUpHelp();
    /// @return what all programs allow it to be
    static std::string GetScaleUpChoices();

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

    /**
     * @brief What the light paths through the switches allow.
     * @param domains scale-up domains
     * @return a check, after Check; of a fabric that is not photonic everything passes
     */
    LightPathCheck MakeLightPathCheck(uint32_t domains) const;

    /**
     * @brief Check the attributes of electrical switches, which takes a cluster that is built and
     * torn down again; none is built if it has no such switches.
     * @param domains scale-up domains
     * @return an empty string, or one line that names a switch and what does not fit together
     */
    std::string CheckSwitches(uint32_t domains) const;

    /// @return flags and values that matter for the result, but for the fabric
    std::vector<std::pair<std::string, std::string>> GetList() const;

    /// @return what holds for the flags that were not given, after Check
    std::vector<std::pair<std::string, std::string>> GetDerived() const;

    /**
     * @param domains scale-up domains
     * @return a helper that builds the cluster
     */
    RailClusterHelper MakeClusterHelper(uint32_t domains) const;

    /// @return the name of what joins the domains
    const std::string& GetName() const;
    /// @return what joins the domains
    RailFabric GetFabric() const;
    /// @return the name in a sentence: "photonic rails", "leaf-spine"
    std::string Describe() const;
    /// @param fabric as if the flag had been given
    void SetName(const std::string& fabric);
    /// @return true if the rails are optical circuit switches
    bool IsPhotonic() const;
    /// @param scaleUp as if the flag had been given
    void SetScaleUp(const std::string& scaleUp);
    /// @return true if scale-up domains are networks
    bool HasScaleUpNetwork() const;
    /// @return the network of the hosts
    const HostNetworkSettings& GetHostNetwork() const;
    /// @return the congestion control, or an empty string if there is none
    std::string GetCongestionControl() const;
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
    /// @return an error if a rate is wrong; sets them
    std::string CheckRates();
    /// @return an error if the size of the mesh is wrong; sets it
    std::string CheckMesh();
    /// @return an error if the oversubscription is wrong; sets it
    std::string CheckOversubscription();

    CountFlag m_gpusPerDomain;
    ChoiceFlag m_fabric;
    ChoiceFlag m_ocs;
    Flag m_mesh{"mesh", ""};
    TimeFlag m_reconfigDelay;
    CountFlag m_nicPorts{"nicPorts", 2};
    Flag m_portRate;
    TimeFlag m_hopLatency;
    TimeFlag m_fibreDelay;
    TimeFlag m_spineDelay;
    TimeFlag m_coreDelay;
    CountFlag m_switchRadix{"switchRadix", 0, 0, 4096};
    Flag m_oversubscription{"oversubscription", "1:1"};
    Flag m_fabricRate{"fabricRate", ""};
    Flag m_scaleUp{"scaleUp", "none"};
    HostNetworkSettings m_hostNetwork;
    ChoiceFlag m_congestionControl;
    ChoiceFlag m_lossRecovery;
    ChoiceFlag m_detail;
    bool m_pfc{true};
    bool m_ecn{true};

    Time m_hostLatency{MicroSeconds(1)};

    // what Check has made of them
    DataRate m_portDataRate;
    DataRate m_fabricDataRate{0}; //!< 0 stands for that of the NIC ports
    uint32_t m_down{1};
    uint32_t m_up{1};
    uint32_t m_meshRows{9};
    uint32_t m_meshColumns{9};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_SETTINGS_H
