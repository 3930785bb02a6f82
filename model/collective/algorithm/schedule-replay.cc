// SPDX-License-Identifier: GPL-2.0-only

#include "schedule-replay.h"

#include <algorithm>
#include <utility>

namespace ns3
{

std::vector<ReplayOrder>
ReplayOrder::GetAll(uint32_t ranks)
{
    std::vector<ReplayOrder> orders{{FIRST, false, 0},
                                    {FIRST, true, 0},
                                    {LAST, false, 0},
                                    {LAST, true, 0},
                                    {RANDOM, false, 1},
                                    {RANDOM, true, 2}};
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        orders.push_back({STARVE, rank % 2 == 1, rank});
    }
    return orders;
}

ScheduleReplay::ScheduleReplay(const std::vector<CollectiveSchedule>& schedules,
                               std::vector<Buffer> buffers)
    : m_schedules(schedules),
      m_buffers(std::move(buffers)),
      m_ranks(schedules.size())
{
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        const auto& sends = schedules[rank].GetSends();
        auto& state = m_ranks[rank];
        state.posted.resize(sends.size(), false);
        state.arrived.resize(schedules[rank].GetReceives().size(), 0);
        state.waiters.resize(state.arrived.size());
        for (uint32_t id = 0; id < state.arrived.size(); ++id)
        {
            if (schedules[rank].GetReceives()[id].action == ScheduledReceive::Action::SWAP)
            {
                state.swaps.push_back(id);
            }
        }
        for (uint32_t i = 0; i < sends.size(); ++i)
        {
            state.missing.push_back(sends[i].afterCount);
            for (const uint16_t id : schedules[rank].GetAfter(sends[i]))
            {
                state.waiters.at(id).push_back(i);
            }
        }
    }
}

std::string
ScheduleReplay::Run(const ReplayOrder& order)
{
    std::mt19937 random(order.seed);
    for (uint32_t rank = 0; rank < m_ranks.size() && m_error.empty(); ++rank)
    {
        for (uint32_t i = 0; i < m_ranks[rank].posted.size(); ++i)
        {
            if (m_ranks[rank].missing[i] == 0)
            {
                Post(rank, i, order);
            }
        }
    }
    while (!m_flying.empty() && m_error.empty())
    {
        const std::size_t index = Choose(order, random);
        Message message = std::move(m_messages[m_flying[index]]);
        m_flying.erase(m_flying.begin() + static_cast<std::ptrdiff_t>(index));
        Deliver(message, order);
    }
    return m_error.empty() ? FindMissing() : m_error;
}

std::size_t
ScheduleReplay::Choose(const ReplayOrder& order, std::mt19937& random) const
{
    switch (order.next)
    {
    case ReplayOrder::LAST:
        return m_flying.size() - 1;
    case ReplayOrder::RANDOM:
        return random() % m_flying.size();
    case ReplayOrder::STARVE: {
        const auto other = std::find_if(m_flying.begin(), m_flying.end(), [&](std::size_t number) {
            return m_messages[number].from != order.seed;
        });
        return other == m_flying.end() ? 0 : static_cast<std::size_t>(other - m_flying.begin());
    }
    default:
        return 0;
    }
}

void
ScheduleReplay::Post(uint32_t rank, uint32_t index, const ReplayOrder& order)
{
    const auto& send = m_schedules[rank].GetSends()[index];
    uint32_t round = 1;
    for (const uint16_t id : m_schedules[rank].GetAfter(send))
    {
        round = std::max(round, m_ranks[rank].arrived[id] + 1);
    }
    m_ranks[rank].posted[index] = true;
    const auto swap = FindSwap(rank, send);
    m_flying.push_back(m_messages.size());
    m_messages.push_back({rank, &send, round, {}, swap.has_value()});
    if (swap || !order.readLate)
    {
        m_messages.back().data = Read(rank, send.data);
    }
    if (swap)
    {
        m_ranks[rank].swapped.insert(*swap);
        const auto held = m_ranks[rank].held.find(*swap);
        if (held != m_ranks[rank].held.end())
        {
            Add(held->second, rank, send.data);
        }
    }
}

