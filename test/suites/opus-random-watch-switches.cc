// SPDX-License-Identifier: GPL-2.0-only

/**
 * @file
 * The rules of OpusWatch for switches.
 */

#include "opus-random-watch.h"

#include "ns3/rdma-nic.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <iterator>

namespace ns3
{
namespace test
{

// --- commands -----------------------------------------------------------------------------------

std::optional<uint32_t>
OpusWatch::GetRail(uint32_t ocs) const
{
    for (uint32_t rail = 0; rail < m_rails.size(); ++rail)
    {
        if (m_rails[rail].ocs == ocs)
        {
            return rail;
        }
    }
    return std::nullopt;
}

uint32_t
OpusWatch::GetSwitch(uint32_t rail) const
{
    return m_rails[rail].ocs;
}

void
OpusWatch::Start(uint32_t rail, const CircuitSet& dropped, const CircuitSet& made)
{
    ++m_counts.commands;
    m_counts.drops += dropped.size();
    const auto needs = [&made](uint32_t port) {
        return std::any_of(made.begin(), made.end(), [port](const Circuit& circuit) {
            return circuit.a == port || circuit.b == port;
        });
    };
    m_counts.evictions += std::count_if(dropped.begin(), dropped.end(), [&](const Circuit& x) {
        return !needs(x.a) && !needs(x.b);
    });
    auto& state = m_rails[rail];
    auto& commands = m_commands[rail];
    const auto isThis = [&](const Command& command) {
        return command.drop == dropped && command.make == made;
    };
    // Commands sent while the circuits were gone, or before they are made anew, may be lost.
    while (!commands.empty() && !isThis(commands.front()) &&
           (state.lost || commands.front().mayBeLost || commands.front().rebuilds < state.rebuilds))
    {
        commands.pop_front();
    }
    // Of two that are alike it is the later one as soon as that can have come.
    const auto later = std::find_if(commands.begin(), commands.end(), [&](const Command& command) {
        return command.rebuilds == state.rebuilds && isThis(command);
    });
    if (state.moving && later != commands.end() && Simulator::Now() >= state.heard)
    {
        commands.erase(commands.begin(), later);
    }
    if (commands.empty() || !isThis(commands.front()))
    {
        Fail("a switch does what it was not told, or not in order");
        return;
    }
    if (state.moving && commands.front().rebuilds == state.rebuilds)
    {
        state.moving = false;
        ForgetPorts(rail);
    }
    commands.pop_front();
    auto& ports = m_ports[rail];
    for (const Circuit& circuit : dropped)
    {
        const bool isStuck = state.stuck.count(circuit.a) + state.stuck.count(circuit.b) > 0;
        if ((!ports.at(circuit.a).up && !isStuck) || ports[circuit.a].peer != circuit.b)
        {
            Fail("a circuit without light is dropped");
        }
        ports[circuit.a].peer = -1;
        ports[circuit.b].peer = -1;
    }
    for (const Circuit& circuit : made)
    {
        if (ports.at(circuit.a).peer >= 0 || ports.at(circuit.b).peer >= 0 ||
            circuit.a == circuit.b)
        {
            Fail("a port is in two circuits: no matching");
        }
        ports[circuit.a].peer = circuit.b;
        ports[circuit.b].peer = circuit.a;
    }
}

// --- light that is lost -------------------------------------------------------------------------

void
OpusWatch::Lost(uint32_t ocs, uint32_t port, uint64_t bits)
{
    const auto rail = GetRail(ocs);
    const Rail* state = rail ? &m_rails[*rail] : nullptr;
    const bool isUnknown = std::any_of(m_jobs.begin(), m_jobs.end(), [](const Job& job) {
        return std::any_of(job.ranks.begin(), job.ranks.end(), [](const Rank& rank) {
            return rank.isUnknown;
        });
    });
    if (state && !state->lost && !state->moving && state->dark.empty() && state->stuck.empty() &&
        !isUnknown && Simulator::Now() > state->lostUntil)
    {
        Fail(std::to_string(bits) + " bits are lost at port " + std::to_string(port));
    }
}

void
OpusWatch::LoseLight(uint32_t rail)
{
    Note("rail " + std::to_string(rail) + " loses light");
    m_rails[rail].lost = true;
    m_rails[rail].hurt = true;
}

void
OpusWatch::LoseCircuits(uint32_t rail)
{
    ForgetPorts(rail);
}

void
OpusWatch::Stick(uint32_t rail, uint32_t port, bool stuck)
{
    Note("port " + std::to_string(port) + " of rail " + std::to_string(rail) +
         (stuck ? " sticks" : " is mended"));
    m_rails[rail].hurt = true;
    if (stuck)
    {
        m_rails[rail].stuck.insert(port);
    }
    else
    {
        m_rails[rail].stuck.erase(port);
    }
}

bool
OpusWatch::HasLostLight(uint32_t rail) const
{
    return m_rails[rail].hurt;
}

void
OpusWatch::ForgetPorts(uint32_t rail)
{
    for (Port& port : m_ports[rail])
    {
        if (port.up)
        {
            Fail("a circuit outlives the loss of all");
        }
        port.peer = -1;
    }
}

void
OpusWatch::Protected(uint32_t ocs, uint32_t rail)
{
    Note("rail " + std::to_string(rail) + " has rail " + std::to_string(rail));
    Rail& state = m_rails[rail];
    state.ocs = ocs;
    state.stuck.clear();
    auto& commands = m_commands[rail];
    while (!commands.empty() && commands.front().rebuilds < state.rebuilds)
    {
        commands.pop_front(); // to the switch that had it before
    }
    ForgetPorts(rail);
}

void
OpusWatch::Rebuild(uint32_t rail)
{
    Note("the controller rebuilds rail " + std::to_string(rail));
    ++m_counts.rebuilds;
    Rail& state = m_rails[rail];
    state.lost = false;
    state.hurt = true;
    state.moving = true;
    state.heard = Simulator::Now() + m_latency;
    ++state.rebuilds;
    // A switch that blocks, and works, begins dark with a controller that begins anew: light on its
    // way is lost, also when the circuits are made again at once.
    const Plane& plane = m_planes[rail % m_planes.size()];
    state.lostUntil =
        plane.learned == Simulator::Now() ? state.heard + MilliSeconds(1) : state.lostUntil;
    state.dark.clear();
    for (uint32_t job = 0; job < m_jobs.size(); ++job)
    {
        for (uint64_t held : m_line.GetHeld(job))
        {
            if (GetRings(job, held).count(rail) > 0)
            {
                state.dark.insert({job, held});
            }
        }
    }
}

// --- light --------------------------------------------------------------------------------------

void
OpusWatch::Up(uint32_t rail, Circuit circuit)
{
    Note("rail " + std::to_string(rail) + ": " + std::to_string(circuit.a) + "-" +
         std::to_string(circuit.b) + " up");
    Port& a = m_ports[rail].at(circuit.a);
    Port& b = m_ports[rail].at(circuit.b);
    if (a.up || b.up || a.peer != circuit.b || b.peer != circuit.a)
    {
        Fail("a circuit comes up that is no part of the matching");
    }
    a.up = true;
    b.up = true;
    auto& dark = m_rails[rail].dark;
    for (auto it = dark.begin(); it != dark.end() && !m_rails[rail].moving;)
    {
        it = HasLight(it->job, it->id) ? dark.erase(it) : std::next(it);
    }
}

void
OpusWatch::Down(uint32_t rail, Circuit circuit)
{
    Note("rail " + std::to_string(rail) + ": " + std::to_string(circuit.a) + "-" +
         std::to_string(circuit.b) + " down");
    Port& a = m_ports[rail].at(circuit.a);
    Port& b = m_ports[rail].at(circuit.b);
    if (!a.up || !b.up)
    {
        Fail("a circuit goes dark that had no light");
    }
    a.up = false;
    b.up = false;
    const Rail& state = m_rails[rail];
    if (state.lost || state.moving ||
        state.stuck.count(circuit.a) + state.stuck.count(circuit.b) > 0)
    {
        return; // by accident
    }
    CheckQuiet(a, b);
    CheckQuiet(b, a);
}

void
OpusWatch::CheckQuiet(const Port& here, const Port& there)
{
    const Job& job = m_jobs[here.job];
    const Rank& rank = job.ranks[here.rank];
    if (rank.isUnknown)
    {
        return; // its shim and the controller have forgotten what it held at the same time
    }
    const std::string who = "a circuit goes dark while rank " + std::to_string(here.rank) + " ";
    for (const auto* leases : {&rank.held, &rank.kept})
    {
        for (uint64_t lease : *leases)
        {
            if (Uses(here.job, lease, here, there))
            {
                Fail(who + "holds " + Name(here.job, lease));
            }
        }
    }
    bool stopped = false;
    for (const auto& [lease, count] : rank.collectives)
    {
        stopped = stopped || (count > 0 && Uses(here.job, lease, here, there));
    }
    for (const auto& [lease, count] : rank.sends)
    {
        if (count > 0 && Uses(here.job, lease, here, there))
        {
            Fail(who + "sends a message in " + Name(here.job, lease));
        }
    }
    const auto nic = job.part.GetNic(here.rank);
    const auto mac = nic->GetPort(here.index)->GetMacAddress();
    const auto peer = job.part.GetNic(there.rank)->GetPort(there.index)->GetMacAddress();
    bool left = false;
    for (uint32_t i = 0; i < nic->GetNQueuePairs(); ++i)
    {
        const auto queuePair = nic->GetQueuePair(i);
        if (queuePair->GetEndpoint().mac != mac || queuePair->GetRemote().mac != peer)
        {
            continue;
        }
        const auto& requester = queuePair->GetRequester();
        const auto& state = requester.GetState();
        if (state.next != state.unacked)
        {
            Fail(who + "waits for acknowledgements");
        }
        left = left || !requester.GetQueue().IsEmpty();
    }
    if (left && !stopped)
    {
        Fail(who + "has messages to send");
    }
    m_counts.stopped += left ? 1 : 0;
}

} // namespace test
} // namespace ns3
