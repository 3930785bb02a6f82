// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SCHEDULE_CHECK_H
#define PHOTONIC_RAILS_SCHEDULE_CHECK_H

#include "schedule-replay.h"

#include "ns3/collective-algorithm.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// An algorithm by its name.
using Algorithm = Variant<CollectiveAlgorithm>;

/// A collective as MPI defines it.
class CollectiveDefinition
{
  public:
    /// @param part a call; its index does not matter
    explicit CollectiveDefinition(const RankContext& part)
        : m_part(part),
          m_size(part.shape.size),
          m_bytes(part.call.bytes)
    {
    }

    /// @return what a rank has before the call
    ScheduleReplay::Buffer GetInput(uint32_t rank) const
    {
        uint64_t bytes = m_bytes;
        if (m_part.call.kind == CollectiveKind::ALL_TO_ALL)
        {
            bytes = GetBlockOffset(rank, m_size);
        }
        if (m_part.call.kind == CollectiveKind::BROADCAST && rank != m_part.root)
        {
            bytes = 0;
        }
        return GetRun(1U << rank, 0, bytes);
    }

    /// @return what a rank must have after it
    ScheduleReplay::Buffer GetOutput(uint32_t rank) const
    {
        const uint32_t all = static_cast<uint32_t>((uint64_t{1} << m_size) - 1);
        ScheduleReplay::Buffer output;
        switch (m_part.call.kind)
        {
        case CollectiveKind::ALL_REDUCE:
            return GetRun(all, 0, m_bytes);
        case CollectiveKind::REDUCE:
            return GetRun(all, 0, rank == m_part.root ? m_bytes : 0);
        case CollectiveKind::BROADCAST:
            return GetRun(1U << m_part.root, 0, m_bytes);
        case CollectiveKind::REDUCE_SCATTER: {
            const auto chunk = SplitEvenly({0, m_bytes}, m_size, rank);
            return GetRun(all, chunk.offset, chunk.bytes);
        }
        case CollectiveKind::ALL_GATHER:
        case CollectiveKind::ALL_TO_ALL:
            for (uint32_t from = 0; from < m_size; ++from)
            {
                const bool gather = m_part.call.kind == CollectiveKind::ALL_GATHER;
                const uint64_t begin = gather ? 0 : GetBlockOffset(from, rank);
                const uint64_t end = gather ? m_bytes : GetBlockOffset(from, rank + 1);
                const auto block = GetRun(1U << from, begin, end - begin);
                output.insert(output.end(), block.begin(), block.end());
            }
            return output;
        default:
            return output;
        }
    }

  private:
    static ScheduleReplay::Buffer GetRun(uint32_t ranks, uint64_t place, uint64_t bytes)
    {
        ScheduleReplay::Buffer run(bytes);
        for (auto& byte : run)
        {
            byte = {ranks, static_cast<uint32_t>(place++)};
        }
        return run;
    }

    /// @return where the block of an AllToAll begins in the input of its source
    uint64_t GetBlockOffset(uint32_t from, uint32_t to) const
    {
        uint64_t offset = 0;
        for (uint32_t i = 0; i < to; ++i)
        {
            offset += m_part.call.sizes ? m_part.call.sizes->GetBytes(from, i)
                                        : m_bytes / m_size + (i < m_bytes % m_size ? 1 : 0);
        }
        return offset;
    }

    RankContext m_part;
    uint32_t m_size;
    uint64_t m_bytes;
};

/// Checks the schedules of all ranks against the definition of the collective.
class ScheduleCheck
{
  public:
    /**
     * @param algorithm how it is carried out
     * @param part a call; its index does not matter
     */
    ScheduleCheck(Algorithm algorithm, RankContext part)
        : m_definition(part)
    {
        for (part.index = 0; part.index < part.shape.size; ++part.index)
        {
            schedules.push_back(algorithm->MakeSchedule(part));
            m_layouts.push_back(algorithm->MakeLayout(part));
            m_inputs.push_back(Fill(part.index));
            m_outputs.push_back(m_definition.GetOutput(part.index));
        }
    }

