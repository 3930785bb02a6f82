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
 * @brief Explains in a few lines why a job does not continue. A pure class.
 *
 * Ranks that wait for the same thing share a line. The report starts with facts that concern no
 * particular rank, then lists ranks that wait for no other rank, since the cause of the stall is
 * there. If every rank waits for another rank, the report names a circle of ranks that wait for
 * each other instead. All other ranks follow, the line with the most ranks first.
 */
class StallReport
{
  public:
    /// Default for the largest number of lines.
    static constexpr std::size_t MAX_LINES = 8;

    /// @param line a fact for which ranks may wait, such as "the controller is down since 1 s"
    void AddFact(const std::string& line)
    {
        m_facts.push_back(line);
    }

    /**
     * @brief Add a rank that waits.
     * @param rank global rank
     * @param text the reason; if there are other ranks, GetLines appends their list
     * @param others ranks for which the rank waits; may be empty
     */
    void AddWait(uint32_t rank, const std::string& text, const std::vector<uint32_t>& others);

    /// @return ranks that do not wait although other ranks wait for them, in order
    std::vector<uint32_t> GetRanksNotWaiting() const;

    /**
     * @param limit largest number of lines, at least 2
     * @return the lines; if ranks are left out, the last line lists them
     */
    std::vector<std::string> GetLines(std::size_t limit = MAX_LINES) const;

    /**
     * @param ranks in ascending order
     * @return such as "rank 3", "ranks 0-3, 8", or "ranks 0, 4, 8, 12, 16, 20 and 10 more"
     */
    static std::string ToText(const std::set<uint32_t>& ranks);

  private:
    /// Ranks with the same reason, and the ranks for which they wait.
    struct Wait
    {
        std::set<uint32_t> ranks;
        std::set<uint32_t> others;
    };

    using Edges = std::map<uint32_t, std::set<uint32_t>>; //!< ranks for which a rank waits

    /// @return the ranks from which no chain of waiting ranks leads to a rank that waits for none
    Edges FindUnexplained() const;
    /// @return a circle: each rank waits for the next, the last for the first; empty if none
    std::vector<uint32_t> FindCircle() const;

    std::vector<std::string> m_facts;
    std::map<std::pair<std::string, bool>, Wait> m_waits; //!< by text, and whether others follow
    Edges m_edges;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_STALL_REPORT_H
