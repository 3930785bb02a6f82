// SPDX-License-Identifier: GPL-2.0-only

#include "matching-schedule.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace ns3
{

MatchingSchedule
MakeRoundRobin(uint32_t n)
{
    // If n is even, the last member stays in the middle of the circle of the others.
    const uint32_t circle = n - 1 + n % 2;
    MatchingSchedule schedule(n > 1 ? circle : 0);
    for (uint32_t round = 0; round < schedule.size(); ++round)
    {
        if (n % 2 == 0)
        {
            schedule[round].push_back({round, n - 1});
        }
        for (uint32_t k = 1; k <= (circle - 1) / 2; ++k)
        {
            const uint32_t x = (round + k) % circle;
            const uint32_t y = (round + circle - k) % circle;
            schedule[round].push_back({std::min(x, y), std::max(x, y)});
        }
    }
    return schedule;
}

uint32_t
CountSteps(uint32_t matchings, uint32_t ports)
{
    NS_ASSERT_MSG(ports > 0, "a rank has ports");
    return (matchings + ports - 1) / ports;
}

uint32_t
GetMatchingOfPort(uint32_t matchings, uint32_t ports, uint32_t step, uint32_t port)
{
    const uint32_t first = step * ports;
    NS_ASSERT_MSG(first < matchings && port < ports, "no such step or port");
    return first + port % std::min(ports, matchings - first);
}

std::vector<uint32_t>
FindMeetingPorts(const MatchingSchedule& schedule, uint32_t ports, const MemberPair& pair)
{
    std::vector<bool> meets(ports, false);
    const auto matchings = static_cast<uint32_t>(schedule.size());
    for (uint32_t step = 0; step < CountSteps(matchings, ports); ++step)
    {
        for (uint32_t port = 0; port < ports; ++port)
        {
            const Matching& matching = schedule[GetMatchingOfPort(matchings, ports, step, port)];
            meets[port] =
                meets[port] || std::find(matching.begin(), matching.end(), pair) != matching.end();
        }
    }
    std::vector<uint32_t> found;
    for (uint32_t port = 0; port < ports; ++port)
    {
        if (meets[port])
        {
            found.push_back(port);
        }
    }
    return found;
}

StepPlans
PlanSteps(const std::vector<CircuitPlanner::Member>& members, const MatchingSchedule& schedule)
{
    StepPlans plans;
    plans.error = CircuitPlanner::CheckMembers(members);
    if (!plans.error.empty())
    {
        return plans;
    }
    const auto ports = static_cast<uint32_t>(members.front().ports.size());
    const auto matchings = static_cast<uint32_t>(schedule.size());
    for (uint32_t step = 0; step < CountSteps(matchings, ports); ++step)
    {
        std::vector<CircuitPlanner::Link> links;
        for (uint32_t port = 0; port < ports; ++port)
        {
            for (const auto& [a, b] : schedule[GetMatchingOfPort(matchings, ports, step, port)])
            {
                links.push_back({a, port, b, port});
            }
        }
        auto result = CircuitPlanner::PlanLinks(members, links);
        if (!result.error.empty())
        {
            return {{}, result.error};
        }
        plans.steps.push_back(std::move(result.plan));
    }
    return plans;
}

namespace
{

constexpr uint32_t NO_MATCH = std::numeric_limits<uint32_t>::max();

/// Matchings, one for each port, during the choice. A demand is identified by its index in the
/// list.
class HeavyFirstChoice
{
  public:
    HeavyFirstChoice(const std::vector<PairDemand>& demands, const FreePorts& free)
        : m_demands(demands),
          m_free(free),
          m_circuits(demands.size(), 0),
          m_demandAt(free.size(),
                     std::vector<uint32_t>(free.empty() ? 0 : free.front().size(), NO_MATCH)),
          m_demandsOf(free.size())
    {
        for (uint32_t demand = 0; demand < demands.size(); ++demand)
        {
            m_demandsOf[demands[demand].pair.a].push_back(demand);
            m_demandsOf[demands[demand].pair.b].push_back(demand);
        }
    }

    /// Choose greedily. The demands are sorted by falling size.
    void Begin()
    {
        for (uint32_t demand = 0; demand < m_demands.size(); ++demand)
        {
            const uint32_t port = FindPort(demand);
            if (port != NO_MATCH)
            {
                Join(demand, port);
            }
        }
    }

    void Improve()
    {
        bool isBetter = true;
        while (isBetter)
        {
            isBetter = false;
            for (uint32_t port = 0; port < GetPorts(); ++port)
            {
                for (uint32_t demand = 0; demand < m_demands.size(); ++demand)
                {
                    isBetter = TryReplace(demand, port) || isBetter;
                }
            }
        }
    }

    void Fill()
    {
        // A pair without a common free port never gets one later, since ports are only taken.
        std::set<std::pair<uint64_t, uint32_t>> waiting; // bytes per circuit, in rising order
        for (uint32_t demand = 0; demand < m_demands.size(); ++demand)
        {
            if (m_circuits[demand] > 0)
            {
                waiting.insert(
                    {m_demands[demand].bytes / (m_circuits[demand] + 1), NO_MATCH - demand});
            }
        }
        while (!waiting.empty())
        {
            const uint32_t demand = NO_MATCH - waiting.rbegin()->second;
            waiting.erase(std::prev(waiting.end()));
            const uint32_t port = FindPort(demand);
            if (port != NO_MATCH)
            {
                Join(demand, port);
                waiting.insert(
                    {m_demands[demand].bytes / (m_circuits[demand] + 1), NO_MATCH - demand});
            }
        }
    }

    MatchingSchedule GetMatchings() const
    {
        MatchingSchedule matchings(GetPorts());
        for (uint32_t port = 0; port < GetPorts(); ++port)
        {
            for (uint32_t member = 0; member < m_free.size(); ++member)
            {
                const uint32_t demand = m_demandAt[member][port];
                if (demand != NO_MATCH && m_demands[demand].pair.a == member)
                {
                    matchings[port].push_back(m_demands[demand].pair);
                }
            }
        }
        return matchings;
    }

  private:
    uint32_t GetPorts() const
    {
        return m_free.empty() ? 0 : static_cast<uint32_t>(m_free.front().size());
    }

    bool IsFree(uint32_t member, uint32_t port) const
    {
        return m_free[member][port] && m_demandAt[member][port] == NO_MATCH;
    }

    /// @return the lowest port that both members have free, or NO_MATCH
    uint32_t FindPort(uint32_t demand) const
    {
        const auto [a, b] = m_demands[demand].pair;
        for (uint32_t port = 0; port < GetPorts(); ++port)
        {
            if (IsFree(a, port) && IsFree(b, port))
            {
                return port;
            }
        }
        return NO_MATCH;
    }

    void Join(uint32_t demand, uint32_t port)
    {
        const auto [a, b] = m_demands[demand].pair;
        m_demandAt[a][port] = m_demandAt[b][port] = demand;
        ++m_circuits[demand];
    }

    void Part(uint32_t demand, uint32_t port)
    {
        const auto [a, b] = m_demands[demand].pair;
        m_demandAt[a][port] = m_demandAt[b][port] = NO_MATCH;
        --m_circuits[demand];
    }

    /// @return the heaviest pair of a member that has no circuit and can use a port, or NO_MATCH
    uint32_t FindHeaviest(uint32_t member, uint32_t port) const
    {
        for (uint32_t demand : m_demandsOf[member])
        {
            const auto [a, b] = m_demands[demand].pair;
            if (m_circuits[demand] == 0 && IsFree(a, port) && IsFree(b, port))
            {
                return demand;
            }
        }
        return NO_MATCH;
    }

    /// Move a port to a pair without a circuit, if the sum of bytes grows.
    bool TryReplace(uint32_t demand, uint32_t port)
    {
        const auto [a, b] = m_demands[demand].pair;
        if (m_circuits[demand] > 0 || !m_free[a][port] || !m_free[b][port])
        {
            return false;
        }
        std::set<uint32_t> losers{m_demandAt[a][port], m_demandAt[b][port]};
        losers.erase(NO_MATCH);
        uint64_t lost = 0;
        std::set<uint32_t> left; // members that lose their circuit
        for (uint32_t loser : losers)
        {
            lost += m_demands[loser].bytes;
            left.insert({m_demands[loser].pair.a, m_demands[loser].pair.b});
            Part(loser, port);
        }
        left.erase(a);
        left.erase(b);
        Join(demand, port);
        uint64_t won = m_demands[demand].bytes;
        std::vector<uint32_t> others;
        for (uint32_t member : left)
        {
            const uint32_t other = IsFree(member, port) ? FindHeaviest(member, port) : NO_MATCH;
            if (other != NO_MATCH)
            {
                Join(other, port);
                won += m_demands[other].bytes;
                others.push_back(other);
            }
        }
        if (won > lost)
        {
            return true;
        }
        others.push_back(demand);
        for (uint32_t other : others)
        {
            Part(other, port);
        }
        for (uint32_t loser : losers)
        {
            Join(loser, port);
        }
        return false;
    }

    const std::vector<PairDemand>& m_demands;
    const FreePorts& m_free;
    std::vector<uint32_t> m_circuits;               //!< number of circuits of each demand
    std::vector<std::vector<uint32_t>> m_demandAt;  //!< by member and port
    std::vector<std::vector<uint32_t>> m_demandsOf; //!< by member, in falling order of bytes
};

} // namespace

std::vector<PairDemand>
SumDemands(const std::vector<PairDemand>& demands)
{
    std::map<MemberPair, uint64_t> sums;
    for (const PairDemand& demand : demands)
    {
        const auto [a, b] = demand.pair;
        NS_ABORT_MSG_IF(a == b, "member " << a << " has a demand with itself");
        sums[{std::min(a, b), std::max(a, b)}] += demand.bytes;
    }
    std::vector<PairDemand> sorted;
    for (const auto& [pair, bytes] : sums)
    {
        if (bytes > 0)
        {
            sorted.push_back({pair, bytes});
        }
    }
    std::stable_sort(sorted.begin(), sorted.end(), [](const PairDemand& x, const PairDemand& y) {
        return x.bytes > y.bytes;
    });
    return sorted;
}

MatchingSchedule
ChooseHeaviest(const std::vector<PairDemand>& demands, const FreePorts& free, bool fill)
{
    const auto sorted = SumDemands(demands);
    for (const PairDemand& demand : sorted)
    {
        NS_ABORT_MSG_IF(demand.pair.b >= free.size(),
                        "member " << demand.pair.b << " of " << free.size() << " has a demand");
    }
    HeavyFirstChoice choice(sorted, free);
    choice.Begin();
    choice.Improve();
    if (fill)
    {
        choice.Fill();
    }
    return choice.GetMatchings();
}

} // namespace ns3
