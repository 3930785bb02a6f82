// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_LOST_FRAMES_H
#define PHOTONIC_RAILS_LOST_FRAMES_H

#include "rail-cluster.h"

#include <cstdint>

namespace ns3
{

/**
 * @param cluster the GPUs
 * @return frames lost at the switches of an electrical fabric, at their links and at NICs; the
 * switches of domains do not count
 */
uint64_t CountLostAtSwitches(const RailCluster& cluster);

} // namespace ns3

#endif // PHOTONIC_RAILS_LOST_FRAMES_H
