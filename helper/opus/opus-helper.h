// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPUS_HELPER_H
#define PHOTONIC_RAILS_OPUS_HELPER_H

#include "circuit-policy.h"
#include "management-network-helper.h"

#include "ns3/application-container.h"
#include "ns3/application.h"
#include "ns3/object-factory.h"
#include "ns3/opus-shim.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/ptr.h"
#include "ns3/rail-cluster.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{

class ControllerStandby;
class ManagementPort;
class OcsAgent;
class OpusController;
class OpusManager;
struct ControllerCrashStats;

/**
 * @param application application with an attribute Port
 * @return its TCP port
 */
inline uint16_t
GetApplicationPort(Ptr<Application> application)
{
    UintegerValue port;
    application->GetAttribute("Port", port);
    return static_cast<uint16_t>(port.Get());
}

/**
 * @brief Installs Opus on a photonic cluster: a shim on every GPU, a manager on the host of every
 * scale-up domain, an agent on every OCS, one controller, and the networks between them. Managers
 * belong to a job; agents and the controller serve all jobs.
 *
 * A host has links of PCIe-like latency to its GPUs. The management network connects the host with
 * the controller and the OCSes.
 *
 * With one controller per rail, each rail has its own management network, and each GPU has a host
 * port with a manager on the network of its rail: messages of different rails never wait for each
 * other.
 */
class OpusHelper
{
  public:
    OpusHelper();
    ~OpusHelper();

    /// Set an attribute of every OpusShim.
    void SetShimAttribute(const std::string& name, const AttributeValue& value)
    {
        m_shimFactory.Set(name, value);
    }

    /// @param type name of a class that derives from OpusShim, of which all shims are
    void SetShimType(const std::string& type)
    {
        m_shimFactory.SetTypeId(type);
    }

    /// Set an attribute of every OpusController, standby controllers included.
    void SetControllerAttribute(const std::string& name, const AttributeValue& value)
    {
        m_controllerFactory.Set(name, value);
    }

    /// @param latency one-way latency between hosts, OCSes and the controller
    void SetControlLatency(Time latency)
    {
        m_controlLatency = latency;
        m_management.SetLatency(latency);
    }

    /**
     * @param latency one-way latency between a GPU and its host. The latency in domain d is d ps
     * longer. Messages that ranks send at the same instant therefore arrive at one host after the
     * other, independent of the order of events and of the number of processes.
     */
    void SetHostLinkLatency(Time latency);

    /**
     * @brief Choose the policy of the shims; call after all latencies have been set.
     * @param policy a lending policy; the oracle removes all latencies and reduces the transmission
     * time of messages to picoseconds
     */
    void SetPolicy(const Variant<LendingPolicy>& policy)
    {
        policy->Configure(*this);
    }

    /**
     * @param ocs a switch of the cluster
     * @param fiberDelay of the fibers between GPUs and switches
     * @param portRate rate of a NIC port
     * @param nicPorts ports of a NIC
     * @return the terms on which this control plane lends the circuits of such switches. On
     * switches with a fabric that blocks no pairs are lent to collectives, because not every pair
     * may fit.
     */
    CircuitTerms MakeTerms(Ptr<const OpticalCircuitSwitch> ocs,
                           Time fiberDelay,
                           DataRate portRate,
                           uint32_t nicPorts) const;

    /// Remove all latencies of the control plane and reduce the transmission time of a frame to
    /// picoseconds.
    void SetInstantControl();

    /**
     * @brief Drop frames of the management network at random, and enable retransmission.
     * @param share share of dropped frames, 0 to 1
     * @param stream first of as many random streams as there are ports
     */
    void SetControlLoss(double share, int64_t stream);

    /**
     * @brief Delay each frame of the management network by an extra random time. Frames may
     * overtake each other; receivers restore the order.
     * @param delay extra time in seconds, with its stream of random numbers
     */
    void SetControlExtraDelay(Ptr<RandomVariableStream> delay)
    {
        m_management.SetExtraDelay(delay);
        SetReliable();
    }

