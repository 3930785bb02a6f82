// SPDX-License-Identifier: GPL-2.0-only

#include "opus-random-watch.h"

#include "lambda-call.h"

#include "ns3/abort.h"
#include "ns3/collective-engine.h"
#include "ns3/rdma-nic.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace test
{

namespace
{

/// Connect to a trace source, which there must be.
void
Connect(Ptr<Object> object, const std::string& source, const CallbackBase& action)
{
    NS_ABORT_MSG_UNLESS(object->TraceConnectWithoutContext(source, action),
                        "there is no trace source " << source);
}

} // namespace

OpusWatch::OpusWatch(const RailCluster& cluster)
    : m_cluster(cluster),
      m_ports(cluster.GetGpusPerDomain()),
      m_commands(cluster.GetGpusPerDomain())
{
    for (uint32_t rail = 0; rail < cluster.GetGpusPerDomain(); ++rail)
    {
        WatchSwitch(rail, cluster.GetOcs(rail));
    }
}

void
OpusWatch::AddJob(const RailCluster& part,
                  const OpusHelper& opus,
                  const std::vector<ProcessGroup>& groups)
{
    const auto job = static_cast<uint32_t>(m_jobs.size());
    m_jobs.push_back(Job{part, groups, std::vector<Rank>(part.GetNGpus())});
    for (uint32_t rank = 0; rank < part.GetNGpus(); ++rank)
    {
        auto& ports = m_ports[part.GetRailOf(rank)];
        const auto& places = part.GetOcsPorts(rank);
        for (uint32_t index = 0; index < places.size(); ++index)
        {
            ports.resize(std::max<std::size_t>(ports.size(), places[index] + 1));
            ports[places[index]] = Port{job, rank, index};
        }
        WatchRank(job, rank, opus.GetShim(rank, job));
    }
}

void
OpusWatch::AddControllers(const OpusHelper& opus)
{
    std::set<Ptr<OpusController>> controllers;
    for (uint32_t rail = 0; rail < m_cluster.GetGpusPerDomain(); ++rail)
    {
        if (controllers.insert(opus.GetController(rail)).second)
        {
            WatchController(opus.GetController(rail));
        }
    }
}

void
OpusWatch::SetWindow(bool decidesLater)
{
    m_decidesLater = decidesLater;
}

void
OpusWatch::SetLog(std::ostream* log)
{
    m_log = log;
}

void
OpusWatch::Note(const std::string& text) const
{
    if (m_log)
    {
        *m_log << Simulator::Now().GetPicoSeconds() << " ps " << text << "\n";
    }
}

const std::string&
OpusWatch::GetError() const
{
    return m_error;
}

const OpusWatch::Counts&
OpusWatch::GetCounts() const
{
    return m_counts;
}

void
OpusWatch::Fail(const std::string& error)
{
    if (m_error.empty())
    {
        m_error = "at " + std::to_string(Simulator::Now().GetPicoSeconds()) + " ps " + error;
        Simulator::Stop();
    }
}

// --- what is heard ------------------------------------------------------------------------------

void
OpusWatch::WatchSwitch(uint32_t ocs, Ptr<OpticalCircuitSwitch> device)
{
    using Switch = Ptr<const OpticalCircuitSwitch>;
    Connect(device,
            "ReconfigurationStart",
            ToCallback<Switch, const CircuitSet&, const CircuitSet&>(
                [this, ocs](Switch, const CircuitSet& dropped, const CircuitSet& made) {
                    Start(ocs, dropped, made);
                }));
    Connect(device, "CircuitUp", ToCallback<Switch, Circuit>([this, ocs](Switch, Circuit circuit) {
                Up(ocs, circuit);
            }));
    Connect(
        device,
        "CircuitDown",
        ToCallback<Switch, Circuit>([this, ocs](Switch, Circuit circuit) { Down(ocs, circuit); }));
    Connect(device,
            "BitsLost",
            ToCallback<Switch, uint32_t, uint64_t, OpticalCircuitSwitch::LossReason>(
                [this](Switch, uint32_t port, uint64_t bits, OpticalCircuitSwitch::LossReason) {
                    Fail(std::to_string(bits) + " bits are lost at port " + std::to_string(port));
                }));
}

void
OpusWatch::WatchController(Ptr<OpusController> controller)
{
    Connect(controller, "Heard", ToCallback<const OpusMessage&>([this](const OpusMessage& message) {
                Heard(message);
            }));
    Connect(controller,
            "GroupGranted",
            ToCallback<uint32_t, uint64_t, Time, bool>(
                [this](uint32_t job, uint64_t group, Time, bool) { GroupGranted(job, group); }));
    Connect(controller,
            "ReconfigurationBegin",
            ToCallback<uint32_t, uint64_t, uint32_t, const CircuitSet&, const CircuitSet&>(
                [this](uint32_t job,
                       uint64_t group,
                       uint32_t ocs,
                       const CircuitSet& dropped,
                       const CircuitSet& made) {
                    Commanded(job, group, ocs, Command{dropped, made});
                }));
}

void
OpusWatch::WatchRank(uint32_t job, uint32_t rank, Ptr<OpusShim> shim)
{
    Connect(shim,
            "Requested",
            ToCallback<uint32_t, uint64_t, bool>(
                [this, job](uint32_t r, uint64_t group, bool) { Requested(job, r, group); }));
    Connect(
        shim,
        "Granted",
        ToCallback<uint32_t, uint64_t, Time, Time, bool>(
            [this, job](uint32_t r, uint64_t group, Time, Time, bool) { Granted(job, r, group); }));
    Connect(shim,
            "Released",
            ToCallback<uint32_t, uint64_t>(
                [this, job](uint32_t r, uint64_t group) { Released(job, r, group); }));
    Connect(shim,
            "Mispredicted",
            ToCallback<uint32_t, uint64_t, uint64_t>(
                [this](uint32_t, uint64_t, uint64_t) { ++m_counts.mispredicted; }));
    Connect(shim,
            "Refused",
            ToCallback<uint32_t, uint64_t, const std::string&>(
                [this, job](uint32_t, uint64_t group, const std::string& error) {
                    Fail(Name(job, group) + " is refused: " + error);
                }));
    const auto engine = m_jobs[job].part.GetGpu(rank)->GetObject<CollectiveEngine>();
    const auto connect = [this, job, engine](const std::string& source, auto method) {
        Connect(engine,
                source,
                ToCallback<uint32_t, const CollectiveCall&, uint64_t>(
                    [this, job, method](uint32_t r, const CollectiveCall& call, uint64_t) {
                        (this->*method)(job, r, call);
                    }));
    };
    connect("CallArrived", &OpusWatch::Made);
    connect("CallStarted", &OpusWatch::Began);
    connect("CallEnded", &OpusWatch::Ended);
    Connect(engine,
            "CallFailed",
            ToCallback<uint32_t, const CollectiveCall&, uint64_t>(
                [this](uint32_t r, const CollectiveCall&, uint64_t) {
                    Fail("a call of rank " + std::to_string(r) + " has failed");
                }));
}

// --- switches -----------------------------------------------------------------------------------

void
OpusWatch::Start(uint32_t ocs, const CircuitSet& dropped, const CircuitSet& made)
{
    ++m_counts.commands;
    m_counts.drops += dropped.size();
    auto& commands = m_commands[ocs];
    if (commands.empty() || commands.front().drop != dropped || commands.front().make != made)
    {
        Fail("a switch does what it was not told, or not in order");
        return;
    }
    commands.pop_front();
    auto& ports = m_ports[ocs];
    for (const Circuit& circuit : dropped)
    {
        if (!ports.at(circuit.a).up || ports[circuit.a].peer != circuit.b)
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

void
OpusWatch::Up(uint32_t ocs, Circuit circuit)
{
    Note("switch " + std::to_string(ocs) + ": " + std::to_string(circuit.a) + "-" +
         std::to_string(circuit.b) + " up");
    Port& a = m_ports[ocs].at(circuit.a);
    Port& b = m_ports[ocs].at(circuit.b);
    if (a.up || b.up || a.peer != circuit.b || b.peer != circuit.a)
    {
        Fail("a circuit comes up that is no part of the matching");
    }
    a.up = true;
    b.up = true;
}

void
OpusWatch::Down(uint32_t ocs, Circuit circuit)
{
    Note("switch " + std::to_string(ocs) + ": " + std::to_string(circuit.a) + "-" +
         std::to_string(circuit.b) + " down");
    Port& a = m_ports[ocs].at(circuit.a);
    Port& b = m_ports[ocs].at(circuit.b);
    if (!a.up || !b.up)
    {
        Fail("a circuit goes dark that had no light");
    }
    a.up = false;
    b.up = false;
    CheckQuiet(a, b);
    CheckQuiet(b, a);
}

void
OpusWatch::CheckQuiet(const Port& here, const Port& there)
{
    const Job& job = m_jobs[here.job];
    const Rank& rank = job.ranks[here.rank];
    const std::string who = "a circuit goes dark while rank " + std::to_string(here.rank) + " ";
    for (uint64_t lease : rank.held)
    {
        if (Uses(here.job, lease, here, there))
        {
            Fail(who + "holds " + Name(here.job, lease));
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
        const auto progress = requester.GetProgress();
        if (progress.next != progress.unacked)
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

// --- the controller -----------------------------------------------------------------------------

void
OpusWatch::Heard(const OpusMessage& message)
{
    Note(std::string("controller hears rank ") + std::to_string(message.rank) +
         (message.type == OpusMessageType::RELEASE ? " give back "
          : message.passive                        ? " consent to "
          : message.speculative                    ? " ask ahead for "
                                                   : " ask for ") +
         Name(message.job, message.group) + ", lease " + std::to_string(message.lease) + ", " +
         std::to_string(message.completed) + " completed");
    const GroupKey key{message.job, message.group};
    m_line.AddGroup(key, GetRanks(message.job, message.group));
    m_line.Hear(key,
                message.rank,
                {message.type != OpusMessageType::RELEASE, message.passive, message.speculative});
    if (++m_counts.heard > MOST_MESSAGES)
    {
        Fail("no end: circuits are taken back and forth");
    }
}

void
OpusWatch::Commanded(uint32_t job, uint64_t group, uint32_t ocs, const Command& command)
{
    Note("controller switches " + Name(job, group));
    m_counts.turns += m_line.GetLength() > 1 ? 1 : 0;
    if (!m_decidesLater)
    {
        if (const auto error = m_line.CheckTurn({job, group}); !error.empty())
        {
            Fail(Name(job, group) + " is switched and " + error);
        }
    }
    for (const Circuit& circuit : command.drop)
    {
        const Port& a = m_ports[ocs].at(circuit.a);
        const Port& b = m_ports[ocs].at(circuit.b);
        for (uint64_t held : m_line.GetHeld(a.job))
        {
            if (Uses(a.job, held, a, b))
            {
                Fail(Name(job, group) + " takes a circuit from " + Name(a.job, held));
            }
        }
    }
    m_commands[ocs].push_back(command);
}

void
OpusWatch::GroupGranted(uint32_t job, uint64_t group)
{
    Note("controller grants " + Name(job, group));
    ++m_counts.grants;
    m_counts.turns += m_line.GetLength() > 1 ? 1 : 0;
    if (const auto error = m_line.CheckTurn({job, group}); !error.empty())
    {
        Fail(Name(job, group) + " is granted and " + error);
    }
    if (!HasLight(job, group))
    {
        Fail(Name(job, group) + " is granted in the dark");
    }
    for (uint32_t rank : m_line.Grant({job, group}))
    {
        ++m_jobs[job].ranks[rank].told[group];
    }
}

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
    r.held.insert(group);
}

void
OpusWatch::Released(uint32_t job, uint32_t rank, uint64_t group)
{
    Note("rank " + std::to_string(rank) + " gives back " + Name(job, group));
    Rank& r = m_jobs[job].ranks[rank];
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
    const uint64_t lease = GetLease(job, rank, call);
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
    if (!HasLight(job, lease))
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
    const uint64_t lease = GetLease(job, rank, call);
    if (call.kind != CollectiveKind::RECV && lease != NOT_LENT)
    {
        Rank& r = m_jobs[job].ranks[rank];
        --(call.kind == CollectiveKind::SEND ? r.sends : r.collectives)[lease];
    }
}

// --- what follows from ranks and cabling --------------------------------------------------------

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
    if (!call.IsPointToPoint() || group.GetSize() == 2)
    {
        return call.groupId;
    }
    return PAIR | uint64_t{std::min(rank, call.peer)} << 31 | std::max(rank, call.peer);
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
OpusWatch::Leads(const Port& from, const Port& to, std::size_t ranks) const
{
    const uint32_t ports = m_cluster.GetNicPortCount();
    const uint32_t half = std::max<uint32_t>(1, ports / 2);
    return ranks == 2 || (from.index < half && to.index >= ports - half);
}

bool
OpusWatch::HasLight(uint32_t job, uint64_t lease) const
{
    const auto ranks = GetRanks(job, lease);
    const auto& part = m_jobs[job].part;
    const auto& ports = m_ports[part.GetRailOf(ranks[0])];
    uint32_t joined = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i)
    {
        const uint32_t next = ranks[(i + 1) % ranks.size()];
        for (uint32_t place : part.GetOcsPorts(ranks[i]))
        {
            const Port& from = ports[place];
            const Port* to = from.up ? &ports[from.peer] : nullptr;
            joined += to && to->job == job && to->rank == next && Leads(from, *to, ranks.size());
        }
    }
    // Pairs count all their circuits from both ends, rings each from one.
    const uint32_t half = std::max<uint32_t>(1, m_cluster.GetNicPortCount() / 2);
    return joined == ranks.size() * (ranks.size() == 2 ? m_cluster.GetNicPortCount() : half);
}

bool
OpusWatch::Uses(uint32_t job, uint64_t lease, const Port& a, const Port& b) const
{
    if (a.job != job || b.job != job)
    {
        return false;
    }
    const auto ranks = GetRanks(job, lease);
    for (std::size_t i = 0; i < ranks.size(); ++i)
    {
        const uint32_t next = ranks[(i + 1) % ranks.size()];
        for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)})
        {
            if (from.rank == ranks[i] && to.rank == next && Leads(from, to, ranks.size()))
            {
                return true;
            }
        }
    }
    return false;
}

std::string
OpusWatch::Name(uint32_t job, uint64_t lease)
{
    const std::string group = lease & PAIR
                                  ? "the pair " + std::to_string(lease >> 31 & 0xffffffff >> 1) +
                                        " and " + std::to_string(lease & 0x7fffffff)
                                  : "group " + std::to_string(lease);
    return group + " of job " + std::to_string(job);
}

} // namespace test
} // namespace ns3
