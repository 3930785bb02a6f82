// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The log of a controller, and what it does after a crash.
 */

#include "management-port.h"
#include "opus-controller.h"

#include "ns3/abort.h"
#include "ns3/simulator.h"

namespace ns3
{

void
OpusController::SetLog(Ptr<ControllerLog> log)
{
    m_log = log;
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
    m_log->Append(arrival, Simulator::Now());
    m_network->Confirm(m_port, arrival.from, arrival.span);
    Serve(arrival);
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
    m_restart = Simulator::Schedule(restart, &OpusController::BeginReplay, this);
}

void
OpusController::Die()
{
    NS_ABORT_MSG_UNLESS(m_log && m_network, "a controller that crashes needs a log and a start");
    ++m_lives.crashes;
    m_downSince = m_downSince.value_or(Simulator::Now());
    m_restart.Cancel();
    m_server.Clear();
    m_disk.Clear();
    m_network->Close(m_port);
}

void
OpusController::BeginReplay()
{
    const auto entries = static_cast<int64_t>(m_log->GetEntries().size());
    m_restart = Simulator::Schedule(m_replayTime * entries, &OpusController::Recover, this);
}

void
OpusController::Recover()
{
    m_jobs = m_configured;
    m_times = AdmissionTimes();
    m_ledger = CircuitLedger();
    m_commands = CommandWindow();
    m_commands.SetWindow(m_window);
    m_switching.clear();
    m_stats = Stats();
    m_log->SetEpoch(m_log->GetEpoch() + 1);
    m_network->Reopen(m_port, m_log->GetEpoch());
    for (const ControllerLog::Entry& entry : m_log->GetEntries())
    {
        m_network->Restore(m_port, entry.arrival.from, entry.arrival.span);
        m_replayed = &entry;
        Serve(entry.arrival);
        ++m_lives.replayed;
    }
    m_replayed = nullptr;
    m_lives.down += Simulator::Now() - *m_downSince;
    m_downSince.reset();
    Listen();
    for (const Address& peer : m_jobs.GetPeers())
    {
        m_network->Announce(m_port, peer);
    }
}

OpusController::Lives
OpusController::GetLives() const
{
    Lives lives = m_lives;
    if (m_downSince)
    {
        lives.down += Simulator::Now() - *m_downSince;
    }
    return lives;
}

} // namespace ns3
