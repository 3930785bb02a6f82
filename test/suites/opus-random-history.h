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
 * @brief What the controllers of some rails have heard, granted and commanded, in one order.
 *
 * A controller that begins anew goes through all of it again; a standby goes through it for its
 * first time and may know more of it than the first controller, which may come to that later. What
 * any of them says is either the next that is in the history, to the letter, or new.
 */
class OpusHistory
{
  public:
    /// What becomes of a line.
    enum Verdict
    {
        NEW,
        KNOWN,
        WRONG, //!< it should have been another
    };

    /**
     * @brief A controller begins anew, behind what its snapshot contains.
     * @param controller the controller
     * @param snapshot its snapshot, which has told what it contains as a controller does
     */
    void Begin(uint32_t controller, uint32_t snapshot)
    {
        m_places[controller] = m_places[snapshot];
    }

    /**
     * @param controller that has heard or does something
     * @param line what
     * @return what that is
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
     * @return whether it knows all that ever happened
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
