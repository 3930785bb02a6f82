// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MANAGEMENT_CHANNEL_H
#define PHOTONIC_RAILS_MANAGEMENT_CHANNEL_H

#include "reliable-transfer.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @brief What a frame of a reliable channel says of itself, between the UDP header and the
 * messages.
 *
 * On the wire, in network byte order: version (1 byte), flags (1), zero (2), epoch (4), epoch heard
 * (4), identity (4), begin (8), acknowledgement (8).
 */
struct ChannelHeader
{
    static constexpr std::size_t SIZE = 32; //!< bytes
    static constexpr uint8_t VERSION = 1;   //!< of the format
    static constexpr uint8_t ANNOUNCE = 1;  //!< flag: answer at once; a new epoch begins

    uint8_t flags{0};            //!< ANNOUNCE or none
    uint32_t epoch{0};           //!< of the sender: grows whenever it begins anew
    uint32_t peerEpoch{0};       //!< highest epoch of the other end that the sender has heard
    uint32_t identity{0};        //!< address in whose place the sender speaks; 0: its own
    uint64_t begin{0};           //!< position of the first byte that follows
    uint64_t acknowledgement{0}; //!< the sender has confirmed all before this position

    /// @param bytes receives SIZE bytes
    void Write(uint8_t* bytes) const;

    /**
     * @param bytes what has arrived
     * @param size how many there are
     * @return false if they do not begin with such a header
     */
    bool Read(const uint8_t* bytes, std::size_t size);
};

/**
 * @brief One end of a reliable channel between two nodes: a stream each way, with their timers.
 *
 * Acknowledgements ride on frames with messages, or go alone when none has come in time. One timer
 * runs while something waits to be acknowledged; it is not moved when an acknowledgement comes, but
 * looks at the deadline when it expires.
 *
 * An end that has lost its memory, and knows from a log what it had confirmed, begins a new epoch
 * and announces it. The other end then sends again at once what was not acknowledged, and says what
 * it has; until then the end that is new sends nothing, because it has made again all that it ever
 * said. Frames of an older epoch are refused. So if two of them speak for the same end, the one
 * with the older epoch is not heard and learns it.
 */
class ManagementChannel
{
  public:
    /// Takes frames to the other end.
    class Carrier
    {
      public:
        virtual ~Carrier() = default;

        /**
         * @brief Send a frame.
         * @param channel whose
         * @param header what it says of itself
         * @param bytes of messages
         */
        virtual void Carry(const ManagementChannel& channel,
                           const ChannelHeader& header,
                           const std::vector<uint8_t>& bytes) = 0;
    };

    /// Attributes of a port.
    struct Times
    {
        Time acknowledgement; //!< how long one may wait for a frame to ride on
        Time initial;         //!< time-out before a round trip has been measured
        Time least;           //!< bounds of the time-out
        Time most;            //!< bounds of the time-out
        Time giveUpAfter;     //!< after so long without progress nothing is sent again
    };

    /// The two ends; the far one first.
    struct Flow
    {
        uint32_t address;
        uint16_t farPort;
        uint16_t nearPort;

        /// @return true if this one comes first in some fixed order
        bool operator<(const Flow& other) const;
    };

    /// What became of a frame.
    enum class Result
    {
        ACCEPTED, //!< it has been read
        STALE,    //!< its sender speaks for an epoch that is over
        DEPOSED,  //!< this end does
    };

    /// What happened so far.
    struct Stats
    {
        uint64_t timeouts{0};   //!< that expired
        uint64_t repeated{0};   //!< frames with bytes that had been sent before
        uint64_t duplicates{0}; //!< frames that brought nothing new
        uint64_t pureAcks{0};   //!< acknowledgements in frames of their own
        uint64_t lost{0};       //!< times that the other end was given up

        /// @param other to add
        void Add(const Stats& other);
    };

    /**
     * @param carrier takes the frames
     * @param flow the two ends
     * @param times of the port
     * @param epoch of this end; above 0, the channel announces it
     */
    ManagementChannel(Carrier& carrier, const Flow& flow, const Times& times, uint32_t epoch);
    ~ManagementChannel();

    ManagementChannel(const ManagementChannel&) = delete;
    ManagementChannel& operator=(const ManagementChannel&) = delete;

    /// @param message is sent with the next Flush
    void Append(const OpusMessage& message);

    /// Send what has been said.
    void Flush();

    /// Announce this end's epoch until the other end has heard it.
    void Announce();

    /**
     * @brief Read a frame.
     * @param header what it says of itself
     * @param bytes of messages
     * @param size how many
     * @return what became of it
     */
    Result Receive(const ChannelHeader& header, const uint8_t* bytes, std::size_t size);

    /**
     * @param message receives the next message
     * @param span where it lies in the stream
     * @return false if there is none
     */
    bool Next(OpusMessage& message, StreamSpan& span);

    /// @param span of a message that need not be sent again
    void Confirm(const StreamSpan& span);

    /// @param span of a message that was confirmed in an earlier epoch
    void Restore(const StreamSpan& span);

    /// @return the two ends
    const Flow& GetFlow() const;
    /// @return a frame without messages that says what this end knows
    ChannelHeader MakeHeader() const;
    /// @return what happened so far
    Stats GetStats() const;
    /// @return messages that arrived and could not be read
    uint64_t GetMalformed() const;

  private:
    void Send(uint8_t flags);
    /// Let an acknowledgement go when none has ridden on a frame in time.
    void ScheduleAcknowledgement();
    void SendAcknowledgement();
    /// Let the timer run if something waits.
    void StartTimer();
    void HandleTimer();
    /// @return when something is to be sent again; nothing if nothing waits
    std::optional<Time> GetDeadline() const;

    Carrier& m_carrier;
    Flow m_flow;
    Times m_times;
    uint32_t m_epoch;
    uint32_t m_peerEpoch{0};
    bool m_announcing{false}; //!< the other end has not said that it knows the epoch
    Time m_announced;         //!< when it was told last
    Time m_giveUpAfter;       //!< until it is told again
    ReliableSender m_sender;
    ReliableReceiver m_receiver;
    bool m_ackPending{false}; //!< an acknowledgement
    EventId m_ackTimer;
    EventId m_timer;
    Time m_lastProgress; //!< of what is acknowledged, or when it was first waited for
    Stats m_stats;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MANAGEMENT_CHANNEL_H
