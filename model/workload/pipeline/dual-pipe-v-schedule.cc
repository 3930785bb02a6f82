// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-schedule.h"

namespace ns3
{

namespace
{

/**
 * @brief DualPipeV: both directions at the same time (DualPipe, arXiv 2412.19437, cut in half), in
 * the eight steps of DeepSeek's DualPipeV and PyTorch's ScheduleDualPipeV.
 *
 * Where the originals overlap a pair (a forward of one chunk and a backward of the other), this
 * schedule runs the forward and then the backward. Weight passes run in the order of their input
 * passes.
 *
 * The bubble is (p - 1)(FB + B - 3W) (DeepSeek's DualPipe: PP / 2 is p, B is I + W). FB is the time
 * of an overlapped forward and backward. Both share a GPU, so FB is F + B here and the bubble
 * (p - 1)(F + 2I - W).
 */
class DualPipeVSchedule : public PipelineSchedule
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::DualPipeVSchedule")
                                .SetParent<PipelineSchedule>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<DualPipeVSchedule>();
        return tid;
    }

    std::string GetName() const override
    {
        return "dualpipev";
    }

    std::string Validate(const PipelineShape& shape) const override
    {
        if (auto error = NeedsChunks(shape, 2); !error.empty())
        {
            return error;
        }
        return shape.microBatches / 2 >= shape.ranks
                   ? ""
                   : "microBatches=" + std::to_string(shape.microBatches) + ": " + GetName() +
                         " with pp=" + std::to_string(shape.ranks) + " needs " +
                         std::to_string(uint64_t{2} * shape.ranks) + " or more";
    }

    PipelineActions MakeOrder(const PipelineShape& shape, uint32_t rank) const override
    {
        const uint32_t before = rank + 1;
        const uint32_t behind = shape.ranks - 1 - rank;
        PipelineOrderEmitter order(2);
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
        // 3: the first backwards return.
        for (uint32_t i = 0; i < behind; ++i)
        {
            order.BackwardInput(1);
            order.BackwardWeight();
            order.Forward(1);
        }
        // 4: both directions at the same time.
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
        // 6: no forwards are left; the second half of the backwards defers its weight passes.
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

    Time GetBubble(const PipelineShape& shape, const PipelinePasses& passes) const override
    {
        return (passes.forward + passes.backwardInput + passes.backwardInput -
                passes.backwardWeight) *
               int64_t{shape.ranks - 1};
    }

    // Stages are placed in a V: the last rank has two consecutive stages.
    uint32_t GetRank(const PipelineShape& shape, uint32_t stage) const override
    {
        const uint32_t position = stage % shape.ranks;
        return stage / shape.ranks % 2 == 1 ? shape.ranks - 1 - position : position;
    }
};

NS_OBJECT_ENSURE_REGISTERED(DualPipeVSchedule);

} // namespace

} // namespace ns3
