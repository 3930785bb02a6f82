// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_CONTROL_RIG_H
#define PHOTONIC_RAILS_CONTROL_RIG_H

#include "ns3/management-network-helper.h"
#include "ns3/management-port.h"
#include "ns3/ocs-agent.h"
#include "ns3/opus-controller.h"
#include "ns3/opus-manager.h"
#include "ns3/opus-shim.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The control plane of Opus without a data plane: how long do many ranks wait for circuits?
 *
 * Groups of equal size, each along one rail, the ranks of a domain in different groups. All ranks
 * make a call at time zero; nothing is sent when they are admitted. Shims, managers, controller,
 * agents and switches are those of a job, but no NIC is connected to a switch.
 */
class ControlRig
{
  public:
    /// Parameters of the rig.
    struct Settings
    {
        uint32_t groups{1};                     //!< at least 1
        uint32_t ranks{16};                     //!< of each group, at least 2
        uint32_t gpusPerDomain{8};              //!< and rails; fewer if there are fewer groups
        Time hostLatency{MicroSeconds(1)};      //!< one way, between a GPU and its host
        Time controlLatency{MicroSeconds(10)};  //!< one way, on the management network
        DataRate rate{"10Gbps"};                //!< of the management network
        Time reconfiguration{MilliSeconds(15)}; //!< of a switch
    };

    /// Results of a run.
    struct Result
    {
        std::vector<Time> admitted; //!< since the first request, of the ranks that were, in order
        uint64_t refused{0};        //!< ranks of groups that were refused
        uint64_t events{0};         //!< that the simulator ran

        /// @return when the last rank was admitted
        Time GetLast() const;
    };

    /// @param settings parameters of the rig
    explicit ControlRig(const Settings& settings);

    /// Set an attribute of the controller.
    void SetControllerAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of every manager.
    void SetManagerAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of every agent.
    void SetAgentAttribute(const std::string& name, const AttributeValue& value);

    /// Make the calls of every rank. @return the results, when no event is left
    Result Run();

    /**
     * @brief Send a message to the controller or an agent from a node that is none of the hosts.
     * @param rail of the agent; -1: to the controller
     * @param message the message
     */
    void Intrude(int rail, const OpusMessage& message);

    /// @return the controller, for its statistics and traces
    Ptr<OpusController> GetController() const;
    /// @return the managers, by domain
    const std::vector<Ptr<OpusManager>>& GetManagers() const;
    /// @return the agents, by rail
    const std::vector<Ptr<OcsAgent>>& GetAgents() const;

  private:
    void BuildRails();
    void BuildDomain(uint32_t domain);
    void Call(uint32_t rank);
    void Admit(uint32_t rank);
    void CountRefusal(uint32_t rank, uint64_t group, const std::string& error);

    /// @return number of a rank's group
    uint32_t GetGroup(uint32_t rank) const;

    Settings m_settings;
    uint32_t m_rails;
    uint32_t m_domains;
    ManagementNetworkHelper m_network;
    Ptr<OpusController> m_controller;
    Address m_address; //!< of the controller
    std::vector<Ptr<OcsAgent>> m_agents;
    std::vector<Address> m_agentAddresses;
    Ptr<ManagementPort> m_intruder;
    std::vector<Ptr<OpusManager>> m_managers;
    std::vector<Ptr<OpusShim>> m_shims; //!< by rank
    std::vector<ProcessGroup> m_groups;
    Result m_result;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_CONTROL_RIG_H
