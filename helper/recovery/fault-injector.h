// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAULT_INJECTOR_H
#define PHOTONIC_RAILS_FAULT_INJECTOR_H

#include "fault-plan.h"

#include "ns3/application-container.h"
#include "ns3/object.h"
#include "ns3/rail-cluster.h"
#include "ns3/run-summary.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

struct CollectiveCall;
class FabricRerouter;
class OcsAgent;
class OpusHelper;
class OpusShim;
class RecoveryAgent;
class RecoveryHelper;
class RecoveryProtocol;

/// The faults of a run and their consequences, and the components that are broken.
class FaultLog
{
  public:
    /**
     * @brief Record a fault that begins now.
     * @param fault the fault
     * @return true if the component breaks; false if it is broken already
     */
    bool Begin(const Fault& fault);

    /**
     * @brief Record the end of a fault, which is now.
     * @param fault the fault
     * @return true if the component is repaired; false if another fault of it lasts
     */
    bool End(const Fault& fault);

    /// @param kind a kind of fault @param component number of a component without ports
    /// @return true while the component is broken
    bool IsBroken(FaultKind kind, uint32_t component) const
    {
        return m_broken.count({kind, std::to_string(component)}) > 0;
    }

    /**
     * @brief Add a reaction, which happens now, to the record of a component: of the faults of its
     * last outage the one that lasts longest.
     * @param fault a fault of the component; nothing is added if it has no record
     * @param consequence the reaction
     */
    void Note(const Fault& fault, const std::string& consequence);

    /// Add a reaction to the records of all broken components. @param consequence the reaction
    void NoteAll(const std::string& consequence);

    /// @return true if a GPU is lost
    bool HasLostGpu() const;

    /// @return "; broken: " and the components that are broken, and "; repaired: " and those that
    /// were, with the times of their repairs, latest first; empty if nothing has been broken
    std::string DescribeComponents() const;

    /// @return the records, in order
    const std::vector<RunFault>& GetRecords() const
    {
        return m_records;
    }

    /// @return a time in seconds, with microseconds
    static std::string MomentToText(const Time& time);

  private:
    using Component = std::pair<FaultKind, std::string>; //!< with the target of its faults

    /// Add a reaction, which happens now.
    static void Add(RunFault& record, const std::string& consequence);

    std::map<Component, Time> m_broken;       //!< when they are repaired; the largest time: never
    std::map<Component, std::size_t> m_noted; //!< indices of the records that reactions belong to
    std::vector<RunFault> m_records;
};

/**
 * @brief Injects faults at given times, repairs them, and records their consequences.
 *
 * The injector acts only on the broken component. Other nodes react to messages, or to missing
 * ones. A component is broken while any of its faults lasts.
 *
 * The injector stops the simulation when the job has ended, because heartbeats would continue
 * forever. The injector also stops the simulation when the job has failed and all remaining ranks
 * have been notified, and when a call has failed, because nothing repeats it.
 */
class FaultInjector : public Object
{
  public:
    static TypeId GetTypeId();

    FaultInjector();
    ~FaultInjector() override;

    /**
     * @brief Schedule faults; call at time 0.
     * @param faults faults with their times; must fit the cluster
     * @param cluster the GPUs
     * @param opus control plane of a photonic cluster; null on other clusters
     * @param recovery recovery after the loss of a GPU; null without recovery
     * @param ranks TrainingApplications of job 0, by GPU, spares last
     * @param iterations iterations of each rank
     */
    void Install(const std::vector<Fault>& faults,
                 const RailCluster& cluster,
                 const OpusHelper* opus,
                 const RecoveryHelper* recovery,
                 const ApplicationContainer& ranks,
                 uint32_t iterations);

    /**
     * @param cluster the GPUs
     * @return the components that can fail
     */
    static FaultScope GetScope(const RailCluster& cluster);

    /**
     * @brief State the faults as the reason if a job has come to a standstill.
     * @return an empty string, or one line with the components that are or were broken
     */
    std::string DescribeStandstill() const;

    /// @return the faults and their consequences, in order
    const std::vector<RunFault>& GetRecords() const
    {
        return m_log.GetRecords();
    }

    /// @return an empty string, or one line with reason and time of the job's failure
    const std::string& GetFailure() const
    {
        return m_failure;
    }

    /// TracedCallback signature of a fault that begins or is repaired.
    typedef void (*FaultTracedCallback)(const std::string& kind, const std::string& target);
    /// TracedCallback signature of a reaction of the controller to a fault.
    typedef void (*ConsequenceTracedCallback)(const std::string& kind,
                                              const std::string& target,
                                              const std::string& consequence);

  protected:
    void DoDispose() override;

  private:
    /// A component that is broken.
    struct Outage
    {
        Fault fault;            //!< which has broken it
        uint64_t lostBefore{0}; //!< frames lost at electrical switches before
    };

    void Begin(Fault fault);
    void End(Fault fault);
    /// Break a component, or repair it.
    void Act(const Fault& fault, bool mend);
    /// Record the frames that electrical switches have lost in an outage up to now.
    void NoteLosses(const Outage& outage);
    /// @return the node of a component
    Ptr<Node> GetNode(const Fault& fault) const;
    void LeaveGpu(uint32_t gpu);
    void Served(const OpusFault& message, const std::string& consequence);
    void JobFailed(uint32_t job, const std::string& reason);
    void Aborted(uint32_t gpu, const std::string& reason);
    /// Stop the simulation if the job has failed and no GPU waits to be notified.
    void StopIfAllTold();
    void IterationEnded(uint32_t rank, uint32_t iteration);
    void ObserveOpus(const OpusHelper& opus);
    void ObserveFabric();
    void Rerouted(bool isSwitch, uint32_t number, bool failed);
    void CallFailed(uint32_t rank, const CollectiveCall& call, uint64_t sequence);
    void ObserveRecovery(const RecoveryHelper& recovery);
    void GpuMissed(uint32_t gpu);
    void RecoveryStepped(const RecoveryProtocol& protocol);
    /// Record a reaction to a fault.
    void Note(const Fault& fault, const std::string& consequence);

    RailCluster m_cluster;
    std::map<uint32_t, Ptr<OcsAgent>> m_agents; //!< by switch
    Ptr<FabricRerouter> m_rerouter;             //!< of an electrical fabric
    std::vector<Ptr<OpusShim>> m_shims;         //!< by GPU
    std::vector<Ptr<RecoveryAgent>> m_recovery; //!< by GPU; empty without recovery
    ApplicationContainer m_ranks;               //!< by GPU
    uint32_t m_iterations{0};
    std::set<uint32_t> m_ranksEnded;
    std::set<uint32_t> m_told; //!< GPUs that have left, or were notified of the job's failure
    std::optional<uint32_t> m_missed;        //!< the last GPU reported lost
    std::vector<uint32_t> m_unserved;        //!< lost GPUs whose ranks have no replacement yet
    std::map<std::string, Outage> m_outages; //!< by component
    FaultLog m_log;
    std::string m_failure;

    TracedCallback<const std::string&, const std::string&> m_begin;
    TracedCallback<const std::string&, const std::string&> m_end;
    TracedCallback<const std::string&, const std::string&, const std::string&> m_consequence;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAULT_INJECTOR_H
