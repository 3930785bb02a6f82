// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RAIL_CLUSTER_H
#define PHOTONIC_RAILS_RAIL_CLUSTER_H

#include "ns3/application.h"
#include "ns3/electrical-switch.h"
#include "ns3/ipv4-address.h"
#include "ns3/matching-schedule.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/node.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/rail-fabric.h"
#include "ns3/rdma-nic.h"
#include "ns3/static-circuits.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class FabricRerouter;
struct FabricTopology;

/**
 * @brief The assignment of nodes to the processes of a distributed run.
 *
 * A rail stays in one piece: its switches, optical or electrical, its GPUs and their NICs. Rails
 * that follow each other share a process. Hosts, the management network, the network of hosts and
 * the controller are together on the last process, whose rails are never more than those of
 * another; those of a rail with a controller of its own are where the rail is, and nothing crosses.
 * A switch of a scale-up domain, or one that joins rails, is in the process of the first node below
 * it. So only links between GPUs and hosts, the management links of circuit switches, and fibers of
 * switches that join rails cross processes.
 *
 * ns-3 calls the number of a process the system id of its nodes. Every process builds all nodes,
 * in the same order, and gives applications to its own.
 */
class RailPartition
{
  public:
    /**
     * @param processes that share the run, 1 to `rails`
     * @param rails GPUs of a scale-up domain
     */
    explicit RailPartition(uint32_t processes = 1, uint32_t rails = 1);

    /// @return processes that share the run
    uint32_t GetProcesses() const
    {
        return m_processes;
    }

    /**
     * @param rail a rail
     * @return the process of its switches, GPUs and NICs
     */
    uint32_t GetProcessOfRail(uint32_t rail) const
    {
        return static_cast<uint32_t>(uint64_t{rail} * m_processes / m_rails);
    }

    /// @return the process of hosts, management network and controller, if there is one for all
    uint32_t GetProcessOfHosts() const
    {
        return m_processes - 1;
    }

    /**
     * @param topology a fabric of electrical switches
     * @param processOfHost the process of each of its hosts
     * @return the process of each of its switches
     */
    static std::vector<uint32_t> PlaceSwitches(const FabricTopology& topology,
                                               const std::vector<uint32_t>& processOfHost);

    /**
     * @param node a node
     * @return true if this process simulates it
     */
    static bool IsHere(Ptr<const Node> node);

    /**
     * @brief Give an application to a node, if this process simulates the node.
     * @param node a node
     * @param application never starts otherwise
     */
    static void AddApplication(Ptr<Node> node, Ptr<Application> application);

  private:
    uint32_t m_processes;
    uint32_t m_rails;
};

/**
 * @brief GPUs, their NICs and the rails that join them, as built by RailClusterHelper.
 *
 * GPU g is number g % gpusPerDomain of scale-up domain g / gpusPerDomain, and is on the rail of
 * that number. A job's ranks are its GPUs in this order.
 *
 * Spare GPUs, if there are any, have the numbers after those, and no rank is on them at first: all
 * of further domains, domain by domain, or some in each domain, which a FiberSelector can lead to
 * any rail.
 */
class RailCluster
{
  public:
    /// An electrical switch and its place in the fabric.
    struct Switch
    {
        Ptr<ElectricalSwitch> device; //!< aggregated to the node
        Ptr<Node> node;               //!< its ports are the node's devices
        uint32_t tier;    //!< 1 next to the hosts; 0 for a switch of a domain, or a host
        std::string name; //!< such as "rail 2 leaf 5"
    };

    /// @return which process simulates which node
    const RailPartition& GetPartition() const
    {
        return m_partition;
    }

    /// @return GPUs in all domains, but for spares
    uint32_t GetNGpus() const
    {
        return m_gpus.GetN() - m_spareGpus;
    }

    /// @return spare GPUs
    uint32_t GetNSpareGpus() const
    {
        return m_spareGpus;
    }

    /// @return all GPUs; spares have the last numbers
    uint32_t GetNAllGpus() const
    {
        return GetNGpus() + GetNSpareGpus();
    }

    /// @return true if spare GPUs share the domains of the others, and not have their own
    bool HasSparesInDomains() const
    {
        return m_sparesPerDomain > 0;
    }

