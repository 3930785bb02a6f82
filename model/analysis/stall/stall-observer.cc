// SPDX-License-Identifier: GPL-2.0-only

#include "stall-observer.h"

#include "ns3/collective-engine.h"
#include "ns3/controller-standby.h"
#include "ns3/end-of-run.h"
#include "ns3/find-application.h"
#include "ns3/node-list.h"
#include "ns3/optical-circuit-switch.h"
#include "ns3/opus-controller.h"
#include "ns3/opus-shim.h"
#include "ns3/recovery-coordinator.h"
#include "ns3/simulator.h"
#include "ns3/training-application.h"

#include <algorithm>
#include <deque>
#include <iomanip>
#include <iostream>
#include <set>
#include <sstream>
#include <tuple>

namespace ns3
{

namespace
{

/// Items of a list of ranks at most.
constexpr std::size_t MAX_ITEMS = 6;

/// @return true if all of `some` are in `all`
bool
IsWithin(const std::set<uint32_t>& some, const std::vector<uint32_t>& all)
{
    return std::all_of(some.begin(), some.end(), [&all](uint32_t rank) {
        return std::find(all.begin(), all.end(), rank) != all.end();
    });
}

/// Ports of switches that a line names.
constexpr std::size_t MAX_PORTS_NAMED = 4;

/// @return a time in seconds, to the microsecond
std::string
StallTimeToText(Time time)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(6) << time.GetSeconds() << " s";
    return text.str();
}

/// @return the end of a run in words, the begin of a line that names the missing events
std::string
EndToText(bool isStopped, Time now, const std::string& what)
{
    return (isStopped ? "the run was stopped" : "the " + what + " came to a standstill") + " at " +
           StallTimeToText(now) + ": ";
}

/// @return such as "switch ports 0/1, 0/5"
std::string
PortsToText(const std::vector<OcsPortId>& ports)
{
    std::string text = "switch ports";
    for (std::size_t i = 0; i < std::min(ports.size(), MAX_PORTS_NAMED); ++i)
    {
        text += (i > 0 ? ", " : " ") + std::to_string(ports[i].ocs) + "/" +
                std::to_string(ports[i].port);
    }
    return text + (ports.size() > MAX_PORTS_NAMED ? ", ..." : "");
}

} // namespace

void
StallReport::AddWait(uint32_t rank, const std::string& text, const std::vector<uint32_t>& others)
{
    Wait& wait = m_waits[{text, !others.empty()}];
    wait.ranks.insert(rank);
    wait.others.insert(others.begin(), others.end());
    m_edges[rank].insert(others.begin(), others.end());
}

std::vector<uint32_t>
StallReport::GetRanksNotWaiting() const
{
    std::set<uint32_t> ranks;
    for (const auto& [rank, others] : m_edges)
    {
        for (const uint32_t other : others)
        {
            if (m_edges.count(other) == 0)
            {
                ranks.insert(other);
            }
        }
    }
    return {ranks.begin(), ranks.end()};
}

StallReport::Edges
StallReport::FindUnexplained() const
{
    std::deque<uint32_t> explained;
    for (const auto& [key, wait] : m_waits)
    {
        if (wait.others.empty())
        {
            explained.insert(explained.end(), wait.ranks.begin(), wait.ranks.end());
        }
    }
    for (const uint32_t rank : GetRanksNotWaiting())
    {
        explained.push_back(rank);
    }
    Edges reversed;
    for (const auto& [rank, others] : m_edges)
    {
        for (const uint32_t other : others)
        {
            reversed[other].insert(rank);
        }
    }
    Edges left = m_edges;
    std::set<uint32_t> seen(explained.begin(), explained.end());
    for (; !explained.empty(); explained.pop_front())
    {
        left.erase(explained.front());
        for (const uint32_t rank : reversed[explained.front()])
        {
            if (seen.insert(rank).second)
            {
                explained.push_back(rank);
            }
        }
    }
    return left;
}

std::vector<uint32_t>
StallReport::FindCircle() const
{
    // All for which an unexplained rank waits are unexplained, too: each way leads into a circle.
    const Edges edges = FindUnexplained();
    if (edges.empty())
    {
        return {};
    }
    uint32_t first = edges.begin()->first;
    for (std::set<uint32_t> seen; seen.insert(first).second;)
    {
        first = *edges.at(first).begin();
    }
    std::map<uint32_t, uint32_t> before; // on the shortest way from the first
    for (std::deque<uint32_t> next{first}; before.count(first) == 0; next.pop_front())
    {
        for (const uint32_t other : edges.at(next.front()))
        {
            if (before.emplace(other, next.front()).second)
            {
                next.push_back(other);
            }
        }
    }
    std::vector<uint32_t> circle{first};
    for (uint32_t rank = before.at(first); rank != first; rank = before.at(rank))
    {
        circle.insert(circle.begin() + 1, rank);
    }
    return circle;
}

