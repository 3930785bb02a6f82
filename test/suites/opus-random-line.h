// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TEST_OPUS_RANDOM_LINE_H
#define PHOTONIC_RAILS_TEST_OPUS_RANDOM_LINE_H

#include "ns3/opus-message.h"

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace test
{

/**
 * @brief Whose turn is it? An own account of what the controller has heard and granted.
 *
 * A group is in line from when all its ranks ask for it or hold it, one of them waits, and one
 * wants to send or holds it. It may go only if no group before it in line has a rank of it. Groups
 * that a call waits for to send are before all others; otherwise they stand as they came.
 */
class OpusLine
{
  public:
    /// A group of a job.
    using Key = std::pair<uint32_t, uint64_t>;

    /**
     * @param message a request or release that the controller acts on
     * @param ranks of its group
     */
    void Hear(const OpusMessage& message, const std::vector<uint32_t>& ranks)
    {
        const Key key{message.job, message.group};
        auto& group = m_groups[key];
        for (uint32_t rank : ranks)
        {
            group.emplace(rank, AWAY);
        }
        State& state = group[message.rank];
        if (message.type == OpusMessageType::RELEASE)
        {
            state = AWAY;
        }
        else if (state != HOLDS) // otherwise it became active while its grant was on the way
        {
            state = message.passive ? CONSENTS : message.speculative ? WISHES : ASKS;
        }
        Update(key);
    }

    /**
     * @param key a group that is granted to all who ask for it
     * @return the ranks that did
     */
    std::vector<uint32_t> Grant(const Key& key)
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
     * @return an empty string, or why it is not its turn
     */
    std::string CheckTurn(const Key& key) const
    {
        for (const auto* line : {&m_urgent, &m_patient})
        {
            for (const Key& other : *line)
            {
                if (other == key)
                {
                    return "";
                }
                if (other.first == key.first && ShareRank(other, key))
                {
                    return "goes before group " + std::to_string(other.second);
                }
            }
        }
        return "goes before all its ranks have asked";
    }

    /**
     * @param job a job
     * @return the groups that somebody holds, as the controller knows
     */
    std::vector<uint64_t> GetHeld(uint32_t job) const
    {
        std::vector<uint64_t> held;
        for (const auto& [key, group] : m_groups)
        {
            if (key.first == job && std::any_of(group.begin(), group.end(), [](const auto& x) {
                    return x.second == HOLDS;
                }))
            {
                held.push_back(key.second);
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
    /// What a rank has said of a group, and been told.
    enum State
    {
        AWAY,
        CONSENTS,
        WISHES,
        ASKS,
        HOLDS,
    };

    bool ShareRank(const Key& one, const Key& other) const
    {
        const auto& ranks = m_groups.at(other);
        const auto& candidates = m_groups.at(one);
        return std::any_of(candidates.begin(), candidates.end(), [&ranks](const auto& x) {
            return ranks.count(x.first) > 0;
        });
    }

    void Update(const Key& key)
    {
        bool all = true;
        bool waits = false;
        bool moves = false;
        bool urgent = false;
        for (const auto& [rank, state] : m_groups[key])
        {
            all = all && state != AWAY;
            waits = waits || (state != AWAY && state != HOLDS);
            moves = moves || state == WISHES || state == ASKS || state == HOLDS;
            urgent = urgent || state == ASKS;
        }
        const bool ready = all && waits && moves;
        Stand(m_urgent, key, ready && urgent);
        Stand(m_patient, key, ready && !urgent);
    }

    /// Let a group stand in a line, or not.
    static void Stand(std::list<Key>& line, const Key& key, bool stands)
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

    std::map<Key, std::map<uint32_t, State>> m_groups;
    std::list<Key> m_urgent;  //!< groups that a call waits for to send
    std::list<Key> m_patient; //!< others
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_TEST_OPUS_RANDOM_LINE_H
