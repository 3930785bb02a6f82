// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RAIL_CLUSTER_HELPER_H
#define PHOTONIC_RAILS_RAIL_CLUSTER_HELPER_H

#include "rail-cluster-spec.h"
#include "rail-cluster.h"

#include "ns3/ipv4-interface-container.h"
#include "ns3/trace-helper.h"

#include <string>

namespace ns3
{

/**
 * @brief Builds scale-up domains of GPUs and joins them by a fabric.
 *
 * The fabric is a rail of optical circuits (all dark at first) or of electrical switches for the
 * GPUs of equal number, or a network of electrical switches; hosts, NICs and their fibers are the
 * same with all of them. For electrical fabrics see ElectricalFabric.
 *
 * EnablePcap and EnableAscii of the base classes take any EthernetPortNetDevice, of NICs and of
 * switches, and pass over other devices: a port of an OCS has no frames of its own, they pass it as
 * light. A port that is traced goes back to packets, which changes no times; see FiberCapture and
 * FiberAscii.
 */
class RailClusterHelper : public PcapHelperForDevice, public AsciiTraceHelperForDevice
{
  public:
    /**
     * @param domains scale-up domains, at least 1
     * @param gpusPerDomain GPUs of each, at least 1; also the number of rails
     */
    void SetDomains(uint32_t domains, uint32_t gpusPerDomain)
    {
        m_spec.domains = domains;
        m_spec.gpusPerDomain = gpusPerDomain;
    }

    /**
     * @brief Share the run between processes, see RailPartition; every process builds all of it.
     * @param processes at most one a rail; 1 by default
     */
    void SetProcesses(uint32_t processes)
    {
        m_spec.processes = processes;
    }

    /**
     * @param ports NIC ports of a GPU: 1, 2 or 4
     * @param portRate line rate of each
     */
    void SetNic(uint32_t ports, DataRate portRate)
    {
        m_spec.nicPorts = ports;
        m_spec.portRate = portRate;
    }

    /// @param technology of the OCSes, by name; polatis by default
    void SetOcs(const Variant<OcsTechnology>& technology)
    {
        m_spec.ocs.technology = technology;
    }

    /// Set an attribute of every OpticalCircuitSwitch, after the technology has set its own. Every
    /// switch gets a copy of the CircuitFabric that the attribute Fabric holds.
    void SetOcsAttribute(const std::string& name, const AttributeValue& value)
    {
        m_spec.ocs.attributes.Set(name, value);
    }

    /// @param rails photonic rails @return a switch as every rail would have, on no node
    Ptr<OpticalCircuitSwitch> MakeOcs(const RailFabric& rails = {}) const
    {
        const uint32_t ports = m_spec.GetOcsPorts(rails);
        return m_spec.ocs.Create(ports, m_spec.ocs.MakeFabric(ports));
    }

    /**
     * @brief Have optical circuit switches that take the place of those that fail.
     * @param spares number of spares; any rail can be moved to each
     * @param protectionTime time for which its fibers are dark then
     */
    void SetSpareRails(uint32_t spares, Time protectionTime)
    {
        m_spec.spareRails = spares;
        m_spec.protectionTime = protectionTime;
    }

    /**
     * @brief Keep GPUs that no rank is on at first. On photonic rails, in one process, without a
     * host network, and not beside spare rails or spare domains.
     * @param perDomain in each scale-up domain, each with a NIC that a FiberSelector leads to any
     * rail (straight there if there is one only), and a port on the network of the domain
     * @param selectionTime time for which its fibers are dark when they are led to a rail
     */
    void SetSpareGpus(uint32_t perDomain, Time selectionTime)
    {
        m_spec.spareGpus = perDomain;
        m_spec.selectionTime = selectionTime;
    }

    /**
     * @brief Keep whole scale-up domains whose GPUs are spares, behind the others. In one process.
     * @param domains number of domains
     */
    void SetSpareDomains(uint32_t domains)
    {
        m_spec.spareDomains = domains;
    }

    /**
     * @brief Limit the ports of an electrical switch.
     *
     * If it has not been set, the switch of an electrical rail is as large as its rail, and the
     * switches of other fabrics have 64 ports.
     * @param radix ports, at least 1
     */
    void SetSwitchRadix(uint32_t radix);

    /**
     * @brief Oversubscribe leaves, or edge switches; by default they are not.
     * @param down bandwidth to hosts is at most down : up times
     * @param up that to the next tier; both from 1 to 1000
     */
    void SetOversubscription(uint32_t down, uint32_t up)
    {
        m_spec.fabric.down = down;
        m_spec.fabric.up = up;
    }

    /// @param rate of links between switches; by default that of NIC ports
    void SetFabricLinkRate(DataRate rate)
    {
        m_spec.fabric.fabricRate = rate;
    }

    /**
     * @brief Set the propagation delay between switches; by default that of the fibers to GPUs.
     * @param spine from tier 1 to tier 2
     * @param core from tier 2 to tier 3
     */
    void SetFabricDelay(Time spine, Time core);

    /// @param base number that all switches take the seed of their flow hash from; 0 by default
    void SetEcmpSeed(uint32_t base)
    {
        m_spec.installer.ecmpSeed = base;
    }

    /// Set an attribute of every ElectricalSwitch of the fabric.
    void SetSwitchAttribute(const std::string& name, const AttributeValue& value)
    {
        m_spec.installer.switches.Set(name, value);
    }

