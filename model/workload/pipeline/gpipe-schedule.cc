// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-schedule.h"

namespace ns3
{

namespace
{

/**
 * @brief GPipe (arXiv 1811.06965): all forwards, then all backwards, micro-batches in rising order
 * both times, as in PyTorch's ScheduleGPipe.
 *
 * The bubble is (p - 1)(F + I + W) (arXiv 2104.04473, section 2.2).
 */
class GpipeSchedule : public PipelineSchedule
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::GpipeSchedule")
                                .SetParent<PipelineSchedule>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<GpipeSchedule>();
        return tid;
    }

    std::string GetName() const override
    {
        return "gpipe";
    }

    std::string Validate(const PipelineShape& shape) const override
    {
        return NeedsChunks(shape, 1);
    }

    PipelineActions MakeOrder(const PipelineShape& shape, uint32_t) const override
    {
        PipelineOrderEmitter order(1);
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

    Time GetBubble(const PipelineShape& shape, const PipelinePasses& passes) const override
    {
        return passes.GetSum() * int64_t{shape.ranks - 1};
    }

    // Data move in one direction at a time: every stage receives before it sends.
    uint32_t GetBatchKey(const PipelineShape& shape, uint32_t from, uint32_t to) const override
    {
        return from < to ? from : shape.GetStages() - to;
    }
};

NS_OBJECT_ENSURE_REGISTERED(GpipeSchedule);

} // namespace

} // namespace ns3
