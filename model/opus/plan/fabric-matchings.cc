// SPDX-License-Identifier: GPL-2.0-only

#include "fabric-matchings.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @return true if the circuits fit after the other circuits are dropped
bool
Fits(const CircuitFabric& fabric,
     const CircuitSet& drop,
     const CircuitSet& give,
     const CircuitSet& make)
{
    CircuitSet gone = drop;
    gone.insert(gone.end(), give.begin(), give.end());
    return fabric.Copy()->Change(gone, make).empty();
}

/// Keep as many circuits of @p give as possible, from index @p first on.
void
Keep(const CircuitFabric& fabric,
     const CircuitSet& drop,
     const CircuitSet& make,
     std::size_t first,
     CircuitSet& give)
{
    for (std::size_t i = first; i < give.size();)
    {
        CircuitSet fewer = give;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        if (Fits(fabric, drop, fewer, make))
        {
            give = std::move(fewer);
        }
        else
        {
            ++i;
        }
    }
}

} // namespace

FabricRoom
FindFabricRoom(const CircuitFabric& fabric,
               const CircuitSet& drop,
               const CircuitSet& make,
               const CircuitSet& idle,
               const CircuitSet& held)
{
    FabricRoom room;
    if (Fits(fabric, drop, {}, make))
    {
        room.exists = true;
        return room;
    }
    room.give = idle;
    if (!Fits(fabric, drop, room.give, make))
    {
        room.give.insert(room.give.end(), held.begin(), held.end());
        if (!Fits(fabric, drop, room.give, make))
        {
            room.give.clear();
            return room;
        }
        Keep(fabric, drop, make, idle.size(), room.give);
    }
    room.exists = true;
    Keep(fabric, drop, make, 0, room.give);
    return room;
}

std::string
CheckOnIdleFabric(const CircuitFabric& fabric, const CircuitSet& circuits)
{
    const Ptr<CircuitFabric> idle = fabric.Copy();
    idle->Clear();
    return idle->Change({}, circuits);
}

namespace
{

/// Fills steps with pairs, one step after the other.
class StepFiller
{
  public:
    StepFiller(const std::vector<CircuitPlanner::Member>& members, const CircuitFabric& fabric)
        : m_members(members),
          m_fabric(fabric),
          m_ports(members.front().ports.size())
    {
    }

    /// @return an empty string if matchings, one per port, fit into one step, otherwise an error
    std::string Check(const MatchingSchedule& matchings) const
    {
        const StepPlans plans = PlanSteps(m_members, matchings);
        std::string error = plans.error;
        for (const CircuitPlan& plan : plans.steps)
        {
            for (const auto& [ocs, circuits] : plan)
            {
                error = error.empty() ? CheckOnIdleFabric(m_fabric, circuits) : error;
            }
        }
        return error;
    }

    /**
     * @brief Make a step from some of the pairs.
     * @param left pairs without a circuit so far; the pairs of the step are removed
     * @return the matchings of the step, one per port
     */
    MatchingSchedule Fill(std::vector<MemberPair>& left) const
    {
        MatchingSchedule matchings(m_ports);
        const Ptr<CircuitFabric> fabric = m_fabric.Copy();
        fabric->Clear();
        for (std::size_t port = 0; port < m_ports; ++port)
        {
            for (const MemberPair& pair : left)
            {
                const Circuit circuit{m_members[pair.a].ports[port].port,
                                      m_members[pair.b].ports[port].port};
                if (!IsTaken(matchings, port, pair) && fabric->Change({}, {circuit}).empty())
                {
                    matchings[port].push_back(pair);
                }
            }
        }
        // The circuits fit when added one after the other. A single command for all of them may
        // still fail.
        while (!Check(matchings).empty())
        {
            const auto longest = std::max_element(
                matchings.begin(),
                matchings.end(),
                [](const Matching& x, const Matching& y) { return x.size() < y.size(); });
            longest->pop_back(); // ends at the latest with a single pair, which always fits
        }
        for (const Matching& matching : matchings)
        {
            for (const MemberPair& pair : matching)
            {
                left.erase(std::find(left.begin(), left.end(), pair));
            }
        }
        return matchings;
    }

  private:
    /// @return true if the step already has the pair, or if a member of the pair uses the port
    static bool IsTaken(const MatchingSchedule& matchings, std::size_t port, const MemberPair& pair)
    {
        const auto has = [](const Matching& matching, auto isThis) {
            return std::any_of(matching.begin(), matching.end(), isThis);
        };
        return has(matchings[port],
                   [&pair](const MemberPair& other) {
                       return other.a == pair.a || other.a == pair.b || other.b == pair.a ||
                              other.b == pair.b;
                   }) ||
               std::any_of(matchings.begin(), matchings.end(), [&](const Matching& matching) {
                   return has(matching, [&pair](const MemberPair& x) { return x == pair; });
               });
    }

    const std::vector<CircuitPlanner::Member>& m_members;
    const CircuitFabric& m_fabric;
    std::size_t m_ports;
};

} // namespace

std::string
CheckFabricPairs(const std::vector<CircuitPlanner::Member>& members, const CircuitFabric& fabric)
{
    for (std::size_t a = 0; a < members.size(); ++a)
    {
        for (std::size_t b = a + 1; b < members.size(); ++b)
        {
            for (std::size_t port = 0; port < members[a].ports.size(); ++port)
            {
                const Circuit circuit{members[a].ports[port].port, members[b].ports[port].port};
                if (const std::string error = CheckOnIdleFabric(fabric, {circuit}); !error.empty())
                {
                    return error;
                }
            }
        }
    }
    return "";
}

FabricMatchings
MakeFabricMatchings(const std::vector<CircuitPlanner::Member>& members, const CircuitFabric& fabric)
{
    FabricMatchings result;
    result.error = CircuitPlanner::CheckMembers(members);
    result.error = result.error.empty() ? CheckFabricPairs(members, fabric) : result.error;
    if (!result.error.empty())
    {
        return result;
    }
    const StepFiller filler(members, fabric);
    const std::size_t ports = members.front().ports.size();
    const MatchingSchedule all = MakeRoundRobin(static_cast<uint32_t>(members.size()));
    std::vector<MemberPair> left;
    for (std::size_t first = 0; first < all.size(); first += ports)
    {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
        MatchingSchedule step(begin, begin + std::min(ports, all.size() - first));
        step.resize(ports);
        if (filler.Check(step).empty())
        {
            result.schedule.insert(result.schedule.end(), step.begin(), step.end());
            continue;
        }
        for (const Matching& matching : step)
        {
            left.insert(left.end(), matching.begin(), matching.end());
        }
    }
    while (!left.empty())
    {
        const MatchingSchedule step = filler.Fill(left);
        result.schedule.insert(result.schedule.end(), step.begin(), step.end());
    }
    return result;
}

} // namespace ns3
