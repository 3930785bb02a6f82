// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * What a controller does when it hears that something is broken. All that it knows of faults comes
 * in messages that are served as any other.
 */

#include "opus-controller.h"

#include "ns3/log.h"
#include "ns3/management-port.h"

#include <algorithm>
#include <set>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OpusControllerFaults");

namespace
{

/// @return ranks in words; of many, the first and the last
std::string
RanksToText(const std::vector<uint32_t>& ranks)
{
    constexpr std::size_t MOST = 4;
    std::string text;
    for (std::size_t i = 0; i < ranks.size(); ++i)
    {
        if (ranks.size() > MOST && i == MOST - 1)
        {
            text += " ...";
            i = ranks.size() - 1;
        }
        text += (i == 0 ? "" : " ") + std::to_string(ranks[i]);
    }
    return "[" + text + "]";
}

} // namespace

void
OpusController::HandleFault(const OpusArrival& arrival)
{
    OpusMessage fault = arrival.message;
    if (fault.fault == FaultKind::OCS_PORT)
    {
        // An agent does not know by which number its switch goes.
        fault.ocs = m_jobs.GetPlaces().Find(arrival.from).value_or(fault.ocs);
    }
    const std::string consequence = Answer(arrival.from, fault);
    if (consequence.empty())
    {
        ++m_stats.foreign;
        return;
    }
    ++m_stats.faults;
    if (IsTold())
    {
        m_faultServed(fault, consequence);
    }
}

std::string
OpusController::Answer(const Address& from, const OpusMessage& fault)
{
    switch (fault.fault)
    {
    case FaultKind::OCS:
        if (from == m_monitor)
        {
            return HandleSwitch(fault.ocs, fault.mended);
        }
        break;
    case FaultKind::OCS_PORT:
        if (m_jobs.GetPlaces().Find(from))
        {
            return HandleSwitchPort(fault.ocs, fault);
        }
        break;
    case FaultKind::GPU:
    case FaultKind::NIC_PORT:
        if (m_jobs.Hear(fault.job, fault.rank, from))
        {
            return HandleRankFault(fault);
        }
        break;
    case FaultKind::SHIM:
        break;
    }
    return "";
}

std::string
OpusController::HandleSwitch(uint32_t ocs, bool works)
{
    SwitchPlaces& places = m_jobs.GetPlaces();
    places.SetWorking(ocs, works);
    const auto rail = places.GetRail(ocs);
    if (!rail)
    {
        return works ? "it may take a rail" : "it carried no rail";
    }
    if (!works)
    {
        return MoveRail(*rail, "optical circuit switch " + std::to_string(ocs) + " has failed");
    }
    // It was off so shortly that nobody has missed it, but its circuits are gone.
    Rebuild(*rail);
    return "circuits of rail " + std::to_string(*rail) + " were made again";
}

std::string
OpusController::HandleSwitchPort(uint32_t ocs, const OpusMessage& fault)
{
    const auto rail = m_jobs.GetPlaces().GetRail(ocs);
    if (!rail)
    {
        return "it carries no rail";
    }
    const auto port = m_jobs.FindPort({*rail, fault.port});
    if (fault.mended)
    {
        return port && m_jobs.IsAvoided(*port) ? "its circuits stay as they are"
                                               : "it may be used again";
    }
    if (const std::string consequence = MoveToSpare(*rail); !consequence.empty())
    {
        return consequence;
    }
    return port ? LosePort(*port,
                           "port " + std::to_string(fault.port) + " of optical circuit switch " +
                               std::to_string(ocs) + " stays dark and no spare is left for rail " +
                               std::to_string(*rail))
                : "no rank is cabled there";
}

std::string
OpusController::HandleRankFault(const OpusMessage& fault)
{
    const JobTable::NicPort port{fault.job, fault.rank, fault.port};
    if (fault.mended)
    {
        return m_jobs.IsAvoided(port) ? "its circuits stay as they are" : "it may be used again";
    }
    const std::string gpu = "GPU " + std::to_string(fault.rank);
    if (fault.fault == FaultKind::GPU && !m_coordinator.IsInvalid())
    {
        return "its rank waits for the recovery coordinator";
    }
    if (fault.fault == FaultKind::GPU)
    {
        return FailJob(fault.job,
                       gpu + " has left" + Describe(GetGroupsInUse(fault.job, fault.rank)));
    }
    return LosePort(port,
                    "port " + std::to_string(fault.port) + " of the NIC of " + gpu + " has failed");
}

