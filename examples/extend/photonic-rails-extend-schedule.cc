// SPDX-License-Identifier: GPL-2.0-only

// A pipeline schedule of one's own: eager 1F1B (arXiv 2211.05322). The program is
// photonic-rails-training with one more name for --schedule; copied into scratch/, the file is a
// program, too. Example: photonic-rails-extend-schedule --schedule=eager-1f1b --pp=4
// --microBatches=8

#include "ns3/photonic-rails-module.h"

#include <algorithm>

using namespace ns3;

/**
 * 1F1B with twice as many forwards before the first backward: an activation has the time of a
 * computation to arrive before it is needed. It costs memory, for a rank holds up to
 * 2 (ranks behind it) + 1 micro-batches instead of (ranks behind it) + 1.
 */
class EagerSchedule : public PipelineSchedule
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("EagerSchedule")
                                .SetParent<PipelineSchedule>()
                                .SetGroupName("PhotonicRails")
                                .AddConstructor<EagerSchedule>();
        return tid;
    }

    std::string GetName() const override
    {
        return "eager-1f1b";
    }

    // The shapes allowed: any number of ranks and micro-batches, and one model chunk a rank.
    std::string Validate(const PipelineShape& shape) const override
    {
        return NeedsChunks(shape, 1);
    }

    // The computations of a rank, in order. The module adds the transfers.
    PipelineActions MakeOrder(const PipelineShape& shape, uint32_t rank) const override
    {
        const uint32_t behind = shape.ranks - 1 - rank;
        const uint32_t warmUp = std::min(shape.microBatches, 2 * behind);
        PipelineOrderEmitter order(shape.chunks);
        for (uint32_t step = 0; step < shape.microBatches + warmUp; ++step)
        {
            if (step < shape.microBatches)
            {
                order.Forward(0);
            }
            if (step >= warmUp)
            {
                order.Backward(0);
            }
        }
        return order.Take();
    }

    // For --describe: the idle time of a rank if transfers take no time, here that of 1F1B.
    Time GetBubble(const PipelineShape& shape, const PipelinePasses& passes) const override
    {
        return passes.GetSum() * int64_t{shape.ranks - 1};
    }
};

NS_OBJECT_ENSURE_REGISTERED(EagerSchedule);

int
main(int argc, char* argv[])
{
    return RunNamedProgram(argc, argv, __FILE__);
}
