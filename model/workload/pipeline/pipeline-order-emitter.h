// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_PIPELINE_ORDER_EMITTER_H
#define PHOTONIC_RAILS_PIPELINE_ORDER_EMITTER_H

#include "pipeline-schedule.h"

#include "ns3/assert.h"

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @brief Writes the computations of a pipeline rank and counts the micro-batches of each chunk.
 */
class PipelineOrderEmitter
{
  public:
    /// @param chunks model chunks of the rank
    explicit PipelineOrderEmitter(uint32_t chunks)
        : m_forward(chunks),
          m_backward(chunks)
    {
    }

    /// @param chunk chunk that runs its next micro-batch forward
    void Forward(uint32_t chunk)
    {
        Append(PipelineAction::FORWARD, chunk, m_forward[chunk]++);
    }

    /// @param chunk chunk that runs its next micro-batch backward
    void Backward(uint32_t chunk)
    {
        Append(PipelineAction::BACKWARD, chunk, m_backward[chunk]++);
    }

    /// @param chunk chunk that runs its next micro-batch backward; the weight pass is deferred
    void BackwardInput(uint32_t chunk)
    {
        Append(PipelineAction::BACKWARD_INPUT, chunk, m_backward[chunk]);
        m_deferred.push_back({PipelineAction::BACKWARD_WEIGHT, m_backward[chunk]++, chunk, 0, 0});
    }

    /// Run the oldest deferred weight pass.
    void BackwardWeight()
    {
        NS_ASSERT(!m_deferred.empty());
        m_actions.push_back(m_deferred.front());
        m_deferred.pop_front();
    }

    /// Run all deferred weight passes.
    void Settle()
    {
        while (!m_deferred.empty())
        {
            BackwardWeight();
        }
    }

    /// @return the computations
    PipelineActions Take()
    {
        return std::move(m_actions);
    }

  private:
    void Append(PipelineAction::Kind kind, uint32_t chunk, uint32_t microBatch)
    {
        m_actions.push_back({kind, microBatch, chunk, 0, 0});
    }

    std::vector<uint32_t> m_forward;       //!< next micro-batch by chunk
    std::vector<uint32_t> m_backward;      //!< next micro-batch by chunk
    std::deque<PipelineAction> m_deferred; //!< weight passes, oldest first
    PipelineActions m_actions;             //!< the computations so far
};

} // namespace ns3

#endif // PHOTONIC_RAILS_PIPELINE_ORDER_EMITTER_H
