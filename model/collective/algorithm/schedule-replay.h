// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_SCHEDULE_REPLAY_H
#define PHOTONIC_RAILS_SCHEDULE_REPLAY_H

#include "collective-schedule.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @file
 * Carries out the schedules of all ranks byte by byte, without simulated time, and records whose
 * input ends where. Messages travel in orders that are as hostile as the schedules allow.
 *
 * A byte of a buffer is known by the ranks whose inputs it contains and by its place in their
 * inputs. The sum of two contributions of the same rank, of bytes of different places, or of bytes
 * without defined content is a byte without defined content. The halves of a swap are read when
 * they are sent, and each is added when the other half has been read.
 */

/// The content of a byte. The type is trivial because the replay copies millions of them.
struct Contribution
{
    uint32_t ranks; //!< a bit for each rank whose input it contains; 0 if undefined
    uint32_t place; //!< in the input of these ranks

    /// @return true if both contain the same
    bool operator==(const Contribution& other) const
    {
        return ranks == other.ranks && (ranks == 0 || place == other.place);
    }
};

/// In which order messages arrive, and when the memory of the sender is read.
struct ReplayOrder
{
    /// Which of the messages in flight is the next to arrive.
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

    /// @param ranks size of the group @return several orders that differ as much as they can
    static std::vector<ReplayOrder> GetAll(uint32_t ranks);
};

/// The buffers of all ranks, and the messages between them.
class ScheduleReplay
{
  public:
    /// The memory of a rank.
    using Buffer = std::vector<Contribution>;

    /// Largest group: a Contribution has a bit for each rank.
    static constexpr uint32_t MAX_RANKS = 32;

    /**
     * @param schedules schedules of all ranks, which must outlive this object
     * @param buffers buffers of all ranks
     */
    ScheduleReplay(const std::vector<CollectiveSchedule>& schedules, std::vector<Buffer> buffers);

    /**
     * @brief Carry out all sends that may start, until none is left.
     * @param order in which messages arrive
     * @return an empty string, or an error
     */
    std::string Run(const ReplayOrder& order);

    /// @param rank a rank @return its buffer
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
    void Post(uint32_t rank, uint32_t index, const ReplayOrder& order);
    /// @return the receive of the other half of a swap, if the send is one half
    std::optional<uint32_t> FindSwap(uint32_t rank, const ScheduledSend& send) const;
    /// Add a message to the content of a range.
    void Add(const Buffer& message, uint32_t rank, const ByteRange& range);
    /// @return the content of a range
    Buffer Read(uint32_t rank, const ByteRange& range);
    /// @return the place in m_flying of the next message to arrive
    std::size_t Choose(const ReplayOrder& order, std::mt19937& random) const;
    /// Let a message arrive.
    void Deliver(Message& message, const ReplayOrder& order);
    /// @return an empty string, or the reason why a message is none that its receiver expects
    std::string CheckMessage(const Message& message) const;
    /// @return an empty string if all sends went out and all receives came in
    std::string FindMissing() const;

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
