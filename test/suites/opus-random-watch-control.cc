// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The rules of OpusWatch for controllers.
 */

#include "opus-random-watch.h"

#include "ns3/simulator.h"

namespace ns3
{
namespace test
{

bool
OpusWatch::IsActing(const Teller& teller) const
{
    const Plane& plane = m_planes[teller.plane];
    return plane.controller == teller.controller && !plane.isLearning;
}

void
OpusWatch::Learn(const Teller& teller, bool begins)
{
    Note("a controller " + std::string(begins ? "learns" : "knows all"));
    m_planes[teller.plane] = {teller.controller, begins, Simulator::Now()};
    for (uint32_t rail = 0; rail < m_rails.size(); ++rail)
    {
        if (rail % m_planes.size() != teller.plane)
        {
            continue;
        }
        for (Command& command : m_commands[rail])
        {
            command.mayBeLost = true;
        }
        if (!begins)
        {
            m_commands[rail].clear(); // switches are at rest
        }
    }
    for (uint32_t job = 0; job < m_jobs.size(); ++job)
    {
        for (uint32_t rank = 0; rank < m_jobs[job].ranks.size(); ++rank)
        {
            const uint32_t rail = m_jobs[job].part.GetRailOf(rank);
            if (rail % m_planes.size() == teller.plane)
            {
                m_line.Forget(job, rank);
                ForgetKept(job, rank);
            }
        }
    }
}

void
OpusWatch::ForgetKept(uint32_t job, uint32_t rank)
{
    Rank& r = m_jobs[job].ranks[rank];
    if (r.kept.empty() || r.isUnknown)
    {
        return;
    }
    r.isUnknown = true;
    for (Rail& rail : m_rails)
    {
        rail.hurt = true;
    }
}

void
OpusWatch::GrantedBefore(uint32_t job, uint64_t group)
{
    Note("a controller that has been replaced grants " + Name(job, group));
    for (const uint32_t rank : GetRanks(job, group))
    {
        m_jobs[job].ranks[rank].told[group] += m_jobs[job].ranks[rank].asked.count(group);
    }
}

void
OpusWatch::Heard(const OpusMessage& message)
{
    if (const auto* restart = message.Get<OpusRestart>())
    {
        HeardRestart(*restart);
        return;
    }
    const OpusLease& lease = *message.GetLease();
    const auto* request = message.Get<OpusRequest>();
    const bool isPassive = request && request->passive;
    const bool isSpeculative = request && request->speculative;
    const uint64_t completed = request ? request->completed : message.Get<OpusRelease>()->completed;
    Note(std::string("controller hears rank ") + std::to_string(lease.rank) +
         (!request        ? " give back "
          : request->held ? " hold "
          : isPassive     ? " consent to "
          : isSpeculative ? " ask ahead for "
                          : " ask for ") +
         Name(lease.job, lease.group) + ", lease " + std::to_string(lease.lease) + ", " +
         std::to_string(completed) + " completed");
    const GroupKey key{lease.job, lease.group};
    m_line.AddGroup(key, GetRanks(lease.job, lease.group));
    if (request && request->held)
    {
        ++m_counts.learned;
        m_line.Hold(key, lease.rank, lease.lease, completed);
        for (const auto& [rail, ring] : GetRings(lease.job, lease.group))
        {
            if (m_rails[rail].moving)
            {
                m_rails[rail].dark.insert(key);
            }
        }
        return;
    }
    m_line.Hear(key,
                lease.rank,
                {request != nullptr, isPassive, isSpeculative, lease.lease, completed});
    if (++m_counts.heard > MOST_MESSAGES)
    {
        Fail("no end: circuits are taken back and forth");
    }
    for (Rail& rail : m_rails)
    {
        if (rail.dark.count(key) > 0 && !m_line.IsHeld(key))
        {
            rail.dark.erase(key); // nobody waits for its light any more
        }
    }
}

void
OpusWatch::HeardRestart(const OpusRestart& message)
{
    Note("controller hears that the shim of rank " + std::to_string(message.rank) +
         " has forgotten its leases");
    const std::set<uint64_t> needed(message.groups.begin(), message.groups.end());
    Rank& rank = m_jobs[message.job].ranks[message.rank];
    for (auto it = rank.kept.begin(); it != rank.kept.end();)
    {
        if (needed.count(*it) > 0)
        {
            ++it;
            continue;
        }
        if (rank.sends[*it] > 0)
        {
            Fail("rank " + std::to_string(message.rank) + " forgets that it sends a message in " +
                 Name(message.job, *it));
        }
        it = rank.kept.erase(it);
    }
    m_line.Restart(message.job, message.rank, needed);
}

void
OpusWatch::Commanded(uint32_t job, uint64_t group, uint32_t rail, const Command& command)
{
    Note("controller switches " + Name(job, group));
    m_counts.turns += m_line.GetLength() > 1 ? 1 : 0;
    // Circuits of held groups are made again out of turn.
    if (!m_decidesLater && m_rails[rail].dark.count({job, group}) == 0)
    {
        const auto isHere = [&](uint32_t rank) { return m_jobs[job].part.GetRailOf(rank) == rail; };
        if (const auto error = m_line.CheckTurn({job, group}, isHere); !error.empty())
        {
            Fail(Name(job, group) + " is switched and " + error);
        }
    }
    for (const Circuit& circuit : command.drop)
    {
        const Port& a = m_ports[rail].at(circuit.a);
        const Port& b = m_ports[rail].at(circuit.b);
        for (uint64_t held : m_line.GetHeld(a.job))
        {
            if (Uses(a.job, held, a, b))
            {
                Fail(Name(job, group) + " takes a circuit from " + Name(a.job, held));
            }
        }
    }
    m_commands[rail].push_back(command);
    m_commands[rail].back().rebuilds = m_rails[rail].rebuilds;
}

void
OpusWatch::GroupGranted(uint32_t job, uint64_t group)
{
    Note("controller grants " + Name(job, group));
    ++m_counts.grants;
    m_counts.spread += GetRings(job, group).size() > 1 ? 1 : 0;
    m_counts.turns += m_line.GetLength() > 1 ? 1 : 0;
    if (const auto rank = m_line.TakeRemembered({job, group}))
    {
        ++m_counts.remembered;
        ++m_jobs[job].ranks[*rank].told[group];
        return; // it has had it all the time
    }
    if (const auto error = m_line.CheckTurn({job, group}); !error.empty())
    {
        Fail(Name(job, group) + " is granted and " + error);
    }
    if (!IsLit(job, group))
    {
        Fail(Name(job, group) + " is granted in the dark");
    }
    for (uint32_t rank : m_line.Grant({job, group}))
    {
        ++m_jobs[job].ranks[rank].told[group];
    }
}

} // namespace test
} // namespace ns3
