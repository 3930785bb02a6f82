// SPDX-License-Identifier: GPL-2.0-only

#include "time-unit.h"

#include "report-value.h"

#include <cmath>

namespace ns3
{

TimeUnit
TimeUnit::Find(double seconds, int digits)
{
    constexpr TimeUnit units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    const double most = std::abs(seconds) * (1 + 0.5 * std::pow(10.0, -digits)); // as rounded
    for (const auto& unit : units)
    {
        if (most >= unit.seconds || seconds == 0)
        {
            return unit;
        }
    }
    return units[3];
}

std::string
TimeUnit::Write(double seconds, int digits)
{
    const TimeUnit unit = Find(seconds, digits);
    const double number = seconds / unit.seconds;
    const bool isWhole = std::abs(number) >= std::pow(10.0, digits);
    return (isWhole ? ReportValue::Fixed(number, 0) : ReportValue::WithDigits(number, digits)) +
           " " + unit.name;
}

} // namespace ns3
