// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_HOST_NETWORK_SPEC_H
#define PHOTONIC_RAILS_HOST_NETWORK_SPEC_H

#include "fabric-topology.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @brief The packet-switched network of hosts, in addition to the rails, for small and bursty
 * traffic.
 *
 * Every scale-up domain has one host, and every host has one NIC. Each GPU has a port on its host
 * over a link like PCIe. The host is a switch that connects these ports and the NIC, whose
 * bandwidth the GPUs share. The NICs of all hosts are on one switch, or on a folded Clos network
 * without oversubscription if a switch has too few ports (see ClosShape).
 *
 * Limitations: all links have RoCEv2 packets instead of PCIe packets, and PFC instead of PCIe
 * credits. GPUs write to each other across the bridges of the host (GPUDirect RDMA); the memory and
 * processor of the host add no delay.
 */
struct HostNetworkSpec
{
    DataRate nicRate; //!< rate of the NIC of a host, above 0
    /// Rate of the link between a GPU and its host, in each direction. An assumption: PCIe 4.0 x16
    /// has 16 lanes of 16 GT/s in 128b/130b, 252 Gbit/s, less headers and flow control.
    DataRate gpuRate{200000000000};
    Time gpuDelay{MicroSeconds(1)};    //!< delay of the link between a GPU and its host
    Time cableDelay{NanoSeconds(100)}; //!< delay between host and switch, and between switches
    uint32_t radix{64};                //!< ports of a switch

    /**
     * @param domains scale-up domains
     * @param gpusPerDomain GPUs of each domain
     * @return an empty string, or one line with the error
     */
    std::string Check(uint32_t domains, uint32_t gpusPerDomain) const;

    /**
     * @brief Describe the network, see FabricTopology.
     * @param domains scale-up domains
     * @param gpusPerDomain GPUs of each domain
     * @return the topology, or an error. The hosts of the domains are switches of tier 0, followed
     * by the switches of the network; the topology's hosts are the ports of the GPUs in order
     */
    FabricPlan Build(uint32_t domains, uint32_t gpusPerDomain) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_HOST_NETWORK_SPEC_H
