// SPDX-License-Identifier: GPL-2.0-only

#include "lease-service.h"

#include "ns3/lease-number.h"
#include "ns3/log.h"

#include <algorithm>
#include <iterator>

namespace ns3
{

void
AdmissionTimes::Request(const GroupKey& key, Time now)
{
    m_waiting.emplace(key, Group{now, std::nullopt, std::nullopt});
}

void
AdmissionTimes::Update(const GroupKey& key, CircuitScheduler::Waiting waiting, Time now)
{
    auto it = m_waiting.find(key);
    if (it == m_waiting.end())
    {
        return;
    }
    switch (waiting)
    {
    case CircuitScheduler::Waiting::NONE:
        m_waiting.erase(it); // all requests have been withdrawn
        break;
    case CircuitScheduler::Waiting::SOME:
        it->second.isQueued.reset();
        break;
    case CircuitScheduler::Waiting::ALL:
        it->second.isQueued = it->second.isQueued.value_or(now);
        break;
    }
}

void
AdmissionTimes::Switch(const CircuitScheduler::Switch& command, Time now)
{
    SetLight(command.ocs, command.drop, false, now);
    auto it = m_waiting.find(command.group);
    if (it != m_waiting.end())
    {
        it->second.isQueued = it->second.isQueued.value_or(now);
        it->second.switched = it->second.switched.value_or(now);
    }
}

void
AdmissionTimes::Port::Darken(Time now)
{
    sum += since ? now - *since : Time();
    since.reset();
}

void
AdmissionTimes::LoseSwitch(uint32_t ocs, Time now)
{
    const auto begin = m_ports.lower_bound(OcsPortId{ocs, 0});
    for (auto it = begin; it != m_ports.end() && it->first.ocs == ocs; ++it)
    {
        it->second.Darken(now);
    }
}

void
AdmissionTimes::Grant(const GroupKey& key, Time now)
{
    auto it = m_waiting.find(key);
    if (it == m_waiting.end())
    {
        return;
    }
    const Group& group = it->second;
    const Time isQueued = group.isQueued.value_or(now);
    const Time switched = Max(isQueued, group.switched.value_or(now));
    m_waits.ranks += isQueued - group.first;
    m_waits.ports += switched - isQueued;
    m_waits.light += now - switched;
    m_waiting.erase(it);
}

void
AdmissionTimes::SetLight(uint32_t ocs, const CircuitSet& circuits, bool isUp, Time now)
{
    for (const Circuit& circuit : circuits)
    {
        for (const uint32_t number : {circuit.a, circuit.b})
        {
            Port& port = m_ports[OcsPortId{ocs, number}];
            port.Darken(now);
            port.since = isUp ? std::optional<Time>(now) : std::nullopt;
        }
    }
}

Time
AdmissionTimes::GetUpTime(const OcsPortId& id, Time now) const
{
    const auto it = m_ports.find(id);
    if (it == m_ports.end())
    {
        return Time();
    }
    Port port = it->second;
    port.Darken(now);
    return port.sum;
}

NS_LOG_COMPONENT_DEFINE("LeaseService");

bool
CommandWindow::Add(const CircuitScheduler::Switch& command)
{
    Switch& ocs = m_switches[command.ocs];
    if (m_window > 0 && ocs.sent >= m_window)
    {
        ocs.waiting.push_back(command);
        ++m_delayed;
        return false;
    }
    ++ocs.sent;
    m_sent[command.command] = command;
    return true;
}

std::optional<CircuitScheduler::Switch>
CommandWindow::Take(uint64_t number)
{
    auto it = m_sent.find(number);
    if (it == m_sent.end())
    {
        return std::nullopt;
    }
    CircuitScheduler::Switch command = it->second;
    m_sent.erase(it);
    --m_switches[command.ocs].sent;
    return command;
}

std::optional<CircuitScheduler::Switch>
CommandWindow::Next(uint32_t number)
{
    Switch& ocs = m_switches[number];
    if (ocs.waiting.empty() || (m_window > 0 && ocs.sent >= m_window))
    {
        return std::nullopt;
    }
    CircuitScheduler::Switch command = ocs.waiting.front();
    ocs.waiting.pop_front();
    ++ocs.sent;
    m_sent[command.command] = command;
    return command;
}

void
CommandWindow::DropSwitch(uint32_t ocs)
{
    for (auto it = m_sent.begin(); it != m_sent.end();)
    {
        it = it->second.ocs == ocs ? m_sent.erase(it) : std::next(it);
    }
    m_switches.erase(ocs);
}

uint32_t
CommandWindow::GetSwitch(uint64_t number) const
{
    auto it = m_sent.find(number);
    return it == m_sent.end() ? 0 : it->second.ocs;
}

LeaseService::LeaseService(const Traces& traces)
    : m_traces(traces)
{
}

void
LeaseService::Forget(const JobTable& configured)
{
    m_stats = GetStats(); // with those of the tables
    m_jobs = configured;
    m_times.ForgetWaits();
    m_commands.Clear();
    m_switching.clear();
    ResetScheduler();
}

void
LeaseService::ResetScheduler()
{
    m_scheduler = CircuitScheduler();
    for (const auto& [ocs, fabric] : m_jobs.GetFabrics())
    {
        const Ptr<CircuitFabric> idle = fabric->Copy();
        idle->Clear();
        m_scheduler.SetFabric(ocs, idle);
    }
}

LeaseService::Stats
LeaseService::GetStats() const
{
    Stats stats = m_stats;
    stats.plans += m_jobs.GetStats().planned;
    stats.planHits += m_jobs.GetStats().planHits;
    stats.waited = m_times.GetWaits();
    stats.delayed = m_commands.GetDelayed();
    stats.malformed += m_scheduler.GetIgnored();
    return stats;
}

uint32_t
LeaseService::GetRail(const OpusMessage& message) const
{
    if (const auto* report = message.Get<OpusReport>())
    {
        return m_commands.GetSwitch(report->command);
    }
    const auto* batch = message.Get<OpusBatch>();
    const OpusMessage& first = batch && !batch->parts.empty() ? batch->parts.front() : message;
    if (const OpusRank* rank = first.GetRank())
    {
        return m_jobs.GetRail(rank->job, rank->rank);
    }
    const auto* replace = message.Get<OpusReplace>();
    return replace ? m_jobs.GetRail(replace->job, 0) : 0;
}

void
LeaseService::HandleRequest(const OpusArrival& arrival, const OpusRequest& request)
{
    NS_LOG_FUNCTION(this << request.job << request.group << request.rank << request.lease);
    ++m_stats.requests;
    const GroupKey key{request.job, request.group};
    const CircuitScheduler::Lease lease{request.rank, request.lease};
    const std::string error = Admit(key, request);
    if (error.empty())
    {
        m_traces.rx(arrival.message);
        m_times.Request(key, m_now);
        Perform(m_scheduler
                    .Request(key, lease, request.completed, request.passive, request.speculative));
        UpdateWaiting(key);
    }
    else
    {
        Refuse(key, lease, error);
    }
}

void
LeaseService::HandleRelease(const OpusArrival& arrival, const OpusRelease& release)
{
    NS_LOG_FUNCTION(this << release.job << release.group << release.rank << release.lease);
    ++m_stats.releases;
    const GroupKey key{release.job, release.group};
    m_traces.rx(arrival.message);
    Perform(m_scheduler.Release(key, {release.rank, release.lease}, release.completed));
    UpdateWaiting(key);
}

void
LeaseService::Hold(const OpusArrival& arrival, const OpusRequest& request)
{
    const GroupKey key{request.job, request.group};
    const CircuitScheduler::Lease lease{request.rank, request.lease};
    const std::string error = Admit(key, request);
    if (error.empty())
    {
        m_traces.rx(arrival.message);
        m_scheduler.Hold(key, lease, request.completed);
    }
    else
    {
        Refuse(key, lease, error);
    }
}

void
LeaseService::Learn(uint32_t rail, const CircuitSet& circuits)
{
    m_times.Learn(rail, circuits, m_now);
    m_scheduler.Learn(rail, circuits);
}

void
LeaseService::HandleReport(const OpusReport& report)
{
    const auto reported = m_commands.Take(report.command);
    if (!reported)
    {
        ++m_stats.malformed;
        return;
    }
    const CircuitScheduler::Switch& action = *reported;
    while (const auto next = m_commands.Next(action.ocs))
    {
        Command(*next);
    }
    if (!report.error.empty())
    {
        m_times.Refuse(action, m_now);
        CircuitScheduler::Recall failed;
        const auto actions = m_scheduler.ReportRefusal(action.command, failed);
        for (const auto& lease : failed.leases)
        {
            Refuse(failed.group, lease, report.error);
        }
        Perform(actions);
        return;
    }
    m_traces.end(action.group.job, action.group.id, action.ocs, action.drop, action.make);
    m_times.Complete(action, m_now);
    Time& longest = m_switching[action.group];
    longest = std::max(longest, report.duration);
    Perform(m_scheduler.ReportLight(action.command));
}

std::string
LeaseService::Admit(const GroupKey& key, const OpusRequest& request)
{
    if (const std::string failure = m_jobs.GetFailure(request.job); !failure.empty())
    {
        return failure;
    }
    std::vector<uint32_t> ranks = m_scheduler.GetRanks(key);
    if (ranks.empty())
    {
        if (request.ranks.size() < 2)
        {
            return "a group of " + std::to_string(request.ranks.size()) + " needs no circuits";
        }
        if (m_jobs.GetGroups(request.job) >= m_maxGroups)
        {
            return "job " + std::to_string(request.job) + " has " + std::to_string(m_maxGroups) +
                   " groups, which is all that it may have";
        }
        const CircuitPlanner::Result& result =
            m_jobs.Plan(request.job, request.ranks, LeaseNumber::IsLink(request.group));
        if (!result.error.empty())
        {
            if (m_jobs.HasFailedPorts(request.job))
            {
                FailJob(request.job, "ports have been lost, and " + result.error);
            }
            return result.error;
        }
        m_scheduler.AddGroup(key, request.ranks, result.plan);
        m_jobs.CountGroup(request.job);
        ranks = request.ranks;
    }
    if (m_scheduler.GetState(key) == CircuitScheduler::GroupState::FAILED)
    {
        return "a switch has refused the circuits of the group";
    }
    if (!request.ranks.empty() && request.ranks != ranks)
    {
        return "rank " + std::to_string(request.rank) + " names other members than those before it";
    }
    if (std::find(ranks.begin(), ranks.end(), request.rank) == ranks.end())
    {
        return "rank " + std::to_string(request.rank) + " is not a member";
    }
    return "";
}

void
LeaseService::Refuse(const GroupKey& key,
                     const CircuitScheduler::Lease& lease,
                     const std::string& error)
{
    NS_LOG_WARN("group " << key.id << " of job " << key.job << ": " << error);
    ++m_stats.refusals;
    SendToHolders(OpusRefusal{{}, error}, key, {lease});
}

void
LeaseService::Perform(const CircuitScheduler::Actions& actions)
{
    for (const auto& action : actions.switches)
    {
        ++m_stats.reconfigurations;
        m_times.Switch(action, m_now);
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
        m_times.Grant(grant.group, m_now);
        m_stats.cacheHits += grant.switched ? 0 : 1;
        const auto& [job, group] = grant.group;
        const Time switching = grant.switched ? m_switching[grant.group] : Time();
        m_switching.erase(grant.group);
        NS_LOG_INFO("group " << group << " of job " << job << " is granted to "
                             << grant.leases.size() << " ranks, switching " << switching);
        m_traces.granted(job, group, switching, !grant.switched);
        SendToHolders(OpusGrant{{}, switching}, grant.group, grant.leases);
    }
    for (const auto& recall : actions.recalls)
    {
        NS_LOG_LOGIC("group " << recall.group.id << " of job " << recall.group.job
                              << " is recalled from " << recall.leases.size() << " ranks"
                              << (recall.speculative ? ", as a hint" : ""));
        m_stats.recalls += recall.leases.size();
        SendToHolders(OpusRecall{{}, recall.limit, recall.speculative},
                      recall.group,
                      recall.leases);
    }
}

void
LeaseService::Command(const CircuitScheduler::Switch& action)
{
    NS_LOG_INFO("command " << action.command << " to switch " << action.ocs << " for group "
                           << action.group.id << " of job " << action.group.job);
    m_traces.begin(action.group.job, action.group.id, action.ocs, action.drop, action.make);
    Send(*m_jobs.GetPlaces().GetAgent(action.ocs),
         OpusCommand{action.command, action.drop, action.make});
}

void
LeaseService::Send(const Address& to, const OpusMessage& message)
{
    if (!m_output.IsNull())
    {
        m_output(to, message);
    }
}

void
LeaseService::SendToRank(const OpusMessage& message)
{
    const OpusRank& rank = *message.GetRank();
    const Address* manager = m_jobs.GetManager(rank.job, rank.rank);
    if (!manager)
    {
        NS_LOG_WARN("no way to rank " << rank.rank);
        return;
    }
    m_traces.tx(message);
    Send(*manager, message);
}

void
LeaseService::Rebuild(uint32_t rail)
{
    NS_LOG_INFO("the circuits of rail " << rail << " are made again");
    m_traces.rebuild(rail);
    m_times.LoseSwitch(rail, m_now);
    m_commands.DropSwitch(rail);
    const SwitchPlaces& places = m_jobs.GetPlaces();
    Send(*places.GetAgent(rail), OpusTakeOver{rail, places.GetStarts(places.GetSwitch(rail))});
    Perform(m_scheduler.ReportLoss(rail));
}

std::string
LeaseService::FailJob(uint32_t job, const std::string& reason)
{
    if (!m_jobs.Fail(job, reason))
    {
        return "job " + std::to_string(job) + " had failed before";
    }
    NS_LOG_WARN("job " << job << " has failed: " << reason);
    m_traces.jobFailed(job, reason);
    for (const uint32_t rank : m_jobs.GetRanks(job))
    {
        SendToRank(OpusAbort{{job, rank}, reason});
    }
    return "job " + std::to_string(job) + " failed";
}

} // namespace ns3
