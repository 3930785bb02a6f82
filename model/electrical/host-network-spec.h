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
 * @brief The packet-switched network of hosts, beside the rails, for small and bursty traffic.
 *
 * Every scale-up domain has one host, and every host one NIC. A GPU has a port of its own on its
 * host, over a link like PCIe; the host is a switch that joins these ports and the NIC, whose
 * bandwidth its GPUs share. The NICs of all hosts are on one switch, or on a folded Clos network
 * without oversubscription when there are more of them than a switch has ports (see ClosShape).
 *
 * The limits of the model: packets are those of RoCEv2 on every link, where PCIe has packets of
 * its own, and PFC stands for the credits of PCIe as well. GPUs write to each other by way of the
 * host's bridges (GPUDirect RDMA), and no memory of the host or core of its processor is in the
 * way.
 */
struct HostNetworkSpec
{
    DataRate nicRate; //!< of the NIC of a host, above 0
    /// Of the link between a GPU and its host, each way. An assumption: PCIe 4.0 x16 has 16
    /// lanes of 16 GT/s in 128b/130b, 252 Gbit/s, and headers and flow control leave less.
    DataRate gpuRate{200000000000};
    Time gpuDelay{MicroSeconds(1)};    //!< of that link, one way
    Time cableDelay{NanoSeconds(100)}; //!< of a cable between a host and a switch, or switches
    uint32_t radix{64};                //!< ports of a switch

    /**
     * @param domains scale-up domains
     * @param gpusPerDomain GPUs of each
     * @return an empty string, or one line that says why there is no such network
     */
    std::string Check(uint32_t domains, uint32_t gpusPerDomain) const;

    /**
     * @brief Describe the network, see FabricTopology.
     * @param domains scale-up domains
     * @param gpusPerDomain GPUs of each
     * @return the hosts as switches of tier 0, domain by domain, then the switches of the network;
     * the ends are the ports of the GPUs in their order. Or why there is none
     */
    FabricPlan Build(uint32_t domains, uint32_t gpusPerDomain) const;

    /**
     * @param plan that Build has made
     * @param hopLatency of a host and of a switch
     * @return the longest way from a GPU to another and back without a queue, packets of no size
     */
    Time GetRoundTrip(const FabricPlan& plan, Time hopLatency) const;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_HOST_NETWORK_SPEC_H
