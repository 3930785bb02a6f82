// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RAIL_CLUSTER_SPEC_H
#define PHOTONIC_RAILS_RAIL_CLUSTER_SPEC_H

#include "fabric-installer.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-topology.h"
#include "ns3/host-network-spec.h"
#include "ns3/ipv4-address.h"
#include "ns3/rail-fabric.h"
#include "ns3/scale-up-generation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The addresses of NIC ports on the fabric between domains: consecutive subnets of
 * 10.0.0.0/8, all of the same size, the smallest that holds the ports of one.
 *
 * There is a subnet for each rail, in order, or one for all ports if the fabric joins rails. The
 * ports of a subnet have the addresses from .1 on, in the order of the hosts of the fabric, so that
 * the ports behind a switch are a range.
 */
class RailSubnets
{
  public:
    /**
     * @param subnets number of subnets, at least 1
     * @param ports most NIC ports of a subnet, at least 1
     */
    RailSubnets(uint32_t subnets, uint64_t ports);

    /// @return true if 10.0.0.0/8 has room for the subnets; addresses are only valid then
    bool Fit() const;

    /// @return the mask of all subnets
    Ipv4Mask GetMask() const;

    /**
     * @param subnet a subnet
     * @param number a port of the subnet, from 0
     * @return its address
     */
    Ipv4Address GetAddress(uint32_t subnet, uint32_t number) const;

    /**
     * @param hosts NIC ports, in the order of a fabric
     * @param rails number of rails, which have the GPUs in turns; 1 if the fabric joins them
     * @return the addresses of the hosts; the subnet of a host is the rail of its GPU
     */
    std::vector<Ipv4Address> GetAddresses(const std::vector<FabricTopology::Host>& hosts,
                                          uint32_t rails) const;

  private:
    uint32_t m_subnets;
    uint32_t m_hostBits; //!< bits of an address behind the mask
};

/**
 * @brief The cluster that a RailClusterHelper is asked for: numbers, and the installers and
 * factories that hold the attributes of its devices.
 */
struct RailClusterSpec
{
    uint32_t domains{1};            //!< scale-up domains, without those of spare GPUs
    uint32_t gpusPerDomain{1};      //!< also the number of rails
    uint32_t processes{1};          //!< processes that share the run
    uint32_t nicPorts{2};           //!< NIC ports of a GPU
    DataRate portRate{"200Gbps"};   //!< line rate of a NIC port
    uint32_t spareRails{0};         //!< spare optical circuit switches
    Time protectionTime;            //!< how long fibers are dark that move to a spare switch
    uint32_t spareGpus{0};          //!< in each domain
    Time selectionTime;             //!< how long the fibers of a spare GPU are dark on their move
    uint32_t spareDomains{0};       //!< domains all of whose GPUs are spares
    uint32_t switchRadix{0};        //!< ports of an electrical switch; 0: the fabric's default
    FabricSpec fabric;              //!< oversubscription, and rate between switches
    std::optional<Time> spineDelay; //!< if none: that of the fibers to GPUs
    std::optional<Time> coreDelay;  //!< if none: that of the fibers to GPUs
    std::optional<ScaleUpGeneration> scaleUp;   //!< networks of the domains, if any
    std::optional<HostNetworkSpec> hostNetwork; //!< network of the hosts, if any
    OcsInstaller ocs;                           //!< optical circuit switches
    NicInstaller nic;                           //!< NICs on the fabric
    SideNetworkInstaller domainNetwork;         //!< switches and NICs of the domains' networks
    SideNetworkInstaller networkOfHosts;        //!< switches and NICs of the hosts' network
    FabricInstaller installer;      //!< electrical switches, and fibers between GPUs and the fabric
    std::optional<Time> fiberDelay; //!< of these fibers, unless it is the attribute's default

    /**
     * @param joining the rails that join the domains
     * @return an empty string, or one line with the reason why the cluster cannot be built
     */
    std::string Check(const RailFabric& joining) const;

    /**
     * @param electrical an electrical fabric
     * @return its topology, or the reason why there is none
     */
    FabricPlan GetPlan(const Variant<ElectricalFabric>& electrical) const;

    /**
     * @param joinsRails true if the fabric joins rails
     * @return the addresses of NIC ports; those of spare GPUs in domains are a subnet behind the
     * others
     */
    RailSubnets GetSubnets(bool joinsRails) const;

    /// @return scale-up domains, those of spare GPUs included
    uint32_t GetAllDomains() const
    {
        return domains + spareDomains;
    }

    /// @return spare GPUs that share a domain with other GPUs
    uint32_t CountSpareGpus() const
    {
        return domains * spareGpus;
    }

    /// @return delay of the fibers between GPUs and the fabric, unless a file states others
    Time GetFiberDelay() const;
    /// @param rails photonic rails @return ports of each optical circuit switch
    uint32_t GetOcsPorts(const RailFabric& rails = {}) const;

    /**
     * @param value of the attribute Delay of a fiber: a time, or text
     * @return the time
     */
    static Time ToFiberDelay(const AttributeValue& value);

  private:
    /// @return an empty string, or the reason why OCSes cannot join the ports of a rail
    std::string CheckOcs(const RailFabric& rails) const;
    /// @return an empty string, or the error in the spare GPUs
    std::string CheckSpareGpus(const RailFabric& joining) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RAIL_CLUSTER_SPEC_H
