// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPUS_HELPER_H
#define PHOTONIC_RAILS_OPUS_HELPER_H

#include "management-network-helper.h"
#include "rail-cluster.h"

#include "ns3/application-container.h"
#include "ns3/object-factory.h"
#include "ns3/opus-controller.h"
#include "ns3/opus-shim.h"
#include "ns3/point-to-point-helper.h"

#include <string>

namespace ns3
{

/**
 * @brief Installs Opus on a photonic cluster: a shim on every GPU, a manager on the host of every
 * scale-up domain, an agent on every OCS, one controller, and the networks that join them.
 *
 * A host is linked to its GPUs by links of PCIe-like latency, and to the controller and the OCSes
 * by the management network.
 *
 * With a controller for each rail, each rail has a management network of its own, and each GPU a
 * host port on it with a manager: no message of a rail ever waits for one of another.
 */
class OpusHelper
{
  public:
    OpusHelper();

    /// Set an attribute of every OpusShim.
    void SetShimAttribute(const std::string& name, const AttributeValue& value);
    /// @param latency one way, between hosts, OCSes and the controller
    void SetControlLatency(Time latency);
    /**
     * @param latency one way, between a GPU and its host. In domain d it takes d ps more: so what
     * ranks say at the same instant is heard by one host after the other, whatever the order of
     * events, and in however many processes.
     */
    void SetHostLinkLatency(Time latency);

    /// @param perRail a controller for each rail instead of one for all
    void SetControllerPerRail(bool perRail);

    /**
     * @brief Install everything; before CollectiveHelper or TrainingJobHelper.
     * @param cluster a photonic cluster, all of whose GPUs are ranks of one job; its switches are
     * not in whole-switch mode, which would darken circuits that others hold
     */
    void Install(const RailCluster& cluster);

    /**
     * @param rail a rail
     * @return its controller; the same for all rails if there is one
     */
    Ptr<OpusController> GetController(uint32_t rail = 0) const;
    /**
     * @param rank a rank
     * @return its shim
     */
    Ptr<OpusShim> GetShim(uint32_t rank) const;

  private:
    /// Rails that are controlled together, and their control network.
    struct Plane
    {
        uint32_t firstRail;
        uint32_t rails;
        ManagementNetworkHelper management;
        Ptr<OpusController> controller;
        uint32_t process{0}; //!< of all but GPUs and switches
    };

    void InstallPlane(const RailCluster& cluster, Plane& plane);
    void InstallAgents(const RailCluster& cluster, Plane& plane);
    void InstallHost(const RailCluster& cluster,
                     Plane& plane,
                     uint32_t domain,
                     const Address& controller);

    ObjectFactory m_shimFactory;
    Time m_hostLatency;
    PointToPointHelper m_hostLink;
    ManagementNetworkHelper m_management;
    bool m_perRail{false};
    std::vector<Plane> m_planes;
    std::vector<Ptr<OpusShim>> m_shims; //!< by rank
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OPUS_HELPER_H
