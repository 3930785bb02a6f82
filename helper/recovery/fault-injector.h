// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAULT_INJECTOR_H
#define PHOTONIC_RAILS_FAULT_INJECTOR_H

#include "fault-plan.h"
#include "recovery-helper.h"

#include "ns3/application-container.h"
#include "ns3/object.h"
#include "ns3/opus-helper.h"
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

/**
 * @brief Lets things break at given times, mends them, and notes what became of it.
 *
 * It acts on nothing but the component that breaks; what follows from that is up to the nodes,
 * which hear of it by messages or miss them. A component that is broken already stays as it is.
 *
 * It ends the simulation when the job has ended, since heartbeats would go on, or when the job has
 * failed and all ranks that are left have been told so.
 */
class FaultInjector : public Object
{
  public:
    static TypeId GetTypeId();

    FaultInjector();
    ~FaultInjector() override;

    /**
     * @brief Schedule faults; at time 0.
     * @param faults what breaks and when; they must fit the cluster
     * @param cluster the GPUs
     * @param opus what controls a photonic cluster; null on others, of which only GPUs break
     * @param recovery what lets the job go on without a GPU; null if nothing does
     * @param ranks TrainingApplications of job 0, by GPU, spares last
     * @param iterations that each of them runs
     */
    void Install(const std::vector<Fault>& faults,
                 const RailCluster& cluster,
                 const OpusHelper* opus,
                 const RecoveryHelper* recovery,
                 const ApplicationContainer& ranks,
                 uint32_t iterations);

    /**
     * @param cluster the GPUs
     * @return what may break there
     */
    static FaultScope GetScope(const RailCluster& cluster);

    /// @return what has happened, in order
    const std::vector<RunFault>& GetRecords() const;
    /// @return an empty string, or why the job has failed and when, in one line
    const std::string& GetFailure() const;

    /// TracedCallback signature of a fault that begins or is mended.
    typedef void (*FaultTracedCallback)(const std::string& kind, const std::string& target);
    /// TracedCallback signature of what the controller has done about a fault.
    typedef void (*ConsequenceTracedCallback)(const std::string& kind,
                                              const std::string& target,
                                              const std::string& consequence);

  protected:
    void DoDispose() override;

  private:
    void Begin(Fault fault);
    void End(Fault fault, std::size_t record);
    /// Break a component, or mend it.
    void Act(const Fault& fault, bool mend);
    /// @return the node of a component
    Ptr<Node> GetNode(const Fault& fault) const;
    void LeaveGpu(uint32_t gpu);
    void Served(const OpusFault& message, const std::string& consequence);
    void JobFailed(uint32_t job, const std::string& reason);
    void Aborted(uint32_t gpu, const std::string& reason);
    void IterationEnded(uint32_t rank, uint32_t iteration);
    void ObserveOpus(const OpusHelper& opus);
    void ObserveRecovery(const RecoveryHelper& recovery);
    void GpuMissed(uint32_t gpu);
    void RecoveryStepped(const RecoveryProtocol& protocol);
    /// Note what has been done about a fault.
    void Note(const Fault& fault, const std::string& consequence);

    RailCluster m_cluster;
    std::map<uint32_t, Ptr<OcsAgent>> m_agents; //!< by switch
    std::vector<Ptr<OpusShim>> m_shims;         //!< by GPU
    std::vector<Ptr<RecoveryAgent>> m_recovery; //!< by GPU; empty if nothing replaces GPUs
    ApplicationContainer m_ranks;               //!< by GPU
    uint32_t m_iterations{0};
    std::set<uint32_t> m_ranksEnded;
    std::set<uint32_t> m_told;        //!< GPUs that have left, or know that the job has failed
    std::optional<uint32_t> m_missed; //!< the last GPU that was missed
    std::vector<uint32_t> m_unserved; //!< GPUs whose ranks are not on others yet
    std::map<std::pair<FaultKind, std::string>, std::size_t> m_broken; //!< their records
    std::vector<RunFault> m_records;
    std::string m_failure;

    TracedCallback<const std::string&, const std::string&> m_begin;
    TracedCallback<const std::string&, const std::string&> m_end;
    TracedCallback<const std::string&, const std::string&, const std::string&> m_consequence;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAULT_INJECTOR_H
