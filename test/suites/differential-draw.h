// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DIFFERENTIAL_DRAW_H
#define PHOTONIC_RAILS_DIFFERENTIAL_DRAW_H

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace ns3
{
namespace test
{

constexpr uint64_t NS = 1000;         //!< ps
constexpr uint64_t US = 1000 * NS;    //!< ps
constexpr uint64_t GBPS = 1000000000; //!< bit/s

/// Draws the values of a scenario: a seed gives the same numbers on all platforms, which the
/// distributions of the standard library do not promise.
class Draw
{
  public:
    /// @param seed the same seed draws the same
    explicit Draw(uint64_t seed)
        : m_engine(seed)
    {
    }

    /// @return a number from low to high
    uint64_t Between(uint64_t low, uint64_t high)
    {
        return low + m_engine() % (high - low + 1);
    }

    /// @return an index below a count
    uint32_t Index(std::size_t count)
    {
        return static_cast<uint32_t>(m_engine() % count);
    }

    /// @return a number from low to high, as likely in each octave
    uint64_t Scaled(uint64_t low, uint64_t high)
    {
        uint64_t octaves = 0;
        while (low << octaves < high)
        {
            ++octaves;
        }
        const uint64_t top = low << Between(0, octaves);
        const uint64_t number = Between(top / 2, top);
        return number < low ? low : (number > high ? high : number);
    }

    /// @return true in so many of 100 cases
    bool Chance(uint32_t percent)
    {
        return m_engine() % 100 < percent;
    }

    /// @return one of some values
    template <typename T>
    T Pick(const std::vector<T>& values)
    {
        return values[Index(values.size())];
    }

  private:
    std::mt19937_64 m_engine;
};

} // namespace test
} // namespace ns3

#endif // PHOTONIC_RAILS_DIFFERENTIAL_DRAW_H
