// SPDX-License-Identifier: GPL-2.0-only

#include "opus-controller.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/management-port.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/trace-source-accessor.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OpusController");
NS_OBJECT_ENSURE_REGISTERED(OpusController);

TypeId
OpusController::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::OpusController")
            .SetParent<Application>()
            .SetGroupName("PhotonicRails")
            .AddConstructor<OpusController>()
            .AddAttribute("Port",
                          "UDP port on which the controller receives messages of managers and "
                          "agents, from 1 to 65535.",
                          UintegerValue(5812),
                          MakeUintegerAccessor(&OpusController::m_port),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute(
                "MessageTime",
                "Time that the controller takes for each message, at least 0. Messages are "
                "served one at a time, in the order of arrival.",
                TimeValue(Time(0)),
                MakeTimeAccessor(&OpusController::m_messageTime),
                MakeTimeChecker(Time(0)))
            .AddAttribute("MessageByteTime",
                          "Time that the controller takes for each byte of a message, at least 0.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&OpusController::m_byteTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Threads",
                          "Threads that serve messages, 1 to 65536: the rails are shared out "
                          "between them, by their number modulo this one.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&OpusController::m_threads),
                          MakeUintegerChecker<uint32_t>(1, 65536))
            .AddAttribute("MaxGroups",
                          "Groups of a job that are admitted, at least 1; more are refused.",
                          UintegerValue(1 << 20),
                          MakeUintegerAccessor(&OpusController::m_maxGroups),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute(
                "CommandWindow",
                "Largest number of commands sent to a switch and not yet reported; further "
                "commands wait in the controller, in order. 0: any number.",
                UintegerValue(0),
                MakeUintegerAccessor(&OpusController::m_window),
                MakeUintegerChecker<uint32_t>())
            .AddAttribute("LogWriteTime",
                          "Time to write a message to the log before the message is processed, at "
                          "least 0. Messages are written one at a time.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&OpusController::m_writeTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("LogReadTime",
                          "Time to read a message of the log and to process it again after a "
                          "crash, at least 0.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&OpusController::m_replayTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("SnapshotEntries",
                          "Number of entries of the log at which a snapshot replaces the log; 0: "
                          "never.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&OpusController::m_snapshotEntries),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("SnapshotReadTime",
                          "Time to read a snapshot after a crash, at least 0.",
                          TimeValue(MilliSeconds(1)),
                          MakeTimeAccessor(&OpusController::m_snapshotTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute(
                "TraceReplay",
                "Whether trace sources fire again for inputs that the controller processes again "
                "from a log (true), or once for each input (false). A standby also processes "
                "inputs for the first time that the first controller did not process.",
                BooleanValue(false),
                MakeBooleanAccessor(&OpusController::m_tracesReplay),
                MakeBooleanChecker())
            .AddAttribute("StandbyTimeout",
                          "Time without an answer to heartbeats after which the controller goes on "
                          "without its standby, above 0. Longer than the time after which the "
                          "standby takes over (MissedHeartbeats of ControllerStandby).",
                          TimeValue(MilliSeconds(100)),
                          MakeTimeAccessor(&OpusController::m_standbyTimeout),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("MaxBehind",
                          "Largest number of entries that the log keeps for a standby that is "
                          "away; a standby that lacks more cannot return.",
                          UintegerValue(100000),
                          MakeUintegerAccessor(&OpusController::m_maxBehind),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("JobRate",
                          "Largest number of messages of a job that a thread serves per second, "
                          "besides 1,000,000 at once, at least 0; further messages wait. 0: any "
                          "number.",
                          DoubleValue(1e6),
                          MakeDoubleAccessor(&OpusController::m_jobRate),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("JobQueue",
                          "Largest number of messages of a job that wait for a thread; further "
                          "messages are dropped. 0: any number.",
                          UintegerValue(1000000),
                          MakeUintegerAccessor(&OpusController::m_jobQueue),
                          MakeUintegerChecker<uint32_t>())
            .AddTraceSource("Crash",
                            "The active controller crashes.",
                            MakeTraceSourceAccessor(&OpusController::m_crashTrace),
                            "ns3::OpusController::EventTracedCallback")
            .AddTraceSource("StandbyLost",
                            "The controller goes on without its standby, which was silent.",
                            MakeTraceSourceAccessor(&OpusController::m_standbyLost),
                            "ns3::OpusController::EventTracedCallback")
            .AddTraceSource("StandbyJoined",
                            "The other node of the pair has become the standby.",
                            MakeTraceSourceAccessor(&OpusController::m_standbyJoined),
                            "ns3::OpusController::EventTracedCallback")
            .AddTraceSource("Replay",
                            "Processing of the log begins (true) or has ended (false).",
                            MakeTraceSourceAccessor(&OpusController::m_replay),
                            "ns3::OpusController::ReplayTracedCallback")
            .AddTraceSource("Snapshot",
                            "A snapshot begins to replace the log (true) or has replaced it "
                            "(false). With TraceReplay, trace sources fire in between for the "
                            "inputs of the log.",
                            MakeTraceSourceAccessor(&OpusController::m_snapshotTrace),
                            "ns3::OpusController::SnapshotTracedCallback")
            .AddTraceSource("Rebuild",
                            "The circuits of a rail are lost. Circuits with leases are made again, "
                            "on the switch that carries the rail now.",
                            MakeTraceSourceAccessor(&OpusController::m_rebuild),
                            "ns3::OpusController::RebuildTracedCallback")
            .AddTraceSource("Rx",
                            "A REQUEST, RELEASE or RESTART of a rank is about to be processed.",
                            MakeTraceSourceAccessor(&OpusController::m_rxTrace),
                            "ns3::OpusController::RxTracedCallback")
            .AddTraceSource("Tx",
                            "A message is sent to the manager of a rank.",
                            MakeTraceSourceAccessor(&OpusController::m_txTrace),
                            "ns3::OpusController::TxTracedCallback")
            .AddAttribute("HeartbeatInterval",
                          "Interval of the heartbeats to a standby, above 0. Heartbeats end with "
                          "StopHeartbeats.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&OpusController::m_heartbeatInterval),
                          MakeTimeChecker(TimeStep(1)))
            .AddTraceSource("GroupGranted",
                            "The circuits of a group carry light; grants are sent to its ranks.",
                            MakeTraceSourceAccessor(&OpusController::m_groupGranted),
                            "ns3::OpusController::GrantTracedCallback")
            .AddTraceSource("FaultServed",
                            "The controller has processed a report of a fault or of a repair.",
                            MakeTraceSourceAccessor(&OpusController::m_faultServed),
                            "ns3::OpusController::FaultTracedCallback")
            .AddTraceSource("JobFailed",
                            "A job cannot continue; its ranks receive an ABORT.",
                            MakeTraceSourceAccessor(&OpusController::m_jobFailed),
                            "ns3::OpusController::JobFailedTracedCallback")
            .AddTraceSource("ReconfigurationBegin",
                            "A command is sent to a switch.",
                            MakeTraceSourceAccessor(&OpusController::m_begin),
                            "ns3::OpusController::ReconfigurationTracedCallback")
            .AddTraceSource("ReconfigurationEnd",
                            "A switch has reported light.",
                            MakeTraceSourceAccessor(&OpusController::m_end),
                            "ns3::OpusController::ReconfigurationTracedCallback");
    return tid;
}

OpusController::OpusController()
    : m_machine({m_rxTrace, m_txTrace, m_groupGranted, m_rebuild, m_jobFailed, m_begin, m_end},
                {m_rxTrace, m_faultServed}),
      m_leases(m_machine.GetLeases()),
      m_snapshot({m_rxTrace, m_txTrace, m_groupGranted, m_rebuild, m_jobFailed, m_begin, m_end},
                 {m_rxTrace, m_faultServed})
{
    m_leases.SetOutput(MakeCallback(&OpusController::Send, this));
    m_server.SetHandler(MakeCallback(&OpusController::Write, this));
    m_inputs.SetHandlers(MakeCallback(&OpusController::Serve, this),
                         MakeCallback(&OpusController::HandleStandbyEvent, this));
}

void
OpusController::DoDispose()
{
    m_server.Clear();
    m_server.SetHandler(MessageServer::Handler());
    m_restart.Cancel();
    m_inputs.Stop();
    m_inputs.SetNetwork(nullptr, m_port);
    m_leases.SetOutput(LeaseService::Output());
    if (m_network)
    {
        m_network->Listen(m_port, ManagementPort::ReceiveCallback());
    }
    m_network = nullptr;
    Application::DoDispose();
}

void
OpusController::SetFabric(uint32_t ocs, Ptr<const CircuitFabric> fabric)
{
    m_leases.GetJobs().SetFabric(ocs, fabric);
    m_leases.ResetScheduler();
}

void
OpusController::SetPairCallbacks(Callback<void> crashed, Callback<void> join)
{
    m_crashed = crashed;
    m_join = join;
}

OpusController::Stats
OpusController::GetStats() const
{
    Stats stats = m_leases.GetStats();
    stats.foreign += m_dropped + m_inputs.GetForeign();
    stats.malformed += m_inputs.GetMalformed() + (m_network ? m_network->GetMalformed() : 0);
    return stats;
}

void
OpusController::StartApplication()
{
    m_network = GetNode()->GetObject<ManagementPort>();
    NS_ABORT_MSG_UNLESS(m_network, "a controller needs a management port on its node");
    NS_ABORT_MSG_IF(m_inputs.GetLog() && !m_network->IsReliable(),
                    "a controller with a log needs a Reliable port");
    m_inputs.SetNetwork(m_network, m_port);
    m_server.SetLimits(m_jobRate, m_jobQueue);
    m_inputs.SetTimes(m_heartbeatInterval, m_standbyTimeout);
    m_leases.SetLimits(m_window, m_maxGroups);
    m_snapshot.Begin(m_machine);
    if (m_inputs.HasStandby())
    {
        m_network->SetDeposed(m_port, MakeCallback(&OpusController::HandleDeposed, this));
    }
    if (m_isSecond)
    {
        return;
    }
    m_crashStats.leads = true;
    Listen();
    if (m_inputs.HasStandby())
    {
        m_inputs.Attach(0, 0);
    }
}

void
OpusController::StopApplication()
{
    m_server.Clear();
    m_restart.Cancel();
    m_inputs.Stop();
    m_network->Listen(m_port, ManagementPort::ReceiveCallback());
}

void
OpusController::Listen()
{
    m_network->Listen(m_port,
                      MakeCallback(&OpusController::HandleMessage, this),
                      m_inputs.GetLog() != nullptr);
}

void
OpusController::HandleMessage(const Address& from, const OpusMessage& message)
{
    NS_LOG_FUNCTION(this << message);
    const bool isInput = SenderRights::IsInput(message);
    if (m_inputs.GetLog() && !isInput)
    {
        m_network->Confirm(m_port, from, m_network->GetSpan());
    }
    if (!isInput)
    {
        ++m_dropped;
        return;
    }
    m_server.Put(m_threads == 1 ? 0 : m_leases.GetRail(message) % m_threads,
                 MessageCost{m_messageTime, m_byteTime}.Get(message),
                 {0, from, message, m_network->GetSpan()},
                 m_machine.GetRights().GetTenant(from));
}

void
OpusController::Write(const OpusArrival& arrival)
{
    m_inputs.Put(arrival, m_writeTime, m_machine.GetRights().GetTenant(arrival.from));
}

void
OpusController::Serve(const OpusArrival& arrival)
{
    m_lastServed = Simulator::Now();
    m_machine.Serve(arrival, m_lastServed, true);
    Compact();
}

void
OpusController::Send(const Address& to, const OpusMessage& message)
{
    m_network->Send(m_port, to, message);
}

void
OpusController::Compact()
{
    ControllerLog* log = m_inputs.GetLog();
    if (!log || m_snapshotEntries == 0 || log->GetEntries().size() < m_snapshotEntries)
    {
        return;
    }
    // The other node of a pair may need the entries that it lacks, and a standby may have to remove
    // entries that no controller has processed.
    const uint64_t count = log->GetCount();
    const uint64_t tooOld = IsActive() ? count - std::min<uint64_t>(count, m_maxBehind) : 0;
    const uint64_t last = m_inputs.HasStandby() ? std::max(log->GetStored(), tooOld) : count;
    if (log->GetFirst() > last)
    {
        return;
    }
    NS_LOG_LOGIC("a snapshot replaces log entries " << log->GetFirst() << " to " << last);
    m_snapshotTrace(true);
    for (; !log->GetEntries().empty() && log->GetFirst() <= last; log->RemoveFirst())
    {
        m_snapshot.Apply(log->GetEntries().front(), m_tracesReplay);
    }
    m_snapshotTrace(false);
}

void
OpusController::HandleStandbyEvent(ReplicatedLog::StandbyEvent event)
{
    switch (event)
    {
    case ReplicatedLog::TOOK_OVER:
        // After this event, which reads a channel that StepDown closes.
        Simulator::ScheduleNow(&OpusController::StepDown, Ptr<OpusController>(this));
        break;
    case ReplicatedLog::SILENT:
        Announce(); // peers that know a higher epoch answer with it
        break;
    case ReplicatedLog::LOST:
        NS_LOG_INFO("the standby is silent");
        ++m_crashStats.standbysLost;
        m_inputs.GetLog()->RaiseEpoch(GetNextEpoch());
        m_network->RaiseEpoch(m_port, m_inputs.GetLog()->GetEpoch());
        Announce();
        m_standbyLost();
        break;
    }
}

void
OpusController::StepDown()
{
    NS_LOG_FUNCTION(this << m_crashStats.leads);
    if (m_crashStats.leads && m_network)
    {
        m_inputs.GetLog()->SetAlone(false);
        Close();
        Restart();
    }
}

void
OpusController::HandleDeposed(const Address& from)
{
    if (m_machine.GetRights().GetTenant(from) == SenderRights::INFRASTRUCTURE)
    {
        StepDown();
    }
}

void
OpusController::TakeOver(Ipv4Address identity)
{
    NS_LOG_FUNCTION(this << identity);
    NS_ABORT_MSG_UNLESS(m_inputs.HasStandby() && m_inputs.GetLog() && m_network,
                        "a controller of a pair takes over");
    m_crashStats.leads = true;
    m_identity = identity.Get();
    m_inputs.GetLog()->SetAlone(true);
    m_inputs.GetLog()->SetCommitted(m_inputs.GetLog()->GetCount());
    BeginReplay();
}

void
OpusController::AttachStandby(const OpusJoin& join)
{
    if (m_crashStats.leads && m_restart.IsExpired() &&
        m_inputs.Attach(join.committed, join.attempt))
    {
        NS_LOG_INFO("the other node joins as standby, with " << join.committed
                                                             << " entries committed");
        ++m_crashStats.standbysJoined;
        m_standbyJoined();
    }
}

void
OpusController::Crash(Time restart)
{
    CrashForGood();
    m_restart = Simulator::Schedule(restart, &OpusController::Restart, this);
}

void
OpusController::CrashForGood()
{
    NS_LOG_FUNCTION(this << m_crashStats.leads);
    NS_ABORT_MSG_UNLESS(m_inputs.GetLog() && m_network,
                        "a controller that crashes needs a log and a start");
    if (m_crashStats.leads)
    {
        ++m_crashStats.crashes;
        m_crashStats.downSince = m_crashStats.downSince.value_or(Simulator::Now());
        m_crashTrace();
    }
    Close();
    if (!m_crashed.IsNull())
    {
        m_crashed();
    }
}

void
OpusController::Close()
{
    m_restart.Cancel();
    m_server.Clear();
    m_network->Close(m_port);
    m_inputs.Close();
}

void
OpusController::Restart()
{
    if (m_join.IsNull())
    {
        BeginReplay();
        return;
    }
    m_crashStats.leads = false;
    m_crashStats.downSince.reset();
    m_join();
}

void
OpusController::BeginReplay()
{
    const auto entries = static_cast<int64_t>(m_inputs.GetLog()->GetEntries().size());
    const Time snapshot = m_snapshot.GetEntries() > 0 ? m_snapshotTime : Time();
    m_restart =
        Simulator::Schedule(snapshot + m_replayTime * entries, &OpusController::Recover, this);
}

void
OpusController::Recover()
{
    ControllerLog& log = *m_inputs.GetLog();
    log.RaiseEpoch(GetNextEpoch());
    m_network->Reopen(m_port, log.GetEpoch(), m_identity);
    NS_LOG_INFO("replays " << log.GetEntries().size() << " log entries, epoch " << log.GetEpoch());
    m_replay(true);
    m_machine.CopyState(m_snapshot.GetMachine());
    for (const auto& [peer, channel] : m_snapshot.GetChannels())
    {
        m_network->Restore(m_port, peer, channel.sender, channel.receiver);
    }
    for (const ControllerLog::Entry& entry : log.GetEntries())
    {
        m_network->Restore(m_port, entry.arrival.from, entry.arrival.span);
        m_lastServed = entry.at;
        m_machine.Serve(entry.arrival, entry.at, m_tracesReplay);
        ++m_crashStats.replayed;
    }
    m_replay(false);
    m_crashStats.downSince.reset();
    Listen();
    Announce();
}

void
OpusController::Announce()
{
    for (const auto& peers : {m_leases.GetJobs().GetPeers(), m_machine.GetRights().GetPeers()})
    {
        for (const Address& peer : peers)
        {
            m_network->Announce(m_port, peer);
        }
    }
}

uint32_t
OpusController::GetNextEpoch() const
{
    const uint32_t next = m_inputs.GetLog()->GetEpoch() + 1;
    const bool isOwn = !m_inputs.HasStandby() || next % 2 == (m_isSecond ? 1 : 0);
    return isOwn ? next : next + 1;
}

} // namespace ns3
