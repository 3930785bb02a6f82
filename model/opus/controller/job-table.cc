// SPDX-License-Identifier: GPL-2.0-only

#include "job-table.h"

#include "ns3/circuit-planner.h"
#include "ns3/fabric-matchings.h"
#include "ns3/log.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("JobTable");

const Address*
SwitchPlaces::GetAgent(uint32_t rail) const
{
    const auto place = m_switchOf.find(rail);
    return place == m_switchOf.end() ? nullptr : &m_switches.at(place->second).agent;
}

std::set<Address>
SwitchPlaces::GetAgents() const
{
    std::set<Address> agents;
    for (const auto& [number, one] : m_switches)
    {
        agents.insert(one.agent);
    }
    return agents;
}

std::set<uint32_t>
SwitchPlaces::GetSwitches() const
{
    std::set<uint32_t> switches;
    for (const auto& [number, one] : m_switches)
    {
        switches.insert(number);
    }
    return switches;
}

void
SwitchPlaces::Learn(uint32_t number, uint64_t starts, std::optional<uint32_t> rail)
{
    SetRepaired(number, starts);
    if (rail && m_switchOf.count(*rail) > 0)
    {
        m_switchOf[*rail] = number;
    }
}

std::vector<uint32_t>
SwitchPlaces::GetRails() const
{
    std::vector<uint32_t> rails;
    for (const auto& [rail, number] : m_switchOf)
    {
        rails.push_back(rail);
    }
    return rails;
}

std::optional<uint32_t>
SwitchPlaces::GetRail(uint32_t number) const
{
    for (const auto& [rail, carrier] : m_switchOf)
    {
        if (carrier == number)
        {
            return rail;
        }
    }
    return std::nullopt;
}

std::optional<uint32_t>
SwitchPlaces::Find(const Address& agent) const
{
    for (const auto& [number, one] : m_switches)
    {
        if (one.agent == agent)
        {
            return number;
        }
    }
    return std::nullopt;
}

void
SwitchPlaces::SetRepaired(uint32_t number, uint64_t starts)
{
    const auto it = m_switches.find(number);
    if (it != m_switches.end())
    {
        it->second.works = true;
        it->second.starts = starts;
        it->second.stuck.clear(); // a restarted agent reports stuck ports again
    }
}

void
SwitchPlaces::SetStuck(uint32_t number, uint32_t port, bool stuck)
{
    const auto it = m_switches.find(number);
    if (it == m_switches.end())
    {
        return;
    }
    if (stuck)
    {
        it->second.stuck.insert(port);
    }
    else
    {
        it->second.stuck.erase(port);
    }
}

void
SwitchPlaces::SetFailed(uint32_t number)
{
    const auto it = m_switches.find(number);
    if (it != m_switches.end())
    {
        it->second.works = false;
    }
}

bool
SwitchPlaces::IsFree(uint32_t number) const
{
    const Switch& one = m_switches.at(number);
    return one.works && one.stuck.empty() && !GetRail(number);
}

std::optional<uint32_t>
SwitchPlaces::Move(uint32_t rail)
{
    if (IsFree(rail))
    {
        m_switchOf[rail] = rail;
        return rail;
    }
    for (const auto& [number, one] : m_switches)
    {
        if (one.isSpare && IsFree(number))
        {
            m_switchOf[rail] = number;
            return number;
        }
    }
    return std::nullopt;
}

std::string
JobTable::AddRank(uint32_t job, uint32_t rank, const std::vector<OcsPortId>& ports)
{
    const RankKey key{job, rank};
    for (const OcsPortId& port : ports)
    {
        const auto owner = m_owners.find(port);
        if (owner != m_owners.end() && owner->second != key)
        {
            ++m_stats.portConflicts;
            return "port " + std::to_string(port.port) + " of switch " + std::to_string(port.ocs) +
                   " belongs to rank " + std::to_string(owner->second.second) + " of job " +
                   std::to_string(owner->second.first) + " and not to rank " +
                   std::to_string(rank) + " of job " + std::to_string(job);
        }
    }
    for (const OcsPortId& port : m_ranks[key].ports)
    {
        m_owners.erase(port);
    }
    for (const OcsPortId& port : ports)
    {
        m_owners[port] = key;
    }
    m_ranks[key].ports = ports;
    m_sites.erase(job);
    return "";
}

void
JobTable::SetManager(uint32_t job, uint32_t rank, const Address& manager)
{
    Rank& entry = m_ranks[{job, rank}];
    entry.manager = manager;
    entry.isFixed = true;
    entry.hasManager = true;
    m_jobOf[manager] = job;
    m_sites.erase(job);
}