std::vector<GroupKey>
OpusController::GetGroupsInUse(uint32_t job, uint32_t rank) const
{
    std::vector<GroupKey> groups = m_ledger.GetGroupsInUse(job);
    const auto isOther = [&](const GroupKey& key) {
        const auto& ranks = m_ledger.GetRanks(key);
        return std::find(ranks.begin(), ranks.end(), rank) == ranks.end();
    };
    groups.erase(std::remove_if(groups.begin(), groups.end(), isOther), groups.end());
    return groups;
}

std::string
OpusController::LosePort(const JobTable::NicPort& port, const std::string& reason)
{
    if (!m_jobs.GetFailure(port.job).empty())
    {
        return "job " + std::to_string(port.job) + " had failed before";
    }
    if (!m_jobs.Avoid(port))
    {
        return "it was not used any more";
    }
    const auto groups = m_ledger.GetGroups(port.job, port.rank);
    for (const GroupKey& key : groups)
    {
        const std::string& error = m_jobs.Plan(key.job, m_ledger.GetRanks(key)).error;
        if (!error.empty())
        {
            return FailJob(port.job,
                           reason + ", and " + error +
                               Describe(GetGroupsInUse(port.job, port.rank)));
        }
    }
    const uint32_t rail = m_jobs.GetRail(port.job, port.rank);
    for (const uint32_t rank : m_jobs.GetRanks(port.job))
    {
        if (m_jobs.GetRail(port.job, rank) == rail)
        {
            TellAvoided(port.job, rank, {port});
        }
    }
    for (const GroupKey& key : groups)
    {
        Perform(m_ledger.Replan(key, m_jobs.Plan(key.job, m_ledger.GetRanks(key)).plan));
        m_times.Update(key, m_ledger.GetWaiting(key), GetTime());
    }
    return std::to_string(groups.size()) + (groups.size() == 1 ? " group goes" : " groups go") +
           " on over the ports that are left";
}

void
OpusController::TellAvoided(uint32_t job,
                            uint32_t rank,
                            const std::vector<JobTable::NicPort>& ports)
{
    OpusMessage message(OpusMessageType::AVOID);
    message.job = job;
    message.rank = rank;
    for (const auto& port : ports)
    {
        message.groups.push_back(uint64_t{m_jobs.GetGpu(port.job, port.rank)} << 32 | port.port);
    }
    if (!ports.empty())
    {
        Tell(rank, message);
    }
}

void
OpusController::HandleRestart(const OpusMessage& message)
{
    ++m_stats.faults;
    if (IsTold())
    {
        m_heard(message);
    }
    const std::vector<GroupKey> groups = m_ledger.GetGroupsInUse(message.job);
    Perform(m_ledger.Restart(message.job,
                             message.rank,
                             {message.groups.begin(), message.groups.end()}));
    for (const GroupKey& key : groups)
    {
        m_times.Update(key, m_ledger.GetWaiting(key), GetTime());
    }
    const uint32_t rail = m_jobs.GetRail(message.job, message.rank);
    TellAvoided(message.job, message.rank, m_jobs.GetAvoided(message.job, rail));
    OpusMessage fault = message;
    fault.fault = FaultKind::SHIM;
    if (IsTold())
    {
        m_faultServed(fault,
                      "it asks again for " + std::to_string(message.groups.size()) +
                          (message.groups.size() == 1 ? " group" : " groups"));
    }
}

void
OpusController::HandleReplace(const OpusArrival& arrival)
{
    if (arrival.from != m_coordinator)
    {
        ++m_stats.foreign;
        return;
    }
    OpusMessage reply(OpusMessageType::REPLACED);
    reply.job = arrival.message.job;
    reply.command = arrival.message.command;
    reply.error = Replace(arrival.message);
    m_network->Send(m_port, arrival.from, reply);
}

