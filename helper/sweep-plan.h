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
 * The text is `flag=value,value,...;flag=value,...`. Each combination is a point; the last flag
 * changes fastest.
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

    /// @return the flags that vary, in the order of the text
    std::vector<std::string> GetFlags() const;

    /// @return the number of points
    std::size_t GetSize() const;

    /**
     * @param index below GetSize
     * @return the point
     */
    Point GetPoint(std::size_t index) const;

  private:
    /// A flag and its values.
    using Axis = std::pair<std::string, std::vector<std::string>>;

    std::vector<Axis> m_axes;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SWEEP_PLAN_H
