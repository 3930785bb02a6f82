// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RECOVERY_AGENT_H
#define PHOTONIC_RAILS_RECOVERY_AGENT_H

#include "recovery-job.h"

#include "ns3/application.h"
#include "ns3/collective-lane.h"
#include "ns3/data-rate.h"
#include "ns3/event-id.h"
#include "ns3/host-link.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class OpusShim;
class RdmaNic;
class TrainingApplication;

/**
 * @brief What a GPU does when its job begins anew without a GPU that is lost.
 *
 * An application on the node of every GPU, spares included, that hears its host over a link of its
 * own; see RecoveryProtocol for what is said. It acts on nothing but objects of its node: on STOP
 * it halts the rank, aborts its communicators and has the shim give back what was lent; on RESUME
 * it makes the rank's ends of all lanes, to the queue pairs that its peers make at the same time,
 * and on GO the rank goes on. A spare has its fibres led to the rail of the rank meanwhile.
 *
 * What takes time: AbortTime from STOP to STOPPED. From RESUME to READY ProcessTime,
 * CommunicatorTime for each group, and StateBytes at StateRate, one after the other; and the
 * selection of the rail, at the same time.
 */
class RecoveryAgent : public Application
{
  public:
    static TypeId GetTypeId();

    RecoveryAgent();
    ~RecoveryAgent() override;

    /**
     * @param gpu number of the GPU
     * @param job what is known of the job
     * @param rank that the GPU has at first; RecoveryProtocol::NO_RANK if it is a spare
     */
    void SetJob(uint32_t gpu, std::shared_ptr<const RecoveryJob> job, uint32_t rank);

    /// @param device the GPU's end of the link to its host
    void SetHostLink(Ptr<NetDevice> device);

    /// @brief A hook for the framework: the rank has ended an iteration, and its state is safe.
    void NotifyIterationEnd(uint32_t iteration);

    /// The GPU leaves: the agent falls silent, and its host sees that the link to it is gone.
    void Leave();

    /// @return the rank that the GPU serves, or RecoveryProtocol::NO_RANK
    uint32_t GetRank() const;

    /// TracedCallback signature of a step: GPU, generation of the job, and rank.
    typedef void (*StepTracedCallback)(uint32_t gpu, uint32_t generation, uint32_t rank);
    /// TracedCallback signature of a job that has failed: the GPU is told why.
    typedef void (*AbortedTracedCallback)(uint32_t gpu, const std::string& reason);

  protected:
    void DoDispose() override;

  private:
    /// What the agent is about.
    enum State
    {
        RUNNING,  //!< the rank runs, or the GPU is idle
        STOPPING, //!< communicators are aborted
        STOPPED,  //!< there are none
        BUILDING, //!< new ones are made
        READY,    //!< they are there
        GONE,     //!< the GPU has left, or the job has failed
    };

    void StartApplication() override;
    void StopApplication() override;
    void HandleMessage(uint32_t link, const OpusMessage& message);
    void HandleStop(uint32_t generation);
    void Stopped();
    void HandleResume(const OpusResume& message);
    /// A part of what has to be done before READY is done.
    void PartDone(uint32_t generation);
    /// Make the communicators of the rank.
    void Build();
    /// @return the rank's end of a lane
    std::unique_ptr<CollectiveLane> MakeLane(const LanePlan::Side& side) const;
    void HandleGo();
    void HandleGiveUp(const OpusGiveUp& message);
    /// Halt the rank and abort its communicators.
    void Halt();
    /// Send a message to the host.
    void Send(const OpusMessage& message);
    Ptr<RdmaNic> GetNic(LanePlan::Network network) const;
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
    uint32_t m_iteration{0};                 //!< to go on with
    std::vector<OpusResume::Place> m_places; //!< by rank
    uint32_t m_partsLeft{0};                 //!< before READY
    EventId m_timer;

    TracedCallback<uint32_t, uint32_t, uint32_t> m_stoppedTrace;
    TracedCallback<uint32_t, uint32_t, uint32_t> m_readyTrace;
    TracedCallback<uint32_t, uint32_t, uint32_t> m_resumed;
    TracedCallback<uint32_t, const std::string&> m_aborted;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_RECOVERY_AGENT_H
