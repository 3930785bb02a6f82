// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_BREAK_EVEN_H
#define PHOTONIC_RAILS_BREAK_EVEN_H

#include "ns3/job-verdict.h"
#include "ns3/nstime.h"

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Finds the switching time at which photonic rails cost a share of the step.
 *
 * The search brackets the switching time by runs and halves the bracket, or interpolates in it,
 * until the upper end is at most TOLERANCE above the lower one. A longer switching time is assumed
 * never to make a step shorter.
 */
class BreakEvenSearch
{
  public:
    static constexpr double TOLERANCE = 0.05; //!< the width of the last bracket, relative
    static constexpr int MOST_RUNS = 30;      //!< of a search

    /// @return the longest switching time that is tried
    static Time GetLongest();
    /// @return the shortest switching time that is tried
    static Time GetShortest();

    /**
     * @brief Runs the job with a switching time.
     *
     * Returns by how much the step is longer than on electrical rails, relative to these, or
     * nothing if the run failed.
     */
    using Cost = std::function<std::optional<double>(const Time& delay)>;

    /// @param cost called for each switching time at most once
    explicit BreakEvenSearch(Cost cost);

    /**
     * @param share of the step on electrical rails, above 0
     * @param start switching time with which the search begins
     * @return the result
     */
    BreakEven Find(double share, const Time& start);

    /// @return the switching times of all runs, and their costs
    std::vector<std::pair<Time, double>> GetCosts() const;

  private:
    /// @return the cost of a switching time, from a run or from memory
    std::optional<double> Get(const Time& delay);

    Cost m_cost;
    std::map<Time, std::optional<double>> m_known; //!< by switching time
};

} // namespace ns3

#endif // PHOTONIC_RAILS_BREAK_EVEN_H
