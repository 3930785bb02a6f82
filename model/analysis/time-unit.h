// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TIME_UNIT_H
#define PHOTONIC_RAILS_TIME_UNIT_H

#include <string>

namespace ns3
{

/// A unit in which tables and sentences show times to readers. CSV and JSON have seconds.
struct TimeUnit
{
    /// Digits that count of a time in a sentence, and decimals of one in a table.
    static constexpr int DIGITS = 4;

    const char* name; //!< s, ms, us or ns
    double seconds;   //!< seconds of the unit

    /**
     * @param seconds a time of any sign
     * @param digits with which the time is shown: 999.96 ms with four is 1 s
     * @return the largest unit of which the time has one or more, ns for shorter times, s for 0
     */
    static TimeUnit Find(double seconds, int digits = DIGITS);

    /**
     * @param seconds a time of any sign
     * @param digits that count; zeros at the end are left out
     * @return the time in the unit that fits, such as "4.118 ms"
     */
    static std::string Write(double seconds, int digits = DIGITS);
};

} // namespace ns3

#endif // PHOTONIC_RAILS_TIME_UNIT_H
