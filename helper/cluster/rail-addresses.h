// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RAIL_ADDRESSES_H
#define PHOTONIC_RAILS_RAIL_ADDRESSES_H

#include <cstdint>

namespace ns3
{

/// Address of the first NIC port on the fabric between domains: 10.0.0.1.
constexpr uint32_t FIRST_PORT_ADDRESS = 0x0a000001;

} // namespace ns3

#endif // PHOTONIC_RAILS_RAIL_ADDRESSES_H
