// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_STALL_REPORT_H
#define PHOTONIC_RAILS_STALL_REPORT_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Why a job does not go on, in a few lines: a pure class.
 *
 * Ranks that wait for the same share a line. First come facts that are of no rank, then ranks that
 * wait for no other rank: a cause lies there. If there are none, ranks that wait for each other
 * follow, with a line that says so; then all others, the largest number of ranks first.
 */
class StallReport
{
  public:
    /// Lines at most.
    static constexpr std::size_t MAX_LINES = 8;

    /// @param line something that ranks may wait for, such as a controller that is down
    void AddFact(const std::string& line);

    /**
     * @brief A rank waits.
     * @param rank global rank
     * @param text for what; if it waits for others, a list of them follows
     * @param others ranks without which it cannot go on; empty: it waits for none
     */
    void AddWait(uint32_t rank, const std::string& text, const std::vector<uint32_t>& others);

    /// @return ranks for which others wait and that do not wait themselves, in order
    std::vector<uint32_t> GetRanksNotWaiting() const;

    /**
     * @param limit lines at most, at least 2
     * @return the lines; the last one counts ranks that are in none, if there are any
     */
    std::vector<std::string> GetLines(std::size_t limit = MAX_LINES) const;

    /**
     * @param ranks in ascending order
     * @return such as "rank 3", "ranks 0-3, 8", or "ranks 0, 4, 8, 12, 16, 20 and 10 more"
     */
    static std::string ToText(const std::set<uint32_t>& ranks);

  private:
    /// Ranks that wait for the same.
    struct Wait
    {
        std::set<uint32_t> ranks;
        std::set<uint32_t> others;
    };

    using Edges = std::map<uint32_t, std::set<uint32_t>>; //!< ranks for which a rank waits

    /// @return the ranks that do not wait, at some remove, for one that waits for no other
    Edges FindUnexplained() const;
    /// @return ranks each of which waits for the next and the last for the first; or none
    std::vector<uint32_t> FindCircle() const;

    std::vector<std::string> m_facts;
    std::map<std::pair<std::string, bool>, Wait> m_waits; //!< by text, and whether others follow
    Edges m_edges;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_STALL_REPORT_H