    /**
     * @param gpu a spare GPU
     * @return the OCS ports kept for it, by rail to which it can be led and by NIC port
     */
    std::map<uint32_t, std::vector<OcsPortId>> GetSparePorts(uint32_t gpu) const;

    /// @return scale-up domains, but for those of spares alone
    uint32_t GetNDomains() const
    {
        return GetNGpus() / m_gpusPerDomain;
    }

    /// @return scale-up domains of all GPUs
    uint32_t GetNAllDomains() const
    {
        return m_inRow / m_gpusPerDomain;
    }

    /// @return GPUs of a domain, which is also the number of rails
    uint32_t GetGpusPerDomain() const
    {
        return m_gpusPerDomain;
    }

    /// @return the rails that join the domains
    const RailFabric& GetFabric() const
    {
        return m_fabric;
    }

    /// @return true if the rails are optical circuit switches
    bool IsPhotonic() const
    {
        return m_fabric.IsPhotonic();
    }

    /// @return the mask of the IPv4 subnets: one for each rail, or one for all if the fabric joins
    /// rails
    Ipv4Mask GetSubnetMask() const
    {
        return m_subnetMask;
    }

    /// @return NIC ports of a GPU on the fabric between domains
    uint32_t GetNicPortCount() const
    {
        return m_nicPorts;
    }

    /**
     * @param gpu a GPU
     * @return its scale-up domain
     */
    uint32_t GetDomain(uint32_t gpu) const
    {
        return gpu < m_inRow ? gpu / m_gpusPerDomain : (gpu - m_inRow) / m_sparesPerDomain;
    }

    /**
     * @param gpu a GPU, but none of the spares that share the domain of others
     * @return its rail, which is its number in its domain
     */
    uint32_t GetRailOf(uint32_t gpu) const;

    /**
     * @param a a GPU
     * @param b a GPU
     * @return true if the fabric between domains joins their NICs: those of one rail, or all if it
     * joins rails
     */
    bool IsReachable(uint32_t a, uint32_t b) const
    {
        return m_fabric.JoinsRails() || GetRailOf(a) == GetRailOf(b);
    }

    /// @return true if the scale-up domains are networks that packets cross
    bool HasScaleUpNetwork() const
    {
        return !m_scaleUpNics.empty();
    }

    /**
     * @param gpu a GPU
     * @return its NIC on the network of its scale-up domain, or null without such a network
     */
    Ptr<RdmaNic> GetScaleUpNic(uint32_t gpu) const;

    /// @return true if the hosts of the domains are joined by a network of their own
    bool HasHostNetwork() const
    {
        return !m_hostNics.empty();
    }

    /**
     * @param gpu a GPU
     * @return its NIC on its host, and so on the host network, or null without such a network
     */
    Ptr<RdmaNic> GetHostNic(uint32_t gpu) const
    {
        return m_hostNics.empty() ? nullptr : m_hostNics.at(gpu);
    }

    /**
     * @param gpu a GPU
     * @return its node
     */
    Ptr<Node> GetGpu(uint32_t gpu) const;

    /**
     * @param gpu a GPU
     * @return its NIC on the fabric between domains
     */
    Ptr<RdmaNic> GetNic(uint32_t gpu) const
    {
        return GetGpu(gpu)->GetObject<RdmaNic>();
    }

    /**
     * @param rail a rail of a photonic cluster, or of electrical rails of one switch each
     * @return the node of its switch, optical or electrical
     */
    Ptr<Node> GetRail(uint32_t rail) const;

    /**
     * @param rail a rail of a photonic cluster
     * @return its switch
     */
    Ptr<OpticalCircuitSwitch> GetOcs(uint32_t rail) const
    {
        return GetRail(rail)->GetObject<OpticalCircuitSwitch>();
    }

    /// @return optical circuit switches to which any rail can be moved
    uint32_t GetNSpares() const
    {
        return m_spares.GetN();
    }

    /**
     * @param spare a spare
     * @return the node of its switch
     */
    Ptr<Node> GetSpare(uint32_t spare) const;

    /**
     * @brief The cabling of a photonic rail.
     * @param gpu a GPU
     * @return the OCS port behind each of its NIC ports, in order
     */
    const std::vector<uint32_t>& GetOcsPorts(uint32_t gpu) const;

    /// @param gpu a GPU on a photonic rail @return the switch ports of its cables, for planners
    CircuitPlanner::Member GetMember(uint32_t gpu) const;

