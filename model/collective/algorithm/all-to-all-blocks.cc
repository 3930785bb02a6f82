// SPDX-License-Identifier: GPL-2.0-only

#include "all-to-all-blocks.h"

#include "ns3/abort.h"
#include "ns3/assert.h"

namespace ns3
{

namespace
{

/// @return the range for blocks from others: behind the input, without a place for the own block
ByteRange
GetBlockArrival(const RankContext& part,
                uint64_t inputBytes,
                const std::vector<uint64_t>& outputs,
                uint32_t from)
{
    const uint64_t own = outputs[part.index + 1] - outputs[part.index];
    const uint64_t before = outputs[from] - (from > part.index ? own : 0);
    return {inputBytes + before, outputs[from + 1] - outputs[from]};
}

} // namespace

AllToAllBlocks::AllToAllBlocks(const RankContext& part)
    : m_size(part.shape.size),
      m_bytes(part.call.bytes),
      m_sizes(part.call.sizes)
{
    NS_ASSERT_MSG(part.call.kind == CollectiveKind::ALL_TO_ALL,
                  ToString(part.call.kind) << " is no AllToAll");
    NS_ABORT_MSG_IF(m_sizes && m_sizes->GetRanks() != m_size,
                    "an AllToAll of " << m_size << " ranks with sizes for " << m_sizes->GetRanks());
}

uint64_t
AllToAllBlocks::Get(uint32_t from, uint32_t to) const
{
    return m_sizes ? m_sizes->GetBytes(from, to) : SplitEvenly({0, m_bytes}, m_size, to).bytes;
}

uint64_t
AllToAllBlocks::GetSum(uint32_t from, uint32_t first, uint32_t count) const
{
    NS_ASSERT(first < m_size && count <= m_size);
    if (m_sizes)
    {
        return m_sizes->GetSum(from, first, count);
    }
    const auto begin = [this](uint32_t to) {
        return to == m_size ? m_bytes : SplitEvenly({0, m_bytes}, m_size, to).offset;
    };
    const uint32_t end = first + count;
    return end <= m_size ? begin(end) - begin(first) : m_bytes - begin(first) + begin(end - m_size);
}

std::vector<uint64_t>
AllToAllBlocks::GetOffsets(uint32_t rank, bool isInput) const
{
    std::vector<uint64_t> offsets{0};
    for (uint32_t peer = 0; peer < m_size; ++peer)
    {
        offsets.push_back(offsets.back() + (isInput ? Get(rank, peer) : Get(peer, rank)));
    }
    return offsets;
}

std::vector<BlockStep>
MakeShiftSteps(const RankContext& part)
{
    const uint32_t size = part.shape.size;
    std::vector<BlockStep> steps;
    for (uint32_t k = 1; k < size; ++k)
    {
        steps.push_back({(part.index + k) % size,
                         (part.index + size - k) % size,
                         static_cast<uint16_t>(k - 1),
                         k - 1});
    }
    return steps;
}

CollectiveSchedule
MakeBlockSchedule(const RankContext& part, const std::vector<BlockStep>& steps, BlockOrder order)
{
    const AllToAllBlocks blocks(part);
    const auto inputs = blocks.GetInputOffsets(part.index);
    const auto outputs = blocks.GetOutputOffsets(part.index);
    CollectiveSchedule schedule;
    for (const BlockStep& step : steps)
    {
        if (order == BlockOrder::IN_ROUNDS)
        {
            schedule.BeginRound(step.number, step.to);
        }
        const auto received =
            schedule.AddReceive({GetBlockArrival(part, inputs.back(), outputs, step.from),
                                 step.from,
                                 CONNECTOR_DIRECT,
                                 ScheduledReceive::Action::COPY});
        std::vector<uint16_t> after;
        if (order != BlockOrder::AT_ONCE && received > 0)
        {
            after.push_back(static_cast<uint16_t>(received - 1));
        }
        const ByteRange data{inputs[step.to], inputs[step.to + 1] - inputs[step.to]};
        schedule.AddSend({data, step.to, CONNECTOR_DIRECT, step.transferId}, after);
    }
    return schedule;
}

CollectiveLayout
MakeBlockLayout(const RankContext& part)
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
                                              : GetBlockArrival(part, inputs.back(), outputs, from);
        layout.output.push_back({place, outputs[from]});
    }
    return layout;
}

uint64_t
CountForwardedBytes(const RankContext& part, uint64_t sent)
{
    if (part.call.kind != CollectiveKind::ALL_TO_ALL)
    {
        return 0;
    }
    const uint32_t size = part.shape.size;
    const uint64_t own = AllToAllBlocks(part).GetSum(part.index, (part.index + 1) % size, size - 1);
    return sent - own;
}

} // namespace ns3
