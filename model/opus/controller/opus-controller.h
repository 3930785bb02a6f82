// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPUS_CONTROLLER_H
#define PHOTONIC_RAILS_OPUS_CONTROLLER_H

#include "controller-machine.h"
#include "replicated-log.h"

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/callback.h"
#include "ns3/circuit-scheduler.h"
#include "ns3/event-id.h"
#include "ns3/ipv4-address.h"
#include "ns3/message-server.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

class ManagementPort;

/// Crashes and takeovers.
struct ControllerCrashStats
{
    bool leads{false}; //!< true for the active controller, even while it is down

    uint64_t crashes{0};           //!< number of crashes
    uint64_t takeovers{0};         //!< number of takeovers by a standby, counted by a helper
    uint64_t standbysLost{0};      //!< number of times that it went on without its standby
    uint64_t standbysJoined{0};    //!< number of times that the other node became its standby
    uint64_t replayed{0};          //!< number of inputs processed again
    Time down;                     //!< total time without a controller, counted by a helper
    std::optional<Time> downSince; //!< time of the crash, while it is down
};

/**
 * @brief The Opus controller, which leases the circuits of the rails to communication groups.
 *
 * An application on a node. It receives messages of managers and commands the agents of the
 * switches, over the management network. Cabling and ranks of jobs are configured; the groups of a
 * job are learned from the requests of their ranks. The controller queues messages and passes each
 * to its LeaseService, which leases circuits, or to its FaultService.
 *
 * Several jobs may share switches. SenderRights determines which sender may send which message;
 * other messages are refused and counted, and so are groups beyond MaxGroups of a job. A message of
 * a job waits for at most one message of every other job in turn, for each message of the same job
 * before it (FairQueue). JobRate and JobQueue limit what a job can ask for.
 *
 * Serving a message, with its answers, takes MessageTime and MessageByteTime. Messages of a job are
 * served one at a time in the order of arrival, or by several threads: thread t of T serves
 * messages of ranks and switches on the rails whose number modulo T is t. Messages of one rank or
 * one switch therefore keep their order, and one thread serves all messages of a group on one rail,
 * as a separate controller for each rail would. All threads share one scheduler.
 *
 * The number of unreported commands of a switch is at most CommandWindow; further commands wait in
 * the controller.
 *
 * With a ControllerLog and a reliable management network, the controller may crash. An input is
 * written to the log before it has any effect and before it is acknowledged to its sender. A
 * restarted controller processes all inputs of the log again in the same order. Serve is the only
 * entry, and the effects of an input depend only on the inputs, so the restarted controller sends
 * the same messages again at the same positions of its channels. Its peers accept the messages that
 * they lack, and retransmit the messages that are not in the log. A snapshot replaces the log
 * whenever the log has SnapshotEntries entries, so that the size of the log and the time of a
 * restart are bounded.
 */
class OpusController : public Application
{
  public:
    static TypeId GetTypeId();

    /// Counts since the start, or since the log was read.
    using Stats = LeaseService::Stats;

    OpusController();

    /// @return ranks, cabling and switches, which are configured before the start
    JobTable& GetJobs()
    {
        return m_leases.GetJobs();
    }

    /// @return monitor and coordinator, which are configured before the start
    SenderRights& GetRights()
    {
        return m_machine.GetRights();
    }

    /// @return circuits and leases
    const CircuitScheduler& GetScheduler() const
    {
        return m_leases.GetScheduler();
    }

    /**
     * @brief Set the fabric between the ports of the switch of a rail, and of its spares. Without a
     * fabric any matching can be up. Call before the start.
     *
     * The controller plans on copies and therefore knows the answers of the switch, provided that
     * no other controller commands the switch. A group whose circuits do not fit an idle switch is
     * refused.
     * @param ocs number of the rail
     * @param fabric a fabric equal to that of the switch; not the object of the switch
     */
    void SetFabric(uint32_t ocs, Ptr<const CircuitFabric> fabric);

