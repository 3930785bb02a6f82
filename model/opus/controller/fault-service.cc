// SPDX-License-Identifier: GPL-2.0-only

#include "fault-service.h"

#include "ns3/lease-number.h"
#include "ns3/log.h"

#include <algorithm>
#include <set>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("FaultService");

namespace
{

/// @return ranks as text; of more than four, the first three and the last
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

FaultService::FaultService(LeaseService& leases, const Traces& traces)
    : m_leases(leases),
      m_jobs(leases.GetJobs()),
      m_scheduler(leases.GetScheduler()),
      m_traces(traces)
{
}

void
FaultService::HandleFault(const OpusArrival& arrival, OpusFault fault, bool hasCoordinator)
{
    if (fault.kind == FaultKind::OCS_PORT)
    {
        // An agent does not know the number of its switch.
        fault.ocs = m_jobs.GetPlaces().Find(arrival.from).value_or(fault.ocs);
    }
    const std::string consequence = React(fault, hasCoordinator);
    NS_LOG_INFO(ToString(fault.kind)
                << (fault.repaired ? " repaired: " : " lost: ") << consequence);
    ++m_leases.GetCounters().faults;
    m_traces.served(fault, consequence);
}

std::string
FaultService::React(const OpusFault& fault, bool hasCoordinator)
{
    switch (fault.kind)
    {
    case FaultKind::OCS:
        return HandleSwitch(fault);
    case FaultKind::OCS_PORT:
        return HandleSwitchPort(fault);
    case FaultKind::GPU:
    case FaultKind::NIC_PORT:
        return HandleRankFault(fault, hasCoordinator);
    case FaultKind::SHIM:
    case FaultKind::LINK:
    case FaultKind::SWITCH:
        break;
    }
    return "a shim reports its restart itself";
}

std::string
FaultService::HandleSwitch(const OpusFault& fault)
{
    SwitchPlaces& places = m_jobs.GetPlaces();
    const auto rail = places.GetRail(fault.ocs);
    if (!fault.repaired)
    {
        places.SetFailed(fault.ocs);
        return rail
                   ? MoveRail(*rail,
                              "optical circuit switch " + std::to_string(fault.ocs) + " has failed")
                   : "it carried no rail";
    }
    places.SetRepaired(fault.ocs, fault.starts);
    if (!rail)
    {
        return "it may take a rail";
    }
    // The switch was off for less than the detection time, but its circuits are lost.
    MendSwitchPorts(*rail);
    m_leases.Rebuild(*rail);
    return "circuits of rail " + std::to_string(*rail) + " were made again";
}

std::string
FaultService::HandleSwitchPort(const OpusFault& fault)
{
    m_jobs.GetPlaces().SetStuck(fault.ocs, fault.port, !fault.repaired);
    const auto rail = m_jobs.GetPlaces().GetRail(fault.ocs);
    if (!rail)
    {
        return "its switch carries no rail";
    }
    const auto port = m_jobs.FindPort({*rail, fault.port});
    if (fault.repaired)
    {
        return port ? MendPort(*port, FaultKind::OCS_PORT) : "no rank is cabled there";
    }
    if (const std::string consequence = MoveToSpare(*rail); !consequence.empty())
    {
        return consequence;
    }
    return port ? LosePort(*port,
                           FaultKind::OCS_PORT,
                           "port " + std::to_string(fault.port) + " of optical circuit switch " +
                               std::to_string(fault.ocs) +
                               " stays dark and no spare is left for rail " + std::to_string(*rail))
                : "no rank is cabled there";
}

std::string
FaultService::HandleRankFault(const OpusFault& fault, bool hasCoordinator)
{
    const JobTable::NicPort port{fault.job, fault.rank, fault.port};
    if (fault.repaired)
    {
        return MendPort(port, FaultKind::NIC_PORT);
    }
    const std::string gpu = "GPU " + std::to_string(fault.rank);
    if (fault.kind == FaultKind::GPU && hasCoordinator)
    {
        return "its rank waits for the recovery coordinator";
    }
    if (fault.kind == FaultKind::GPU)
    {
        return m_leases.FailJob(fault.job,
                                gpu + " has left" +
                                    Describe(m_scheduler.GetGroupsInUse(fault.job, fault.rank)));
    }
    return LosePort(port,
                    FaultKind::NIC_PORT,
                    "port " + std::to_string(fault.port) + " of the NIC of " + gpu + " has failed");
}

std::vector<GroupKey>
FaultService::GetGroupsPlannedWith(uint32_t job, uint32_t rank) const
{
    std::vector<GroupKey> groups = m_scheduler.GetGroups(job);
    const auto isOther = [&](const GroupKey& key) {
        return !m_jobs.IsPlannedWith(job,
                                     m_scheduler.GetRanks(key),
                                     rank,
                                     LeaseNumber::IsLink(key.id));
    };
    groups.erase(std::remove_if(groups.begin(), groups.end(), isOther), groups.end());
    return groups;
}

std::string
FaultService::LosePort(const JobTable::NicPort& port, FaultKind fault, const std::string& reason)
{
    if (!m_jobs.GetFailure(port.job).empty())
    {
        return "job " + std::to_string(port.job) + " had failed before";
    }
    const auto groups = GetGroupsPlannedWith(port.job, port.rank);
    if (!m_jobs.MarkPortFailed(port, fault))
    {
        m_leases.Perform(m_scheduler.Unfreeze(groups)); // it may have been repaired, but not used
        return "it was not used any more";
    }
    if (const std::string error = CheckPlans(groups); !error.empty())
    {
        return m_leases.FailJob(port.job,
                                reason + ", and " + error +
                                    Describe(m_scheduler.GetGroupsInUse(port.job, port.rank)));
    }
    SendFailedPortsOnRail(port.job, m_jobs.GetRail(port.job, port.rank));
    Replan(groups);
    return std::to_string(groups.size()) + (groups.size() == 1 ? " group goes" : " groups go") +
           " on over the ports that are left";
}

std::string
FaultService::MendPort(const JobTable::NicPort& port, FaultKind fault)
{
    if (!m_jobs.IsPortFailed(port))
    {
        return "it may be used again";
    }
    return m_jobs.MarkPortMended(port, fault) ? "its circuits are planned again"
                                              : "the port at the other end is still broken";
}

void
FaultService::MendSwitchPorts(uint32_t rail)
{
    for (const uint32_t job : m_jobs.GetJobs(rail))
    {
        for (const JobTable::NicPort& port : m_jobs.GetFailedPorts(job, rail))
        {
            m_jobs.MarkPortMended(port, FaultKind::OCS_PORT);
        }
    }
}

void
FaultService::UseMendedPorts()
{
    const std::set<JobTable::NicPort> mended = m_jobs.GetMendedPorts(); // a copy, which changes
    for (const JobTable::NicPort& port : mended)
    {
        // Queue pairs move to other ports only while no circuit of their rank carries traffic.
        const auto groups = GetGroupsPlannedWith(port.job, port.rank);
        m_leases.Perform(m_scheduler.Freeze(groups));
        if (std::all_of(groups.begin(), groups.end(), [this](const GroupKey& key) {
                return m_scheduler.IsFree(key);
            }))
        {
            UsePort(port, groups);
        }
    }
}

void
FaultService::UsePort(const JobTable::NicPort& port, const std::vector<GroupKey>& groups)
{
    NS_LOG_INFO("port " << port.port << " of rank " << port.rank << " of job " << port.job
                        << " is used again");
    m_jobs.UsePort(port);
    if (!CheckPlans(groups).empty())
    {
        // On a switch that blocks, with other ports missing: go on as before.
        m_jobs.MarkPortFailed(port, FaultKind::NIC_PORT);
    }
    else
    {
        SendFailedPortsOnRail(port.job, m_jobs.GetRail(port.job, port.rank));
        Replan(groups);
    }
    m_leases.Perform(m_scheduler.Unfreeze(groups));
    for (const GroupKey& key : groups)
    {
        m_leases.UpdateWaiting(key);
    }
}

const CircuitPlanner::Result&
FaultService::Plan(const GroupKey& key)
{
    return m_jobs.Plan(key.job, m_scheduler.GetRanks(key), LeaseNumber::IsLink(key.id));
}

std::string
FaultService::CheckPlans(const std::vector<GroupKey>& groups)
{
    for (const GroupKey& key : groups)
    {
        const std::string& error = Plan(key).error;
        if (!error.empty())
        {
            return error;
        }
    }
    return "";
}

void
FaultService::Replan(const std::vector<GroupKey>& groups)
{
    for (const GroupKey& key : groups)
    {
        m_leases.Perform(m_scheduler.Replan(key, Plan(key).plan));
        m_leases.UpdateWaiting(key);
    }
}

void
FaultService::SendFailedPortsOnRail(uint32_t job, uint32_t rail)
{
    for (const uint32_t rank : m_jobs.GetRanks(job))
    {
        if (m_jobs.GetRail(job, rank) == rail)
        {
            SendFailedPorts(job, rank);
        }
    }
}

void
FaultService::SendFailedPorts(uint32_t job, uint32_t rank)
{
    OpusFailedPorts message{{job, rank}, {}};
    for (const auto& port : m_jobs.GetFailedPorts(job, m_jobs.GetRail(job, rank)))
    {
        message.ports.push_back({m_jobs.GetGpu(port.job, port.rank), port.port});
    }
    m_leases.SendToRank(message);
}

void
FaultService::HandleRestart(const OpusArrival& arrival, const OpusRestart& restart)
{
    NS_LOG_FUNCTION(this << restart.job << restart.rank << restart.groups.size());
    ++m_leases.GetCounters().faults;
    m_traces.rx(arrival.message);
    const std::vector<GroupKey> groups = m_scheduler.GetGroupsInUse(restart.job);
    m_leases.Perform(m_scheduler.Restart(restart.job,
                                         restart.rank,
                                         {restart.groups.begin(), restart.groups.end()}));
    for (const GroupKey& key : groups)
    {
        m_leases.UpdateWaiting(key);
    }
    if (m_jobs.HadFailedPorts(restart.job))
    {
        SendFailedPorts(restart.job, restart.rank);
    }
    const OpusFault fault{restart, FaultKind::SHIM};
    m_traces.served(fault,
                    "it asks again for " + std::to_string(restart.groups.size()) +
                        (restart.groups.size() == 1 ? " group" : " groups"));
}

void
FaultService::HandleHeld(const OpusLeases& leases, const OpusArrival& arrival)
{
    if (!leases.error.empty())
    {
        m_leases.FailJob(leases.job, leases.error);
    }
    for (const OpusMessage& part : leases.parts)
    {
        const auto* request = part.Get<OpusRequest>();
        if (request && request->held)
        {
            m_leases.Hold({arrival.link, arrival.from, part}, *request);
        }
    }
    if (leases.hasFailedPorts || m_jobs.HadFailedPorts(leases.job))
    {
        SendFailedPorts(leases.job, leases.rank);
    }
}

void
FaultService::BeginDark(uint32_t rail)
{
    MendSwitchPorts(rail);
    m_leases.Rebuild(rail);
}

void
FaultService::HandleReplace(const OpusArrival& arrival, const OpusReplace& replace)
{
    const std::string error = Replace(replace);
    m_leases.Send(arrival.from, OpusReplaced{{replace.generation}, {replace.job}, error});
}

std::string
FaultService::Replace(const OpusReplace& replace)
{
    NS_LOG_FUNCTION(this << replace.job << replace.generation << replace.gpus.size());
    const uint32_t job = replace.job;
    if (const std::string failure = m_jobs.GetFailure(job); !failure.empty())
    {
        return failure;
    }
    // All ranks have stopped; ranks on lost GPUs cannot release their leases themselves.
    for (const uint32_t rank : m_jobs.GetRanks(job))
    {
        m_leases.Perform(m_scheduler.Restart(job, rank, {}));
    }
    m_scheduler.RestartCount(job);
    // The repaired ports that groups wait for may be those of a rank that moves.
    m_leases.Perform(m_scheduler.Unfreeze(m_scheduler.GetGroups(job)));
    std::set<GroupKey> groups;
    for (uint32_t rank = 0; rank < replace.gpus.size(); ++rank)
    {
        const auto gpu = static_cast<uint32_t>(replace.gpus[rank]);
        if (m_jobs.GetGpu(job, rank) == gpu)
        {
            continue;
        }
        const auto ofRank = GetGroupsPlannedWith(job, rank);
        groups.insert(ofRank.begin(), ofRank.end());
        if (std::string error = m_jobs.Move(job, rank, gpu); !error.empty())
        {
            return error;
        }
    }
    for (const GroupKey& key : groups)
    {
        const auto& result = Plan(key);
        if (!result.error.empty())
        {
            return result.error;
        }
        m_leases.Perform(m_scheduler.Replan(key, result.plan));
        m_leases.UpdateWaiting(key);
    }
    return "";
}

std::string
FaultService::MoveRail(uint32_t rail, const std::string& reason)
{
    std::string consequence = MoveToSpare(rail);
    if (!consequence.empty())
    {
        return consequence;
    }
    consequence = "no job used rail " + std::to_string(rail);
    for (const uint32_t job : m_jobs.GetJobs(rail))
    {
        std::vector<GroupKey> groups = m_scheduler.GetGroupsInUse(job);
        const auto isOther = [&](const GroupKey& key) {
            return !m_scheduler.HasCircuits(key, rail);
        };
        groups.erase(std::remove_if(groups.begin(), groups.end(), isOther), groups.end());
        consequence = m_leases.FailJob(job,
                                       reason + " and no spare is left for rail " +
                                           std::to_string(rail) + Describe(groups));
    }
    return consequence;
}

std::string
FaultService::MoveToSpare(uint32_t rail)
{
    const auto place = m_jobs.GetPlaces().Move(rail);
    if (!place)
    {
        return "";
    }
    MendSwitchPorts(rail);
    m_leases.Rebuild(rail);
    return "rail " + std::to_string(rail) +
           (*place == rail ? " was moved back to switch " : " was moved to spare switch ") +
           std::to_string(*place);
}

std::string
FaultService::Describe(const std::vector<GroupKey>& groups) const
{
    constexpr std::size_t MOST = 4;
    if (groups.empty())
    {
        return ": no group waits for it";
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(groups.size(), MOST); ++i)
    {
        text += " " + RanksToText(m_scheduler.GetRanks(groups[i]));
    }
    return groups.size() > MOST ? ": " + std::to_string(groups.size()) +
                                      " groups of ranks wait for it, such as" + text
                                : ": groups of ranks that wait for it:" + text;
}

} // namespace ns3