std::vector<std::string>
StallReport::GetLines(std::size_t limit) const
{
    // The ranks of a healthy ring wait for each other, too: data of each is under way.
    const auto circle = m_isStopped ? std::vector<uint32_t>() : FindCircle();
    using Line = std::pair<const std::pair<std::string, bool>*, const Wait*>;
    std::vector<Line> waits;
    for (const auto& [key, wait] : m_waits)
    {
        waits.emplace_back(&key, &wait);
    }
    const auto order = [&circle](const Line& line) {
        const Wait& wait = *line.second;
        const int place = wait.others.empty() ? 0 : IsWithin(wait.ranks, circle) ? 1 : 2;
        return std::make_tuple(place,
                               -static_cast<int64_t>(wait.ranks.size()),
                               *wait.ranks.begin());
    };
    std::stable_sort(waits.begin(), waits.end(), [&order](const Line& x, const Line& y) {
        return order(x) < order(y);
    });
    std::vector<std::string> lines = m_facts;
    if (!circle.empty())
    {
        std::string text = "a circle: rank " + std::to_string(circle[0]) + " waits for rank ";
        for (std::size_t i = 1; i < circle.size() && i < MAX_ITEMS; ++i)
        {
            text += std::to_string(circle[i]) + ", which waits for rank ";
        }
        lines.push_back(text + (circle.size() > MAX_ITEMS ? "... rank " : "") +
                        std::to_string(circle[0]));
    }
    std::set<uint32_t> hidden;
    std::set<uint32_t> shown;
    for (std::size_t i = 0; i < waits.size(); ++i)
    {
        const auto& [key, wait] = waits[i];
        const bool isLast = i + 1 == waits.size();
        if (lines.size() + (isLast && hidden.empty() ? 0 : 1) >= limit)
        {
            hidden.insert(wait->ranks.begin(), wait->ranks.end());
            continue;
        }
        shown.insert(wait->ranks.begin(), wait->ranks.end());
        lines.push_back(wait->ToLine(key->first));
    }
    if (!hidden.empty())
    {
        for (const uint32_t rank : shown)
        {
            hidden.erase(rank);
        }
        lines.push_back(hidden.empty() ? "and more of these ranks" : "and " + ToText(hidden));
    }
    return lines;
}

std::string
StallReport::Wait::ToLine(const std::string& reason) const
{
    return ToText(ranks) + ": " + reason + (others.empty() ? "" : " " + ToText(others));
}

std::string
StallReport::GetCommonest() const
{
    const auto most =
        std::max_element(m_waits.begin(), m_waits.end(), [](const auto& x, const auto& y) {
            return x.second.ranks.size() < y.second.ranks.size();
        });
    return most == m_waits.end() ? "" : most->second.ToLine(most->first.first);
}

std::string
StallReport::ToText(const std::set<uint32_t>& ranks)
{
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    std::size_t items = 0;
    std::size_t told = 0;
    for (auto rank = ranks.begin(); rank != ranks.end() && items < MAX_ITEMS; ++items)
    {
        const uint32_t first = *rank;
        uint32_t last = first;
        for (++rank; rank != ranks.end() && *rank == last + 1; ++rank)
        {
            last = *rank;
        }
        told += last - first + 1;
        text += (items > 0 ? ", " : "") + std::to_string(first);
        text += last == first       ? ""
                : last == first + 1 ? ", " + std::to_string(last)
                                    : "-" + std::to_string(last);
    }
    return told == ranks.size() ? text
                                : text + " and " + std::to_string(ranks.size() - told) + " more";
}

StallObserver::StallObserver()
{
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        if ((*node)->GetSystemId() == Simulator::GetSystemId())
        {
            AddNode(*node);
        }
    }
    // Controllers that are up come first: the state of one that is down may be out of date.
    std::stable_partition(m_controllers.begin(), m_controllers.end(), [](const auto& controller) {
        return !controller->GetCrashStats().downSince;
    });
}

