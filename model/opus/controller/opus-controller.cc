// SPDX-License-Identifier: GPL-2.0-only

#include "opus-controller.h"

#include "ns3/abort.h"
#include "ns3/kept-rule.h"
#include "ns3/log.h"
#include "ns3/management-port.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OpusController");

void
OpusController::DoDispose()
{
    m_server.Clear();
    m_server.SetHandler(MessageServer::Handler());
    m_disk.Clear();
    m_disk.SetHandler(MessageServer::Handler());
    m_restart.Cancel();
    m_heartbeat.Cancel();
    m_network = nullptr;
    Application::DoDispose();
}

void
OpusController::StartApplication()
{
    m_network = GetNode()->GetObject<ManagementPort>();
    NS_ABORT_MSG_UNLESS(m_network, "a controller needs a management port on its node");
    NS_ABORT_MSG_IF(m_log && !m_network->IsReliable(),
                    "a controller with a log needs a Reliable port");
    if (m_isWaiting)
    {
        return;
    }
    m_lives.leads = true;
    Listen();
    if (!m_standby.IsInvalid())
    {
        m_network->SetDeposed(m_port, MakeCallback(&OpusController::StepDown, this));
        OpenReplica();
        Heartbeat();
    }
}

void
OpusController::StopApplication()
{
    m_server.Clear();
    m_disk.Clear();
    m_restart.Cancel();
    m_heartbeat.Cancel();
    m_network->Listen(m_port, ManagementPort::ReceiveCallback());
}

void
OpusController::HandleMessage(const Address& from, const OpusMessage& message)
{
    NS_LOG_FUNCTION(this << message);
    if (!KeepsRule("log"))
    {
        m_network->Confirm(m_port, from, m_network->GetSpan());
    }
    m_server.Put(GetThread(message),
                 MessageCost{m_messageTime, m_byteTime}.Get(message),
                 {0, from, message, m_network->GetSpan()});
}

std::size_t
OpusController::GetThread(const OpusMessage& message) const
{
    if (m_threads == 1)
    {
        return 0;
    }
    if (message.type == OpusMessageType::CONFIGURED)
    {
        return m_commands.GetSwitch(message.command) % m_threads;
    }
    const bool isBatch = message.type == OpusMessageType::BATCH && !message.parts.empty();
    const OpusMessage& first = isBatch ? message.parts.front() : message;
    return m_jobs.GetRail(first.job, first.rank) % m_threads;
}

void
OpusController::Serve(const OpusArrival& arrival)
{
    m_lastServed = GetTime();
    const OpusMessage& message = arrival.message;
    switch (message.type)
    {
    case OpusMessageType::REQUEST:
        ++m_stats.requests;
        if (!m_jobs.Hear(message.job, message.rank, arrival.from))
        {
            Reject(arrival);
            break;
        }
        HandleRequest(message);
        break;
    case OpusMessageType::RELEASE:
        ++m_stats.releases;
        if (!m_jobs.Hear(message.job, message.rank, arrival.from))
        {
            Reject(arrival);
            break;
        }
        HandleRelease(message);
        break;
    case OpusMessageType::BATCH:
        HandleBatch(arrival);
        break;
    case OpusMessageType::CONFIGURED:
        HandleReport(arrival);
        break;
    case OpusMessageType::RESTART:
        if (!m_jobs.Hear(message.job, message.rank, arrival.from))
        {
            Reject(arrival);
            break;
        }
        HandleRestart(message);
        break;
    case OpusMessageType::FAULT:
        HandleFault(arrival);
        break;
    case OpusMessageType::REPLACE:
        HandleReplace(arrival);
        break;
    default:
        ++m_stats.malformed;
    }
}

void
OpusController::HandleRequest(const OpusMessage& message)
{
    const GroupKey key{message.job, message.group};
    const CircuitLedger::Lease lease{message.rank, message.lease};
    const std::string error = Admit(key, message);
    if (error.empty())
    {
        if (IsTold())
        {
            m_heard(message);
        }
        m_times.Ask(key, GetTime());
        Perform(m_ledger.Ask(key, lease, message.completed, message.passive, message.speculative));
        m_times.Update(key, m_ledger.GetWaiting(key), GetTime());
    }
    else
    {
        Refuse(key, lease, error);
    }
}

void
OpusController::HandleRelease(const OpusMessage& message)
{
    const GroupKey key{message.job, message.group};
    if (IsTold())
    {
        m_heard(message);
    }
    Perform(m_ledger.Release(key, {message.rank, message.lease}, message.completed));
    m_times.Update(key, m_ledger.GetWaiting(key), GetTime());
}

void
OpusController::HandleBatch(const OpusArrival& arrival)
{
    for (const OpusMessage& message : arrival.message.parts)
    {
        Serve({arrival.link, arrival.from, message});
    }
}

