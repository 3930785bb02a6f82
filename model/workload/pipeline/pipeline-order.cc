// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-order.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

#include <algorithm>
#include <deque>
#include <vector>

namespace ns3
{

namespace
{

/// Writes computations; counts the micro-batches of every chunk.
class OrderWriter
{
  public:
    /// @param chunks of the rank
    explicit OrderWriter(uint32_t chunks)
        : m_forward(chunks),
          m_backward(chunks)
    {
    }

    /// @param chunk runs its next micro-batch forward
    void Forward(uint32_t chunk)
    {
        Append(PipelineAction::FORWARD, chunk, m_forward[chunk]++);
    }

    /// @param chunk runs its next micro-batch backward
    void Backward(uint32_t chunk)
    {
        Append(PipelineAction::BACKWARD, chunk, m_backward[chunk]++);
    }

    /// @param chunk runs its next micro-batch backward; the weight pass is owed
    void BackwardInput(uint32_t chunk)
    {
        Append(PipelineAction::BACKWARD_INPUT, chunk, m_backward[chunk]);
        m_owed.push_back({PipelineAction::BACKWARD_WEIGHT, m_backward[chunk]++, chunk, 0, 0});
    }

    /// Run the weight pass that has been owed the longest.
    void BackwardWeight()
    {
        NS_ASSERT(!m_owed.empty());
        m_actions.push_back(m_owed.front());
        m_owed.pop_front();
    }

    /// Run the weight passes that are owed.
    void Settle()
    {
        while (!m_owed.empty())
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

    std::vector<uint32_t> m_forward;   //!< next micro-batch by chunk
    std::vector<uint32_t> m_backward;  //!< the same
    std::deque<PipelineAction> m_owed; //!< weight passes
    PipelineActions m_actions;         //!< the computations so far
};

} // namespace

PipelineActions
PipelineOrder::Make(const PipelineShape& shape, uint32_t rank)
{
    switch (shape.kind)
    {
    case PipelineKind::GPIPE:
        return Gpipe(shape);
    case PipelineKind::INTERLEAVED:
        return Interleaved(shape, rank);
    case PipelineKind::ZERO_BUBBLE_H1:
        return ZeroBubbleH1(shape, rank);
    case PipelineKind::DUAL_PIPE_V:
        return DualPipeV(shape, rank);
    default:
        NS_ABORT_MSG("no order of " << ToString(shape.kind));
    }
}

PipelineActions
PipelineOrder::Gpipe(const PipelineShape& shape)
{
    OrderWriter order(1);
    for (uint32_t i = 0; i < shape.microBatches; ++i)
    {
        order.Forward(0);
    }
    for (uint32_t i = 0; i < shape.microBatches; ++i)
    {
        order.Backward(0);
    }
    return order.Take();
}

PipelineActions
PipelineOrder::Interleaved(const PipelineShape& shape, uint32_t rank)
{
    const uint32_t round = shape.microBatches / shape.GetRounds();
    const uint32_t passes = shape.microBatches * shape.chunks;
    const uint32_t behind = shape.ranks - 1 - rank;
    const uint32_t warmUp = std::min(passes, (shape.chunks - 1) * round + 2 * behind);
    OrderWriter order(shape.chunks);
    for (uint32_t step = 0; step < passes + warmUp; ++step)
    {
        if (step < passes)
        {
            order.Forward(step / round % shape.chunks);
        }
        if (step >= warmUp)
        {
            order.Backward(shape.chunks - 1 - (step - warmUp) / round % shape.chunks);
        }
    }
    return order.Take();
}

PipelineActions
PipelineOrder::ZeroBubbleH1(const PipelineShape& shape, uint32_t rank)
{
    const uint32_t warmUp = std::min(shape.microBatches, shape.ranks - 1 - rank);
    OrderWriter order(1);
    for (uint32_t step = 0; step < shape.microBatches + warmUp; ++step)
    {
        if (step < shape.microBatches)
        {
            order.Forward(0);
        }
        if (step >= warmUp)
        {
            order.BackwardInput(0);
            if (step - warmUp >= rank)
            {
                order.BackwardWeight();
            }
        }
    }
    order.Settle();
    return order.Take();
}

PipelineActions
PipelineOrder::DualPipeV(const PipelineShape& shape, uint32_t rank)
{
    const uint32_t before = rank + 1;
    const uint32_t behind = shape.ranks - 1 - rank;
    OrderWriter order(2);
    auto backward = [&order](uint32_t chunk, bool isSplit) {
        isSplit ? order.BackwardInput(chunk) : order.Backward(chunk);
    };
    // 1 and 2: fill the V.
    for (uint32_t i = 0; i < 2 * behind; ++i)
    {
        order.Forward(0);
    }
    for (uint32_t i = 0; i < before; ++i)
    {
        order.Forward(0);
        order.Forward(1);
    }
    // 3: the first backwards come back.
    for (uint32_t i = 0; i < behind; ++i)
    {
        order.BackwardInput(1);
        order.BackwardWeight();
        order.Forward(1);
    }
    // 4: both directions at a time.
    for (uint32_t i = 0; i < shape.microBatches - 2 * shape.ranks + before; ++i)
    {
        order.Forward(0);
        order.Backward(1);
        order.Forward(1);
        order.Backward(0);
    }
    // 5: no forwards of the first chunk are left.
    for (uint32_t i = 0; i < behind; ++i)
    {
        order.Backward(1);
        order.Forward(1);
        order.Backward(0);
    }
    // 6: no forwards are left; the second half owes its weight passes.
    for (uint32_t i = 0; i < 2 * before; ++i)
    {
        backward((i + 1) % 2, i >= before);
    }
    // 7 and 8: weight passes fill the bubble.
    for (uint32_t i = 0; i < behind; ++i)
    {
        order.BackwardWeight();
        order.BackwardInput(0);
    }
    order.Settle();
    return order.Take();
}

} // namespace ns3
