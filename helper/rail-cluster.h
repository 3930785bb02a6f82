// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RAIL_CLUSTER_H
#define PHOTONIC_RAILS_RAIL_CLUSTER_H

#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/rdma-nic.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief GPUs, their NICs and the rails that join them: what RailClusterHelper has built.
 *
 * GPU g is number g % gpusPerDomain of scale-up domain g / gpusPerDomain, and is on the rail of
 * that number. A job's ranks are its GPUs in this order.
 */
class RailCluster
{
  public:
    /// @return GPUs in all domains
    uint32_t GetNGpus() const;
    /// @return scale-up domains
    uint32_t GetNDomains() const;
    /// @return GPUs of a domain, which is also the number of rails
    uint32_t GetGpusPerDomain() const;
    /// @return true if the rails are optical circuit switches
    bool IsPhotonic() const;

    /**
     * @param gpu a GPU
     * @return its node
     */
    Ptr<Node> GetGpu(uint32_t gpu) const;
    /**
     * @param gpu a GPU
     * @return its NIC
     */
    Ptr<RdmaNic> GetNic(uint32_t gpu) const;
    /**
     * @param rail a rail
     * @return the node of its switch, optical or electrical
     */
    Ptr<Node> GetRail(uint32_t rail) const;
    /**
     * @param rail a rail of a photonic cluster
     * @return its switch
     */
    Ptr<OpticalCircuitSwitch> GetOcs(uint32_t rail) const;
    /**
     * @brief The cabling of a photonic rail.
     * @param gpu a GPU
     * @return the OCS port behind each of its NIC ports, in order
     */
    const std::vector<uint32_t>& GetOcsPorts(uint32_t gpu) const;

    /// @return the ports of all NICs, GPU by GPU
    NetDeviceContainer GetNicPorts() const;

  private:
    friend class RailClusterHelper;

    uint32_t m_gpusPerDomain{0};
    bool m_photonic{false};
    NodeContainer m_gpus;
    NodeContainer m_rails;
    std::vector<std::vector<uint32_t>> m_ocsPorts;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RAIL_CLUSTER_H
