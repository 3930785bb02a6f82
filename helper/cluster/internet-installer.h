// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_INTERNET_INSTALLER_H
#define PHOTONIC_RAILS_INTERNET_INSTALLER_H

#include "rail-cluster.h"

#include "ns3/circuit-neighbours.h"
#include "ns3/ipv4-interface-container.h"
#include "ns3/ipv4.h"

#include <cstdint>
#include <map>
#include <memory>

namespace ns3
{

/// Gives the GPUs of a cluster IPv4 stacks on their NIC ports, see
/// RailClusterHelper::InstallInternet.
class InternetInstaller
{
  public:
    /// @param cluster the cluster; must outlive the installer
    explicit InternetInstaller(const RailCluster& cluster)
        : m_cluster(cluster)
    {
    }

    /// @return the interfaces of all GPUs, in the order of RailCluster::GetNicPorts; those of spare
    /// GPUs are the last
    Ipv4InterfaceContainer Install();

  private:
    /// The rail of a spare GPU that can be led to any.
    static constexpr uint32_t ANY_RAIL = 0xffffffff;

    /// @return the rail of a GPU, or ANY_RAIL
    uint32_t GetRail(uint32_t gpu) const;
    /// @return the stack of a GPU, which gets one if it has none
    Ptr<Ipv4> InstallStack(uint32_t gpu) const;
    /// Add an interface for a port. @return its number
    uint32_t AddInterface(Ptr<Ipv4> ipv4, uint32_t gpu, uint32_t port) const;
    /// Let a GPU know its neighbours on circuits.
    void AddNeighbours(Ptr<Ipv4> ipv4, uint32_t gpu);
    /// @return the ports that circuits of a rail may lead to
    std::shared_ptr<const CircuitNeighbours::Table> GetTable(uint32_t rail);

    const RailCluster& m_cluster;
    std::map<uint32_t, std::shared_ptr<const CircuitNeighbours::Table>> m_tables; //!< by rail
};

} // namespace ns3

#endif // PHOTONIC_RAILS_INTERNET_INSTALLER_H
