// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPUS_SHIM_H
#define PHOTONIC_RAILS_OPUS_SHIM_H

#include "lease-client.h"
#include "phase-predictor.h"

#include "ns3/application.h"
#include "ns3/connectivity-provider.h"
#include "ns3/event-id.h"
#include "ns3/host-link.h"
#include "ns3/nstime.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

class EthernetPortNetDevice;

/**
 * @brief The Opus shim of one rank: stands between its collective library and the rails.
 *
 * An application on the GPU's node. The collective library asks its ConnectivityProvider for every
 * call; calls within a phase go ahead at once, and only a change of groups makes the shim speak to
 * the manager, over the host link. What to ask and when to give it back is LeaseClient's business,
 * what to ask ahead of time that of PhasePredictor. This class knows the simulator, and carries
 * between them, the link and the collective library.
 *
 * With Provisioning, the shim profiles the calls of an iteration; from then on, when a phase has
 * ended, it gives its group back and asks for the next one before the rank does. A prediction that
 * fails costs time, never data: the wish is taken back and the rank's own is sent.
 *
 * Calls on fewer bytes than HostThreshold take the host network, if there is one. They need no
 * circuits, so neither the manager nor the profile hears of them, and predictions are as if they
 * were not made.
 *
 * Sends and Recvs of a group of more than two ranks use the circuits of the pair alone, because no
 * other rank of the group would ask for them.
 */
class OpusShim : public Application
{
  public:
    static TypeId GetTypeId();

    /// What happened so far.
    struct Stats
    {
        uint64_t requested{0};    //!< requests, of which
        uint64_t speculative{0};  //!< were made before a call needed them
        uint64_t granted{0};      //!< grants
        uint64_t released{0};     //!< leases given back, and wishes taken back
        uint64_t recalled{0};     //!< leases that the controller wanted back
        uint64_t suspended{0};    //!< groups whose calls had to stop for that
        uint64_t mispredicted{0}; //!< speculative requests that another call made void
        uint64_t refused{0};      //!< groups that can never be served
        Time waited;              //!< time for which calls waited for grants
        Time exposed;             //!< of that, while switches were switching for them
    };

    OpusShim();
    ~OpusShim() override;

    /// In the place of a rank: the GPU is a spare, and its shim is silent until Begin.
    static constexpr uint32_t NO_RANK = 0xffffffff;

    /**
     * @param job the job
     * @param rank global rank that this shim serves, or NO_RANK
     */
    void SetRank(uint32_t job, uint32_t rank);

    /// @param device the GPU's end of the link to its host
    void SetHostLink(Ptr<NetDevice> device);

    /// Ports of the NICs of all ranks of a job, by rank; null for those that have none.
    using Directory = std::vector<std::shared_ptr<const RdmaPorts>>;
    /// @param directory whose ports the controller may say to avoid
    void SetDirectory(std::shared_ptr<const Directory> directory);

    /// @return the provider that the rank's collective library asks; a derived class may return one
    /// of its own that passes calls on to this one
    virtual Ptr<ConnectivityProvider> GetProvider() const;

    /// @brief A hook for the framework: the rank has ended a training iteration.
    void NotifyIterationEnd();

    /// The shim falls silent and forgets its profile and its leases; calls wait, or go on as they
    /// were granted.
    void Fail();
    /// The shim is there again: it asks for what its calls need, and learns anew.
    void Restart();

    /**
     * @brief The rank's processes have ended: forget its calls, and all that was lent to it or
     * learned of it. Silent until Begin.
     */
    void Halt();
    /// Nothing of what was halted is under way any more: its leases are given back.
    void ReleaseLeases();
    /**
     * @brief Processes of a rank begin on this GPU, after Halt.
     * @param rank global rank
     * @param generation how often the job has begun anew; leases of an earlier one are void
     */
    void Begin(uint32_t rank, uint32_t generation);

    /// The GPU leaves: the shim falls silent, and its host sees that the link to it is gone.
    void Leave();

    /// @return what happened so far
    const Stats& GetStats() const;

    /// @return what the shim has learned of its rank's calls
    const TrafficProfile& GetProfile() const;

    /**
     * @brief Write what the shim has learned: an object with the rank and the calls of an iteration
     * in order, each with its group and the ranks of it, kind, bytes, peer (of a message), stream
     * and the gap before it in seconds. No calls while it is still learning.
     * @param os receives JSON
     */
    void WriteProfile(std::ostream& os) const;

    /**
     * @param group a group
     * @param call a call on it that has not been granted
     * @return why not, as in ConnectivityProvider::Wait; empty if the shim waits for the controller
     */
    std::string DescribeWait(const ProcessGroup& group, const CollectiveCall& call) const;

    /// @return the job of the rank
    uint32_t GetJob() const;

    /**
     * @param group a group
     * @param call a call on it
     * @return FindLeaseGroup for this rank
     */
    uint64_t GetLeaseGroup(const ProcessGroup& group, const CollectiveCall& call) const;

