// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LIGHT_PATH_CHECK_H
#define PHOTONIC_RAILS_LIGHT_PATH_CHECK_H

#include "ns3/circuit-fabric.h"
#include "ns3/static-circuits.h"

#include <string>
#include <vector>

namespace ns3
{

class CircuitCabling;

/**
 * @brief Whether circuits are possible on rails whose switches block, before anything is built.
 *
 * GPUs are cabled as RailClusterHelper does it: the ports of domain after domain. All answers are
 * empty strings if any matching can be up.
 */
class LightPathCheck
{
  public:
    /**
     * @param fabric of every switch; null if any matching can be up
     * @param gpusPerDomain GPUs of a scale-up domain, which is also the number of rails
     * @param nicPorts NIC ports of a GPU
     * @param cabling fibers to the switches; null: as CircuitCabling describes
     */
    LightPathCheck(Ptr<const CircuitFabric> fabric,
                   uint32_t gpusPerDomain,
                   uint32_t nicPorts,
                   std::shared_ptr<const CircuitCabling> cabling = nullptr);

    /**
     * @param ranks a group in ring order, on one rail or several
     * @return an empty string, or why the rings of the group do not even fit idle switches
     */
    std::string CheckRing(const std::vector<uint32_t>& ranks) const;

    /**
     * @param circuits those that are made once and stay
     * @return an empty string, or why they are impossible together
     */
    std::string CheckStatic(const StaticCircuits& circuits) const;

    /**
     * @param domains scale-up domains
     * @return an empty string, or why not everybody can meet everybody in turn
     */
    std::string CheckRotation(uint32_t domains) const;

  private:
    /// @return the ports of a GPU at the switch of its rail
    uint32_t GetPort(uint32_t gpu, uint32_t port) const;

    Ptr<const CircuitFabric> m_fabric;
    uint32_t m_gpusPerDomain;
    uint32_t m_nicPorts;
    std::shared_ptr<const CircuitCabling> m_cabling;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_LIGHT_PATH_CHECK_H
