// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The rules of OpusWatch for ranks, and values derived from ranks and cabling.
 */

#include "opus-random-job.h"
#include "opus-random-watch.h"

#include "ns3/collective-helper.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace test
{

// --- ranks --------------------------------------------------------------------------------------

void
OpusWatch::Requested(uint32_t job, uint32_t rank, uint64_t group)
{
    Note("rank " + std::to_string(rank) + " asks for " + Name(job, group));
    Rank& r = m_jobs[job].ranks[rank];
    r.asked.insert(group);
    if (r.held.count(group))
    {
        Fail("rank " + std::to_string(rank) + " asks for " + Name(job, group) + ", which it holds");
    }
}

void
OpusWatch::Granted(uint32_t job, uint32_t rank, uint64_t group)
{
    Note("rank " + std::to_string(rank) + " is granted " + Name(job, group));
    Rank& r = m_jobs[job].ranks[rank];
    uint32_t& told = r.told[group];
    if (told == 0 || r.asked.erase(group) == 0)
    {
        Fail("rank " + std::to_string(rank) + " is granted " + Name(job, group) +
             " by nobody, or has not asked");
        return;
    }
    --told;
    r.kept.erase(group);
    r.held.insert(group);
}

void
OpusWatch::LoseShim(uint32_t job, uint32_t rank)
{
    Note("the shim of rank " + std::to_string(rank) + " of job " + std::to_string(job) +
         " forgets");
    Rank& r = m_jobs[job].ranks[rank];
    r.kept.insert(r.held.begin(), r.held.end());
    r.held.clear();
    r.asked.clear();
    if (m_planes[m_jobs[job].part.GetRailOf(rank) % m_planes.size()].isLearning)
    {
        ForgetKept(job, rank);
    }
}

void
OpusWatch::Released(uint32_t job, uint32_t rank, uint64_t group)
{
    Note("rank " + std::to_string(rank) + " gives back " + Name(job, group));
    Rank& r = m_jobs[job].ranks[rank];
    r.kept.erase(group);
    if (r.asked.erase(group) + r.held.erase(group) != 1)
    {
        Fail("rank " + std::to_string(rank) + " gives back what it has not");
    }
    if (r.sends[group] > 0)
    {
        Fail("rank " + std::to_string(rank) + " gives back " + Name(job, group) +
             " while it sends a message there");
    }
}

void
OpusWatch::Made(uint32_t job, uint32_t rank, const CollectiveCall& call)
{
    Note("rank " + std::to_string(rank) + " of job " + std::to_string(job) + " calls " +
         ToString(call.kind) + " on group " + std::to_string(call.groupId));
}

void
OpusWatch::Began(uint32_t job, uint32_t rank, const CollectiveCall& call)
{
    Note("rank " + std::to_string(rank) + " of job " + std::to_string(job) + " begins " +
         ToString(call.kind) + " on group " + std::to_string(call.groupId));
    BeganOn(job, rank, call, GetLease(job, rank, call));
}

void
OpusWatch::RoundBegan(uint32_t job, uint32_t rank, const CollectiveCall& call)
{
    Note("rank " + std::to_string(rank) + " of job " + std::to_string(job) + " begins a round, " +
         ToString(call.kind) + " with rank " + std::to_string(call.peer));
    BeganOn(job, rank, call, GetLeaseOfRound(job, rank, call));
}

void
OpusWatch::BeganOn(uint32_t job, uint32_t rank, const CollectiveCall& call, uint64_t lease)
{
    if (call.kind == CollectiveKind::RECV || lease == NOT_LENT)
    {
        return;
    }
    ++m_counts.calls;
    Rank& r = m_jobs[job].ranks[rank];
    ++(call.kind == CollectiveKind::SEND ? r.sends : r.collectives)[lease];
    if (r.held.count(lease) == 0)
    {
        Fail("rank " + std::to_string(rank) + " sends in " + Name(job, lease) + " unasked");
    }
    if (!IsLit(job, lease))
    {
        Fail("rank " + std::to_string(rank) + " sends in " + Name(job, lease) + " in the dark");
    }
}

void
OpusWatch::Ended(uint32_t job, uint32_t rank, const CollectiveCall& call)
{
    Note("rank " + std::to_string(rank) + " of job " + std::to_string(job) + " ends " +
         ToString(call.kind) + " on group " + std::to_string(call.groupId));
    m_counts.end = Simulator::Now();
    EndedOn(job, rank, call, GetLease(job, rank, call));
}

void
OpusWatch::RoundEnded(uint32_t job, uint32_t rank, const CollectiveCall& call)
{
    Note("rank " + std::to_string(rank) + " of job " + std::to_string(job) + " ends a round, " +
         ToString(call.kind) + " with rank " + std::to_string(call.peer));
    EndedOn(job, rank, call, GetLeaseOfRound(job, rank, call));
}

void
OpusWatch::EndedOn(uint32_t job, uint32_t rank, const CollectiveCall& call, uint64_t lease)
{
    if (call.kind != CollectiveKind::RECV && lease != NOT_LENT)
    {
        Rank& r = m_jobs[job].ranks[rank];
        --(call.kind == CollectiveKind::SEND ? r.sends : r.collectives)[lease];
    }
}

// --- derived from ranks and cabling -------------------------------------------------------------

void
OpusWatch::SetThreshold(uint64_t bytes)
{
    m_threshold = bytes;
}

uint64_t
OpusWatch::GetLease(uint32_t job, uint32_t rank, const CollectiveCall& call) const
{
    const auto& group = m_jobs[job].groups.at(call.groupId);
    if (call.bytes < m_threshold || group.GetSize() < 2)
    {
        return NOT_LENT;
    }
    const std::string& exchange = m_jobs[job].exchange;
    const bool hasRounds =
        call.kind == CollectiveKind::ALL_TO_ALL && !exchange.empty() &&
        !OpusJobRun::MakeExchange(m_jobs[job].part, exchange, group, call).GetRounds().empty();
    return hasRounds ? NOT_LENT : GetLeaseOnRails(job, rank, call);
}

uint64_t
OpusWatch::GetLeaseOnRails(uint32_t job, uint32_t rank, const CollectiveCall& call) const
{
    const auto& group = m_jobs[job].groups.at(call.groupId);
    if (group.GetSize() == 2 && call.link != RingLink::NONE)
    {
        // The job chooses whether a pipeline has links. The consequences are checked.
        const bool isFirst = call.link == RingLink::TO_NEXT;
        return PAIR | LINK | uint64_t{isFirst ? rank : call.peer} << 31 |
               (isFirst ? call.peer : rank);
    }
    if (!call.IsPointToPoint() || group.GetSize() == 2)
    {
        return call.groupId;
    }
    // Neighbours on a ring have the link between them, unless they have a connector as a pair.
    const GroupShape shape = CollectiveHelper::GetShape(m_jobs[job].part, group);
    const uint32_t perDomain = shape.perDomain;
    const uint32_t index = group.GetIndex(rank);
    const uint32_t place = group.GetIndex(call.peer);
    if (m_jobs[job].exchanging.count(group.id) > 0)
    {
        const auto ends =
            OpusJobRun::GetAlgorithms(m_jobs[job].exchange, group).GetConnectors(shape, index);
        const CollectiveConnectorId direct{place, CONNECTOR_DIRECT};
        if (std::find(ends.begin(), ends.end(), direct) != ends.end())
        {
            return GetPair(rank, call);
        }
    }
    std::vector<uint32_t> ring;
    for (uint32_t i = 0; i < group.GetSize(); ++i)
    {
        if (index % perDomain != place % perDomain || i % perDomain == index % perDomain)
        {
            ring.push_back(group.ranks[i]);
        }
    }
    for (std::size_t i = 0; i < ring.size(); ++i)
    {
        const uint64_t next = ring[(i + 1) % ring.size()];
        if (ring.size() > 2 && m_cluster.GetNicPortCount() > 1 &&
            std::minmax<uint64_t>(ring[i], next) == std::minmax<uint64_t>(rank, call.peer))
        {
            return PAIR | LINK | uint64_t{ring[i]} << 31 | next;
        }
    }
    return GetPair(rank, call);
}

uint64_t
OpusWatch::GetLeaseOfRound(uint32_t job, uint32_t rank, const CollectiveCall& call) const
{
    const bool isPair = m_jobs[job].groups.at(call.groupId).GetSize() == 2;
    return isPair ? call.groupId : GetPair(rank, call);
}

uint64_t
OpusWatch::GetPair(uint32_t rank, const CollectiveCall& call)
{
    return PAIR | uint64_t{std::min(rank, call.peer)} << 31 | std::max(rank, call.peer);
}

bool
OpusWatch::IsLink(uint64_t lease)
{
    return (lease & PAIR) && (lease & LINK);
}

std::vector<uint32_t>
OpusWatch::GetRanks(uint32_t job, uint64_t lease) const
{
    if (lease & PAIR)
    {
        const uint64_t mask = (uint64_t{1} << 31) - 1;
        return {static_cast<uint32_t>(lease >> 31 & mask), static_cast<uint32_t>(lease & mask)};
    }
    return m_jobs[job].groups.at(lease).ranks;
}

bool
OpusWatch::Leads(const Port& from, const Port& to, bool isPair) const
{
    const uint32_t ports = m_cluster.GetNicPortCount();
    const uint32_t half = std::max<uint32_t>(1, ports / 2);
    return isPair || (from.index < half && to.index >= ports - half);
}

std::map<uint32_t, std::vector<uint32_t>>
OpusWatch::GetRings(uint32_t job, uint64_t lease) const
{
    std::map<uint32_t, std::vector<uint32_t>> rings;
    for (const uint32_t rank : GetRanks(job, lease))
    {
        rings[m_jobs[job].part.GetRailOf(rank)].push_back(rank);
    }
    return rings;
}

bool
OpusWatch::IsLit(uint32_t job, uint64_t lease) const
{
    for (const auto& [number, ring] : GetRings(job, lease))
    {
        const Rail& rail = m_rails[number];
        const auto& ports = m_ports[number];
        const bool isStuck = std::any_of(rail.stuck.begin(), rail.stuck.end(), [&](uint32_t port) {
            return MayNeed(job, lease, ports.at(port));
        });
        if (!rail.lost && !isStuck && rail.dark.count({job, lease}) == 0 &&
            !HasLight(job, number, ring, IsLink(lease)))
        {
            return false;
        }
    }
    return true;
}

bool
OpusWatch::MayNeed(uint32_t job, uint64_t lease, const Port& port) const
{
    const auto ranks = GetRanks(job, lease);
    return port.job == job && std::find(ranks.begin(), ranks.end(), port.rank) != ranks.end();
}

bool
OpusWatch::HasLight(uint32_t job, uint64_t lease) const
{
    const auto rings = GetRings(job, lease);
    return std::all_of(rings.begin(), rings.end(), [&](const auto& one) {
        return HasLight(job, one.first, one.second, IsLink(lease));
    });
}

bool
OpusWatch::HasLight(uint32_t job,
                    uint32_t rail,
                    const std::vector<uint32_t>& ring,
                    bool isLink) const
{
    const bool isPair = ring.size() == 2 && !isLink;
    const auto& part = m_jobs[job].part;
    const auto& ports = m_ports[rail];
    uint32_t joined = 0;
    const std::size_t joints = isLink ? 1 : ring.size();
    for (std::size_t i = 0; i < joints; ++i)
    {
        const uint32_t next = ring[(i + 1) % ring.size()];
        for (uint32_t place : part.GetOcsPorts(ring[i]))
        {
            const Port& from = ports[place];
            const Port* to = from.up ? &ports[from.peer] : nullptr;
            joined += to && to->job == job && to->rank == next && Leads(from, *to, isPair);
        }
    }
    // Pairs count all their circuits from both ends, rings and links each from one.
    const uint32_t half = std::max<uint32_t>(1, m_cluster.GetNicPortCount() / 2);
    return joined == joints * (isPair ? m_cluster.GetNicPortCount() : half);
}

bool
OpusWatch::Uses(uint32_t job, uint64_t lease, const Port& a, const Port& b) const
{
    if (a.job != job || b.job != job)
    {
        return false;
    }
    for (const auto& [rail, ring] : GetRings(job, lease))
    {
        const bool isPair = ring.size() == 2 && !IsLink(lease);
        for (std::size_t i = 0; i < (IsLink(lease) ? 1 : ring.size()); ++i)
        {
            const uint32_t next = ring[(i + 1) % ring.size()];
            for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
            {
                if (from.rank == ring[i] && to.rank == next && Leads(from, to, isPair))
                {
                    return true;
                }
            }
        }
    }
    return false;
}

std::string
OpusWatch::Name(uint32_t job, uint64_t lease)
{
    const std::string group = lease & PAIR ? (IsLink(lease) ? "the link of " : "the pair ") +
                                                 std::to_string(lease >> 31 & 0xffffffff >> 1) +
                                                 " and " + std::to_string(lease & 0x7fffffff)
                                           : "group " + std::to_string(lease);
    return group + " of job " + std::to_string(job);
}

} // namespace test
} // namespace ns3
