// SPDX-License-Identifier: GPL-2.0-only

#include "data-parallel-emitter.h"

namespace ns3
{

std::unique_ptr<DataParallelEmitter>
DataParallelEmitter::Create(const WorkloadSpec& spec,
                            const RankModel& model,
                            RankProgramEmitter& program)
{
    if (spec.rules.dataParallelism == DataParallelism::FSDP)
    {
        return MakeShardEmitter(spec, model, program);
    }
    return MakeBucketEmitter(spec, model, program);
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
    return GetBytes(m_spec.rules.gradients);
}

} // namespace ns3
