// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_NETWORK_ORDER_H
#define PHOTONIC_RAILS_NETWORK_ORDER_H

#include <cstdint>

namespace ns3
{

/// Integers in network byte order, at addresses without alignment.
namespace network_order
{

/// Write the lower 16 bits of a number.
inline void
Put16(uint8_t* at, uint32_t value)
{
    at[0] = static_cast<uint8_t>(value >> 8);
    at[1] = static_cast<uint8_t>(value);
}

/// Write 32 bits.
inline void
Put32(uint8_t* at, uint32_t value)
{
    Put16(at, value >> 16);
    Put16(at + 2, value & 0xffff);
}

/// @return 16 bits
inline uint16_t
Get16(const uint8_t* at)
{
    return static_cast<uint16_t>((at[0] << 8) | at[1]);
}

/// @return 24 bits
inline uint32_t
Get24(const uint8_t* at)
{
    return (uint32_t{at[0]} << 16) | Get16(at + 1);
}

/// @return 32 bits
inline uint32_t
Get32(const uint8_t* at)
{
    return (uint32_t{Get16(at)} << 16) | Get16(at + 2);
}

} // namespace network_order

} // namespace ns3

#endif // PHOTONIC_RAILS_NETWORK_ORDER_H