std::optional<uint32_t>
JobTable::FindJob(const Address& manager) const
{
    const auto job = m_jobOf.find(manager);
    return job == m_jobOf.end() ? std::nullopt : std::make_optional(job->second);
}

bool
JobTable::BindManager(uint32_t job, uint32_t rank, const Address& from)
{
    const auto it = m_ranks.find({job, rank});
    if (it == m_ranks.end())
    {
        return false;
    }
    Rank& entry = it->second;
    if (!entry.isFixed && !(entry.hasManager && entry.manager == from))
    {
        NS_LOG_LOGIC("rank " << rank << " of job " << job << " is behind manager " << from);
        entry.manager = from;
        entry.hasManager = true;
        m_jobOf[from] = job;
        m_sites.erase(job);
    }
    return entry.manager == from;
}

const Address*
JobTable::GetManager(uint32_t job, uint32_t rank) const
{
    const auto it = m_ranks.find({job, rank});
    return it != m_ranks.end() && it->second.hasManager ? &it->second.manager : nullptr;
}

bool
JobTable::MayHaveManager(uint32_t job, const Address& from) const
{
    return FindJob(from) == job ||
           std::any_of(m_spareGpus.begin(), m_spareGpus.end(), [&from](const auto& spare) {
               return spare.second.manager == from;
           });
}

std::vector<std::pair<uint32_t, uint32_t>>
JobTable::GetCabledRanks() const
{
    std::vector<std::pair<uint32_t, uint32_t>> ranks;
    for (const auto& [key, rank] : m_ranks)
    {
        if (!rank.ports.empty())
        {
            ranks.push_back(key);
        }
    }
    return ranks;
}

std::set<Address>
JobTable::GetPeers() const
{
    std::set<Address> peers = m_places.GetAgents();
    for (const auto& [key, rank] : m_ranks)
    {
        if (rank.hasManager)
        {
            peers.insert(rank.manager);
        }
    }
    for (const auto& [number, gpu] : m_spareGpus)
    {
        peers.insert(gpu.manager);
    }
    return peers;
}

uint32_t
JobTable::GetRail(uint32_t job, uint32_t rank) const
{
    const auto it = m_ranks.find({job, rank});
    return it == m_ranks.end() || it->second.ports.empty() ? 0 : it->second.ports.front().ocs;
}

const CircuitPlanner::Result&
JobTable::Plan(uint32_t job, const std::vector<uint32_t>& ranks, bool isLink)
{
    const auto known = m_plans.find({job, ranks, isLink});
    if (known != m_plans.end())
    {
        ++m_stats.planHits;
        return known->second;
    }
    ++m_stats.planned;
    CircuitPlanner::Result planned = MakePlan(job, ranks, isLink);
    if (!planned.error.empty())
    {
        NS_LOG_LOGIC("no circuits for " << ranks.size() << " ranks of job " << job << ": "
                                        << planned.error);
        m_impossible = std::move(planned);
        return m_impossible;
    }
    return m_plans.emplace(PlanKey(job, ranks, isLink), std::move(planned)).first->second;
}

bool
JobTable::IsPlannedWith(uint32_t job,
                        const std::vector<uint32_t>& ranks,
                        uint32_t rank,
                        bool isLink) const
{
    if (std::find(ranks.begin(), ranks.end(), rank) != ranks.end())
    {
        return true;
    }
    const auto plan = m_plans.find({job, ranks, isLink});
    return plan != m_plans.end() &&
           std::count(plan->second.proxies.begin(), plan->second.proxies.end(), rank) > 0;
}

CircuitPlanner::Member
JobTable::GetMember(uint32_t job, uint32_t rank) const
{
    CircuitPlanner::Member member{rank, {}, {}};
    if (const auto it = m_ranks.find({job, rank}); it != m_ranks.end())
    {
        member.ports = it->second.ports;
        for (const auto& [port, faults] : it->second.faults)
        {
            member.broken.insert(port);
        }
    }
    return member;
}

const JobTable::Sites&
JobTable::GetSites(uint32_t job)
{
    const auto [sites, isNew] = m_sites.try_emplace(job);
    for (auto it = m_ranks.lower_bound({job, 0});
         isNew && it != m_ranks.end() && it->first.first == job;
         ++it)
    {
        const Rank& rank = it->second;
        if (rank.hasManager && !rank.ports.empty())
        {
            sites->second[{rank.manager, rank.ports.front().ocs}] = it->first.second;
        }
    }
    return sites->second;
}

