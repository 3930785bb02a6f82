// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SWEEP_PLAN_H
#define PHOTONIC_RAILS_SWEEP_PLAN_H

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Which flags of a program take which values: a pure function of a text.
 *
 * The text is `flag=value,value,...;flag=value,...`: a grid, each combination of which is a point;
 * the last flag changes fastest. Several grids stand between `|`. A flag that is empty at a point,
 * and one that the grid does not name, is not given there.
 */
class SweepPlan
{
  public:
    /// Points that a plan may have.
    static constexpr std::size_t MAX_POINTS = 10000;

    /// Flags and their values at a point, in the order of the text.
    using Point = std::vector<std::pair<std::string, std::string>>;

    /**
     * @param text of the plan
     * @return an empty string, or what is wrong with it; nothing changes then
     */
    std::string Read(const std::string& text);

    /// @return the flags that vary in any grid, in the order of the text
    std::vector<std::string> GetFlags() const;

    /// @return the number of points
    std::size_t GetSize() const;

    /**
     * @param index below GetSize
     * @return the point, with all flags
     */
    Point GetPoint(std::size_t index) const;

  private:
    /// A flag and its values.
    using Axis = std::pair<std::string, std::vector<std::string>>;

    using Grid = std::vector<Axis>;

    /// Read what stands between bars. @return an empty string, or what is wrong
    static std::string ReadGrid(const std::string& text, Grid& grid);
    /// @return combinations of a grid
    static std::size_t GetSize(const Grid& grid);

    std::vector<Grid> m_grids;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SWEEP_PLAN_H