    /**
     * @brief Write inputs to a log. Call before the start, on a reliable port.
     * @param log outlives this controller
     */
    void SetLog(Ptr<ControllerLog> log)
    {
        m_inputs.SetLog(log);
    }

    /**
     * @brief Make this controller one of a pair: while it is active, the other node stores its
     * inputs before they are processed. Call before the start.
     *
     * If the standby is silent for StandbyTimeout, the controller goes on without it, with a higher
     * epoch, so that nobody accepts frames of that node if it takes over nevertheless. In the
     * middle of that time the controller asks all peers whether the other node has taken over.
     * @param standby address and UDP port of the ControllerStandby of the other node
     */
    void SetStandby(const Address& standby)
    {
        m_inputs.SetStandby(standby);
    }

    /**
     * @brief Set the actions of the ControllerStandby on the same node.
     * @param crashed called when the node has crashed
     * @param join called when the node has returned, or has stopped being active
     */
    void SetPairCallbacks(Callback<void> crashed, Callback<void> join);

    /// Do nothing until TakeOver: the second controller of a pair. Call before the start.
    void SetPassive()
    {
        m_isSecond = true;
    }

    /// @return true for the active controller of a pair
    bool IsActive() const
    {
        return m_crashStats.leads;
    }

    /**
     * @brief Become the active controller: process all inputs of the log and announce a new epoch.
     * @param identity address for which either controller of the pair acts
     */
    void TakeOver(Ipv4Address identity);

    /// Let the other node become the standby. @param join its message
    void AttachStandby(const OpusJoin& join);

    /// @return the log of inputs that the snapshot does not contain; nullptr if there is none
    const ControllerLog* GetLog() const
    {
        return m_inputs.GetLog();
    }

    /// @return the state of the controller before the first entry of the log
    const ControllerSnapshot& GetSnapshot() const
    {
        return m_snapshot;
    }

    /// Replace the log by a snapshot if the log is long enough. Call after each new entry.
    void Compact();

    /// Stop the heartbeats to the standby at the end of the job.
    void StopHeartbeats()
    {
        m_inputs.StopHeartbeats();
    }

    /**
     * @brief Crash now: all state except the log is lost, and messages are not received.
     *
     * During a downtime or while the log is read, a further crash restarts the downtime. A
     * controller of a pair becomes a standby after the downtime, unless it led alone. Passive
     * controllers crash, too, with the ControllerStandby on their node.
     * @param restart time from now until the controller begins to read its log
     */
    void Crash(Time restart);

    /// Crash now without a restart.
    void CrashForGood();

    /// @return number of crashes and downtime until now
    const ControllerCrashStats& GetCrashStats() const
    {
        return m_crashStats;
    }

    /// @return counts since the start
    Stats GetStats() const;

    /// @return time at which the last message was served
    Time GetLastServed() const
    {
        return m_lastServed;
    }

    /// @return counts of the processor
    const MessageServer::Stats& GetServerStats() const
    {
        return m_server.GetStats();
    }

