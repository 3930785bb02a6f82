// SPDX-License-Identifier: GPL-2.0-only

#include "replicated-log.h"

#include "ns3/inet-socket-address.h"
#include "ns3/management-port.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{

void
ControllerLog::Truncate(uint64_t count)
{
    while (GetCount() > count && !m_entries.empty())
    {
        m_entries.pop_back();
    }
}

namespace
{

/// Distance from the UDP port of the controller to its UDP ports for the standby.
constexpr uint16_t FIRST_REPLICA_PORT = 100;
/// Number of UDP ports for the standby, which are used in turn.
constexpr uint64_t REPLICA_PORTS = 1000;
/// Time after an attachment until the standby must have answered.
constexpr int64_t FIRST_ANSWER_MILLISECONDS = 1000;

} // namespace

ReplicatedLog::ReplicatedLog()
{
    m_disk.SetHandler(MakeCallback(&ReplicatedLog::Store, this));
}

void
ReplicatedLog::SetNetwork(Ptr<ManagementPort> network, uint16_t port)
{
    m_network = network;
    m_port = port;
}

void
ReplicatedLog::Stop()
{
    m_disk.Clear();
    m_heartbeat.Cancel();
}

void
ReplicatedLog::Close()
{
    Stop();
    m_pending.clear();
    m_isAttached = false;
    if (m_replicaPort > 0)
    {
        m_network->Close(m_replicaPort);
    }
}

bool
ReplicatedLog::Attach(uint64_t committed, uint64_t attempt)
{
    const bool isOld = attempt < m_attempt || (m_isAttached && attempt == m_attempt);
    if (isOld || committed + 1 < m_log->GetFirst() || committed > m_log->GetCount())
    {
        return false;
    }
    if (m_replicaPort > 0)
    {
        m_network->Close(m_replicaPort);
    }
    m_replicaPort =
        static_cast<uint16_t>(m_port + FIRST_REPLICA_PORT + m_attachments++ % REPLICA_PORTS);
    m_network->Listen(m_replicaPort, MakeCallback(&ReplicatedLog::HandleStandby, this));
    m_isAttached = true;
    m_missed = m_log->GetCount();
    m_attempt = attempt;
    m_kept = committed;
    m_lastRx = Simulator::Now() + MilliSeconds(FIRST_ANSWER_MILLISECONDS);
    m_asked.reset();
    m_heartbeat.Cancel();
    Heartbeat(); // tells the standby what the entries that follow belong to
    uint64_t number = m_log->GetFirst();
    for (const auto* inputs : {&m_log->GetEntries(), &std::as_const(m_pending)})
    {
        for (const ControllerLog::Entry& input : *inputs)
        {
            if (number > committed)
            {
                SendEntry(number, input);
            }
            ++number;
        }
    }
    return true;
}

void
ReplicatedLog::Heartbeat()
{
    if (m_isOver)
    {
        return;
    }
    const Time now = Simulator::Now();
    const Time silence = now - m_lastRx;
    // The majority knows whether the standby has taken over, even if messages are lost.
    if (silence >= m_timeout && m_asked && m_network->HasMajority(m_port, *m_asked))
    {
        Detach();
        return;
    }
    if (silence >= m_timeout / 2 && (!m_asked || now - *m_asked >= m_timeout / 2))
    {
        m_asked = now;
        m_notify(SILENT);
    }
    m_network->Send(
        m_replicaPort,
        m_standby,
        OpusLead{m_log->GetEpoch(), m_log->GetCount(), m_log->IsAlone(), m_attempt, m_kept});
    m_heartbeat = Simulator::Schedule(m_heartbeatInterval, &ReplicatedLog::Heartbeat, this);
}

void
ReplicatedLog::Detach()
{
    m_isAttached = false;
    m_log->SetAlone(true);
    m_network->Close(m_replicaPort);
    m_notify(LOST);
    while (!m_pending.empty() && !m_isAttached)
    {
        CommitPending();
    }
}

void
ReplicatedLog::Put(const OpusArrival& arrival, Time writeTime, uint64_t tenant)
{
    if (m_log)
    {
        m_disk.Put(0, writeTime, arrival, tenant);
    }
    else
    {
        m_commit(arrival);
    }
}

void
ReplicatedLog::Store(const OpusArrival& arrival)
{
    ControllerLog::Entry input{arrival, Time(), m_network->GetAcknowledged(m_port, arrival.from)};
    if (!m_isAttached)
    {
        Commit(std::move(input));
        return;
    }
    m_pending.push_back(input);
    SendEntry(m_log->GetCount() + m_pending.size(), input);
}

void
ReplicatedLog::SendEntry(uint64_t number, const ControllerLog::Entry& input)
{
    const OpusArrival& arrival = input.arrival;
    const InetSocketAddress from = InetSocketAddress::ConvertFrom(arrival.from);
    m_network->Send(m_replicaPort,
                    m_standby,
                    OpusEntry{number,
                              from.GetIpv4().Get(),
                              from.GetPort(),
                              arrival.span.begin,
                              arrival.span.end,
                              input.acknowledged,
                              {arrival.message}});
}

void
ReplicatedLog::HandleStandby(const Address& from, const OpusMessage& message)
{
    if (from != m_standby)
    {
        ++m_foreign;
        return;
    }
    if (message.Get<OpusYield>())
    {
        m_notify(TOOK_OVER);
        return;
    }
    const auto* stored = message.Get<OpusStored>();
    if (!stored)
    {
        ++m_malformed;
        return;
    }
    m_lastRx = Simulator::Now();
    m_asked.reset();
    m_log->SetStored(std::min(stored->number, m_log->GetCount() + m_pending.size()));
    if (stored->number >= m_missed)
    {
        m_log->SetAlone(false);
    }
    while (m_log->GetCount() < stored->number && !m_pending.empty())
    {
        CommitPending();
    }
}

void
ReplicatedLog::CommitPending()
{
    ControllerLog::Entry input = std::move(m_pending.front());
    m_pending.pop_front();
    Commit(std::move(input));
}

void
ReplicatedLog::Commit(ControllerLog::Entry entry)
{
    entry.at = Simulator::Now();
    m_log->Append(entry);
    m_log->SetCommitted(m_log->GetCount());
    m_network->Confirm(m_port, entry.arrival.from, entry.arrival.span);
    m_commit(entry.arrival);
}

} // namespace ns3
