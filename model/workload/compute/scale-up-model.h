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
 * The scale-up interconnect is non-blocking and a group's ranks arrive together, so a ring over it
 * takes (steps) x (latency + bytes per step / bandwidth): n-1 steps for AllGather and
 * ReduceScatter, 2(n-1) for AllReduce (Patarasuk and Yuan, "Bandwidth optimal all-reduce
 * algorithms for clusters of workstations", JPDC 2009).
 */
class ScaleUpModel
{
  public:
    /// @param gpu gives bandwidth per direction and latency of a step
    explicit ScaleUpModel(const GpuSpec& gpu);

    /**
     * @param kind AllGather, ReduceScatter or AllReduce
     * @param ranks size of the group
     * @param bytes input bytes of a rank, see CollectiveCall
     * @return its duration; zero for a single rank
     */
    Time GetTime(CollectiveKind kind, uint32_t ranks, uint64_t bytes) const;

  private:
    double m_bandwidth; //!< byte/s per direction
    double m_latency;   //!< s per step
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SCALE_UP_MODEL_H
