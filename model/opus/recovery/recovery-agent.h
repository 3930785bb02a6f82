// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECOVERY_AGENT_H
#define PHOTONIC_RAILS_RECOVERY_AGENT_H

#include "ns3/application.h"
#include "ns3/collective-algorithm.h"
#include "ns3/collective-call.h"
#include "ns3/collective-connector.h"
#include "ns3/data-rate.h"
#include "ns3/event-id.h"
#include "ns3/host-link.h"
#include "ns3/nstime.h"
#include "ns3/rank-program.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief The configuration of a job, known to every GPU, so that a GPU can take over any rank. Made
 * at set-up and never changed.
 */
struct RecoveryJob
{
    /// A group and the algorithms of its collectives.
    struct Group
    {
        ProcessGroup group;
        uint32_t perDomain{1}; //!< ranks of each domain, see GroupShape
        CollectiveAlgorithms algorithms;
    };

    /// Addresses of a GPU's NICs.
    struct Nics
    {
        std::shared_ptr<const RdmaPorts> rail;
        std::shared_ptr<const RdmaPorts> scaleUp; //!< null without a scale-up network
    };

    std::vector<Group> groups;   //!< indices in this list identify groups in connectors
    ConnectorPlan connectors{0}; //!< of all groups
    std::vector<std::shared_ptr<const RankProgram>> programs; //!< by rank
    std::vector<RankBinding> bindings;                        //!< by rank
    std::vector<uint32_t> rails;                              //!< by rank
    std::vector<Nics> nics;                                   //!< by GPU
};

class OpusShim;
class RdmaNic;
class TrainingApplication;

/**
 * @brief Restarts a rank when its job continues without a lost GPU.
 *
 * An application on the node of every GPU, spares included. The agent receives messages from its
 * host over a separate link; see RecoveryProtocol for the messages. The agent acts only on objects
 * of its node. On STOP it halts the rank, aborts its communicators and makes the shim release its
 * leases. On RESUME it creates the rank's ends of all connectors, connected to the queue pairs that
 * the peers create at the same time. On GO the rank continues. The fibers of a spare are switched
 * to the rail of its rank in the meantime.
 *
 * Durations: AbortTime from STOP to STOPPED. From RESUME to READY: ProcessTime, CommunicatorTime
 * for each group, and StateBytes at StateRate, one after the other, in parallel with the switching
 * of the fibers.
 */
class RecoveryAgent : public Application
{
  public:
    static TypeId GetTypeId();

    RecoveryAgent();

    /**
     * @param gpu number of the GPU
     * @param job configuration of the job
     * @param rank initial rank of the GPU; RecoveryProtocol::NO_RANK for a spare
     */
    void SetJob(uint32_t gpu, std::shared_ptr<const RecoveryJob> job, uint32_t rank);

    /// @param device the GPU's end of the link to its host
    void SetHostLink(Ptr<NetDevice> device);

    /// @brief Report the end of an iteration; called by the framework when the rank's state is
    /// safe.
    void NotifyIterationEnd(uint32_t iteration);

    /// The GPU leaves: the agent stops sending, and its host detects that the link is down.
    void Leave();

    /// @return the rank of the GPU, or RecoveryProtocol::NO_RANK
    uint32_t GetRank() const
    {
        return m_rank;
    }

    /// TracedCallback signature of a step: GPU, generation of the job, and rank.
    typedef void (*StepTracedCallback)(uint32_t gpu, uint32_t generation, uint32_t rank);
    /// TracedCallback signature of a failed job: GPU and reason.
    typedef void (*AbortedTracedCallback)(uint32_t gpu, const std::string& reason);

  protected:
    void DoDispose() override;

  private:
    /// State of the agent.
    enum State
    {
        RUNNING,  //!< the rank runs, or the GPU is idle
        STOPPING, //!< communicators are aborted
        STOPPED,  //!< there are no communicators
        BUILDING, //!< new communicators are being made
        READY,    //!< new communicators exist
        GONE,     //!< the GPU has left, or the job has failed
    };

    void StopApplication() override
    {
        m_timer.Cancel();
    }

    void HandleMessage(uint32_t link, const OpusMessage& message);
    void HandleStop(uint32_t generation);
    void Stopped();
    void HandleResume(const OpusResume& message);
    /// Count the end of a part of the work before READY.
    void PartDone(uint32_t generation);
    /// Make the communicators of the rank.
    void Build();
    /// @return the rank's end of a connector
    std::unique_ptr<CollectiveConnector> MakeConnector(const ConnectorPlan::Side& side) const;
    /// Halt the rank and abort its communicators.
    void Halt();
    /// Send a message to the host.
    void Send(const OpusMessage& message);
    Ptr<RdmaNic> GetNic(ConnectorPlan::Network network) const;
    Ptr<TrainingApplication> GetTraining() const;
    Ptr<OpusShim> GetShim() const;

    Time m_abortTime;
    Time m_processTime;
    Time m_communicatorTime;
    uint64_t m_stateBytes{0};
    DataRate m_stateRate;

    uint32_t m_gpu{0};
    uint32_t m_rank;
    std::shared_ptr<const RecoveryJob> m_job;
    std::unique_ptr<HostLink> m_link;
    State m_state{RUNNING};
    uint32_t m_generation{0};
    uint32_t m_iteration{0};                 //!< iteration to continue with
    std::vector<OpusResume::Place> m_places; //!< GPU and numbers of each rank
    uint32_t m_partsLeft{0};                 //!< parts left before READY
    EventId m_timer;

    TracedCallback<uint32_t, uint32_t, uint32_t> m_stoppedTrace;
    TracedCallback<uint32_t, uint32_t, uint32_t> m_readyTrace;
    TracedCallback<uint32_t, uint32_t, uint32_t> m_resumed;
    TracedCallback<uint32_t, const std::string&> m_aborted;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RECOVERY_AGENT_H
