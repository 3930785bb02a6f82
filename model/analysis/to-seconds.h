// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_TO_SECONDS_H
#define PHOTONIC_RAILS_TO_SECONDS_H

#include "ns3/nstime.h"

namespace ns3
{

/**
 * @brief Seconds for reports. Time::GetSeconds goes through a division of ns-3 that is slow, and
 * shifts negative numbers to the left.
 * @param time of any sign
 * @return the time in seconds, to the picosecond as far as a double has digits
 */
inline double
ToSeconds(const Time& time)
{
    return static_cast<double>(time.GetPicoSeconds()) / 1e12;
}

} // namespace ns3

#endif // PHOTONIC_RAILS_TO_SECONDS_H
