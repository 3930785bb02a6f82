// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECOVERY_HELPER_H
#define PHOTONIC_RAILS_RECOVERY_HELPER_H

#include "ns3/application-container.h"
#include "ns3/management-network-helper.h"
#include "ns3/object-factory.h"
#include "ns3/object.h"
#include "ns3/opus-helper.h"
#include "ns3/rail-cluster.h"
#include "ns3/recovery-agent.h"
#include "ns3/recovery-coordinator.h"
#include "ns3/recovery-host.h"
#include "ns3/run-summary.h"
#include "ns3/traced-callback.h"
#include "ns3/training-recorder.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Installs recovery with spare GPUs: an agent on every GPU, an agent on the host of every
 * domain, and a coordinator. With Opus they use its hosts and its management network, and the
 * controller moves circuits. Without Opus the helper builds hosts and a management network.
 */
class RecoveryHelper
{
  public:
    RecoveryHelper();

    /// Set an attribute of every RecoveryAgent.
    void SetAgentAttribute(const std::string& name, const AttributeValue& value)
    {
        m_agentFactory.Set(name, value);
    }

    /// Set an attribute of every RecoveryHost.
    void SetHostAttribute(const std::string& name, const AttributeValue& value)
    {
        m_hostFactory.Set(name, value);
    }

    /// @param policy replacement policy
    void SetPolicy(SparePool::Policy policy)
    {
        m_policy = policy;
    }

    /// @param latency one-way latency between hosts and coordinator; without effect with Opus
    void SetControlLatency(Time latency)
    {
        m_management.SetLatency(latency);
    }

    /// @param latency one-way latency between a GPU and its host
    void SetHostLinkLatency(Time latency);

    /**
     * @brief Install the recovery; call after the installation of the job.
     * @param cluster a cluster with spare GPUs
     * @param job configuration of the job, see TrainingJobHelper::MakeRecoveryJob
     * @param ranks TrainingApplications by GPU, spares last
     * @param opus control plane of the circuits; null on a fabric without control plane
     */
    void Install(const RailCluster& cluster,
                 std::shared_ptr<const RecoveryJob> job,
                 const ApplicationContainer& ranks,
                 OpusHelper* opus);

    /// @return the coordinator; null before Install
    Ptr<RecoveryCoordinator> GetCoordinator() const
    {
        return m_coordinator;
    }

    /// @return the agents by GPU
    const std::vector<Ptr<RecoveryAgent>>& GetAgents() const
    {
        return m_agents;
    }

  private:
    /// @return the hosts by domain, attached to a management network
    std::vector<Ptr<Node>> InstallHosts(const RailCluster& cluster, OpusHelper* opus);

    ObjectFactory m_agentFactory;
    ObjectFactory m_hostFactory;
    ManagementNetworkHelper m_management;
    Time m_hostLatency;
    SparePool::Policy m_policy{SparePool::IN_DOMAIN};
    Ptr<RecoveryCoordinator> m_coordinator;
    std::vector<Ptr<RecoveryAgent>> m_agents; //!< by GPU
};

class FaultInjector;

/// Records the times of the steps of recoveries. The recorder does not influence the simulation.
class RecoveryRecorder : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * @brief Connect to the trace sources of a recovery.
     * @param helper helper after Install
     * @param injector source of GPU faults
     * @param recorder notified when the job restarts; must outlive the simulation
     */
    void Observe(const RecoveryHelper& helper,
                 Ptr<FaultInjector> injector,
                 TrainingRecorder& recorder);

    /**
     * @param log iterations of the job
     * @return the completed recoveries, in order
     */
    std::vector<RunRecovery> GetRecoveries(const IterationLog& log) const;

  private:
    void Broke(const std::string& kind, const std::string& target);

    void Lost(uint32_t gpu)
    {
        m_lost.push_back(gpu);
    }

    void Stepped(const RecoveryProtocol& protocol);
    /// Record the ranks whose GPU has changed.
    void Move(const SparePool::Map& map);
    void Resumed(uint32_t gpu, uint32_t generation, uint32_t rank);

    TrainingRecorder* m_recorder{nullptr};
    std::map<uint32_t, Time> m_broken; //!< by GPU
    std::vector<uint32_t> m_lost;      //!< lost GPUs not yet assigned to a recovery
    SparePool::Map m_map; //!< GPUs of ranks since the last recovery; empty while rank i is on GPU i
    bool m_isUnderWay{false};
    RunRecovery m_current;
    std::vector<RunRecovery> m_done;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RECOVERY_HELPER_H
