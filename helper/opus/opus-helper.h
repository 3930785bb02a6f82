// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPUS_HELPER_H
#define PHOTONIC_RAILS_OPUS_HELPER_H

#include "circuit-policy.h"
#include "management-network-helper.h"

#include "ns3/application-container.h"
#include "ns3/controller-standby.h"
#include "ns3/management-port.h"
#include "ns3/object-factory.h"
#include "ns3/ocs-agent.h"
#include "ns3/opus-controller.h"
#include "ns3/opus-manager.h"
#include "ns3/opus-shim.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/rail-cluster.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Installs Opus on a photonic cluster: a shim on every GPU, a manager on the host of every
 * scale-up domain, an agent on every OCS, one controller, and the networks that join them. Managers
 * belong to a job; agents and the controller serve all.
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

    /**
     * @brief Choose what shims do; after all latencies have been set.
     * @param policy one that lends circuits; with the oracle, messages take no time: no latency,
     * and picoseconds to send
     */
    void SetPolicy(const Variant<LendingPolicy>& policy);

    /// Let the control plane take no time: neither latency nor the time of a frame.
    void SetInstantControl();

    /**
     * @brief Let frames of the management network be lost, and what is lost be sent again.
     * @param share of the frames, 0 to 1
     * @param stream of random numbers, the first of as many as there are ports
     */
    void SetControlLoss(double share, int64_t stream);
    /**
     * @brief Let frames of the management network take an extra time, each its own, so that they
     * may overtake each other, which receivers put right.
     * @param delay in seconds, with its stream of random numbers
     */
    void SetControlExtraDelay(Ptr<RandomVariableStream> delay);
    /**
     * @brief Let all controllers crash once, and begin anew from their logs. May be called several
     * times; before Install.
     * @param at when
     * @param restart after so long they begin to read their logs; a negative time: never
     */
    void AddControllerCrash(Time at, Time restart);

    /**
     * @brief Give each controller a standby on another node, which takes over when it is silent.
     *
     * Controllers say that they are there until StopHeartbeats; before that the simulation does not
     * end by itself. Not in a simulation that several processes share.
     */
    void SetStandby();
    /**
     * @brief Stop the heartbeats when a job has ended, or when no controller has served a message
     * for a long time.
     * @param hasEnded looked at at intervals
     */
    void StopHeartbeatsWhen(const std::function<bool()>& hasEnded) const;

    /// @param perRail a controller for each rail instead of one for all
    void SetControllerPerRail(bool perRail);

    /**
     * @brief Have managers, agents and a monitor of the switches notice what breaks.
     * @param detectionTime how long something is gone until it is taken to be broken, above 0
     * @param end switches are not missed after this time
     */
    void SetFaultDetection(Time detectionTime, Time end);

    /**
     * @brief Install everything; before CollectiveHelper or TrainingJobHelper.
     *
     * For several jobs on one cluster, once for each, with the part of the cluster that it has
     * (RailCluster::GetPart): the first call builds controllers and agents, which serve all jobs.
     * @param cluster a photonic cluster, all of whose GPUs are ranks of one job; its switches are
     * not in whole-switch mode, which would darken circuits that others hold
     * @return number of the job, from 0
     */
    uint32_t Install(const RailCluster& cluster);

    /**
     * @param rail a rail
     * @return its controller; the same for all rails if there is one
     */
    Ptr<OpusController> GetController(uint32_t rail = 0) const;
    /**
     * @param rank a rank
     * @param job its job
     * @return its shim
     */
    Ptr<OpusShim> GetShim(uint32_t rank, uint32_t job = 0) const;
    /**
     * @param domain a scale-up domain of a job
     * @param job the job
     * @param rail a rail, which matters if each has a controller of its own
     * @return the manager of the domain
     */
    Ptr<OpusManager> GetManager(uint32_t domain, uint32_t job = 0, uint32_t rail = 0) const;
    /**
     * @param rail a rail, or rails + i for spare number i
     * @return the agent of its switch
     */
    Ptr<OcsAgent> GetAgent(uint32_t rail) const;

    /// @return of each plane the controller that acts now
    std::vector<Ptr<OpusController>> GetControllers() const;
    /// @return the controllers of all planes, those that wait to take over too
    std::vector<Ptr<OpusController>> GetAllControllers() const;
    /// @return how often controllers have crashed and how long none was there, over all planes
    OpusController::Lives GetLives() const;
    /**
     * @brief Give a further node a port on the management network of the first controller.
     * @param node the node
     * @return its address
     */
    Ipv4Address AttachNode(Ptr<Node> node);
    /**
     * @brief Let a coordinator deal with GPUs that are lost. After Install; one controller for all.
     * @param coordinator address and UDP port of a RecoveryCoordinator
     * @return address and UDP port of the controller
     */
    Address SetCoordinator(const Address& coordinator);

    /// @return the management ports of all nodes
    const std::vector<Ptr<ManagementPort>>& GetManagementPorts() const;

  private:
    /// Rails that are controlled together, and their control network.
    struct Plane
    {
        uint32_t firstRail;
        uint32_t rails;
        ManagementNetworkHelper management;
        Ptr<OpusController> controller;
        Address address;                      //!< of the controller
        Ptr<OpusController> second;           //!< the controller that may take over; or null
        Ptr<ControllerStandby> standby;       //!< lets it do so
        Ipv4Address secondAddress;            //!< of the node of both
        uint32_t process{0};                  //!< of all but GPUs and switches
        std::map<uint32_t, Address> agents{}; //!< by switch
    };

    /// Let all management ports send again what is lost.
    void SetReliable();
    /// Give a node a port on a management network. @return its address
    Ipv4Address Attach(Plane& plane, Ptr<Node> node);
    /// Let the controller keep a log and crash when it shall.
    void InstallCrashes(Plane& plane, Ptr<Node> node) const;
    void InstallStandby(Plane& plane);
    /// @return the controllers of a plane, each of which knows the cabling
    static std::vector<Ptr<OpusController>> GetBoth(const Plane& plane);
    /// Look whether heartbeats are still needed.
    static void CheckEnd(std::vector<Plane> planes, std::function<bool()> hasEnded);
    void InstallPlane(const RailCluster& cluster, Plane& plane);
    /// Give a job's domains hosts.
    void InstallJob(const RailCluster& cluster, Plane& plane);
    void InstallAgents(const RailCluster& cluster, Plane& plane);
    Ptr<OcsAgent> InstallAgent(Ptr<Node> node, uint32_t ocs, Plane& plane);
    /// Have the agents of a plane send heartbeats to a monitor.
    void InstallMonitor(Plane& plane);
    void InstallHost(const RailCluster& cluster, Plane& plane, uint32_t domain);
    /// Give a GPU a shim, and the manager of its domain a link to it. Only the process that
    /// simulates the host has given it the manager, but all know which host it is for.
    void InstallShim(const RailCluster& cluster,
                     Plane& plane,
                     uint32_t gpu,
                     Ptr<Node> host,
                     Ptr<OpusManager> manager,
                     const Address& address);

    ObjectFactory m_shimFactory;
    Time m_hostLatency;
    PointToPointHelper m_hostLink;
    ManagementNetworkHelper m_management;
    Time m_controlLatency{MicroSeconds(10)};
    double m_loss{0};
    int64_t m_lossStream{0};
    bool m_hasStandby{false};
    std::vector<std::pair<Time, Time>> m_crashes; //!< when, and how long until the log is read
    std::vector<Ptr<ManagementPort>> m_ports;
    bool m_perRail{false};
    Time m_detectionTime; //!< zero: nobody looks for faults
    Time m_detectionEnd;
    std::vector<Plane> m_planes;
    Ptr<Node> m_firstRail;                                  //!< of the cluster
    uint32_t m_domains{0};                                  //!< of all jobs before the last
    std::vector<std::vector<Ptr<OpusShim>>> m_shims;        //!< by job and rank
    std::shared_ptr<const OpusShim::Directory> m_directory; //!< of the job that is installed
    std::map<uint32_t, Ptr<OcsAgent>> m_agents;             //!< by rail
    /// By job, domain and first rail.
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Ptr<OpusManager>> m_managers;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OPUS_HELPER_H
