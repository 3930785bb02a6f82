// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RAIL_SUBNETS_H
#define PHOTONIC_RAILS_RAIL_SUBNETS_H

#include "ns3/fabric-topology.h"
#include "ns3/ipv4-address.h"

#include <cstdint>
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

} // namespace ns3

#endif // PHOTONIC_RAILS_RAIL_SUBNETS_H