void
StallObserver::AddNode(Ptr<Node> node)
{
    for (uint32_t i = 0; i < node->GetNApplications(); ++i)
    {
        const Ptr<Application> application = node->GetApplication(i);
        if (const auto controller = DynamicCast<OpusController>(application))
        {
            if (controller->GetCrashStats().leads)
            {
                m_controllers.push_back(controller);
            }
        }
        else if (const auto standby = DynamicCast<ControllerStandby>(application))
        {
            m_takeovers += standby->GetTakeovers();
        }
        else if (const auto coordinator = DynamicCast<RecoveryCoordinator>(application))
        {
            const std::string wait = coordinator->GetProtocol().DescribeWait();
            if (!wait.empty())
            {
                m_recoveries.push_back(wait);
            }
        }
    }
    if (const auto ocs = node->GetObject<OpticalCircuitSwitch>())
    {
        ++m_switches;
        m_hasCircuits = m_hasCircuits || !ocs->GetCircuits().empty();
    }
    Rank rank;
    rank.engine = node->GetObject<CollectiveEngine>();
    rank.training = FindApplication<TrainingApplication>(node);
    rank.shim = FindApplication<OpusShim>(node);
    const bool isSpare = rank.training && !rank.training->HasProgram();
    if (!rank.engine || isSpare)
    {
        return;
    }
    m_hasCircuits = m_hasCircuits || rank.shim;
    rank.job = rank.shim ? rank.shim->GetJob() : 0;
    rank.number = rank.training ? rank.training->GetRank() : rank.engine->GetRank();
    // A rank that has moved is where it runs, or where it has come furthest.
    Rank& known = m_ranks[{rank.job, rank.number}];
    const auto place = [](const Rank& one) {
        return one.training
                   ? std::make_pair(one.training->IsRunning(), one.training->GetIterationsEnded())
                   : std::make_pair(true, 0U);
    };
    if (!known.engine || place(known) < place(rank))
    {
        known = rank;
    }
}

void
StallObserver::AddFacts()
{
    std::vector<std::string> down;
    for (const auto& controller : m_controllers)
    {
        if (const auto since = controller->GetCrashStats().downSince)
        {
            down.push_back(StallTimeToText(*since));
        }
    }
    if (down.size() > m_takeovers)
    {
        m_report.AddFact(
            (down.size() == m_controllers.size() ? "the controller is" : "a controller is") +
            std::string(" down since ") + down.front());
    }
    for (const auto& recovery : m_recoveries)
    {
        m_report.AddFact(recovery);
    }
    if (m_switches > 0 && !m_hasCircuits)
    {
        m_report.AddFact("no optical circuit switch has circuits, and no GPU has an OpusShim: "
                         "install Opus or other circuits before the job");
    }
}

std::string
StallObserver::Describe(const Rank& rank, const CallWait& wait)
{
    const std::string kind = ToString(wait.call.kind);
    const RankOperation* operation =
        rank.training ? rank.training->FindOperation(wait.call.stream) : nullptr;
    if (operation)
    {
        // Neither group nor peer: ranks that do the same on other rails share a line.
        return kind + " (" + operation->label + ", iteration " +
               std::to_string(rank.training->GetIterationsEnded()) + ")";
    }
    const std::string group = " of group " + std::to_string(wait.call.groupId);
    if (!wait.call.IsPointToPoint())
    {
        return kind + group;
    }
    const bool isSend = wait.call.kind == CollectiveKind::SEND;
    return kind + (isSend ? " to rank " : " from rank ") + std::to_string(wait.call.peer) + group;
}

std::vector<uint32_t>
StallObserver::FindMissing(const Rank& rank, const CallWait& wait) const
{
    std::vector<uint32_t> others = wait.group.ranks;
    CollectiveCall theirs = wait.call;
    if (wait.call.IsPointToPoint())
    {
        const bool isSend = wait.call.kind == CollectiveKind::SEND;
        if (isSend && wait.cause != CallWait::GRANT)
        {
            return {}; // a message that is under way needs no Recv
        }
        others = {wait.call.peer};
        theirs.kind = isSend ? CollectiveKind::RECV : CollectiveKind::SEND;
        theirs.peer = rank.number;
    }
    std::vector<uint32_t> missing;
    for (const uint32_t other : others)
    {
        const auto known = m_ranks.find({rank.job, other});
        if (known != m_ranks.end() && other != rank.number &&
            known->second.engine->CountCalls(theirs, wait.onHosts) <= wait.sequence)
        {
            missing.push_back(other);
        }
    }
    return missing;
}

