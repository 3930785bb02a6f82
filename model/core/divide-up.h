// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DIVIDE_UP_H
#define PHOTONIC_RAILS_DIVIDE_UP_H

#include <cstdint>

namespace ns3
{

/**
 * @param dividend the dividend
 * @param divisor the divisor, not 0
 * @return the quotient, rounded up; computed without overflow
 */
constexpr uint64_t
DivideUp(uint64_t dividend, uint64_t divisor)
{
    return dividend / divisor + (dividend % divisor > 0 ? 1 : 0);
}

} // namespace ns3

#endif // PHOTONIC_RAILS_DIVIDE_UP_H
