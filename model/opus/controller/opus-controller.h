// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPUS_CONTROLLER_H
#define PHOTONIC_RAILS_OPUS_CONTROLLER_H

#include "fault-service.h"
#include "job-table.h"
#include "lease-service.h"
#include "replicated-log.h"

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/circuit-scheduler.h"
#include "ns3/event-id.h"
#include "ns3/ipv4-address.h"
#include "ns3/message-server.h"
#include "ns3/nstime.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

class ManagementPort;

/**
 * @brief The Opus controller: lends the circuits of the rails to communication groups.
 *
 * It hears the managers and commands the agents of the switches over the management network. It
 * knows the operator's cabling and the ranks of each job by configuration, and the groups of a job
 * from the requests of their ranks. The controller is an application on a node: it queues messages
 * and hands each to its LeaseService, which lends circuits, or to its FaultService.
 *
 * Several jobs may share switches. What a client says of ranks that are not its own is refused and
 * counted; so are groups beyond MaxGroups of a job. Nothing that the ranks of one job do changes
 * what another job gets, but that all wait in the same queues for messages and commands.
 *
 * Each message takes the controller time, what it answers included (MessageTime, MessageByteTime).
 * It is served one at a time in the order of arrival, or by several threads: thread t of T serves
 * what comes from ranks and switches of the rails whose number modulo T is t. So messages of a rank
 * and of a switch keep their order, and all that is said of a group along one rail is served by one
 * thread, as by a controller for each rail; but the book of circuits is one.
 *
 * A switch is sent a bounded number of commands at a time (CommandWindow); the others wait here.
 *
 * With a ControllerLog, on a reliable management network, the controller may crash. An input is
 * written to the log before anything follows from it and before its sender hears that it has
 * arrived. A controller that begins anew acts on all inputs of the log again, in the same order
 * (Serve is the one way in, and what follows from an input depends on nothing but the inputs): so
 * it says all again that it ever said, at the same positions of its channels, and the other ends
 * take what they do not have. They say again what is not in the log.
 */
class OpusController : public Application
{
  public:
    static TypeId GetTypeId();

    /// What happened so far.
    using Stats = LeaseService::Stats;

    /// Of its lives.
    struct CrashStats
    {
        bool leads{false}; //!< it is the one that acts, or would if it were not down

        uint64_t crashes{0};           //!< how often it ended before its time
        uint64_t takeovers{0};         //!< by a standby, as a helper counts them
        uint64_t replayed{0};          //!< inputs that were acted on again
        Time down;                     //!< from a crash until the log has been read again, in sum
        Time recovered;                //!< when the log was read for the last time
        std::optional<Time> downSince; //!< when it crashed, if it has not come back
    };

    OpusController();
    ~OpusController() override;

    /**
     * @brief Cabling plan: where the NIC ports of a rank lead.
     * @param job the job
     * @param rank global rank
     * @param ports one per NIC port, in the NIC's order
     * @return an empty string, or which port belongs to another rank; nothing has changed then
     */
    std::string AddRank(uint32_t job, uint32_t rank, const std::vector<OcsPortId>& ports);

    /**
     * @brief Say through whom a rank is heard. Without this, any manager may speak for it.
     * @param job the job
     * @param rank global rank
     * @param manager address and UDP port of its manager
     */
    void SetManager(uint32_t job, uint32_t rank, const Address& manager);

    /**
     * @brief Cabling plan: where a switch is managed.
     * @param ocs the number by which the cabling plan calls it
     * @param agent address and UDP port of its agent
     */
    void AddOcs(uint32_t ocs, const Address& agent);

    /**
     * @brief What lies between the ports of the switch of a rail, and of its spares. Before the
     * start; without this, any matching can be up.
     *
     * The controller plans on copies, by which it knows what the switch will answer; so it has to
     * be the only one who commands the switch. A group whose circuits do not even fit an idle
     * switch is refused.
     * @param ocs the number of the rail
     * @param fabric like that of the switch; not the switch's own
     */
    void SetFabric(uint32_t ocs, Ptr<const CircuitFabric> fabric);

    /**
     * @brief Keep what is heard in a log. Before the start, on a reliable port.
     * @param log survives this controller
     */
    void SetLog(Ptr<ControllerLog> log);

    /**
     * @brief Act on nothing that a standby does not have in its log. Before the start.
     * @param standby address and UDP port of a ControllerStandby
     */
    void SetStandby(const Address& standby);

    /// Do nothing until TakeOver. Before the start.
    void SetPassive();

    /**
     * @brief Be the controller from now on: act on all that is in the log and make oneself known.
     * @param primary the controller before, for which this one is going to speak
     * @param epoch of that controller; it is heard no more
     */
    void TakeOver(Ipv4Address primary, uint32_t epoch);

    /// The job has ended: say no more that this controller is there.
    void StopHeartbeats();

    /**
     * @brief Crash now: all is forgotten but the log, and nobody listens.
     *
     * It may also happen while it is down or reads its log; then it is down for as long from now.
     * If it has a standby, it does not come back but asks that to take over.
     * @param restart after so long it begins to read its log
     */
    void Crash(Time restart);

    /// Crash now and never come back.
    void CrashForGood();

    /// @return how often it has crashed, and for how long it was away until now
    CrashStats GetCrashStats() const;