std::string
OpusController::Replace(const OpusMessage& message)
{
    const uint32_t job = message.job;
    if (const std::string failure = m_jobs.GetFailure(job); !failure.empty())
    {
        return failure;
    }
    // All ranks have stopped: what they hold they will not give back themselves if they are gone.
    for (const uint32_t rank : m_jobs.GetRanks(job))
    {
        Perform(m_ledger.Restart(job, rank, {}));
    }
    std::set<GroupKey> groups;
    for (uint32_t rank = 0; rank < message.groups.size(); ++rank)
    {
        const auto gpu = static_cast<uint32_t>(message.groups[rank]);
        if (m_jobs.GetGpu(job, rank) == gpu)
        {
            continue;
        }
        if (std::string error = m_jobs.Move(job, rank, gpu); !error.empty())
        {
            return error;
        }
        const auto ofRank = m_ledger.GetGroups(job, rank);
        groups.insert(ofRank.begin(), ofRank.end());
    }
    for (const GroupKey& key : groups)
    {
        const auto& result = m_jobs.Plan(job, m_ledger.GetRanks(key));
        if (!result.error.empty())
        {
            return result.error;
        }
        Perform(m_ledger.Replan(key, result.plan));
        m_times.Update(key, m_ledger.GetWaiting(key), GetTime());
    }
    return "";
}

std::string
OpusController::MoveRail(uint32_t rail, const std::string& reason)
{
    std::string consequence = MoveToSpare(rail);
    if (!consequence.empty())
    {
        return consequence;
    }
    consequence = "no job used rail " + std::to_string(rail);
    for (const uint32_t job : m_jobs.GetJobs(rail))
    {
        std::vector<GroupKey> groups = m_ledger.GetGroupsInUse(job);
        const auto isOther = [&](const GroupKey& key) { return !m_ledger.HasCircuits(key, rail); };
        groups.erase(std::remove_if(groups.begin(), groups.end(), isOther), groups.end());
        consequence = FailJob(job,
                              reason + " and no spare is left for rail " + std::to_string(rail) +
                                  Describe(groups));
    }
    return consequence;
}

std::string
OpusController::MoveToSpare(uint32_t rail)
{
    const auto spare = m_jobs.GetPlaces().Move(rail);
    if (!spare)
    {
        return "";
    }
    Rebuild(rail);
    return "rail " + std::to_string(rail) + " was moved to spare switch " + std::to_string(*spare);
}

void
OpusController::Rebuild(uint32_t rail)
{
    if (IsTold())
    {
        m_rebuild(rail);
    }
    m_times.Lose(rail, GetTime());
    m_commands.Forget(rail);
    OpusMessage message(OpusMessageType::TAKE_OVER);
    message.ocs = rail;
    m_network->Send(m_port, *m_jobs.GetAgent(rail), message);
    Perform(m_ledger.ReportLoss(rail));
}

std::string
OpusController::FailJob(uint32_t job, const std::string& reason)
{
    if (!m_jobs.Fail(job, reason))
    {
        return "job " + std::to_string(job) + " had failed before";
    }
    NS_LOG_WARN("job " << job << " has failed: " << reason);
    if (IsTold())
    {
        m_jobFailed(job, reason);
    }
    for (const uint32_t rank : m_jobs.GetRanks(job))
    {
        OpusMessage message(OpusMessageType::ABORT);
        message.job = job;
        message.rank = rank;
        message.error = reason;
        Tell(rank, message);
    }
    return "job " + std::to_string(job) + " failed";
}

std::string
OpusController::Describe(const std::vector<GroupKey>& groups) const
{
    constexpr std::size_t MOST = 4;
    if (groups.empty())
    {
        return ": no group waits for it";
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(groups.size(), MOST); ++i)
    {
        text += " " + RanksToText(m_ledger.GetRanks(groups[i]));
    }
    return groups.size() > MOST ? ": " + std::to_string(groups.size()) +
                                      " groups of ranks wait for it, such as" + text
                                : ": groups of ranks that wait for it:" + text;
}

} // namespace ns3
