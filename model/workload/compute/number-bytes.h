// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_NUMBER_BYTES_H
#define PHOTONIC_RAILS_NUMBER_BYTES_H

#include <cstdint>

namespace ns3
{

constexpr uint64_t BF16_BYTES = 2;  //!< size of an activation or parameter
constexpr uint64_t COUNT_BYTES = 8; //!< size of a number of tokens, int64
constexpr uint64_t FP32_BYTES = 4;  //!< size of a scalar, statistic and, by default, gradient

} // namespace ns3

#endif // PHOTONIC_RAILS_NUMBER_BYTES_H
