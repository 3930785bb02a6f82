// SPDX-License-Identifier: GPL-2.0-only

#include "scale-up-model.h"

#include "compute-model.h"

#include "ns3/assert.h"

namespace ns3
{

ScaleUpModel::ScaleUpModel(const GpuSpec& gpu)
    : m_bandwidth(gpu.scaleUpBandwidth),
      m_latency(gpu.scaleUpLatency)
{
}

Time
ScaleUpModel::GetTime(CollectiveKind kind, uint32_t ranks, uint64_t bytes) const
{
    NS_ASSERT_MSG(kind != CollectiveKind::SEND && kind != CollectiveKind::RECV,
                  "a point-to-point transfer depends on its other side");
    if (ranks < 2)
    {
        return Time(0);
    }
    const bool isReduced = kind == CollectiveKind::ALL_REDUCE;
    const double steps = (isReduced ? 2.0 : 1.0) * (ranks - 1);
    // An AllGather passes whole inputs on, the others 1/n of them.
    const double chunk =
        static_cast<double>(bytes) / (kind == CollectiveKind::ALL_GATHER ? 1 : ranks);
    return ComputeModel::ToTime(steps * (m_latency + chunk / m_bandwidth));
}

} // namespace ns3
