// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_FAIR_LINE_H
#define PHOTONIC_RAILS_FAIR_LINE_H

#include "ns3/lease-holder.h"

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @brief Whose turn is it? An own account of the order in which groups became ready, to check the
 * ledger's against: a group may go only if none that became ready earlier shares a rank with it.
 * Groups that a call waits for to send come before all others.
 */
class FairLine
{
  public:
    /**
     * @param id a group
     * @param ranks its ranks
     */
    void AddGroup(uint64_t id, const std::vector<uint32_t>& ranks)
    {
        for (uint32_t rank : ranks)
        {
            m_groups[id][rank] = AWAY;
        }
    }

    /**
     * @brief The controller hears a rank.
     * @param rank the rank
     * @param message what it says
     */
    void Hear(uint32_t rank, const LeaseHolder::Message& message)
    {
        State& state = m_groups[message.group][rank];
        if (!message.request)
        {
            state = AWAY;
        }
        else if (state != HOLDS)
        {
            state = message.passive ? CONSENTS : message.speculative ? WISHES : ASKS;
        }
        Update(message.group);
    }

    /// @param id a group that is granted to all who ask
    void Grant(uint64_t id)
    {
        for (auto& [rank, state] : m_groups[id])
        {
            state = state == AWAY ? AWAY : HOLDS;
        }
        Update(id);
    }

    /**
     * @param id a group that is switched or granted
     * @return an empty string, or who should have gone first
     */
    std::string CheckTurn(uint64_t id) const
    {
        for (const auto* line : {&m_urgent, &m_patient})
        {
            for (uint64_t other : *line)
            {
                if (other == id)
                {
                    return "";
                }
                for (const auto& [rank, state] : m_groups.at(other))
                {
                    if (m_groups.at(id).count(rank))
                    {
                        return "group " + std::to_string(id) + " goes before group " +
                               std::to_string(other);
                    }
                }
            }
        }
        return "group " + std::to_string(id) + " goes before all its ranks have asked";
    }

  private:
    enum State
    {
        AWAY,
        CONSENTS,
        WISHES,
        ASKS,
        HOLDS,
    };

    void Update(uint64_t id)
    {
        bool all = true;
        bool waits = false;
        bool moves = false;
        bool urgent = false;
        for (const auto& [rank, state] : m_groups[id])
        {
            all = all && state != AWAY;
            waits = waits || (state != AWAY && state != HOLDS);
            moves = moves || state == WISHES || state == ASKS || state == HOLDS;
            urgent = urgent || state == ASKS;
        }
        const bool ready = all && waits && moves;
        Stand(m_urgent, id, ready && urgent);
        Stand(m_patient, id, ready && !urgent);
    }

    /// Let a group stand in a line, or not.
    static void Stand(std::list<uint64_t>& line, uint64_t id, bool stands)
    {
        const auto place = std::find(line.begin(), line.end(), id);
        if (stands && place == line.end())
        {
            line.push_back(id);
        }
        else if (!stands && place != line.end())
        {
            line.erase(place);
        }
    }

    std::map<uint64_t, std::map<uint32_t, State>> m_groups;
    std::list<uint64_t> m_urgent;  //!< groups that a call waits for to send
    std::list<uint64_t> m_patient; //!< others
};

} // namespace ns3

#endif // PHOTONIC_RAILS_FAIR_LINE_H
