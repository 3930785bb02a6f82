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
 * @brief The sending half of a reliable byte stream, which retransmits unacknowledged bytes.
 *
 * A pure state machine whose inputs have times. Positions count the bytes of the stream from 0, as
 * in TCP, so retransmissions may be segmented differently.
 *
 * The retransmission timeout follows RFC 6298: the smoothed round-trip time plus four times its
 * variation, within bounds. The timeout doubles each time it expires, until a round trip has been
 * measured again; retransmitted bytes are not measured (Karn). A timeout retransmits all
 * unacknowledged bytes: control messages are short, and the receiver keeps bytes that arrive out of
 * order.
 */
class ReliableSender
{
  public:
    /// A segment of the stream.
    struct Segment
    {
        uint64_t begin{0};          //!< position of its first byte
        std::vector<uint8_t> bytes; //!< its bytes
    };

    /**
     * @brief Set the bounds of the timeout. Call before the first Append.
     * @param initial timeout before a round trip has been measured
     * @param least lower bound, before back-off
     * @param most upper bound
     */
    void SetTimeouts(Time initial, Time least, Time most);

    /**
     * @brief Append bytes to the stream.
     * @param bytes the bytes
     * @param size number of bytes
     */
    void Append(const uint8_t* bytes, std::size_t size)
    {
        m_bytes.insert(m_bytes.end(), bytes, bytes + size);
    }

    /// Append a message to the stream. @param message the message
    void Append(const OpusMessage& message);

    /// @return true if there are bytes to send or to retransmit
    bool HasUnsent() const
    {
        return m_next < GetEnd();
    }

    /**
     * @brief Send the next bytes; there must be some (HasUnsent).
     * @param most largest number of bytes
     * @param now the time
     * @return the segment
     */
    Segment Send(std::size_t most, Time now);

    /**
     * @brief Handle an acknowledgement of all bytes before a position. Positions beyond the end are
     * ignored.
     * @param position the position
     * @param now the time
     */
    void Acknowledge(uint64_t position, Time now);

    /**
     * @brief Retransmit all unacknowledged bytes, because the receiver may have lost them; reset
     * the back-off.
     */
    void Rewind();

    /**
     * @brief Handle the expiry of the timeout: retransmit all unacknowledged bytes and double the
     * timeout.
     */
    void TimeOut();

    /**
     * @return the time at which the timeout expires; nothing without unacknowledged bytes in flight
     */
    std::optional<Time> GetDeadline() const;

    /// @return the current timeout
    Time GetTimeout() const
    {
        return m_timeout;
    }

    /// @return the position before which all bytes are acknowledged
    uint64_t GetAcknowledged() const
    {
        return m_acknowledged;
    }

    /// @return the end of the stream
    uint64_t GetEnd() const
    {
        return m_acknowledged + m_bytes.size();
    }

    /// @return number of retransmitted segments
    uint64_t GetRepeated() const
    {
        return m_repeated;
    }

  private:
    /// Compute the timeout from the measured round trips.
    void Estimate();

    std::deque<uint8_t> m_bytes;     //!< unacknowledged
    uint64_t m_acknowledged{0};      //!< position of the first of them
    uint64_t m_next{0};              //!< position of the next byte to send
    uint64_t m_sent{0};              //!< end of the bytes that have been sent at least once
    Time m_since;                    //!< begin of the current timeout
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

/**
 * @brief The receiving half of a reliable byte stream, which delivers every message once and in
 * order.
 *
 * A pure state machine. It reorders segments, drops duplicates and splits the stream into messages.
 * Of the segments after a gap, at most WINDOW bytes are kept; others are dropped and have to be
 * sent again.
 */
class ReliableReceiver
{
  public:
    static constexpr std::size_t WINDOW = 4 << 20; //!< bytes of segments after a gap
    /**
     * @brief Handle a segment.
     * @param begin position of its first byte
     * @param bytes the bytes
     * @param size number of bytes
     */
    void Receive(uint64_t begin, const uint8_t* bytes, std::size_t size);

    /**
     * @brief Deliver the next message.
     * @param message receives the message
     * @return false if there is no complete message
     */
    bool Next(OpusMessage& message);

    /// @return the position before which all messages are delivered, which is acknowledged
    uint64_t GetDelivered() const
    {
        return m_delivered;
    }

    /// @return number of bytes of segments after a gap
    std::size_t GetEarly() const
    {
        return m_earlyBytes;
    }

    /// @return number of segments without new bytes
    uint64_t GetDuplicates() const
    {
        return m_duplicates;
    }

    /// @return number of messages that could not be parsed
    uint64_t GetMalformed() const
    {
        return m_reader.GetMalformed();
    }

  private:
    MessageReader m_reader;
    uint64_t m_received{0};  //!< position before which the reader has all bytes
    uint64_t m_delivered{0}; //!< position before which all messages are delivered
    std::map<uint64_t, std::vector<uint8_t>> m_early; //!< segments after a gap
    std::size_t m_earlyBytes{0};                      //!< of these segments
    uint64_t m_duplicates{0};
};

/**
 * @brief Header of a frame of a reliable channel, between the UDP header and the messages.
 *
 * On the wire, in network byte order: version (1 byte), flags (1), zero (2), epoch (4), epoch of
 * the peer (4), identity (4), begin (8), acknowledgement (8).
 */
struct ChannelHeader
{
    static constexpr std::size_t SIZE = 32; //!< bytes
    static constexpr uint8_t VERSION = 1;   //!< of the format
    static constexpr uint8_t DATAGRAM =
        2; //!< flag: the message does not belong to the stream, and is not acknowledged

