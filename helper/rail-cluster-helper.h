// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RAIL_CLUSTER_HELPER_H
#define PHOTONIC_RAILS_RAIL_CLUSTER_HELPER_H

#include "rail-cluster.h"

#include "ns3/data-rate.h"
#include "ns3/object-factory.h"
#include "ns3/trace-helper.h"

#include <string>

namespace ns3
{

class FibreNetDevice;

/**
 * @brief Builds scale-up domains of GPUs and joins the GPUs of equal number by rails.
 *
 * The rails are optical circuit switches (all dark at first) or electrical switches; hosts, NICs
 * and fibres are the same either way.
 */
class RailClusterHelper : public PcapHelperForDevice
{
  public:
    RailClusterHelper();

    /**
     * @param domains scale-up domains, at least 1
     * @param gpusPerDomain GPUs of each, at least 1; also the number of rails
     */
    void SetDomains(uint32_t domains, uint32_t gpusPerDomain);

    /**
     * @param ports NIC ports of a GPU: 1, 2 or 4
     * @param portRate line rate of each
     */
    void SetNic(uint32_t ports, DataRate portRate);

    /**
     * @brief Choose the technology of the OCSes.
     * @param technology a name of OcsTechnology
     * @return false if there is no such technology
     */
    bool SetOcs(const std::string& technology);

    /// Set an attribute of every OpticalCircuitSwitch, after the technology has set its own.
    void SetOcsAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of every ElectricalSwitch.
    void SetSwitchAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of every FibreChannel between a GPU and its rail.
    void SetFibreAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of every RdmaQueuePair.
    void SetQueuePairAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Cut the packets of captures short.
     *
     * By default captures hold whole packets, because Wireshark takes a packet without its last
     * bytes, the ICRC, for malformed. Simulated payload is zeros: 96 bytes hold all headers, and
     * acknowledgements in full, which is enough for most analyses and a fortieth of the size.
     * @param bytes bytes kept of each packet, at least 96
     */
    void SetPcapSnapLength(uint32_t bytes);

    /**
     * @brief Check what has been set.
     * @param photonic whether rails shall be optical: their radix limits the domains
     * @return an empty string, or what is wrong with it
     */
    std::string Check(bool photonic) const;

    /// @return a cluster with an OCS per rail
    RailCluster InstallPhotonic() const;
    /// @return a cluster with an electrical switch per rail
    RailCluster InstallElectrical() const;

  private:
    // inherited from PcapHelperForDevice
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> device,
                            bool promiscuous,
                            bool explicitFilename) override;

    /// @return an OCS with the technology and the attributes that have been set
    Ptr<OpticalCircuitSwitch> CreateOcs() const;
    /// @return a cluster with rail nodes and GPUs with NICs, not yet cabled
    RailCluster InstallHosts() const;
    /// Join two devices by a fibre.
    void Connect(Ptr<FibreNetDevice> a, Ptr<FibreNetDevice> b) const;

    uint32_t m_domains{1};
    uint32_t m_gpusPerDomain{1};
    uint32_t m_nicPorts{2};
    DataRate m_portRate{"200Gbps"};
    uint32_t m_pcapSnapLength{65535};
    std::string m_technology{"polatis"};
    ObjectFactory m_portFactory;
    ObjectFactory m_switchFactory;
    ObjectFactory m_fibreFactory;
    std::vector<std::pair<std::string, Ptr<const AttributeValue>>> m_ocsAttributes;
    std::vector<std::pair<std::string, Ptr<const AttributeValue>>> m_queuePairAttributes;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RAIL_CLUSTER_HELPER_H
