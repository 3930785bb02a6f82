// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_DIRECT_SCHEDULE_H
#define PHOTONIC_RAILS_DIRECT_SCHEDULE_H

#include "collective-part.h"
#include "collective-schedule.h"

namespace ns3
{

/**
 * @brief One rank's part of a collective in which everything is sent at once, as a pure function.
 *
 * - ReduceScatter: each rank sends its part of chunk c to rank c.
 * - AllGather: each rank sends its chunk to all others.
 * - AllReduce: a ReduceScatter, and an AllGather when all parts of the own chunk have come ("two
 *   shot" in the libraries of GPU vendors).
 *
 * All lanes are DIRECT. A rank begins with the rank after it, so that not all send to the same one.
 * Ranges refer to the tensor, that of AllGather to its output.
 *
 * @param part AllReduce, AllGather or ReduceScatter
 * @return the schedule: N - 1 messages each way, or twice as many for AllReduce
 */
CollectiveSchedule MakeDirectSchedule(const CollectivePart& part);

} // namespace ns3

#endif // PHOTONIC_RAILS_DIRECT_SCHEDULE_H
