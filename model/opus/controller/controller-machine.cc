// SPDX-License-Identifier: GPL-2.0-only

#include "controller-machine.h"

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
    return GetRules().count(message.GetType()) > 0 &&
           message.GetSerializedSize() <= OpusMessage::MAX_ENTRY;
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

ControllerMachine::ControllerMachine(const LeaseService::Traces& leases,
                                     const FaultService::Traces& faults)
    : m_leases(leases),
      m_rights(m_leases),
      m_faults(m_leases, faults)
{
}

void
ControllerMachine::Serve(const OpusArrival& arrival, Time at, bool isTraced)
{
    m_leases.SetInput(at, isTraced);
    Dispatch(arrival);
}

void
ControllerMachine::Dispatch(const OpusArrival& arrival)
{
    const OpusMessage& message = arrival.message;
    if (!m_rights.MaySend(arrival.from, message))
    {
        Refuse(arrival);
        return;
    }
    if (const auto* request = message.Get<OpusRequest>())
    {
        m_leases.HandleRequest(arrival, *request);
    }
    else if (const auto* release = message.Get<OpusRelease>())
    {
        m_leases.HandleRelease(arrival, *release);
    }
    else if (const auto* batch = message.Get<OpusBatch>())
    {
        for (const OpusMessage& part : batch->parts)
        {
            Dispatch({arrival.link, arrival.from, part});
        }
    }
    else if (const auto* report = message.Get<OpusReport>())
    {
        m_leases.HandleReport(*report);
    }
    else if (const auto* restart = message.Get<OpusRestart>())
    {
        m_faults.HandleRestart(arrival, *restart);
    }
    else if (const auto* fault = message.Get<OpusFault>())
    {
        m_faults.HandleFault(arrival, *fault, m_rights.HasCoordinator());
    }
    else if (const auto* replace = message.Get<OpusReplace>())
    {
        m_faults.HandleReplace(arrival, *replace);
    }
    m_faults.UseMendedPorts();
}

void
ControllerMachine::Refuse(const OpusArrival& arrival)
{
    ++m_leases.GetCounters().foreign;
    if (const auto* request = arrival.message.Get<OpusRequest>())
    {
        const std::string error = "rank " + std::to_string(request->rank) + " of job " +
                                  std::to_string(request->job) +
                                  " is unknown, or has another manager";
        m_leases.Send(arrival.from, OpusRefusal{*request, error});
    }
}

ControllerSnapshot::ControllerSnapshot(const LeaseService::Traces& leases,
                                       const FaultService::Traces& faults)
    : m_machine(leases, faults)
{
    m_machine.GetLeases().SetOutput(MakeCallback(&ControllerSnapshot::Send, this));
}

void
ControllerSnapshot::Begin(const ControllerMachine& configured)
{
    m_machine.CopyState(configured);
    m_channels.clear();
    m_entries = 0;
}

void
ControllerSnapshot::Apply(const ControllerLog::Entry& entry, bool isTraced)
{
    const OpusArrival& arrival = entry.arrival;
    Channel& channel = m_channels[arrival.from];
    channel.receiver.Restore(arrival.span);
    channel.sender.Acknowledge(entry.acknowledged, entry.at);
    m_machine.Serve(arrival, entry.at, isTraced);
    ++m_entries;
}

void
ControllerSnapshot::Send(const Address& to, const OpusMessage& message)
{
    m_channels[to].sender.Append(message);
}

} // namespace ns3