    /**
     * @param order how messages travel
     * @return an empty string, or what is wrong
     */
    std::string Run(const ReplayOrder& order)
    {
        if (!m_error.empty())
        {
            return m_error;
        }
        ScheduleReplay replay(schedules, m_inputs);
        auto error = replay.Run(order);
        m_rounds = replay.GetRounds();
        for (uint32_t rank = 0; rank < schedules.size() && error.empty(); ++rank)
        {
            error = CheckOutput(rank, replay.GetBuffer(rank));
        }
        return error;
    }

    /**
     * @param limit number of orders to look at, at most
     * @return an empty string, or what is wrong in any order
     */
    std::string RunAll(std::size_t limit = SIZE_MAX)
    {
        auto orders = ReplayOrder::GetAll(static_cast<uint32_t>(schedules.size()));
        orders.resize(std::min(limit, orders.size()));
        for (const auto& order : orders)
        {
            const auto error = Run(order);
            if (!error.empty())
            {
                return error + " (next " + std::to_string(order.next) +
                       (order.readLate ? ", read late)" : ")");
            }
        }
        return "";
    }

    /// @return after a run: messages in the longest chain of which each waits for the one before
    uint32_t GetRounds() const
    {
        return m_rounds;
    }

    /// @return the connectors that a rank uses, sorted, each once
    std::vector<CollectiveConnectorId> GetUsedConnectors(uint32_t rank) const
    {
        std::vector<CollectiveConnectorId> connectors;
        for (const auto& send : schedules[rank].GetSends())
        {
            connectors.push_back({send.peer, send.connector});
        }
        for (const auto& receive : schedules[rank].GetReceives())
        {
            connectors.push_back({receive.peer, receive.connector});
        }
        std::sort(connectors.begin(), connectors.end());
        connectors.erase(std::unique(connectors.begin(), connectors.end()), connectors.end());
        return connectors;
    }

    std::vector<CollectiveSchedule> schedules; //!< of all ranks; may be changed before a run

  private:
    /// @return the buffer of a rank before the call
    ScheduleReplay::Buffer Fill(uint32_t rank)
    {
        const auto input = m_definition.GetInput(rank);
        const auto& layout = m_layouts[rank];
        ScheduleReplay::Buffer buffer(layout.bytes);
        uint64_t filled = 0;
        for (const auto& segment : layout.input)
        {
            for (uint64_t i = 0; i < segment.buffer.bytes; ++i, ++filled)
            {
                auto& byte = buffer.at(segment.buffer.offset + i);
                const auto& content = input.at(segment.offset + i);
                if (byte.ranks != 0)
                {
                    m_error = "the layout uses a byte twice";
                }
                byte = content;
            }
        }
        if (filled != input.size())
        {
            m_error = "the layout has no place for some input of rank " + std::to_string(rank);
        }
        return buffer;
    }

    std::string CheckOutput(uint32_t rank, const ScheduleReplay::Buffer& buffer) const
    {
        const auto& expected = m_outputs[rank];
        ScheduleReplay::Buffer output(expected.size()); // undefined as long as no segment has it
        for (const auto& segment : m_layouts[rank].output)
        {
            const uint64_t bytes = segment.buffer.bytes;
            if (bytes > output.size() || segment.offset > output.size() - bytes ||
                segment.buffer.offset + bytes > buffer.size())
            {
                return "the layout of rank " + std::to_string(rank) + " is too long";
            }
            std::copy_n(buffer.data() + segment.buffer.offset,
                        bytes,
                        output.data() + segment.offset);
        }
        const Contribution* begin = output.data();
        const Contribution* end = begin + output.size();
        const Contribution* wrong = std::mismatch(begin, end, expected.data()).first;
        return wrong == end ? ""
                            : "rank " + std::to_string(rank) + " has a wrong byte " +
                                  std::to_string(wrong - begin);
    }

    CollectiveDefinition m_definition;
    std::vector<CollectiveLayout> m_layouts;
    std::vector<ScheduleReplay::Buffer> m_inputs;  //!< buffers before the call
    std::vector<ScheduleReplay::Buffer> m_outputs; //!< what has to come out
    std::string m_error;
    uint32_t m_rounds{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SCHEDULE_CHECK_H