CircuitPlanner::Result
JobTable::MakePlan(uint32_t job, const std::vector<uint32_t>& ranks, bool isLink)
{
    std::vector<CircuitPlanner::Member> members;
    std::set<uint32_t> rails;
    for (uint32_t rank : ranks)
    {
        members.push_back(GetMember(job, rank));
        for (const OcsPortId& port : members.back().ports)
        {
            rails.insert(port.ocs);
        }
    }
    const auto hasDomain = [this, job](uint32_t rank) { return GetManager(job, rank); };
    const bool isAcross = rails.size() > 1 && std::all_of(ranks.begin(), ranks.end(), hasDomain);
    CircuitPlanner::Result planned = isAcross ? MakePlanAcross(job, members, isLink)
                                     : isLink ? CircuitPlanner::PlanLink(members)
                                              : CircuitPlanner::PlanRing(members);
    if (isLink && !planned.error.empty() && ranks.size() == 2)
    {
        return MakePlan(job, ranks, false); // queue pairs move to the same circuits: PathMigration
    }
    if (const std::string error = CheckSwitches(planned.plan); !error.empty())
    {
        planned.error = error;
    }
    return planned;
}

CircuitPlanner::Result
JobTable::MakePlanAcross(uint32_t job,
                         const std::vector<CircuitPlanner::Member>& members,
                         bool isLink)
{
    const Sites& sites = GetSites(job);
    CrossRailPlanner::Group group;
    group.members = members;
    group.isLink = isLink;
    std::map<Address, uint32_t> numbers; // of domains
    for (const auto& member : members)
    {
        const Address& manager = *GetManager(job, member.rank);
        group.domains.push_back(numbers.emplace(manager, numbers.size()).first->second);
    }
    group.findProxy = [&](uint32_t near, uint32_t ocs) -> std::optional<CircuitPlanner::Member> {
        const auto site = sites.find({*GetManager(job, members[near].rank), ocs});
        return site == sites.end() ? std::nullopt
                                   : std::make_optional(GetMember(job, site->second));
    };
    return CrossRailPlanner::Plan(group);
}

std::string
JobTable::CheckSwitches(const CircuitPlan& plan) const
{
    for (const auto& [ocs, circuits] : plan)
    {
        const std::string name = "switch " + std::to_string(ocs);
        if (!m_places.GetAgent(ocs))
        {
            return name + " has no agent";
        }
        const auto fabric = m_fabrics.find(ocs);
        const std::string error =
            fabric == m_fabrics.end() ? "" : CheckOnIdleFabric(*fabric->second, circuits);
        if (!error.empty())
        {
            return "even alone, the circuits do not fit " + name + ": " + error;
        }
    }
    return "";
}

std::vector<OcsPortId>
JobTable::GetPorts() const
{
    std::vector<OcsPortId> ports;
    for (const auto& [port, owner] : m_owners)
    {
        ports.push_back(port);
    }
    return ports;
}

uint32_t
JobTable::GetGroups(uint32_t job) const
{
    const auto it = m_groups.find(job);
    return it == m_groups.end() ? 0 : it->second;
}

std::optional<JobTable::NicPort>
JobTable::FindPort(const OcsPortId& port) const
{
    const auto owner = m_owners.find(port);
    if (owner == m_owners.end())
    {
        return std::nullopt;
    }
    const auto& ports = m_ranks.at(owner->second).ports;
    const auto place = std::find(ports.begin(), ports.end(), port) - ports.begin();
    return NicPort{owner->second.first, owner->second.second, static_cast<uint32_t>(place)};
}

bool
JobTable::NicPort::operator<(const NicPort& other) const
{
    return std::tie(job, rank, port) < std::tie(other.job, other.rank, other.port);
}

bool
JobTable::MarkPortFailed(const NicPort& port, FaultKind fault)
{
    const auto rank = m_ranks.find({port.job, port.rank});
    if (rank == m_ranks.end() || port.port >= rank->second.ports.size())
    {
        return false;
    }
    m_mended.erase(port);
    const bool isUsed = rank->second.faults.count(port.port) == 0;
    rank->second.faults[port.port].insert(fault);
    if (!isUsed)
    {
        return false;
    }
    m_hurt.insert(port.job);
    DropPlans(port.job, port.rank);
    return true;
}

bool
JobTable::MarkPortMended(const NicPort& port, FaultKind fault)
{
    const auto rank = m_ranks.find({port.job, port.rank});
    if (rank == m_ranks.end())
    {
        return false;
    }
    const auto unused = rank->second.faults.find(port.port);
    if (unused == rank->second.faults.end() || unused->second.erase(fault) == 0 ||
        !unused->second.empty())
    {
        return false;
    }
    m_mended.insert(port);
    return true;
}

