// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FABRIC_LINKS_H
#define PHOTONIC_RAILS_FABRIC_LINKS_H

#include "ns3/collective-cost.h"
#include "ns3/rail-cluster.h"

#include <cstdint>

namespace ns3
{

/// Latency and inverse bandwidth of an idle fabric, and inside scale-up domains, as measured.
struct FabricLinks
{
    AlphaBeta network; //!< between domains; of everything if domains are no networks
    AlphaBeta domain;  //!< inside domains that are networks; zero if they are not

    /**
     * @brief Measure a cluster that has just been built, in a simulation of its own.
     *
     * Alpha is the latency of a message without data between neighbours on the ring of a rail, or
     * of a message of some packets less the time that beta has for them, so that it includes what
     * switches store. Beta counts the bytes of full packets on the wire over the rates of all ports
     * of a NIC.
     *
     * @param cluster the cluster; the circuits of photonic rails are set up as rings
     * @param packets full packets of the message that is sent over each port
     * @return what was measured; the simulator has been destroyed
     */
    static FabricLinks Measure(const RailCluster& cluster, uint32_t packets = 0);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FABRIC_LINKS_H
