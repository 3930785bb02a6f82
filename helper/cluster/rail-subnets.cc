// SPDX-License-Identifier: GPL-2.0-only

#include "rail-subnets.h"

namespace ns3
{

namespace
{

constexpr uint32_t NETWORK = 0x0a000000; //!< 10.0.0.0
constexpr uint32_t NETWORK_BITS = 24;    //!< bits of an address behind the mask of 10.0.0.0/8

} // namespace

RailSubnets::RailSubnets(uint32_t subnets, uint64_t ports)
    : m_subnets(subnets),
      m_hostBits(2)
{
    // The network's own address and the broadcast address are no port's.
    while ((uint64_t{1} << m_hostBits) - 2 < ports)
    {
        ++m_hostBits;
    }
}

bool
RailSubnets::Fit() const
{
    return m_hostBits <= NETWORK_BITS && uint64_t{m_subnets} << m_hostBits <= uint64_t{1}
                                                                                  << NETWORK_BITS;
}

Ipv4Mask
RailSubnets::GetMask() const
{
    return Ipv4Mask(~((uint32_t{1} << m_hostBits) - 1));
}

Ipv4Address
RailSubnets::GetAddress(uint32_t subnet, uint32_t number) const
{
    return Ipv4Address(NETWORK + (subnet << m_hostBits) + 1 + number);
}

std::vector<Ipv4Address>
RailSubnets::GetAddresses(const std::vector<FabricTopology::Host>& hosts, uint32_t rails) const
{
    std::vector<uint32_t> next(rails, 0);
    std::vector<Ipv4Address> addresses;
    addresses.reserve(hosts.size());
    for (const auto& host : hosts)
    {
        const uint32_t rail = host.gpu % rails;
        addresses.push_back(GetAddress(rail, next[rail]++));
    }
    return addresses;
}

} // namespace ns3