    /**
     * @param rail a rail of a photonic cluster
     * @return its GPUs, domain by domain, and where their ports are cabled to: for planners
     */
    std::vector<CircuitPlanner::Member> GetMembers(uint32_t rail) const;

    /**
     * @brief Say which circuits of a photonic cluster stay; connectors are then made over those.
     * @param circuits between GPUs of one rail each, see StaticCircuitsHelper::Light
     */
    void SetStaticCircuits(std::shared_ptr<const StaticCircuits> circuits)
    {
        m_static = std::move(circuits);
    }

    /// @return the circuits that stay, or null if they are lent
    const StaticCircuits* GetStaticCircuits() const
    {
        return m_static.get();
    }

    /**
     * @brief Say that circuits of a photonic cluster change whatever the traffic; connectors are
     * then made over the ports on which two domains meet.
     * @param matchings of domains, which ports pass through as PlanSteps says, on every rail
     */
    void SetRotation(std::shared_ptr<const MatchingSchedule> matchings)
    {
        m_rotation = std::move(matchings);
    }

    /// @return the matchings of SetRotation, or null
    const MatchingSchedule* GetRotation() const
    {
        return m_rotation.get();
    }

    /// @return true if circuits are lent while a job runs
    bool IsLent() const
    {
        return IsPhotonic() && !m_static && !m_rotation;
    }

    /// @return all electrical switches, those of the fabric first, then those of scale-up domains
    const std::vector<Switch>& GetSwitches() const
    {
        return m_switches;
    }

    /// @return the routes of the switches of the fabric; null on photonic rails
    Ptr<FabricRerouter> GetRerouter() const;

    /// @return the hosts by domain, which forward between GPUs and network, and the switches that
    /// join them; none without such a network
    const std::vector<Switch>& GetHostSwitches() const
    {
        return m_hostSwitches;
    }

    /// Let all electrical switches divide their memory, so that the very first messages may pass in
    /// bursts.
    void StartSwitches() const;
    /**
     * @brief Check the attributes of all electrical switches, see ElectricalSwitch::Check.
     * @return an empty string, or one line with the error of the first switch that has one
     */
    std::string CheckSwitches() const;
    /// @return the ports of all NICs on the fabric between domains, GPU by GPU
    NetDeviceContainer GetNicPorts() const;

    /**
     * @brief The part of a cluster that one of several jobs has; its GPUs are numbered from 0.
     * @param firstDomain its first scale-up domain
     * @param domains number of its domains, at least 1
     * @return the GPUs of these domains on the same rails, with all switches
     */
    RailCluster GetPart(uint32_t firstDomain, uint32_t domains) const;

    /**
     * @brief The same for any scale-up domains.
     * @param domains the domains, at least one, each once, in the order of the part
     * @return the GPUs of these domains on the same rails, with all switches
     */
    RailCluster GetPart(const std::vector<uint32_t>& domains) const;

  private:
    friend class RailClusterBuilder;

    uint32_t m_gpusPerDomain{0};
    uint32_t m_inRow{0};           //!< GPUs of whole domains, which come first
    uint32_t m_sparesPerDomain{0}; //!< the others
    uint32_t m_spareGpus{0};       //!< in all
    uint32_t m_nicPorts{0};
    Ipv4Mask m_subnetMask;
    RailFabric m_fabric;
    RailPartition m_partition;
    NodeContainer m_gpus;
    NodeContainer m_rails;
    NodeContainer m_spares;
    std::vector<Switch> m_switches;
    Ptr<Object> m_rerouter;                  //!< a FabricRerouter; null on photonic rails
    std::vector<Ptr<RdmaNic>> m_scaleUpNics; //!< by GPU; empty without such a network
    std::vector<Ptr<RdmaNic>> m_hostNics;    //!< by GPU; empty without such a network
    std::vector<Switch> m_hostSwitches;      //!< of that network
    std::vector<std::vector<uint32_t>> m_ocsPorts;
    /// Of spares that share a domain: OCS ports by rail and NIC port.
    std::vector<std::map<uint32_t, std::vector<OcsPortId>>> m_sparePorts;
    std::shared_ptr<const MatchingSchedule> m_rotation;
    std::shared_ptr<const StaticCircuits> m_static;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RAIL_CLUSTER_H