    uint8_t flags{0};            //!< DATAGRAM or 0
    uint32_t epoch{0};           //!< epoch of the sender; grows with every restart
    uint32_t peerEpoch{0};       //!< highest epoch of the receiver that the sender knows
    uint32_t identity{0};        //!< address for which the sender acts; 0: its own
    uint64_t begin{0};           //!< position of the first byte of the messages
    uint64_t acknowledgement{0}; //!< the sender has read all before this position

    /// @param bytes receives SIZE bytes
    void Write(uint8_t* bytes) const;

    /**
     * @param bytes received bytes
     * @param size number of bytes
     * @return false if the bytes do not begin with such a header
     */
    bool Read(const uint8_t* bytes, std::size_t size);
};

/**
 * @brief One end of a reliable channel between two nodes: a stream in each direction, with its
 * timers.
 *
 * Acknowledgements are sent with messages, or in frames of their own when no message is sent in
 * time. One timer runs while data is unacknowledged; an acknowledgement does not move the timer,
 * which compares the deadline when it expires.
 *
 * An end that has lost its memory begins a new epoch, in which both streams begin anew: the peer
 * drops what it had to send, and what it had received in part, as soon as it receives a frame of
 * the new epoch. Frames that were sent before the peer knew of the new epoch are ignored, and
 * frames of an older epoch are refused. If two nodes act for the same end, the node with the older
 * epoch is refused and notified.
 */
class ManagementChannel
{
  public:
    /// Sends frames to the peer.
    class Carrier
    {
      public:
        virtual ~Carrier() = default;

        /**
         * @brief Send a frame.
         * @param channel channel of the frame
         * @param header header of the frame
         * @param bytes messages of the frame
         */
        virtual void Carry(const ManagementChannel& channel,
                           const ChannelHeader& header,
                           const std::vector<uint8_t>& bytes) = 0;
    };

    /// Times of a channel, attributes of the port.
    struct Times
    {
        Time acknowledgement; //!< longest wait of an acknowledgement for a frame with messages
        Time initial;         //!< timeout before a round trip has been measured
        Time least;           //!< bound of the timeout
        Time most;            //!< bound of the timeout
        Time giveUpAfter;     //!< time without progress after which retransmissions stop
    };

    /// The two ends of a channel; the far end first.
    struct Flow
    {
        uint32_t address;
        uint16_t farPort;
        uint16_t nearPort;

        /// @return true if this flow sorts first
        bool operator<(const Flow& other) const;
    };

    /// Result of a received frame.
    enum class Result
    {
        ACCEPTED, //!< the frame has been processed
        STALE,    //!< the epoch of the sender is over
        DEPOSED,  //!< the epoch of this end is over
    };

    /// Counts since the start.
    struct Stats
    {
        uint64_t timeouts{0};   //!< expired timeouts
        uint64_t repeated{0};   //!< frames with retransmitted bytes
        uint64_t duplicates{0}; //!< frames without new bytes
        uint64_t pureAcks{0};   //!< acknowledgements without messages
        uint64_t lost{0};       //!< times that retransmissions stopped

        /// @param other counts to add
        void Add(const Stats& other);
    };

    /**
     * @param carrier sends the frames
     * @param flow the two ends
     * @param times times of the port
     * @param epoch epoch of this end
     */
    ManagementChannel(Carrier& carrier, const Flow& flow, const Times& times, uint32_t epoch);
    ~ManagementChannel();

    ManagementChannel(const ManagementChannel&) = delete;
    ManagementChannel& operator=(const ManagementChannel&) = delete;

    /// @param message message to send with the next Flush
    void Append(const OpusMessage& message);

    /// Send all appended messages.
    void Flush();

    /**
     * @brief Handle a frame.
     * @param header header of the frame
     * @param bytes messages of the frame
     * @param size number of bytes
     * @return the result
     */
    Result Receive(const ChannelHeader& header, const uint8_t* bytes, std::size_t size);

    /// @return the stream of the peer
    ReliableReceiver& GetReceiver()
    {
        return m_receiver;
    }

    /// @return the two ends
    const Flow& GetFlow() const
    {
        return m_flow;
    }

    /// @return the header of a frame without messages
    ChannelHeader MakeHeader() const;
    /// @return counts since the start
    Stats GetStats() const;

  private:
    /// Begin both streams anew.
    void Renew();
    /// Send a frame without messages.
    void SendHeader();
    /**
     * @brief Send an acknowledgement within Times::acknowledgement, unless a frame with messages
     * carries it.
     */
    void ScheduleAcknowledgement();
    void SendAcknowledgement();
    /// Start the timer if data is unacknowledged.
    void StartTimer();
    /// Retransmit if the deadline has passed, else schedule the timer again.
    void HandleTimer();
    Carrier& m_carrier;
    Flow m_flow;
    Times m_times;
    uint32_t m_epoch;
    uint32_t m_peerEpoch{0};
    ReliableSender m_sender;
    ReliableReceiver m_receiver;
    bool m_ackPending{false}; //!< an acknowledgement is due
    EventId m_ackTimer;
    EventId m_timer;
    Time m_lastProgress; //!< last progress of acknowledgements, or begin of the wait for one
    Stats m_stats;
};

} // namespace ns3

#endif // PHOTONIC_RAILS_MANAGEMENT_CHANNEL_H
