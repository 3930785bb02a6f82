// SPDX-License-Identifier: GPL-2.0-only

#include "transfer-emitter.h"

#include "layer-emitter.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{

TransferEmitter::TransferEmitter(const WorkloadSpec& spec,
                                 uint32_t pipelineRank,
                                 RankProgramEmitter& program)
    : m_rank(pipelineRank),
      m_shape(spec.parallelism.GetPipeline()),
      m_bytes(spec.parallelism.GetContextTokens() /
              (spec.rules.sequenceParallel ? spec.parallelism.tp : 1) * spec.model.hidden *
              GetBytes(spec.parallelism.GetPrecision(spec.rules))),
      m_program(program)
{
}

GroupRole
TransferEmitter::GetRole(const PipelineAction& action) const
{
    const bool isSend = action.kind == PipelineAction::SEND_ACTIVATION ||
                        action.kind == PipelineAction::SEND_GRADIENT;
    const bool isActivation = action.kind == PipelineAction::SEND_ACTIVATION ||
                              action.kind == PipelineAction::RECV_ACTIVATION;
    const bool isNext = action.peer == (m_rank + 1) % m_shape.ranks;
    const bool isPrevious = m_rank == (action.peer + 1) % m_shape.ranks;
    NS_ASSERT_MSG(isNext || isPrevious,
                  "pipeline rank " << m_rank << " has no group with " << action.peer);
    if (isNext && isPrevious) // two ranks: both roles name the same group, unless the rank is at an
                              // end of the pipeline
    {
        const bool goesOn = isSend == isActivation && m_program.HasPeers(GroupRole::PP_NEXT);
        return goesOn || !m_program.HasPeers(GroupRole::PP_PREVIOUS) ? GroupRole::PP_NEXT
                                                                     : GroupRole::PP_PREVIOUS;
    }
    return isNext ? GroupRole::PP_NEXT : GroupRole::PP_PREVIOUS;
}

void
TransferEmitter::Start(const PipelineAction& action)
{
    const bool isSend = action.kind == PipelineAction::SEND_ACTIVATION ||
                        action.kind == PipelineAction::SEND_GRADIENT;
    const bool isActivation = action.kind == PipelineAction::SEND_ACTIVATION ||
                              action.kind == PipelineAction::RECV_ACTIVATION;
    std::string label = std::string(isSend ? "send " : "receive ") +
                        (isActivation ? "activation " : "gradient ") +
                        std::to_string(action.microBatch);
    if (m_shape.chunks > 1)
    {
        label += " chunk " + std::to_string(action.chunk);
    }
    // Batches run in order on the pipeline's communicator; the two streams alone would order sends
    // only after sends and receives only after receives.
    std::vector<uint32_t> dependencies = m_program.GetFront();
    m_batches.resize(std::max<std::size_t>(m_batches.size(), action.batch + 1));
    if (action.batch > 0)
    {
        const auto& before = m_batches[action.batch - 1];
        dependencies.insert(dependencies.end(), before.begin(), before.end());
    }
    m_batches[action.batch].push_back(
        m_program.Parallel({Dimension::PP,
                            GetRole(action),
                            isSend ? CollectiveKind::SEND : CollectiveKind::RECV,
                            m_bytes,
                            nullptr},
                           label,
                           std::move(dependencies)));
}

void
TransferEmitter::Wait(uint32_t batch)
{
    NS_ASSERT(batch < m_batches.size());
    for (const uint32_t transfer : m_batches[batch])
    {
        m_program.Wait(transfer);
    }
}

} // namespace ns3
