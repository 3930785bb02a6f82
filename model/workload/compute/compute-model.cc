// SPDX-License-Identifier: GPL-2.0-only

#include "compute-model.h"

#include "ns3/assert.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

ComputeModel::ComputeModel(const GpuSpec& gpu, const ComputeEfficiency& efficiency)
    : m_gpu(gpu),
      m_efficiency(efficiency)
{
    for (const double share :
         {efficiency.matmul, efficiency.groupedMatmul, efficiency.attention, efficiency.memory})
    {
        NS_ASSERT_MSG(share > 0 && share <= 1, "compute efficiency " << share);
    }
}

Time
ComputeModel::ToTime(double seconds)
{
    return PicoSeconds(static_cast<uint64_t>(std::llround(seconds * 1e12)));
}

double
ComputeModel::GetSeconds(const OperatorCost& cost) const
{
    double share = m_efficiency.matmul;
    switch (cost.kind)
    {
    case OperatorKind::MATMUL:
    case OperatorKind::MEMORY:
        break;
    case OperatorKind::GROUPED_MATMUL:
        share = m_efficiency.groupedMatmul;
        break;
    case OperatorKind::ATTENTION:
        share = m_efficiency.attention;
        break;
    }
    return std::max(cost.flops / (m_gpu.peakFlops * share),
                    cost.bytes / (m_gpu.memoryBandwidth * m_efficiency.memory));
}

Time
ComputeModel::GetTime(const OperatorCosts& costs) const
{
    double seconds = 0;
    for (const auto& cost : costs)
    {
        seconds += GetSeconds(cost);
    }
    return ToTime(seconds);
}

} // namespace ns3
