// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-schedule.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * @brief ZB-H1 (arXiv 2401.10241), counted as in PyTorch's ScheduleInterleavedZeroBubble with one
 * chunk.
 *
 * 1F1B with split backwards. A rank defers as many weight passes as there are ranks before it. The
 * deferred passes fill the bubble of the rank at the end of the step, and every rank holds as many
 * micro-batches as the first rank of 1F1B.
 *
 * The bubble is (p - 1)(F + I - W) (arXiv 2401.10241).
 */
class ZeroBubbleH1Schedule : public PipelineSchedule
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::ZeroBubbleH1Schedule")
                                .SetParent<PipelineSchedule>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<ZeroBubbleH1Schedule>();
        return tid;
    }

    std::string GetName() const override
    {
        return "zb-h1";
    }

    std::string Validate(const PipelineShape& shape) const override
    {
        return NeedsChunks(shape, 1);
    }

    PipelineActions MakeOrder(const PipelineShape& shape, uint32_t rank) const override
    {
        const uint32_t warmUp = std::min(shape.microBatches, shape.ranks - 1 - rank);
        PipelineOrderEmitter order(1);
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

    Time GetBubble(const PipelineShape& shape, const PipelinePasses& passes) const override
    {
        return (passes.forward + passes.backwardInput - passes.backwardWeight) *
               int64_t{shape.ranks - 1};
    }
};

NS_OBJECT_ENSURE_REGISTERED(ZeroBubbleH1Schedule);

} // namespace

} // namespace ns3
