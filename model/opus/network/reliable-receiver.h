// SPDX-License-Identifier: GPL-2.0-only

#ifndef PHOTONIC_RAILS_RELIABLE_RECEIVER_H
#define PHOTONIC_RAILS_RELIABLE_RECEIVER_H

#include "ns3/message-reader.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

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

#endif // PHOTONIC_RAILS_RELIABLE_RECEIVER_H
