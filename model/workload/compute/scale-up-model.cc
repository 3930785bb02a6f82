// SPDX-License-Identifier: GPL-2.0-only

#include "scale-up-model.h"

#include "compute-model.h"

#include <algorithm>

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
    if (ranks < 2)
    {
        return Time(0);
    }
    const double peers = ranks - 1;
    const auto size = static_cast<double>(bytes);
    switch (kind)
    {
    case CollectiveKind::ALL_GATHER: // each rank forwards whole inputs
        return GetTime(peers, peers * size);
    case CollectiveKind::REDUCE_SCATTER:
        return GetTime(peers, peers / ranks * size);
    case CollectiveKind::ALL_REDUCE:
        return GetTime(2 * peers, 2 * peers / ranks * size);
    case CollectiveKind::ALL_TO_ALL:
        return GetTime(1, peers / ranks * size);
    case CollectiveKind::BROADCAST:
    case CollectiveKind::REDUCE:
        return GetTime(peers, size);
    case CollectiveKind::SEND:
    case CollectiveKind::RECV:
        return GetTime(1, size);
    }
    return Time(0);
}

Time
ScaleUpModel::GetTime(const AllToAllSizes& sizes) const
{
    return sizes.GetRanks() < 2 ? Time(0) : GetTime(1, static_cast<double>(sizes.GetMost()));
}

Time
ScaleUpModel::GetTime(double steps, double bytes) const
{
    return ComputeModel::ToTime(steps * m_latency + bytes / m_bandwidth);
}

} // namespace ns3
