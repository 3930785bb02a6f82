// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_MANAGEMENT_CHANNEL_H
#define PHOTONIC_RAILS_MANAGEMENT_CHANNEL_H

#include "ns3/event-id.h"
#include "ns3/field-archive.h"
#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @brief The sending half of a reliable stream of bytes: what is not acknowledged is sent again.
 *
 * A pure state machine that is told the time. Positions count the bytes of the stream from its
 * begin, as in TCP, so that what is sent again may be cut in other places.
 *
 * The time-out is that of RFC 6298: the smoothed round-trip time plus four times its variation,
 * within bounds. It doubles with every time-out until a round trip has been measured again, and no
 * bytes are measured that have been sent twice (Karn). A time-out sends all again that is not
 * acknowledged: control messages are short, and the receiver keeps what comes out of order.
 */
class ReliableSender
{
  public:
    /// A piece of the stream.
    struct Segment
    {
        uint64_t begin{0};          //!< position of its first byte
        std::vector<uint8_t> bytes; //!< what it carries
    };

    /**
     * @brief Set the bounds of the time-out; before anything is sent.
     * @param initial before a round trip has been measured
     * @param least lower bound, before back-off
     * @param most upper bound
     */
    void SetTimeouts(Time initial, Time least, Time most);

    /**
     * @brief Add to the end of the stream.
     * @param bytes what is to be sent
     * @param size how many there are
     */
    void Append(const uint8_t* bytes, std::size_t size);

    /// @return whether there is something to send, or to send again
    bool HasUnsent() const;

    /**
     * @brief Send the next bytes. There must be some.
     * @param most how many at most
     * @param now the time
     * @return them
     */
    Segment Send(std::size_t most, Time now);

    /**
     * @brief The receiver has all before a position. What lies beyond the end is ignored.
     * @param position the position
     * @param now the time
     */
    void Acknowledge(uint64_t position, Time now);

    /// Send all again that is not acknowledged; the receiver may have lost it. Back-off ends.
    void Rewind();

    /// The deadline has passed: send all again that is not acknowledged, and be more patient.
    void TimeOut();

    /// @return when it is time for a time-out; nothing if no byte that was sent waits
    std::optional<Time> GetDeadline() const;

    /// @return the time-out
    Time GetTimeout() const;
    /// @return the position before which all is acknowledged
    uint64_t GetAcknowledged() const;
    /// @return the end of the stream so far
    uint64_t GetEnd() const;
    /// @return segments that began with bytes which had been sent before
    uint64_t GetRepeated() const;

  private:
    /// Set the time-out from what has been measured.
    void Estimate();

    std::deque<uint8_t> m_bytes;     //!< not acknowledged
    uint64_t m_acknowledged{0};      //!< position of the first of them
    uint64_t m_next{0};              //!< position of what is sent next
    uint64_t m_sent{0};              //!< end of all that has ever been sent
    Time m_since;                    //!< when the clock of the time-out began to run
    std::optional<uint64_t> m_timed; //!< end of the segment whose round trip is measured
    Time m_timedSince;
    std::optional<Time> m_smoothed; //!< round-trip time
    Time m_variation;
    Time m_initial{MilliSeconds(1)};
    Time m_least{MilliSeconds(1)};
    Time m_most{Seconds(1)};
    Time m_timeout{MilliSeconds(1)};
    uint64_t m_repeated{0};
};

/// Where in a stream of bytes a message lies.
struct StreamSpan
{
    uint64_t begin{0}; //!< position of its first byte
    uint64_t end{0};   //!< and of what follows
};

/**
 * @brief The receiving half of a reliable stream of bytes: every message once, and in order.
 *
 * A pure state machine. It puts what arrives in order, drops what it has, and cuts it into
 * messages. A message is acknowledged when its owner has confirmed it, and all before it: a
 * controller does so when it is in its log. So what a crash loses the sender still has.
 */
class ReliableReceiver
{
  public:
    /**
     * @brief Take a piece of the stream.
     * @param begin position of its first byte
     * @param bytes what it carries
     * @param size how many bytes
     */
    void Receive(uint64_t begin, const uint8_t* bytes, std::size_t size);

    /**
     * @brief Hand over the next message.
     * @param message receives it
     * @param span where it lies, with what could not be read before it
     * @return false if it has not arrived in full
     */
    bool Next(OpusMessage& message, StreamSpan& span);

    /**
     * @brief A message that was handed over need not be sent again.
     * @param span where it lies
     */
    void Confirm(const StreamSpan& span);

    /**
     * @brief A message was confirmed before this object was made: it is not handed over again.
     * Before anything arrives, in any order.
     * @param span where it lies
     */
    void Restore(const StreamSpan& span);

    /// @return the position before which all messages are confirmed
    uint64_t GetConfirmed() const;
    /// @return pieces that brought nothing new
    uint64_t GetDuplicates() const;
    /// @return messages that arrived and could not be read
    uint64_t GetMalformed() const;

  private:
    /// Move the position up to the first message that is not confirmed.
    void Advance();

    MessageReader m_reader;
    uint64_t m_received{0};  //!< position up to which the reader has been given all
    uint64_t m_read{0};      //!< and has handed it over
    uint64_t m_confirmed{0}; //!< and that is confirmed
    std::map<uint64_t, std::vector<uint8_t>> m_early; //!< pieces after a gap
    std::map<uint64_t, uint64_t> m_handed;            //!< messages not yet confirmed: end by begin
    std::map<uint64_t, uint64_t> m_known; //!< confirmed after one that is not: end by begin
    uint64_t m_duplicates{0};
};

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