    /**
     * @brief Make a network of every scale-up domain, see ScaleUpGeneration.
     * @param name of a generation, or of a GPU
     * @return false if there is no such generation
     */
    bool SetScaleUp(const std::string& name);

    /// @param generation one that is no preset
    void SetScaleUp(const ScaleUpGeneration& generation)
    {
        m_spec.scaleUp = generation;
    }

    /// Set an attribute of every ElectricalSwitch of a scale-up domain, after the generation.
    void SetScaleUpSwitchAttribute(const std::string& name, const AttributeValue& value)
    {
        m_spec.domainNetwork.switches.Set(name, value);
    }

    /// Set an attribute of every RdmaQueuePair of a scale-up domain.
    void SetScaleUpQueuePairAttribute(const std::string& name, const AttributeValue& value)
    {
        m_spec.domainNetwork.nics.queuePair.Set(name, value);
    }

    /// @param spec of a network of the hosts, apart from that of the GPUs; by default there is none
    void SetHostNetwork(const HostNetworkSpec& spec)
    {
        m_spec.hostNetwork = spec;
    }

    /// @param nicRate line rate of the NIC of every host, all else as in HostNetworkSpec
    void SetHostNetwork(DataRate nicRate)
    {
        m_spec.hostNetwork.emplace().nicRate = nicRate;
    }

    /// Set an attribute of every ElectricalSwitch of the host network, hosts included.
    void SetHostNetworkSwitchAttribute(const std::string& name, const AttributeValue& value)
    {
        m_spec.networkOfHosts.switches.Set(name, value);
    }

    /// Set an attribute of every RdmaQueuePair of the host network.
    void SetHostNetworkQueuePairAttribute(const std::string& name, const AttributeValue& value)
    {
        m_spec.networkOfHosts.nics.queuePair.Set(name, value);
    }

    /// Set an attribute of every RdmaNic, of those of scale-up domains and on hosts too.
    void SetNicAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of every OpticalFiberLink between a GPU and the fabric.
    void SetFiberAttribute(const std::string& name, const AttributeValue& value);

    /// Set an attribute of every RdmaQueuePair on the fabric.
    void SetQueuePairAttribute(const std::string& name, const AttributeValue& value)
    {
        m_spec.nic.queuePair.Set(name, value);
    }

    /// Set an attribute of every RdmaCongestionControl on the fabric between domains, all of the
    /// type that the attribute CongestionControl of the queue pairs names.
    void SetCongestionControlAttribute(const std::string& name, const AttributeValue& value)
    {
        m_spec.nic.congestionControl.Set(name, value);
    }

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
     * @brief Check the settings.
     * @param fabric the rails that join the domains: the radix limits the size of each
     * @return an empty string, or one line with the error
     */
    std::string Check(const RailFabric& fabric) const
    {
        return m_spec.Check(fabric);
    }

    /**
     * @brief The electrical fabric that would be built, to count its switches and links.
     * @param fabric by name
     * @return its topology, or why there is none
     */
    FabricPlan GetPlan(const Variant<ElectricalFabric>& fabric) const
    {
        return m_spec.GetPlan(fabric);
    }

    /**
     * @brief Build the cluster; aborts if Check finds an error.
     * @param fabric the rails that join the domains
     * @return the cluster
     */
    RailCluster Install(const RailFabric& fabric) const;

    /// @return a cluster with an OCS per rail
    RailCluster InstallPhotonic() const
    {
        return Install(RailFabric());
    }

    /**
     * @param fabric by name, such as leaf-spine; by default an electrical switch per rail
     * @return a cluster with electrical switches
     */
    RailCluster InstallElectrical(const Variant<ElectricalFabric>& fabric = "electrical") const
    {
        return Install(fabric);
    }

    /**
     * @brief Give all GPUs IPv4 stacks beside RDMA, on the ports of their NICs, with the addresses
     * of the NICs. There is a subnet of 10.0.0.0/8 for each rail, or one for all rails if the
     * fabric joins them (see RailCluster::GetSubnetMask). Packets of ns-3's applications then share
     * the ports with RDMA. Nodes that have a stack keep that stack.
     *
     * Neighbours are found by ARP through electrical switches. On circuits, the MAC addresses of
     * all ports of a rail are known, and routes follow the circuits (see CircuitNeighbours).
     * @param cluster the cluster
     * @return the interfaces, in the order of RailCluster::GetNicPorts, then those of spare GPUs
     */
    static Ipv4InterfaceContainer InstallInternet(const RailCluster& cluster);

    /**
     * @brief Give the random numbers of all electrical switches streams of their own.
     * @param cluster with the switches
     * @param first stream
     * @return streams that have been given away
     */
    static int64_t AssignStreams(const RailCluster& cluster, int64_t first);

  private:
    // inherited from PcapHelperForDevice
    void EnablePcapInternal(std::string prefix,
                            Ptr<NetDevice> device,
                            bool promiscuous,
                            bool explicitFilename) override;

    // inherited from AsciiTraceHelperForDevice
    void EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                             std::string prefix,
                             Ptr<NetDevice> device,
                             bool explicitFilename) override;

    RailClusterSpec m_spec;
    uint32_t m_pcapSnapLength{65535};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RAIL_CLUSTER_HELPER_H
