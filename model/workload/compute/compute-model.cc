// SPDX-License-Identifier: GPL-2.0-only

#include "compute-model.h"

#include "ns3/assert.h"

#include <cmath>

namespace ns3
{

ComputeModel::ComputeModel(const TransformerSpec& model,
                           const ParallelismSpec& parallelism,
                           const GpuSpec& gpu,
                           double efficiency)
    : m_flopsPerSecond(gpu.peakFlops * efficiency),
      m_memoryBandwidth(gpu.memoryBandwidth)
{
    NS_ASSERT_MSG(efficiency > 0 && efficiency <= 1, "compute efficiency " << efficiency);
    const double tokens = static_cast<double>(parallelism.GetTokens()) / parallelism.tp;
    m_attentionFlops = model.GetAttentionFlops(parallelism.seqLen) * tokens;
    m_feedForwardFlops = model.GetFeedForwardFlops() * tokens;
    m_outputFlops = model.GetOutputFlops() * tokens;
}

Time
ComputeModel::ToTime(double seconds)
{
    return PicoSeconds(static_cast<uint64_t>(std::llround(seconds * 1e12)));
}

double
ComputeModel::GetAttentionFlops() const
{
    return m_attentionFlops;
}

double
ComputeModel::GetFeedForwardFlops() const
{
    return m_feedForwardFlops;
}

double
ComputeModel::GetOutputFlops() const
{
    return m_outputFlops;
}

Time
ComputeModel::GetTime(double flops) const
{
    return ToTime(flops / m_flopsPerSecond);
}

Time
ComputeModel::GetNormTime(uint64_t parameters) const
{
    return ToTime(4.0 * static_cast<double>(parameters) / m_memoryBandwidth);
}

Time
ComputeModel::GetOptimizerTime(uint64_t parameters) const
{
    return ToTime(9 * 4.0 * static_cast<double>(parameters) / m_memoryBandwidth);
}

} // namespace ns3
