// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CIRCUIT_CABLING_H
#define PHOTONIC_RAILS_CIRCUIT_CABLING_H

#include "fabric-content.h"

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

    /// @param content of the file that states the cabling, with circuits
    explicit CircuitCabling(const FabricContent& content);

    /// @return the name of the file
    const std::string& GetName() const;

    /// @param cluster its size @return an empty string, or why the cabling is not that of a cluster
    std::string Check(const FabricSize& cluster) const;

    /// @param gpu a GPU @param port one of its NIC ports @return the fibre of the port
    const Fibre& GetFibre(uint32_t gpu, uint32_t port) const;

    /// @return ports of the largest switch: the highest number of an OCS port with a fibre, and 1
    uint32_t GetOcsPorts() const;

    /// @param initial delay of a fibre without one @return the delay of the longest fibre
    Time GetLongestDelay(Time initial) const;

  private:
    std::string m_name;
    FabricSize m_size;
    std::vector<Fibre> m_fibres; //!< by GPU and port
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CIRCUIT_CABLING_H
