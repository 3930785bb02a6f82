// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_OPUS_RANDOM_HISTORY_H
#define PHOTONIC_RAILS_OPUS_RANDOM_HISTORY_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace test
{

/**
 * @brief The messages, grants and commands of the controllers of some rails, in one order.
 *
 * A restarted controller repeats the whole history; a standby goes through it for the first time
 * and may be ahead of the first controller. The next line of any controller must equal the next
 * line in the history, or be new.
 */
class OpusHistory
{
  public:
    /// The result of the comparison of a line.
    enum Verdict
    {
        NEW,
        KNOWN,
        WRONG, //!< it should have been another
    };

    /**
     * @brief A controller begins anew, after the lines that its snapshot contains.
     * @param controller the controller
     * @param snapshot its snapshot, whose lines were passed to Tell like those of a controller
     */
    void Begin(uint32_t controller, uint32_t snapshot)
    {
        m_places[controller] = m_places[snapshot];
    }

    /**
     * @param controller number of the controller
     * @param line a message, grant or command
     * @return the result of the comparison
     */
    Verdict Tell(uint32_t controller, const std::string& line)
    {
        std::size_t& place = m_places[controller];
        if (place == m_lines.size())
        {
            m_lines.push_back(line);
            ++place;
            return NEW;
        }
        return m_lines[place++] == line ? KNOWN : WRONG;
    }

    /// @param controller a controller @return the line that it should have told last
    const std::string& GetExpected(uint32_t controller) const
    {
        return m_lines[m_places.at(controller) - 1];
    }

    /**
     * @param controller that has come to the end of its log
     * @return true if it has repeated the whole history
     */
    bool IsComplete(uint32_t controller) const
    {
        const auto place = m_places.find(controller);
        return place != m_places.end() && place->second == m_lines.size();
    }

  private:
    std::vector<std::string> m_lines;
    std::map<uint32_t, std::size_t> m_places; //!< of the next line, by controller
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_OPUS_RANDOM_HISTORY_H