StallObserver::Reason
StallObserver::FindLeaseReason(const Rank& rank, const CallWait& wait) const
{
    using GroupState = CircuitScheduler::GroupState;
    const uint64_t group = rank.shim->GetLeaseGroup(wait.group, wait.asked);
    const auto controller =
        std::find_if(m_controllers.begin(), m_controllers.end(), [&](const auto& one) {
            return one->GetScheduler().GetState({rank.job, group}) != GroupState::UNKNOWN;
        });
    const auto has = [&rank](const std::vector<uint32_t>& ranks) {
        return std::find(ranks.begin(), ranks.end(), rank.number) != ranks.end();
    };
    if (controller == m_controllers.end())
    {
        return {"waits for the controller, which does not know its request", {}};
    }
    if ((*controller)->GetCrashStats().downSince)
    {
        return {"waits for the controller, which is down", {}};
    }
    const auto status = (*controller)->GetScheduler().GetWaitStatus({rank.job, group});
    if (has(status.holding))
    {
        return {"waits for the controller's grant to arrive", {}};
    }
    if (!has(status.requesting))
    {
        return {"waits for the controller, which does not know its request", {}};
    }
    if (!status.absent.empty())
    {
        return {"waits for circuits, not asked for by", status.absent};
    }
    if (!status.switching.empty())
    {
        return {"waits for switch " + std::to_string(status.switching.front()) + " to report", {}};
    }
    if (status.blocking.empty())
    {
        return {"waits for the controller", {}};
    }
    std::set<uint32_t> holders;
    std::set<uint32_t> before;
    for (const GroupKey& key : status.blocking)
    {
        const auto other = (*controller)->GetScheduler().GetWaitStatus(key);
        holders.insert(other.holding.begin(), other.holding.end());
        before.insert(other.requesting.begin(), other.requesting.end());
    }
    std::set<uint32_t>& ranks = holders.empty() ? before : holders;
    ranks.erase(rank.number);
    return {"waits for " + PortsToText(status.ports) + (holders.empty() ? ", after" : ", held by"),
            {ranks.begin(), ranks.end()}};
}

StallObserver::Reason
StallObserver::FindReason(const Rank& rank, const CallWait& wait) const
{
    const bool isLent = wait.cause == CallWait::GRANT || wait.suspended;
    if (!wait.fidelity.empty() && !wait.suspended)
    {
        return {wait.fidelity, isLent ? wait.peers : std::vector<uint32_t>()};
    }
    if (const auto missing = FindMissing(rank, wait); !missing.empty())
    {
        return {"not called by", missing};
    }
    if (isLent)
    {
        return rank.shim ? FindLeaseReason(rank, wait)
                         : Reason("waits for its connectivity provider", {});
    }
    return wait.cause == CallWait::DATA ? Reason("waits for data of", wait.peers)
                                        : Reason("waits for acknowledgements", {});
}

uint64_t
StallObserver::AddWaits(const Rank& rank)
{
    uint64_t calls = 0;
    for (const CallWait& wait : rank.engine->GetWaits())
    {
        const auto [text, others] = FindReason(rank, wait);
        m_report.AddWait(rank.number, Describe(rank, wait) + " " + text, others);
        calls += 1 + wait.behind;
    }
    return calls;
}

std::optional<StallObserver::Stall>
StallObserver::Look()
{
    StallObserver observer;
    observer.AddFacts();
    uint64_t calls = 0;
    const TrainingApplication* last = nullptr; // that has the fewest iterations
    for (const auto& [key, rank] : observer.m_ranks)
    {
        const auto* training = PeekPointer(rank.training);
        if (training && training->IsFinished())
        {
            continue;
        }
        const uint64_t waits = observer.AddWaits(rank);
        calls += waits;
        if (training && waits == 0)
        {
            observer.m_report.AddWait(key.second, training->DescribeState(), {});
        }
        if (training && (!last || training->GetIterationsEnded() < last->GetIterationsEnded()))
        {
            last = training;
        }
    }
    if (calls == 0 && !last)
    {
        return std::nullopt;
    }
    for (const uint32_t number : observer.m_report.GetRanksNotWaiting())
    {
        const auto rank =
            std::find_if(observer.m_ranks.begin(),
                         observer.m_ranks.end(),
                         [number](const auto& one) { return one.first.second == number; });
        if (rank != observer.m_ranks.end())
        {
            const auto& training = rank->second.training;
            observer.m_report.AddWait(number,
                                      training ? training->DescribeState() : "no call under way",
                                      {});
        }
    }
    Stall stall;
    stall.isStopped = EndOfRun::CountEvents() > 0;
    if (stall.isStopped)
    {
        observer.m_report.SetStopped();
    }
    stall.headline = last ? GetHeadline(stall.isStopped,
                                        Simulator::Now(),
                                        last->GetIterationsEnded(),
                                        last->GetIterations())
                          : EndToText(stall.isStopped, Simulator::Now(), "calls") +
                                std::to_string(calls) +
                                (calls == 1 ? " call has not ended" : " calls have not ended");
    stall.lines = observer.m_report.GetLines();
    stall.commonest = observer.m_report.GetCommonest();
    return stall;
}

std::string
StallObserver::GetHeadline(bool isStopped, Time now, std::size_t ended, uint32_t iterations)
{
    return EndToText(isStopped, now, "job") + std::to_string(ended) + " of " +
           std::to_string(iterations) + " iterations ended";
}

void
StallObserver::Print()
{
    if (const auto stall = Look())
    {
        std::string text = stall->headline + "\n";
        for (const auto& line : stall->lines)
        {
            text += "  " + line + "\n";
        }
        std::cerr << text << std::flush;
    }
}

} // namespace ns3