    /**
     * @brief Let all controllers crash once, and restart. May be called several times; call
     * before Install.
     * @param at time of the crash
     * @param restart time from the crash until the process is back; negative: no restart
     */
    void AddControllerCrash(Time at, Time restart)
    {
        m_crashes.emplace_back(at, restart);
        SetReliable();
    }

    /**
     * @brief Let the node of the standby of each controller crash once, whichever of the two
     * controllers is active then. May be called several times; call before Install.
     * @param at time of the crash
     * @param restart time from the crash to the return; negative: no return
     */
    void AddStandbyCrash(Time at, Time restart)
    {
        m_standbyCrashes.emplace_back(at, restart);
    }

    /**
     * @brief Give each controller a standby on another node, which takes over when the controller
     * is silent. A controller that returns becomes the standby of the other one.
     *
     * Controllers send heartbeats until StopHeartbeatsWhen; until then the simulation does not end
     * by itself. Not supported in a distributed simulation.
     */
    void SetStandby()
    {
        m_hasStandby = true;
        SetReliable();
    }

    /**
     * @brief Stop the heartbeats when a job has ended, or when no controller has served a message
     * for a long time.
     * @param hasEnded predicate, evaluated at regular intervals
     */
    void StopHeartbeatsWhen(const std::function<bool()>& hasEnded) const;

    /// @param controllers number of controllers, at most one for each rail, 1 by default: number i
    /// has the rails i, i + controllers, i + 2 x controllers and so on
    void SetControllers(uint32_t controllers)
    {
        m_controllers = controllers;
    }

    /**
     * @brief Let managers, agents and a switch monitor detect faults.
     * @param detectionTime time without a sign of life after which a component counts as broken,
     * above 0
     * @param spans beginnings and ends of the times in which switches send heartbeats and may count
     * as lost, in order and at least twice the detection time apart
     */
    void SetFaultDetection(Time detectionTime, const std::vector<std::pair<Time, Time>>& spans);

    /**
     * @brief Install the control plane; call before CollectiveHelper or TrainingJobHelper.
     *
     * For several jobs on one cluster, call Install once per job with the job's part of the cluster
     * (RailCluster::GetPart): the first call builds controllers and agents, which serve all jobs.
     * @param cluster a photonic cluster whose GPUs are all ranks of one job. The switches must not
     * be in whole-switch mode, in which a reconfiguration darkens circuits of other groups.
     * @return number of the job, from 0
     */
    uint32_t Install(const RailCluster& cluster);

    /**
     * @param rail a rail
     * @return the controller of the rail
     */
    Ptr<OpusController> GetController(uint32_t rail = 0) const;
    /**
     * @param rank a rank
     * @param job number of its job
     * @return the shim of the rank
     */
    Ptr<OpusShim> GetShim(uint32_t rank, uint32_t job = 0) const;
    /**
     * @param domain a scale-up domain of a job
     * @param job number of the job
     * @param rail a rail
     * @return the manager of the domain for the controller of the rail
     */
    Ptr<OpusManager> GetManager(uint32_t domain, uint32_t job = 0, uint32_t rail = 0) const;

    /**
     * @param rail a rail, or rails + i for spare number i
     * @return the agent of the switch
     */
    Ptr<OcsAgent> GetAgent(uint32_t rail) const;

    /// @return the active controller of each plane
    std::vector<Ptr<OpusController>> GetControllers() const;
    /// @return the controllers of all planes, standby controllers included
    std::vector<Ptr<OpusController>> GetAllControllers() const;
    /// @return number of controller crashes and total time without a controller, over all planes
    ControllerCrashStats GetCrashStats() const;
    /**
     * @brief Attach a further node to the management network of the first controller.
     * @param node the node
     * @return address of the node
     */
    Ipv4Address AttachNode(Ptr<Node> node);
    /**
     * @brief Let a coordinator handle lost GPUs. Call after Install; requires one controller for
     * all rails.
     * @param coordinator address and UDP port of a RecoveryCoordinator
     * @return address and UDP port of the controller
     */
    Address SetCoordinator(const Address& coordinator);

    /// @return the management ports of all nodes
    const std::vector<Ptr<ManagementPort>>& GetManagementPorts() const
    {
        return m_ports;
    }

