// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SCALE_UP_MODEL_H
#define PHOTONIC_RAILS_SCALE_UP_MODEL_H

#include "gpu-spec.h"

#include "ns3/collective-call.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @brief Time of collectives inside a scale-up domain, in closed form.
 *
 * The scale-up interconnect is non-blocking and the ranks of a group arrive together, so a
 * collective takes (steps) x (latency) + (bytes that the busiest rank sends) / bandwidth. With n
 * ranks and an input of b bytes:
 *
 * | collective                | steps    | bytes         |
 * |---------------------------|----------|---------------|
 * | AllGather, ring           | n - 1    | (n - 1) b     |
 * | ReduceScatter, ring       | n - 1    | b (n - 1) / n |
 * | AllReduce, ring           | 2(n - 1) | 2b (n - 1) / n |
 * | AllToAll, direct          | 1        | b (n - 1) / n |
 * | Broadcast, Reduce, pipelined chain | n - 1 | b       |
 * | Send, Recv                | 1        | b             |
 *
 * Rings: Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
 * workstations", JPDC 2009. A Send and its Recv also begin together: the time that one waits for
 * the other is not included.
 */
class ScaleUpModel
{
  public:
    /// @param gpu provides bandwidth per direction and latency of a step
    explicit ScaleUpModel(const GpuSpec& gpu);

    /**
     * @param kind kind of collective
     * @param ranks size of the group
     * @param bytes input bytes of a rank, see CollectiveCall
     * @return the duration; zero for a single rank
     */
    Time GetTime(CollectiveKind kind, uint32_t ranks, uint64_t bytes) const;

    /**
     * @param sizes sizes of an AllToAll whose parts differ
     * @return the duration, set by the rank that sends or receives most; zero for a single rank
     */
    Time GetTime(const AllToAllSizes& sizes) const;

  private:
    /// @return the duration of a number of steps and of a number of bytes one after the other
    Time GetTime(double steps, double bytes) const;

    double m_bandwidth; //!< byte/s per direction
    double m_latency;   //!< s per step
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SCALE_UP_MODEL_H
