// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECOVERY_HELPER_H
#define PHOTONIC_RAILS_RECOVERY_HELPER_H

#include "ns3/application-container.h"
#include "ns3/management-network-helper.h"
#include "ns3/object-factory.h"
#include "ns3/opus-helper.h"
#include "ns3/rail-cluster.h"
#include "ns3/recovery-agent.h"
#include "ns3/recovery-coordinator.h"
#include "ns3/recovery-host.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Installs what lets a job go on with spare GPUs: an agent on every GPU, one on the host of
 * every domain, and a coordinator. With Opus they use its hosts and its management network, and
 * the controller moves circuits; without it, hosts and a management network of their own.
 */
class RecoveryHelper
{
  public:
    RecoveryHelper();

    /// Set an attribute of every RecoveryAgent.
    void SetAgentAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of every RecoveryHost.
    void SetHostAttribute(const std::string& name, const AttributeValue& value);
    /// @param policy how GPUs are replaced
    void SetPolicy(SparePool::Policy policy);
    /// @param latency one way, between hosts and coordinator; of no effect with Opus
    void SetControlLatency(Time latency);
    /// @param latency one way, between a GPU and its host
    void SetHostLinkLatency(Time latency);

    /**
     * @brief Install everything; after the job.
     * @param cluster with spare GPUs
     * @param job what every GPU knows, see TrainingJobHelper::MakeRecoveryJob
     * @param ranks TrainingApplications by GPU, spares last
     * @param opus what controls the circuits; null on a fabric without
     */
    void Install(const RailCluster& cluster,
                 std::shared_ptr<const RecoveryJob> job,
                 const ApplicationContainer& ranks,
                 OpusHelper* opus);

    /// @return the coordinator; null before Install
    Ptr<RecoveryCoordinator> GetCoordinator() const;
    /**
     * @param gpu a GPU
     * @return its agent
     */
    Ptr<RecoveryAgent> GetAgent(uint32_t gpu) const;
    /// @return how many agents there are
    uint32_t GetNAgents() const;

  private:
    /// @return the hosts by domain, on a management network
    std::vector<Ptr<Node>> InstallHosts(const RailCluster& cluster, OpusHelper* opus);

    ObjectFactory m_agentFactory;
    ObjectFactory m_hostFactory;
    ManagementNetworkHelper m_management;
    Time m_hostLatency;
    SparePool::Policy m_policy{SparePool::IN_DOMAIN};
    Ptr<RecoveryCoordinator> m_coordinator;
    std::vector<Ptr<RecoveryAgent>> m_agents; //!< by GPU
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RECOVERY_HELPER_H
