// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-schedule.h"

#include <algorithm>

namespace ns3
{

namespace
{

/**
 * @brief Interleaved 1F1B (arXiv 2104.04473) as in PyTorch's ScheduleInterleaved1F1B.
 *
 * Micro-batches run in rounds of equal size. The number of rounds is the number of micro-batches
 * divided by the number of ranks, rounded down, and at least one. A rank runs a round on its first
 * chunk, then the same round on its next chunk, and so on; backwards start with its last chunk. The
 * warm-up has (chunks - 1) rounds, plus 2 forwards for every later rank. If the number of
 * micro-batches is a multiple of the ranks, a round has as many micro-batches as there are ranks,
 * which is Megatron-LM's order. (Megatron-LM requires a multiple of ranks unless larger rounds are
 * configured.)
 *
 * The bubble is (p - 1)(F + I + W), in the source (p - 1)(tf + tb) / v with tf and tb of v chunks.
 */
class InterleavedSchedule : public PipelineSchedule
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::InterleavedSchedule")
                                .SetParent<PipelineSchedule>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<InterleavedSchedule>();
        return tid;
    }

    std::string GetName() const override
    {
        return "interleaved";
    }

    std::string Validate(const PipelineShape& shape) const override
    {
        if (shape.chunks < 2)
        {
            return "virtualStages=" + std::to_string(shape.chunks) + ": " + GetName() +
                   " needs 2 or more chunks a rank";
        }
        if (shape.microBatches % shape.GetRounds() != 0)
        {
            const std::string rounds = std::to_string(shape.GetRounds());
            return "microBatches=" + std::to_string(shape.microBatches) + ": " + GetName() +
                   " with pp=" + std::to_string(shape.ranks) + " runs them in " + rounds +
                   " rounds of equal size and needs a multiple of " + rounds;
        }
        return "";
    }

    PipelineActions MakeOrder(const PipelineShape& shape, uint32_t rank) const override
    {
        const uint32_t round = shape.microBatches / shape.GetRounds();
        const uint32_t passes = shape.microBatches * shape.chunks;
        const uint32_t behind = shape.ranks - 1 - rank;
        const uint32_t warmUp = std::min(passes, (shape.chunks - 1) * round + 2 * behind);
        PipelineOrderEmitter order(shape.chunks);
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

    Time GetBubble(const PipelineShape& shape, const PipelinePasses& passes) const override
    {
        return passes.GetSum() * int64_t{shape.ranks - 1};
    }

    // All transfers of an instant share a batch, as in Megatron-LM: the ranks form a ring, and the
    // data have the duration of a computation to arrive.
    uint32_t GetBatchKey(const PipelineShape&, uint32_t, uint32_t) const override
    {
        return 0;
    }

    uint32_t GetBackwardUnits() const override
    {
        return 4;
    }
};

NS_OBJECT_ENSURE_REGISTERED(InterleavedSchedule);

} // namespace

} // namespace ns3
