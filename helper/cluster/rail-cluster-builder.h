// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RAIL_CLUSTER_BUILDER_H
#define PHOTONIC_RAILS_RAIL_CLUSTER_BUILDER_H

#include "rail-cluster-spec.h"
#include "rail-cluster.h"
#include "rail-subnets.h"

#include <vector>

namespace ns3
{

/// Builds one cluster: GPUs with NICs, what joins them, spares, and the networks beside the fabric.
class RailClusterBuilder
{
  public:
    /**
     * @param spec the cluster that is asked for; must outlive the builder
     * @param fabric what shall join the domains
     */
    RailClusterBuilder(const RailClusterSpec& spec, const RailFabric& fabric);

    /// @return the cluster; the program aborts if RailClusterSpec::Check finds a problem
    RailCluster Build();

  private:
    /**
     * @brief Create GPUs with NICs, without cables.
     * @param hosts NIC ports in the order of addresses
     * @param roundTrip longest delay of a way and back, without queues
     */
    void InstallGpus(const std::vector<FabricTopology::Host>& hosts, Time roundTrip);
    /// @return the subnets of the NIC ports
    RailSubnets GetSubnets() const;
    /// @param hosts NIC ports in the order of the fabric @return their addresses
    std::vector<Ipv4Address> GetAddresses(const std::vector<FabricTopology::Host>& hosts) const;
    /// Give every rail an OCS, and fibres to its GPUs.
    void InstallOcses();
    /// Join the NIC ports of a rail with its switch. @param rail the rail @param ocs its switch
    void CableRail(uint32_t rail, Ptr<OpticalCircuitSwitch> ocs);
    /// Give the cluster spare OCSes, and every fibre a way to them.
    void InstallSpares();
    /// Let the fibres of rails lead to the switch of a node. @param node the node @param rails
    /// rails
    void InstallProtection(Ptr<Node> node, const std::vector<uint32_t>& rails);
    /// Give each domain spare GPUs, and their fibres a way to every rail.
    void InstallSpareGpus();
    /// Install the networks of the domains.
    void InstallScaleUp();
    /// Install GPUs and an electrical fabric.
    void InstallFabric(const FabricTopology& topology);

    const RailClusterSpec& m_spec;
    RailCluster m_cluster;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RAIL_CLUSTER_BUILDER_H
