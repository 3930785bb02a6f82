// SPDX-License-Identifier: GPL-2.0-only

#include "compute-model.h"

#include "ns3/assert.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

namespace ns3
{

std::string
ComputeEfficiency::Validate() const
{
    const std::pair<const char*, double> shares[] = {{"matmul", matmul},
                                                     {"grouped_matmul", groupedMatmul},
                                                     {"attention", attention},
                                                     {"memory", memory}};
    for (const auto& [name, share] : shares)
    {
        // The negated condition also rejects NaN.
        if (!(share >= 0.001 && share <= 1))
        {
            std::ostringstream line;
            line << "efficiency." << name << "=" << share << ": must be 0.001 to 1";
            return line.str();
        }
    }
    return "";
}

ComputeModel::ComputeModel(const GpuSpec& gpu, const ComputeEfficiency& efficiency)
    : m_gpu(gpu),
      m_efficiency(efficiency)
{
    NS_ASSERT_MSG(efficiency.Validate().empty(), efficiency.Validate());
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
