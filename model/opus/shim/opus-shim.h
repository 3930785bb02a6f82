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
#include <deque>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace ns3
{

class EthernetPortNetDevice;

/**
 * @brief The Opus shim of a rank, between its collective library and the rails.
 *
 * An application on the node of the GPU. The collective library requests a grant from its
 * ConnectivityProvider before every call. Calls within a phase proceed at once; only a change of
 * groups causes messages to the manager, over the host link. LeaseClient decides which groups are
 * requested and released, PhasePredictor which are requested speculatively. This class connects
 * both with the host link, the simulator and the collective library.
 *
 * With Provisioning, the shim profiles the calls of an iteration. After that, when a phase has
 * ended, the shim releases its group and requests the next group before the rank does. A
 * misprediction costs time, never data: the speculative request is withdrawn, and the request of
 * the call is sent.
 *
 * The host may issue calls before the GPU comes to them, and announce them. The shim then requests
 * the group of the next announced call speculatively, when all calls announced before have ended.
 * No prediction is made while an announced call is left. A speculative request moves no circuits
 * that a call uses: so announcements change when circuits are requested, and nothing else.
 *
 * Calls of fewer bytes than HostThreshold take the host network, if there is one. They need no
 * circuits, cause no messages and are not part of the profile.
 *
 * Sends and Recvs of a group of more than two ranks use only the circuits of the two ranks, because
 * no other rank of the group requests these circuits: the link of a ring between neighbours, else
 * all circuits of the pair (LeaseNumber).
 */
class OpusShim : public Application
{
  public:
    static TypeId GetTypeId();

    /// Counts since the start.
    struct Stats
    {
        uint64_t requested{0};   //!< all requests
        uint64_t speculative{0}; //!< requests before a call needed them
        uint64_t granted{0};     //!< grants
        uint64_t released{0};    //!< leases released and requests withdrawn
        uint64_t recalled{0};    //!< leases recalled by the controller
        uint64_t suspended{0};   //!< groups whose calls were suspended for a recall
        uint64_t mispredicted{
            0};              //!< speculative requests for a group that the next call did not need
        uint64_t refused{0}; //!< groups that can never be served
        Time waited;         //!< time for which calls waited for grants
        Time exposed;        //!< part of it during which switches reconfigured for them
    };

    OpusShim();
    ~OpusShim() override;

    /// Value for a spare GPU, whose shim sends nothing until Begin.
    static constexpr uint32_t NO_RANK = 0xffffffff;

    /**
     * @param job the job
     * @param rank global rank that this shim serves, or NO_RANK
     */
    void SetRank(uint32_t job, uint32_t rank)
    {
        m_job = job;
        m_rank = rank;
    }

    /// @param terms of the circuits that the rank is lent, for its collective library
    void SetCircuitTerms(const CircuitTerms& terms);

    /// @param device the GPU's end of the link to its host
    void SetHostLink(Ptr<NetDevice> device);

    /// Ports of the NICs of all GPUs of a job, by GPU; null for GPUs without ports.
    using Directory = std::vector<std::shared_ptr<const RdmaPorts>>;

    /// @param directory ports that the controller may report as failed
    void SetDirectory(std::shared_ptr<const Directory> directory)
    {
        m_directory = std::move(directory);
    }

    /// @return the provider for the collective library of the rank; a derived class may return a
    /// provider of its own that passes calls on to this one
    virtual Ptr<ConnectivityProvider> GetProvider() const;

    /// @brief Handle the end of a training iteration; called by the framework.
    void NotifyIterationEnd()
    {
        m_phases.EndIteration();
        ScheduleFlush();
    }

    /**
     * @brief Crash: the shim sends nothing and loses its profile and its leases. Calls continue or
     * wait as before.
     */
    void Fail();
    /// Restart after Fail: the shim requests the groups that calls need, and learns a new profile.
    void Restart();

    /**
     * @brief Handle the end of the rank's processes: drop its calls, its leases and its profile.
     * The shim sends nothing until Begin.
     */
    void Halt();
    /// Release all leases after Halt, when none of the halted calls is in progress.
    void ReleaseLeases();
    /**
     * @brief Begin a rank on this GPU, after Halt.
     * @param rank global rank
     * @param generation number of restarts of the job; leases of earlier generations are void
     */
    void Begin(uint32_t rank, uint32_t generation);

    /// The GPU leaves: the shim stops sending, and its host detects the loss of the link.
    void Leave();

    /// @return counts since the start
    const Stats& GetStats() const
    {
        return m_stats;
    }

    /// @return the profile of the calls of the rank
    const TrafficProfile& GetProfile() const
    {
        return m_phases.GetProfile();
    }

    /**
     * @brief Write the profile as a JSON object: the rank, and the calls of an iteration in order,
     * each with group, ranks of the group, kind, bytes, peer (Send and Recv), stream and the gap
     * before the call in seconds. There are no calls until an iteration is learned.
     * @param os receives JSON
     */
    void WriteProfile(std::ostream& os) const;

    /**
     * @param group a group
     * @param call a call on it that has not been granted
     * @return the reason, as in ConnectivityProvider::Wait; empty if the shim waits for the
     * controller
     */
    std::string DescribeWait(const ProcessGroup& group, const CollectiveCall& call) const;

    /// @return the job of the rank
    uint32_t GetJob() const
    {
        return m_job;
    }

    /**
     * @param group a group
     * @param call a call on it
     * @return FindLeaseGroup for this rank
     */
    uint64_t GetLeaseGroup(const ProcessGroup& group, const CollectiveCall& call) const
    {
        return FindLeaseGroup(m_rank, group, call);
    }

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
    /// TracedCallback signature of a released lease or withdrawn request.
    typedef void (*ReleasedTracedCallback)(uint32_t rank, uint64_t group);
    /// TracedCallback signature of a failed job, with the reason.
    typedef void (*AbortedTracedCallback)(uint32_t rank, const std::string& reason);
    /// TracedCallback signature of a misprediction: expected group and group of the call.
    typedef void (*MispredictedTracedCallback)(uint32_t rank, uint64_t expected, uint64_t called);
    /// TracedCallback signature of a group that can never be served.
    typedef void (*RefusedTracedCallback)(uint32_t rank, uint64_t group, const std::string& error);

  protected:
    void DoDispose() override;

  private:
    class Connectivity;

    /**
     * @brief Distance between the numbers of leases of two incarnations of a shim; more than an
     * incarnation uses.
     */
    static constexpr uint32_t LEASES_PER_INCARNATION = 1 << 20;
    /// Distance between the incarnations of shims in two generations of a job.
    static constexpr uint32_t INCARNATIONS_PER_GENERATION = 16;

    void StartApplication() override;
    void SetHostThreshold(uint64_t bytes);
    uint64_t GetHostThreshold() const;
    void Announce(const ProcessGroup& group, const CollectiveCall& call, Callback<void> lent);
    /// Drop an announced call that has ended.
    void EndAnnounced(uint64_t group, CollectiveKind kind, bool isRound);
    struct Announced;
    /// @return the first announced call that has not begun, or null
    Announced* FindNextAnnounced();
    /// Return to the hosts that wait in a call whose circuits are lent.
    void ReturnLent();
    /// Forget all announced calls; hosts that wait in one return.
    void ClearAnnounced();
    void Request(const ProcessGroup& group, const CollectiveCall& call, Callback<void> granted);
    void Release(const ProcessGroup& group, const CollectiveCall& call);
    struct WaitingCall;
    /// Let a call send; its host returns, if it still waits in the call.
    static void Admit(const WaitingCall& call);
    void HandleMessage(uint32_t link, const OpusMessage& message);
    void HandleGrant(const OpusGrant& message);
    void HandleRecall(const OpusRecall& recall);
    void HandleDrained(uint64_t group);
    /// Handle the end of a hold time: release the lease of the group unless a call uses the lease.
    void HandleHoldEnd(uint64_t group);
    /// Handle the end of the slice of a recalled lease: suspend collectives that still use the
    /// lease.
    void HandleSliceEnd(uint64_t group, uint32_t lease);
    /// Handle the failure of the job: waiting and later calls are never granted.
    void HandleAbort(const OpusAbort& message);
    /// Mark ports as failed in the NIC of the rank.
    void HandleFailedPorts(const OpusFailedPorts& message);
    /// Report the ports of the NIC that have failed.
    void ReportFailedPorts();
    /// Drop leases, requests and predictions.
    void Forget();
    /// Send all leases and requests to a controller that has lost its memory.
    void SendLeases();
    /// Tell the controller that the record of leases is lost. @param groups groups that calls need
    void SendRestart(const std::vector<uint64_t>& groups);
    /// Report that a port of the rank's NIC has failed or is repaired.
    void NicPortFailed(Ptr<const EthernetPortNetDevice> port, bool failed);
    void SendFault(FaultKind kind, uint32_t port, bool repaired);
    void RunEffects();
    void RunEffect(const LeaseClient::Effect& effect);
    void ScheduleFlush();
    void Flush();
    void Provision();
    /// Request a group speculatively, for a call of a kind that is expected next.
    void Prefetch(uint64_t group, CollectiveKind kind);
    /**
     * @brief Release leases that other ranks have requested speculatively, unless the next call
     * sends on them.
     * @return how long the rank waits until it requests circuits again; nothing if no lease is
     * released
     */
    std::optional<Time> Yield();
    /// Request the circuits of the next call, although no call has ended since the last request.
    void ProvisionAgain();
    OpusMessage MakeMessage(const LeaseClient::Message& message);
    /// Send messages to the manager.
    void SendMessages(const std::vector<OpusMessage>& messages);

    /// A call that waits for its grant.
    struct WaitingCall
    {
        Callback<void> granted;
        Callback<void> lent; //!< of its announcement, or null
    };

    /// A call that the host has issued.
    struct Announced
    {
        uint64_t number{0};                              //!< of all calls issued before
        uint64_t group{0};                               //!< lease group
        CollectiveKind kind{CollectiveKind::ALL_REDUCE}; //!< of the call
        bool isRound{false};                             //!< its rounds are requested
        bool hasBegun{false};                            //!< the GPU has come to it
        bool isTaken{false}; //!< its circuits were requested ahead of time, and have been recalled
        Callback<void> lent; //!< null once it has been called, or the call has begun
    };

    uint32_t m_job{0};
    uint32_t m_rank{0};
    bool m_provisioning{true};
    bool m_keepLeases{true};
    Time m_holdTime;
    uint32_t m_sliceGrants{0};
    bool m_hasRounds{false}; //!< the rank has asked for a round of a collective
    bool m_detectIterations{false};
    NetworkRule m_networkRule;
    Ptr<Connectivity> m_connectivity;
    std::unique_ptr<HostLink> m_link;
    std::shared_ptr<const Directory> m_directory;
    LeaseClient m_leases;
    PhasePredictor m_phases;
    LeaseGroups m_groups;
    GrantTimes m_times;
    std::map<uint64_t, WaitingCall> m_calls; //!< by token
    std::deque<Announced> m_announced;       //!< calls that have not ended, in order of issue
    uint64_t m_issued{0};                    //!< calls announced
    uint64_t m_lastToken{0};
    bool m_runsEffects{false};
    bool m_hasLeft{false};           //!< the GPU has left
    bool m_isDown{false};            //!< between Fail and Restart
    bool m_isHalted{false};          //!< between Halt and Begin
    bool m_missedPorts{false};       //!< messages about failed ports may have been lost
    bool m_hasFailedPorts{false};    //!< the NIC avoids ports
    std::optional<uint64_t> m_learn; //!< epoch of a LEARN without an answer
    uint32_t m_incarnation{0};       //!< number of failures and restarts
    std::string m_aborted; //!< reason of the failure of the job; empty unless it has failed
    /// Reasons of refusals, by group.
    std::map<uint64_t, std::string> m_refusals;
    std::map<uint64_t, EventId> m_holds;  //!< ends of hold times, by group
    std::map<uint64_t, EventId> m_slices; //!< ends of recalled leases, by group
    EventId m_flush;
    EventId m_again; //!< requests circuits that have been released for other ranks
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
