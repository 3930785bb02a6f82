// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_COLLECTIVE_TIME_H
#define PHOTONIC_RAILS_COLLECTIVE_TIME_H

#include "ns3/collective-call.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief Algorithm bandwidth as nccl-tests print it.
 * @param kind a collective, Send or Recv
 * @param size number of ranks
 * @param bytes input bytes of a rank, as in CollectiveCall
 * @param duration time of the call, not zero
 * @return bytes per second: GetTensorBytes over the time
 */
double GetAlgorithmBandwidth(CollectiveKind kind, uint32_t size, uint64_t bytes, Time duration);

/**
 * @brief Bus bandwidth as nccl-tests print it: what each rank must send at least, over the time.
 *
 * The algorithm bandwidth times 2 (N - 1) / N for AllReduce, (N - 1) / N for AllGather,
 * ReduceScatter and AllToAll, 1 for Broadcast, Reduce, Send and Recv (doc/PERFORMANCE.md of
 * nccl-tests). It can be compared with the rate of the hardware.
 *
 * @param kind a collective, Send or Recv
 * @param size number of ranks
 * @param bytes input bytes of a rank, as in CollectiveCall
 * @param duration time of the call, not zero
 * @return bytes per second
 */
double GetBusBandwidth(CollectiveKind kind, uint32_t size, uint64_t bytes, Time duration);

} // namespace ns3

#endif // PHOTONIC_RAILS_COLLECTIVE_TIME_H
