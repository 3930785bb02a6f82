// SPDX-License-Identifier: GPL-2.0-only

#include "compute-model.h"

#include "ns3/assert.h"
#include "ns3/collective-protocol.h"
#include "ns3/time-sum.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace ns3
{

namespace
{

// The rate of NCCL into NVLink, byte/s per direction: rate of a link in src/graph/topo.h of NCCL
// (SM80, SM90 and SM100_NVLINK_BW), times the links of the GPU by its data sheet. That is 80 to 82
// % of the sheets' 300, 450 and 900 GB/s: packets have headers, which cost about a fifth.
constexpr double NVLINK3 = 12 * 20.0e9;
constexpr double NVLINK4 = 18 * 20.6e9;
constexpr double NVLINK5 = 18 * 40.1e9;
// Collectives take NCCL's launch and steps.
constexpr double BY_PROTOCOL = 0;

/// @return every preset
std::vector<GpuSpec>
GetGpuPresets()
{
    // Low: Narayanan et al., SC 2021, Table 1: 44 to 52 % in steps of GPT models of 1.7e9 to 1e12
    // parameters on 32 to 3072 GPUs, recomputation counted as work. High: FlashAttention-2, Dao,
    // ICLR 2024: 225 TFLOP/s in steps of GPT models on 8 GPUs.
    const PublishedEfficiency a100{0.44,
                                   0.72,
                                   "A100: 44 % of the peak in whole steps on 32 GPUs (arXiv "
                                   "2104.04473), 72 % on 8 GPUs (arXiv 2307.08691)"};
    // Low: The Llama 3 Herd of Models, Table 4: 38 to 43 % in steps of the 405B model on 8192 and
    // 16384 GPUs. High: FlashAttention-3, Shah et al., NeurIPS 2024: 740 TFLOP/s.
    const PublishedEfficiency h100{0.38,
                                   0.75,
                                   "H100: 38 % of the peak in whole steps on 16384 GPUs (arXiv "
                                   "2407.21783), 75 % in fused attention (arXiv 2407.08608)"};
    // No publication is taken of the others.
    const PublishedEfficiency later{h100.low,
                                    h100.high,
                                    "no figures of this GPU are known here; those of the " +
                                        h100.source};
    // Data sheets give tensor FLOP/s with 2:4 sparsity (halved here, except for the A100, whose
    // sheet gives both) and NVLink bandwidth as the sum of both directions. FLOP/s of fp32 are from
    // the same sheets, too.
    return {
        // Memory: the same sheets; HGX B200 has 1.44 TB in 8 GPUs, GB200 NVL72 13.4 TB in 72.
        // NVIDIA A100 80GB SXM data sheet: 312 TFLOP/s, 2039 GB/s, NVLink 3 600 GB/s. Two servers
        // have it, see GpuServer.
        {"a100", 312e12, 19.5e12, 2.039e12, NVLINK3, BY_PROTOCOL, 80e9, a100, false},
        {"dgx-a100", 312e12, 19.5e12, 2.039e12, NVLINK3, BY_PROTOCOL, 80e9, a100, false},
        // NVIDIA H100 SXM data sheet: 1979 TFLOP/s sparse, 3.35 TB/s, NVLink 4 900 GB/s.
        {"h100", 989.5e12, 67e12, 3.35e12, NVLINK4, BY_PROTOCOL, 80e9, h100},
        // NVIDIA H200 SXM data sheet: 1979 TFLOP/s sparse, 4.8 TB/s, NVLink 4 900 GB/s.
        {"h200", 989.5e12, 67e12, 4.8e12, NVLINK4, BY_PROTOCOL, 141e9, later},
        // NVIDIA HGX B200 (Blackwell architecture brief): 4.5 PFLOP/s sparse, 8 TB/s, NVLink 5
        // 1.8 TB/s.
        {"b200", 2.25e15, 75e12, 8e12, NVLINK5, BY_PROTOCOL, 180e9, later},
        // NVIDIA GB200 NVL72 data sheet, per GPU: 5 PFLOP/s sparse, 8 TB/s, NVLink 5 1.8 TB/s.
        {"gb200", 2.5e15, 80e12, 8e12, NVLINK5, BY_PROTOCOL, 186e9, later},
    };
}

} // namespace

std::optional<GpuSpec>
GpuSpec::Find(const std::string& name)
{
    for (const auto& preset : GetGpuPresets())
    {
        if (preset.name == name)
        {
            return preset;
        }
    }
    return std::nullopt;
}

double
GpuSpec::GetPeak(ProductFormat format) const
{
    switch (format)
    {
    case ProductFormat::FP8:
        return 2 * peakFlops;
    case ProductFormat::TF32:
        return peakFlops / 2;
    case ProductFormat::FP32:
        return vectorFlops;
    case ProductFormat::BF16:
        break;
    }
    return peakFlops;
}

std::vector<std::string>
GpuSpec::GetNames()
{
    std::vector<std::string> names;
    for (const auto& preset : GetGpuPresets())
    {
        names.push_back(preset.name);
    }
    return names;
}

std::string
ComputeEfficiency::Validate() const
{
    const std::pair<const char*, double> shares[] = {{"matmul", matmul},
                                                     {"grouped_matmul", groupedMatmul},
                                                     {"attention", attention},
                                                     {"memory", memory},
                                                     {"fp8", fp8}};
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
    return MakeDelay(seconds);
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
    if (cost.format == ProductFormat::FP8)
    {
        share = m_efficiency.fp8;
    }
    return std::max(cost.flops / (m_gpu.GetPeak(cost.format) * share),
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
    if (m_latency > 0)
    {
        return ComputeModel::ToTime(steps * m_latency + bytes / m_bandwidth);
    }
    const CollectiveCost cost{0, 0, steps, bytes};
    const auto protocol = CollectiveProtocol::Choose(cost, GroupShape{2, 2}, {0, m_bandwidth});
    return ComputeModel::ToTime(protocol.GetSeconds(cost));
}

} // namespace ns3
