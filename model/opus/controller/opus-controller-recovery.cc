// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The log of a controller, and what it does after a crash.
 */

#include "opus-controller.h"

#include "ns3/abort.h"
#include "ns3/inet-socket-address.h"
#include "ns3/management-port.h"
#include "ns3/simulator.h"

namespace ns3
{

namespace
{

/// UDP ports on which a standby is heard follow that of the controller so far behind.
constexpr uint16_t FIRST_REPLICA_PORT = 100;

} // namespace

void
OpusController::SetLog(Ptr<ControllerLog> log)
{
    m_log = log;
}

void
OpusController::SetStandby(const Address& standby)
{
    m_standby = standby;
}

void
OpusController::SetWaiting()
{
    m_isWaiting = true;
}

void
OpusController::StopHeartbeats()
{
    m_isOver = true;
    m_heartbeat.Cancel();
}

void
OpusController::OpenReplica()
{
    // As a TCP connection: a new life has a port of its own, so that nothing is left of the old.
    m_replicaPort = static_cast<uint16_t>(m_port + FIRST_REPLICA_PORT + m_lives.crashes % 1000);
    m_lastEntry = 0;
    m_lastStored = 0;
    m_network->Listen(m_replicaPort, MakeCallback(&OpusController::HandleStandby, this));
}

void
OpusController::Heartbeat()
{
    if (m_isOver)
    {
        return;
    }
    OpusMessage message(OpusMessageType::LEAD);
    message.command = m_log->GetEpoch();
    m_network->Send(m_replicaPort, m_standby, message);
    m_heartbeat = Simulator::Schedule(m_heartbeatInterval, &OpusController::Heartbeat, this);
}

void
OpusController::HandleStandby(const Address& from, const OpusMessage& message)
{
    if (from != m_standby || !m_lives.leads)
    {
        ++m_stats.foreign;
        return;
    }
    if (message.type == OpusMessageType::YIELD)
    {
        // Not now: a channel is being read that this would close.
        Simulator::ScheduleNow(&OpusController::StepDown, Ptr<OpusController>(this));
        return;
    }
    if (message.type != OpusMessageType::STORED)
    {
        ++m_stats.malformed;
        return;
    }
    for (; m_lastStored < message.command && !m_pending.empty(); ++m_lastStored)
    {
        const OpusArrival arrival = m_pending.front();
        m_pending.pop_front();
        Commit(arrival);
    }
}

void
OpusController::StepDown()
{
    if (m_lives.leads && m_network)
    {
        m_lives.leads = false;
        Close();
    }
}

void
OpusController::TakeOver(Ipv4Address primary, uint32_t epoch)
{
    NS_ABORT_MSG_UNLESS(m_isWaiting && m_log && m_network, "a controller that waits takes over");
    m_isWaiting = false;
    m_lives.leads = true;
    m_identity = primary.Get();
    if (epoch > m_log->GetEpoch())
    {
        m_log->SetEpoch(epoch);
    }
    BeginReplay();
}

void
OpusController::Listen()
{
    m_network->Listen(m_port, MakeCallback(&OpusController::HandleMessage, this), m_log != nullptr);
}

void
OpusController::Write(const OpusArrival& arrival)
{
    if (m_log)
    {
        m_disk.Put(0, m_writeTime, arrival);
    }
    else
    {
        Serve(arrival);
    }
}

void
OpusController::Store(const OpusArrival& arrival)
{
    if (m_standby.IsInvalid())
    {
        Commit(arrival);
        return;
    }
    m_pending.push_back(arrival);
    const InetSocketAddress from = InetSocketAddress::ConvertFrom(arrival.from);
    OpusMessage entry(OpusMessageType::ENTRY);
    entry.command = ++m_lastEntry;
    entry.fromAddress = from.GetIpv4().Get();
    entry.fromPort = from.GetPort();
    entry.begin = arrival.span.begin;
    entry.end = arrival.span.end;
    entry.parts.push_back(arrival.message);
    m_network->Send(m_replicaPort, m_standby, entry);
}

void
OpusController::Commit(const OpusArrival& arrival)
{
    m_log->Append(arrival, Simulator::Now());
    m_network->Confirm(m_port, arrival.from, arrival.span);
    Serve(arrival);
}

bool
OpusController::IsTold() const
{
    return !m_replayed || m_tracesReplay;
}

Time
OpusController::GetTime() const
{
    return m_replayed ? m_replayed->at : Simulator::Now();
}

void
OpusController::Crash(Time restart)
{
    Die();
    if (!m_lives.leads)
    {
        return;
    }
    m_restart = Simulator::Schedule(restart, &OpusController::BeginReplay, this);
}

void
OpusController::Die()
{
    NS_ABORT_MSG_UNLESS(m_log && m_network, "a controller that crashes needs a log and a start");
    if (!m_lives.leads)
    {
        return; // it is not the controller any more
    }
    ++m_lives.crashes;
    m_downSince = m_downSince.value_or(Simulator::Now());
    Close();
}

void
OpusController::Close()
{
    m_restart.Cancel();
    m_heartbeat.Cancel();
    m_server.Clear();
    m_disk.Clear();
    m_pending.clear();
    m_network->Close(m_port);
    if (m_replicaPort > 0)
    {
        m_network->Close(m_replicaPort);
    }
}

void
OpusController::BeginReplay()
{
    if (!m_standby.IsInvalid())
    {
        OpenReplica();
        m_network->Send(m_replicaPort, m_standby, OpusMessage(OpusMessageType::YIELD));
        return;
    }
    const auto entries = static_cast<int64_t>(m_log->GetEntries().size());
    m_restart = Simulator::Schedule(m_replayTime * entries, &OpusController::Recover, this);
}

void
OpusController::Recover()
{
    m_jobs = m_configured;
    m_times = AdmissionTimes();
    OpenLedger();
    m_commands = CommandWindow();
    m_commands.SetWindow(m_window);
    m_switching.clear();
    m_stats = Stats();
    m_log->SetEpoch(m_log->GetEpoch() + 1);
    m_network->Reopen(m_port, m_log->GetEpoch(), m_identity);
    m_replay(true);
    for (const ControllerLog::Entry& entry : m_log->GetEntries())
    {
        m_network->Restore(m_port, entry.arrival.from, entry.arrival.span);
        m_replayed = &entry;
        Serve(entry.arrival);
        ++m_lives.replayed;
    }
    m_replayed = nullptr;
    m_replay(false);
    m_lives.recovered = Simulator::Now();
    if (m_downSince)
    {
        m_lives.down += Simulator::Now() - *m_downSince;
        m_downSince.reset();
    }
    Listen();
    for (const Address& peer : m_jobs.GetPeers())
    {
        m_network->Announce(m_port, peer);
    }
    if (!m_monitor.IsInvalid())
    {
        m_network->Announce(m_port, m_monitor);
    }
}

OpusController::Lives
OpusController::GetLives() const
{
    Lives lives = m_lives;
    lives.downSince = m_downSince;
    if (m_downSince)
    {
        lives.down += Simulator::Now() - *m_downSince;
    }
    return lives;
}

} // namespace ns3
