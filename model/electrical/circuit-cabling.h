// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CIRCUIT_CABLING_H
#define PHOTONIC_RAILS_CIRCUIT_CABLING_H

#include "ns3/nstime.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The fibres of photonic rails: to which port of the optical circuit switch of its rail each
 * NIC port leads, and how long each fibre is.
 *
 * Without a CircuitCabling, NIC port p of the GPU of domain d leads to OCS port d x nicPorts + p.
 */
class CircuitCabling
{
  public:
    /// The fibre of a NIC port.
    struct Fibre
    {
        uint32_t ocsPort{0};
        std::optional<Time> delay; //!< none: that of all fibres
    };

    /**
     * @param name of the file that states the cabling
     * @param gpusPerDomain GPUs of a scale-up domain, which is also the number of rails
     * @param nicPorts NIC ports of a GPU
     * @param fibres of all NIC ports, port by port of GPU by GPU; the OCS ports of a rail differ
     */
    CircuitCabling(std::string name,
                   uint32_t gpusPerDomain,
                   uint32_t nicPorts,
                   std::vector<Fibre> fibres);

    /// @return the name of the file
    const std::string& GetName() const;

    /**
     * @param domains scale-up domains of a cluster
     * @param gpusPerDomain GPUs of each
     * @param nicPorts NIC ports of a GPU
     * @return an empty string, or why the cabling is not that of the cluster
     */
    std::string Check(uint32_t domains, uint32_t gpusPerDomain, uint32_t nicPorts) const;

    /// @param gpu a GPU @param port one of its NIC ports @return the fibre of the port
    const Fibre& GetFibre(uint32_t gpu, uint32_t port) const;

    /// @return ports of the largest switch: the highest number of an OCS port with a fibre, and 1
    uint32_t GetOcsPorts() const;

    /// @param initial delay of a fibre without one @return the delay of the longest fibre
    Time GetLongestDelay(Time initial) const;

  private:
    std::string m_name;
    uint32_t m_gpusPerDomain;
    uint32_t m_nicPorts;
    std::vector<Fibre> m_fibres; //!< by GPU and port
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CIRCUIT_CABLING_H
