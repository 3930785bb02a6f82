// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PXN_SCHEDULE_H
#define PHOTONIC_RAILS_PXN_SCHEDULE_H

#include "collective-layout.h"
#include "collective-part.h"
#include "collective-schedule.h"

namespace ns3
{

/**
 * @file
 * AllToAll and AllToAllv that change rails inside the scale-up domain, as a pure function: PXN,
 * "PCI x NVLink", of NCCL 2.12.
 *
 * What a rank has for local rank l of another domain goes to local rank l of its own domain. That
 * relay puts together what all ranks of the domain have for the one destination, and sends it along
 * its rail in one message. So traffic between domains never leaves its rail, and there are D - 1
 * messages between domains on each rank instead of (D - 1) L. What needs no relay goes straight:
 * blocks inside the domain, and a relay's own blocks, which are part of its messages.
 *
 * All messages take lanes DIRECT. A message along the rail waits for its L - 1 blocks only. A rank
 * sends D (L - 1) messages inside its domain, those for the following domain first.
 *
 * **Buffer.** For each other domain, in their order, what is sent there along the rail: one block
 * of each local rank, in their order. Then the blocks of the rank for all that are not on its rail,
 * in the order of ranks, then its block for itself, then the output in the order of ranks, without
 * it.
 */

/**
 * @param part the call and the rank; in its group ranks are ordered by domain
 * @return the schedule
 */
CollectiveSchedule MakePxnSchedule(const CollectivePart& part);

/**
 * @param part the call and the rank
 * @return where the data lies
 */
CollectiveLayout MakePxnLayout(const CollectivePart& part);

} // namespace ns3

#endif // PHOTONIC_RAILS_PXN_SCHEDULE_H
