// SPDX-License-Identifier: GPL-2.0-only

#include "all-to-all-schedule.h"

#include "all-to-all-blocks.h"

#include "ns3/assert.h"

#include <vector>

namespace ns3
{

namespace
{

using Action = ScheduledReceive::Action;

/// @return where blocks from others arrive: behind the input, without a place for the own block
ByteRange
GetArrival(const CollectivePart& part,
           uint64_t inputBytes,
           const std::vector<uint64_t>& outputs,
           uint32_t from)
{
    const uint64_t own = outputs[part.index + 1] - outputs[part.index];
    const uint64_t before = outputs[from] - (from > part.index ? own : 0);
    return {inputBytes + before, outputs[from + 1] - outputs[from]};
}

/**
 * @param part the call and the rank
 * @param xorPeers a rank sends in step k to index ^ k, not to index + k
 * @param inSteps a step waits for the one before
 */
CollectiveSchedule
MakeBlockSchedule(const CollectivePart& part, bool xorPeers, bool inSteps)
{
    const uint32_t size = part.shape.size;
    NS_ASSERT_MSG(part.index < size, "rank " << part.index << " of a group of " << size);
    const AllToAllBlocks blocks(part);
    const auto inputs = blocks.GetInputOffsets(part.index);
    const auto outputs = blocks.GetOutputOffsets(part.index);
    CollectiveSchedule schedule;
    for (uint32_t step = 1; step < size; ++step)
    {
        const uint32_t to = xorPeers ? part.index ^ step : (part.index + step) % size;
        const uint32_t from = xorPeers ? part.index ^ step : (part.index + size - step) % size;
        ScheduledSend send;
        send.data = {inputs[to], inputs[to + 1] - inputs[to]};
        send.peer = to;
        send.lane = LANE_DIRECT;
        // All ranks number their receives by step.
        send.transferId = schedule.AddReceive(
            {GetArrival(part, inputs.back(), outputs, from), from, LANE_DIRECT, Action::COPY});
        std::vector<uint16_t> after;
        if (inSteps && step > 1)
        {
            after.push_back(static_cast<uint16_t>(send.transferId - 1));
        }
        schedule.AddSend(send, after);
    }
    return schedule;
}

} // namespace

CollectiveSchedule
MakePairwiseAllToAllSchedule(const CollectivePart& part)
{
    const uint32_t size = part.shape.size;
    return MakeBlockSchedule(part, (size & (size - 1)) == 0, true);
}

CollectiveSchedule
MakeDirectAllToAllSchedule(const CollectivePart& part)
{
    return MakeBlockSchedule(part, false, false);
}

CollectiveLayout
MakeAllToAllLayout(const CollectivePart& part)
{
    const AllToAllBlocks blocks(part);
    const auto inputs = blocks.GetInputOffsets(part.index);
    const auto outputs = blocks.GetOutputOffsets(part.index);
    const uint64_t own = inputs[part.index + 1] - inputs[part.index];
    CollectiveLayout layout;
    layout.bytes = inputs.back() + outputs.back() - own;
    layout.input.push_back({{0, inputs.back()}, 0});
    for (uint32_t from = 0; from < part.shape.size; ++from)
    {
        const auto place = from == part.index ? ByteRange{inputs[from], own}
                                              : GetArrival(part, inputs.back(), outputs, from);
        layout.output.push_back({place, outputs[from]});
    }
    return layout;
}

} // namespace ns3