std::optional<uint32_t>
ScheduleReplay::FindSwap(uint32_t rank, const ScheduledSend& send) const
{
    const auto& receives = m_schedules[rank].GetReceives();
    for (const uint32_t id : m_ranks[rank].swaps)
    {
        if (receives[id].peer == send.peer && receives[id].data.bytes == send.data.bytes &&
            receives[id].data.offset == send.data.offset && send.data.bytes > 0)
        {
            return id;
        }
    }
    return std::nullopt;
}

void
ScheduleReplay::Add(const Buffer& message, uint32_t rank, const ByteRange& range)
{
    Contribution* to = m_buffers[rank].data() + range.offset;
    const Contribution* from = message.data();
    for (const Contribution* end = from + range.bytes; from != end; ++from, ++to)
    {
        const bool fits = from->ranks != 0 && to->ranks != 0 && from->place == to->place &&
                          (from->ranks & to->ranks) == 0;
        to->ranks = fits ? from->ranks | to->ranks : 0;
    }
}

ScheduleReplay::Buffer
ScheduleReplay::Read(uint32_t rank, const ByteRange& range)
{
    if (range.offset + range.bytes > m_buffers[rank].size())
    {
        m_error = "rank " + std::to_string(rank) + " reads outside of its buffer";
        return {};
    }
    const auto begin = m_buffers[rank].begin() + static_cast<std::ptrdiff_t>(range.offset);
    return {begin, begin + static_cast<std::ptrdiff_t>(range.bytes)};
}

std::string
ScheduleReplay::CheckMessage(const Message& message) const
{
    const auto& send = *message.send;
    if (send.peer >= m_schedules.size() ||
        send.transferId >= m_schedules[send.peer].GetReceives().size())
    {
        return " is not expected";
    }
    const auto& receive = m_schedules[send.peer].GetReceives()[send.transferId];
    if (receive.peer != message.from || send.peer == message.from)
    {
        return " is expected from another rank";
    }
    if (receive.data.bytes != send.data.bytes)
    {
        return " is of another size";
    }
    if (receive.connector != GetOtherEnd(send.connector))
    {
        return " comes on another connector";
    }
    if (m_ranks[send.peer].arrived[send.transferId] > 0)
    {
        return " comes twice";
    }
    return receive.data.offset + receive.data.bytes > m_buffers[send.peer].size()
               ? " goes beyond the buffer"
               : "";
}

void
ScheduleReplay::Deliver(Message& message, const ReplayOrder& order)
{
    const auto& send = *message.send;
    if (const std::string error = CheckMessage(message); !error.empty())
    {
        m_error = "message " + std::to_string(send.transferId) + " from " +
                  std::to_string(message.from) + " to " + std::to_string(send.peer) + error;
        return;
    }
    if (order.readLate && !message.isCopy)
    {
        message.data = Read(message.from, send.data);
    }
    if (!m_error.empty())
    {
        return;
    }
    const auto& receive = m_schedules[send.peer].GetReceives()[send.transferId];
    Buffer& buffer = m_buffers[send.peer];
    m_ranks[send.peer].arrived[send.transferId] = message.round;
    m_rounds = std::max(m_rounds, message.round);
    Rank& receiver = m_ranks[send.peer];
    if (receive.action == ScheduledReceive::Action::COPY ||
        receive.action == ScheduledReceive::Action::RELAY)
    {
        std::copy(message.data.begin(),
                  message.data.end(),
                  buffer.begin() + static_cast<std::ptrdiff_t>(receive.data.offset));
    }
    else if (receive.action == ScheduledReceive::Action::SWAP &&
             receiver.swapped.count(send.transferId) == 0)
    {
        receiver.held[send.transferId] = message.data;
    }
    else
    {
        Add(message.data, send.peer, receive.data);
    }
    for (const uint32_t waiter : m_ranks[send.peer].waiters[send.transferId])
    {
        if (--m_ranks[send.peer].missing[waiter] == 0)
        {
            Post(send.peer, waiter, order);
        }
    }
}

std::string
ScheduleReplay::FindMissing() const
{
    for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
    {
        const auto& state = m_ranks[rank];
        if (std::count(state.posted.begin(), state.posted.end(), false) > 0)
        {
            return "rank " + std::to_string(rank) + " waits for ever to send";
        }
        if (std::count(state.arrived.begin(), state.arrived.end(), 0U) > 0)
        {
            return "rank " + std::to_string(rank) + " waits for ever to receive";
        }
    }
    return "";
}

} // namespace ns3
