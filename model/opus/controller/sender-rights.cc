// SPDX-License-Identifier: GPL-2.0-only

#include "sender-rights.h"

namespace ns3
{

SenderRights::SenderRights(LeaseService& leases)
    : m_leases(leases)
{
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

const std::map<OpusMessageType, SenderRights::Rule>&
SenderRights::GetRules()
{
    static const std::map<OpusMessageType, Rule> rules{
        {OpusMessageType::REQUEST, &SenderRights::IsManagerOfRank},
        {OpusMessageType::RELEASE, &SenderRights::IsManagerOfRank},
        {OpusMessageType::RESTART, &SenderRights::IsManagerOfRank},
        {OpusMessageType::LEASES, &SenderRights::IsManagerOfRank},
        {OpusMessageType::CIRCUITS, &SenderRights::IsAgent},
        {OpusMessageType::BATCH, &SenderRights::IsAnybody},
        {OpusMessageType::CONFIGURED, &SenderRights::IsAgentOfCommand},
        {OpusMessageType::FAULT, &SenderRights::IsReporterOfFault},
        {OpusMessageType::REPLACE, &SenderRights::IsRecoveryCoordinator},
    };
    return rules;
}

bool
SenderRights::IsInput(const OpusMessage& message)
{
    return GetRules().count(message.GetType()) > 0;
}

bool
SenderRights::MaySend(const Address& from, const OpusMessage& message)
{
    const auto rule = GetRules().find(message.GetType());
    return rule != GetRules().end() && (this->*rule->second)(from, message);
}

bool
SenderRights::IsAnybody(const Address& /* from */, const OpusMessage& /* message */)
{
    return true;
}

bool
SenderRights::IsManagerOfRank(const Address& from, const OpusMessage& message)
{
    const OpusRank& rank = *message.GetRank();
    return m_leases.GetJobs().BindManager(rank.job, rank.rank, from);
}

bool
SenderRights::IsAgentOfCommand(const Address& from, const OpusMessage& message)
{
    const Address* agent = m_leases.GetJobs().GetPlaces().GetAgent(m_leases.GetRail(message));
    return agent && *agent == from;
}

bool
SenderRights::IsAgent(const Address& from, const OpusMessage& /* message */)
{
    return m_leases.GetJobs().GetPlaces().Find(from).has_value();
}

bool
SenderRights::IsRecoveryCoordinator(const Address& from, const OpusMessage& /* message */)
{
    return from == m_coordinator;
}

bool
SenderRights::IsReporterOfFault(const Address& from, const OpusMessage& message)
{
    const auto& fault = *message.Get<OpusFault>();
    switch (fault.kind)
    {
    case FaultKind::OCS:
        return from == m_monitor;
    case FaultKind::OCS_PORT:
        return IsAgent(from, message);
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
