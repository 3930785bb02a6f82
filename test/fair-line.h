// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAIR_LINE_H
#define PHOTONIC_RAILS_FAIR_LINE_H

#include "ns3/circuit-scheduler.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace test
{

/// A request or release of a rank; the part of a LeaseClient or OpusMessage on one group.
struct GroupSaying
{
    bool request{false};     //!< otherwise the group is given back
    bool passive{false};     //!< of a request: the rank only waits to receive
    bool speculative{false}; //!< of a request: no call waits for it
    uint32_t lease{0};       //!< number of the lease; a rank's numbers of a group rise
    uint64_t completed{0};   //!< collectives of the group that the rank has completed
};

/**
 * @brief An independent record of the messages to the controller and its grants, to check the
 * order in which the scheduler serves groups.
 *
 * A group is in line from when all its ranks ask for it or hold it, one of them waits, and one
 * wants to send or holds it. Ranks need not ask that have completed a collective which one that
 * asks has not. A group may be granted only if no group before it in line shares a rank with it,
 * unless both are links of rings and lead from different ranks to different ranks. Groups for which
 * a call waits to send are before all others; otherwise the order is that of arrival.
 */
class FairLine
{
  public:
    /**
     * @brief Add a group, unless it is known.
     * @param key the group
     * @param ranks its ranks
     */
    void AddGroup(const GroupKey& key, const std::vector<uint32_t>& ranks)
    {
        auto& group = m_groups[key];
        for (uint32_t rank : ranks)
        {
            group.emplace(rank, AWAY);
        }
    }

    /**
     * @brief The controller receives a message of a rank.
     * @param key a group
     * @param rank a rank of it
     * @param said the message
     */
    void Hear(const GroupKey& key, uint32_t rank, const GroupSaying& said)
    {
        State& state = m_groups[key][rank];
        uint32_t& newest = m_newest[{key, rank}];
        uint32_t& released = m_released[{key, rank}];
        if (said.lease < newest || (said.request && said.lease == released))
        {
            return; // a request that was made later, or the release, has come before
        }
        released = said.request ? released : said.lease;
        if (said.lease > newest && m_forgotten.count({key, rank}) == 0)
        {
            state = AWAY; // what it had it has given back
        }
        newest = said.lease;
        m_completed[{key, rank}] = said.completed;
        const bool isForgotten = m_forgotten.erase({key, rank}) > 0;
        if (!said.request)
        {
            state = AWAY;
        }
        else if (isForgotten && state == HOLDS)
        {
            m_remembered[key] = rank;
        }
        else if (state != HOLDS) // otherwise it became active while its grant was on the way
        {
            state = said.passive ? CONSENTS : said.speculative ? WISHES : ASKS;
        }
        Update(key);
    }

    /**
     * @brief A controller begins anew, and has heard nothing of a rank.
     * @param job its job
     * @param rank the rank
     */
    void Forget(uint32_t job, uint32_t rank)
    {
        for (auto& [key, group] : m_groups)
        {
            const auto member = group.find(rank);
            if (key.job == job && member != group.end())
            {
                member->second = AWAY;
                m_newest.erase({key, rank});
                m_released.erase({key, rank});
                m_completed.erase({key, rank});
                m_forgotten.erase({key, rank});
                m_remembered.erase(key);
                Update(key);
            }
        }
    }

    /**
     * @brief A controller that begins anew hears that a rank holds a group.
     * @param key a group
     * @param rank a rank of it
     * @param lease number of the lease
     * @param completed collectives of the group that the rank has completed
     */
    void Hold(const GroupKey& key, uint32_t rank, uint32_t lease, uint64_t completed)
    {
        m_newest[{key, rank}] = lease;
        m_completed[{key, rank}] = completed;
        m_groups[key][rank] = HOLDS;
        Update(key);
    }

    /**
     * @brief The controller is told that a rank has lost its leases and requests. The rank asks
     * again for the groups that it needs, and holds them meanwhile.
     * @param job its job
     * @param rank the rank
     * @param needed groups
     */
    void Restart(uint32_t job, uint32_t rank, const std::set<uint64_t>& needed)
    {
        for (auto& [key, group] : m_groups)
        {
            const auto member = group.find(rank);
            if (key.job != job || member == group.end() || member->second == AWAY)
            {
                continue;
            }
            if (needed.count(key.id) > 0)
            {
                m_forgotten.insert({key, rank});
                continue;
            }
            m_forgotten.erase({key, rank});
            member->second = AWAY;
            Update(key);
        }
    }

    /**
     * @param key a group that is granted
     * @return the rank that has just asked for a lease that it held and lost: it alone is granted
     */
    std::optional<uint32_t> TakeRemembered(const GroupKey& key)
    {
        const auto it = m_remembered.find(key);
        if (it == m_remembered.end())
        {
            return std::nullopt;
        }
        const uint32_t rank = it->second;
        m_remembered.erase(it);
        return rank;
    }

    /**
     * @param key a group
     * @return true if a rank holds it, by the messages to the controller
     */
    bool IsHeld(const GroupKey& key) const
    {
        const auto& group = m_groups.at(key);
        return std::any_of(group.begin(), group.end(), [](const auto& x) {
            return x.second == HOLDS;
        });
    }

    /**
     * @param key a group that is granted to all ranks that ask for it
     * @return the ranks that did
     */
    std::vector<uint32_t> Grant(const GroupKey& key)
    {
        std::vector<uint32_t> asked;
        for (auto& [rank, state] : m_groups[key])
        {
            if (state != AWAY && state != HOLDS)
            {
                asked.push_back(rank);
                state = HOLDS;
            }
        }
        Update(key);
        return asked;
    }

    /**
     * @param key a group that is switched or granted
     * @param counts whether a rank counts: on one rail a group may be switched while a group before
     * it waits on another rail
     * @return an empty string, or why it is not its turn
     */
    std::string CheckTurn(
        const GroupKey& key,
        const std::function<bool(uint32_t)>& counts = [](uint32_t) { return true; }) const
    {
        for (const auto* line : {&m_urgent, &m_patient})
        {
            for (const GroupKey& other : *line)
            {
                if (other == key)
                {
                    return "";
                }
                if (other.job == key.job && !AreLinksBesideEachOther(other.id, key.id) &&
                    ShareRank(other, key, counts))
                {
                    return "goes before group " + std::to_string(other.id);
                }
            }
        }
        return "goes before all its ranks have asked";
    }

    /**
     * @param job a job
     * @return the groups that a rank holds, by the messages to the controller
     */
    std::vector<uint64_t> GetHeld(uint32_t job) const
    {
        std::vector<uint64_t> held;
        for (const auto& [key, ranks] : m_groups)
        {
            if (key.job == job && IsHeld(key))
            {
                held.push_back(key.id);
            }
        }
        return held;
    }

    /// @return groups in line
    std::size_t GetLength() const
    {
        return m_urgent.size() + m_patient.size();
    }

  private:
    /// @return true if two leases are links, bits 62 and 63 of whose numbers are set, and differ in
    /// the rank that they lead from, and in the one that they lead to, each of 31 bits
    static bool AreLinksBesideEachOther(uint64_t x, uint64_t y)
    {
        const uint64_t low = (uint64_t{1} << 31) - 1;
        return x >> 62 == 3 && y >> 62 == 3 && (x & low) != (y & low) &&
               (x >> 31 & low) != (y >> 31 & low);
    }

    /// The state of a rank in a group, from its messages and grants.
    enum State
    {
        AWAY,
        CONSENTS,
        WISHES,
        ASKS,
        HOLDS,
    };

    bool ShareRank(const GroupKey& one,
                   const GroupKey& other,
                   const std::function<bool(uint32_t)>& counts) const
    {
        const auto& ranks = m_groups.at(other);
        const auto& candidates = m_groups.at(one);
        return std::any_of(candidates.begin(), candidates.end(), [&](const auto& x) {
            return counts(x.first) && ranks.count(x.first) > 0;
        });
    }

    void Update(const GroupKey& key)
    {
        const auto isAhead = [&](uint32_t rank) {
            const auto& ranks = m_groups[key];
            return std::any_of(ranks.begin(), ranks.end(), [&](const auto& x) {
                return x.second == ASKS && m_completed[{key, x.first}] < m_completed[{key, rank}];
            });
        };
        bool all = true;
        bool waits = false;
        bool moves = false;
        bool urgent = false;
        for (const auto& [rank, state] : m_groups[key])
        {
            all = all && (state != AWAY || isAhead(rank));
            waits = waits || (state != AWAY && state != HOLDS);
            moves = moves || state == WISHES || state == ASKS || state == HOLDS;
            urgent = urgent || state == ASKS;
        }
        const bool ready = all && waits && moves;
        Stand(m_urgent, key, ready && urgent);
        Stand(m_patient, key, ready && !urgent);
    }

    /// Let a group stand in a line, or not.
    static void Stand(std::list<GroupKey>& line, const GroupKey& key, bool stands)
    {
        const auto place = std::find(line.begin(), line.end(), key);
        if (stands && place == line.end())
        {
            line.push_back(key);
        }
        else if (!stands && place != line.end())
        {
            line.erase(place);
        }
    }

    std::map<GroupKey, std::map<uint32_t, State>> m_groups;
    std::map<std::pair<GroupKey, uint32_t>, uint32_t> m_newest;   //!< numbers of leases
    std::map<std::pair<GroupKey, uint32_t>, uint32_t> m_released; //!< numbers of leases
    std::map<std::pair<GroupKey, uint32_t>, uint64_t> m_completed;
    std::set<std::pair<GroupKey, uint32_t>> m_forgotten; //!< ranks that are about to ask again
    std::map<GroupKey, uint32_t> m_remembered;           //!< who has asked again and is not granted
    std::list<GroupKey> m_urgent;                        //!< groups that a call waits for to send
    std::list<GroupKey> m_patient;                       //!< others
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_FAIR_LINE_H
