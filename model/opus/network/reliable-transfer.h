// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RELIABLE_TRANSFER_H
#define PHOTONIC_RAILS_RELIABLE_TRANSFER_H

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

} // namespace ns3

#endif // PHOTONIC_RAILS_RELIABLE_TRANSFER_H
