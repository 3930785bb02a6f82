// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SCHEDULE_REPLAY_H
#define PHOTONIC_RAILS_SCHEDULE_REPLAY_H

#include "ns3/collective-schedule.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
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
 * have no defined content, gives a byte without defined content, and so does reading one. Halves of
 * a swap are read when they are sent, and added when the other half has been read.
 */

/// What a byte contains; equal if it contains the same. Trivial, since millions are copied.
struct Contribution
{
    uint32_t ranks; //!< a bit for each rank whose input it contains; 0 if undefined
    uint32_t place; //!< in the input of these ranks

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
            std::size_t index = 0; // in m_flying
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
                    std::find_if(m_flying.begin(), m_flying.end(), [&](std::size_t number) {
                        return m_messages[number].from != order.seed;
                    });
                index = other == m_flying.end()
                            ? 0
                            : static_cast<std::size_t>(other - m_flying.begin());
            }
            Message message = std::move(m_messages[m_flying[index]]);
            m_flying.erase(m_flying.begin() + static_cast<std::ptrdiff_t>(index));
            Deliver(message, order);
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
        bool isCopy;    //!< half of a swap, which is read on sending
    };

    /// How far a rank is.
    struct Rank
    {
        std::vector<bool> posted;
        std::vector<uint32_t> missing;              //!< per send: receives that it waits for
        std::vector<std::vector<uint32_t>> waiters; //!< per receive: sends that wait for it
        std::vector<uint32_t> arrived;   //!< round of each receive, 0 if it has not arrived
        std::vector<uint32_t> swaps;     //!< receives that are halves of swaps
        std::set<uint32_t> swapped;      //!< swaps of which the own half has been read
        std::map<uint32_t, Buffer> held; //!< the other halves of those that have not been
    };

    /// Post a send of a rank.
    void Post(uint32_t rank, uint32_t index, const ReplayOrder& order)
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

    /// @return the receive of the other half of a swap, if the send is one half
    std::optional<uint32_t> FindSwap(uint32_t rank, const ScheduledSend& send) const
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

    /// Add a message to what is in a range.
    void Add(const Buffer& message, uint32_t rank, const ByteRange& range)
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

    /// @return the connector on which arrives what leaves on a connector
    static uint16_t GetOtherConnector(uint16_t connector)
    {
        if (connector == CONNECTOR_NEXT)
        {
            return CONNECTOR_PREVIOUS;
        }
        return connector == CONNECTOR_PREVIOUS ? uint16_t{CONNECTOR_NEXT} : connector;
    }

    void Deliver(Message& message, const ReplayOrder& order)
    {
        const auto& send = *message.send;
        const auto refuse = [&](const char* why) {
            m_error = "message " + std::to_string(send.transferId) + " from " +
                      std::to_string(message.from) + " to " + std::to_string(send.peer) + why;
        };
        if (send.peer >= m_schedules.size() ||
            send.transferId >= m_schedules[send.peer].GetReceives().size())
        {
            refuse(" is not expected");
            return;
        }
        const auto& receive = m_schedules[send.peer].GetReceives()[send.transferId];
        uint32_t& arrived = m_ranks[send.peer].arrived[send.transferId];
        Buffer& buffer = m_buffers[send.peer];
        if (receive.peer != message.from || send.peer == message.from)
        {
            refuse(" is expected from another rank");
        }
        else if (receive.data.bytes != send.data.bytes)
        {
            refuse(" is of another size");
        }
        else if (receive.connector != GetOtherConnector(send.connector))
        {
            refuse(" comes on another connector");
        }
        else if (arrived > 0)
        {
            refuse(" comes twice");
        }
        else if (receive.data.offset + receive.data.bytes > buffer.size())
        {
            refuse(" goes beyond the buffer");
        }
        if (order.readLate && !message.isCopy && m_error.empty())
        {
            message.data = Read(message.from, send.data);
        }
        if (!m_error.empty())
        {
            return;
        }
        arrived = message.round;
        m_rounds = std::max(m_rounds, message.round);
        Rank& receiver = m_ranks[send.peer];
        if (receive.action == ScheduledReceive::Action::COPY)
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
    std::vector<Message> m_messages;   //!< all that have been sent
    std::vector<std::size_t> m_flying; //!< those on their way, in the order of sending
    std::string m_error;
    uint32_t m_rounds{0};
};

} // namespace ns3

#endif // PHOTONIC_RAILS_SCHEDULE_REPLAY_H