  private:
    /// When there is no active controller.
    struct Outage
    {
        Time sum;                  //!< of all outages that have ended
        std::optional<Time> since; //!< begin of the current outage
    };

    /// Rails with a common controller, and their control network.
    struct Plane
    {
        uint32_t firstRail;
        std::vector<uint32_t> rails;
        ManagementNetworkHelper management;
        std::vector<Ptr<OpusController>> controllers; //!< the second one is the standby controller
        Address address;                              //!< address and UDP port of the first
        std::vector<Ptr<ControllerStandby>> standbys; //!< of the controllers, if there are two
        Ipv4Address secondAddress; //!< address of the node of standby and standby controller
        uint32_t process{0};       //!< process that simulates all nodes except GPUs and switches
        std::map<uint32_t, Address> agents{}; //!< by switch
        std::shared_ptr<Outage> outage{};     //!< time without a controller
    };

    /// Enable retransmission on all management ports.
    void SetReliable();
    /// Attach a node to a management network. @return address of the node
    Ipv4Address Attach(Plane& plane, Ptr<Node> node);
    /// Schedule the crashes of a controller.
    static void InstallCrashes(Ptr<OpusController> controller,
                               const std::vector<std::pair<Time, Time>>& crashes);
    /// Measure the time without a controller.
    static void ObserveOutages(Plane& plane);
    static void BeginOutage(std::shared_ptr<Outage> outage);
    static void ObserveLearning(std::shared_ptr<Outage> outage, bool begins);
    void InstallStandby(Plane& plane);
    /// Check whether heartbeats are still needed.
    static void CheckEnd(std::vector<Plane> planes, std::function<bool()> hasEnded);
    void InstallPlane(const RailCluster& cluster, Plane& plane);
    /// Install hosts for the domains of a job.
    void InstallJob(const RailCluster& cluster, Plane& plane);
    void InstallAgents(const RailCluster& cluster, Plane& plane);
    void InstallAgent(Ptr<Node> node, uint32_t ocs, Plane& plane);
    /// Let the agents of a plane send heartbeats to a monitor.
    void InstallMonitor(Plane& plane);
    void InstallHost(const RailCluster& cluster, Plane& plane, uint32_t domain);
    /// Install a shim on a GPU, and a link from the GPU to the manager of its domain. Only the
    /// process that simulates the host passes the manager; all processes pass the host.
    void InstallShim(const RailCluster& cluster,
                     Plane& plane,
                     uint32_t gpu,
                     Ptr<Node> host,
                     Ptr<OpusManager> manager,
                     const Address& address);

    ObjectFactory m_shimFactory;
    ObjectFactory m_controllerFactory;
    Time m_hostLatency;
    PointToPointHelper m_hostLink;
    ManagementNetworkHelper m_management;
    Time m_controlLatency{MicroSeconds(10)};
    double m_loss{0};
    int64_t m_lossStream{0};
    bool m_hasStandby{false};
    std::vector<std::pair<Time, Time>>
        m_crashes; //!< time of the crash, and time until the process is back
    std::vector<std::pair<Time, Time>> m_standbyCrashes; //!< of the second controller of a pair
    std::vector<Ptr<ManagementPort>> m_ports;
    uint32_t m_controllers{1};                           //!< see SetControllers
    Time m_detectionTime;                                //!< zero: no fault detection
    std::vector<std::pair<Time, Time>> m_detectionSpans; //!< see SetFaultDetection
    std::vector<Plane> m_planes;
    Ptr<Node> m_firstRail;                           //!< switch of rail 0, common to all jobs
    uint32_t m_domains{0};                           //!< number of domains of all earlier jobs
    std::vector<std::vector<Ptr<OpusShim>>> m_shims; //!< by job and rank
    std::shared_ptr<const OpusShim::Directory>
        m_directory;                            //!< directory of the job being installed
    CircuitTerms m_terms;                       //!< of the job being installed
    std::map<uint32_t, Ptr<OcsAgent>> m_agents; //!< by rail
    /// By job, domain and first rail.
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Ptr<OpusManager>> m_managers;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OPUS_HELPER_H
