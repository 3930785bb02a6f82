// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SCHEDULE_REPLAY_H
#define PHOTONIC_RAILS_SCHEDULE_REPLAY_H

#include "ns3/collective-algorithm.h"
#include "ns3/collective-layout.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @file
 * Moves contributions about as schedules say, byte by byte and for all ranks, and says where they
 * end. The order in which messages travel is as hostile as the schedules allow.
 *
 * A byte of a buffer is known by the ranks whose inputs it contains and by the place that it had in
 * their inputs. To add two contributions of one rank, or bytes of different places, or bytes that
 * have no defined content, gives a byte without defined content, and so does reading one.
 */

/// What a byte contains; equal if it contains the same.
struct Contribution
{
    uint32_t ranks{0}; //!< a bit for each rank whose input it contains; 0 if undefined
    uint32_t place{0}; //!< in the input of these ranks

    bool operator==(const Contribution& other) const
    {
        return ranks == other.ranks && (ranks == 0 || place == other.place);
    }
};

/// In which order messages arrive, and when the memory of the sender is read.
struct ReplayOrder
{
    /// Which of the messages that are on their way is the next to arrive.
    enum Next : uint8_t
    {
        FIRST,  //!< the one that was sent first
        LAST,   //!< the one that was sent last
        RANDOM, //!< any
        STARVE, //!< the first that is not from a certain rank, as long as there are others
    };

    Next next{FIRST};
    bool readLate{false}; //!< memory is read on arrival, not on sending
    uint32_t seed{1};     //!< of RANDOM; the rank of STARVE

    /// @return several orders that differ as much as they can
    static std::vector<ReplayOrder> GetAll(uint32_t ranks)
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
};

/// The buffers of all ranks, and the messages between them.
class ScheduleReplay
{
  public:
    using Buffer = std::vector<Contribution>;

    /**
     * @param schedules of all ranks
     * @param buffers of all ranks
     */
    ScheduleReplay(const std::vector<CollectiveSchedule>& schedules, std::vector<Buffer> buffers)
        : m_schedules(schedules),
          m_buffers(std::move(buffers)),
          m_ranks(schedules.size())
    {
        for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
        {
            m_ranks[rank].posted.resize(schedules[rank].GetSends().size(), false);
            m_ranks[rank].arrived.resize(schedules[rank].GetReceives().size(), 0);
        }
    }

    /**
     * @brief Carry out all sends that may start, until none is left.
     * @param order how messages travel
     * @return an empty string, or what does not fit
     */
    std::string Run(const ReplayOrder& order)
    {
        std::mt19937 random(order.seed);
        for (uint32_t rank = 0; rank < m_ranks.size() && m_error.empty(); ++rank)
        {
            Post(rank, order);
        }
        while (!m_flying.empty() && m_error.empty())
        {
            std::size_t index = 0;
            if (order.next == ReplayOrder::LAST)
            {
                index = m_flying.size() - 1;
            }
            else if (order.next == ReplayOrder::RANDOM)
            {
                index = random() % m_flying.size();
            }
            else if (order.next == ReplayOrder::STARVE)
            {
                const auto other =
                    std::find_if(m_flying.begin(), m_flying.end(), [&](const Message& message) {
                        return message.from != order.seed;
                    });
                index = other == m_flying.end()
                            ? 0
                            : static_cast<std::size_t>(other - m_flying.begin());
            }
            Message message = std::move(m_flying[index]);
            m_flying.erase(m_flying.begin() + static_cast<std::ptrdiff_t>(index));
            Deliver(message, order);
            Post(message.send->peer, order);
        }
        return m_error.empty() ? FindMissing() : m_error;
    }

    /// @return the buffer of a rank
    const Buffer& GetBuffer(uint32_t rank) const
    {
        return m_buffers[rank];
    }

    /// @return number of messages in the longest chain of which each waits for the one before
    uint32_t GetRounds() const
    {
        return m_rounds;
    }

  private:
    /// A message on its way.
    struct Message
    {
        uint32_t from;
        const ScheduledSend* send;
        uint32_t round; //!< messages that had to arrive one after the other, and this one
        Buffer data;    //!< if it was read on sending
    };

    /// How far a rank is.
    struct Rank
    {
        std::vector<bool> posted;
        std::vector<uint32_t> arrived; //!< round of each receive, 0 if it has not arrived
    };

    /// Post the sends of a rank that may start.
    void Post(uint32_t rank, const ReplayOrder& order)
    {
        const auto& schedule = m_schedules[rank];
        auto& state = m_ranks[rank];
        for (uint32_t i = 0; i < schedule.GetSends().size(); ++i)
        {
            const auto& send = schedule.GetSends()[i];
            uint32_t round = 1;
            bool ready = !state.posted[i];
            if (!ready)
            {
                continue;
            }
            for (const uint16_t id : schedule.GetAfter(send))
            {
                ready = ready && id < state.arrived.size() && state.arrived[id] > 0;
                round = ready ? std::max(round, state.arrived[id] + 1) : round;
            }
            if (!ready)
            {
                continue;
            }
            state.posted[i] = true;
            m_flying.push_back({rank, &send, round, {}});
            if (!order.readLate)
            {
                m_flying.back().data = Read(rank, send.data);
            }
        }
    }

    /// @return what a range contains
    Buffer Read(uint32_t rank, const ByteRange& range)
    {
        if (range.offset + range.bytes > m_buffers[rank].size())
        {
            m_error = "rank " + std::to_string(rank) + " reads outside of its buffer";
            return {};
        }
        const auto begin = m_buffers[rank].begin() + static_cast<std::ptrdiff_t>(range.offset);
        return {begin, begin + static_cast<std::ptrdiff_t>(range.bytes)};
    }