    /// TracedCallback signature of a message to the manager, or from it.
    typedef void (*MessageTracedCallback)(const OpusMessage& message);
    /// TracedCallback signature of a request.
    typedef void (*RequestedTracedCallback)(uint32_t rank, uint64_t group, bool speculative);
    /// TracedCallback signature of a grant: how long calls waited for it, how much of that the
    /// switch was switching for it, and whether the request was speculative.
    typedef void (*GrantedTracedCallback)(uint32_t rank,
                                          uint64_t group,
                                          Time waited,
                                          Time exposed,
                                          bool speculative);
    /// TracedCallback signature of a lease or wish given back.
    typedef void (*ReleasedTracedCallback)(uint32_t rank, uint64_t group);
    /// TracedCallback signature of a job that has failed: the rank is told why.
    typedef void (*AbortedTracedCallback)(uint32_t rank, const std::string& reason);
    /// TracedCallback signature of a misprediction: what was expected and what was called.
    typedef void (*MispredictedTracedCallback)(uint32_t rank, uint64_t expected, uint64_t called);
    /// TracedCallback signature of a group that can never be served.
    typedef void (*RefusedTracedCallback)(uint32_t rank, uint64_t group, const std::string& error);

  protected:
    void DoDispose() override;

  private:
    class Connectivity;

    /// Leases of different lives of a shim differ by this at least: more than a life has.
    static constexpr uint32_t LEASES_PER_INCARNATION = 1 << 20;
    /// Lives of shims in different generations of a job differ by this at least.
    static constexpr uint32_t INCARNATIONS_PER_GENERATION = 16;

    void StartApplication() override;
    void StopApplication() override;
    void SetHostThreshold(uint64_t bytes);
    uint64_t GetHostThreshold() const;
    void Request(const ProcessGroup& group, const CollectiveCall& call, Callback<void> granted);
    void Release(const ProcessGroup& group, const CollectiveCall& call);
    void CheckPrediction(uint64_t group, const CollectiveCall& call);
    void HandleMessage(uint32_t link, const OpusMessage& message);
    void HandleGrant(const OpusGrant& message);
    void HandleRecall(const OpusRecall& recall);
    void HandleDrained(uint64_t group);
    /// No call has used the lease of a group for HoldTime: give the lease back.
    void HandleHoldEnd(uint64_t group);
    /// The job has failed: calls that wait, and those to come, are never granted.
    void HandleAbort(const OpusAbort& message);
    /// Ports are broken for good: the NIC is told.
    void HandleFailedPorts(const OpusFailedPorts& message);
    /// A port of the rank's NIC has failed, or is repaired.
    void NicPortFailed(Ptr<const EthernetPortNetDevice> port, bool failed);
    void SendFault(FaultKind kind, uint32_t port, bool repaired);
    void RunEffects();
    void RunEffect(const LeaseClient::Effect& effect);
    void ScheduleFlush();
    void Flush();
    void Provision();
    /// Give back what others would like to have ahead of time, unless the next call sends there.
    /// @return true if something has been given back
    bool Yield();
    OpusMessage MakeMessage(const LeaseClient::Message& message);
    /// Send messages to the manager.
    void SendMessages(const std::vector<OpusMessage>& messages);

    uint32_t m_job{0};
    uint32_t m_rank{0};
    bool m_provisioning{true};
    bool m_keepLeases{true};
    Time m_holdTime;
    bool m_detectIterations{false};
    NetworkRule m_networkRule;
    Ptr<Connectivity> m_connectivity;
    std::unique_ptr<HostLink> m_link;
    std::shared_ptr<const Directory> m_directory;
    LeaseClient m_leases;
    PhasePredictor m_phases;
    LeaseGroups m_groups;
    GrantTimes m_times;
    std::map<uint64_t, Callback<void>> m_calls; //!< that wait, by token
    uint64_t m_lastToken{0};
    bool m_runsEffects{false};
    bool m_hasLeft{false};     //!< the GPU has left
    bool m_isDown{false};      //!< between Fail and Restart
    uint32_t m_incarnation{0}; //!< times that it has failed
    std::string m_aborted;     //!< why the job has failed; empty while it has not
    /// Why groups can never be served, by group.
    std::map<uint64_t, std::string> m_refusals;
    std::map<uint64_t, EventId> m_holds; //!< ends of hold times, by group
    EventId m_flush;
    Stats m_stats;

    TracedCallback<const OpusMessage&> m_txTrace;
    TracedCallback<const OpusMessage&> m_rxTrace;
    TracedCallback<uint32_t, uint64_t, bool> m_requested;
    TracedCallback<uint32_t, uint64_t, Time, Time, bool> m_granted;
    TracedCallback<uint32_t, uint64_t> m_released;
    TracedCallback<uint32_t, uint64_t, uint64_t> m_mispredicted;
    TracedCallback<uint32_t, uint64_t, const std::string&> m_refused;
    TracedCallback<uint32_t, const std::string&> m_abortedTrace;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OPUS_SHIM_H
