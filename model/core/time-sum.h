// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TIME_SUM_H
#define PHOTONIC_RAILS_TIME_SUM_H

#include "ns3/nstime.h"

#include <cmath>
#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @return the longest time that a job may be simulated, and the longest delay of an event: half of
 * the range of a Time, 53 days in picoseconds. The sum of both fits a Time
 */
inline Time
GetTimeLimit()
{
    return Time::Max() / int64_t{2};
}

/**
 * @param seconds a delay, at least 0
 * @return the delay, or GetTimeLimit if that is shorter
 */
inline Time
MakeDelay(double seconds)
{
    const double most = GetTimeLimit().GetSeconds();
    return seconds < most ? PicoSeconds(static_cast<uint64_t>(std::llround(seconds * 1e12)))
                          : GetTimeLimit();
}

/**
 * @brief A sum of many times, such as the waits of all groups, exact to the picosecond.
 *
 * A Time holds 106 days in picoseconds. Waits that overlap add up to more than the simulated time,
 * so their sum in a Time may wrap. A TimeSum holds 2^63 seconds.
 */
class TimeSum
{
  public:
    TimeSum() = default;

    /// @param time first summand
    TimeSum(const Time& time)
    {
        *this += time;
    }

    /// @param time summand, of any sign @return the sum
    TimeSum& operator+=(const Time& time)
    {
        return Add(time.GetPicoSeconds() / SECOND, time.GetPicoSeconds() % SECOND);
    }

    /// @param other summand @return the sum
    TimeSum& operator+=(const TimeSum& other)
    {
        return Add(other.m_seconds, other.m_rest);
    }

    /// @param factor number of equal summands, at most 2^23 @return the sum
    TimeSum& operator*=(uint32_t factor)
    {
        const int64_t rest = m_rest * factor;
        m_seconds *= factor;
        m_rest = 0;
        return Add(rest / SECOND, rest % SECOND);
    }

    /// @return the sum in seconds, rounded as that of a Time if a Time can hold the sum
    double GetSeconds() const
    {
        constexpr double PER_SECOND = static_cast<double>(SECOND);
        constexpr int64_t HELD = 9000000; // seconds that a Time holds
        return m_seconds < HELD && m_seconds > -HELD
                   ? static_cast<double>(m_seconds * SECOND + m_rest) / PER_SECOND
                   : static_cast<double>(m_seconds) + static_cast<double>(m_rest) / PER_SECOND;
    }

    /// @return true if the sums are equal
    bool operator==(const TimeSum& other) const
    {
        return m_seconds == other.m_seconds && m_rest == other.m_rest;
    }

    /// @param os output stream @param sum printed in seconds @return the stream
    friend std::ostream& operator<<(std::ostream& os, const TimeSum& sum)
    {
        return os << sum.GetSeconds() << " s";
    }

    /// Name the fields for an archive, see text-archive.h.
    template <typename Archive>
    friend void VisitFields(Archive& archive, TimeSum& sum)
    {
        archive(sum.m_seconds, sum.m_rest);
    }

  private:
    static constexpr int64_t SECOND = 1000000000000; //!< picoseconds

    TimeSum& Add(int64_t seconds, int64_t rest)
    {
        m_seconds += seconds;
        m_rest += rest;
        m_seconds += m_rest / SECOND;
        m_rest %= SECOND;
        if (m_rest < 0)
        {
            m_rest += SECOND;
            --m_seconds;
        }
        return *this;
    }

    int64_t m_seconds{0}; //!< whole seconds
    int64_t m_rest{0};    //!< picoseconds, from 0 to below a second
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TIME_SUM_H
