// SPDX-License-Identifier: GPL-2.0-only

#include "sender-rights.h"

namespace ns3
{

SenderRights::SenderRights(LeaseService& leases)
    : m_leases(leases)
{
}

void
SenderRights::CopyState(const SenderRights& other)
{
    m_monitor = other.m_monitor;
    m_coordinator = other.m_coordinator;
}

void
SenderRights::SetMonitor(const Address& monitor)
{
    m_monitor = monitor;
}

void
SenderRights::SetCoordinator(const Address& coordinator)
{
    m_coordinator = coordinator;
}

bool
SenderRights::HasCoordinator() const
{
    return !m_coordinator.IsInvalid();
}

std::set<Address>
SenderRights::GetPeers() const
{
    std::set<Address> peers;
    for (const Address& peer : {m_monitor, m_coordinator})
    {
        if (!peer.IsInvalid())
        {
            peers.insert(peer);
        }
    }
    return peers;
}

bool
SenderRights::IsInput(const OpusMessage& message)
{
    switch (message.GetType())
    {
    case OpusMessageType::REQUEST:
    case OpusMessageType::RELEASE:
    case OpusMessageType::BATCH:
    case OpusMessageType::RESTART:
    case OpusMessageType::CONFIGURED:
    case OpusMessageType::FAULT:
    case OpusMessageType::REPLACE:
        return message.GetSerializedSize() <= OpusMessage::MAX_ENTRY;
    default:
        return false;
    }
}

bool
SenderRights::MaySend(const Address& from, const OpusMessage& message)
{
    if (message.Get<OpusBatch>())
    {
        return true;
    }
    if (message.Get<OpusRequest>() || message.Get<OpusRelease>() || message.Get<OpusRestart>())
    {
        const OpusRank& rank = *message.GetRank();
        return m_leases.GetJobs().BindManager(rank.job, rank.rank, from);
    }
    if (message.Get<OpusReport>())
    {
        const Address* agent = m_leases.GetJobs().GetAgent(m_leases.GetRail(message));
        return agent && *agent == from;
    }
    if (const auto* fault = message.Get<OpusFault>())
    {
        return MaySendFault(from, *fault);
    }
    return message.Get<OpusReplace>() && from == m_coordinator;
}

bool
SenderRights::MaySendFault(const Address& from, const OpusFault& fault)
{
    switch (fault.kind)
    {
    case FaultKind::OCS:
        return from == m_monitor;
    case FaultKind::OCS_PORT:
        return m_leases.GetJobs().GetPlaces().Find(from).has_value();
    case FaultKind::GPU:
    case FaultKind::NIC_PORT:
        return m_leases.GetJobs().BindManager(fault.job, fault.rank, from);
    case FaultKind::SHIM:
    case FaultKind::LINK:
    case FaultKind::SWITCH:
        break;
    }
    return false;
}

uint64_t
SenderRights::GetTenant(const Address& from) const
{
    const JobTable& jobs = m_leases.GetJobs();
    if (from == m_monitor || from == m_coordinator || jobs.GetPlaces().Find(from))
    {
        return INFRASTRUCTURE;
    }
    const auto job = jobs.FindJob(from);
    return job ? *job : STRANGER;
}

} // namespace ns3