void
JobTable::UsePort(const NicPort& port)
{
    m_ranks.at({port.job, port.rank}).faults.erase(port.port);
    m_mended.erase(port);
    DropPlans(port.job, port.rank);
}

void
JobTable::DropPlans(uint32_t job, uint32_t rank)
{
    for (auto it = m_plans.begin(); it != m_plans.end();)
    {
        const auto& [ofJob, ranks, isLink] = it->first;
        const bool uses = ofJob == job && IsPlannedWith(job, ranks, rank, isLink);
        it = uses ? m_plans.erase(it) : std::next(it);
    }
}

void
JobTable::AddSpareGpu(uint32_t gpu,
                      const std::map<uint32_t, std::vector<OcsPortId>>& ports,
                      const Address& manager)
{
    m_spareGpus[gpu] = {ports, manager};
}

std::string
JobTable::Move(uint32_t job, uint32_t rank, uint32_t gpu)
{
    if (GetGpu(job, rank) == gpu)
    {
        return "";
    }
    const auto entry = m_ranks.find({job, rank});
    const auto spare = m_spareGpus.find(gpu);
    if (entry == m_ranks.end() || spare == m_spareGpus.end())
    {
        return "rank " + std::to_string(rank) + " of job " + std::to_string(job) +
               " cannot move to GPU " + std::to_string(gpu) + ", of which nothing is known";
    }
    const uint32_t rail = GetRail(job, rank);
    const auto ports = spare->second.ports.find(rail);
    if (ports == spare->second.ports.end())
    {
        return "GPU " + std::to_string(gpu) + " cannot be led to rail " + std::to_string(rail);
    }
    for (const auto& [key, other] : m_ranks)
    {
        if (other.gpu == gpu)
        {
            return "GPU " + std::to_string(gpu) + " has rank " + std::to_string(key.second) +
                   " of job " + std::to_string(key.first);
        }
    }
    if (std::string error = AddRank(job, rank, ports->second); !error.empty())
    {
        return error;
    }
    NS_LOG_INFO("rank " << rank << " of job " << job << " moves to GPU " << gpu);
    entry->second.gpu = gpu;
    entry->second.faults.clear();
    m_mended.erase(m_mended.lower_bound({job, rank, 0}), m_mended.lower_bound({job, rank + 1, 0}));
    entry->second.manager = spare->second.manager;
    entry->second.hasManager = true;
    m_jobOf[spare->second.manager] = job;
    m_sites.erase(job);
    DropPlans(job, rank);
    return "";
}

uint32_t
JobTable::GetGpu(uint32_t job, uint32_t rank) const
{
    const auto entry = m_ranks.find({job, rank});
    return entry == m_ranks.end() ? rank : entry->second.gpu.value_or(rank);
}

bool
JobTable::IsPortFailed(const NicPort& port) const
{
    const auto rank = m_ranks.find({port.job, port.rank});
    return rank != m_ranks.end() && rank->second.faults.count(port.port) > 0;
}

bool
JobTable::HasFailedPorts(uint32_t job) const
{
    const auto ranks = GetRanks(job);
    return std::any_of(ranks.begin(), ranks.end(), [this, job](uint32_t rank) {
        return !m_ranks.at({job, rank}).faults.empty();
    });
}

std::vector<JobTable::NicPort>
JobTable::GetFailedPorts(uint32_t job, uint32_t rail) const
{
    std::vector<NicPort> avoided;
    for (const uint32_t rank : GetRanks(job))
    {
        if (GetRail(job, rank) != rail)
        {
            continue;
        }
        for (const auto& [port, faults] : m_ranks.at({job, rank}).faults)
        {
            avoided.push_back({job, rank, port});
        }
    }
    return avoided;
}

std::vector<uint32_t>
JobTable::GetJobs(uint32_t ocs) const
{
    std::set<uint32_t> jobs;
    for (const auto& [port, owner] : m_owners)
    {
        if (port.ocs == ocs)
        {
            jobs.insert(owner.first);
        }
    }
    return {jobs.begin(), jobs.end()};
}

std::vector<uint32_t>
JobTable::GetRanks(uint32_t job) const
{
    std::vector<uint32_t> ranks;
    for (auto it = m_ranks.lower_bound({job, 0}); it != m_ranks.end() && it->first.first == job;
         ++it)
    {
        ranks.push_back(it->first.second);
    }
    return ranks;
}

std::string
JobTable::GetFailure(uint32_t job) const
{
    const auto it = m_failures.find(job);
    return it == m_failures.end() ? "" : it->second;
}

} // namespace ns3
