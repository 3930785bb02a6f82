// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_HALVING_DOUBLING_SCHEDULE_H
#define PHOTONIC_RAILS_HALVING_DOUBLING_SCHEDULE_H

#include "collective-part.h"
#include "collective-schedule.h"

namespace ns3
{

/**
 * @brief One rank's part of a collective by recursive halving and doubling, as a pure function.
 *
 * The group is a hypercube of log2 N dimensions; in each step a rank exchanges data with its
 * neighbour along one of them, on lanes DIRECT (Thakur, Rabenseifner and Gropp, "Optimization of
 * Collective Communication Operations in MPICH", 2005).
 *
 * - ReduceScatter halves: first with the rank N / 2 away half of the tensor, then with the one N /
 * 4 away a quarter, and so on. Chunk c ends complete at rank c, as on the ring.
 * - AllGather doubles: the same backwards, from the neighbour to the rank N / 2 away.
 * - AllReduce is a ReduceScatter and an AllGather (Rabenseifner). The first halves with the
 *   neighbour and goes on to greater distances, so that half of the data stays with the nearest
 *   rank, which often shares the scale-up domain; the AllGather takes the same way back.
 *
 * Ranges refer to the tensor, that of AllGather to its output. A step waits for all that came
 * before it, and messages may be empty when there are fewer bytes than ranks.
 *
 * **Long messages wait for their receiver**, as by the rendezvous of MPI: a rank that comes to a
 * step calls for its message, by one without data, and until then its neighbour sends
 * `part.eagerBytes` of it at most. Otherwise the neighbours of a rank that is late would send it
 * the messages of several steps, and it would answer all of them at once, on shares of its ports;
 * the largest, for which the others wait, would come last. While ranks keep step the calls cost
 * nothing, if eagerBytes last for a latency.
 *
 * @param part AllReduce, AllGather or ReduceScatter in a group of a power of two
 * @return the schedule: log2 N messages each way, or twice as many for AllReduce; a long one is a
 * call, a beginning and the rest
 */
CollectiveSchedule MakeHalvingDoublingSchedule(const CollectivePart& part);

} // namespace ns3

#endif // PHOTONIC_RAILS_HALVING_DOUBLING_SCHEDULE_H
