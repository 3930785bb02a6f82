// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LINK_UTILISATION_H
#define PHOTONIC_RAILS_LINK_UTILISATION_H

#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

class EthernetPortNetDevice;

/**
 * @brief How busy ports are, tier by tier: bytes on the wire over rate times time.
 *
 * Everything counts that keeps a port busy: data and acknowledgements with headers, check sequence,
 * preamble and gap. Nothing is done per packet; ports count what they send.
 */
class LinkUtilisation
{
  public:
    /// The ports of a tier over a time.
    struct Tier
    {
        std::string name;
        uint32_t ports{0};
        uint64_t bytes{0}; //!< that they have sent, with all that goes around frames
        double mean{0};    //!< share of the time for which a port was busy, over all ports
        double max{0};     //!< that of the busiest port
    };

    /**
     * @param tier name of a group of ports that are alike, such as "leaf up"
     * @param port one of them
     */
    void Add(const std::string& tier, Ptr<EthernetPortNetDevice> port);

    /// Measure from now on.
    void Start();

    /**
     * @brief Measure until now.
     * @return the tiers, in the order in which they were named first; all shares are 0 if no time
     * has passed
     */
    std::vector<Tier> Measure() const;

  private:
    struct Port
    {
        std::size_t tier;
        Ptr<EthernetPortNetDevice> device;
        uint64_t before; //!< bytes sent before the start
    };

    std::vector<std::string> m_tiers;
    std::vector<Port> m_ports;
    Time m_start;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_LINK_UTILISATION_H
