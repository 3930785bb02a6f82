// SPDX-License-Identifier: GPL-2.0-only

#include "pipeline-transfers.h"

#include "ns3/abort.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ns3
{

PipelineTransfers::PipelineTransfers(const PipelineShape& shape)
    : m_shape(shape),
      m_spans(shape.ranks),
      m_forwardEnds(std::size_t{shape.GetStages()} * shape.microBatches),
      m_backwardEnds(m_forwardEnds.size())
{
    for (uint32_t rank = 0; rank < shape.ranks; ++rank)
    {
        m_orders.push_back(shape.schedule->MakeOrder(shape, rank));
    }
    Play();
    FindTransfers();
}

void
PipelineTransfers::Play()
{
    bool hasMoved = true;
    while (hasMoved)
    {
        hasMoved = false;
        for (uint32_t rank = 0; rank < m_shape.ranks; ++rank)
        {
            hasMoved |= Advance(rank);
        }
    }
    for (uint32_t rank = 0; rank < m_shape.ranks; ++rank)
    {
        NS_ABORT_MSG_IF(m_spans[rank].size() < m_orders[rank].size(),
                        "rank " << rank << " of " << m_shape.schedule->GetName()
                                << " computes something before what it needs");
    }
}

bool
PipelineTransfers::Advance(uint32_t rank)
{
    auto& spans = m_spans[rank];
    const std::size_t before = spans.size();
    while (spans.size() < m_orders[rank].size())
    {
        const auto& action = m_orders[rank][spans.size()];
        const auto ready = GetReady(rank, action);
        if (!ready)
        {
            break;
        }
        const uint64_t begin = std::max(spans.empty() ? 0 : spans.back().end, *ready);
        // Units order transfers; they are not durations.
        const uint64_t end =
            begin +
            (action.kind == PipelineAction::BACKWARD ? m_shape.schedule->GetBackwardUnits() : 1);
        spans.push_back({begin, end});
        if (action.kind != PipelineAction::BACKWARD_WEIGHT)
        {
            auto& ends = action.kind == PipelineAction::FORWARD ? m_forwardEnds : m_backwardEnds;
            const uint32_t stage = m_shape.GetStage(rank, action.chunk);
            ends[std::size_t{stage} * m_shape.microBatches + action.microBatch] = end;
        }
    }
    return spans.size() > before;
}

std::optional<uint64_t>
PipelineTransfers::GetReady(uint32_t rank, const PipelineAction& action) const
{
    const uint32_t stage = m_shape.GetStage(rank, action.chunk);
    auto get = [this, &action](const std::vector<uint64_t>& ends, uint32_t of) {
        const uint64_t end = ends[std::size_t{of} * m_shape.microBatches + action.microBatch];
        return end > 0 ? std::make_optional(end) : std::nullopt;
    };
    switch (action.kind)
    {
    case PipelineAction::FORWARD:
        return stage > 0 ? get(m_forwardEnds, stage - 1) : 0;
    case PipelineAction::BACKWARD_WEIGHT:
        return get(m_backwardEnds, stage);
    default:
        return stage + 1 < m_shape.GetStages() ? get(m_backwardEnds, stage + 1)
                                               : get(m_forwardEnds, stage);
    }
}

void
PipelineTransfers::FindTransfers()
{
    for (uint32_t rank = 0; rank < m_shape.ranks; ++rank)
    {
        for (uint32_t i = 0; i < m_orders[rank].size(); ++i)
        {
            const auto& action = m_orders[rank][i];
            const bool isForward = action.kind == PipelineAction::FORWARD;
            const uint32_t to = m_shape.GetStage(rank, action.chunk);
            const uint32_t end = isForward ? 0 : m_shape.GetStages() - 1;
            if (action.kind == PipelineAction::BACKWARD_WEIGHT || to == end)
            {
                continue;
            }
            const uint32_t from = isForward ? to - 1 : to + 1;
            if (m_shape.GetRank(from) != rank)
            {
                m_transfers.push_back(
                    {isForward,
                     action.microBatch,
                     from,
                     to,
                     i,
                     {*GetReady(rank, action), m_shape.schedule->GetBatchKey(m_shape, from, to)}});
            }
        }
    }
    // The order within a batch is arbitrary but must be the same on both ranks.
    auto key = [](const Transfer& transfer) {
        return std::make_tuple(transfer.slot, transfer.fromStage, transfer.toStage);
    };
    std::sort(m_transfers.begin(), m_transfers.end(), [&key](const auto& a, const auto& b) {
        return key(a) < key(b);
    });
}

std::vector<PipelineTransfers::Batch>
PipelineTransfers::GetBatches(uint32_t rank) const
{
    // The number of computations that end before an instant.
    const auto& spans = m_spans[rank];
    auto countBefore = [&spans](uint64_t instant) {
        const auto end =
            std::lower_bound(spans.begin(),
                             spans.end(),
                             instant,
                             [](const Span& span, uint64_t value) { return span.end < value; });
        return static_cast<std::size_t>(end - spans.begin());
    };
    std::vector<Batch> batches;
    std::optional<Slot> last;
    for (const auto& transfer : m_transfers)
    {
        const bool isSend = m_shape.GetRank(transfer.fromStage) == rank;
        if (!isSend && m_shape.GetRank(transfer.toStage) != rank)
        {
            continue;
        }
        const uint64_t instant = transfer.slot.first;
        if (last != transfer.slot)
        {
            last = transfer.slot;
            batches.push_back({{}, {}, countBefore(instant)});
        }
        Batch& batch = batches.back();
        const uint32_t own = isSend ? transfer.fromStage : transfer.toStage;
        const uint32_t other = isSend ? transfer.toStage : transfer.fromStage;
        const auto send =
            transfer.isActivation ? PipelineAction::SEND_ACTIVATION : PipelineAction::SEND_GRADIENT;
        const auto receive =
            transfer.isActivation ? PipelineAction::RECV_ACTIVATION : PipelineAction::RECV_GRADIENT;
        batch.transfers.push_back({isSend ? send : receive,
                                   transfer.microBatch,
                                   m_shape.GetChunk(own),
                                   m_shape.GetRank(other),
                                   static_cast<uint32_t>(batches.size() - 1)});
        if (isSend)
        {
            batch.position = countBefore(
                instant + 1); // results of computations that end at this instant are sent too
        }
        else
        {
            batch.readers.push_back(transfer.reader);
        }
    }
    return batches;
}

PipelineActions
PipelineTransfers::Write(uint32_t rank) const
{
    const auto& order = m_orders[rank];
    const auto batches = GetBatches(rank);
    std::map<uint32_t, uint32_t> needs; // batch that a computation needs, by computation
    for (uint32_t number = 0; number < batches.size(); ++number)
    {
        for (const uint32_t reader : batches[number].readers)
        {
            needs[reader] = number;
        }
    }
    PipelineActions program;
    std::vector<bool> isWaitedFor(batches.size());
    auto wait = [&program, &isWaitedFor](uint32_t number) {
        if (!isWaitedFor[number])
        {
            isWaitedFor[number] = true;
            program.push_back({PipelineAction::WAIT, 0, 0, 0, number});
        }
    };
    std::size_t started = 0;
    for (uint32_t i = 0; i <= order.size(); ++i)
    {
        for (; started < batches.size() && batches[started].position <= i; ++started)
        {
            const auto& transfers = batches[started].transfers;
            program.insert(program.end(), transfers.begin(), transfers.end());
        }
        if (i < order.size())
        {
            const auto need = needs.find(i);
            if (need != needs.end())
            {
                wait(need->second);
            }
            program.push_back(order[i]);
        }
    }
    for (uint32_t number = 0; number < batches.size(); ++number)
    {
        wait(number);
    }
    return program;
}

} // namespace ns3
