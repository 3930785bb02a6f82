// SPDX-License-Identifier: GPL-2.0-only

#include "replicated-log.h"

#include "ns3/assert.h"
#include "ns3/inet-socket-address.h"
#include "ns3/management-port.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

void
ControllerLog::Append(const Entry& entry)
{
    m_entries.push_back(entry);
}

void
ControllerLog::RemoveFirst()
{
    m_entries.pop_front();
}

const std::deque<ControllerLog::Entry>&
ControllerLog::GetEntries() const
{
    return m_entries;
}

uint32_t
ControllerLog::GetEpoch() const
{
    return m_epoch;
}

void
ControllerLog::SetEpoch(uint32_t epoch)
{
    NS_ASSERT_MSG(epoch > m_epoch, "epochs grow");
    m_epoch = epoch;
}

namespace
{

/// Distance from the UDP port of the controller to its UDP ports for the standby.
constexpr uint16_t FIRST_REPLICA_PORT = 100;

} // namespace

ReplicatedLog::ReplicatedLog()
{
    m_disk.SetHandler(MakeCallback(&ReplicatedLog::Store, this));
}

void
ReplicatedLog::SetLog(Ptr<ControllerLog> log)
{
    m_log = log;
}

ControllerLog*
ReplicatedLog::GetLog() const
{
    return PeekPointer(m_log);
}

void
ReplicatedLog::SetStandby(const Address& standby)
{
    m_standby = standby;
}

bool
ReplicatedLog::HasStandby() const
{
    return !m_standby.IsInvalid();
}

void
ReplicatedLog::SetHandlers(Handler commit, Callback<void> yield)
{
    m_commit = commit;
    m_yield = yield;
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
    if (m_replicaPort > 0)
    {
        m_network->Close(m_replicaPort);
    }
}

void
ReplicatedLog::OpenStandby(uint64_t crashes)
{
    // As a new TCP connection: a restarted controller has a new port, so that no earlier data
    // remains.
    m_replicaPort = static_cast<uint16_t>(m_port + FIRST_REPLICA_PORT + crashes % 1000);
    m_lastEntry = 0;
    m_lastStored = 0;
    m_network->Listen(m_replicaPort, MakeCallback(&ReplicatedLog::HandleStandby, this));
}

void
ReplicatedLog::StartHeartbeats(Time interval)
{
    m_heartbeatInterval = interval;
    Heartbeat();
}

void
ReplicatedLog::StopHeartbeats()
{
    m_isOver = true;
    m_heartbeat.Cancel();
}

void
ReplicatedLog::Heartbeat()
{
    if (m_isOver)
    {
        return;
    }
    OpusLead message;
    message.epoch = m_log->GetEpoch();
    m_network->Send(m_replicaPort, m_standby, message);
    m_heartbeat = Simulator::Schedule(m_heartbeatInterval, &ReplicatedLog::Heartbeat, this);
}

void
ReplicatedLog::Yield()
{
    m_network->Send(m_replicaPort, m_standby, OpusYield());
}

void
ReplicatedLog::Put(const OpusArrival& arrival, Time writeTime)
{
    if (m_log)
    {
        m_disk.Put(0, writeTime, arrival);
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
    if (m_standby.IsInvalid())
    {
        Commit(std::move(input));
        return;
    }
    m_pending.push_back(input);
    const InetSocketAddress from = InetSocketAddress::ConvertFrom(arrival.from);
    OpusEntry entry;
    entry.number = ++m_lastEntry;
    entry.fromAddress = from.GetIpv4().Get();
    entry.fromPort = from.GetPort();
    entry.begin = arrival.span.begin;
    entry.end = arrival.span.end;
    entry.acknowledged = input.acknowledged;
    entry.message.push_back(arrival.message);
    m_network->Send(m_replicaPort, m_standby, entry);
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
        m_yield();
        return;
    }
    const auto* stored = message.Get<OpusStored>();
    if (!stored)
    {
        ++m_malformed;
        return;
    }
    for (; m_lastStored < stored->number && !m_pending.empty(); ++m_lastStored)
    {
        ControllerLog::Entry input = std::move(m_pending.front());
        m_pending.pop_front();
        Commit(std::move(input));
    }
}

void
ReplicatedLog::Commit(ControllerLog::Entry entry)
{
    entry.at = Simulator::Now();
    m_log->Append(entry);
    m_network->Confirm(m_port, entry.arrival.from, entry.arrival.span);
    m_commit(entry.arrival);
}

uint64_t
ReplicatedLog::GetForeign() const
{
    return m_foreign;
}

uint64_t
ReplicatedLog::GetMalformed() const
{
    return m_malformed;
}

} // namespace ns3
