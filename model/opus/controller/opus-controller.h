// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPUS_CONTROLLER_H
#define PHOTONIC_RAILS_OPUS_CONTROLLER_H

#include "controller-machine.h"

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/callback.h"
#include "ns3/circuit-scheduler.h"
#include "ns3/event-id.h"
#include "ns3/ipv4-address.h"
#include "ns3/message-server.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <algorithm>
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
    Time down;                     //!< total time without a controller, counted by a helper
    std::optional<Time> downSince; //!< time of the crash, until it serves again
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
 * On a reliable management network the controller may crash. It loses all state but its
 * configuration and its epoch, a number, and learns the rest from those who have it, in a higher
 * epoch:
 *
 * 1. It sends a LEARN to all agents, managers, monitor and coordinator. All streams begin anew:
 * what was on its way in an earlier epoch is dropped on both sides.
 * 2. An agent voids commands that have not begun, waits until its switch is at rest, and answers
 *    with CIRCUITS, and with a FAULT for each stuck port. The monitor answers with a FAULT for each
 *    lost switch, the coordinator with a REPLACE: the GPUs of all ranks.
 * 3. A manager sends a FAULT for each broken port and GPU of its host, and passes the LEARN on to
 *    its ranks. Each rank answers with LEASES: what it holds, has requested and has completed.
 * 4. When all have answered, or the others have been silent for LearnTimeout, the controller takes
 *    over what it has learned, and serves (ControllerMachine::Learn). Ranks that hold leases keep
 *    them, and their traffic is not disturbed.
 *
 * A shim that is down does not answer, and RESTART follows as after any restart of a shim. Between
 * both its circuits may go to others, so that packets are lost at a switch; RDMA repeats them.
 */
class OpusController : public Application
{
  public:
    static TypeId GetTypeId();

    /// Counts since the start.
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
     * @brief Make this controller one of a pair. Called by the ControllerStandby on the same node.
     * @param crashed called when the node has crashed
     * @param returned called when the node has returned, or the controller has stepped down
     */
    void SetPair(Callback<void> crashed, Callback<void> returned);

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
     * @brief Become the active controller in a higher epoch.
     * @param identity address for which either controller of the pair acts
     */
    void TakeOver(Ipv4Address identity);

    /// Stop being the active controller, because another one is.
    void StepDown();

    /// @return the highest known epoch of a controller
    uint32_t GetEpoch() const
    {
        return m_epoch;
    }

    /// @param epoch epoch of the other controller of the pair
    void RaiseEpoch(uint32_t epoch)
    {
        m_epoch = std::max(m_epoch, epoch);
    }

    /**
     * @brief Crash now: all state except the configuration and the epoch is lost, and messages are
     * not received.
     *
     * During a downtime or while the controller learns, a further crash restarts the downtime. A
     * controller of a pair becomes a standby after the downtime. Passive controllers crash, too,
     * with the ControllerStandby on their node.
     * @param restart time from now until the process is back and begins to learn
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

    /// TracedCallback signature of a crash of an active controller.
    typedef void (*EventTracedCallback)();
    /// TracedCallback signature of the begin and the end of learning.
    typedef void (*LearnTracedCallback)(bool begins);
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
    /// Process a served message, or keep it while the controller learns.
    void Serve(const OpusArrival& arrival);
    void Send(const Address& to, const OpusMessage& message);
    /// A node says that another controller is active. Hosts of tenants are not believed.
    void HandleDeposed(const Address& from, uint32_t epoch);
    /// Stop receiving, and drop all messages in service.
    void Close();
    void Listen();
    /// Return after a crash.
    void Restart();
    /// Begin without memory, in a higher epoch.
    void BeginAnew();
    /// End learning without the answers of the others if they have been silent for too long.
    void CheckLearning();
    void EndLearning();
    /// @return the next epoch: those of the first controller of a pair are even, those of the
    /// second odd
    uint32_t GetNextEpoch() const;

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

    JobTable m_configured; //!< as it was before the start
    uint32_t m_epoch{0};   //!< survives crashes
    bool m_isLearning{false};
    ControllerLearning m_learning;
    Time m_learnTimeout;
    Time m_lastAnswer;
    uint64_t m_dropped{0}; //!< messages that no sender may send to a controller
    EventId m_restart;
    ControllerCrashStats m_crashStats;
    bool m_isSecond{false}; //!< of a pair: passive at the start
    uint32_t m_identity{0}; //!< address for which it acts; 0: its own
    Callback<void> m_crashed;
    Callback<void> m_returned; //!< null if there is no other node

    TracedCallback<> m_crashTrace;
    TracedCallback<bool> m_learn;
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
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OPUS_CONTROLLER_H
