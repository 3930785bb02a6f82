// SPDX-License-Identifier: GPL-2.0-only

#include "circuit-cabling.h"

#include <algorithm>

namespace ns3
{

CircuitCabling::CircuitCabling(std::string name,
                               uint32_t gpusPerDomain,
                               uint32_t nicPorts,
                               std::vector<Fibre> fibres)
    : m_name(std::move(name)),
      m_gpusPerDomain(gpusPerDomain),
      m_nicPorts(nicPorts),
      m_fibres(std::move(fibres))
{
}

const std::string&
CircuitCabling::GetName() const
{
    return m_name;
}

std::string
CircuitCabling::Check(uint32_t domains, uint32_t gpusPerDomain, uint32_t nicPorts) const
{
    const auto own =
        static_cast<uint32_t>(m_fibres.size() / (std::size_t{m_gpusPerDomain} * m_nicPorts));
    if (domains == own && gpusPerDomain == m_gpusPerDomain && nicPorts == m_nicPorts)
    {
        return "";
    }
    const auto print = [](uint32_t number, uint32_t gpus, uint32_t ports) {
        return std::to_string(number) + " domains of " + std::to_string(gpus) + " GPUs with " +
               std::to_string(ports) + " NIC ports each";
    };
    return m_name + " is for " + print(own, m_gpusPerDomain, m_nicPorts) + ", not for " +
           print(domains, gpusPerDomain, nicPorts);
}

const CircuitCabling::Fibre&
CircuitCabling::GetFibre(uint32_t gpu, uint32_t port) const
{
    return m_fibres.at(std::size_t{gpu} * m_nicPorts + port);
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
