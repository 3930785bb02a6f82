// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RAIL_CLUSTER_SPEC_H
#define PHOTONIC_RAILS_RAIL_CLUSTER_SPEC_H

#include "fabric-installer.h"
#include "ocs-installer.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-topology.h"
#include "ns3/host-network-spec.h"
#include "ns3/object-factory.h"
#include "ns3/rail-fabric.h"
#include "ns3/scale-up-generation.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

class RailSubnets;

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
    Time protectionTime;            //!< how long fibres are dark that move to a spare switch
    uint32_t spareGpus{0};          //!< in each domain
    Time selectionTime;             //!< how long the fibres of a spare GPU are dark on their move
    uint32_t spareDomains{0};       //!< domains all of whose GPUs are spares
    uint32_t switchRadix{0};        //!< ports of an electrical switch; 0: the fabric's default
    uint32_t ecmpSeed{0};           //!< seed for the flow hashes of all switches
    FabricSpec fabric;              //!< oversubscription, arity, and rate between switches
    std::optional<Time> spineDelay; //!< if none: that of the fibres to GPUs
    std::optional<Time> coreDelay;  //!< if none: that of the fibres to GPUs
    std::optional<ScaleUpGeneration> scaleUp;   //!< networks of the domains, if any
    std::optional<HostNetworkSpec> hostNetwork; //!< network of the hosts, if any
    OcsInstaller ocs;                           //!< optical circuit switches
    NicInstaller nic;                           //!< NICs on the fabric
    SideNetworkInstaller domainNetwork;         //!< switches and NICs of the domains' networks
    SideNetworkInstaller networkOfHosts;        //!< switches and NICs of the hosts' network
    ObjectFactory switchFactory{"ns3::ElectricalSwitch"}; //!< electrical switches of the fabric
    ObjectFactory fibreFactory{"ns3::OpticalFibreLink"};  //!< fibres between GPUs and the fabric
    std::optional<Time> fibreDelay; //!< of these fibres, unless it is the attribute's default

    /**
     * @param joining what shall join the domains
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

    /// @return delay of the fibres between GPUs and the fabric, unless a file states others
    Time GetFibreDelay() const;
    /// @param rails photonic rails @return ports of each optical circuit switch
    uint32_t GetOcsPorts(const RailFabric& rails = {}) const;

    /**
     * @param value of the attribute Delay of a fibre: a time, or text
     * @return the time
     */
    static Time ToFibreDelay(const AttributeValue& value);

  private:
    /// @return an empty string, or the reason why OCSes cannot join the ports of a rail
    std::string CheckOcs(const RailFabric& rails) const;
    /// @return an empty string, or what is wrong with the spare GPUs
    std::string CheckSpareGpus(const RailFabric& joining) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RAIL_CLUSTER_SPEC_H
