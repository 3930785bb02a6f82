// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PORT_HEALTH_H
#define PHOTONIC_RAILS_PORT_HEALTH_H

#include "ns3/opus-message.h"

#include <cstdint>
#include <map>
#include <set>

namespace ns3
{

/**
 * @brief The NIC ports of a rank that circuits do not use, and why.
 *
 * Two faults can make a port useless: that of the port itself, and that of the switch port behind
 * it. A port works again when all its faults are repaired. Circuits use the port again only after
 * Use, because groups that hold circuits of the rank must release them first.
 */
class PortHealth
{
  public:
    /**
     * @brief A port has a fault; circuits no longer use the port.
     * @param port index of the port
     * @param fault NIC_PORT or OCS_PORT
     * @return false if circuits did not use the port before
     */
    bool Break(uint32_t port, FaultKind fault)
    {
        const bool isUsed = m_faults.count(port) == 0;
        m_faults[port].insert(fault);
        return isUsed;
    }

    /**
     * @brief A fault of a port has been repaired.
     * @param port index of the port
     * @param fault the fault
     * @return true if the port works again, and circuits do not use it
     */
    bool Mend(uint32_t port, FaultKind fault)
    {
        const auto unused = m_faults.find(port);
        return unused != m_faults.end() && unused->second.erase(fault) > 0 &&
               unused->second.empty();
    }

    /// Let circuits use a port again. @param port index of a port that works again
    void Use(uint32_t port)
    {
        m_faults.erase(port);
    }

    /// @return the ports that circuits do not use
    std::set<uint32_t> GetUnused() const
    {
        std::set<uint32_t> ports;
        for (const auto& [port, faults] : m_faults)
        {
            ports.insert(port);
        }
        return ports;
    }

  private:
    std::map<uint32_t, std::set<FaultKind>> m_faults; //!< of the unused ports
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PORT_HEALTH_H