std::string
OpusController::Admit(const GroupKey& key, const OpusMessage& message)
{
    if (const std::string failure = m_jobs.GetFailure(message.job); !failure.empty())
    {
        return failure;
    }
    std::vector<uint32_t> ranks = m_ledger.GetRanks(key);
    if (ranks.empty())
    {
        if (message.ranks.size() < 2)
        {
            return "a group of " + std::to_string(message.ranks.size()) + " needs no circuits";
        }
        if (m_jobs.GetGroups(message.job) >= m_maxGroups)
        {
            return "job " + std::to_string(message.job) + " has " + std::to_string(m_maxGroups) +
                   " groups, which is all that it may have";
        }
        const CircuitPlanner::Result& result = m_jobs.Plan(message.job, message.ranks);
        if (!result.error.empty())
        {
            if (m_jobs.HasAvoided(message.job))
            {
                FailJob(message.job, "ports have been lost, and " + result.error);
            }
            return result.error;
        }
        m_ledger.AddGroup(key, message.ranks, result.plan);
        m_jobs.CountGroup(message.job);
        ranks = message.ranks;
    }
    if (m_ledger.GetState(key) == CircuitLedger::GroupState::FAILED)
    {
        return "a switch has refused the circuits of the group";
    }
    if (!message.ranks.empty() && message.ranks != ranks)
    {
        return "rank " + std::to_string(message.rank) + " names other members than those before it";
    }
    if (std::find(ranks.begin(), ranks.end(), message.rank) == ranks.end())
    {
        return "rank " + std::to_string(message.rank) + " is not a member";
    }
    return "";
}

void
OpusController::Reject(const OpusArrival& arrival)
{
    NS_LOG_WARN("not the manager of the rank: " << arrival.message);
    ++m_stats.foreign;
    if (arrival.message.type == OpusMessageType::REQUEST)
    {
        OpusMessage reply = arrival.message;
        reply.type = OpusMessageType::REFUSE;
        reply.error = "rank " + std::to_string(reply.rank) + " of job " +
                      std::to_string(reply.job) + " is heard through another manager";
        m_network->Send(m_port, arrival.from, reply);
    }
}

void
OpusController::Refuse(const GroupKey& key,
                       const CircuitLedger::Lease& lease,
                       const std::string& error)
{
    NS_LOG_WARN("group " << key.id << " of job " << key.job << ": " << error);
    ++m_stats.refusals;
    OpusMessage reply(OpusMessageType::REFUSE);
    reply.job = key.job;
    reply.group = key.id;
    reply.rank = lease.rank;
    reply.lease = lease.number;
    reply.error = error;
    Tell(lease.rank, reply);
}

void
OpusController::Perform(const CircuitLedger::Actions& actions)
{
    for (const auto& action : actions.switches)
    {
        ++m_stats.reconfigurations;
        m_times.Switch(action, GetTime());
        m_stats.circuitsMade += action.make.size();
        m_stats.circuitsDropped += action.drop.size();
        if (m_commands.Add(action))
        {
            Command(action);
        }
    }
    for (const auto& grant : actions.grants)
    {
        ++m_stats.grants;
        m_times.Grant(grant.group, GetTime());
        m_stats.cacheHits += grant.switched ? 0 : 1;
        OpusMessage message(OpusMessageType::GRANT);
        message.job = grant.group.job;
        message.group = grant.group.id;
        message.duration = grant.switched ? m_switching[grant.group] : Time();
        m_switching.erase(grant.group);
        if (IsTold())
        {
            m_groupGranted(message.job, message.group, message.duration, !grant.switched);
        }
        for (const auto& lease : grant.leases)
        {
            message.rank = lease.rank;
            message.lease = lease.number;
            Tell(lease.rank, message);
        }
    }
    for (const auto& recall : actions.recalls)
    {
        OpusMessage message(OpusMessageType::RECALL);
        message.job = recall.group.job;
        message.group = recall.group.id;
        message.limit = recall.limit;
        message.speculative = recall.speculative;
        for (const auto& lease : recall.leases)
        {
            ++m_stats.recalls;
            message.rank = lease.rank;
            message.lease = lease.number;
            Tell(lease.rank, message);
        }
    }
}

void
OpusController::Command(const CircuitLedger::Switch& action)
{
    if (IsTold())
    {
        m_begin(action.group.job, action.group.id, action.ocs, action.drop, action.make);
    }
    OpusMessage message(OpusMessageType::CONFIGURE);
    message.command = action.command;
    message.drop = action.drop;
    message.make = action.make;
    m_network->Send(m_port, *m_jobs.GetAgent(action.ocs), message);
}

void
OpusController::SendWaiting(uint32_t ocs)
{
    while (const auto next = m_commands.Next(ocs))
    {
        Command(*next);
    }
}

void
OpusController::HandleReport(const OpusArrival& arrival)
{
    const OpusMessage& message = arrival.message;
    const Address* agent = m_jobs.GetAgent(m_commands.GetSwitch(message.command));
    if (agent && *agent != arrival.from)
    {
        ++m_stats.foreign;
        return;
    }
    const auto reported = m_commands.Take(message.command);
    if (!reported)
    {
        ++m_stats.malformed;
        return;
    }
    const CircuitLedger::Switch& action = *reported;
    SendWaiting(action.ocs);
    if (!message.error.empty())
    {
        m_times.Refuse(action, GetTime());
        CircuitLedger::Recall failed;
        const auto actions = m_ledger.ReportRefusal(action.command, failed);
        for (const auto& lease : failed.leases)
        {
            Refuse(failed.group, lease, message.error);
        }
        Perform(actions);
        return;
    }
    if (IsTold())
    {
        m_end(action.group.job, action.group.id, action.ocs, action.drop, action.make);
    }
    m_times.Light(action, GetTime());
    Time& longest = m_switching[action.group];
    longest = std::max(longest, message.duration);
    Perform(m_ledger.ReportLight(action.command));
}

void
OpusController::Tell(uint32_t rank, const OpusMessage& message)
{
    const Address* manager = m_jobs.GetManager(message.job, rank);
    if (!manager)
    {
        NS_LOG_WARN("no way to rank " << rank);
        return;
    }
    if (IsTold())
    {
        m_told(message);
    }
    m_network->Send(m_port, *manager, message);
}

} // namespace ns3
