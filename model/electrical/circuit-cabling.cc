// SPDX-License-Identifier: GPL-2.0-only

#include "circuit-cabling.h"

#include <algorithm>

namespace ns3
{

CircuitCabling::CircuitCabling(const FabricContent& content)
    : m_name(content.name),
      m_size(content.size),
      m_fibres(content.nics.size())
{
    for (const auto& nic : content.nics)
    {
        Fibre& fibre = m_fibres[std::size_t{nic.gpu} * m_size.nicPorts + nic.port];
        fibre.ocsPort = nic.circuitPort;
        fibre.delay = nic.delay;
    }
}

const std::string&
CircuitCabling::GetName() const
{
    return m_name;
}

std::string
CircuitCabling::Check(const FabricSize& cluster) const
{
    return m_size.Check(m_name, cluster);
}

const CircuitCabling::Fibre&
CircuitCabling::GetFibre(uint32_t gpu, uint32_t port) const
{
    return m_fibres.at(std::size_t{gpu} * m_size.nicPorts + port);
}

uint32_t
CircuitCabling::GetOcsPorts() const
{
    const auto last = std::max_element(
        m_fibres.begin(),
        m_fibres.end(),
        [](const Fibre& one, const Fibre& other) { return one.ocsPort < other.ocsPort; });
    return last->ocsPort + 1;
}

Time
CircuitCabling::GetLongestDelay(Time initial) const
{
    Time longest;
    for (const Fibre& fibre : m_fibres)
    {
        longest = Max(longest, fibre.delay.value_or(initial));
    }
    return longest;
}

} // namespace ns3
