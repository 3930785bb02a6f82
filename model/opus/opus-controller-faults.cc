// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * What a controller does when it hears that something is broken. All that it knows of faults comes
 * in messages that are served as any other.
 */

#include "management-port.h"
#include "opus-controller.h"

#include "ns3/log.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OpusControllerFaults");

namespace
{

/// @return ranks in words; of many, the first and the last
std::string
ToText(const std::vector<uint32_t>& ranks)
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
    if (!m_replayed)
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
    if (fault.mended)
    {
        return "it may be used again";
    }
    return MoveRail(*rail,
                    "port " + std::to_string(fault.port) + " of optical circuit switch " +
                        std::to_string(ocs) + " stays dark");
}

std::string
OpusController::HandleRankFault(const OpusMessage& fault)
{
    if (fault.mended)
    {
        return "it may be used again";
    }
    const std::string gpu = "GPU " + std::to_string(fault.rank);
    std::vector<GroupKey> groups = m_ledger.GetGroupsInUse(fault.job);
    const auto isOther = [&](const GroupKey& key) {
        const auto& ranks = m_ledger.GetRanks(key);
        return std::find(ranks.begin(), ranks.end(), fault.rank) == ranks.end();
    };
    groups.erase(std::remove_if(groups.begin(), groups.end(), isOther), groups.end());
    return FailJob(fault.job,
                   (fault.fault == FaultKind::GPU ? gpu + " has left"
                                                  : "port " + std::to_string(fault.port) +
                                                        " of the NIC of " + gpu + " has failed") +
                       Describe(groups));
}

void
OpusController::HandleRestart(const OpusMessage& message)
{
    ++m_stats.faults;
    const std::vector<GroupKey> groups = m_ledger.GetGroupsInUse(message.job);
    Perform(m_ledger.Restart(message.job,
                             message.rank,
                             {message.groups.begin(), message.groups.end()}));
    for (const GroupKey& key : groups)
    {
        m_times.Update(key, m_ledger.GetWaiting(key), GetTime());
    }
    OpusMessage fault = message;
    fault.fault = FaultKind::SHIM;
    if (!m_replayed)
    {
        m_faultServed(fault,
                      "it asks again for " + std::to_string(message.groups.size()) +
                          (message.groups.size() == 1 ? " group" : " groups"));
    }
}

std::string
OpusController::MoveRail(uint32_t rail, const std::string& reason)
{
    const auto spare = m_jobs.GetPlaces().Move(rail);
    if (spare)
    {
        Rebuild(rail);
        return "rail " + std::to_string(rail) + " was moved to spare switch " +
               std::to_string(*spare);
    }
    std::string consequence = "no job used rail " + std::to_string(rail);
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

void
OpusController::Rebuild(uint32_t rail)
{
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
    if (!m_replayed)
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
        text += " " + ToText(m_ledger.GetRanks(groups[i]));
    }
    return groups.size() > MOST ? ": " + std::to_string(groups.size()) +
                                      " groups of ranks wait for it, such as" + text
                                : ": groups of ranks that wait for it:" + text;
}

} // namespace ns3
