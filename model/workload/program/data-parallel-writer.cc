// SPDX-License-Identifier: GPL-2.0-only

#include "data-parallel-writer.h"

#include "bucket-writer.h"
#include "layer-step-writer.h"
#include "shard-writer.h"

namespace ns3
{

std::unique_ptr<DataParallelWriter>
DataParallelWriter::Create(const WorkloadSpec& spec,
                           const RankModel& model,
                           RankProgramWriter& program)
{
    if (spec.rules.dataParallelism == DataParallelism::FSDP)
    {
        return std::make_unique<ShardWriter>(spec, model, program);
    }
    return std::make_unique<BucketWriter>(spec, model, program);
}

DataParallelWriter::DataParallelWriter(const WorkloadSpec& spec,
                                       const RankModel& model,
                                       RankProgramWriter& program)
    : m_spec(spec),
      m_model(model),
      m_program(program)
{
}

uint64_t
DataParallelWriter::GetGradientBytes() const
{
    return m_spec.rules.gradients == Precision::FP32 ? FP32_BYTES : BF16_BYTES;
}

} // namespace ns3