    /// TracedCallback signature of a crash of an active controller, or of a standby that is lost or
    /// has joined.
    typedef void (*EventTracedCallback)();
    /// TracedCallback signature of the begin and the end of a replay of the log.
    typedef void (*ReplayTracedCallback)(bool begins);
    /// TracedCallback signature of the begin and the end of a compaction of the log.
    typedef void (*SnapshotTracedCallback)(bool begins);
    /// TracedCallback signature of a rail whose lost circuits are about to be made again.
    typedef void (*RebuildTracedCallback)(uint32_t rail);
    /// TracedCallback signature of a REQUEST, RELEASE or RESTART that the controller processes.
    typedef void (*RxTracedCallback)(const OpusMessage& message);
    /// TracedCallback signature of a message to a rank.
    typedef void (*TxTracedCallback)(const OpusMessage& message);
    /// TracedCallback signature of a grant: the group, the time from the command to light (zero
    /// for a cache hit), and whether the circuits were still up.
    typedef void (*GrantTracedCallback)(uint32_t job,
                                        uint64_t group,
                                        Time switching,
                                        bool cacheHit);
    /// TracedCallback signature of a reported fault: the message, and the action taken.
    typedef void (*FaultTracedCallback)(const OpusFault& fault, const std::string& consequence);
    /// TracedCallback signature of a job that has failed, and why.
    typedef void (*JobFailedTracedCallback)(uint32_t job, const std::string& reason);
    /// TracedCallback signature of a command's begin and end, seen from the controller.
    typedef void (*ReconfigurationTracedCallback)(uint32_t job,
                                                  uint64_t group,
                                                  uint32_t ocs,
                                                  const CircuitSet& dropped,
                                                  const CircuitSet& made);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    void HandleMessage(const Address& from, const OpusMessage& message);
    /// Write a served message to the log.
    void Write(const OpusArrival& arrival);
    /// Process an input that is in the log.
    void Serve(const OpusArrival& arrival);
    void Send(const Address& to, const OpusMessage& message);
    void HandleStandbyEvent(ReplicatedLog::StandbyEvent event);
    /// Stop being the active controller, because another one is.
    void StepDown();
    /// A node says that another controller is active. Hosts of tenants are not believed.
    void HandleDeposed(const Address& from);
    /// Stop receiving, and drop all messages in service.
    void Close();
    void Listen();
    /// Return after a crash.
    void Restart();
    /// Begin to read the log.
    void BeginReplay();
    /// Announce the epoch to all nodes that may have sent something.
    void Announce();
    /// @return the next epoch: those of the first controller of a pair are even, those of the
    /// second odd
    uint32_t GetNextEpoch() const;
    /// Process all inputs of the log, and announce the new epoch.
    void Recover();

    uint16_t m_port{0};
    Time m_messageTime;
    Time m_byteTime;
    uint32_t m_threads{1};
    uint32_t m_maxGroups{0};
    uint32_t m_window{0};
    double m_jobRate{0};
    uint32_t m_jobQueue{0};
    MessageServer m_server;
    Ptr<ManagementPort> m_network; //!< of the node, from the start on
    Time m_lastServed;

    ReplicatedLog m_inputs;
    Time m_writeTime;
    Time m_replayTime;
    Time m_heartbeatInterval;
    Time m_standbyTimeout;
    uint64_t m_dropped{0}; //!< messages that no sender may send to a controller
    uint32_t m_maxBehind{0};
    Time m_snapshotTime;
    uint32_t m_snapshotEntries{0};
    bool m_tracesReplay{false}; //!< trace sources fire for inputs of the log
    EventId m_restart;
    ControllerCrashStats m_crashStats;
    bool m_isSecond{false}; //!< of a pair: passive at the start
    uint32_t m_identity{0}; //!< address for which it acts; 0: its own
    Callback<void> m_crashed;
    Callback<void> m_join;

    TracedCallback<> m_crashTrace;
    TracedCallback<> m_standbyLost;
    TracedCallback<> m_standbyJoined;
    TracedCallback<bool> m_replay;
    TracedCallback<bool> m_snapshotTrace;
    TracedCallback<uint32_t> m_rebuild;
    TracedCallback<const OpusMessage&> m_rxTrace;
    TracedCallback<const OpusMessage&> m_txTrace;
    TracedCallback<uint32_t, uint64_t, Time, bool> m_groupGranted;
    TracedCallback<const OpusFault&, const std::string&> m_faultServed;
    TracedCallback<uint32_t, const std::string&> m_jobFailed;
    TracedCallback<uint32_t, uint64_t, uint32_t, const CircuitSet&, const CircuitSet&> m_begin;
    TracedCallback<uint32_t, uint64_t, uint32_t, const CircuitSet&, const CircuitSet&> m_end;

    ControllerMachine m_machine;
    LeaseService& m_leases; //!< of the machine
    ControllerSnapshot m_snapshot;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OPUS_CONTROLLER_H