    /**
     * @brief Cabling plan: a switch to which any rail can be moved.
     * @param ocs its number, which no rail has
     * @param agent address and UDP port of its agent
     */
    void AddSpare(uint32_t ocs, const Address& agent);

    /**
     * @brief Cabling plan: a GPU that ranks of any job may move to.
     * @param gpu its number
     * @param ports where its NIC ports lead, by rail
     * @param manager address and UDP port of the manager through whom it is heard
     */
    void AddSpareGpu(uint32_t gpu,
                     const std::map<uint32_t, std::vector<OcsPortId>>& ports,
                     const Address& manager);

    /**
     * @param coordinator address and UDP port of the RecoveryCoordinator that is believed, and that
     * deals with GPUs that are lost
     */
    void SetCoordinator(const Address& coordinator);

    /// @param monitor address and UDP port of the FaultMonitor that is believed
    void SetMonitor(const Address& monitor);

    /**
     * @brief Would a group get circuits? For helpers, before the job starts.
     * @param job the job
     * @param ranks the ranks of the group in ring order
     * @return an empty string, or why not
     */
    std::string CheckGroup(uint32_t job, const std::vector<uint32_t>& ranks);

    /**
     * @param job the job
     * @param group a group
     * @return how far it has come
     */
    CircuitScheduler::GroupState GetGroupState(uint32_t job, uint64_t group) const;

    /**
     * @param job the job
     * @param group a group
     * @return who keeps it waiting
     */
    CircuitScheduler::WaitStatus GetWaitStatus(uint32_t job, uint64_t group) const;

    /// @return what happened so far
    Stats GetStats() const;
    /// @return ports of switches that ranks are cabled to
    std::vector<OcsPortId> GetPorts() const;
    /**
     * @param port a port of a switch
     * @return how long it had light until GetLastServed, from the report of the switch until the
     * controller decided to take it away
     */
    Time GetUpTime(const OcsPortId& port) const;
    /// @return when the last message was served
    Time GetLastServed() const;
    /// @return what its processor has done
    const MessageServer::Stats& GetServerStats() const;

    /// TracedCallback signature of a log that is about to be acted on again, or has been.
    typedef void (*ReplayTracedCallback)(bool begins);
    /// TracedCallback signature of a rail whose circuits are gone and are going to be made again.
    typedef void (*RebuildTracedCallback)(uint32_t rail);
    /// TracedCallback signature of a request, a release or a RESTART that the controller acts on.
    typedef void (*RxTracedCallback)(const OpusMessage& message);
    /// TracedCallback signature of a message to a rank.
    typedef void (*TxTracedCallback)(const OpusMessage& message);
    /// TracedCallback signature of a grant: the group, the time from the command to light (zero
    /// for a cache hit), and whether the circuits were still up.
    typedef void (*GrantTracedCallback)(uint32_t job,
                                        uint64_t group,
                                        Time switching,
                                        bool cacheHit);
    /// TracedCallback signature of a fault that the controller has heard of: the message, and what
    /// it has done about it.
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
    /// A message has been read: make it durable.
    void Write(const OpusArrival& arrival);
    /// Act on an input. All that follows depends on the inputs alone, so that a log can restore it.
    void Serve(const OpusArrival& arrival);
    /// The standby is the controller now.
    void Yield();
    /// Another is the controller now: fall silent.
    void StepDown();
    /// Nobody is heard any more.
    void Close();
    void Listen();
    /// Read the log.
    void BeginReplay();
    /// It has been read: act on all of it and make oneself known.
    void Recover();
    /// @return who serves a message
    std::size_t GetThread(const OpusMessage& message) const;
    void SetWindow(uint32_t window);
    uint32_t GetWindow() const;
    void SetMaxGroups(uint32_t groups);
    uint32_t GetMaxGroups() const;

    uint16_t m_port{0};
    Time m_messageTime;
    Time m_byteTime;
    uint32_t m_threads{1};
    MessageServer m_server;
    Ptr<ManagementPort> m_network; //!< of the node, from the start on
    JobTable m_configured;         //!< what is known before any message
    Time m_lastServed;

    ReplicatedLog m_inputs;
    Time m_writeTime;
    Time m_replayTime;
    Time m_heartbeatInterval;
    const ControllerLog::Entry* m_replayed{nullptr}; //!< that is acted on again
    bool m_tracesReplay{false};                      //!< and that is told
    std::optional<Time> m_downSince;                 //!< when it crashed, while it is down
    EventId m_restart;
    CrashStats m_crashStats;
    bool m_isPassive{false}; //!< until it is told to take over
    uint32_t m_identity{0};  //!< address for which it speaks; 0: its own

    TracedCallback<bool> m_replay;
    TracedCallback<uint32_t> m_rebuild;
    TracedCallback<const OpusMessage&> m_rxTrace;
    TracedCallback<const OpusMessage&> m_txTrace;
    TracedCallback<uint32_t, uint64_t, Time, bool> m_groupGranted;
    TracedCallback<const OpusFault&, const std::string&> m_faultServed;
    TracedCallback<uint32_t, const std::string&> m_jobFailed;
    TracedCallback<uint32_t, uint64_t, uint32_t, const CircuitSet&, const CircuitSet&> m_begin;
    TracedCallback<uint32_t, uint64_t, uint32_t, const CircuitSet&, const CircuitSet&> m_end;

    LeaseService m_leases;
    FaultService m_faults;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_OPUS_CONTROLLER_H
