// SPDX-License-Identifier: GPL-2.0-only

#include "replicated-log.h"

#include "ns3/assert.h"
#include "ns3/inet-socket-address.h"
#include "ns3/management-port.h"
#include "ns3/simulator.h"

namespace ns3
{

void
ControllerLog::Append(const OpusArrival& arrival, Time now)
{
    m_entries.push_back(Entry{arrival, now});
}

const std::vector<ControllerLog::Entry>&
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
    if (m_standby.IsInvalid())
    {
        Commit(arrival);
        return;
    }
    m_pending.push_back(arrival);
    const InetSocketAddress from = InetSocketAddress::ConvertFrom(arrival.from);
    OpusEntry entry;
    entry.number = ++m_lastEntry;
    entry.fromAddress = from.GetIpv4().Get();
    entry.fromPort = from.GetPort();
    entry.begin = arrival.span.begin;
    entry.end = arrival.span.end;
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
        const OpusArrival arrival = m_pending.front();
        m_pending.pop_front();
        Commit(arrival);
    }
}

void
ReplicatedLog::Commit(const OpusArrival& arrival)
{
    m_log->Append(arrival, Simulator::Now());
    m_network->Confirm(m_port, arrival.from, arrival.span);
    m_commit(arrival);
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