    static uint16_t GetOtherLane(uint16_t lane)
    {
        return lane == LANE_NEXT ? LANE_PREVIOUS : lane == LANE_PREVIOUS ? LANE_NEXT : lane;
    }

    void Deliver(Message& message, const ReplayOrder& order)
    {
        const auto& send = *message.send;
        const auto name = "message " + std::to_string(send.transferId) + " from " +
                          std::to_string(message.from) + " to " + std::to_string(send.peer);
        if (send.peer >= m_schedules.size() ||
            send.transferId >= m_schedules[send.peer].GetReceives().size())
        {
            m_error = name + " is not expected";
            return;
        }
        const auto& receive = m_schedules[send.peer].GetReceives()[send.transferId];
        uint32_t& arrived = m_ranks[send.peer].arrived[send.transferId];
        Buffer& buffer = m_buffers[send.peer];
        if (receive.peer != message.from || send.peer == message.from)
        {
            m_error = name + " is expected from another rank";
        }
        else if (receive.data.bytes != send.data.bytes)
        {
            m_error = name + " is of another size";
        }
        else if (receive.lane != GetOtherLane(send.lane))
        {
            m_error = name + " comes on another lane";
        }
        else if (arrived > 0)
        {
            m_error = name + " comes twice";
        }
        else if (receive.data.offset + receive.data.bytes > buffer.size())
        {
            m_error = name + " goes beyond the buffer";
        }
        if (order.readLate && m_error.empty())
        {
            message.data = Read(message.from, send.data);
        }
        if (!m_error.empty())
        {
            return;
        }
        arrived = message.round;
        m_rounds = std::max(m_rounds, message.round);
        for (uint64_t i = 0; i < receive.data.bytes; ++i)
        {
            Contribution& to = buffer[receive.data.offset + i];
            const Contribution& from = message.data[i];
            if (receive.action == ScheduledReceive::Action::COPY)
            {
                to = from;
            }
            else
            {
                const bool fits = from.ranks != 0 && to.ranks != 0 && from.place == to.place &&
                                  (from.ranks & to.ranks) == 0;
                to.ranks = fits ? from.ranks | to.ranks : 0;
            }
        }
    }

    /// @return an empty string if all sends went out and all receives came in
    std::string FindMissing() const
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

    const std::vector<CollectiveSchedule>& m_schedules;
    std::vector<Buffer> m_buffers;
    std::vector<Rank> m_ranks;
    std::vector<Message> m_flying;
    std::string m_error;
    uint32_t m_rounds{0};
};

/// A collective as MPI defines it.
class CollectiveDefinition
{
  public:
    /// @param part a call; its index does not matter
    explicit CollectiveDefinition(const CollectivePart& part)
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
        ScheduleReplay::Buffer run;
        for (uint64_t i = 0; i < bytes; ++i)
        {
            run.push_back({ranks, static_cast<uint32_t>(place + i)});
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

    CollectivePart m_part;
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
    ScheduleCheck(CollectiveAlgorithm algorithm, CollectivePart part)
        : m_definition(part)
    {
        for (part.index = 0; part.index < part.shape.size; ++part.index)
        {
            schedules.push_back(MakeSchedule(algorithm, part));
            m_layouts.push_back(MakeLayout(algorithm, part));
        }
    }

    /**
     * @param order how messages travel
     * @return an empty string, or what is wrong
     */
    std::string Run(const ReplayOrder& order)
    {
        std::vector<ScheduleReplay::Buffer> buffers;
        for (uint32_t rank = 0; rank < schedules.size(); ++rank)
        {
            buffers.push_back(Fill(rank));
        }
        if (!m_error.empty())
        {
            return m_error;
        }
        ScheduleReplay replay(schedules, std::move(buffers));
        auto error = replay.Run(order);
        m_rounds = replay.GetRounds();
        for (uint32_t rank = 0; rank < schedules.size() && error.empty(); ++rank)
        {
            error = CheckOutput(rank, replay.GetBuffer(rank));
        }
        return error;
    }

    /// @return an empty string, or what is wrong in any order
    std::string RunAll()
    {
        for (const auto& order : ReplayOrder::GetAll(static_cast<uint32_t>(schedules.size())))
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

    /// @return the lanes that a rank uses, sorted, each once
    std::vector<CollectiveLaneId> GetUsedLanes(uint32_t rank) const
    {
        std::vector<CollectiveLaneId> lanes;
        for (const auto& send : schedules[rank].GetSends())
        {
            lanes.push_back({send.peer, send.lane});
        }
        for (const auto& receive : schedules[rank].GetReceives())
        {
            lanes.push_back({receive.peer, receive.lane});
        }
        std::sort(lanes.begin(), lanes.end());
        lanes.erase(std::unique(lanes.begin(), lanes.end()), lanes.end());
        return lanes;
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
        const auto expected = m_definition.GetOutput(rank);
        std::vector<std::optional<Contribution>> output(expected.size());
        for (const auto& segment : m_layouts[rank].output)
        {
            for (uint64_t i = 0; i < segment.buffer.bytes; ++i)
            {
                output.at(segment.offset + i) = buffer.at(segment.buffer.offset + i);
            }
        }
        for (uint64_t i = 0; i < expected.size(); ++i)
        {
            if (!output[i] || !(*output[i] == expected[i]))
            {
                return "rank " + std::to_string(rank) + " has a wrong byte " + std::to_string(i);
            }
        }
        return "";
    }

    CollectiveDefinition m_definition;
    std::vector<CollectiveLayout> m_layouts;
    std::string m_error;
    uint32_t m_rounds{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SCHEDULE_REPLAY_H
