// SPDX-License-Identifier: GPL-2.0-only

#include "data-parallel-emitter.h"

#include "bucket-emitter.h"
#include "layer-emitter.h"
#include "shard-emitter.h"

namespace ns3
{

std::unique_ptr<DataParallelEmitter>
DataParallelEmitter::Create(const WorkloadSpec& spec,
                            const RankModel& model,
                            RankProgramEmitter& program)
{
    if (spec.rules.dataParallelism == DataParallelism::FSDP)
    {
        return std::make_unique<ShardEmitter>(spec, model, program);
    }
    return std::make_unique<BucketEmitter>(spec, model, program);
}

DataParallelEmitter::DataParallelEmitter(const WorkloadSpec& spec,
                                         const RankModel& model,
                                         RankProgramEmitter& program)
    : m_spec(spec),
      m_model(model),
      m_program(program)
{
}

uint64_t
DataParallelEmitter::GetGradientBytes() const
{
    return m_spec.rules.gradients == Precision::FP32 ? FP32_BYTES : BF16_BYTES;
}

} // namespace ns3
